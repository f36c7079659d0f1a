// SPDX-License-Identifier: Apache-2.0

// Package parse reads documents: bytes -> tree.
//
// [Engine.Parse] finds out what a document is from its bytes, its name and
// declared type deciding among kinds of text only, and gives it as one tree of
// HTML nodes with what the document says of itself and warnings of what was
// lost. [Detect] is the first half alone.
//
//	var e parse.Engine
//	src, err := parse.File("a.csv") // or parse.Bytes, or a Source with a reader of its own
//	if err != nil {
//		return err
//	}
//	defer src.Close()
//	tree, err := e.Parse(ctx, src, nil)
//
// Read is every [Kind]; images by the [OCR] of the engine alone, and refused
// with [ErrUnsupported] where it has none. [Engine].Readers adds kinds. A
// document is at most 50 MiB and its tree at most 600,000 nodes ([Limits]).
// What a container holds, containers within it included, is inflated to at most
// 512 MiB.
//
// # What to do with a tree
//
// Package markdown writes a tree as Markdown:
//
//	err := markdown.Render(ctx, w, tree.Root, &markdown.Options{SkipRunning: true})
//
// SkipRunning leaves out the headers, footers and page numbers that PDF and
// office documents repeat on each page. The tree of an HTML page is the page as
// it was written: with navigation, and with relative references, which
// markdown.Options.Base resolves. Package format selects the main content of a
// page and resolves its references. The trees of other kinds use the elements of
// HTML, with data attributes for what HTML has no element for. For text, Markdown,
// JSON and XML, [Tree].Verbatim is the text itself: Markdown that is read and
// written again loses its raw HTML and its spelling.
//
// [Tree.WriteHTML] writes a tree as HTML. Readers and writers may share a tree:
// neither package changes one.
//
// # Security
//
// Every document is taken for hostile. Reading is bounded in time and memory
// by its size; nothing is fetched, run or written; a reader that panics makes
// [ErrCorrupt]. The tree is as hostile as the document: raw HTML in Markdown
// stays, javascript links stay.
package parse
