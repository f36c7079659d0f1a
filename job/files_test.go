// SPDX-License-Identifier: Apache-2.0

package job_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/internal/test/journaltest"
	"example.com/curlew/job"
	"example.com/curlew/job/jobtest"
)

// openFiles opens a store in dir and closes it at the end of the test.
func openFiles(t testing.TB, dir string) *job.Files {
	t.Helper()
	f, err := job.OpenFiles(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return f
}

func TestFiles(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) job.Store{
		"disk": func(t *testing.T) job.Store { return openFiles(t, t.TempDir()) },
		"fake": func(t *testing.T) job.Store {
			f, err := job.OpenDisk(new(journaltest.FS))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Close() })
			return f
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // both wait for syncs most of the time
			jobtest.Check(t, open)
		})
	}
}

// TestReopen closes a store and opens it again, or opens it without closing, as
// after a killed process.
func TestReopen(t *testing.T) {
	t.Run("closed", func(t *testing.T) {
		jobtest.CheckReopen(t, func(t *testing.T) (job.Store, func(*testing.T) job.Store) {
			dir := t.TempDir()
			f := openFiles(t, dir)
			return f, func(t *testing.T) job.Store {
				if err := f.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
				f = openFiles(t, dir)
				return f
			}
		})
	})
	t.Run("killed", func(t *testing.T) {
		jobtest.CheckReopen(t, func(t *testing.T) (job.Store, func(*testing.T) job.Store) {
			disk := new(journaltest.FS)
			open := func(t *testing.T) job.Store {
				f, err := job.OpenDisk(disk)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { f.Close() })
				return f
			}
			return open(t), func(t *testing.T) job.Store {
				disk = disk.Clone() // the old store writes to a copy that is never read
				return open(t)
			}
		})
	})
}

// newJob creates a job in st and opens its space.
func newJob(t testing.TB, st job.Store, change func(*job.Job)) (*job.Job, job.Space) {
	t.Helper()
	j := &job.Job{ID: job.NewID(), Owner: "team", Kind: "w", Spec: []byte("spec"), State: job.Running, Created: time.Now()}
	if change != nil {
		change(j)
	}
	if err := st.Create(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	s, err := st.Space(t.Context(), j.ID)
	if err != nil {
		t.Fatal(err)
	}
	return j, s
}

// TestDirectory checks that only one store can use a directory, and that only
// its user can read it.
func TestDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "data")
	f := openFiles(t, dir)
	j, s := newJob(t, f, nil)
	if err := s.Append(t.Context(), job.Item{Data: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	if _, err := job.OpenFiles(dir, nil); !errors.Is(err, job.ErrLocked) {
		t.Errorf("a second store: %v, want ErrLocked", err)
	}
	if err := s.End(t.Context(), job.Completed, ""); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	// Other names in the directory are ignored.
	for _, name := range []string{"jobs/stray", "jobs/" + strings.ToUpper(job.NewID())} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"Create": f.Create(t.Context(), j),
		"Load":   second(f.Load(t.Context(), "team", j.ID)),
		"List":   second(f.List(t.Context(), "team", job.Filter{})),
		"Space":  second(f.Space(t.Context(), j.ID)),
		"Resume": second(f.Unfinished(t.Context())),
		"Delete": f.Delete(t.Context(), j.ID),
		"Items":  second(s.Items(t.Context(), job.Result, 0, 1)),
		"Stats":  second(s.Stats(t.Context())),
		"Append": s.Append(t.Context(), job.Item{}),
	} {
		if !errors.Is(err, job.ErrClosed) {
			t.Errorf("%s of a closed store: %v, want ErrClosed", what, err)
		}
	}
	f = openFiles(t, dir)
	if _, err := f.Load(t.Context(), "team", j.ID); err != nil {
		t.Error(err)
	}
	if _, err := job.OpenFiles(filepath.Join(dir, "lock"), nil); err == nil {
		t.Error("a file was opened as a directory")
	}
}

func second[T any](_ T, err error) error { return err }

