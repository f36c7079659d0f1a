// SPDX-License-Identifier: Apache-2.0

// Package zipxml reads the containers of office documents: ZIP files with XML
// parts.
//
// [Open] opens a container, and [Archive.Read] reads a part. A [Scanner] reads
// the XML of a part. [Scanner.Tree] builds the tree of one element, so that a
// large part can be processed piece by piece.
//
// Names of elements and attributes have the prefixes of a [Vocabulary],
// whatever prefixes the document uses. So Transitional and Strict documents
// have the same names.
//
// The scanner is our own, because encoding/xml alone takes twice the time that
// a document may take (BenchmarkScanner). FuzzScanner compares both.
//
// # Security
//
// The input is untrusted. No number in the container determines the size of an
// allocation. The number of entries, their sizes, ratios and overlaps are
// limited ([Limits]), and so are the depth, the attributes and the size of
// tags. A document type is skipped: entities that it declares are not replaced,
// and nothing is fetched.
package zipxml
