// SPDX-License-Identifier: Apache-2.0

package curlew_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/job"
)

// repeatable returns a request for a batch with an idempotency key.
func repeatable(team, key string) *curlew.BatchRequest {
	r := &curlew.BatchRequest{URLs: []string{"http://site.test/"}}
	r.Caller.Team.ID = team
	r.Idempotency = curlew.Idempotency{Key: key, Fingerprint: [32]byte{1}, Answer: json.RawMessage(`{"key":"` + key + `"}`)}
	return r
}

// TestIdempotency starts each kind of job twice, in one process and in a later
// one. There must be one job for each team, kind and key.
func TestIdempotency(t *testing.T) {
	dir := t.TempDir()
	url := "http://site.test/"
	starts := map[string]func(s *curlew.Service, start curlew.Start) (*curlew.Job, error){
		curlew.KindCrawl: func(s *curlew.Service, start curlew.Start) (*curlew.Job, error) {
			return s.StartCrawl(t.Context(), &curlew.CrawlRequest{Start: start, URL: url, Limit: 1})
		},
		curlew.KindBatch: func(s *curlew.Service, start curlew.Start) (*curlew.Job, error) {
			return s.StartBatch(t.Context(), &curlew.BatchRequest{Start: start, URLs: []string{url}})
		},
	}
	first := map[string]string{}
	for process := range 2 {
		store, err := job.OpenFiles(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		service := &curlew.Service{Fetcher: web, Store: store}
		for kind, begin := range starts {
			start := curlew.Start{Idempotency: curlew.Idempotency{Key: "k", Answer: json.RawMessage(`"first"`)}}
			for range 2 {
				j, err := begin(service, start)
				if err != nil {
					t.Fatalf("%s: %v", kind, err)
				}
				answer, repeated := j.Repeated()
				if first[kind] == "" {
					first[kind] = j.ID()
					if repeated {
						t.Errorf("%s: the first start is said to be repeated", kind)
					}
				} else if j.ID() != first[kind] || !repeated || string(answer) != `"first"` || j.Kind() != kind {
					t.Errorf("%s in process %d: job %s, repeated %v with %s, want job %s", kind, process, j.ID(), repeated, answer, first[kind])
				}
			}
			url = "http://site.test/other"
			if _, err := begin(service, start); !errors.Is(err, curlew.ErrConflict) {
				t.Errorf("%s of another URL: %v, want ErrConflict", kind, err)
			}
			url = "http://site.test/"
			start.Idempotency.Fingerprint[0] = 9
			if _, err := begin(service, start); !errors.Is(err, curlew.ErrConflict) {
				t.Errorf("%s with another fingerprint: %v, want ErrConflict", kind, err)
			}
			start.Caller.Team.ID = "other"
			if j, err := begin(service, start); err != nil || j.ID() == first[kind] {
				t.Errorf("%s of another team: %v, %v", kind, j, err)
			}
			start.Idempotency.Key = "not visible"
			if _, err := begin(service, start); !errors.Is(err, curlew.ErrRequest) {
				t.Errorf("%s with a key with a space: %v, want ErrRequest", kind, err)
			}
		}
		if err := errors.Join(service.Shutdown(t.Context()), store.Close()); err != nil {
			t.Error(err)
		}
	}
}

// TestIdempotencyAtOnce starts the same batch from many goroutines. A start
// that fails releases its key.
func TestIdempotencyAtOnce(t *testing.T) {
	service := &curlew.Service{Fetcher: web}
	defer shut(t, service)
	wrong := repeatable("", "k")
	wrong.URLs = nil
	if _, err := service.StartBatch(t.Context(), wrong); !errors.Is(err, curlew.ErrRequest) {
		t.Errorf("without URLs: %v, want ErrRequest", err)
	}
	var wg sync.WaitGroup
	ids := make([]string, 20)
	for i := range ids {
		wg.Go(func() {
			j, err := service.StartBatch(t.Context(), repeatable("", "k"))
			if err != nil {
				t.Error(err)
				return
			}
			ids[i] = j.ID()
		})
	}
	wg.Wait()
	if ids = slices.Compact(ids); len(ids) != 1 {
		t.Errorf("%d jobs, want one", len(ids))
	}
}

// TestIdempotencyAppend repeats a request that appends to a batch. It must
// append once.
func TestIdempotencyAppend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := &curlew.Service{Fetcher: slowWeb{web}}
		j, err := service.StartBatch(t.Context(), repeatable("", "first"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			more := repeatable("", "more")
			more.URLs, more.AppendTo = []string{"http://site.test/more"}, j.ID()
			again, err := service.StartBatch(t.Context(), more)
			if err != nil {
				t.Fatal(err)
			}
			if answer, ok := again.Repeated(); ok != (i == 1) || ok && !strings.Contains(string(answer), "more") || again.ID() != j.ID() {
				t.Errorf("append %d: job %s, repeated %v with %s", i, again.ID(), ok, answer)
			}
		}
		if st, err := j.Wait(t.Context()); err != nil || st.Delivered != 2 {
			t.Errorf("%d pages, %v, want 2", st.Delivered, err)
		}
		shut(t, service)
	})
}

