// SPDX-License-Identifier: Apache-2.0

package ppt

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strconv"
	"unicode/utf16"

	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/ooxml"
)

// Text types ([MS-PPT] 2.13.33).
const (
	textTitle       = 0
	textBody        = 1
	textNotes       = 2
	textOther       = 4
	textCenterBody  = 5
	textCenterTitle = 6
	textHalfBody    = 7
	textQuarterBody = 8
)

// text is one text with its properties.
type text struct {
	kind   int
	units  []uint16
	styles []byte
	extra  []byte // extensions for newer programs
	links  []linkOf
	target int64       // number of the link whose range comes next
	fields map[int]int // records of numbers and dates by the position of the star that stands for them
}

type linkOf struct {
	from, to int
	id       int64
}

const maxLinks = 10_000 // in one text

// gather adds a record to the last text, or begins a text.
func gather(texts []text, one record) []text {
	if one.kind == rTextHeader {
		return append(texts, text{kind: int(u32(one.data, 0))})
	}
	if len(texts) == 0 {
		if one.kind != rTextChars && one.kind != rTextBytes {
			return texts
		}
		texts = append(texts, text{kind: textOther})
	}
	t := &texts[len(texts)-1]
	switch one.kind {
	case rTextChars:
		t.units = slices.Grow(t.units[:0], len(one.data)/2)
		for i := 0; i+1 < len(one.data); i += 2 {
			t.units = append(t.units, binary.LittleEndian.Uint16(one.data[i:]))
		}
	case rTextBytes:
		t.units = slices.Grow(t.units[:0], len(one.data))
		for _, c := range one.data {
			t.units = append(t.units, uint16(c))
		}
	case rTextStyle:
		t.styles = one.data
	case rInteractive:
		if atomOf, ok := recordAt(one.data, 0); ok && atomOf.kind == rInteractAtom {
			t.target = u32(atomOf.data, 4)
		}
	case rNumberField, rDateField, rAnyDateField, rHeaderField, rFooterField, rFormattedDateField:
		if t.fields == nil {
			t.fields = map[int]int{}
		}
		if len(t.fields) < maxLinks {
			t.fields[i32(one.data, 0)] = one.kind
		}
	case rLinkRange:
		if len(t.links) < maxLinks {
			t.links = append(t.links, linkOf{i32(one.data, 0), i32(one.data, 4), t.target})
		}
	}
	return texts
}

// paraOf has the properties of the paragraphs up to a character.
type paraOf struct {
	end, level int
	bullet     bool
}

// charOf has the properties of the characters up to a character.
type charOf struct {
	end   int
	extra int // index of a numbering
	font  int // number of the font of symbols
	style doctree.Style
}

// cursor reads values from bytes.
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

// skip skips two bytes for each of the bits that are set in mask.
func (c *cursor) skip(mask int64, bits ...int64) {
	for _, bit := range bits {
		if mask&bit != 0 {
			c.u16()
		}
	}
}

// paragraph reads paragraph properties ([MS-PPT] 2.9.20). It returns whether
// they set bullets, and the value.
func (c *cursor) paragraph() (said, bullet bool) {
	mask := c.u32()
	if mask&0xF != 0 {
		flags := c.u16()
		said, bullet = mask&1 != 0, flags&1 != 0
	}
	c.skip(mask, 1<<7, 1<<4, 1<<6)
	if mask&(1<<5) != 0 {
		c.u32()
	}
	c.skip(mask, 1<<11, 1<<12, 1<<13, 1<<14, 1<<8, 1<<10, 1<<15)
	if mask&(1<<20) != 0 {
		stops := c.u16()
		c.b = c.b[min(4*stops, len(c.b)):]
	}
	c.skip(mask, 1<<16, 7<<17, 1<<21)
	return said, bullet
}

const noFont = -1 // a text that does not name its font

// character reads character properties ([MS-PPT] 2.9.13).
func (c *cursor) character() (look charOf) {
	mask := c.u32()
	if mask&0x3FFF != 0 {
		flags := c.u16()
		look.style = doctree.Style{Bold: flags&1 != 0, Italic: flags&2 != 0, Underline: flags&4 != 0}
		look.extra = flags >> 10 & 15
	}
	look.font = noFont
	if mask&(1<<16) != 0 {
		look.font = c.u16()
	}
	c.skip(mask, 1<<21, 1<<22)
	if mask&(1<<23) != 0 {
		look.font = c.u16() // of symbols only
	}
	c.skip(mask, 1<<17)
	if mask&(1<<18) != 0 {
		c.u32()
	}
	if mask&(1<<19) != 0 {
		shift := int16(c.u16()) //nolint:gosec // the sign is part of it
		look.style.Sup, look.style.Sub = shift > 0, shift < 0
	}
	return look
}

// runs reads runs of properties until they cover t. Run lengths count
// characters, including the end of the text.
func (t *text) runs(c *cursor, read func(end int)) {
	for end := 0; end <= len(t.units) && len(c.b) > 0; {
		n := c.u32()
		if n <= 0 || n > int64(len(t.units)+1-end) {
			c.b = nil
			return
		}
		end += int(n)
		read(end)
	}
}

