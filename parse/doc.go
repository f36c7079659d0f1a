// SPDX-License-Identifier: Apache-2.0

// Package parse reads documents and returns them as HTML trees.
//
// [Engine.Parse] detects the kind of a document from its bytes. The name and
// the declared media type decide only between kinds of text. It returns one
// tree of HTML nodes for every kind, with the document's metadata and with
// warnings about what was left out. [Detect] only detects the kind.
//
//	var e parse.Engine
//	src, err := parse.File("a.csv") // or parse.Bytes, or a Source with a reader of its own
//	if err != nil {
//		return err
//	}
//	defer src.Close()
//	tree, err := e.Parse(ctx, src, nil)
//
// The engine reads every [Kind]. It reads images only if it has an [OCR]
// engine; without one they are refused with [ErrUnsupported].
// [Engine].Readers adds kinds. By default a document may have at most 50 MiB
// and its tree at most 600,000 nodes ([Limits]). The content of a container,
// including nested containers, is decompressed up to 512 MiB.
//
// # What to do with a tree
//
// Package markdown writes a tree as Markdown:
//
//	err := markdown.Render(ctx, w, tree.Root, &markdown.Options{SkipRunning: true})
//
// SkipRunning leaves out the headers, footers and page numbers that PDF and
// office documents repeat on each page. The tree of an HTML page is the page
// as it was written, with navigation and with relative references, which
// markdown.Options.Base resolves. Package format selects the main content of
// a page and resolves its references. The trees of other kinds use HTML
// elements, with data attributes for what HTML has no element for. For text
// kinds, [Tree].Verbatim is the decoded text itself. Use it for Markdown:
// parsing Markdown and writing it again loses raw HTML and the author's
// spelling of the markup.
//
// [Tree.WriteHTML] writes a tree as HTML. Several goroutines may use a tree
// at once: neither markdown nor format changes it.
//
// # Security
//
// Every document is treated as hostile. Time and memory are bounded by its
// size. Nothing is fetched, executed or written. If a reader panics, the
// error is [ErrCorrupt]. The tree is as hostile as the document: it keeps
// raw HTML from Markdown and javascript links.
package parse
