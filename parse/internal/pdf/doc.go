// SPDX-License-Identifier: Apache-2.0

// Package pdf reads PDF documents: bytes -> tree.
//
// [Read] is all there is to call. Below it stand, each a package of its own:
// object (bytes -> objects), font (codes -> text), content
// (operators -> glyphs and rules) and layout (glyphs -> blocks). The tree has
// the form of parse.md, section 3.
//
// # Security
//
// The bytes are foreign. Sizes, counts and depths are bounded by [Limits];
// nothing is executed, fetched or written; panics in the reading of a document
// or of a page end as its error or warning. Text that people cannot see is
// left out, with a warning, unless Options.KeepHidden says otherwise.
package pdf
