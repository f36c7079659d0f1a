// SPDX-License-Identifier: Apache-2.0

// Package leak fails a test binary that leaves goroutines running.
package leak

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// patience is the time in which goroutines must end after the last test.
const patience = 2 * time.Second

// Main runs the tests of m and exits with their code. If goroutines remain that
// did not exist before, it prints their stacks on standard error and exits with
// 1. It is the TestMain of every package.
func Main(m *testing.M) {
	before := stacks()
	code := m.Run()
	if left := remaining(before, patience); code == 0 && len(left) > 0 {
		fmt.Fprintf(os.Stderr, "leak: %d goroutines left\n\n%s\n", len(left), strings.Join(left, "\n\n"))
		code = 1
	}
	os.Exit(code)
}

// remaining returns the stacks of the goroutines that are not in before and
// still run after wait.
func remaining(before map[string]string, wait time.Duration) []string {
	for deadline := time.Now().Add(wait); ; time.Sleep(5 * time.Millisecond) {
		var left []string
		for id, stack := range stacks() {
			// The signal loop of the runtime starts with the first Notify and
			// never ends.
			if before[id] == "" && !strings.Contains(stack, "os/signal.signal_recv") {
				left = append(left, stack)
			}
		}
		if len(left) == 0 || time.Now().After(deadline) {
			return left
		}
	}
}

// stacks returns the stacks of all goroutines except the caller's, by id.
func stacks() map[string]string {
	buf := make([]byte, 1<<20)
	n := runtime.Stack(buf, true)
	for n == len(buf) {
		buf = make([]byte, 2*len(buf))
		n = runtime.Stack(buf, true)
	}
	all := make(map[string]string)
	for i, stack := range strings.Split(string(buf[:n]), "\n\n") {
		id, _, _ := strings.Cut(strings.TrimPrefix(stack, "goroutine "), " ")
		if i > 0 { // the first is the caller
			all[id] = stack
		}
	}
	return all
}
