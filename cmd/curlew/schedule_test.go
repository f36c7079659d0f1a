// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// received is a request that a webhook got.
type received struct {
	body      []byte
	signature string
}

// newHook serves a receiver that refuses the first events.
func newHook(t *testing.T, refuse int32) (string, chan received) {
	t.Helper()
	got := make(chan received, 100)
	var n atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if n.Add(1) <= refuse {
			http.Error(w, "later", http.StatusServiceUnavailable)
			return
		}
		got <- received{body, r.Header.Get("X-Firecrawl-Signature")}
	}))
	t.Cleanup(server.Close)
	return server.URL, got
}

// quick shortens the pauses between crawls, and between the attempts to send a report.
func quick(t *testing.T) {
	pauses, least := hookPauses, shortest
	hookPauses, shortest = []time.Duration{time.Millisecond, time.Millisecond}, time.Millisecond
	t.Cleanup(func() { hookPauses, shortest = pauses, least })
}

// mutable serves a site whose pages are those of a map, which a test changes between crawls.
// While down holds a channel, which the first request closes, each page answers 404.
func mutable(t *testing.T) (url string, pages *atomic.Pointer[map[string]string], down *atomic.Pointer[chan struct{}]) {
	t.Helper()
	pages, down = new(atomic.Pointer[map[string]string]), new(atomic.Pointer[chan struct{}])
	var once sync.Once
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all := *pages.Load()
		if asked := down.Load(); asked != nil {
			all = nil
			if r.URL.Path == "/" {
				once.Do(func() { close(*asked) })
			}
		}
		text, ok := all[r.URL.Path]
		switch {
		case r.URL.Path == "/robots.txt", !ok:
			http.NotFound(w, r)
			return
		case text == "refused":
			w.WriteHeader(http.StatusForbidden)
		}
		fmt.Fprintf(w, `<title>T</title><main><h1>Title</h1><p>%s</p>`, text)
		if r.URL.Path == "/" {
			for _, to := range slices.Sorted(maps.Keys(all)) {
				fmt.Fprintf(w, `<a href="%s">next</a> `, to)
			}
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, pages, down
}

// TestEvery crawls a site that changes, once at a time as a timer of the system does.
func TestEvery(t *testing.T) {
	quick(t)
	t.Setenv("CURLEW_WEBHOOK_SECRET", "key")
	url, pages, _ := mutable(t)
	hook, got := newHook(t, 1)
	dir := t.TempDir()
	args := []string{"crawl", url, "-o", dir, "--allow-private", "--sitemap=skip", "--every=1ms", "--once", "--webhook", hook}

	pages.Store(&map[string]string{"/": "front", "/a": "one", "/b": "two", "/c": "three", "/d": "four"})
	if code, _, said := call(t, "", args...); code != 0 || len(got) > 0 {
		t.Fatalf("exit %d, %d reports, %s", code, len(got), said)
	}
	if code, _, said := call(t, "", append(args, "--every=1h")...); code != 0 || !strings.Contains(said, "not yet: the next crawl is due in ") {
		t.Errorf("exit %d, %s", code, said)
	}
	pages.Store(&map[string]string{"/": "front", "/a": "one", "/b": "other", "/d": "refused", "/e": "five"})
	code, _, said := call(t, "", args...)
	if code != exitChanged || !strings.Contains(said, "new 1 changed 2 gone 1 same 1") { // the front page has other links
		t.Fatalf("exit %d, %s", code, said)
	}
	found := files(t, dir)
	if found["c.md"] != "" || !strings.Contains(found["d.md"], "four") || !strings.Contains(found["b.md"], "other") || found["e.md"] == "" {
		t.Errorf("files: %q", found)
	}
	listed := strings.Join(lines(t, filepath.Join(dir, own, "changes.jsonl")), "\n")
	for _, want := range []string{`/e","change":"added"`, `/b","change":"changed"`, `/c","change":"removed"`} {
		if !strings.Contains(listed, want) {
			t.Errorf("no %s in %s", want, listed)
		}
	}
	r := <-got
	mac := hmac.New(sha256.New, []byte("key"))
	mac.Write(r.body)
	var event struct {
		Type     string
		Data     []change
		Metadata map[string]string
	}
	if err := json.Unmarshal(r.body, &event); err != nil || r.signature != "sha256="+hex.EncodeToString(mac.Sum(nil)) {
		t.Errorf("%v, %s, signed %s", err, r.body, r.signature)
	}
	if event.Type != "crawl.changes" || len(event.Data) != 4 || event.Metadata["removed"] != "1" || event.Metadata["notListed"] != "0" {
		t.Errorf("%s", r.body)
	}
	if code, _, said := call(t, "", args...); code != 0 || !strings.Contains(said, "new 0 changed 0 gone 0 same") {
		t.Errorf("exit %d, %s", code, said)
	}
	if left, err := filepath.Glob(filepath.Join(dir, own, "changes.jsonl*")); err != nil || left != nil {
		t.Errorf("without changes there is %v, %v", left, err)
	}
}

// TestRepeat crawls until it is stopped, also while the site is down.
func TestRepeat(t *testing.T) {
	quick(t)
	url, pages, site := mutable(t)
	hook, got := newHook(t, 0)
	dir := t.TempDir()
	pages.Store(&map[string]string{"/": "front", "/a": "one"})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var out, said bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"crawl", url, "-o", dir, "--allow-private", "--sitemap=skip", "--every=1ms", "--webhook", hook}, nil, &out, &said)
	}()
	if !awaitFiles(t, dir, 2, ended) {
		t.Fatalf("exit %d, %s", <-ended, &said)
	}
	down := make(chan struct{})
	site.Store(&down)
	<-down // the site is asked while every page answers 404
	if n := len(files(t, dir)); n != 2 {
		t.Errorf("%d files while the site is down", n)
	}
	pages.Store(&map[string]string{"/": "again"})
	site.Store(nil)
	r := <-got
	if !strings.Contains(string(r.body), `"removed":"1"`) {
		t.Errorf("%s", r.body)
	}
	stop()
	if code := <-ended; code == 0 || code == exitUsage {
		t.Errorf("exit %d, %s", code, &said)
	}
}

