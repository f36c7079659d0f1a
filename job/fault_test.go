// SPDX-License-Identifier: Apache-2.0

package job_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/internal/test/journaltest"
	"example.com/curlew/job"
)

// openDisk opens a store on a disk in memory.
func openDisk(t testing.TB, d *journaltest.FS) *job.Files {
	t.Helper()
	f, err := job.OpenDisk(d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// promise is what a store has promised about one job.
type promise struct {
	job     *job.Job
	created bool
	items   []string // results whose Append has returned, or that were shown
	maybe   int      // results whose Append or Commit has failed, or may not be durable
	ended   job.State
	tried   job.State // state of an End that failed
	deleted bool
	unsure  bool // a Delete has failed
}

// life uses a store as a process does, until something fails: two jobs, one of
// them a crawl. It records what the store has promised.
func life(t *testing.T, d *journaltest.FS) (list []*promise, failures []error) {
	fail := func(err error) bool {
		if err != nil {
			failures = append(failures, err)
		}
		return err != nil
	}
	files, err := job.OpenDisk(d)
	if fail(err) {
		return nil, failures
	}
	defer func() { fail(files.Close()) }()
	for n := range 3 {
		p := &promise{job: &job.Job{ID: job.NewID(), Owner: "team", Kind: "crawl", Spec: []byte("spec"), State: job.Running, Created: time.Now()}}
		list = append(list, p)
		if fail(files.Create(t.Context(), p.job)) {
			continue
		}
		p.created = true
		s, err := files.Space(t.Context(), p.job.ID)
		if fail(err) {
			continue
		}
		if n == 1 {
			err = p.crawl(t, s)
		} else {
			err = p.append(t, s)
		}
		broken := fail(err)
		if _, err := s.Stats(t.Context()); err != nil {
			t.Errorf("Stats after %v: %v", failures, err)
		}
		shown, err := s.Items(t.Context(), job.Result, 0, job.Unlimited)
		if err != nil {
			t.Errorf("Items after %v: %v", failures, err)
		}
		p.show(shown)
		state := []job.State{job.Completed, job.Cancelled, job.Failed}[n]
		switch err := s.End(t.Context(), state, "why"); {
		case fail(err):
			p.tried = state
		case broken && !errors.Is(failures[len(failures)-1], job.ErrFull):
			t.Errorf("End succeeds after %v", failures)
		default:
			p.ended = state
		}
		if n == 2 {
			p.unsure = fail(files.Delete(t.Context(), p.job.ID))
			p.deleted = !p.unsure
		}
	}
	return list, failures
}

// show records items that were shown, which are therefore durable.
func (p *promise) show(items []job.Item) {
	for i, it := range items {
		if i < len(p.items) {
			continue
		}
		p.items = append(p.items, string(it.Data))
		p.maybe--
	}
}

func (p *promise) append(t *testing.T, s job.Space) error {
	for i := range 4 {
		data := fmt.Sprint("result ", i)
		if err := s.Append(t.Context(), job.Item{Data: []byte(data), Input: i + 1}, job.Item{Kind: job.Note}); err != nil {
			p.maybe++
			return err
		}
		p.items = append(p.items, data)
	}
	return nil
}

func (p *promise) crawl(t *testing.T, s job.Space) error {
	f, err := s.Frontier(t.Context(), frontier.Options{URL: "http://a.example/", NoSitemaps: true})
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		leases, err := f.Lease(t.Context(), 2)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, l := range leases {
			c := page(l, 2*int(l.Seq)+1, 2)
			if l.Seq > 2 {
				c.Targets = nil
			}
			c.Payload = fmt.Append(nil, "result of ", l.URL)
			err := f.Commit(t.Context(), c)
			if l.Task == frontier.PageTask {
				p.maybe++
			}
			if err != nil {
				return err
			}
		}
	}
}

// keeps opens the contents of a disk and compares them with the promises.
func (p *promise) keeps(t *testing.T, files *job.Files, what string) {
	t.Helper()
	j, err := files.Load(t.Context(), "team", p.job.ID)
	if err != nil {
		if p.created && !p.unsure && !p.deleted {
			t.Errorf("%s: the job is gone: %v", what, err)
		}
		return
	}
	switch {
	case p.deleted:
		t.Errorf("%s: a deleted job is back", what)
	case p.ended != "" && j.State != p.ended, p.ended == "" && j.State.Final() && j.State != p.tried:
		t.Errorf("%s: the job is %s, it ended %q, or tried to %q", what, j.State, p.ended, p.tried)
	}
	s, err := files.Space(t.Context(), p.job.ID)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	items, err := s.Items(t.Context(), job.Result, 0, job.Unlimited)
	if err != nil {
		t.Errorf("%s: Items: %v", what, err)
	}
	var got []string
	for _, it := range items {
		if it.Err != nil || !strings.HasPrefix(string(it.Data), "result ") {
			t.Errorf("%s: a wrong document: %q, %v", what, it.Data, it.Err)
		}
		got = append(got, string(it.Data))
	}
	if len(got) < len(p.items) || !slices.Equal(got[:len(p.items)], p.items) || len(got) > len(p.items)+p.maybe {
		t.Errorf("%s: results %q; were promised %q, and %d more possible", what, got, p.items, p.maybe)
	}
	if sorted := slices.Sorted(slices.Values(got)); len(slices.Compact(sorted)) != len(got) {
		t.Errorf("%s: results come twice: %q", what, got)
	}
	stats, err := s.Stats(t.Context())
	if err != nil || stats.Items[job.Result] != len(got) {
		t.Errorf("%s: Stats %+v, %v; want %d results", what, stats, err, len(got))
	}
}

// TestFault fails every write, sync, creation and removal in turn. No failure
// may be reported as success, and every reported success must survive a power
// failure. A job whose disk failed must continue in the next process.
func TestFault(t *testing.T) {
	synctest.Test(t, checkFaults)
}

func checkFaults(t *testing.T) {
	for _, fault := range []error{syscall.EIO, syscall.ENOSPC, syscall.EFBIG} {
		for k := 0; ; k++ {
			var d journaltest.FS
			var mu sync.Mutex
			calls, failed := 0, ""
			d.Fail = func(op string) error {
				mu.Lock()
				defer mu.Unlock()
				if calls++; calls-1 == k {
					failed = op
					return fmt.Errorf("%s: %w", op, fault)
				}
				return nil
			}
			list, failures := life(t, &d)
			what := fmt.Sprintf("%v of call %d, a %s", fault, k, failed)
			if failed == "" {
				if k < 30 || len(failures) > 0 {
					t.Errorf("%d calls could fail, and without one these did: %v", k, failures)
				}
				break
			}
			for _, err := range failures {
				full := !errors.Is(fault, syscall.EIO)
				if !errors.Is(err, fault) || errors.Is(err, job.ErrFull) != full || errors.Is(err, job.ErrStorage) == full {
					t.Errorf("%s: error %v", what, err)
				}
			}
			d.Fail = nil
			killed := d.Clone() // the process dies, but not the machine
			for _, p := range list {
				p.keeps(t, openDisk(t, killed.Clone()), what+", after a kill")
			}
			for seed := range uint64(3) {
				cut := d.Clone()
				cut.Cut(rand.New(rand.NewPCG(seed, uint64(k))))
				files := openDisk(t, cut)
				for _, p := range list {
					p.keeps(t, files, fmt.Sprintf("%s, after power cut %d", what, seed))
				}
			}
		}
	}
}

// TestReadOnly makes the file system read-only while a job runs. The store is not ready from
// the first failed write on, until it can write again.
func TestReadOnly(t *testing.T) {
	for _, first := range []string{"append", "create"} {
		var d journaltest.FS
		f, err := job.OpenDisk(&d)
		if err != nil {
			t.Fatal(err)
		}
		_, s := newJob(t, f, nil)
		var mu sync.Mutex
		readOnly := true
		d.Fail = func(string) error {
			mu.Lock()
			defer mu.Unlock()
			if readOnly {
				return syscall.EROFS
			}
			return nil
		}
		if first == "append" {
			err = s.Append(t.Context(), job.Item{Data: []byte("x")})
		} else {
			err = f.Create(t.Context(), &job.Job{ID: job.NewID(), Kind: "crawl", Owner: "team", Keep: time.Hour, Created: time.Now(), State: job.Running})
		}
		if !errors.Is(err, job.ErrStorage) || !errors.Is(err, syscall.EROFS) {
			t.Errorf("%s: %v", first, err)
		}
		for range 2 {
			if err := f.Ready(t.Context()); !errors.Is(err, job.ErrStorage) {
				t.Errorf("%s: ready on a read-only disk: %v", first, err)
			}
		}
		mu.Lock()
		readOnly = false
		mu.Unlock()
		if err := f.Ready(t.Context()); err != nil {
			t.Errorf("%s: not ready on a disk that can be written: %v", first, err)
		}
		_ = f.Close() // the job's log stays broken
	}
}

// TestPowerCut cuts the power at random moments while a store is in use.
func TestPowerCut(t *testing.T) {
	synctest.Test(t, checkPowerCuts)
}

func checkPowerCuts(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 7))
		var d journaltest.FS
		stop, most := errors.New("off"), r.IntN(90)
		var mu sync.Mutex
		var cut *journaltest.FS
		d.Fail = func(string) error {
			mu.Lock()
			defer mu.Unlock()
			if most--; most < 0 {
				if cut == nil {
					cut = d.Clone() // nothing reaches the disk after this
				}
				return stop
			}
			return nil
		}
		list, _ := life(t, &d)
		if cut == nil {
			cut = d.Clone()
		}
		for again := range uint64(2) { // cut the power a second time while the store is being opened
			cut.Cut(rand.New(rand.NewPCG(seed, again)))
			files := openDisk(t, cut.Clone())
			for _, p := range list {
				p.keeps(t, files, fmt.Sprintf("seed %d, cut %d", seed, again))
			}
		}
	}
}

