// SPDX-License-Identifier: Apache-2.0

package markdown

import "bytes"

// A container is the document, quote or item that holds the blocks that are being
// written.
type container struct {
	last   block // the last block that was written
	tight  bool  // leave out blank lines if possible
	item   bool  // a list item
	bullet byte  // marker of the last list, or of the list around the item
	number byte  // delimiter after the numbers of that list, if it is ordered
}

// An output is the text written so far. Blocks begin with a call of start,
// which adds a blank line if CommonMark needs one. Every line begins with the
// prefix of the quotes and list items around it.
type output struct {
	out    []byte
	prefix []byte // begins every line but the first of a block
	level  int    // number of quotes and list items around
	c      container
}

// start begins a block of kind k. It ends the line before, and adds a blank line if
// one is needed.
func (w *output) start(k block) {
	if w.c.last != nothing {
		if w.c.needsBlank(k) {
			w.blank()
		}
		w.newline()
	} else if w.level == 0 && len(w.out) > 0 {
		w.newline() // after the front matter
	}
	w.c.last = k
	if k != list {
		w.c.bullet, w.c.number = 0, 0
	}
}

// newline begins another line of the current block.
func (w *output) newline() {
	w.out = append(w.out, '\n')
	w.out = append(w.out, w.prefix...)
}

// blank writes a blank line.
func (w *output) blank() {
	w.out = append(w.out, '\n')
	w.out = append(w.out, bytes.TrimRight(w.prefix, " ")...)
}

// needsBlank reports whether a blank line must stand before a block of kind k.
func (c *container) needsBlank(k block) bool {
	if c.last == label {
		return k != paragraph
	}
	if k == definition && (c.last == term || c.last == definition) {
		return false
	}
	if !c.tight || k == grid || c.last == grid || k == definition || c.last == definition {
		return true
	}
	switch c.last {
	case paragraph:
		return k == paragraph || k == term
	case list, quote:
		// A reader would take a paragraph for a lazy continuation line of the
		// block.
		return k == paragraph || k == term || k == c.last && k == quote
	case term:
		return true
	}
	return false
}
