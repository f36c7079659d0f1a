// SPDX-License-Identifier: Apache-2.0

package leak

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) { Main(m) }

func TestRemaining(t *testing.T) {
	before := stacks()
	if left := remaining(before, 0); len(left) != 0 {
		t.Fatalf("nothing started, %d goroutines left:\n%s", len(left), strings.Join(left, "\n"))
	}
	stop := make(chan struct{})
	go waitFor(stop)
	left := remaining(before, 20*time.Millisecond)
	if len(left) != 1 || !strings.Contains(left[0], "leak.waitFor") {
		t.Errorf("one goroutine waits, remaining = %q", left)
	}
	close(stop)
	if left := remaining(before, patience); len(left) != 0 {
		t.Errorf("it has ended, remaining = %q", left)
	}
}

// TestRemainingWaits has a goroutine that ends a little later.
func TestRemainingWaits(t *testing.T) {
	before := stacks()
	stop := make(chan struct{})
	go waitFor(stop)
	time.AfterFunc(50*time.Millisecond, func() { close(stop) })
	if left := remaining(before, patience); len(left) != 0 {
		t.Errorf("a goroutine that ends within patience is reported: %q", left)
	}
}

// TestMainExit runs this binary again with a test that leaks a goroutine.
func TestMainExit(t *testing.T) {
	if os.Getenv("LEAK_FOR_EVER") != "" {
		go waitFor(make(chan struct{}))
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMainExit$")
	cmd.Env = append(os.Environ(), "LEAK_FOR_EVER=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "leak: 1 goroutines left") || !strings.Contains(string(out), "leak.waitFor") {
		t.Errorf("a leaking binary ended with %v and said:\n%s", err, out)
	}
}

func waitFor(stop chan struct{}) { <-stop }
