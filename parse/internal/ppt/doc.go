// SPDX-License-Identifier: Apache-2.0

// Package ppt reads the presentations of PowerPoint 97 to 2003 ([MS-PPT]): OLE
// container -> tree.
//
// # Security
//
// Records are at most 16 million, containers 16 in each other, and a slide is
// read once whatever names it. Of an encrypted presentation no byte is decrypted
// twice.
package ppt
