// SPDX-License-Identifier: Apache-2.0

// Package footprint makes the memory of a server small after its start.
package footprint

import "runtime/debug"

// Shrink returns memory to the system that only the start of the process has used. Call it
// once, when the process waits for work. It never fails: without support of the system the
// process keeps the memory.
//
// The first part is the garbage of initializers. The second part is Linux only: the pages
// of the executable file. Linux maps 16 of them when one is used, and reads many more
// ahead, so that a process that uses few pages, spread over its file, looks large. Below a
// limit of a cgroup it also becomes slow, because pages that it does not need displace
// those that it needs. So Shrink turns reading ahead off, and unmaps the pages. They stay
// in the cache of the system, which maps those again that the process still uses.
func Shrink() {
	debug.FreeOSMemory()
	unmapFile()
}
