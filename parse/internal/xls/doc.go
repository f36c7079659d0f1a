// SPDX-License-Identifier: Apache-2.0

// Package xls reads the workbooks of Excel 2 to 2003 ([MS-XLS], BIFF2 to
// BIFF8), also without an OLE container. Package sheet writes the cells.
//
// # Security
//
// There are at most 16 million records. A sheet is read once, even if
// several entries refer to it. No number in the file determines the size of
// an allocation. A workbook has at most 1,000 charts, with at most 200,000
// values each.
package xls
