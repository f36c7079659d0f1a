// SPDX-License-Identifier: Apache-2.0

// Package markdown writes trees of HTML nodes as Markdown.
//
// [Render] takes any tree of golang.org/x/net/html and does not change it. It
// escapes only the text that a CommonMark reader would mistake for markup. Its
// output reads back as the same headings, lists, emphasis, code, links and
// tables. It writes no raw HTML except <br> in table cells, unless
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
// Everything visible in the tree is written, including the navigation of a web
// page. Package format selects the main content. References stay as they are
// unless [Options].Base resolves them. The warnings of the tree, not the
// Markdown, say what the reader left out.
//
// The writer walks the tree and writes each block after a prefix, to which
// quotes and list items add. It first collects inline content as a line of
// tokens, folds white space and drops empty emphasis. It then chooses the
// delimiters of emphasis by testing them against the rules of CommonMark. Last,
// it writes the line and escapes only what the adjacent characters require.
//
// # Security
//
// The tree may be hostile. Depth, the nesting of lists and quotes, the spans of
// table cells and the text that spans repeat are limited. Links to javascript:,
// vbscript: and data: URLs are written without their target.
// their target.
package markdown
