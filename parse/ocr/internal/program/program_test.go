// SPDX-License-Identifier: Apache-2.0

package program_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/curlew/internal/test/leak"
	"example.com/curlew/parse/ocr/internal/program"
)

func TestMain(m *testing.M) { leak.Main(m) }

// script returns the path of a shell script.
func script(t *testing.T, text string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("there are no scripts on windows")
	}
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRun(t *testing.T) {
	var r program.Runner
	out, err := r.Run(t.Context(), program.Command{
		Path: script(t, `echo "$1 $WORD $(cat)"`), Args: []string{"; echo"}, Env: []string{"WORD=b"}, Input: strings.NewReader("c"), Output: 100,
	})
	if string(out) != "; echo b c\n" || err != nil {
		t.Errorf("ran to %q, %v", out, err)
	}
}

func TestFailures(t *testing.T) {
	for _, c := range []struct{ what, path, want string }{
		{"no program", filepath.Join(t.TempDir(), "none"), ""},
		{"it fails", script(t, "echo broken >&2; exit 3"), "broken"},
		{"too much", script(t, "cat /dev/zero"), ""},
		{"too much of a complaint", script(t, "head -c 100000 /dev/zero >&2; exit 1"), ""},
	} {
		var r program.Runner
		_, err := r.Run(t.Context(), program.Command{Path: c.path, Output: 1000})
		if err == nil || len(err.Error()) > 1000 || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

var errStop = errors.New("stopped by the test")

// TestEnd checks that the end of the context stops a running program and
// calls that wait to start one.
func TestEnd(t *testing.T) {
	started := filepath.Join(t.TempDir(), "started")
	c := program.Command{Path: script(t, "touch "+started+"; exec sleep 100"), Output: 10, Processes: 1}
	var r program.Runner
	ctx, stop := context.WithCancelCause(t.Context())
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if _, err := r.Run(ctx, c); !errors.Is(err, errStop) {
				t.Errorf("ended by %v", err)
			}
		})
	}
	for {
		if _, err := os.Stat(started); err == nil {
			break
		}
		time.Sleep(time.Millisecond) // there is no other signal that the program has started
	}
	stop(errStop)
	wg.Wait()
}

// TestProcesses counts how many programs run at once: each creates a file
// while it runs.
func TestProcesses(t *testing.T) {
	dir := t.TempDir()
	path := script(t, `touch "$1/$2"; ls "$1" | wc -l; sleep .05; rm "$1/$2"`)
	var r program.Runner
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			out, err := r.Run(t.Context(), program.Command{Path: path, Args: []string{dir, string(rune('a' + i))}, Output: 100, Processes: 2})
			if n := strings.TrimSpace(string(out)); err != nil || n != "1" && n != "2" {
				t.Errorf("%s at once, %v", n, err)
			}
		})
	}
	wg.Wait()
}
