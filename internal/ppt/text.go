// SPDX-License-Identifier: Apache-2.0

package ppt

import (
	"encoding/binary"
	"unicode/utf16"

	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
)

// Kinds of text ([MS-PPT] 2.13.33).
const (
	textTitle       = 0
	textBody        = 1
	textNotes       = 2
	textCenterTitle = 6
	textHalfBody    = 7
	textQuarterBody = 8
)

// text is one text with its properties.
type text struct {
	kind   int
	units  []uint16
	styles []byte
	links  []linkOf
	target int64 // of the link whose range comes next
}

type linkOf struct {
	from, to int
	id       int64
}

const maxLinks = 10_000 // of one text

// gather adds a record to the texts before it.
func gather(texts []text, one record) []text {
	if one.kind == rTextHeader {
		return append(texts, text{kind: int(u32(one.data, 0))})
	}
	if len(texts) == 0 {
		if one.kind != rTextChars && one.kind != rTextBytes {
			return texts
		}
		texts = append(texts, text{kind: 4})
	}
	t := &texts[len(texts)-1]
	switch one.kind {
	case rTextChars:
		t.units = t.units[:0]
		for i := 0; i+1 < len(one.data); i += 2 {
			t.units = append(t.units, binary.LittleEndian.Uint16(one.data[i:]))
		}
	case rTextBytes:
		t.units = t.units[:0]
		for _, c := range one.data {
			t.units = append(t.units, uint16(c))
		}
	case rTextStyle:
		t.styles = one.data
	case rInteractive:
		if atomOf, ok := recordAt(one.data, 0); ok && atomOf.kind == rInteractAtom {
			t.target = u32(atomOf.data, 4)
		}
	case rLinkRange:
		if len(t.links) < maxLinks {
			t.links = append(t.links, linkOf{i32(one.data, 0), i32(one.data, 4), t.target})
		}
	}
	return texts
}

// paraOf is how paragraphs stand, up to a character.
type paraOf struct {
	end, level int
	bullet     bool
}

// charOf is how characters look, up to one.
type charOf struct {
	end   int
	style doctree.Style
}

// cursor reads properties one after another.
type cursor struct{ b []byte }

func (c *cursor) u16() int {
	v := u16(c.b, 0)
	c.b = c.b[min(2, len(c.b)):]
	return v
}

func (c *cursor) u32() int64 {
	v := u32(c.b, 0)
	c.b = c.b[min(4, len(c.b)):]
	return v
}

// style reads the properties of t ([MS-PPT] 2.9.44).
func (t *text) style() (paras []paraOf, chars []charOf) {
	c := cursor{t.styles}
	list := t.kind == textBody || t.kind == textHalfBody || t.kind == textQuarterBody
	end := 0
	for end <= len(t.units) && len(c.b) > 0 {
		n := c.u32()
		if n <= 0 || n > int64(len(t.units)+1-end) {
			return paras, chars
		}
		end += int(n)
		p := paraOf{end: end, level: c.u16(), bullet: list}
		mask := c.u32()
		has := func(bits int64) bool { return mask&bits != 0 }
		if has(0xF) {
			if flags := c.u16(); has(1) {
				p.bullet = flags&1 != 0
			}
		}
		for _, bit := range []int64{1 << 7, 1 << 4, 1 << 6} {
			if has(bit) {
				c.u16()
			}
		}
		if has(1 << 5) {
			c.u32()
		}
		for _, bit := range []int64{1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 8, 1 << 10, 1 << 15} {
			if has(bit) {
				c.u16()
			}
		}
		if has(1 << 20) {
			stops := c.u16()
			c.b = c.b[min(4*stops, len(c.b)):]
		}
		for _, bit := range []int64{1 << 16, 7 << 17, 1 << 21} {
			if has(bit) {
				c.u16()
			}
		}
		paras = append(paras, p)
	}
	end = 0
	for end <= len(t.units) && len(c.b) > 0 {
		n := c.u32()
		if n <= 0 || n > int64(len(t.units)+1-end) {
			return paras, chars
		}
		end += int(n)
		mask := c.u32()
		look := charOf{end: end}
		if mask&0xFFFF != 0 {
			flags := c.u16()
			look.style = doctree.Style{Bold: flags&1 != 0, Italic: flags&2 != 0, Underline: flags&4 != 0}
		}
		for _, bit := range []int64{1 << 16, 1 << 21, 1 << 22, 1 << 23, 1 << 17} {
			if mask&bit != 0 {
				c.u16()
			}
		}
		if mask&(1<<18) != 0 {
			c.u32()
		}
		if mask&(1<<19) != 0 {
			shift := int16(c.u16()) //nolint:gosec // the sign is part of it
			look.style.Sup, look.style.Sub = shift > 0, shift < 0
		}
		chars = append(chars, look)
	}
	return paras, chars
}

// text lays out the paragraphs of t: as the slide's title, as items, or as
// they are.
func (d *drawing) text(flow *doctree.Flow, t *text, title atom.Atom) {
	paras, chars := t.style()
	list := t.kind == textBody || t.kind == textHalfBody || t.kind == textQuarterBody
	from := 0
	heading := &doctree.Line{}
	for from <= len(t.units) {
		to := from
		for to < len(t.units) && t.units[to] != '\r' {
			to++
		}
		p := paraOf{bullet: list}
		for len(paras) > 0 && paras[0].end <= from {
			paras = paras[1:]
		}
		if len(paras) > 0 {
			p = paras[0]
		}
		for len(chars) > 0 && chars[0].end <= from {
			chars = chars[1:]
		}
		line := d.line(t, from, to, chars)
		switch {
		case line.Blank():
		case title != 0:
			if !heading.Empty() {
				heading.Text("\n", doctree.Style{})
			}
			line.Restyle(func(s *doctree.Style) { s.Bold, s.Underline = false, false })
			heading.Append(line)
		case p.bullet:
			line.Write(&d.b, flow.Item(doctree.Item{Level: p.level}))
		default:
			line.Write(&d.b, flow.Append(atom.P))
		}
		from = to + 1
		if !d.room() {
			return
		}
	}
	if !heading.Blank() {
		heading.Write(&d.b, flow.Append(title, "id", d.ids.Make(heading.Content())))
	}
}

func (d *drawing) line(t *text, from, to int, chars []charOf) *doctree.Line {
	line := &doctree.Line{}
	var units []uint16
	var now doctree.Style
	flush := func() {
		line.Text(string(utf16.Decode(units)), now)
		units = units[:0]
	}
	for i := from; i < to; i++ {
		for len(chars) > 0 && chars[0].end <= i {
			chars = chars[1:]
		}
		var style doctree.Style
		if len(chars) > 0 {
			style = chars[0].style
		}
		for _, l := range t.links {
			if i >= l.from && i < l.to {
				style.Href = d.reader.links[l.id]
				break
			}
		}
		if style != now {
			flush()
			now = style
		}
		switch u := t.units[i]; {
		case u == 0x0B:
			units = append(units, '\n')
		case u < ' ' && u != '\t':
		default:
			units = append(units, u)
		}
	}
	flush()
	return line
}
