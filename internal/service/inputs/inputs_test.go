// SPDX-License-Identifier: Apache-2.0

package inputs_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"example.com/curlew/internal/service/inputs"
	"example.com/curlew/job"
)

// TestQueue continues a batch of which one input was done before, while
// further inputs are appended.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		appended := make(chan struct{})
		var got []string
		runner := &job.Runner{Works: map[string]job.Work{"batch": func(ctx context.Context, _ *job.Job, space job.Space) error {
			if err := space.Append(ctx, job.Item{Kind: job.Result, Data: []byte("{}"), Input: 2}); err != nil {
				return err
			}
			q, err := inputs.Open(ctx, space, []string{"a", "b", "c"})
			if err != nil {
				return err
			}
			take := func() {
				for url, n, ok := q.Take(ctx); ok; url, n, ok = q.Take(ctx) {
					got = append(got, fmt.Sprint(n, url))
				}
			}
			take()
			<-appended
			for {
				sealed, err := q.Seal(ctx)
				got = append(got, fmt.Sprint(sealed))
				if sealed || err != nil {
					return err
				}
				take()
			}
		}}}
		defer func() { _ = runner.Shutdown(context.WithoutCancel(t.Context())) }()
		j, err := runner.Start(t.Context(), "batch", "us", nil)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := runner.Append(t.Context(), "us", j.ID, job.Item{Kind: job.Input, Data: []byte("d")}); err != nil {
			t.Fatal(err)
		}
		close(appended)
		synctest.Wait()
		if text := strings.Join(got, " "); text != "1a 3c false 4d true" {
			t.Errorf("%s", text)
		}
		if j, _, err = runner.Get(t.Context(), "us", j.ID); err != nil || j.State != job.Completed {
			t.Errorf("%+v, %v", j, err)
		}
	})
}

// broken is a Space whose items cannot be read once it is on fire.
type broken struct {
	job.Space
	fire bool
}

var errDisk = errors.New("disk on fire")

func (b *broken) Items(context.Context, job.ItemKind, int, int) ([]job.Item, error) {
	if b.fire {
		return nil, errDisk
	}
	return nil, nil
}

// TestErrors ends the queue with the error of the store or of the work.
func TestErrors(t *testing.T) {
	store := new(broken)
	q, err := inputs.Open(t.Context(), store, []string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	store.fire = true
	if url, n, ok := q.Take(t.Context()); url != "a" || n != 1 || !ok {
		t.Errorf("%q, %d, %v", url, n, ok)
	}
	if _, _, ok := q.Take(t.Context()); ok || !errors.Is(q.Err(), errDisk) {
		t.Errorf("%v, %v", ok, q.Err())
	}
	failed := errors.New("not stored")
	q, err = inputs.Open(t.Context(), new(broken), []string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	q.Fail(failed)
	if _, _, ok := q.Take(t.Context()); ok || !errors.Is(q.Err(), failed) || q.Drained() {
		t.Errorf("%v, %v, %v", ok, q.Err(), q.Drained())
	}
}

// TestRun runs inputs at once, and ends with the error of one, unless the job was stopped.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed := errors.New("not stored")
		run := func(width int, do func(ctx context.Context, stop func(), url string) error) (err error) {
			t.Helper()
			runner := &job.Runner{Works: map[string]job.Work{"batch": func(ctx context.Context, _ *job.Job, space job.Space) error {
				q, opened := inputs.Open(ctx, space, []string{"a", "b", "c"})
				if opened != nil {
					return opened
				}
				ctx, stop := context.WithCancel(ctx)
				defer stop()
				err = q.Run(ctx, width, func(ctx context.Context, url string, _ int) error { return do(ctx, stop, url) })
				return nil
			}}}
			if _, err := runner.Start(t.Context(), "batch", "us", nil); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if err := runner.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
			return err
		}
		all := make(chan string, 3)
		var both sync.WaitGroup
		both.Add(2)
		err := run(2, func(_ context.Context, _ func(), url string) error {
			all <- url
			if url != "c" { // a and b wait for each other
				both.Done()
				both.Wait()
			}
			return nil
		})
		if close(all); err != nil || len(all) != 3 {
			t.Errorf("%d inputs, %v, want 3", len(all), err)
		}
		calls := 0
		if err := run(1, func(context.Context, func(), string) error { calls++; return failed }); !errors.Is(err, failed) || calls != 1 {
			t.Errorf("%v after %d calls, want %v after 1", err, calls, failed)
		}
		if err := run(1, func(_ context.Context, stop func(), _ string) error { stop(); calls++; return failed }); err != nil || calls != 2 {
			t.Errorf("%v after %d calls, want no error after 2", err, calls)
		}
	})
}

// TestKeep stores pages and failures with their HTTP status, and counts those that the site
// did not give.
func TestKeep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runner := &job.Runner{Works: map[string]job.Work{"batch": func(ctx context.Context, _ *job.Job, space job.Space) error {
			q, err := inputs.Open(ctx, space, []string{"a"})
			for i, c := range []struct {
				kind   job.ItemKind
				status int
			}{{job.Result, 200}, {job.Result, 404}, {job.Result, 429}, {job.Result, 503}, {job.Failure, 503}, {job.Failure, 0}} {
				err = errors.Join(err, q.Keep(ctx, i+1, job.Item{Kind: c.kind, Data: []byte("{}")}, c.status))
			}
			return err
		}}}
		j, err := runner.Start(t.Context(), "batch", "us", nil)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		_, stats, err := runner.Get(t.Context(), "us", j.ID)
		if err != nil || stats.Items[job.Result] != 4 || stats.Items[job.Failure] != 2 || stats.Items[job.Event] != 2 {
			t.Errorf("%+v, %v", stats, err)
		}
		items, err := runner.Items(t.Context(), "us", j.ID, job.Result, 2, 1)
		if err != nil || len(items) != 1 || items[0].Input != 3 {
			t.Errorf("%+v, %v", items, err)
		}
		if err := runner.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
