// SPDX-License-Identifier: Apache-2.0

// Package roundtriptest makes documents whose content is known before there is
// a file: seed -> documents, their truth, and the files that real programs make
// of them.
//
// [Generate] makes a [Document] for each theme: articles, lists, tables with and
// without rules, columns, notes, code, right-to-left text, slides, sheets. A
// document writes itself as Markdown ([Document.Markdown], the truth) and as the
// sources that programs read: HTML, flat OpenDocument, groff. A [Route] turns
// documents into files of one kind by a program that is installed; what a reader
// makes of a file is then compared with the truth by internal/test/scoretest.
package roundtriptest
