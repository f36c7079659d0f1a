// SPDX-License-Identifier: Apache-2.0

// Package scoretest compares the Markdown of two readings: truth, reading ->
// scores. Tests and benchmarks share it, so that a figure means one thing.
//
// [Score] gives the three measures that readers of documents are published
// with (NID of the text, TEDS of the tables, MHS of the headings), the F1 of the
// words, and how much of the sequence of blocks is there. Each is 1 where both
// readings are the same and 0 where they have nothing in common.
package scoretest
