// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// TestMain runs the program instead of the tests in a process that a test has started.
func TestMain(m *testing.M) {
	if os.Getenv("CURLEW_TEST_PROGRAM") != "" {
		main()
	}
	os.Exit(withoutSettings(m))
}

// withoutSettings runs the tests without the settings of the user.
func withoutSettings(m *testing.M) int {
	dir, err := os.MkdirTemp("", "curlew-test-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"XDG_CONFIG_HOME", "HOME", "AppData"} {
		os.Setenv(name, dir)
	}
	return m.Run()
}

// call runs the program with arguments and returns its exit code and what it wrote.
func call(t *testing.T, in string, args ...string) (code int, out, err string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(in), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// newSite serves a site of n pages. Each links to the next two, and the first one also to
// the paths in linked. /gone does not exist, and /broken closes the connection, which is
// retried for seconds. The text of pages follows version. Pages from number held on, if it
// is not zero, are not answered yet.
func newSite(t *testing.T, n int, linked ...string) (url string, version, held *atomic.Int64) {
	t.Helper()
	version, held = new(atomic.Int64), new(atomic.Int64)
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<title>Front</title><main><h1>Front</h1><p><a href="/p/1">1</a> <a href="/gone">gone</a></p></main>`)
		for _, to := range linked {
			fmt.Fprintf(w, `<a href="%s">more</a>`, to)
		}
	})
	mux.HandleFunc("/p/{n}", func(w http.ResponseWriter, r *http.Request) {
		var i int
		if _, err := fmt.Sscan(r.PathValue("n"), &i); err != nil || i >= n {
			http.NotFound(w, r)
			return
		}
		for h := held.Load(); h > 0 && int64(i) >= h; h = held.Load() {
			select {
			case <-r.Context().Done():
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
		fmt.Fprintf(w, `<title>Page %d</title><main><h1>Page %d</h1><p>Text of version %d.</p>`, i, i, version.Load())
		for to := i + 1; to <= i+2 && to < n; to++ {
			fmt.Fprintf(w, `<a href="/p/%d">%d</a> `, to, to)
		}
		fmt.Fprint(w, `</main>`)
	})
	mux.HandleFunc("/broken", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL, version, held
}

// files returns the Markdown files below dir, by their path without the host.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		_, name, _ := strings.Cut(filepath.ToSlash(rel), "/")
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// awaitFiles returns true when dir has n Markdown files, or false if the program that
// writes them ends before it has.
func awaitFiles[T any](t *testing.T, dir string, n int, ended <-chan T) bool {
	t.Helper()
	for len(files(t, dir)) < n {
		if len(ended) > 0 {
			t.Errorf("the program ended before it wrote %d files", n)
			return false
		}
		time.Sleep(5 * time.Millisecond) // another process writes them, so that there is nothing to wait for
	}
	return true
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// TestCrawl checks files, manifest and failures: a page with an error status, or one that
// could not be fetched, is no document, and both are listed.
func TestCrawl(t *testing.T) {
	url, _, _ := newSite(t, 10, "/broken")
	dir := filepath.Join(t.TempDir(), "out")
	code, out, said := call(t, "", "crawl", url, "-o", dir, "--allow-private", "--sitemap=skip")
	if code != 0 || out != "" {
		t.Fatalf("exit %d, %s%s", code, out, said)
	}
	found := files(t, dir)
	front := regexp.MustCompile(`^---\nurl: "` + regexp.QuoteMeta(url) + `/p/3"\ntitle: "Page 3"\nfetched_at: "20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"\nstatus: 200\ndepth: 2\nsha256: "`)
	if len(found) != 10 || !front.MatchString(found["p/3.md"]) || !strings.Contains(found["p/3.md"], "# Page 3\n") {
		t.Errorf("%d files: %s", len(found), found["p/3.md"])
	}
	manifest := lines(t, filepath.Join(dir, own, "manifest.jsonl"))
	if len(manifest) != 11 || !strings.Contains(strings.Join(manifest, "\n"), `"error":"the site answered 404 Not Found"}`) {
		t.Errorf("manifest: %s", manifest)
	}
	if text := strings.Join(manifest, "\n"); strings.Contains(text, "warning") {
		t.Errorf("a page that is complete has a warning: %s", text)
	}
	if failed := lines(t, filepath.Join(dir, own, "failed.jsonl")); len(failed) != 1 || !strings.Contains(failed[0], "/broken") {
		t.Errorf("failures: %s", failed)
	}
	for _, want := range []string{"11 pages in ", "1 failed", "1 without a file", "(10 files,", "failed.jsonl"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in %s", want, said)
		}
	}
	if strings.Contains(said, "other Markdown") {
		t.Errorf("a new folder has other files: %s", said)
	}

	code, out, said = call(t, "", "crawl", url, "-o", dir, "--allow-private", "--json", "--strict", "--limit", "3", "--sitemap=skip")
	var sum summary
	if err := json.Unmarshal([]byte(out), &sum); err != nil || code != exitInput && code != 0 || sum.Pages != 3 || sum.State != "completed" {
		t.Errorf("exit %d, %v: %s%s", code, err, out, said)
	}
	if sum.Others != 10-sum.Files {
		t.Errorf("%d other files beside %d", sum.Others, sum.Files)
	}
	if sum.Errors+sum.Failed > 0 != (code == exitInput) {
		t.Errorf("exit %d with %+v", code, sum)
	}
}

