// SPDX-License-Identifier: Apache-2.0

// Package rtf reads Rich Text Format up to version 1.9 and returns documents
// as HTML trees.
//
// List items have the numbers written in the document. Tracked changes are
// read as accepted.
//
// # Security
//
// The document is treated as hostile. Groups, nesting, the length of names,
// cells and nodes are bounded. Nothing is allocated by a length that the
// document states. Embedded objects and the text of metafiles are read within the
// limits of package [example.com/curlew/parse/internal/embedded]. Other pictures
// are skipped, and fields are not computed.
package rtf
