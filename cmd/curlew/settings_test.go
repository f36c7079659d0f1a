// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSettings checks where settings come from: the command line, then the environment, then
// the file of --config, of CURLEW_CONFIG, or of the user.
func TestSettings(t *testing.T) {
	var agent string
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agent = r.UserAgent()
		_, _ = w.Write([]byte("<title>T</title><p>Text.</p>"))
	}))
	t.Cleanup(site.Close)
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	scrape := func(want string, args ...string) {
		t.Helper()
		agent = ""
		if code, _, said := call(t, "", append([]string{"scrape", site.URL}, args...)...); code != 0 || agent != want {
			t.Errorf("%v: exit %d, %s, user agent %q instead of %q", args, code, said, agent, want)
		}
	}
	one := file("one.json", `{"settings": {"user-agent": "one", "allow-private": true, "addr": "127.0.0.1:1"}, "teams": []}`)
	scrape("one", "--config", one)
	scrape("flag", "--config", one, "--user-agent", "flag")
	t.Setenv("CURLEW_CONFIG", one)
	scrape("one")
	t.Setenv("CURLEW_USER_AGENT", "variable")
	scrape("variable")
	scrape("flag", "--user-agent", "flag")
	t.Setenv("CURLEW_USER_AGENT", "")
	t.Setenv("CURLEW_CONFIG", "")
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("HOME", dir)
	user, err := os.UserConfigDir()
	if err != nil {
		t.Fatal(err)
	}
	rel, err := filepath.Rel(dir, user)
	if err != nil {
		t.Fatal(err)
	}
	file(filepath.Join(rel, "curlew", "config.json"), `{"settings": {"user-agent": "user", "allow-private": true}}`)
	scrape("user")
	// One proxy on the command line replaces a list in the file.
	list := file("proxies.txt", "http://127.0.0.1:1\n")
	rival := file("rival.json", `{"settings": {"allow-private": true, "proxy-file": "`+filepath.ToSlash(list)+`"}}`)
	for _, args := range [][]string{{"--config", rival}, {"--config", rival, "--proxy", "http://127.0.0.1:1"}} {
		if code, _, said := call(t, "", append([]string{"scrape", site.URL}, args...)...); code != exitInput || strings.Contains(said, "exclude") || !strings.Contains(said, "proxy") {
			t.Errorf("%v: exit %d, %s", args, code, said)
		}
	}
	for text, want := range map[string]string{
		`{"settings": {"limit": 3}}`:               "settings.limit: there is no such setting",
		`{"settings": {"user-agent": []}}`:         "must be a string",
		`{"settings": {"allow-private": "maybe"}}`: "invalid value",
		`{"nonsense": 1}`:                          "nonsense",
		``:                                         "EOF",
	} {
		if code, _, said := call(t, "", "scrape", site.URL, "--config", file("bad.json", text)); code != exitUsage || !strings.Contains(said, want) {
			t.Errorf("%s: exit %d, %s", text, code, said)
		}
	}
	if code, _, said := call(t, "", "scrape", site.URL, "--config", filepath.Join(dir, "none.json")); code != exitUsage || !strings.Contains(said, "none.json") {
		t.Errorf("exit %d, %s", code, said)
	}
	if code, out, _ := call(t, "", "version", "--config", filepath.Join(dir, "none.json")); code != 0 || out == "" {
		t.Errorf("version needs no settings, but exit %d", code)
	}
}

// TestVerbose checks what -v adds, and that only a terminal gets colors.
func TestVerbose(t *testing.T) {
	url, _, _ := newSite(t, 3)
	dir := t.TempDir()
	code, _, said := call(t, "", "crawl", url, "-v", "-o", dir, "--allow-private", "--sitemap=skip")
	if code != 0 || !strings.Contains(said, url+"/gone: no file: the site answered 404") || !strings.Contains(said, url+"/p/2: 200, ") || strings.Contains(said, "\x1b") {
		t.Errorf("exit %d, %s", code, said)
	}
	if code, _, said = call(t, "", "scrape", url+"/p/1", "--verbose", "--allow-private"); code != 0 || !strings.Contains(said, "read in") {
		t.Errorf("exit %d, %s", code, said)
	}
	if code, _, said = call(t, "", "scrape", url+"/p/1", "-v", "-q"); code != exitUsage || !strings.Contains(said, "exclude each other") {
		t.Errorf("exit %d, %s", code, said)
	}
	if _, _, said = call(t, "", "scrape", url+"/gone", "-v", "--json", "--allow-private"); !json.Valid([]byte(strings.Split(said, "\n")[0])) {
		t.Errorf("-v writes other lines than JSON: %s", said)
	}
	e := &env{terminal: true}
	if got := e.paint(red, "x"); got != "\x1b[31mx\x1b[0m" {
		t.Errorf("%q", got)
	}
	t.Setenv("NO_COLOR", "1")
	if got := e.paint(red, "x"); got != "x" {
		t.Errorf("NO_COLOR: %q", got)
	}
	t.Setenv("NO_COLOR", "")
	if e.plain = true; e.paint(red, "x") != "x" {
		t.Error("--no-color has no effect")
	}
}

