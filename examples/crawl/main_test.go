// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// TestDemo crawls the demo site, as the program does without arguments.
func TestDemo(t *testing.T) {
	dir := t.TempDir()
	var status bytes.Buffer
	if err := run(t.Context(), []string{"-o", dir, "-limit", "60", "-sitemap", "skip"}, io.Discard, &status); err != nil {
		t.Fatal(err)
	}
	files := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			_, name, _ := strings.Cut(strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(dir)+"/"), "/")
			files[name] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 60 || !files["index.md"] || !files["birds/curlew.md"] {
		t.Errorf("%d files: %v", len(files), files)
	}
	if !regexp.MustCompile(`60 pages, 0 in progress, .*\n`).MatchString(status.String()) {
		t.Errorf("the last progress is missing: %q", status.String())
	}
	front, err := filepath.Glob(filepath.Join(dir, "*", "index.md"))
	if err != nil || len(front) != 1 {
		t.Fatalf("front pages %v, %v", front, err)
	}
	text, err := os.ReadFile(front[0])
	if err != nil || !bytes.HasPrefix(text, []byte("# The Wader Trust\n")) {
		t.Errorf("the front page is %.60q, %v", text, err)
	}
}

// TestDescribe checks that zeros are omitted.
func TestDescribe(t *testing.T) {
	s := frontier.Stats{Delivered: 7, Leased: 2, Pending: 5, Blocked: 1, Resumes: time.Now().Add(90 * time.Second)}
	s.Refused[scope.RuleDuplicate], s.Refused[scope.RuleExternal], s.Refused[scope.RuleTrap] = 40, 3, 1
	s.Endless.Left = 12
	until := time.Now().Add(time.Hour)
	s.Waits = []frontier.HostWait{{Host: "a.test", Gap: 7 * time.Second, Cause: "crawl-delay", Until: until}, {Host: "b.test"}}
	want := "7 pages, 2 in progress, 5 waiting, 1 disallowed by robots.txt, 40 links to known pages, 4 links out of scope, " +
		"12 URLs of endless spaces left for last, waiting for a.test (crawl-delay, 7s between requests, until " + until.Format(time.TimeOnly) + "), nothing can be requested for 1m30s"
	if got := describe(&s); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestNoPage checks that the program fails if there is nothing to write.
func TestNoPage(t *testing.T) {
	var status bytes.Buffer
	err := run(t.Context(), []string{"-o", t.TempDir(), "127.0.0.1/"}, io.Discard, &status)
	if err == nil || !strings.Contains(err.Error(), "no page") {
		t.Errorf("a crawl of an address that the guard refuses ends with %v", err)
	}
	for _, want := range []string{"https://127.0.0.1/", "fetch.Client.Allow", "-allow-private"} {
		if !strings.Contains(status.String(), want) {
			t.Errorf("no %q in %s", want, &status)
		}
	}
}

func TestFlags(t *testing.T) {
	for _, args := range [][]string{{"-depth", "x"}, {"-sitemap", "maybe"}, {"a", "b"}, {"-serve", "nonsense"}, {"-include", "(", "http://a.test/"}, {"ftp://a.test/"}} {
		if err := run(t.Context(), append([]string{"-o", t.TempDir()}, args...), io.Discard, io.Discard); err == nil {
			t.Errorf("crawl %v succeeded", args)
		}
	}
}

// TestServe serves the demo site until it is stopped.
func TestServe(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	var out bytes.Buffer
	if err := run(ctx, []string{"-serve", "127.0.0.1:0"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "http://127.0.0.1:") {
		t.Errorf("printed %q", out.String())
	}
}
