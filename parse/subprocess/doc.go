// SPDX-License-Identifier: Apache-2.0

// Package subprocess reads documents in child processes: a wall between a
// document and the host.
//
// A [Runner] is given to a parse.Engine as its Isolate. Each document is then
// read in a process of its own, with bounds of memory and of CPU time that the
// operating system enforces, and without the host's environment and files. The
// process is killed, with all that it may have started, when the document is
// read, when the caller's ctx ends, or when a bound is met. Whatever happens to
// it is an error of that document alone.
//
// The child is the host's own program, started again. [Main] has to be the
// first call of its main function:
//
//	func main() {
//		subprocess.Main() // does not return in a child
//		engine := parse.Engine{Isolate: &subprocess.Runner{}}
//		...
//	}
//
// An OCR engine and a renderer of the parse.Engine stay in the host: the child
// asks the host for each picture. What the child answers is taken for foreign
// bytes: it is bounded and checked, and nothing in it is run.
//
// It works on Linux and macOS. On macOS the bound of memory is advisory. On other
// systems every document fails with [ErrPlatform].
package subprocess
