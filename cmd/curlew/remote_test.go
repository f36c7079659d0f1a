// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// serveTest runs the command serve with a key, and returns its URL.
func serveTest(t *testing.T, args ...string) string {
	t.Helper()
	t.Setenv("CURLEW_API_KEY", "fc-test")
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, append([]string{"serve", "--addr", "127.0.0.1:0", "--allow-private", "--json"}, args...), nil, in, io.Discard)
		in.Close()
	}()
	t.Cleanup(func() {
		stop()
		if code := <-ended; code != 0 {
			t.Errorf("serve: exit %d", code)
		}
	})
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var ready struct{ URL string }
	if err := json.Unmarshal(line, &ready); err != nil {
		t.Fatal(err)
	}
	return ready.URL
}

// TestRemote checks that commands give the same results with a server as without one.
func TestRemote(t *testing.T) {
	url, version, _ := newSite(t, 6)
	server := serveTest(t)
	file := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(file, []byte("name,price\ncurlew,3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"scrape", url + "/p/1"},
		{"scrape", url + "/p/1", url + "/gone"},
		{"map", url},
		{"parse", file},
	} {
		code, out, _ := call(t, "", append(args, "--allow-private")...)
		remote, there, said := call(t, "", append(args, "--remote", server)...)
		if args[0] == "parse" {
			code, out, _ = call(t, "", args...)
		}
		if code != remote || out != there || out == "" {
			t.Errorf("%v: exit %d and %d, %q and %q, %s", args, code, remote, out, there, said)
		}
	}

	here, dir := t.TempDir(), t.TempDir()
	crawl := []string{"crawl", url, "--sitemap=skip"}
	if code, _, said := call(t, "", append(crawl, "--allow-private", "-o", here)...); code != 0 {
		t.Fatalf("exit %d, %s", code, said)
	}
	crawl = append(crawl, "--remote", server, "-o", dir)
	code, _, said := call(t, "", crawl...)
	if code != 0 || !strings.Contains(said, "7 pages in") {
		t.Fatalf("exit %d, %s", code, said)
	}
	want, got := files(t, here), files(t, dir)
	for name := range want {
		if _, ok := got[name]; !ok || len(want) != len(got) {
			t.Errorf("%s: %d files, not %d", name, len(got), len(want))
		}
	}
	version.Store(1)
	if code, _, said := call(t, "", append(crawl, "--since=last")...); code != exitChanged || !strings.Contains(said, "new 0 changed 5 gone 0 same 2") {
		t.Errorf("exit %d, %s", code, said)
	}
	if n := len(lines(t, filepath.Join(dir, own, "changes.jsonl"))); n != 5 {
		t.Errorf("%d changes are listed", n)
	}
	if code, _, said := call(t, "", "crawl", "--resume", "--remote", server, "-o", dir); code != exitChanged || !strings.Contains(said, "has ended already") {
		t.Errorf("exit %d, %s", code, said)
	}
}

// TestRefused checks the exit codes for answers of servers and providers.
func TestRefused(t *testing.T) {
	for status, want := range map[int]int{401: exitRefused, 402: exitRefused, 403: exitRefused, 429: exitRefused, 501: exitEngine, 500: exitBroken, 200: exitBroken} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(status)
			fmt.Fprint(w, `{"success":false,"code":"SOME_CODE","error":"A sentence."}`)
		}))
		code, out, said := call(t, "", "map", "example.com", "--remote", server.URL, "--json")
		if code != want || out != "" || !strings.Contains(said, `"code":"SOME_CODE"`) || !strings.Contains(said, "A sentence.") {
			t.Errorf("%d: exit %d, %s%s", status, code, out, said)
		}
		t.Setenv("CURLEW_SEARXNG_URL", server.URL)
		if code, _, said := call(t, "", "search", "curlew"); (status == 401 || status == 429) && code != exitRefused {
			t.Errorf("search %d: exit %d, %s", status, code, said)
		}
		server.Close()
	}
	for want, args := range map[string][]string{
		"--proxy has no effect":  {"map", "example.com", "--remote", "http://127.0.0.1:1", "--proxy", "http://127.0.0.1:2"},
		"exclude each other":     {"map", "example.com", "--proxy", "http://127.0.0.1:2", "--proxy-file", "x"},
		"--proxy-file: open":     {"scrape", "example.com", "--proxy-file", "/no/such/file"},
		"--ocr has no effect":    {"parse", ".", "--remote", "http://127.0.0.1:1", "--ocr"},
		"needs --remote":         {"map", "example.com", "--api-key-file", "x"},
		"no such file":           {"map", "example.com", "--remote", "http://127.0.0.1:1", "--api-key-file", "/no/such/file"},
		"connection refused":     {"agent", "Which?", "--remote", "http://127.0.0.1:1"},
		"does not answer with J": {"map", "example.com", "--remote", page404(t)},
	} {
		if code, _, said := call(t, "", args...); code == 0 || !strings.Contains(said, want) {
			t.Errorf("%v: exit %d, %s", args, code, said)
		}
	}
}

// page404 returns the URL of a server that answers each request with HTML and status 200.
func page404(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }))
	t.Cleanup(server.Close)
	return server.URL
}

// TestDepth checks that a crawl with --depth says of how many pages the links were not read,
// also after it was continued.
func TestDepth(t *testing.T) {
	url, _, _ := newSite(t, 9) // pages 1 and 2, then 3 and 4 and so on, are a link further
	for depth, want := range map[string]string{"0": "0 links from the start page (--depth): 1\n", "2": "2 links from the start page (--depth): 2\n", "9": ""} {
		dir := t.TempDir()
		args := []string{"crawl", url, "--allow-private", "--sitemap=skip", "--depth", depth, "-o", dir}
		for _, also := range []string{"", "--resume"} {
			code, _, said := call(t, "", append(args, strings.Fields(also)...)...)
			if code != 0 || !strings.Contains(said, want) || strings.Contains(said, "(--depth)") != (want != "") {
				t.Errorf("--depth %s %s: exit %d, %s", depth, also, code, said)
			}
		}
		if code, out, _ := call(t, "", append(args, "--since=last", "--json")...); code != 0 || strings.Contains(out, "pagesAtDepth") != (want != "") {
			t.Errorf("--depth %s: exit %d, %s", depth, code, out)
		}
	}
}

// TestNotFollowed checks that a crawl says how many links it has not followed, and which flag
// follows them.
func TestNotFollowed(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/docs/" && r.URL.Path != "/docs/a" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, `<title>Docs</title><main><h1>Docs</h1><p>Text</p><a href="a">a</a><a href="/blog/">b</a><a href="/shop">c</a><a href="https://b.test/">d</a><a href="all.zip">e</a><a href="mailto:a@b.test">f</a><a href="#top">g</a></main>`)
	}))
	defer site.Close()
	server := serveTest(t)
	const want = "links that were not followed: 2 to other sites (--external), 4 outside the path of the start page (--entire-domain), 2 to images, scripts, archives and such\n"
	for _, args := range [][]string{{"--allow-private"}, {"--remote", server}} {
		args = append([]string{"crawl", site.URL + "/docs/", "--sitemap=skip"}, args...)
		if code, _, said := call(t, "", append(args, "-o", t.TempDir())...); code != 0 || !strings.Contains(said, want) {
			t.Errorf("%v: exit %d, %s", args, code, said)
		}
		if code, out, _ := call(t, "", append(args, "-o", t.TempDir(), "--json")...); code != 0 || !strings.Contains(out, `"backward":4`) {
			t.Errorf("%v: exit %d, %s", args, code, out)
		}
	}
}