// TestFull uses a disk that becomes full and is freed during three crawls. They
// must wait, report it, and complete without losing or repeating a page.
// Meanwhile no job can be created, and a failed creation leaves nothing behind.
func TestFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d journaltest.FS
		var full atomic.Bool
		d.Fail = func(string) error {
			if full.Load() {
				return syscall.ENOSPC
			}
			return nil
		}
		freed := 0
		files, err := job.OpenDiskWith(&d, job.FileOptions{Room: func() { freed++ }})
		if err != nil {
			t.Fatal(err)
		}
		defer files.Close()
		site := &deepSite{latency: 10 * time.Millisecond}
		work := crawlWork(site, 4)
		r := runner(t, func(ctx context.Context, j *job.Job, s job.Space) error { return work(ctx, j, limited{s, 3000}) })
		r.Store = files
		var jobs []*job.Job
		for range 3 {
			j, err := r.Start(t.Context(), "w", "team", []byte("http://a.example/"))
			if err != nil {
				t.Fatal(err)
			}
			jobs = append(jobs, j)
		}
		for range 3 {
			time.Sleep(130 * time.Millisecond)
			full.Store(true)
			time.Sleep(time.Minute)
			for _, j := range jobs {
				got, stats, err := r.Get(t.Context(), "team", j.ID)
				if err != nil || got.State != job.Running || !stats.Waiting || stats.Items[job.Result] == 0 {
					t.Errorf("on a full disk: %+v, %+v, %v", got, stats, err)
				}
				if n := len(results(t, r, j, job.Result)); n != stats.Items[job.Result] {
					t.Errorf("on a full disk: %d results, counted %d", n, stats.Items[job.Result])
				}
			}
			if _, err := r.Start(t.Context(), "w", "team", nil); !errors.Is(err, job.ErrFull) {
				t.Errorf("Start on a full disk: %v, want ErrFull", err)
			}
			if err := r.Ready(t.Context()); !errors.Is(err, job.ErrFull) {
				t.Errorf("Ready on a full disk: %v, want ErrFull", err)
			}
			full.Store(false)
			time.Sleep(1100 * time.Millisecond)
			if err := r.Ready(t.Context()); err != nil {
				t.Errorf("Ready after it: %v", err)
			}
		}
		if freed < 3*55 || freed > 3*70 {
			t.Errorf("room was asked for %d times in three minutes", freed)
		}
		for _, j := range jobs {
			var got []string
			for it, err := range r.Watch(t.Context(), "team", j.ID, 0) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, string(it.Data))
			}
			if s := state(t, r, j); s != "completed" {
				t.Errorf("%s", s)
			}
			if slices.Sort(got); len(got) != 3000 || len(slices.Compact(got)) != 3000 {
				t.Errorf("%d results", len(got))
			}
		}
		if all, err := r.List(t.Context(), "team", job.Filter{}); err != nil || len(all) != 3 {
			t.Errorf("%d jobs, %v; want none of the refused ones", len(all), err)
		}
	})
}

