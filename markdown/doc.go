// SPDX-License-Identifier: Apache-2.0

// Package markdown writes trees as text: tree -> Markdown.
//
// [Render] takes any tree of golang.org/x/net/html. It escapes what a
// CommonMark reader would take for markup, and nothing else; what it writes
// reads back as the same headings, lists, emphasis, code, links and tables.
// There is no raw HTML in it but <br> in table cells.
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
