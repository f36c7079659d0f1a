// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package footprint

// unmapFile does nothing: other systems have no such advice, or count pages differently.
func unmapFile() {}