// TestFullShutdown checks that a store can be shut down while its disk is full,
// and that its job continues in the next process.
func TestFullShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d journaltest.FS
		var full atomic.Bool
		d.Fail = func(string) error {
			if full.Load() {
				return syscall.ENOSPC
			}
			return nil
		}
		site := &deepSite{latency: 10 * time.Millisecond}
		work := crawlWork(site, 4)
		r := runner(t, func(ctx context.Context, j *job.Job, s job.Space) error { return work(ctx, j, limited{s, 100}) })
		files := openDisk(t, &d)
		r.Store = files
		j, err := r.Start(t.Context(), "w", "team", []byte("http://a.example/"))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
		full.Store(true)
		time.Sleep(time.Minute)
		begun := time.Now()
		if err := r.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if err := files.Close(); !errors.Is(err, job.ErrFull) {
			t.Errorf("Close: %v, want ErrFull", err)
		}
		if took := time.Since(begun); took > time.Second {
			t.Errorf("it took %v", took)
		}
		full.Store(false)
		next := runner(t, r.Works["w"])
		next.Store = openDisk(t, d.Clone())
		if err := next.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for it, err := range next.Watch(t.Context(), "team", j.ID, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if seen[string(it.Data)] {
				t.Errorf("%s comes twice", it.Data)
			}
			seen[string(it.Data)] = true
		}
		if s := state(t, next, j); s != "completed" || len(seen) != 100 {
			t.Errorf("%s with %d results", s, len(seen))
		}
	})
}

