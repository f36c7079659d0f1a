// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"example.com/curlew/internal/pdf/content"
	"example.com/curlew/internal/pdf/layout"
)

// PlacedWord is one word as it stands on a page: hyphens at line ends are part
// of it.
type PlacedWord struct {
	Page int // from 1
	Box  content.Box
	Text string
}

// placedWords returns the words of all blocks in reading order.
func placedWords(l *layout.Document) []PlacedWord {
	var out []PlacedWord
	add := func(page int, lines []layout.Line) {
		for i := range lines {
			for k := range lines[i].Words {
				w := &lines[i].Words[k]
				out = append(out, PlacedWord{page, w.Box, w.Text})
			}
		}
	}
	for i := range l.Blocks {
		b := &l.Blocks[i]
		page, from := b.Page, 0
		if b.Table == nil {
			for _, p := range b.Parts {
				add(page, b.Lines[from:p.Line])
				page, from = p.Page, p.Line
			}
			add(page, b.Lines[from:])
			continue
		}
		for r := range b.Table.Rows {
			page := b.Page
			if r < len(b.Table.Pages) && b.Table.Pages[r] > 0 {
				page = b.Table.Pages[r]
			}
			for j := range b.Table.Rows[r] {
				c := &b.Table.Rows[r][j]
				if c.Next > 0 {
					add(page, c.Lines[:c.Next])
					add(page+1, c.Lines[c.Next:])
					continue
				}
				add(page, c.Lines)
			}
		}
	}
	return out
}
