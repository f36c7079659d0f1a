// SPDX-License-Identifier: Apache-2.0

// Package xls reads the workbooks of Excel 5 to 2003 ([MS-XLS], BIFF5 and
// BIFF8): OLE container -> tree. Package sheet lays the cells out.
//
// # Security
//
// Records are at most 16 million, a sheet is read once whatever names it, and
// no number of the file sizes an allocation. A chart keeps 200,000 values at
// most, and charts are at most 1,000.
package xls
