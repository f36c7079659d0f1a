// SPDX-License-Identifier: Apache-2.0

// Package epub reads e-books in EPUB 2 and 3 and returns them as HTML trees.
//
// Every file of the spine becomes a section, in order. The prefix of its IDs
// has the number of the section, such as #c3-note, so that links between
// files lead to the right place. A file without a heading gets its title
// from the navigation document.
//
// # Security
//
// The book is treated as hostile. Its container and its XML are read within
// the limits of [example.com/curlew/internal/zipxml], its pages within those
// of [example.com/curlew/internal/dom]. Scripts are dropped, and nothing
// outside the book is fetched.
package epub
