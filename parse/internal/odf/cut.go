// SPDX-License-Identifier: Apache-2.0

package odf

import (
	"fmt"
	"strings"

	"example.com/curlew/internal/zipxml"
)

// room reports whether more nodes may be added to the tree.
func (d *reader) room() bool {
	if d.b.Count() < d.options.Nodes && d.slots < d.options.Cells && d.repeats < maxRepeat {
		return true
	}
	if d.reason == "" {
		switch {
		case d.slots >= d.options.Cells:
			d.reason = fmt.Sprintf("The document has more than %d cells", d.options.Cells)
		case d.repeats >= maxRepeat:
			d.reason = fmt.Sprintf("The document repeats more than %d bytes of text", maxRepeat)
		default:
			d.reason = fmt.Sprintf("The document needs more than %d nodes", d.options.Nodes)
		}
	}
	return false
}

// leave counts the text of an element that is not read.
func (d *reader) leave(e *zipxml.Element) {
	switch e.Name {
	case "text:p", "text:h":
		d.cut.Paragraph(e.Content())
	case "table:table-row":
		d.leaveRow(e, max(1, e.Int("table:number-rows-repeated", 1)), true)
	case "office:forms", "text:sequence-decls", "text:tracked-changes":
	default:
		if strings.HasPrefix(e.Name, "draw:") {
			d.cut.Others++
		}
		for c := e.First(); c != nil; c = c.Next() {
			d.leave(c)
		}
	}
}

// leaveDeep counts the text of an element that is nested too deeply to be read.
func (d *reader) leaveDeep(e *zipxml.Element) {
	cut := d.cut
	d.cut = d.deep
	if d.leave(e); d.cut == d.deep { // no paragraphs, but perhaps a part of one
		d.cut.Paragraph(e.Content())
	}
	d.deep, d.cut = d.cut, cut
}

// leaveRow counts repetitions of a row that are not read. all is set if no
// repetition of the row was read. Only then the text of the row is counted.
func (d *reader) leaveRow(e *zipxml.Element, repeat int, all bool) {
	list, some := cells(e)
	if !some {
		return
	}
	d.cut.Rows += repeat
	if !all {
		return
	}
	for _, c := range list {
		d.leave(c)
	}
}
