// SPDX-License-Identifier: Apache-2.0

// Package zipxml reads what office documents are packed in: a ZIP container of
// XML parts -> elements.
//
// [Open] takes the container and [Archive.Read] gives one part of it. A
// [Scanner] goes through the XML of a part; [Scanner.Tree] gathers one element
// with all in it, so that a large part can be worked on piece by piece.
//
// Names of elements and attributes are written with the prefixes of a
// [Vocabulary], whatever prefixes the document uses: one name for what
// Transitional and Strict documents call by two.
//
// The scanner is our own because tokens of encoding/xml alone take twice the
// time that a document may take (BenchmarkScanner); what both take for XML is
// compared in FuzzScanner.
//
// # Security
//
// Both halves take their bytes for hostile. No allocation is made by a number
// that the container states; entries, their bytes, their ratio and overlaps
// are limited ([Limits]), and so are depth, attributes and the size of tags.
// A document type is skipped: entities that it declares stay as they are
// written, nothing is fetched.
package zipxml
