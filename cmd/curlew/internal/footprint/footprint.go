// SPDX-License-Identifier: Apache-2.0

// Package footprint makes the start of the program short, and the memory of a server small
// after it.
package footprint

import "runtime/debug"

// startPercent is the setting of the garbage collector during a start. The heap may grow to
// 16 MB before it is collected, instead of 4 MB.
const startPercent = 400

// usual is the setting of the garbage collector outside of a start: 100, or what GOGC says.
// The initializers of all packages allocate 3 MB, and a collection in the middle of them
// makes a start some 3 ms longer. This package imports nothing else, so it is initialised
// before the packages of other modules.
var usual = debug.SetGCPercent(startPercent)

// RestoreGC restores the usual setting of the garbage collector, at the end of a start. The
// main function must call it first.
func RestoreGC() { debug.SetGCPercent(usual) }

// DelayGC lets the heap of a server grow to 16 MB before it is collected. The caller must
// call RestoreGC or Shrink when the server has started.
func DelayGC() { debug.SetGCPercent(startPercent) }

// Shrink ends the start of a server, and returns memory to the system that only the start has
// used. Call it once, some time after the start: it runs the garbage collector, and the
// process maps pages that it still uses again. It never fails: without support of the system
// the process keeps the memory.
//
// The first part is the garbage of initializers. The second part is Linux only: the pages
// of the executable file. Linux maps 16 of them when one is used, and reads many more
// ahead, so that a process that uses few pages, spread over its file, looks large. Below a
// limit of a cgroup it also becomes slow, because pages that it does not need displace
// those that it needs. So Shrink turns reading ahead off, and unmaps the pages. They stay
// in the cache of the system, which maps those again that the process still uses.
func Shrink() {
	RestoreGC()
	debug.FreeOSMemory()
	unmapFile()
}