// TestFilesExpiry checks that an expired job leaves nothing on the disk.
func TestFilesExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := new(journaltest.FS)
		f := openDisk(t, d)
		defer f.Close()
		canary := []byte("canary in the page")
		_, s := newJob(t, f, func(j *job.Job) { j.Keep = time.Hour })
		if err := s.Append(t.Context(), job.Item{Data: canary}); err != nil {
			t.Fatal(err)
		}
		if err := s.End(t.Context(), job.Completed, ""); err != nil {
			t.Fatal(err)
		}
		closed := d.Clone() // its process ends here
		time.Sleep(time.Hour - time.Second)
		if _, err := s.Items(t.Context(), job.Result, 0, 1); err != nil || !d.Contains(canary) {
			t.Errorf("a second before its expiry: %v", err)
		}
		time.Sleep(2 * time.Second)
		if _, err := s.Items(t.Context(), job.Result, 0, 1); !errors.Is(err, job.ErrNotFound) || d.Contains(canary) {
			t.Errorf("an expired job: %v, and its page is on the disk: %v", err, d.Contains(canary))
		}
		late, err := job.OpenDisk(closed)
		if err != nil {
			t.Fatal(err)
		}
		defer late.Close()
		if closed.Contains(canary) {
			t.Error("what expired while the store was closed is on the disk")
		}
	})
}

// TestVolatile checks that nothing of a volatile job reaches the disk, unlike
// that of another job.
func TestVolatile(t *testing.T) {
	const canary = "canary"
	for _, volatile := range []bool{true, false} {
		d := new(journaltest.FS)
		f := openDisk(t, d)
		site := &deepSite{}
		work := crawlWork(site, 4)
		r := runner(t, func(ctx context.Context, j *job.Job, s job.Space) error {
			for _, kind := range []job.ItemKind{job.Result, job.Failure, job.Blocked, job.Note, job.Input} {
				if err := s.Append(ctx, job.Item{Kind: kind, Data: []byte(canary)}); err != nil {
					return err
				}
			}
			if err := work(ctx, j, limited{s, 20}); err != nil {
				return err
			}
			return errors.New("why: " + canary)
		})
		r.Store = f
		start := r.Start
		if volatile {
			start = func(ctx context.Context, kind, owner string, spec []byte) (*job.Job, error) {
				return r.Begin(ctx, job.Job{Kind: kind, Owner: owner, Spec: spec, Volatile: true})
			}
		}
		j, err := start(t.Context(), "w", "team-"+canary, []byte("http://"+canary+".example/"))
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range r.Watch(t.Context(), j.Owner, j.ID, 0) {
			if err != nil {
				t.Fatal(err)
			}
		}
		if got, stats, err := r.Get(t.Context(), j.Owner, j.ID); err != nil || got.State != job.Failed || got.Volatile != volatile || stats.Items[job.Result] != 21 {
			t.Errorf("%+v, %+v, %v", got, stats, err)
		}
		if got := d.Contains([]byte(canary)); got == volatile {
			t.Errorf("volatile %v: on the disk: %v", volatile, got)
		}
		if got := d.Contains([]byte(j.ID)); got == volatile {
			t.Errorf("volatile %v: its id on the disk: %v", volatile, got)
		}
		next := openDisk(t, d.Clone())
		if _, err := next.Load(t.Context(), j.Owner, j.ID); errors.Is(err, job.ErrNotFound) != volatile {
			t.Errorf("volatile %v: after a restart: %v", volatile, err)
		}
	}
}