// TestEmpty crawls a site with pages without text, which are no documents, and checks what
// the responses said: the next crawl sends the validators, and removes the file of a page
// that has become empty.
func TestEmpty(t *testing.T) {
	const tag, day = `"v1"`, "Mon, 02 Nov 2026 10:00:00 GMT"
	var emptied atomic.Bool
	var unmodified atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<title>Front</title><main><h1>Front</h1><a href="/none">1</a> <a href="/blank">2</a> <a href="/text">3</a></main>`)
	})
	mux.HandleFunc("/none", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/blank", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<!DOCTYPE html><title>Blank</title><body> \n <p>\u00a0</p><script>let x</script></body>")
	})
	mux.HandleFunc("/text", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") == tag && r.Header.Get("If-Modified-Since") == day && !emptied.Load() {
			unmodified.Add(1)
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("ETag", tag)
		w.Header().Set("Last-Modified", day)
		if !emptied.Load() {
			fmt.Fprint(w, "<title>Text</title><main><h1>Text</h1><p>Words.</p></main>")
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	dir := t.TempDir()
	manifest := func() string { return strings.Join(lines(t, filepath.Join(dir, own, "manifest.jsonl")), "\n") }
	args := []string{"crawl", server.URL, "-o", dir, "--allow-private", "--sitemap=skip"}
	code, _, said := call(t, "", args...)
	if code != 0 || !strings.Contains(said, "4 pages in ") || !strings.Contains(said, "2 without a file because they have no text") {
		t.Errorf("exit %d, %s", code, said)
	}
	found := files(t, dir)
	if len(found) != 2 || !strings.Contains(found["text.md"], "depth: 1\netag: \"\\\"v1\\\"\"\nlast_modified: \""+day+"\"\n") {
		t.Errorf("files: %s", found)
	}
	for range 2 { // the same again if the page was not modified
		text := manifest()
		if strings.Count(text, `"error":"the page has no text"`) != 2 || strings.Count(text, `"warning":"The page seems to need JavaScript`) != 1 || !strings.Contains(text, `"depth":1,"etag":"\"v1\"","lastModified":"`+day+`"`) {
			t.Errorf("manifest: %s", text)
		}
		code, _, said = call(t, "", append(args, "--since", "last")...)
		if code != 0 || !strings.Contains(said, "same 4") {
			t.Errorf("exit %d, %s", code, said)
		}
	}
	if unmodified.Load() != 2 {
		t.Errorf("%d requests with the validators", unmodified.Load())
	}
	emptied.Store(true)
	code, _, said = call(t, "", append(args, "--since", "last")...)
	if code != exitChanged || !strings.Contains(said, "new 0 changed 1 gone 0 same 3") || len(files(t, dir)) != 1 {
		t.Errorf("exit %d, %s, %d files", code, said, len(files(t, dir)))
	}
	if changes := lines(t, filepath.Join(dir, own, "changes.jsonl")); len(changes) != 1 || changes[0] != `{"url":"`+server.URL+`/text","change":"changed"}` {
		t.Errorf("changes: %s", changes)
	}
	_, out, said := call(t, "", "export", dir)
	if !strings.Contains(out, `"depth":1,"etag":"\"v1\"","lastModified":"`+day+`",`) {
		t.Errorf("export: %s%s", out, said)
	}
	if code, _, said = call(t, "", "export", dir, "--format", "md", "-o", filepath.Join(t.TempDir(), "out.zip")); code != 0 || !strings.Contains(said, "not as a whole: 3 without text") {
		t.Errorf("export: exit %d, %s", code, said)
	}
	if code, out, said = call(t, "", "scrape", server.URL+"/none", "--allow-private"); code != exitInput || out != "" || !strings.Contains(said, "the page has no text") {
		t.Errorf("scrape: exit %d, %s%s", code, out, said)
	}
}

// TestNames crawls a site whose URLs want the names of each other's files.
func TestNames(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<title>T</title><main><h1>%s</h1>`, r.RequestURI)
		for _, to := range []string{"/a", "/a.md/b", "/a.md.partial/b", "/c", "/p?x=1", "/p-203c1d9b32b0", "/A", "/_curlew/manifest.jsonl"} {
			fmt.Fprintf(w, `<p><a href="%s">%s</a></p>`, to, to)
		}
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	dir := t.TempDir()
	code, _, said := call(t, "", "crawl", server.URL, "-o", dir, "--allow-private", "--sitemap=skip")
	if found := files(t, dir); code != 0 || len(found) != 9 {
		t.Errorf("exit %d, %d files: %s", code, len(found), said)
	}
}