// style returns the properties of t ([MS-PPT] 2.9.44). b has the bullets of
// the master.
func (t *text) style(b *bullets) (paras []paraOf, chars []charOf) {
	c := cursor{t.styles}
	t.runs(&c, func(end int) {
		p := paraOf{end: end, level: c.u16()}
		said, on := c.paragraph()
		if !said {
			on = b.at(t.kind, p.level)
		}
		p.bullet = on
		paras = append(paras, p)
	})
	t.runs(&c, func(end int) {
		look := c.character()
		look.end = end
		chars = append(chars, look)
	})
	return paras, chars
}

// numbering is the automatic numbering of paragraphs.
type numbering struct {
	on            bool
	scheme, start int
}

// numberings reads the bullet extensions for newer programs ([MS-PPT]
// 2.9.66). Characters refer to them by index.
func numberings(b []byte) (all []numbering) {
	c := cursor{b}
	for len(c.b) >= 12 && len(all) < 16 {
		mask := c.u32()
		var n numbering
		c.skip(mask, 1<<23)
		if mask&(1<<25) != 0 {
			n.on = c.u16() != 0
		}
		if mask&(1<<24) != 0 {
			n.scheme, n.start = c.u16(), c.u16()
		} else {
			n.scheme, n.start = 3, 1
		}
		if mask = c.u32(); mask&(1<<20) != 0 { // properties of characters
			c.u32()
		}
		mask = c.u32() // properties of the language
		c.skip(mask, 1, 2, 4, 1<<6)
		if mask&(1<<5) != 0 {
			c.u32()
		}
		if mask&(1<<9) != 0 {
			tags := c.u32()
			c.b = c.b[min(4*tags, int64(len(c.b))):]
		}
		all = append(all, n)
	}
	return all
}

// label returns number i in the format of the numbering ([MS-PPT] 2.13.31).
func (n numbering) label(i int) string {
	format := ""
	switch n.kind() {
	case "a":
		format = "lowerLetter"
	case "A":
		format = "upperLetter"
	case "i":
		format = "lowerRoman"
	case "I":
		format = "upperRoman"
	}
	shown := ooxml.Number(format, i)
	switch n.scheme {
	case 4, 8, 10, 12, 14:
		return "(" + shown + ")"
	case 2, 5, 9, 11, 15:
		return shown + ")"
	case 13:
		return shown
	}
	return shown + "."
}

// kind returns the type attribute of an ordered list.
func (n numbering) kind() string {
	switch n.scheme {
	case 0, 8, 9:
		return "a"
	case 1, 10, 11:
		return "A"
	case 4, 5, 6:
		return "i"
	case 7, 14, 15:
		return "I"
	}
	return ""
}

// text writes the paragraphs of t as the title of the slide, as list items,
// or as paragraphs.
func (d *drawing) text(flow *doctree.Flow, t *text, title atom.Atom) {
	paras, chars := t.style(d.bullets)
	numbers := numberings(t.extra)
	var counts [16]int
	var before [16]numbering // of the items that counts has
	from := 0
	heading := &doctree.Line{}
	for from <= len(t.units) {
		to := from
		for to < len(t.units) && t.units[to] != '\r' {
			to++
		}
		p := paraOf{bullet: d.bullets.at(t.kind, 0)}
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
			item := doctree.Item{Level: min(p.level, len(counts)-1)}
			clear(counts[item.Level+1:])
			if len(chars) > 0 && chars[0].extra < len(numbers) && numbers[chars[0].extra].on {
				n := numbers[chars[0].extra]
				if n != before[item.Level] { // another way to count begins again
					before[item.Level], counts[item.Level] = n, 0
				}
				item.Ordered, item.Type, item.Number = true, n.kind(), n.start+counts[item.Level]
				item.Label = n.label(item.Number)
				counts[item.Level]++
			} else {
				counts[item.Level] = 0
			}
			line.Write(&d.b, flow.Item(item))
		default:
			line.Write(&d.b, flow.Append(atom.P))
		}
		from = to + 1
		if !d.room() {
			d.leave(t.units[min(from, len(t.units)):])
			break
		}
	}
	if !heading.Blank() {
		heading.Write(&d.b, flow.Append(title, "id", d.ids.Make(heading.Content())))
	}
}

func (d *drawing) line(t *text, from, to int, chars []charOf) *doctree.Line {
	line := &doctree.Line{}
	var short [128]uint16
	units := short[:0]
	var now doctree.Style
	flush := func() {
		if len(units) > 0 {
			line.Text(cfb.Decode(units), now)
			units = units[:0]
		}
	}
	for i := from; i < to; i++ {
		for len(chars) > 0 && chars[0].end <= i {
			chars = chars[1:]
		}
		style, font := doctree.Style{}, noFont
		if len(chars) > 0 {
			style, font = chars[0].style, chars[0].font
		}
		for _, l := range t.links {
			if i >= l.from && i < l.to {
				style.Href = d.targets[l.id]
				break
			}
		}
		if style != now {
			flush()
			now = style
		}
		switch u := t.units[i]; {
		case u == '*' && t.fields[i] == rNumberField && d.number > 0:
			units = append(units, utf16.Encode([]rune(strconv.Itoa(d.number)))...)
		case u == '*' && t.fields[i] != 0: // the file does not have the value
		case u == 0x0B:
			units = append(units, '\n')
		case u < ' ' && u != '\t':
		case 0xF000 <= u && u <= 0xF0FF:
			units = append(units, utf16.Encode([]rune(ooxml.Symbol(cmp.Or(d.fonts[font], "Symbol"), rune(u))))...)
		default:
			units = append(units, u)
		}
	}
	flush()
	return line
}
