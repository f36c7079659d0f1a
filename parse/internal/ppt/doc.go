// SPDX-License-Identifier: Apache-2.0

// Package ppt reads the presentations of PowerPoint 97 to 2003 ([MS-PPT])
// and returns them as HTML trees.
//
// # Security
//
// There are at most 16 million records and 16 levels of nested containers. A
// slide is read once, even if several lists refer to it. No byte of an
// encrypted presentation is decrypted twice.
package ppt
