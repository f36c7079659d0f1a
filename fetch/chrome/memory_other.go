// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package chrome

// memory returns zero, because it is not measured on this system.
func memory(int) int64 { return 0 }
