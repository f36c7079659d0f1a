// SPDX-License-Identifier: Apache-2.0

// Package sheet writes the sheets of workbooks as headings and tables.
//
// A reader of a workbook begins a [Book]. It adds the cells of each [Sheet]
// row by row as they are shown, then merged ranges, links, comments and
// declared tables, and closes the sheet. Only cells that show something
// count as the used range. The used range is divided at two empty rows or
// columns, at declared tables and before new headers. A single text above a
// table becomes its caption.
//
// Until the sheet is closed, cells are stored in a few bytes each. A table
// with more than 50,000 cells is written as a grid ([doctree.Builder.Grid]).
package sheet
