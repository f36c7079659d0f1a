// SPDX-License-Identifier: Apache-2.0

// Package doc reads the documents of Word 6 to 2003 ([MS-DOC]) and returns
// them as HTML trees. Of Word 6 and 95 documents it reads only text and
// paragraphs. It also reads those of Windows Write and Word for DOS.
//
// # Security
//
// A document has at most as many characters as its stream has bytes,
// whatever its piece table says. A page of properties is read once, even if
// several tables refer to it. Tables, fields and groups of shapes are
// followed 16 levels deep. A shape is written once, even if it has several
// anchors. The data of pictures and form fields is read at most 100,000
// times.
package doc
