// SPDX-License-Identifier: Apache-2.0

// Package docx reads documents of word processors, WordprocessingML of
// ECMA-376, Transitional and Strict: bytes -> tree.
//
//	doc, err := docx.Read(ctx, file, size, docx.Options{})
//
// Text comes in the order of the document: text boxes behind the paragraph
// that they are anchored in, notes and comments at the end. Numbers of lists
// are counted as a word processor does.
//
// # Security
//
// The document is taken for hostile. Its container and its XML are read within
// the limits of [example.com/curlew/internal/zipxml]; nesting, numbers, spans
// and the length of what repeats are bounded here. Fields are never computed,
// links never followed, macros never read.
package docx