// TestSince compares two crawls.
func TestSince(t *testing.T) {
	url, version, _ := newSite(t, 5)
	dir := t.TempDir()
	args := []string{"crawl", url, "-o", dir, "--allow-private", "--sitemap=skip"}
	if code, _, said := call(t, "", append(args, "--since", "last")...); code != exitBroken || !strings.Contains(said, "no completed crawl") {
		t.Errorf("exit %d, %s", code, said)
	}
	for range 2 { // also after a crawl without a page
		if code, _, said := call(t, "", args...); code != 0 {
			t.Fatalf("exit %d, %s", code, said)
		}
		if code, _, _ := call(t, "", "crawl", "http://127.0.0.1:1/", "-o", dir); code != exitBroken {
			t.Errorf("a crawl without a page: exit %d", code)
		}
	}
	if n := len(lines(t, filepath.Join(dir, own, "manifest.jsonl"))); n != 6 {
		t.Errorf("the manifest has %d lines after a crawl without a page", n)
	}
	if code, _, said := call(t, "", append(args, "--since", "last")...); code != 0 || !strings.Contains(said, "new 0 changed 0 gone 0 same 6") {
		t.Errorf("exit %d, %s", code, said)
	}
	version.Store(1)
	code, _, said := call(t, "", append(args, "--since", "last")...)
	if code != exitChanged || !strings.Contains(said, "new 0 changed 4 gone 0 same 2") {
		t.Errorf("exit %d, %s", code, said)
	}
	if changed := strings.Count(strings.Join(lines(t, filepath.Join(dir, own, "manifest.jsonl")), "\n"), `"change":"changed"`); changed != 4 {
		t.Errorf("the manifest names %d changed pages", changed)
	}
}

