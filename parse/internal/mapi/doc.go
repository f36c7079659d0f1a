// SPDX-License-Identifier: Apache-2.0

// Package mapi reads what formats of Outlook share: compressed RTF
// ([MS-OXRTFCP]), HTML in it ([MS-OXRTFEX]), and TNEF, the winmail.dat of mail
// ([MS-OXTNEF]): bytes -> messages.
//
// # Security
//
// No number of the input sizes an allocation: texts and files are pieces of it.
// Messages are at most 10 in each other, with 100 files each; compressed texts
// grow to 64 MiB at most, all together.
package mapi
