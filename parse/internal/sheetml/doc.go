// SPDX-License-Identifier: Apache-2.0

// Package sheetml reads the workbooks that Excel 2002 and 2003 write as one XML file
// (SpreadsheetML 2003, "XML Spreadsheet"), which many programs export. Package sheet
// writes the cells.
//
// # Security
//
// The XML is read within the limits of [example.com/curlew/internal/zipxml], row by row.
// No number in the file determines the size of an allocation.
package sheetml