// TestResume stops a crawl by signals, in a process of its own, and continues it.
func TestResume(t *testing.T) {
	url, _, held := newSite(t, 40)
	dir := t.TempDir()
	args := []string{"crawl", url, "-o", dir, "--allow-private", "--sitemap=skip"}
	for i, sign := range []os.Signal{os.Kill, os.Interrupt, syscall.SIGTERM} {
		if i > 0 {
			args = []string{"crawl", "--resume", "-o", dir, "--allow-private"}
		}
		most := 10 * (i + 1) // pages that can be written before the signal
		held.Store(int64(most))
		program := exec.CommandContext(t.Context(), os.Args[0], args...)
		program.Env = append(os.Environ(), "CURLEW_TEST_PROGRAM=1")
		var said bytes.Buffer
		program.Stderr = &said
		if err := program.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- program.Wait() }()
		if awaitFiles(t, dir, most, ended) { // the last ones are written by this process
			if err := program.Process.Signal(sign); err != nil {
				t.Fatal(err)
			}
		}
		err := <-ended
		exit, _ := errors.AsType[*exec.ExitError](err)
		want := map[os.Signal]int{os.Kill: -1, os.Interrupt: 130, syscall.SIGTERM: 143}[sign]
		if exit == nil || exit.ExitCode() != want {
			t.Errorf("%v: %v, want exit %d: %s", sign, err, want, &said)
		}
		if want > 0 && !strings.Contains(said.String(), "curlew crawl --resume -o "+dir+" --allow-private\n") {
			t.Errorf("%v: it does not say how to continue: %s", sign, &said)
		}
	}
	none := filepath.Join(t.TempDir(), "none")
	if code, _, said := call(t, "", "crawl", "--resume", "-o", none); code != exitBroken || !strings.Contains(said, "no crawl to continue") {
		t.Errorf("a folder without a crawl: %d %s", code, said)
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("--resume has created a folder")
	}
	if code, _, said := call(t, "", "crawl", url, "-o", dir, "--allow-private"); code != exitBroken || !strings.Contains(said, "--resume") {
		t.Errorf("a new crawl over a stopped one: exit %d, %s", code, said)
	}
	if code, _, said := call(t, "", "crawl", url, "-o", dir, "--allow-private", "--resume", "--limit=7"); code != exitUsage || !strings.Contains(said, "--limit") {
		t.Errorf("other options: exit %d, %s", code, said)
	}
	held.Store(0)
	if code, _, said := call(t, "", "crawl", "--resume", "-o", dir); code != exitUsage || !strings.Contains(said, "give --allow-private again") {
		t.Errorf("without the options of the network: exit %d, %s", code, said)
	}
	code, _, said := call(t, "", "crawl", "--resume", "-o", dir, "--allow-private")
	if found := files(t, dir); code != 0 || len(found) != 40 {
		t.Errorf("exit %d, %d files: %s", code, len(found), said)
	}
	if n := len(lines(t, filepath.Join(dir, own, "manifest.jsonl"))); n != 41 {
		t.Errorf("the manifest has %d lines", n)
	}
	for _, pattern := range []string{"*.partial", "*/*.partial", "*/*/*.partial"} {
		if left, err := filepath.Glob(filepath.Join(dir, pattern)); err != nil || left != nil {
			t.Errorf("left: %v, %v", left, err)
		}
	}
}

// TestScrape checks that one URL and many behave alike, and that an error page is not
// printed.
func TestScrape(t *testing.T) {
	url, _, _ := newSite(t, 4)
	code, out, said := call(t, "", "scrape", url+"/p/1", "--allow-private")
	if code != 0 || said != "" || !strings.HasPrefix(out, "# Page 1\n") {
		t.Errorf("exit %d, %q %s", code, out, said)
	}
	code, out, said = call(t, "", "scrape", "--allow-private", url+"/p/1", url+"/gone", url+"/p/2")
	if code != exitInput || !strings.Contains(out, "<!-- "+url+"/p/2 -->") || strings.Contains(out, "404 page") || !strings.Contains(said, url+"/gone: the site answered 404") {
		t.Errorf("exit %d, %q %s", code, out, said)
	}
	code, out, said = call(t, "", "scrape", "--json", "--form", "links", "--allow-private", url+"/p/1", url+"/broken")
	if code != exitInput || strings.Count(out, "\n") != 1 || !strings.Contains(out, `"links":["`+url+`/p/2"`) {
		t.Errorf("exit %d, %q %s", code, out, said)
	}
	for line := range strings.Lines(said) {
		if !json.Valid([]byte(line)) {
			t.Errorf("%q is no JSON", line)
		}
	}
	dir := t.TempDir()
	if code, out, said := call(t, "", "scrape", "-o", dir, "--allow-private", url+"/p/1", url+"/gone"); code != exitInput || out != "" || len(files(t, dir)) != 1 {
		t.Errorf("exit %d, %q %s", code, out, said)
	}
	if code, _, said := call(t, "", "scrape", url); code != exitInput || !strings.Contains(said, "--allow-private") {
		t.Errorf("exit %d, %s", code, said)
	}
}