// TestScheduleUsage checks the combinations of flags that have no meaning.
func TestScheduleUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"--every is at least":      {"--every=1ms"},
		"--once needs --every":     {"--once"},
		"excludes --since and":     {"--every=1h", "--since=last"},
		"--webhook needs --since":  {"--webhook=https://example.com/"},
		"--webhook: ":              {"--every=1h", "--webhook=http://127.0.0.1/"},
		"or a time such as 2026":   {"--since=yesterday"},
		"completed crawl that beg": {"--since=2001-01-01"},
	} {
		if code, _, said := call(t, "", append([]string{"crawl", "example.com", "-o", t.TempDir()}, args...)...); code == 0 || !strings.Contains(said, want) {
			t.Errorf("%v: exit %d, %s", args, code, said)
		}
	}
}

// TestQuiet checks that a quiet crawl says once that everything must wait.
func TestQuiet(t *testing.T) {
	var said bytes.Buffer
	p := &progress{env: &env{err: &said, quiet: true}}
	now := time.Now()
	for _, s := range []*state{{}, {Resumes: now.Add(90 * time.Second), Host: "a.test\x1b", Cause: "retry-after"}, {Resumes: now.Add(90 * time.Second)}, {Resumes: now}} {
		p.waits(s, now)
	}
	if said.String() != "curlew: nothing can be fetched for 1m30s because of a.test (asked to wait)\n" {
		t.Errorf("%q", said.String())
	}
}

// TestCut checks that a page that the site cuts off is not taken for complete.
func TestCut(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, `<title>T</title><main><h1>Title</h1><a href="/cut">cut</a></main>`)
		case "/cut":
			w.Header().Set("Content-Length", "5000")
			fmt.Fprint(w, "<title>T</title><main><h1>Title</h1><p>Half of a text that")
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	code, _, said := call(t, "", "crawl", server.URL, "-o", dir, "--allow-private", "--sitemap=skip")
	if code != 0 || !strings.Contains(said, "1 with a warning in the manifest") {
		t.Errorf("exit %d, %s", code, said)
	}
	if n := strings.Count(strings.Join(lines(t, filepath.Join(dir, own, "manifest.jsonl")), "\n"), `"warning":"`); n != 1 {
		t.Errorf("%d pages have a warning", n)
	}
}

// TestStands checks that a crawl that stands still says why, once, also with -q.
func TestStands(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		var said bytes.Buffer
		p := &progress{env: &env{err: &said, quiet: quiet}}
		now := time.Now()
		for i, s := range []*state{{Pages: 1, Warning: "early"}, {Pages: 2}, {Pages: 2, Warning: "The disk is full."}, {Pages: 2, Warning: "The disk is full."}, {Pages: 2}} {
			p.stands(s, now.Add(time.Duration(i)*6*time.Second))
		}
		if said.String() != "warning: The disk is full.\n" {
			t.Errorf("quiet %v: %q", quiet, &said)
		}
	}
}
