// SPDX-License-Identifier: Apache-2.0

// Package ooxml reads what documents of Office Open XML have in common (ECMA-376
// parts 1 and 2): container -> parts, relationships, properties, charts.
//
// Parts are found by their relationships, never by their paths. The names of
// Strict and Transitional documents are the same here ([Words]).
package ooxml
