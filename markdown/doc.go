// SPDX-License-Identifier: Apache-2.0

// Package markdown writes trees as text: tree -> Markdown.
//
// [Render] takes any tree of golang.org/x/net/html and does not change it. It
// escapes what a CommonMark reader would take for markup, and nothing else. What
// it writes reads back as the same headings, lists, emphasis, code, links and
// tables. The only raw HTML in it is <br> in table cells, unless
// [Options].InlineHTML or [TablesHTML] asks for more.
//
// Trees often come from package parse:
//
//	tree, err := engine.Parse(ctx, src, nil)
//	if err != nil {
//		return err
//	}
//	err = markdown.Render(ctx, w, tree.Root, &markdown.Options{SkipRunning: true})
//
// Everything that the tree shows is written, the navigation of a web page too:
// package format selects the main content. References stay as they are unless
// [Options].Base resolves them. What the reader left out is told in the warnings
// of the tree, not in the Markdown.
//
// How it works: blocks are written as the tree is walked, behind a prefix that
// quotes and list items extend. Inline content is first gathered as a line of
// tokens, with white space folded and empty emphasis gone. Then the delimiters
// of emphasis are chosen by trying them against CommonMark's own rule, and at
// last the line is written with the escapes that its neighbours call for.
//
// # Security
//
// The tree may be hostile. Depth, list and quote nesting, spans of table cells
// and what they repeat are bounded; javascript:, vbscript: and data: links lose
// their target.
package markdown
