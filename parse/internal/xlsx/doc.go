// SPDX-License-Identifier: Apache-2.0

// Package xlsx reads the workbooks of spreadsheet programs, in XML (ECMA-376
// part 1, 18, Strict and Transitional) and in records (MS-XLSB): container ->
// headings and tables.
//
// Cells show what their number formats make of them ([numfmt]), formulas what
// they last gave. Hidden sheets, rows, columns and shapes are left out with a
// warning; rows that a filter hides stay. Sheets and shared strings are read
// piece by piece, so that the memory taken is that of what the cells show.
//
// # Security
//
// Formulas, macros and links to other files are never followed. Containers
// are bounded as [zipxml] has it, tables, repeats and merged ranges as
// [sheet] has it.
package xlsx
