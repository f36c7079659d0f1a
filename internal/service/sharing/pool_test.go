// SPDX-License-Identifier: Apache-2.0

package sharing_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/internal/service/sharing"
	"example.com/curlew/job"
)

// TestPool checks that tasks of a job use one value, and that only idle values are closed.
func TestPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var opened, closed []string
		damaged := errors.New("damaged")
		pool := sharing.Pool[string]{
			Open: func(j *job.Job) (string, error) {
				if j.Kind == "" {
					return "", damaged
				}
				opened = append(opened, j.ID)
				return j.ID, nil
			},
			Close: func(id string) { closed = append(closed, id) },
		}
		take := func(id string) (leave func()) {
			t.Helper()
			value, leave, err := pool.Take(&job.Job{ID: id, Kind: "crawl"})
			if value != id || err != nil {
				t.Fatalf("%q, %v, want %q", value, err, id)
			}
			return leave
		}
		first, second, other := take("a"), take("a"), take("b")
		if _, _, err := pool.Take(&job.Job{ID: "c"}); !errors.Is(err, damaged) {
			t.Errorf("error is %v, want %v", err, damaged)
		}
		first()
		other()
		time.Sleep(time.Minute)
		take("a")() // b was idle for exactly a minute
		if len(closed) > 0 {
			t.Errorf("closed %q after a minute", closed)
		}
		time.Sleep(time.Nanosecond)
		leave := take("d") // a has still a task
		if want := []string{"b"}; !slices.Equal(closed, want) {
			t.Errorf("closed %q, want %q", closed, want)
		}
		second()
		take("b")() // again
		leave()
		pool.End()
		slices.Sort(closed)
		if want := []string{"a", "b", "b", "d"}; !slices.Equal(closed, want) {
			t.Errorf("closed %q, want %q", closed, want)
		}
		if want := []string{"a", "b", "d", "b"}; !slices.Equal(opened, want) {
			t.Errorf("opened %q, want %q", opened, want)
		}
		pool.End()
		if len(closed) != 4 {
			t.Errorf("closed %q twice", closed)
		}
	})
}
