// SPDX-License-Identifier: Apache-2.0

// Package journal implements an append-only log of durable records.
//
// A record consists of a head, which is read at every opening, and a blob,
// which is read on demand. Heads are frames of one file. Small blobs are stored
// beside their heads. All others are frames of segments, which are separate
// files of 64 MB, so opening a log reads no documents. Each frame starts with a
// random marker of the log and contains its position. So [Salvage] finds the
// frames after damage, and bytes in a blob cannot be mistaken for a frame.
//
// When [Log.Append] returns, the frame is written and survives the process. It
// survives a power failure after the next sync, which one goroutine does for
// all writers together ([Log.Sync], [Log.Durable]). An incomplete tail after a
// crash is truncated when the log is opened. Any other damage is an error, and
// never a wrong record.
//
// After a failed write or sync the log accepts no more records, because the
// kernel may have dropped the pages, so the descriptor is never written again.
// A full disk is different: what was not synced is kept in memory, and written
// to a new descriptor when there is room ([Log.Full]).
package journal
