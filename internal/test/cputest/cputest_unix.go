// SPDX-License-Identifier: Apache-2.0

//go:build unix

// Package cputest measures the CPU time of the test process. A test that limits
// the time of its subject measures it instead of the time on the clock, which
// depends on what else the machine does. On systems other than Unix, it is
// always zero.
package cputest

import (
	"syscall"
	"testing"
	"time"
)

// Used returns the CPU time that the process has used so far.
func Used(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
