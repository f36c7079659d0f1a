// SPDX-License-Identifier: Apache-2.0

//go:build race

package memtest

// Race reports whether the race detector is at work: a process then takes a
// multiple of the memory that it takes otherwise, and no bound of memory can be
// checked.
const Race = true
