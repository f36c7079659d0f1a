// SPDX-License-Identifier: Apache-2.0

// Package lock opens encrypted documents of Office (MS-OFFCRYPTO 2.3): OLE
// container, password -> ZIP container; or stream of an old document, password
// -> the stream.
//
// Both ways of encryption that Office has written since 2007 are read: Standard
// (AES in blocks) and Agile (AES in chains); of the old formats both ways of
// RC4, with keys of 40 bits and of up to 128, and the obfuscation before them. What the container says of its
// integrity is not checked: what comes out is read as hostile anyway.
//
// # Security
//
// How often a password is hashed stands in the document; more than a million
// times, ten times what Office does, is refused.
package lock
