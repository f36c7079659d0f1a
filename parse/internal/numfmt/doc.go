// SPDX-License-Identifier: Apache-2.0

// Package numfmt shows the numbers of spreadsheets: number, format code -> text
// (ECMA-376 part 1, 18.8.30 and 18.8.31).
//
// [Parse] compiles a code once; [Format.Number] and [Format.Text] show what a
// cell with it shows, save that full dates are written as ISO 8601 does and
// that what only aligns (fillers, widths) is a space or nothing. Names of
// months and days are English ones whatever the code's locale is.
package numfmt
