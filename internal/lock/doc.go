// SPDX-License-Identifier: Apache-2.0

// Package lock opens encrypted Office Open XML (MS-OFFCRYPTO 2.3.4): OLE
// container, password -> ZIP container.
//
// Both ways of encryption that Office has written since 2007 are read: Standard
// (AES in blocks) and Agile (AES in chains). What the container says of its
// integrity is not checked: what comes out is read as hostile anyway.
//
// # Security
//
// How often a password is hashed stands in the document; more than a million
// times, ten times what Office does, is refused.
package lock
