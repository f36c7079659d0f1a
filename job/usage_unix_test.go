// SPDX-License-Identifier: Apache-2.0

//go:build unix

package job_test

import (
	"syscall"
	"testing"
	"time"
)

// usage returns the CPU time of the process so far.
func usage(tb testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