func TestMap(t *testing.T) {
	url, _, _ := newSite(t, 4)
	code, out, said := call(t, "", "map", url, "--allow-private")
	if found := strings.Split(strings.TrimSpace(out), "\n"); code != 0 || !slices.Contains(found, url+"/p/1") {
		t.Errorf("exit %d, %q %s", code, out, said)
	}
	code, out, _ = call(t, "", "map", url, "--allow-private", "--json")
	var found struct{ URLs []string }
	if err := json.Unmarshal([]byte(out), &found); code != 0 || err != nil || len(found.URLs) == 0 {
		t.Errorf("exit %d, %v: %s", code, err, out)
	}
}

// TestParse reads files, a folder and the standard input.
func TestParse(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.csv": "x,y\n1,2\n", "sub/A.csv": "z\n3\n", "sub/bad.pdf": "%PDF-1.4\nnothing", "page.html": "<title>T</title><h1>Head</h1><p>Text.</p>",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code, out, said := call(t, "a,b\n1,2\n", "parse", "-"); code != 0 || said != "" || out != "a,b\n1,2\n" {
		t.Errorf("exit %d, %q %s", code, out, said)
	}
	if code, out, said := call(t, "<!DOCTYPE html><title>T</title><p>", "parse", "-"); code != exitInput || out != "" || !strings.Contains(said, "the document has no text") {
		t.Errorf("an empty document: exit %d, %q %s", code, out, said)
	}
	to := filepath.Join(dir, "out")
	code, out, said := call(t, "", "parse", dir, filepath.Join(dir, "sub"), "-o", to)
	if code != exitInput || out != "" || !strings.Contains(said, "bad.pdf: ") || !regexp.MustCompile(`csv +3 +\d +0`).MatchString(said) {
		t.Errorf("exit %d, %q %s", code, out, said)
	}
	var names []string
	err := filepath.WalkDir(to, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(to, path)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	if want := []string{"A.csv.md", "a.csv-2.md", "a.csv.md", "page.html.md", "sub/A.csv.md"}; err != nil || len(names) != 4 {
		t.Errorf("files %v, %v; want four of %v", names, err, want)
	}
	if _, err := os.Stat(filepath.Join(to, own)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that only a crawl needs: %v", err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(dir, "sub"), link); err == nil {
		if code, out, said := call(t, "", "parse", link); code != exitInput || !strings.Contains(out, "A.csv") {
			t.Errorf("a link to a folder: exit %d, %q %s", code, out, said)
		}
	}
	code, out, _ = call(t, "", "parse", "--json", dir)
	if code != exitInput || strings.Count(out, "\n") < 3 {
		t.Errorf("exit %d, %s", code, out)
	}
	for line := range strings.Lines(out) {
		if !json.Valid([]byte(line)) {
			t.Errorf("%q is no JSON", line)
		}
	}
	if code, _, said := call(t, "", "parse", filepath.Join(dir, "none.pdf")); code != exitBroken || !strings.Contains(said, "none.pdf: ") || strings.Contains(said, "stat") {
		t.Errorf("exit %d, %s", code, said)
	}
}

