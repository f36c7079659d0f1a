// SPDX-License-Identifier: Apache-2.0

// Package ooxml reads the common parts of Office Open XML documents
// (ECMA-376 parts 1 and 2): relationships, properties, charts and diagrams.
//
// Parts are found by their relationships, never by their paths. Names in
// Strict and Transitional documents are mapped to the same prefixes
// ([Words]).
package ooxml
