// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/fetch"
	"example.com/curlew/httpapi"
	"example.com/curlew/job"
)

// lateSite is a site of six pages and one that fails, each after a second.
const lateSite = `
-- http://a.test/ --
HTTP 200
X-Latency: 1s

<p><a href=/1>1</a> <a href=/2>2</a> <a href=/3>3</a> <a href=/4>4</a> <a href=/broken>b</a>
-- http://a.test/1 --
HTTP 200
X-Latency: 1s

<p>One. <a href=/5>5</a>
-- http://a.test/2 --
HTTP 200
X-Latency: 1s

<p>Two.
-- http://a.test/3 --
HTTP 200
X-Latency: 1s

<p>Three.
-- http://a.test/4 --
HTTP 200
X-Latency: 1s

<p>Four.
-- http://a.test/5 --
HTTP 200
X-Latency: 1s

<p>Five.
-- http://a.test/broken --
HTTP 200
X-Latency: 1s
X-Fault: reset

`

// queued returns the number of queued pages that queue-status reports for the
// team.
func queued(t *testing.T, h http.Handler) int {
	t.Helper()
	var q struct{ JobsInQueue int }
	if _, body := ask(t, h, "GET", "/v2/team/queue-status", ""); json.Unmarshal([]byte(body), &q) != nil {
		t.Fatal(body)
	}
	return q.JobsInQueue
}

// unfinished returns the number of unfinished pages in the statuses of jobs.
func unfinished(t *testing.T, h http.Handler, paths []string) (n int) {
	t.Helper()
	for _, path := range paths {
		var s struct{ Total, Completed int }
		if _, body := ask(t, h, "GET", path, ""); json.Unmarshal([]byte(body), &s) != nil {
			t.Fatal(body)
		}
		n += s.Total - s.Completed
	}
	return n
}

// TestBacklog compares the queue status with the statuses of all jobs every
// tenth of a second. Meanwhile jobs of both kinds start, grow, fail pages, are
// cancelled and end. It repeats this in a process that opens the directory that
// a killed process left.
func TestBacklog(t *testing.T) {
	for name, open := range map[string]func(t *testing.T, dir string) job.Store{
		"memory": func(*testing.T, string) job.Store { return nil },
		"files": func(t *testing.T, dir string) job.Store {
			files, err := job.OpenFiles(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { files.Close() })
			return files
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, dead := t.TempDir(), t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				serve := func(dir string) *httpapi.Handler {
					h, service := newHandler(t, lateSite, account.Policy{MaxConcurrency: 3}, httpapi.Options{})
					service.Store = open(t, dir)
					t.Cleanup(func() { _ = service.Shutdown(context.WithoutCancel(t.Context())) })
					if err := service.Resume(t.Context()); err != nil {
						t.Fatal(err)
					}
					return h
				}
				h := serve(dir)
				var paths []string
				start := func(path, body string) string {
					var started struct{ ID string }
					if _, answer := ask(t, h, "POST", path, body); json.Unmarshal([]byte(answer), &started) != nil || started.ID == "" {
						t.Fatal(answer)
					}
					paths = append(paths, path+"/"+started.ID)
					return started.ID
				}
				// compare returns the largest number that it has seen.
				compare := func(h http.Handler, d time.Duration) (most int) {
					for range d / (100 * time.Millisecond) {
						want := unfinished(t, h, paths)
						synctest.Wait()
						got := queued(t, h)
						// Reading a status from disk takes some milliseconds,
						// in which a page may end.
						if got != want && want == unfinished(t, h, paths) {
							t.Errorf("%s s: %d pages in the queue, the jobs say %d", time.Now().Format("05.0"), got, want)
						}
						most = max(most, got)
						time.Sleep(100 * time.Millisecond)
					}
					return most
				}
				batch := start("/v2/batch/scrape", `{"urls":["http://a.test/1","http://a.test/broken","http://a.test/2","http://a.test/3"]}`)
				if n := queued(t, h); n != 4 {
					t.Errorf("%d pages in the queue once a batch of 4 has been accepted", n)
				}
				start("/v2/crawl", `{"url":"a.test","sitemap":"skip","limit":5}`)
				compare(h, 2*time.Second)
				ask(t, h, "POST", "/v2/batch/scrape", `{"urls":["http://a.test/4","http://a.test/5"],"appendToId":"`+batch+`"}`)
				start("/v2/crawl", `{"url":"a.test","sitemap":"skip"}`)
				if most := compare(h, 2500*time.Millisecond); most < 6 {
					t.Errorf("at most %d pages in the queue, want more", most)
				}

				if name == "files" {
					// Copy what the process would leave behind if it were
					// killed now.
					if err := os.CopyFS(dead, os.DirFS(dir)); err != nil {
						t.Fatal(err)
					}
					next := serve(dead)
					if most := compare(next, 3*time.Second); most == 0 {
						t.Error("nothing is left after a restart")
					}
					if compare(next, 20*time.Second); queued(t, next) != 0 {
						t.Errorf("%d pages are left of ended jobs", queued(t, next))
					}
				}

				ask(t, h, "DELETE", paths[2], "")
				compare(h, 20*time.Second)
				if w, answer := ask(t, h, "POST", "/v2/batch/scrape", `{"urls":["http://a.test/4"],"appendToId":"`+batch+`"}`); w.Code != http.StatusConflict {
					t.Errorf("an ended batch grows: %d %s", w.Code, answer)
				}
				if n := queued(t, h); n != 0 {
					t.Errorf("%d pages are left of ended jobs", n)
				}
			})
		})
	}
}

// stalled is a Fetcher that never answers.
type stalled struct{}

func (stalled) Fetch(ctx context.Context, _ *fetch.Request) (*fetch.Response, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// TestStartCost checks that the cost of a start does not depend on other jobs.
// It decodes no specifications of other jobs and reads no figures of theirs.
func TestStartCost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := &curlew.Service{Fetcher: stalled{}}
		h, err := httpapi.NewHandler(service, &httpapi.Options{InsecureNoAuth: true})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = service.Shutdown(t.Context()) }()
		running := 0
		start := func(n int) (mallocs uint64) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range n {
				path, body := "/v2/crawl", `{"url":"http://a.test/"}`
				if running%2 == 1 {
					path, body = "/v2/batch/scrape", fmt.Sprintf(`{"urls":["http://a.test/%d","http://a.test/x"]}`, running)
				}
				if w, answer := ask(t, h, "POST", path, body); w.Code != http.StatusOK {
					t.Fatal(answer)
				}
				running++
				synctest.Wait()
			}
			runtime.ReadMemStats(&after)
			return (after.Mallocs - before.Mallocs) / uint64(n)
		}
		start(10)
		few := start(10)
		start(1000 - running)
		many := start(10)
		if many > few+few/2 {
			t.Errorf("a start allocates %d times while 10 jobs run, %d while 1,000 do", few, many)
		}
		if got, want := queued(t, h), running/2+running/2*2; got != want {
			t.Errorf("%d pages in the queue of crawls of one and batches of two, want %d", got, want)
		}
	})
}
