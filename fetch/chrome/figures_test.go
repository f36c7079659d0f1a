// SPDX-License-Identifier: Apache-2.0

//go:build linux

package chrome_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"

	"example.com/curlew/fetch/chrome"
	"example.com/curlew/fetch/render"
)

var soak = flag.Int("soak", 8, "pages that TestSoak shows")

// zombies counts child processes of this one that have ended and were not waited for.
func zombies(t *testing.T) (n int) {
	t.Helper()
	list, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range list {
		_, fields, _ := strings.Cut(readFile(path), ") ")
		if f := strings.Fields(fields); len(f) > 2 && f[0] == "Z" && f[1] == strconv.Itoa(os.Getpid()) {
			n++
		}
	}
	return n
}

// resident returns the memory of this process in MB.
func resident(t *testing.T) int {
	t.Helper()
	f := strings.Fields(readFile("/proc/self/statm"))
	if len(f) < 2 {
		t.Fatal("no /proc/self/statm")
	}
	pages, err := strconv.Atoi(f[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize() >> 20
}

// parts serves a page with a script, a style sheet and 33 images.
func parts(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!DOCTYPE html><title>T</title><link rel=stylesheet href=/s.css><div id=root></div>`)
		for i := range 33 {
			fmt.Fprintf(w, `<img width=8 height=8 src="/%d.svg">`, i)
		}
		fmt.Fprint(w, `<script>root.innerHTML = "<p>" + "A sentence that a script has made. ".repeat(40)</script>`)
	case "/s.css":
		w.Header().Set("Content-Type", "text/css")
		fmt.Fprint(w, "p { color: red }")
	default:
		w.Header().Set("Content-Type", "image/svg+xml")
		fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>`)
	}
}

// TestSoak shows pages in a row on 4 tabs. It checks that no zombie is left, and prints the
// memory of this process.
func TestSoak(t *testing.T) {
	t.Parallel()
	at := serve(t, http.HandlerFunc(parts))
	left := make(chan int)
	var all sync.WaitGroup
	var mu sync.Mutex
	var browsers []*exec.Cmd
	b := start(t, chrome.Options{Pages: max(*soak/5, 4), Command: func(c *exec.Cmd, _ string) {
		mu.Lock()
		defer mu.Unlock()
		browsers = append(browsers, c)
	}})
	for range 4 {
		all.Go(func() {
			for range left {
				p, err := b.Render(t.Context(), &render.Request{URL: at + "/", Timeout: patience})
				if err != nil || !strings.Contains(string(p.HTML), "a script has made") {
					t.Errorf("%+v, %v", p, err)
				}
			}
		})
	}
	for i := range *soak {
		left <- i
		if i%max(*soak/5, 1) == 0 {
			t.Logf("after %d pages: %d MB, %d zombies", i, resident(t), zombies(t))
		}
	}
	close(left)
	all.Wait()
	if err := b.Close(t.Context()); err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	t.Logf("after %d pages in %d browsers: %d MB", *soak, len(browsers), resident(t))
	if n := zombies(t); n != 0 {
		t.Errorf("%d zombies are left", n)
	}
	if len(browsers) < 2 {
		t.Errorf("the pages were shown in %d browsers, want several", len(browsers))
	}
	for _, c := range browsers {
		for i := 0; syscall.Kill(-c.Process.Pid, 0) == nil; i++ {
			if i == 3000 {
				t.Fatalf("the group %d is left", c.Process.Pid)
			}
			time.Sleep(10 * time.Millisecond) // until the system has removed the killed processes
		}
	}
}

// BenchmarkRatio compares the time of Render with the time that the same browser needs for load
// and network idle in a tab that is used again. Between two pages, it waits until the tab for
// the next page is open, so that this work does not slow down the other browser.
func BenchmarkRatio(b *testing.B) {
	at := serve(b, http.HandlerFunc(parts))
	browser := start(b, chrome.Options{})
	raw := rawTab(b, running(b, func(name string) bool { // without a proxy
		return name != "proxy-server" && name != "proxy-bypass-list" && name != "host-resolver-rules"
	}))
	var ours, theirs []time.Duration
	for i := range b.N + 1 { // the first round warms up
		began := time.Now()
		if _, err := browser.Render(b.Context(), &render.Request{URL: at + "/", Timeout: patience}); err != nil {
			b.Fatal(err)
		}
		took := time.Since(began)
		browser.Settle(b.Context())
		began = time.Now()
		raw(at + "/")
		if i > 0 {
			ours, theirs = append(ours, took), append(theirs, time.Since(began))
		}
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	mine, other := ours[len(ours)/2].Seconds(), theirs[len(theirs)/2].Seconds()
	b.ReportMetric(mine, "s/page")
	b.ReportMetric(other, "s/raw-page")
	b.ReportMetric(mine/other, "ratio")
}

// rawTab returns a function that loads a page in a tab of the browser at a URL, and waits until
// no request was open for 500 ms.
func rawTab(t testing.TB, url string) func(page string) {
	t.Helper()
	idle := make(chan string, 100)
	actx, stop := remote.NewAllocator(t.Context(), url)
	t.Cleanup(stop)
	tab, cancel := chromedp.NewContext(actx, chromedp.WithListener(func(e any) {
		if e, ok := e.(*page.EventLifecycleEvent); ok && e.Name == "networkIdle" {
			idle <- string(e.LoaderID)
		}
	}))
	t.Cleanup(cancel)
	if err := chromedp.Do(tab); err != nil {
		t.Fatal(err)
	}
	target := chromedp.FromContext(tab).Target
	ctx, end := context.WithTimeout(t.Context(), 10*time.Minute)
	t.Cleanup(end)
	if _, err := cdp.Call(ctx, target, page.SetLifecycleEventsEnabled, page.SetLifecycleEventsEnabledParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	return func(url string) {
		r, err := cdp.Call(ctx, target, page.Navigate, page.NavigateParams{URL: url})
		if err != nil || r.ErrorText != "" {
			t.Fatal(r.ErrorText, err)
		}
		for {
			select {
			case loader := <-idle:
				if loader == string(r.LoaderID) {
					return
				}
			case <-ctx.Done():
				t.Fatal("the page is not idle")
			}
		}
	}
}
