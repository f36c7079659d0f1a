// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestLine checks that the line of a crawl says which host it waits for, how long, and why.
func TestLine(t *testing.T) {
	now := time.Now()
	for want, s := range map[string]*state{
		"  3 pages  0/s  queue 2  failed 1":                                   {Pages: 3, Waiting: 2, Failed: 1},
		"  0 pages  0/s  queue 1  waits 20s for a.test (asked to wait)":       {Waiting: 1, Host: "a.test", Cause: "retry-after", Gap: 50 * time.Millisecond, Resumes: now.Add(20 * time.Second)},
		"  0 pages  0/s  queue 1  a.test (is overloaded), gap 50ms":           {Waiting: 1, Host: "a.test", Cause: "overload", Gap: 50 * time.Millisecond, Resumes: now},
		"  0 pages  0/s  queue 1  a.test (a cause of a later server), gap 1s": {Waiting: 1, Host: "a.test\x1b", Cause: "a cause of a later server", Gap: time.Second},
	} {
		if got := (&progress{}).line(s, now); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestWaiting checks that a wait is reported every ten seconds, and no longer than it lasts.
func TestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said bytes.Buffer
		e := &env{err: &said}
		stop := e.waiting("a.test\x1b", time.Minute)
		time.Sleep(25 * time.Second)
		stop()
		stop()
		time.Sleep(time.Minute)
		if want := strings.Repeat("  still waiting for a.test, at most 1m0s in all\n", 2); said.String() != want {
			t.Errorf("%q, want %q", &said, want)
		}
		for _, e := range []*env{{err: &said, quiet: true}, {err: &said, asJSON: true}} {
			said.Reset()
			stop := e.waiting("a.test", 0)
			time.Sleep(time.Minute)
			if stop(); said.Len() > 0 {
				t.Errorf("%q", &said)
			}
		}
	})
}

// TestSpecial checks that links in a folder are left out with a warning.
func TestSpecial(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.csv"), []byte("a,b\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"b.csv": "a.csv", "none.pdf": "/no/such/file", "loop": "."} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	code, out, said := call(t, "", "parse", dir)
	if code != 0 || strings.Count(out, "| 1 | 2 |") != 1 || !strings.Contains(said, "3 links and other special files in folders are left out, such as "+filepath.Join(dir, "b.csv")) {
		t.Errorf("exit %d, %s%s", code, out, said)
	}
	if code, out, said := call(t, "", "parse", filepath.Join(dir, "b.csv")); code != 0 || !strings.Contains(out, "| 1 | 2 |") {
		t.Errorf("a link as an argument: exit %d, %s%s", code, out, said)
	}
	if err := os.Remove(filepath.Join(dir, "a.csv")); err != nil {
		t.Fatal(err)
	}
	if code, _, said := call(t, "", "parse", dir); code != exitBroken || !strings.Contains(said, "only links") {
		t.Errorf("only links: exit %d, %s", code, said)
	}
}
