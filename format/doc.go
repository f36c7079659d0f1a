// SPDX-License-Identifier: Apache-2.0

// Package format turns a parsed page into the forms that a caller asks for, such
// as Markdown, links or a product.
//
// [Build] takes a page that was parsed once and makes the forms in [Options]. The
// zero Options make Markdown of the main content. The tree of the page may be
// shared and is never changed: a view lists the nodes to show, the view is
// copied once, and the forms are read from that copy. Equal inputs give equal
// bytes.
//
// Most callers need [Input], [Options], [Engine] and [Document]. Only programs
// that bring a model, a style sheet loader or a snapshot store implement
// [Writer], [Loader] or [Snapshots].
//
// # Security
//
// The tree may be hostile. The work is linear in its size, except for the
// caller's selectors, which stop when the context ends. The html form has no
// scripts, event handlers, styles or script URLs. The rawHtml form is the page
// as it was sent.
package format
