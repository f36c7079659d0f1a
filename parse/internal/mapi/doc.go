// SPDX-License-Identifier: Apache-2.0

// Package mapi reads data that Outlook formats have in common: compressed
// RTF ([MS-OXRTFCP]), HTML encapsulated in RTF ([MS-OXRTFEX]), and TNEF, the
// format of winmail.dat ([MS-OXTNEF]).
//
// # Security
//
// No number in the input determines the size of an allocation: texts and
// files are parts of the input. Messages are nested at most 10 deep, with at
// most 100 files each. Compressed texts expand to at most 64 MiB in total.
package mapi
