// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/fetch"
	"example.com/curlew/httpapi"
	"example.com/curlew/internal/test/memtest"
	"example.com/curlew/job"
)

// endless is a Fetcher for one host whose page i links to pages 4i+1 to 4i+4,
// up to page last if that is not zero.
type endless struct{ last int64 }

func (e endless) Fetch(_ context.Context, r *fetch.Request) (*fetch.Response, error) {
	if strings.HasSuffix(r.URL, ".txt") || strings.HasSuffix(r.URL, ".xml") {
		return &fetch.Response{URL: r.URL, Status: http.StatusNotFound, Header: http.Header{}}, nil
	}
	_, path, _ := strings.Cut(strings.TrimPrefix(r.URL, "http://"), "/")
	i, _ := strconv.ParseInt("0"+strings.Map(func(c rune) rune { return c - 'a' + '0' }, path), 10, 64)
	// Use letters, because pages that differ only in digits are taken for a
	// crawler trap.
	name := func(i int64) string {
		return strings.Map(func(c rune) rune { return c - '0' + 'a' }, strconv.FormatInt(i, 10))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<title>%s</title><main><p>This is page %s.</p>", name(i), name(i))
	for n := 4*i + 1; n <= 4*i+4 && (e.last == 0 || n <= e.last); n++ {
		fmt.Fprintf(&b, `<a href="/%s">%s</a> `, name(n), name(n))
	}
	return &fetch.Response{URL: r.URL, Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(b.String())}, nil
}

var closed = flag.Bool("closed", false, "the web of TestSoak has only as many pages as are crawled")

// TestSoak crawls many pages in one process, with jobs on disk, and measures
// the memory that remains in use. By default the test is short. The long
// one uses -pages 1000000.
func TestSoak(t *testing.T) {
	n, form := 8_000, "rawHtml"
	flag.Visit(func(f *flag.Flag) {
		if f.Name == "pages" {
			n, form = *pages, "markdown" // a long run also builds the Markdown
		}
	})
	files, err := job.OpenFiles(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	web := endless{}
	if *closed {
		web.last = int64(n) - 1
	}
	service := &curlew.Service{Fetcher: web, Store: files}
	h, err := httpapi.NewHandler(service, &httpapi.Options{Authenticator: httpapi.StaticKeys(map[string]account.Team{
		"fc-test": {ID: "team", Policy: account.Policy{MaxQueuedPages: curlew.Unlimited}},
	})})
	if err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	w, answer := ask(t, h, "POST", "/v2/crawl", fmt.Sprintf(`{"url":"http://a.test/","limit":%d,"sitemap":"skip","maxConcurrency":8,"scrapeOptions":{"formats":[%q]}}`, n, form))
	var started struct{ ID string }
	if err := json.Unmarshal([]byte(answer), &started); err != nil || w.Code != 200 {
		t.Fatalf("%d %s", w.Code, answer)
	}
	var half, last, halfAt, lastAt uint64
	var st struct {
		Status                        string
		Completed, Total, CreditsUsed int
	}
	for st.Status != "completed" {
		time.Sleep(20 * time.Millisecond)
		// An index past the end returns the status without pages.
		if w, answer = ask(t, h, "GET", fmt.Sprintf("/v2/crawl/%s?skip=%d&limit=1", started.ID, n), ""); w.Code != 200 {
			t.Fatalf("%d %s", w.Code, answer)
		}
		if err := json.Unmarshal([]byte(answer), &st); err != nil {
			t.Fatal(err)
		}
		if half == 0 && st.Completed > n/2 {
			half, halfAt = heap(), uint64(st.Completed)
		}
		if last == 0 && st.Completed > n/10*9 && st.Status == "scraping" {
			last, lastAt = heap(), uint64(st.Completed)
		}
		if st.Status == "failed" {
			t.Fatal(answer)
		}
	}
	if st.Completed != n || st.CreditsUsed != n {
		t.Errorf("%d pages for %d credits, want %d", st.Completed, st.CreditsUsed, n)
	}
	end := heap()
	if err := service.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if err := files.Close(); err != nil {
		t.Error(err)
	}
	t.Logf("%d pages: %d KiB of heap at %d, %d KiB at %d, %d KiB at the end, %d KiB after it; goroutines %d and %d",
		n, half>>10, halfAt, last>>10, lastAt, end>>10, heap()>>10, before, runtime.NumGoroutine())
	// The frontier keeps some bytes for a page and its four links, and a page
	// takes some hundred bytes. Pages in flight need memory only for a time.
	const inFlight = 32 << 20
	if last > half+400*(lastAt-halfAt)+inFlight {
		t.Errorf("%d pages left %d KiB while the crawl went on", lastAt-halfAt, (last-half)>>10)
	}
	if end > half+inFlight {
		t.Errorf("%d KiB are left of a crawl that has ended", end>>10)
	}
	t.Logf("RSS at most %d MB", memtest.Peak(t)/1e6) // last: it is not known everywhere
}

// TestSoakJobs stops many crawls at their first request and measures the memory
// of a waiting crawl.
func TestSoakJobs(t *testing.T) {
	const jobs = 200
	asked := make(waiting, jobs)
	service := &curlew.Service{Fetcher: asked}
	h, err := httpapi.NewHandler(service, &httpapi.Options{Authenticator: httpapi.StaticKeys(map[string]account.Team{
		"fc-test": {ID: "team", Policy: account.Policy{MaxQueuedPages: curlew.Unlimited, MaxConcurrency: jobs}},
	})})
	if err != nil {
		t.Fatal(err)
	}
	before := int64(heap())
	for i := range jobs { // one host each, because crawls of one host would share robots.txt and take turns
		if w, answer := ask(t, h, "POST", "/v2/crawl", fmt.Sprintf(`{"url":"http://a%d.test/","maxConcurrency":8}`, i)); w.Code != 200 {
			t.Fatal(answer)
		}
	}
	for range jobs {
		<-asked
	}
	per := (int64(heap()) - before) / jobs
	t.Logf("a crawl that waits weighs %d KiB", per>>10)
	if per > 100<<10 {
		t.Errorf("a crawl that waits weighs %d KiB, want 100 at the most", per>>10)
	}
	if err := service.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// waiting is a Fetcher that never answers and reports each request.
type waiting chan struct{}

func (w waiting) Fetch(ctx context.Context, _ *fetch.Request) (*fetch.Response, error) {
	w <- struct{}{}
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// heap returns the bytes of the heap in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
