// SPDX-License-Identifier: Apache-2.0

//go:build !linux && !darwin

package admission

// Free returns false, because the free space is unknown.
func Free(string) (int64, bool) { return 0, false }

// Descriptors returns false, because the limit is unknown.
func Descriptors() (int, bool) { return 0, false }
