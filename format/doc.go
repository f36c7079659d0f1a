// SPDX-License-Identifier: Apache-2.0

// Package format makes the forms that were asked for: tree -> Document.
//
// [Build] takes a page that was parsed once and makes what [Options] ask for.
// The zero Options are the wire's: Markdown of the main content. The page's
// tree is shared and never changed: a view says which of its nodes are shown,
// the view is copied once, and every form is read from that copy. The same
// input gives the same bytes.
//
// # Security
//
// The tree may be hostile: work is linear in its size but for the caller's
// selectors, which heed the context. The html form holds no scripts, event
// handlers, styles or script URLs; rawHtml is what the page sent.
package format