// TestLargestFile checks that a job whose file may not grow waits as on a full disk, until the
// limit is raised, and that other jobs can be started meanwhile.
func TestLargestFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d journaltest.FS
		var most atomic.Bool
		d.Fail = func(op string) error {
			if most.Load() && op == "write" {
				return syscall.EFBIG
			}
			return nil
		}
		site := &deepSite{latency: 10 * time.Millisecond}
		work := crawlWork(site, 4)
		r := runner(t, func(ctx context.Context, j *job.Job, s job.Space) error { return work(ctx, j, limited{s, 100}) })
		r.Store = openDisk(t, &d)
		j, err := r.Start(t.Context(), "w", "team", []byte("http://a.example/"))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
		most.Store(true)
		time.Sleep(time.Minute)
		if got, stats, err := r.Get(t.Context(), "team", j.ID); err != nil || got.State != job.Running || !stats.Waiting {
			t.Errorf("%+v, %+v, %v: want a job that waits", got, stats, err)
		}
		if err := r.Ready(t.Context()); err != nil {
			t.Errorf("Ready: %v", err)
		}
		most.Store(false)
		time.Sleep(time.Minute)
		if s, n := state(t, r, j), len(results(t, r, j, job.Result)); s != "completed" || n != 100 {
			t.Errorf("%s with %d results", s, n)
		}
	})
}

// TestFullCancel cancels a job on a full disk. Its caller is told, and the job is cancelled
// when there is room, or goes on in the next process.
func TestFullCancel(t *testing.T) {
	for _, shutdown := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var d journaltest.FS
			var full atomic.Bool
			d.Fail = func(string) error {
				if full.Load() {
					return syscall.ENOSPC
				}
				return nil
			}
			r := runner(t, crawlWork(&deepSite{latency: 10 * time.Millisecond}, 4))
			r.Store = openDisk(t, &d)
			j, err := r.Start(t.Context(), "w", "team", []byte("http://a.example/"))
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond)
			full.Store(true)
			time.Sleep(time.Minute)
			begun := time.Now()
			if err := r.Cancel(t.Context(), "team", j.ID); !errors.Is(err, job.ErrFull) || time.Since(begun) > 15*time.Second {
				t.Errorf("Cancel: %v after %v, want ErrFull", err, time.Since(begun))
			}
			want := job.Cancelled
			if shutdown {
				begun = time.Now()
				if err := r.Shutdown(t.Context()); err != nil || time.Since(begun) > time.Second {
					t.Errorf("Shutdown: %v after %v", err, time.Since(begun))
				}
				want = job.Running
			}
			full.Store(false)
			time.Sleep(5 * time.Second)
			got, err := r.Store.Load(t.Context(), "team", j.ID)
			if err != nil || got.State != want {
				t.Errorf("%+v, %v: want a job that is %s", got, err, want)
			}
		})
	}
}
