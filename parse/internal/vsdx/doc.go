// SPDX-License-Identifier: Apache-2.0

// Package vsdx reads the drawings of Visio 2013 and later (VSDX, VSDM, VSTX).
//
// Each page is a section with the texts of its shapes in the order of the file, their
// data, their links and the tips that pointing at them shows, which are comments. What a
// shape does not have itself it has from its master. Where
// shapes stand is not read. A connector is a paragraph "A → B: its text". Lines that only
// touch a shape lead nowhere in the file.
//
// # Security
//
// Parts are read as trees by package ooxml, whose limits apply. Groups are read to a
// depth of 32.
package vsdx
