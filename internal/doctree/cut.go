// SPDX-License-Identifier: Apache-2.0

package doctree

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Cut counts what a reader leaves out of a tree that has no room for it.
type Cut struct {
	Paragraphs int
	Rows       int // of tables
	Cells      int // of rows that were read in part
	Characters int
	Others     int // notes, pictures and shapes
}

// Paragraph counts a paragraph with this text. A paragraph of white space does
// not count.
func (c *Cut) Paragraph(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	c.Paragraphs++
	c.Characters += utf8.RuneCountInString(text)
}

// Some reports whether anything was left out.
func (c *Cut) Some() bool { return c.Paragraphs > 0 || c.Rows > 0 || c.Cells > 0 || c.Others > 0 }

// WarnNodes says what was left out because the tree may have only so many
// nodes. If nothing was left out, there is no warning.
func (d *Document) WarnNodes(nodes int, c Cut) {
	d.WarnCut(fmt.Sprintf("The document needs more than %d nodes", nodes), c)
}

// WarnCut says what was left out, and the reason, which is a sentence without a
// full stop. If nothing was left out, there is no warning.
func (d *Document) WarnCut(reason string, c Cut) {
	if !c.Some() {
		return
	}
	var parts []string
	for _, p := range []struct {
		n         int
		one, many string
	}{{c.Rows, "row of a table", "rows of tables"}, {c.Cells, "cell", "cells"}, {c.Paragraphs, "paragraph", "paragraphs"}, {c.Others, "note or shape", "notes or shapes"}} {
		switch {
		case p.n == 1:
			parts = append(parts, "1 "+p.one)
		case p.n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.many))
		}
	}
	list := parts[len(parts)-1]
	if rest := parts[:len(parts)-1]; len(rest) > 0 {
		list = strings.Join(rest, ", ") + " and " + list
	}
	verb := "were"
	if len(parts) == 1 && strings.HasPrefix(list, "1 ") {
		verb = "was"
	}
	if c.Characters > 0 {
		list += fmt.Sprintf(", %d characters in all,", c.Characters)
	}
	d.Warn("truncated", 0, fmt.Sprintf("%s: %s %s left out.", reason, list, verb))
}
