// SPDX-License-Identifier: Apache-2.0

// Package journal keeps an append-only log of framed records:
// records -> durable bytes.
//
// A record is a head, which is read again on every opening, and a blob, which
// is read on demand. Heads are frames of one file. Small blobs stand beside
// their heads; all others are frames of segments, files of 64 MB beside it, so
// opening a log reads no document. Each frame begins with a marker that is
// drawn for the log and repeats where it belongs, so that [Reader.Salvage]
// finds what follows a damage, and no foreign bytes within a blob pass for a
// frame.
//
// A frame is written when [Log.Append] returns, so it survives the process; it
// survives the machine once a sync has passed it, which one goroutine does for
// all writers together ([Log.Sync], [Log.Durable]). A tail that a crash tore is
// cut on opening. Anything else that is damaged is an error, never a wrong
// record.
//
// A write or sync that fails poisons the log: the kernel may have dropped the
// pages, so the descriptor is never written to again. A full disk is different:
// what was not synced is kept in memory, and written to a new descriptor once
// there is room ([Log.Full]).
package journal
