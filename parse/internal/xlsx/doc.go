// SPDX-License-Identifier: Apache-2.0

// Package xlsx reads Excel workbooks in XML (ECMA-376 part 1, 18, Strict and
// Transitional) and in the binary format (MS-XLSB). It returns them as
// headings and tables.
//
// Cells show their values as formatted by their number formats ([numfmt]).
// Formulas show their cached results. Hidden sheets, rows, columns and
// shapes are left out, with a warning, but rows that a filter hides are
// kept. Sheets and shared strings are read as streams, so the memory depends
// only on what the cells show.
//
// # Security
//
// Formulas, macros and links to other files are never followed. Package
// [zipxml] bounds the container; package [sheet] bounds tables, repeated
// texts and merged ranges.
package xlsx
