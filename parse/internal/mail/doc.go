// SPDX-License-Identifier: Apache-2.0

// Package mail reads messages (RFC 5322, MIME) and web archives (RFC 2557):
// bytes -> tree. [Read] does both; [Build] makes the tree of a message that
// another reader took apart.
//
// # Security
//
// Parts are at most 100, multiparts at most 10 in each other, headers at most
// 1 MiB. A body is decoded once and never longer than it was written, but for
// S/MIME that is compressed (32 MiB, all together) and texts of a winmail.dat
// (64 MiB). Nothing that a message names is fetched, and no signature checked.
package mail
