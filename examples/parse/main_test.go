// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/curlew/internal/test/leak"
	"example.com/curlew/parse/parsetest"
)

func TestMain(m *testing.M) { leak.Main(m) }

// files writes a small directory of documents.
func files(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.html":      "<title>A</title><h1>Title</h1><p>Some <b>bold</b> text.</p>",
		"sub/t.csv":   "a,b\n1,2\n",
		"sub/n.md":    "# Note\n",
		"picture.png": "\x89PNG\r\n\x1a\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestOne(t *testing.T) {
	var out, status bytes.Buffer
	if err := run(t.Context(), []string{filepath.Join(files(t), "a.html")}, &out, &status); err != nil {
		t.Fatal(err)
	}
	if want := "# Title\n\nSome **bold** text."; strings.TrimSpace(out.String()) != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	if status.Len() > 0 {
		t.Errorf("one file, and yet a status: %q", status.String())
	}
}

func TestFolder(t *testing.T) {
	var out, status bytes.Buffer
	to := filepath.Join(t.TempDir(), "out")
	err := run(t.Context(), []string{"-o", to, "-json", files(t)}, &out, &status)
	if err == nil || !strings.Contains(status.String(), "picture.png: ") {
		t.Errorf("the picture's failure is not told: %v, %s", err, status.String())
	}
	for _, name := range []string{"a.html.json", "sub/t.csv.json", "sub/n.md.json"} {
		data, err := os.ReadFile(filepath.Join(to, name))
		if err != nil {
			t.Error(err)
			continue
		}
		var doc struct{ Markdown string }
		if err := json.Unmarshal(data, &doc); err != nil || doc.Markdown == "" {
			t.Errorf("%s: %v in %s", name, err, data)
		}
	}
	if s := status.String(); strings.Contains(s, "\r") || !strings.Contains(s, "with warnings") || !strings.Contains(s, "csv ") {
		t.Errorf("status %q", s)
	}
}

func TestNothing(t *testing.T) {
	for _, args := range [][]string{nil, {"nowhere"}, {"-x"}} {
		if err := run(t.Context(), args, new(bytes.Buffer), new(bytes.Buffer)); err == nil {
			t.Errorf("parse %v succeeded", args)
		}
	}
}

// TestNames uses two files with the same name, and a dangling link.
func TestNames(t *testing.T) {
	a, b, to := files(t), files(t), filepath.Join(t.TempDir(), "out")
	if err := os.Symlink("nowhere", filepath.Join(a, "gone.csv")); err != nil {
		t.Skip(err)
	}
	var status bytes.Buffer
	err := run(t.Context(), []string{"-o", to, a, b, filepath.Join(b, "a.html")}, new(bytes.Buffer), &status)
	if err == nil || !strings.Contains(err.Error(), "3 of 10 files failed") || !strings.Contains(status.String(), "gone.csv: ") {
		t.Errorf("%v, %s", err, status.String())
	}
	for _, name := range []string{"a.html.md", "a-2.html.md", "a-3.html.md", "sub/t.csv.md", "sub/t-2.csv.md"} {
		if _, err := os.Stat(filepath.Join(to, name)); err != nil {
			t.Error(err)
		}
	}
}

// TestStopped uses a ctx that has already ended: no file is read, and the
// program says so.
func TestStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var status bytes.Buffer
	if err := run(ctx, []string{files(t)}, new(bytes.Buffer), &status); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %s", err, status.String())
	}
}

// TestOCR reads an image of a page.
func TestOCR(t *testing.T) {
	if _, err := exec.LookPath("tesseract"); err != nil {
		t.Skip("the program tesseract is not installed")
	}
	path := filepath.Join(t.TempDir(), "page.png")
	if err := os.WriteFile(path, parsetest.Page(t).Data, 0o600); err != nil {
		t.Fatal(err)
	}
	var out, status bytes.Buffer
	if err := run(t.Context(), []string{"-ocr", path}, &out, &status); err != nil {
		t.Fatal(err)
	}
	for _, word := range parsetest.Words() {
		if !strings.Contains(out.String(), word) {
			t.Errorf("%q lacks %q", out.String(), word)
		}
	}
}
