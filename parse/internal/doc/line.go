// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/ooxml"
)

// field is an open field: its instruction, then its result.
type field struct {
	code   []byte
	result bool
	toc    bool
	embeds bool // its result shows an embedded object

	replaced bool // that object was read
	href     string
	form     *form // a legacy form field

	line *doctree.Line // where the result begins
	mark int           // what the line had then
}

const maxCode = 4096 // bytes of an instruction

// line reads the characters of a paragraph.
func (o *output) line(from, to int, base look) *doctree.Line {
	line := &doctree.Line{}
	var text []uint16
	var now doctree.Style
	flush := func() {
		line.Text(cfb.Decode(text), now)
		text = text[:0]
	}
	l := base
	var until int64 = -1 // end of the run
	last := int64(-2)
	var changed []byte // by the piece of the text
	before := shown
	for cp := from; cp <= to; cp++ {
		if cp%checkEvery == 0 && o.ctx.Err() != nil {
			break
		}
		if len(o.marks[cp]) > 0 {
			flush()
			o.mark(line, cp)
		}
		if cp == to {
			break
		}
		fc, props := o.place(cp)
		if fc >= until || fc < last || !same(props, changed) {
			l, until = o.look(fc, props, base)
			changed = props
		}
		last = fc
		u := o.text[cp]
		if o.omits(u, l, &before) {
			continue
		}
		u = o.char(cp)
		if u < ' ' {
			flush()
			o.control(line, cp, u, l)
			continue
		}
		if o.command(u) {
			continue
		}
		style := o.style(l)
		if style != now {
			flush()
			now = style
		}
		switch {
		case u == '(' && l.symbol != 0: // not all writers mark it as special
			flush()
			line.Text(o.symbol(l), now)
			continue
		case 0xF000 <= u && u <= 0xF0FF && l.letter < len(o.fonts): // a character of a symbol font
			flush()
			line.Text(ooxml.Symbol(o.fonts[l.letter], rune(u)), now)
			continue
		}
		text = append(text, u)
	}
	flush()
	if o.asked() != nil {
		o.coded++
	}
	return line
}

// omission says whether and why a character is left out.
type omission byte

const (
	shown omission = iota
	deleted
	veiled
)

// omits reports whether a character is left out because it is deleted or hidden. It
// counts the places where such characters begin. before is about the last character.
func (o *output) omits(u uint16, l look, before *omission) bool {
	why, count := deleted, &o.changes
	switch {
	case l.deleted:
	case l.veils(u) && o.options.Hidden == doctree.HiddenDropped:
		why, count = veiled, &o.hidden
	default:
		*before = shown
		return false
	}
	if u > ' ' && *before != why {
		*before = why
		*count++
	}
	return true
}

// char returns the character at a position. A custom reference mark is read
// as the character that stands for a numbered one, unless it is part of a
// field's instruction.
func (o *output) char(cp int) uint16 {
	u := o.text[cp]
	if _, ok := o.refs[cp]; ok && u >= ' ' && o.asked() == nil {
		return 0x02
	}
	return u
}

// veils reports whether a character is hidden text. The marks of a field (its
// begin, separator and end, [MS-DOC] 2.8.25) are read in hidden text too,
// because a hidden field would otherwise stay open.
func (l look) veils(u uint16) bool {
	return l.hidden && (u < 0x13 || u > 0x15)
}

// mark writes the bookmarks of a position.
func (o *output) mark(line *doctree.Line, cp int) {
	for _, name := range o.marks[cp] {
		line.Node(o.b.Element(atom.Span, "id", name), doctree.Style{})
	}
	delete(o.marks, cp)
}

// asked returns the innermost field whose instruction is being read. It
// returns nil if all fields are at their results. The result of a field may
// be part of another field's instruction.
func (o *output) asked() *field {
	for i := len(o.fields) - 1; i >= 0; i-- {
		if !o.fields[i].result {
			return &o.fields[i]
		}
	}
	return nil
}

// command adds a character to a field instruction. It returns false if the
// character is text.
func (o *output) command(u uint16) bool {
	f := o.asked()
	if f == nil {
		return false
	}
	if len(f.code) < maxCode {
		f.code = utf8.AppendRune(f.code, rune(u))
	}
	return true
}

// symbol returns the Unicode text for a character of a symbol font.
func (o *output) symbol(l look) string {
	font := ""
	if l.font < len(o.fonts) {
		font = o.fonts[l.font]
	}
	return ooxml.Symbol(font, l.symbol)
}

const usualSize = 20 // half points; used if no style sets a size

