// SPDX-License-Identifier: Apache-2.0

package viewing_test

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/internal/service/viewing"
	"example.com/curlew/job"
)

// openStore returns a store of files in memory.
func openStore(t *testing.T) *viewing.Store {
	s := &viewing.Store{
		Runner: &job.Runner{Store: new(job.Memory)},
		Ready:  func() error { return nil },
		Full:   func(err error) error { return err },
	}
	s.Runner.Works = map[string]job.Work{viewing.Kind: s.Work}
	t.Cleanup(func() {
		if err := s.Runner.Shutdown(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return s
}

// open opens the file of a URL that begins with "/files/".
func open(t *testing.T, s *viewing.Store, link string) (viewing.File, error) {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	id, place, _ := strings.Cut(strings.TrimPrefix(u.Path, "/files/"), "/")
	n, err := strconv.Atoi(place)
	if err != nil {
		t.Fatal(err)
	}
	return s.Open(t.Context(), id, n, u.Query().Get("sig"))
}

// TestStore keeps files of scrapes, and opens them by their URLs.
func TestStore(t *testing.T) {
	s := openStore(t)
	keep := s.Keep("/files/", "team", 0)
	urls, err := keep(t.Context(), []viewing.File{{"image/png", []byte("a")}, {"application/pdf", []byte("b")}})
	if err != nil || len(urls) != 2 {
		t.Fatal(urls, err)
	}
	for i, want := range []viewing.File{{"image/png", []byte("a")}, {"application/pdf", []byte("b")}} {
		if got, err := open(t, s, urls[i]); err != nil || got.Type != want.Type || string(got.Data) != string(want.Data) {
			t.Errorf("%s: %+v, %v", urls[i], got, err)
		}
	}
	for _, wrong := range []string{
		strings.Replace(urls[0], "/0?", "/1?", 1),  // the key is that of another file
		strings.Replace(urls[0], "/0?", "/2?", 1),  // there is no such file
		strings.Replace(urls[0], "/0?", "/-1?", 1), // nor such a place
		strings.Replace(urls[0], "/files/", "/files/0", 1),
	} {
		if got, err := open(t, s, wrong); !errors.Is(err, job.ErrNotFound) {
			t.Errorf("%s: %+v, %v", wrong, got, err)
		}
	}
	busy := errors.New("busy")
	s.Ready = func() error { return busy }
	if urls, err := keep(t.Context(), []viewing.File{{"image/png", nil}}); !errors.Is(err, busy) {
		t.Errorf("got %v, %v", urls, err)
	}
}

// TestStoreAgain stores the same files again, which have the same URLs for the same team until
// a tenth of their time is over.
func TestStoreAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openStore(t)
		a, b := viewing.File{"image/png", []byte("a")}, viewing.File{"image/png", []byte("b")}
		store := func(team string, files ...viewing.File) []string {
			t.Helper()
			urls, err := s.Keep("/files/", team, 10*time.Hour)(t.Context(), files)
			if err != nil || len(urls) != len(files) {
				t.Fatal(urls, err)
			}
			for i := range files {
				if got, err := open(t, s, urls[i]); err != nil || string(got.Data) != string(files[i].Data) {
					t.Fatalf("%s: %+v, %v", urls[i], got, err)
				}
			}
			return urls
		}
		first := store("team", a)[0]
		if again := store("team", b, a, b); again[1] != first || again[0] == first {
			t.Errorf("got %q, and %q at first", again, first)
		}
		if other := store("other", a)[0]; other == first {
			t.Error("two teams have the same URL")
		}
		id, _, _ := strings.Cut(strings.TrimPrefix(first, "/files/"), "/")
		if err := s.Runner.Store.Delete(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		second := store("team", a)[0]
		if second == first {
			t.Error("the URL is that of a deleted file")
		}
		time.Sleep(61 * time.Minute)
		if third := store("team", a)[0]; third == second {
			t.Error("the URL is that of a file which is deleted soon")
		}
	})
}

// TestStoreLost does the work of a job whose files were in another process.
func TestStoreLost(t *testing.T) {
	s := openStore(t)
	if err := s.Work(t.Context(), &job.Job{Spec: []byte(`"other"`)}, nil); err == nil {
		t.Error("a job without its files has completed")
	}
}

// TestStoreWaits gives up on a job that cannot store its files when its caller does.
func TestStoreWaits(t *testing.T) {
	s := openStore(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	over, end := errors.New("over"), make(chan struct{})
	defer close(end)
	s.Runner.Works[viewing.Kind] = func(context.Context, *job.Job, job.Space) error {
		cancel(over)
		<-end
		return nil
	}
	if urls, err := s.Keep("/files/", "team", 0)(ctx, []viewing.File{{"image/png", nil}}); !errors.Is(err, over) {
		t.Errorf("got %v, %v", urls, err)
	}
}

// TestStoreUnwanted checks that nothing is stored for a caller that no longer waits.
func TestStoreUnwanted(t *testing.T) {
	s := openStore(t)
	ctx, cancel := context.WithCancel(t.Context())
	worked := make(chan int, 1)
	var wait sync.WaitGroup
	s.Runner.Works[viewing.Kind] = func(wctx context.Context, j *job.Job, space job.Space) error {
		cancel()
		wait.Wait() // until Keep has returned
		err := s.Work(wctx, j, space)
		list, _ := space.Items(wctx, job.File, 0, 10)
		worked <- len(list)
		return err
	}
	wait.Add(1)
	_, err := s.Keep("/files/", "team", 0)(ctx, []viewing.File{{"image/png", []byte("a")}})
	wait.Done()
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if n := <-worked; n != 0 {
		t.Errorf("%d files were stored for a scrape that has failed", n)
	}
}

// TestKeepIn keeps files of pages that a job works on at the same time.
func TestKeepIn(t *testing.T) {
	s := openStore(t)
	all := map[string]string{} // URL by data
	s.Runner.Works["pages"] = func(ctx context.Context, j *job.Job, space job.Space) error {
		var mu sync.Mutex
		var wg sync.WaitGroup
		keep := viewing.KeepIn(space, j.ID, "/files/")
		for i := range 20 {
			wg.Go(func() {
				a, b := "a"+strconv.Itoa(i), "b"+strconv.Itoa(i)
				urls, err := keep(ctx, []viewing.File{{"image/png", []byte(a)}, {"image/png", []byte(b)}})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				all[a], all[b] = urls[0], urls[1]
			})
		}
		wg.Wait()
		return nil
	}
	j, err := s.Runner.Start(t.Context(), "pages", "team", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range s.Runner.Watch(t.Context(), "team", j.ID, 0) { // until the job has ended
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(all) != 40 {
		t.Errorf("%d files, want 40", len(all))
	}
	for want, link := range all {
		if got, err := open(t, s, link); err != nil || string(got.Data) != want {
			t.Errorf("%s: %q, %v, want %q", link, got.Data, err, want)
		}
	}
}
