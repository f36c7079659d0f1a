// SPDX-License-Identifier: Apache-2.0

// Package pptx reads presentations, PresentationML of ECMA-376, Transitional
// and Strict: bytes -> tree.
//
// A slide is a section: its title, its shapes as one reads them, its footer,
// its notes. What placeholders do not say themselves they have of the layout
// and the master of their slide; the text of those is no content.
//
// # Security
//
// The document is taken for hostile. Its container and its XML are read within
// the limits of [example.com/curlew/internal/zipxml]; slides, shapes, groups,
// cells and nodes are bounded here. Nothing outside the document is fetched.
package pptx
