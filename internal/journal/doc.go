// SPDX-License-Identifier: Apache-2.0

// Package journal keeps an append-only log of framed records in one file:
// records -> durable bytes.
//
// A frame is a head, which is read again on every opening, and a blob, which is
// read on demand. A frame is written when [Log.Append] returns, so it survives
// the process; it survives the machine once a sync has passed it, which one
// goroutine does for all writers together ([Log.Sync], [Log.Durable]). A tail
// that a crash tore is cut on opening. Anything else that is damaged is an
// error, never a wrong record.
//
// A write or sync that fails poisons the log: the kernel may have dropped the
// pages, so the descriptor is never written to again.
package journal
