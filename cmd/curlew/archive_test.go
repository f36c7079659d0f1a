// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/zip"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExport writes a crawl as each format.
func TestExport(t *testing.T) {
	url, _, _ := newSite(t, 4)
	dir := t.TempDir()
	if code, _, said := call(t, "", "crawl", url, "-o", dir, "--allow-private", "--sitemap=skip", "--form", "links"); code != 0 {
		t.Fatalf("exit %d, %s", code, said)
	}
	code, out, said := call(t, "", "export", dir)
	if n := strings.Count(out, "\n"); code != 0 || n != 5 {
		t.Errorf("jsonl: exit %d, %d lines, %s", code, n, said)
	}
	code, out, said = call(t, "", "export", dir, "--without-repeats")
	if n := strings.Count(out, "\n"); code != 0 || n != 5 {
		t.Errorf("without repeats: exit %d, %d lines, %s", code, n, said)
	}
	code, out, said = call(t, "", "export", dir, "--format", "links")
	if code != 0 || !strings.HasPrefix(out, "from,status,to\n") || !strings.Contains(out, url+"/p/1,200,"+url+"/p/2\n") {
		t.Errorf("links: exit %d, %s%s", code, out, said)
	}
	archive := filepath.Join(dir, "out.zip")
	code, _, said = call(t, "", "export", "--format=md", "-o", archive, dir)
	if code != 0 || !strings.Contains(said, "not as a whole: 1 with an error status") {
		t.Errorf("md: exit %d, %s", code, said)
	}
	z, err := zip.OpenReader(archive)
	if err != nil || len(z.File) != 5 {
		t.Fatalf("md: %v", err)
	}
	z.Close()
	for want, args := range map[string][]string{
		"crawl --form chunks":            {"export", dir, "--format", "chunks"},
		"curlew crawl --warc":            {"export", dir, "--format", "warc"},
		"unknown export format":          {"export", dir, "--format", "xml"},
		"is not the folder of a crawl":   {"export", t.TempDir()},
		"a job of a server with --remot": {"export", "NOTHERE"},
		"needs the folder of a crawl":    {"export"},
		"unexpected argument \"second\"": {"export", dir, "second"},
	} {
		if code, _, said := call(t, "", args...); code == 0 || !strings.Contains(said, want) {
			t.Errorf("%v: exit %d, %s", args, code, said)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".curlew-*")); err != nil || left != nil {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestWARC writes the web archive of a crawl.
func TestWARC(t *testing.T) {
	url, _, _ := newSite(t, 4)
	dir := t.TempDir()
	if code, _, said := call(t, "", "crawl", url, "-o", dir, "--allow-private", "--warc"); code != 0 {
		t.Fatalf("exit %d, %s", code, said)
	}
	file := filepath.Join(dir, "site.warc.gz")
	code, out, said := call(t, "", "export", dir, "--format", "warc", "-o", file)
	if code != 0 || out != "" || !strings.Contains(said, "requests written") {
		t.Fatalf("exit %d, %s", code, said)
	}
	packed, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"WARC-Type: warcinfo", url + "/robots.txt\r\n", url + "/p/3\r\n", url + "/gone\r\n", "HTTP/1.1 404 Not Found", "<h1>Page 3</h1>"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q", want)
		}
	}
}
