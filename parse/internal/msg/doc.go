// SPDX-License-Identifier: Apache-2.0

// Package msg reads Outlook messages ([MS-OXMSG]). Package mail makes the
// tree.
//
// # Security
//
// Messages are nested at most 10 deep. Compressed texts expand to at most 64
// MiB in total, compressed S/MIME content to at most 32 MiB in total.
package msg
