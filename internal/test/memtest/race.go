// SPDX-License-Identifier: Apache-2.0

//go:build race

package memtest

// Race reports whether the race detector is active. It multiplies the memory of
// the process, so limits of memory cannot be checked.
const Race = true
