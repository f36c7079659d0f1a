// SPDX-License-Identifier: Apache-2.0

// Package docx reads Word documents (WordprocessingML of ECMA-376,
// Transitional and Strict) and returns them as HTML trees.
//
//	doc, err := docx.Read(ctx, file, size, docx.Options{})
//
// Text comes in document order. Text boxes follow the paragraph that they
// are anchored in; notes and comments come at the end. List numbers are
// computed as Word does.
//
// # Security
//
// The document is treated as hostile. Its container and its XML are read
// within the limits of [example.com/curlew/internal/zipxml]. This package
// bounds nesting, numbers, spans and the length of repeated content. Fields
// are not computed, links not followed and macros not read.
package docx
