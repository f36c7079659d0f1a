// SPDX-License-Identifier: Apache-2.0

// Package doc reads the documents of Word 6 to 2003 ([MS-DOC]): OLE container
// -> tree. Of Word 6 and 95 it reads text and paragraphs alone.
//
// # Security
//
// A document has no more characters than its stream has bytes, whatever its
// pieces say; a page of properties is read once, whoever names it; tables,
// fields and groups of shapes are followed 16 deep. A shape is laid out once,
// whatever is anchored at it, and what pictures and forms say of themselves is
// read 100,000 times at most.
package doc