// same reports whether two slices are the same bytes in memory.
func same(a, b []byte) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// look returns the properties of the character at fc and the offset up to
// which they apply. changed are the modifiers of its piece.
func (o *output) look(fc int64, changed []byte, base look) (look, int64) {
	run, ok := find(o.chars, fc)
	if !ok {
		run.to = fc + 1
		if len(changed) == 0 {
			return base, run.to
		}
	}
	props := run.props
	if len(changed) > 0 {
		props = slices.Concat(props, changed)
	}
	l := base
	if named := l.apply(props, base); named != 0 {
		style := base
		style.apply(o.styles.char2(named), base)
		l = style
		l.apply(props, style)
	}
	if l.raise == 0 && l.size > 0 && l.size < cmp.Or(base.size, usualSize) { // LibreOffice writes superscripts and subscripts this way
		switch {
		case l.place > 0:
			l.raise = 1
		case l.place < 0:
			l.raise = 2
		}
	}
	return l, run.to
}

// char2 returns the properties of a character style.
func (s *styles) char2(i int) (props []byte) {
	for _, st := range s.chain(i) {
		if !st.paragraph {
			props = append(props, st.char...)
		}
	}
	return props
}

func (o *output) style(l look) doctree.Style {
	s := doctree.Style{
		Bold: l.bold, Italic: l.italic, Strike: l.strike, Underline: l.under, Sup: l.raise == 1, Sub: l.raise == 2,
		Code: l.letter < len(o.mono) && o.mono[l.letter],
	}
	if l.hidden {
		s = o.options.Hidden.Style(s)
	}
	for _, f := range o.fields {
		if f.href != "" {
			s.Href = f.href
		}
	}
	return s
}

// fieldMark reads the character with which a field, its result or its end begins.
func (o *output) fieldMark(line *doctree.Line, u uint16, l look, style doctree.Style) {
	n := len(o.fields)
	switch {
	case u == 0x13:
		if n < maxFields {
			o.fields = append(o.fields, field{})
		}
	case n == 0:
	case u == 0x14:
		f := &o.fields[n-1]
		if o.options.Hidden == doctree.HiddenDropped && ooxml.ParseField(string(f.code)).Stores() {
			o.hidden++
			return // what follows is left out as if it were the instruction
		}
		f.interpret(line)
		if f.embeds {
			f.replaced = o.embed(line, l.picture, l.hidden && o.options.Hidden == doctree.HiddenDropped)
		}
	default:
		f := o.fields[n-1]
		o.fields = o.fields[:n-1]
		if !l.hidden || o.options.Hidden != doctree.HiddenDropped {
			o.ended(line, f, style)
		}
	}
}

// control reads a special character ([MS-DOC] 2.4.1).
func (o *output) control(line *doctree.Line, cp int, u uint16, l look) {
	style := o.style(l)
	if u >= 0x13 && u <= 0x15 {
		o.fieldMark(line, u, l, style)
		return
	}
	if f := o.asked(); f != nil {
		if u == 0x01 && l.data && o.looked < maxShapes {
			o.looked++
			f.form = o.form(l.picture)
		}
		return
	}
	switch u {
	case '\t':
		line.Text("\t", style)
	case 0x0B, 0x0E:
		line.Text("\n", style)
	case 0x1E:
		line.Text("-", style)
	case 0x01:
		if l.special && !l.data {
			o.inline(line, l.picture)
		}
	case 0x08:
		if l.special {
			o.anchor(line, cp)
		}
	case 0x02, 0x05:
		if s, ok := o.refs[cp]; ok {
			if ref := o.note(s); ref != nil {
				line.Node(ref, doctree.Style{})
			}
		}
	}
}

// interpret reads the instruction of a field. Its result follows on the line.
func (f *field) interpret(line *doctree.Line) {
	said := ooxml.ParseField(string(f.code))
	f.result, f.href, f.toc, f.embeds = true, said.Href(), said.Name == "TOC", said.Name == "EMBED"
	f.line, f.mark = line, line.Mark()
}

// ended writes a field that has no result, or an empty one.
func (o *output) ended(line *doctree.Line, f field, style doctree.Style) {
	switch {
	case o.asked() != nil:
		return
	case f.form != nil && f.form.kind == formBox:
		line.Node(o.b.Checkbox(f.form.value == 1), style)
		return
	case f.result && (f.line != line || f.mark != line.Mark()):
		return
	}
	tex, text, unfilled := ooxml.ParseField(string(f.code)).Alone()
	switch {
	case f.form != nil && (f.form.kind == formChoice || !f.result):
		text = f.form.text
	case unfilled && !f.result:
		o.unfilled++
	}
	if tex != "" {
		line.Node(o.b.Math(tex, false), doctree.Style{})
	}
	line.Text(text, style)
}