// TestFormat checks the files of a crawl that writes all pages into one.
func TestFormat(t *testing.T) {
	url, _, _ := newSite(t, 4)
	dir := t.TempDir()
	args := []string{"crawl", url, "-o", dir, "--allow-private", "--sitemap=skip", "--format"}
	code, _, said := call(t, "", append(args, "jsonl")...)
	if code != 0 || !strings.Contains(said, "pages.jsonl (4 pages, ") {
		t.Fatalf("exit %d, %s", code, said)
	}
	all := lines(t, filepath.Join(dir, "pages.jsonl"))
	for _, line := range all {
		if !json.Valid([]byte(line)) || !strings.HasPrefix(line, `{"fetchedAt":"20`) || strings.Contains(line, `"statusCode":404`) {
			t.Errorf("line %s", line)
		}
	}
	if len(all) != 4 || len(files(t, dir)) != 0 {
		t.Errorf("%d lines, %d files", len(all), len(files(t, dir)))
	}
	if manifest := strings.Join(lines(t, filepath.Join(dir, own, "manifest.jsonl")), "\n"); strings.Count(manifest, `"file":"pages.jsonl"`) != 4 {
		t.Errorf("manifest: %s", manifest)
	}
	if code, _, said = call(t, "", "crawl", "--resume", "-o", dir); code != 0 || !strings.Contains(said, "writing its files again") || len(lines(t, filepath.Join(dir, "pages.jsonl"))) != 4 {
		t.Errorf("exit %d, %s", code, said)
	}
	if code, _, said = call(t, "", "crawl", "--resume", "--format", "md", "-o", dir); code != exitUsage || !strings.Contains(said, "these differ: --format") {
		t.Errorf("exit %d, %s", code, said)
	}
	if code, _, said = call(t, "", append(args, "single")...); code != 0 {
		t.Fatalf("exit %d, %s", code, said)
	}
	text, err := os.ReadFile(filepath.Join(dir, "pages.md"))
	if err != nil || strings.Count(string(text), "<!-- "+url) != 4 || !strings.Contains(string(text), "<!-- "+url+"/p/3 -->\n\n# Page 3\n") {
		t.Errorf("%v: %s", err, text)
	}
	if code, _, said = call(t, "", append(args, "csv")...); code != exitUsage || !strings.Contains(said, "md, jsonl, single") {
		t.Errorf("exit %d, %s", code, said)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.partial")); err != nil || left != nil {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestRemoteExport downloads the exports of a crawl on a server.
func TestRemoteExport(t *testing.T) {
	url, _, _ := newSite(t, 4)
	server := serveTest(t)
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "out.zip")
	if code, _, said := call(t, "", "crawl", url, "--sitemap=skip", "--warc", "--remote", server, "-o", dir); code != 0 {
		t.Fatalf("exit %d, %s", code, said)
	}
	if code, _, said := call(t, "", "export", dir); code != exitBroken || !strings.Contains(said, "export it with --remote too") {
		t.Errorf("exit %d, %s", code, said)
	}
	code, out, said := call(t, "", "export", dir, "--remote", server)
	if code != 0 || strings.Count(out, "\n") != 5 || !strings.Contains(out, `"depth":1`) || !strings.Contains(said, "5 pages read") {
		t.Errorf("exit %d, %s%s", code, out, said)
	}
	text, err := os.ReadFile(filepath.Join(dir, memoryFile))
	if err != nil {
		t.Fatal(err)
	}
	var known memory
	if err := json.Unmarshal(text, &known); err != nil {
		t.Fatal(err)
	}
	if code, _, said = call(t, "", "export", known.Last.ID, "--remote", server, "--format=md", "-o", file); code != 0 || !strings.Contains(said, "not as a whole: 1 with an error status") {
		t.Errorf("exit %d, %s", code, said)
	}
	z, err := zip.OpenReader(file)
	if err != nil || len(z.File) != 5 {
		t.Fatal(err)
	}
	z.Close()
	if code, out, said = call(t, "", "export", dir, "--remote", server, "--format", "warc"); code != 0 || !bytes.HasPrefix([]byte(out), []byte("\x1f\x8b")) || !strings.Contains(said, "requests read") {
		t.Errorf("exit %d, %q%s", code, out, said)
	}
	for want, args := range map[string][]string{
		"job not found":           {"00000000-0000-7000-8000-000000000000"},
		"Unknown export format":   {dir, "--format", "xml"},
		"no document has the":     {dir, "--format", "chunks"},
		"no crawl of the server":  {t.TempDir()},
		"needs the id of a job":   {},
		"connection refused":      {known.Last.ID, "--remote", "http://127.0.0.1:1"},
		"unexpected argument \"x": {dir, "x"},
	} {
		code, out, said := call(t, "", append(append([]string{"export", "--remote", server}, args...), "-o", file)...)
		if code == 0 || out != "" || !strings.Contains(strings.ToLower(said), strings.ToLower(want)) {
			t.Errorf("%v: exit %d, %s%s instead of %q", args, code, out, said, want)
		}
	}
}
