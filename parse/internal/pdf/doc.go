// SPDX-License-Identifier: Apache-2.0

// Package pdf reads PDF documents and returns a tree of HTML nodes.
//
// The only entry points are [Read] and, for images, [ReadPictures]. The
// packages below this one do the work in steps: object (bytes to objects),
// font (character codes to text), content (operators to glyphs and rules)
// and layout (glyphs to blocks). The tree has the
// vocabulary of package doctree.
//
// # Security
//
// The input is untrusted. Sizes, counts and depths are bounded by [Limits].
// Nothing is executed, fetched or written. A panic while a document or a
// page is read becomes an error of the document or a warning of the page.
// Text that people cannot see is left out with a warning, unless
// Options.KeepHidden is set.
package pdf
