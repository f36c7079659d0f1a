// SPDX-License-Identifier: Apache-2.0

// Package memtest measures the memory of the test process. It works only on
// Linux; on other systems the test is skipped.
package memtest

import (
	"bytes"
	"os"
	"strconv"
	"testing"
)

// Peak returns the peak memory of the process in bytes.
func Peak(t testing.TB) int {
	t.Helper()
	return status(t, "VmHWM")
}

// Resident returns the resident memory of the process in bytes.
func Resident(t testing.TB) int {
	t.Helper()
	return status(t, "VmRSS")
}

// status returns a number from proc_pid_status(5).
func status(t testing.TB, name string) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("no /proc: the memory of the process cannot be read")
	}
	_, after, _ := bytes.Cut(b, []byte(name+":"))
	line, _, _ := bytes.Cut(after, []byte("kB"))
	kb, err := strconv.Atoi(string(bytes.TrimSpace(line)))
	if err != nil {
		t.Fatal(err)
	}
	return kb << 10
}
