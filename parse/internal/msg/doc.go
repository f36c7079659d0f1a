// SPDX-License-Identifier: Apache-2.0

// Package msg takes Outlook's messages apart ([MS-OXMSG]): OLE container ->
// tree. The tree is that of package mail.
//
// # Security
//
// Messages are at most 10 in each other; compressed texts grow to 64 MiB and
// what S/MIME compressed to 32 MiB at most, all together.
package msg
