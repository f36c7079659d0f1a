// SPDX-License-Identifier: Apache-2.0

// Package pptx reads PowerPoint presentations (PresentationML of ECMA-376,
// Transitional and Strict) and returns them as HTML trees.
//
// Each slide is a section with its title, its shapes in reading order, its
// footer and its notes. Placeholders inherit properties from the layout and
// the master of the slide, whose own placeholders are not content. The text of
// other shapes of layouts and masters is a running footer, once for each.
//
// # Security
//
// The document is treated as hostile. Its container and its XML are read
// within the limits of [example.com/curlew/internal/zipxml]. This package
// bounds slides, shapes, groups, cells and nodes. Nothing outside the
// document is fetched.
package pptx