// TestShown checks that readers see only what has been synced: a commit is
// visible after its sync, and only Stats waits for the sync.
func TestShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := new(journaltest.FS)
		f := openDisk(t, d)
		defer f.Close()
		_, s := newJob(t, f, nil)
		front, err := s.Frontier(t.Context(), frontier.Options{URL: "http://a.example/", NoSitemaps: true})
		if err != nil {
			t.Fatal(err)
		}
		defer front.Close()
		time.Sleep(time.Second) // everything is synced
		commit := func() {
			for {
				leases, err := front.Lease(t.Context(), 1)
				if err != nil {
					t.Fatal(err)
				}
				c := page(leases[0], 2*int(leases[0].Seq)+1, 2)
				c.Payload = []byte("page")
				if err := front.Commit(t.Context(), c); err != nil {
					t.Fatal(err)
				}
				if c.Outcome == frontier.Delivered {
					return
				}
			}
		}
		shown := func() int {
			items, err := s.Items(t.Context(), job.Result, 0, job.Unlimited)
			if err != nil {
				t.Fatal(err)
			}
			return len(items)
		}
		changed := s.(job.Notifier).Changed()
		commit()
		begin := time.Now()
		if n := shown(); n != 0 || time.Since(begin) != 0 {
			t.Errorf("%d results shown before their sync, after %v", n, time.Since(begin))
		}
		<-changed
		if took := time.Since(begin); took != 50*time.Millisecond || shown() != 1 {
			t.Errorf("told after %v with %d results, want 50ms and 1", took, shown())
		}
		commit()
		begin = time.Now()
		stats, err := s.Stats(t.Context())
		if took := time.Since(begin); err != nil || took != 2*time.Millisecond || stats.Items[job.Result] != 2 || shown() != 2 {
			t.Errorf("Stats took %v: %+v, %v; %d shown; want 2ms and 2 results", took, stats, err, shown())
		}
	})
}

// TestExpiryOnDisk follows a job with real files until just after its expiry.
// It must then be unknown, and its directory removed.
func TestExpiryOnDisk(t *testing.T) {
	dir := t.TempDir()
	seen := make(chan struct{})
	r := runner(t, func(ctx context.Context, _ *job.Job, s job.Space) error {
		<-seen
		return put(ctx, s, "page")
	})
	r.Store, r.Keep = openFiles(t, dir), 100*time.Millisecond
	j, err := r.Start(t.Context(), "w", "team", nil)
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, "jobs", j.ID)
	if _, err := os.Stat(own); err != nil {
		t.Error(err)
	}
	close(seen)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for there := true; there; <-tick.C {
		_, _, err := r.Get(t.Context(), "team", j.ID)
		_, statErr := os.Stat(own)
		there = err == nil || statErr == nil
		if err != nil && !errors.Is(err, job.ErrNotFound) {
			t.Fatal(err)
		}
	}
	if _, err := r.Items(t.Context(), "team", j.ID, job.Result, 0, 1); !errors.Is(err, job.ErrNotFound) {
		t.Errorf("Items of an expired job: %v, want ErrNotFound", err)
	}
}

