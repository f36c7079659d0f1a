// SPDX-License-Identifier: Apache-2.0

package job_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/internal/test/journaltest"
	"example.com/curlew/job"
)

// crashing is a job in a process that crashes repeatedly.
type crashing struct {
	t    *testing.T
	disk *journaltest.FS
	id   string
	job.Space
	files *job.Files
}

func newCrashing(t *testing.T) *crashing {
	c := &crashing{t: t, disk: new(journaltest.FS)}
	c.files = openDisk(t, c.disk)
	j, s := newJob(t, c.files, nil)
	c.id, c.Space = j.ID, s
	return c
}

// crash opens what the crashed process has left.
func (c *crashing) crash() {
	c.t.Helper()
	c.disk = c.disk.Clone()
	c.files = openDisk(c.t, c.disk)
	s, err := c.files.Space(c.t.Context(), c.id)
	if err != nil {
		c.t.Fatal(err)
	}
	c.Space = s
}

func (c *crashing) try(key uint64, want error) func() {
	c.t.Helper()
	done, err := job.Attempt(c.t.Context(), c, key)
	if !errors.Is(err, want) || (err == nil) != (want == nil) {
		c.t.Errorf("attempt of %d: %v, want %v", key, err, want)
	}
	return done
}

// Begin and Attempt are those of the space.
func (c *crashing) Begin() (func(), error) { return c.Space.(job.Attempter).Begin() }

func (c *crashing) Attempt(ctx context.Context, key uint64) (func(), error) {
	return c.Space.(job.Attempter).Attempt(ctx, key)
}

func (c *crashing) commit(input int) {
	c.t.Helper()
	if err := c.Append(c.t.Context(), job.Item{Data: []byte("x"), Input: input}); err != nil {
		c.t.Error(err)
	}
}

func TestAttempt(t *testing.T) {
	run := func(name string, part func(*testing.T)) {
		t.Run(name, func(t *testing.T) { synctest.Test(t, part) })
	}
	run("alone", func(t *testing.T) { // two crashes without a commit
		c := newCrashing(t)
		c.commit(1)
		c.try(2, nil)
		c.crash()
		c.try(2, nil)
		c.crash()
		c.try(2, job.ErrCrashed)
		c.crash() // its state remains, even if the process ends normally
		if err := c.files.Close(); err != nil {
			t.Error(err)
		}
		c.crash()
		c.try(2, job.ErrCrashed)
		c.commit(2)
		c.try(3, nil)()
	})
	run("in company", func(t *testing.T) { // four suspects are tried one by one after a commit
		c := newCrashing(t)
		for key := range uint64(5) {
			c.try(key+1, nil)
		}
		c.crash()
		begun := time.Now()
		c.try(9, nil)
		if time.Since(begun) != 0 {
			t.Error("what is not suspect waits")
		}
		c.commit(9)
		c.try(1, nil)
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		if _, err := job.Attempt(ctx, c, 2); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a second suspect beside the first: %v", err)
		}
		stop()
		c.commit(1)
		c.try(2, nil)
		c.crash()
		c.commit(10)
		c.try(3, nil)
		c.commit(3)
		c.try(2, nil)
		c.crash()
		c.commit(11)
		c.try(2, nil)
		c.crash()
		c.try(2, job.ErrCrashed)
		c.try(4, nil)()
		c.try(5, nil)()
	})
	run("ended", func(t *testing.T) { // an item that has ended is not a suspect
		c := newCrashing(t)
		for range 5 {
			c.try(1, nil)()
			c.try(2, nil)
			c.commit(2)
			c.crash()
		}
		begun := time.Now()
		c.try(1, nil)
		c.try(2, nil)
		if time.Since(begun) != 0 {
			t.Error("it is suspect")
		}
	})
	run("in order", func(t *testing.T) { // an item that was stopped is not a suspect either
		c := newCrashing(t)
		for range 5 {
			c.try(1, nil)
			if err := c.files.Close(); err != nil {
				t.Error(err)
			}
			c.crash()
		}
		if c.disk.Bytes("jobs/"+c.id+"/tries") != nil {
			t.Error("the notes are left")
		}
	})
	for most, before := range map[int]int{2: 0, 5: 2} { // crashes allowed for a job that has never begun, and for one that has begun twice
		run(fmt.Sprintf("before the first item, begun %d times", before), func(t *testing.T) {
			c := newCrashing(t)
			for range before {
				begun, err := c.Begin()
				if err != nil {
					t.Fatal(err)
				}
				begun()
				c.crash()
			}
			for range most {
				if _, err := c.Begin(); err != nil {
					t.Fatal(err)
				}
				c.crash()
			}
			if _, err := c.Begin(); !errors.Is(err, job.ErrCrashed) {
				t.Errorf("after %d crashes: %v", most, err)
			}
		})
	}
	run("damaged", func(t *testing.T) {
		c := newCrashing(t)
		c.try(1, nil)
		c.try(2, nil)
		name := "jobs/" + c.id + "/tries"
		whole := c.disk.Bytes(name)
		for i := range whole {
			d := c.disk.Clone()
			b := append([]byte(nil), whole...)
			b[i] ^= 0x10
			d.Set(name, b[:len(b)-i%5])
			f := openDisk(t, d)
			s, err := f.Space(t.Context(), c.id)
			if err != nil {
				t.Fatal(err)
			}
			if done, err := job.Attempt(t.Context(), s, 1); err != nil {
				t.Error(err)
			} else {
				done()
			}
		}
	})
}

// BenchmarkAttempt measures the cost of recording an attempt for a page: two
// writes of 16 bytes.
func BenchmarkAttempt(b *testing.B) {
	f := openFiles(b, b.TempDir())
	_, s := newJob(b, f, nil)
	b.ReportAllocs()
	for n := uint64(1); b.Loop(); n++ {
		done, err := job.Attempt(b.Context(), s, n)
		if err != nil {
			b.Fatal(err)
		}
		done()
	}
}
