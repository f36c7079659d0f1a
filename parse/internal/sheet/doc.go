// SPDX-License-Identifier: Apache-2.0

// Package sheet lays out the sheets of workbooks: cells -> headings and tables.
//
// A reader of a workbook begins a [Book], gives each [Sheet] its cells row by
// row as they are shown, then what lies over them (merged ranges, links,
// comments, tables), and closes it. Only cells that show something count:
// they make the used range. It is cut where two rows or columns are empty, at
// declared tables and before new heads; a text that stands alone above a table
// is its caption.
//
// Cells wait in a few bytes each until the sheet is closed, and a table of
// more than 50,000 of them becomes a grid ([doctree.Builder.Grid]).
package sheet