// TestNote checks that the note of a job's end only repeats the log.
func TestNote(t *testing.T) {
	for what, note := range map[string]func(b []byte) []byte{
		"damaged": func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		"empty":   func([]byte) []byte { return nil },
		"torn":    func(b []byte) []byte { return b[:len(b)/2] },
	} {
		d := new(journaltest.FS)
		f, err := job.OpenDisk(d)
		if err != nil {
			t.Fatal(err)
		}
		j, s := newJob(t, f, nil)
		if err := s.Append(t.Context(), job.Item{Data: []byte("x"), Cost: 3}); err != nil {
			t.Fatal(err)
		}
		if err := s.End(t.Context(), job.Failed, "why"); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		name := "jobs/" + j.ID + "/end"
		good := d.Bytes(name)
		d.Set(name, note(bytes.Clone(good)))
		f = openDisk(t, d)
		got, err := f.Load(t.Context(), "team", j.ID)
		if err != nil || got.State != job.Failed || got.Err != "why" {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
		if s, err = f.Space(t.Context(), j.ID); err != nil {
			t.Fatal(err)
		}
		if stats, err := s.Stats(t.Context()); err != nil || stats.Cost != 3 {
			t.Errorf("%s: %+v, %v", what, stats, err)
		}
		if items, err := s.Items(t.Context(), job.Result, 0, 1); err != nil || len(items) != 1 {
			t.Errorf("%s: %v, %v", what, items, err)
		}
		if !bytes.Equal(d.Bytes(name), good) {
			t.Errorf("%s: the note was not written anew", what)
		}
	}
}

// TestUnfinishedCreate checks that an unfinished creation, which no caller
// knows of, is removed.
func TestUnfinishedCreate(t *testing.T) {
	d := new(journaltest.FS)
	f, err := job.OpenDisk(d)
	if err != nil {
		t.Fatal(err)
	}
	j, _ := newJob(t, f, nil)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	name := "jobs/" + j.ID + "/log"
	whole := d.Bytes(name)
	mark := bytes.Index(whole, []byte("spec")) + len("spec")
	if err := d.RemoveAll("jobs/" + j.ID + "/born"); err != nil { // written after everything that may be missing here
		t.Fatal(err)
	}
	for cut := range mark + 1 {
		d := d.Clone()
		d.Set(name, whole[:cut])
		f := openDisk(t, d)
		_, err := f.Load(t.Context(), "team", j.ID)
		if there := err == nil; there != (cut == mark) || there != (d.Bytes(name) != nil) {
			t.Errorf("a log of %d bytes: %v, and it is on the disk: %v", cut, err, d.Bytes(name) != nil)
		}
		f.Close()
	}
}

func FuzzFrame(f *testing.F) {
	for _, head := range job.Heads() {
		f.Add(head, []byte("payload"))
	}
	f.Fuzz(func(t *testing.T, head, blob []byte) {
		for _, it := range job.Decode(head, blob) {
			if len(it.Data) > len(head)+len(blob) || it.Kind > job.Robots || it.Input < 0 {
				t.Errorf("item %+v", it)
			}
		}
		if alone, whole, okAlone, okWhole := job.CrawlHeads(head); okAlone != okWhole || !bytes.Equal(alone, whole) {
			t.Errorf("crawl's head is %x, %t; with the items it is %x, %t", alone, okAlone, whole, okWhole)
		}
	})
}

// TestRemovedDirectory checks that a store says that its directory is gone, before somebody
// starts a job, and that an empty path is named as the mistake.
func TestRemovedDirectory(t *testing.T) {
	dir := t.TempDir()
	f := openFiles(t, dir)
	if err := f.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Skipf("an open directory cannot be removed on this system: %v", err)
	}
	r := job.Runner{Store: f}
	if err := r.Ready(t.Context()); !errors.Is(err, job.ErrStorage) {
		t.Errorf("after the directory was removed: %v", err)
	}
	if _, err := job.OpenFiles("", nil); err == nil || !strings.Contains(err.Error(), "the path of the directory is empty") {
		t.Errorf("an empty path: %v", err)
	}
}

// TestRemovedJob removes the directory of the store while a job runs. The job fails, because
// nobody could read it after a restart, although the open file still accepts writes.
func TestRemovedJob(t *testing.T) {
	dir := t.TempDir()
	f, err := job.OpenFiles(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // it says that the file was removed
	stored, gone := make(chan bool), make(chan bool)
	r := job.Runner{Store: f, Works: map[string]job.Work{"batch": func(ctx context.Context, _ *job.Job, s job.Space) error {
		if err := s.Append(ctx, job.Item{Kind: job.Result, Data: []byte("first")}); err != nil {
			return err
		}
		close(stored)
		<-gone
		return nil
	}}}
	j, err := r.Start(t.Context(), "batch", "team", nil)
	if err != nil {
		t.Fatal(err)
	}
	<-stored
	err = os.RemoveAll(dir)
	close(gone)
	if err != nil {
		t.Skipf("an open directory cannot be removed on this system: %v", err)
	}
	for range r.Watch(t.Context(), "team", j.ID, 0) { // ends with the job
		continue
	}
	j, _, err = r.Get(t.Context(), "team", j.ID)
	if err != nil {
		t.Fatal(err)
	}
	if j.State != job.Failed || !strings.Contains(j.Err, "files were removed") {
		t.Errorf("%s: %q", j.State, j.Err)
	}
}

// TestDir expects the directory, whose free space limits new jobs, with all options.
func TestDir(t *testing.T) {
	for name, o := range map[string]*job.FileOptions{"none": nil, "logger": {Logger: slog.New(slog.DiscardHandler)}, "room": {Room: func() {}}} {
		dir := t.TempDir()
		f, err := job.OpenFiles(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Dir(); got != dir {
			t.Errorf("%s: directory %q, want %q", name, got, dir)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
