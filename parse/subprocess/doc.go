// SPDX-License-Identifier: Apache-2.0

// Package subprocess reads documents in child processes, which isolates the
// program from hostile documents.
//
// Set a [Runner] as the Isolate of a parse.Engine. Each document is then
// read in a child process of its own. The operating system bounds the memory
// and the CPU time of the child, and the child does not get the environment
// or the open files of the host. The child and all processes that it started
// are killed when the document is read, when the caller's ctx ends, or when
// a bound is exceeded. Any failure of the child is an error for this
// document only.
//
// The child is the program itself, started again. Its main function must
// call [Main] first:
//
//	func main() {
//		subprocess.Main() // does not return in a child
//		engine := parse.Engine{Isolate: &subprocess.Runner{}}
//		...
//	}
//
// The OCR engine and the renderer of the parse.Engine stay in the host: the
// child sends each picture to the host. The host treats the result of the
// child as untrusted data: it is bounded and checked, and nothing in it is
// executed.
//
// The package works on Linux and macOS. On macOS the kernel does not enforce
// the memory bound. On other systems every document fails with
// [ErrPlatform].
package subprocess
