// SPDX-License-Identifier: Apache-2.0

// Package odf reads OpenDocument texts, spreadsheets and presentations (OASIS
// OpenDocument 1.3), packed or flat: bytes -> tree.
//
// Changes that are tracked are taken as accepted. Cells that repeat are written
// out only as far as something stands in them; spreadsheets are laid out as
// those of other programs are ([example.com/curlew/internal/sheet]).
//
// # Security
//
// The document is taken for hostile. Its container and its XML are read within
// the limits of [example.com/curlew/internal/zipxml]; repeats, spans, spaces,
// nesting and nodes are bounded here. Formulas and scripts are never run.
package odf
