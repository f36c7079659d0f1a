// SPDX-License-Identifier: Apache-2.0

// Package diff compares two texts, such as a page and its earlier version.
package diff

// Text is the difference between two texts, as text and as JSON.
type Text struct {
	Text string `json:"text"` // a unified diff
	JSON JSON   `json:"json"`
}

// JSON is the difference as JSON. It always has one file.
type JSON struct {
	Files []File `json:"files"`
}

// File lists the changes in the Markdown of a page.
type File struct {
	From   string  `json:"from"` // name of the text before
	To     string  `json:"to"`   // name of the text now
	Chunks []Chunk `json:"chunks"`
}

// Chunk is a group of changes with the unchanged lines around them.
type Chunk struct {
	Content string `json:"content"` // header, such as @@ -1,2 +1,3 @@
	Changes []Line `json:"changes"`
}

// Line is one line of a Chunk. Line numbers count from 1.
type Line struct {
	Type    string `json:"type"`          // normal, add or del
	Ln      int    `json:"ln,omitempty"`  // number of an added line in the text now, or of a deleted line in the text before
	Ln1     int    `json:"ln1,omitempty"` // number of a normal line in the text before
	Ln2     int    `json:"ln2,omitempty"` // number of a normal line in the text now
	Content string `json:"content"`       // the line after its sign: +, - or a space
}
