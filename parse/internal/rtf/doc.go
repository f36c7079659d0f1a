// SPDX-License-Identifier: Apache-2.0

// Package rtf reads Rich Text Format 1.9 and older: bytes -> tree.
//
// Items of lists have the numbers that are written in the document. Tracked
// changes are taken as accepted.
//
// # Security
//
// The document is taken for hostile: groups, nesting, the bytes of names, cells
// and nodes are bounded; no length that it states is allocated. Objects and
// pictures are passed over, fields are never computed.
package rtf
