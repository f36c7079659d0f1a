// SPDX-License-Identifier: Apache-2.0

// Package numfmt formats the numbers of spreadsheets by their format codes
// (ECMA-376 part 1, 18.8.30 and 18.8.31).
//
// [Parse] compiles a code. [Format.Number] and [Format.Text] return what a
// cell with this format shows, with two exceptions: full dates are written
// in ISO 8601, and elements that only align text (fillers, widths) become a
// space or nothing. Names of months and days are in the language of the
// code's locale, if it is known, otherwise in English.
package numfmt
