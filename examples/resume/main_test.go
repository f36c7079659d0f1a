// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"example.com/curlew/internal/test/leak"
)

// TestMain runs the program itself in the processes that the test starts.
func TestMain(m *testing.M) {
	if os.Getenv("CURLEW_RESUME") != "" {
		main()
		return
	}
	leak.Main(m)
}

// TestKill kills the program after every few pages and restarts it until it
// ends by itself. Each page must be printed, and only the last one before a
// kill may be printed twice.
func TestKill(t *testing.T) {
	const pages, every = 60, 13
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d", &n); (err != nil && r.URL.Path != "/") || n >= pages {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		for _, next := range []int{2*n + 1, 2*n + 2} {
			if next < pages {
				fmt.Fprintf(w, `<a href="/%d">%d</a> `, next, next)
			}
		}
	}))
	defer site.Close()
	dir := filepath.Join(t.TempDir(), "state")
	printed := map[string]int{}
	kills := 0
	for ended := false; !ended; {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		program := exec.CommandContext(t.Context(), self, "-allow-private", site.URL, dir) // #nosec G204 -- runs this test's own executable
		program.Env = append(os.Environ(), "CURLEW_RESUME=1")
		var status bytes.Buffer
		program.Stderr = &status
		out, err := program.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := program.Start(); err != nil {
			t.Fatal(err)
		}
		n := 0
		for lines := bufio.NewScanner(out); lines.Scan(); {
			printed[lines.Text()]++
			if n++; n == every {
				_ = program.Process.Kill() // the pipe may still contain output
				kills++
			}
		}
		if err := program.Wait(); n < every {
			if ended = true; err != nil {
				t.Fatalf("the program ended with %v: %s", err, &status)
			}
		}
		if kills > pages {
			t.Fatal("the crawl does not go on")
		}
	}
	if len(printed) != pages || kills < 2 {
		t.Errorf("%d pages, want %d, after %d kills", len(printed), pages, kills)
	}
	twice := 0
	for _, n := range printed {
		twice += n - 1
	}
	if twice > kills {
		t.Errorf("%d pages were printed twice after %d kills", twice, kills)
	}
}
