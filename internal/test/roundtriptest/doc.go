// SPDX-License-Identifier: Apache-2.0

// Package roundtriptest creates documents with known content, and converts them
// to files with real programs.
//
// [Generate] creates a [Document] for each theme: articles, lists, tables with
// and without rules, columns, notes, code, right-to-left text, slides, sheets.
// A document can be written as Markdown ([Document.Markdown], the expected
// result) and as source for programs: HTML, flat OpenDocument, groff. A [Route]
// converts documents to files of one kind by an installed program.
// internal/test/scoretest then compares the result of a reader with the
// expected Markdown.
package roundtriptest
