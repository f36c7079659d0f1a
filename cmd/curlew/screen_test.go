// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// hostileText has characters that control a terminal or change the order of its text, as
// characters and as a byte that is not UTF-8, and an end within a character.
const hostileText = "a\x1b]0;t\x07b\u009b2Jc\r\bd\u202ee\u061cf\u200fg\x9bh\n\ti żółw 鷸\xe9\xb7"

// TestOutput expects that no such character reaches a terminal, wherever the writes cut the
// text, and that a file gets all of it.
func TestOutput(t *testing.T) {
	const want = "a]0;tb2Jcdefg\ufffdh\n\ti żółw 鷸\ufffd\ufffd"
	for size := 1; size <= len(hostileText); size++ {
		var shown, stored bytes.Buffer
		terminal, file := &output{w: &shown, terminal: true}, &output{w: &stored}
		for rest := []byte(hostileText); len(rest) > 0; {
			n := min(size, len(rest))
			if k, err := io.MultiWriter(terminal, file).Write(rest[:n]); k != n || err != nil {
				t.Fatalf("%d of %d bytes, %v", k, n, err)
			}
			rest = rest[n:]
		}
		if err := errors.Join(terminal.flush(), file.flush()); err != nil {
			t.Fatal(err)
		}
		if got := shown.String(); got != want {
			t.Errorf("in pieces of %d bytes: %q, want %q", size, got, want)
		}
		if got := stored.String(); got != hostileText {
			t.Errorf("to a file: %q", got)
		}
	}
}

func FuzzOutput(f *testing.F) {
	f.Add([]byte(hostileText), 3)
	f.Fuzz(func(t *testing.T, text []byte, at int) {
		at = min(max(at, 0), len(text))
		var whole, halves bytes.Buffer
		for b, parts := range map[*bytes.Buffer][][]byte{&whole: {text}, &halves: {text[:at], text[at:]}} {
			o := &output{w: b, terminal: true}
			for _, part := range parts {
				if n, err := o.Write(part); n != len(part) || err != nil {
					t.Fatal(n, err)
				}
			}
			if err := o.flush(); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(whole.Bytes(), halves.Bytes()) {
			t.Errorf("cut at %d: %q and %q", at, &whole, &halves)
		}
		if i := strings.IndexFunc(whole.String(), func(r rune) bool { return controls(r) && r != '\n' && r != '\t' }); i >= 0 {
			t.Errorf("%q has a control character at %d", &whole, i)
		}
	})
}

// full is a standard output that has no room.
type full struct{}

var errFull = errors.New("no space left on device")

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestFullOutput expects that a command ends when its results cannot be written, in place of
// reading what cannot be shown.
func TestFullOutput(t *testing.T) {
	var asked atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" {
			asked.Add(1)
		}
		fmt.Fprint(w, "<title>A</title><p>Some text for the page.")
	}))
	t.Cleanup(site.Close)
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte("Some text."), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"scrape", "--allow-private", site.URL + "/1", site.URL + "/2"},
		{"scrape", "--json", "--allow-private", site.URL + "/1", site.URL + "/2"},
		{"parse", file, file, file},
		{"parse", "--json", file, file, file},
		{"version"},
		{"man"},
	} {
		asked.Store(0)
		var said bytes.Buffer
		if code := run(t.Context(), args, strings.NewReader(""), full{}, &said); code != exitBroken || strings.Count(said.String(), errFull.Error()) != 1 {
			t.Errorf("%q: exit %d, want %d: %s", args, code, exitBroken, &said)
		}
		if n := asked.Load(); n > 1 {
			t.Errorf("%q: %d pages were requested after the first one could not be written", args, n-1)
		}
	}
}

// TestWrongValues expects exit code 2, and the name of what is wrong, before anything is
// requested or written.
func TestWrongValues(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(file, []byte("Some text."), 0o600); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "missing")
	for _, c := range []struct {
		says string
		args []string
	}{
		{"ftp://site.test", []string{"crawl", "ftp://site.test", "-o", filepath.Join(dir, "pages")}},
		{"http://", []string{"crawl", "http://", "-o", filepath.Join(dir, "pages")}},
		{"ftp://site.test", []string{"map", "ftp://site.test"}},
		{"--include", []string{"crawl", "--include", "(", "site.test"}},
		{"--exclude", []string{"crawl", "--exclude", "a", "--exclude", "[", "site.test"}},
		{"--proxy", []string{"scrape", "--proxy", "foo://user:secret@proxy", "site.test"}},
		{"--proxy", []string{"map", "--proxy", "direct", "site.test"}},
		{"--user-agent", []string{"scrape", "--user-agent", "a\nb", "site.test"}},
		{"-proxy", []string{"serve", "--addr", "127.0.0.1:0", "--proxy", "foo://user:secret@proxy"}},
		{"--password-file", []string{"parse", "--password-file", missing, file}},
		{"--schema", []string{"scrape", "--schema", missing, "site.test"}},
		{"--schema", []string{"agent", "--schema", missing, "What?"}},
		{"--api-key-file", []string{"scrape", "--remote", "http://127.0.0.1:1", "--api-key-file", missing, "site.test"}},
	} {
		code, out, said := call(t, "", c.args...)
		if code != exitUsage || !strings.Contains(said, c.says) || strings.Contains(said, "secret") || out != "" {
			t.Errorf("%q: exit %d, want %d: %s%s", c.args, code, exitUsage, out, said)
		}
	}
}
