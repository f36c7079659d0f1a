// SPDX-License-Identifier: Apache-2.0

// Package scoretest compares the Markdown of a reader with the expected
// Markdown. Tests and benchmarks share it, so that their figures are
// comparable.
//
// [Score] computes the three measures that are common for document readers (NID
// for text, TEDS for tables, MHS for headings), the F1 of words, and the share
// of the sequence of blocks that is correct. Each is 1 if both are equal, and 0
// if they have nothing in common.
package scoretest