// TestIdempotencyBounds checks the limits on remembered keys of one team and of
// all teams. Beyond a limit, new keys are refused. Known keys are still
// repeated, even after their jobs have expired, and a start without a key is
// accepted.
func TestIdempotencyBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := &curlew.Service{Fetcher: web, Keep: time.Minute}
		service.MaxRepeats(1500, 4100)  // three keys of a team, and eight of all teams
		begun := map[[2]string]string{} // IDs of jobs by team and key
		begin := func(team string, keys ...string) (refused int) {
			t.Helper()
			for _, key := range keys {
				j, err := service.StartBatch(t.Context(), repeatable(team, key))
				var e *curlew.Error
				switch {
				case err == nil:
					begun[[2]string{team, key}] = j.ID()
				case errors.Is(err, curlew.ErrRate) && errors.As(err, &e) && e.Wait > 23*time.Hour && e.Wait <= 24*time.Hour:
					refused++
				default:
					t.Fatalf("%s %s: %v", team, key, err)
				}
			}
			return refused
		}
		repeat := func() {
			t.Helper()
			for of, id := range begun {
				j, err := service.StartBatch(t.Context(), repeatable(of[0], of[1]))
				if err != nil || j.ID() != id {
					t.Fatalf("%s again: %v, %v", of, j, err)
				}
				if answer, ok := j.Repeated(); !ok || string(answer) != `{"key":"`+of[1]+`"}` {
					t.Errorf("%s again: repeated %v with %s", of, ok, answer)
				}
			}
		}
		if n := begin("one", "a", "b", "c", "d", "e"); n != 2 {
			t.Errorf("of five keys of a team %d are refused, want 2", n)
		}
		time.Sleep(time.Hour / 2)
		if n := begin("two", "a", "b", "c", "d") + begin("three", "a", "b", "c", "d"); n != 3 {
			t.Errorf("of eight keys of other teams %d are refused, want 3", n)
		}
		if _, err := service.StartBatch(t.Context(), repeatable("one", "")); err != nil {
			t.Errorf("without a key: %v", err)
		}
		repeat()
		if bytes, keys := service.Repeats(); keys != 8 || bytes < 8*512 || bytes > 8*1024 {
			t.Errorf("%d keys of %d bytes are counted, want 8", keys, bytes)
		}

		time.Sleep(23*time.Hour + 31*time.Minute) // the keys of the first team have expired
		clear(begun)
		if n := begin("one", "a", "b", "c"); n != 0 {
			t.Errorf("a day later %d of three keys are refused", n)
		}
		repeat()
		time.Sleep(25 * time.Hour)
		if begin("one", "z") != 0 {
			t.Error("another day later a key is refused")
		}
		if bytes, keys := service.Repeats(); keys != 1 || bytes > 1024 {
			t.Errorf("%d keys of %d bytes are counted at the end, want 1", keys, bytes)
		}
		shut(t, service)
	})
}

// shut shuts down a service.
func shut(t *testing.T, s *curlew.Service) {
	t.Helper()
	if err := s.Shutdown(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
}

// TestCallerMayUse checks that a caller whose key may not use an endpoint is
// refused, whatever the front end.
func TestCallerMayUse(t *testing.T) {
	service := &curlew.Service{Fetcher: web}
	defer shut(t, service)
	who := curlew.Caller{Team: account.Team{Policy: account.Policy{AllowEndpoints: []string{"none"}}}}
	start := curlew.Start{Caller: who}
	_, crawl := service.StartCrawl(t.Context(), &curlew.CrawlRequest{Start: start, URL: "http://site.test/"})
	_, batch := service.StartBatch(t.Context(), &curlew.BatchRequest{Start: start, URLs: []string{"http://site.test/"}})
	_, agent := service.StartAgent(t.Context(), &curlew.AgentRequest{Start: start})
	_, scrape := service.Scrape(t.Context(), "http://site.test/", &curlew.ScrapeOptions{ParseOptions: curlew.ParseOptions{Caller: &who}})
	_, site := service.Map(t.Context(), "http://site.test/", &curlew.MapOptions{Caller: &who})
	for name, err := range map[string]error{"crawl": crawl, "batch": batch, "agent": agent, "scrape": scrape, "map": site} {
		if !errors.Is(err, account.ErrForbidden) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, want ErrForbidden", name, err)
		}
	}
}

// TestStartNil checks that nil requests are refused.
func TestStartNil(t *testing.T) {
	service := new(curlew.Service)
	_, crawl := service.StartCrawl(t.Context(), nil)
	_, batch := service.StartBatch(t.Context(), nil)
	_, agent := service.StartAgent(t.Context(), nil)
	for _, err := range []error{crawl, batch, agent} {
		if !errors.Is(err, curlew.ErrRequest) {
			t.Errorf("%v, want ErrRequest", err)
		}
	}
}
