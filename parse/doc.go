// SPDX-License-Identifier: Apache-2.0

// Package parse reads documents: bytes -> tree.
//
// [Engine.Parse] finds out what a document is from its bytes, its name and
// declared type deciding among kinds of text only, and gives it as one tree of
// HTML nodes with what the document says of itself and warnings of what was
// lost. [Detect] is the first half alone. HTML comes out as written; other
// kinds are written in the vocabulary of HTML with data attributes.
//
//	var e parse.Engine
//	src, err := parse.File("a.csv") // or parse.Bytes, or a Source with a reader of its own
//	if err != nil {
//		return err
//	}
//	defer src.Close()
//	tree, err := e.Parse(ctx, src, parse.Options{})
//
// Read is every [Kind]; images by the [OCR] of the engine alone, and refused
// with [ErrUnsupported] where it has none. [Engine].Readers adds kinds. A
// document is at most 50 MiB and its tree at most 600,000 nodes ([Limits]).
// What a container holds, containers within it included, is inflated to at most
// 512 MiB.
//
// # Security
//
// Every document is taken for hostile. Reading is bounded in time and memory
// by its size; nothing is fetched, run or written; a reader that panics makes
// [ErrCorrupt]. The tree is as hostile as the document: raw HTML in Markdown
// stays, javascript links stay.
package parse
