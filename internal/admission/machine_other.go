// SPDX-License-Identifier: Apache-2.0

//go:build !linux && !darwin

package admission

// Free returns false: it is not known how many bytes are free.
func Free(string) (int64, bool) { return 0, false }

// Descriptors returns false: it is not known how many may be open.
func Descriptors() (int, bool) { return 0, false }
