// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

package admission

import (
	"math"
	"syscall"
)

// Free returns how many bytes this process can still write to the disk of a
// directory, or false if that is unknown.
func Free(dir string) (int64, bool) {
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) != nil {
		return 0, false
	}
	return saturated(st.Bavail, uint64(st.Bsize)), true //nolint:gosec // block sizes are positive
}

// saturated returns the product, or the largest int64 if the product is larger.
func saturated(a, b uint64) int64 {
	if b != 0 && a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return int64(a * b) //nolint:gosec // limited above
}

// Descriptors returns how many files and connections the process may have open,
// or false if that is unknown.
func Descriptors() (int, bool) {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0, false
	}
	return int(min(limit.Cur, math.MaxInt32)), true
}
