// SPDX-License-Identifier: Apache-2.0

// Package odf reads OpenDocument texts, spreadsheets and presentations
// (OASIS OpenDocument 1.3), packaged or as flat XML, and returns them as
// HTML trees. OpenOffice 1 has the same elements in other namespaces and partly under
// other names, so that its documents are read too.
//
// Tracked changes are read as accepted. Repeated cells are written only if
// they have content. Spreadsheets are written with package
// [example.com/curlew/parse/internal/sheet].
//
// # Security
//
// The document is treated as hostile. Its container and its XML are read
// within the limits of [example.com/curlew/internal/zipxml]. This package
// bounds repetition, spans, spaces, nesting and nodes. Formulas and scripts
// are not executed.
package odf
