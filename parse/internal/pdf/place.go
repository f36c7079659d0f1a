// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/layout"
)

// PlacedWord is a word with its position on a page. A hyphen at the end of a
// line is part of the word.
type PlacedWord struct {
	Page int // from 1
	Box  content.Box
	Text string
}

// placedWords returns the words of all blocks in reading order.
func placedWords(l *layout.Document) []PlacedWord {
	var out []PlacedWord
	for i := range l.Blocks {
		for page, lines := range l.Blocks[i].Pages() {
			for k := range lines {
				for _, w := range lines[k].Words {
					out = append(out, PlacedWord{page, w.Box, w.Text})
				}
			}
		}
	}
	return out
}
