// SPDX-License-Identifier: Apache-2.0

package audit

// BreakFile makes the next write to the file of f fail.
func BreakFile(f *File) { _ = f.file.Close() }
