// SPDX-License-Identifier: Apache-2.0

// Package diff describes how the text of a page has changed, as a document shows it.
package diff

// Text is the difference of two texts in two representations.
type Text struct {
	Text string `json:"text"`
	JSON JSON   `json:"json"`
}

// JSON is the difference as JSON. It has one file.
type JSON struct {
	Files []File `json:"files"`
}

// File is what changed in a page's Markdown.
type File struct {
	From   string  `json:"from"`
	To     string  `json:"to"`
	Chunks []Chunk `json:"chunks"`
}

// Chunk is one run of changes with the lines around.
type Chunk struct {
	Content string `json:"content"` // its head, such as @@ -1,2 +1,3 @@
	Changes []Line `json:"changes"`
}

// Line is one line; numbers count from 1.
type Line struct {
	Type    string `json:"type"`          // normal, add, del
	Ln      int    `json:"ln,omitempty"`  // of add and del, in their text
	Ln1     int    `json:"ln1,omitempty"` // of normal, before
	Ln2     int    `json:"ln2,omitempty"` // of normal, now
	Content string `json:"content"`       // with its sign
}
