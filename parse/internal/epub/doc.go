// SPDX-License-Identifier: Apache-2.0

// Package epub reads electronic books, EPUB 2 and 3: bytes -> tree.
//
// Every file of the spine becomes a section, in order. Its ids begin with the
// number of the section, so that links between files lead to the right place:
// #c3-note. A file without a heading takes the title that the navigation gives
// it.
//
// # Security
//
// The book is taken for hostile. Its container and its XML are read within the
// limits of [example.com/curlew/internal/zipxml], its pages within those of
// [example.com/curlew/internal/dom]. Scripts are dropped, nothing outside the
// book is fetched.
package epub
