// SPDX-License-Identifier: Apache-2.0

// Package mail reads messages (RFC 5322, MIME) and web archives (RFC 2557)
// and returns them as HTML trees. [Read] parses them; [Build] makes the tree
// of a message that another package has parsed.
//
// # Security
//
// A message has at most 100 parts, 10 levels of nested multiparts and 1 MiB
// of header. A body is decoded once and never becomes longer than its
// encoded form, with two exceptions: compressed S/MIME content (32 MiB in
// total) and texts in a winmail.dat (64 MiB in total). Nothing that a
// message refers to is fetched, and no signature is verified.
package mail