// TestUsage checks that wrong command lines end with code 2 and a sentence that says what
// to do, before anything is written.
func TestUsage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	for _, tt := range []struct{ args, want string }{
		{"", "no command"},
		{"fetch", "curlew help lists the commands"},
		{"example.com", "curlew crawl example.com"},
		{"crawl", "crawl needs a URL"},
		{"crawl a.test b.test", `unexpected argument "b.test"`},
		{"crawl a.test --limit 0", "--limit is at least 1"},
		{"crawl a.test --limit x", "limit"},
		{"crawl a.test --sitemap maybe", "include, skip or only"},
		{"crawl a.test --delay fast", "500ms"},
		{"crawl a.test --form picture", "--form is one of"},
		{"crawl a.test --since yesterday", `--since is "last"`},
		{"crawl a.test --since last --resume", "exclude each other"},
		{"crawl a.test --nonsense", "nonsense"},
		{"scrape", "scrape needs a URL"},
		{"scrape --form links a.test", "need --json"},
		{"scrape --form picture a.test", "must be markdown or one of"},
		{"scrape --timeout 0s a.test", "more than zero"},
		{"scrape --json -o x a.test", "-o writes Markdown files"},
		{"map", "map needs a URL"},
		{"map a.test b.test", "unexpected argument"},
		{"map a.test --limit 0", "at least 1"},
		{"search", "search needs a query"},
		{"search x --limit 101", "1 to 100"},
		{"search x --site a --not-site b", "exclude each other"},
		{"agent", "agent needs a question"},
		{"agent x --max-credits 0", "at least 1"},
		{"agent x --strict-urls", "needs --url"},
		{"parse", "parse needs a file"},
		{"parse https://a.test/b.pdf", "use curlew scrape https://a.test/b.pdf"},
		{"parse x --workers -1", "at least 0"},
		{"version x", "unexpected argument"},
		{"serve x", "unexpected argument"},
		{"serve --nonsense", "nonsense"},
		{"keys", "needs new, list or revoke"},
		{"keys new", "keys needs --store"},
	} {
		args := strings.Fields(tt.args)
		if len(args) > 0 && args[0] == "crawl" {
			args = append(args, "-o", dir)
		}
		code, out, said := call(t, "", args...)
		if code != exitUsage || out != "" || !strings.Contains(said, tt.want) {
			t.Errorf("%q: exit %d, %q %s", tt.args, code, out, said)
		}
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder was made: %v", err)
	}
	for _, args := range [][]string{{"help"}, {"crawl", "-h"}, {"serve", "-h"}, {"keys", "-h"}, {"version"}, {"version", "--json"}} {
		if code, out, said := call(t, "", args...); code != 0 || out+said == "" {
			t.Errorf("%v: exit %d", args, code)
		}
	}
}

func TestClean(t *testing.T) {
	if got := clean("a\x1b[31mb\u202ec\nd\u009be\u2066"); got != "a[31mbc de" {
		t.Errorf("%q", got)
	}
}

// TestCancel checks that a crawl ends with its context.
func TestCancel(t *testing.T) {
	url, _, held := newSite(t, 40)
	held.Store(5)
	dir := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var out, said bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"crawl", url, "-o", dir, "--allow-private", "--sitemap=skip"}, strings.NewReader(""), &out, &said)
	}()
	awaitFiles(t, dir, 5, ended)
	stop()
	if code := <-ended; code != exitBroken || !strings.Contains(said.String(), "continue with") {
		t.Errorf("exit %d, %s", code, &said)
	}
}

// TestDocs checks that docs/command.md names each flag, and no other.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/command.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, c := range commands() {
		_, _, help := call(t, "", c.name, "-h")
		for _, m := range regexp.MustCompile(`(?m)^  -(\S+)`).FindAllStringSubmatch(help, -1) {
			known[m[1]] = true
			if !regexp.MustCompile("`--?" + regexp.QuoteMeta(m[1]) + "[` ]").Match(text) {
				t.Errorf("docs/command.md does not describe --%s of %s", m[1], c.name)
			}
		}
		if !strings.Contains(string(text), "`"+c.name) {
			t.Errorf("docs/command.md does not describe %s", c.name)
		}
	}
	for _, m := range regexp.MustCompile("`(?:curlew [a-z]+ )?--([a-z-]+)").FindAllSubmatch(text, -1) {
		if !known[string(m[1])] {
			t.Errorf("docs/command.md describes --%s, which no command has", m[1])
		}
	}
}
