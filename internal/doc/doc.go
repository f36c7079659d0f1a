// SPDX-License-Identifier: Apache-2.0

// Package doc reads the documents of Word 6 to 2003 ([MS-DOC]): OLE container
// -> tree. Of Word 6 and 95 it reads text and paragraphs alone.
//
// # Security
//
// A document has no more characters than its stream has bytes, whatever its
// pieces say; a page of properties is read once, whoever names it; tables and
// fields are followed 16 deep.
package doc
