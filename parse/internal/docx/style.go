// SPDX-License-Identifier: Apache-2.0

package docx

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/ooxml"
)

// on is a boolean property that may be unset.
type on uint8

const (
	open on = iota
	no
	yes
)

// properties are the properties of a run. Zero values are unset.
type properties struct {
	bold, italic, strike, vanish, underline, mark, rtl on

	vert        string // superscript, subscript or baseline
	raised      int    // half points; negative is lowered
	font        string // for Latin text
	symbols     string // symbol font, which shows letters as symbols
	size        int    // half points
	color, fill string // RRGGBB
	lang        string
	style       string // ID of a character style
}

// readProperties reads a w:rPr.
func readProperties(e *zipxml.Element) (p properties) {
	for c := e.First(); c != nil; c = c.Next() {
		switch c.Name {
		case "w:b":
			p.bold = toggle(c)
		case "w:i":
			p.italic = toggle(c)
		case "w:strike", "w:dstrike":
			if t := toggle(c); p.strike != yes {
				p.strike = t
			}
		case "w:vanish":
			p.vanish = toggle(c)
		case "w:u":
			p.underline = toggle(c)
		case "w:highlight":
			p.mark = toggle(c)
		case "w:rtl":
			p.rtl = toggle(c)
		case "w:vertAlign":
			p.vert = ooxml.Val(c)
		case "w:position":
			p.raised = c.Int("w:val", 0)
		case "w:sz":
			p.size = c.Int("w:val", 0)
		case "w:color":
			p.color = strings.ToUpper(ooxml.Val(c))
		case "w:shd":
			p.fill = shade(c)
		case "w:lang":
			p.lang = ooxml.Val(c)
		case "w:rStyle":
			p.style = ooxml.Val(c)
		case "w:rFonts":
			p.font = c.Attr("w:ascii")
			if p.font == "" {
				p.font = c.Attr("w:hAnsi")
			}
			p.symbols = ooxml.SymbolFont(p.font)
		}
	}
	return p
}

// shade returns the colour of a w:shd, or another text if it has a pattern.
func shade(e *zipxml.Element) string {
	if pattern := ooxml.Val(e); pattern != "" && pattern != "clear" && pattern != "nil" {
		return pattern
	}
	return strings.ToUpper(e.Attr("w:fill"))
}

func toggle(e *zipxml.Element) on {
	if ooxml.On(e) {
		return yes
	}
	return no
}

// over returns p, with unset properties taken from base.
func (p properties) over(base properties) properties {
	first := func(a, b on) on {
		if a != open {
			return a
		}
		return b
	}
	p.bold, p.italic, p.strike = first(p.bold, base.bold), first(p.italic, base.italic), first(p.strike, base.strike)
	p.vanish, p.underline = first(p.vanish, base.vanish), first(p.underline, base.underline)
	p.mark, p.rtl = first(p.mark, base.mark), first(p.rtl, base.rtl)
	for _, s := range [...]struct{ of, from *string }{
		{&p.vert, &base.vert},
		{&p.color, &base.color},
		{&p.fill, &base.fill},
		{&p.lang, &base.lang},
	} {
		if *s.of == "" {
			*s.of = *s.from
		}
	}
	if p.font == "" {
		p.font, p.symbols = base.font, base.symbols
	}
	p.size, p.raised = cmp.Or(p.size, base.size), cmp.Or(p.raised, base.raised)
	return p
}

// toggled combines p and other, both from styles. A toggle property that is
// set in both is off (ECMA-376 part 1, 17.7.3).
func (p properties) toggled(other properties) properties {
	xor := func(a, b on) on {
		switch {
		case a == yes && b == yes:
			return no
		case a == yes || b == yes:
			return yes
		case a != open:
			return a
		}
		return b
	}
	sum := p.over(other)
	sum.bold, sum.italic = xor(p.bold, other.bold), xor(p.italic, other.italic)
	sum.strike, sum.vanish = xor(p.strike, other.strike), xor(p.vanish, other.vanish)
	return sum
}

// style is a style with its inherited properties.
type style struct {
	id, name string
	based    string
	run      properties
	outline  int // 0 to 8; 9 is body text, -1 unset
	numID    string
	level    int // list level; -1 unset
	bidi     on
	ruled    on     // border above or below, but not at the sides
	left     int    // indent in twentieths of a point; -1 unset
	first    int    // indent of the first line relative to left; leftOpen unset
	side     string // alignment: left, center or right; "" unset
	fill     string // background colour of paragraphs
	role     doctree.Role
	depth    int // depth of a table of contents entry, from 0
	code     bool
}

// styles are the styles of a document. A style is read when it is first
// used, because most documents declare many more than they use.
type styles struct {
	declared  map[string]func(context.Context) (*zipxml.Element, error) // by ID
	own       map[string]*style                                         // without inherited properties
	byID      map[string]*style                                         // with inherited properties
	normal    string                                                    // ID of the default paragraph style
	defaults  properties
	lang      string
	numbering *numbering
	broken    func() // reports that the part is malformed
}

const maxChain = 64 // length of a chain of styles based on each other

// readStyles finds the declarations in the styles part. part may be "".
func (d *reader) readStyles(ctx context.Context, part string) *styles {
	s := &styles{
		declared: map[string]func(context.Context) (*zipxml.Element, error){}, own: map[string]*style{}, byID: map[string]*style{},
		broken: func() { d.doc.WarnPart(part) },
	}
	if part == "" {
		return s
	}
	data, err := d.pkg.Text(part)
	if err != nil {
		s.broken()
	}
	scan := zipxml.NewScanner(data, ooxml.Words)
	rooted := false
	for err == nil {
		var t zipxml.Token
		if t, err = scan.Next(ctx); err != nil || t.Kind != zipxml.Start {
			continue
		}
		if !rooted {
			d.pkg.Root(part, t.Name)
			rooted = true
			continue
		}
		attrs := &zipxml.Element{Attrs: t.Attrs}
		kind, id := attrs.Attr("w:type"), attrs.Attr("w:styleId")
		switch {
		case t.Name == "w:docDefaults":
			var e *zipxml.Element
			e, err = scan.Tree(ctx, t)
			s.defaults = readProperties(e.Get("w:rPrDefault", "w:rPr"))
			s.lang = s.defaults.lang
		case t.Name != "w:style" || kind == "table" || kind == "numbering" || s.declared[id] != nil:
			err = scan.Skip(ctx)
		default:
			if kind == "paragraph" && s.normal == "" && ooxml.Bool(attrs.Attr("w:default"), false) {
				s.normal = id
			}
			s.declared[id], err = scan.Later(ctx)
		}
	}
	if !errors.Is(err, io.EOF) {
		s.broken()
	}
	return s
}

// declaration returns the style id without inherited properties, or nil if
// there is none.
func (s *styles) declaration(ctx context.Context, id string) *style {
	st, known := s.own[id]
	if read := s.declared[id]; read != nil && !known {
		e, err := read(ctx)
		if err != nil {
			s.broken()
		}
		if e != nil {
			st = readStyle(e)
		}
		s.own[id] = st
	}
	return st
}

func readStyle(e *zipxml.Element) *style {
	st := &style{
		id: e.Attr("w:styleId"), name: strings.ToLower(ooxml.Val(e.Get("w:name"))), based: ooxml.Val(e.Get("w:basedOn")),
		run: readProperties(e.Get("w:rPr")),
	}
	p := e.Get("w:pPr")
	st.outline, st.level = p.Get("w:outlineLvl").Int("w:val", -1), p.Get("w:numPr", "w:ilvl").Int("w:val", -1)
	st.numID = ooxml.Val(p.Get("w:numPr", "w:numId"))
	st.left, st.first, st.side = indent(p, -1), firstIndent(p, leftOpen), sideOf(p)
	st.fill = shade(p.Get("w:shd"))
	if b := p.Get("w:bidi"); b != nil {
		st.bidi = toggle(b)
	}
	if b := p.Get("w:pBdr"); b != nil {
		st.ruled = isRuled(b)
	}
	st.role, st.depth = doctree.RoleOf(st.name)
	if st.outline < 0 {
		if n, ok := strings.CutPrefix(st.name, "heading "); ok {
			if n, err := strconv.Atoi(n); err == nil && n >= 1 && n <= 9 {
				st.outline = n - 1
			}
		}
	}
	st.code = st.role == doctree.Code
	return st
}

// isRuled reports whether a w:pBdr has a border above or below and none at
// the sides.
func isRuled(e *zipxml.Element) on {
	drawn := func(side string) bool {
		v := ooxml.Val(e.Get(side))
		return v != "" && v != "nil" && v != "none"
	}
	if (drawn("w:top") || drawn("w:bottom")) && !drawn("w:left") && !drawn("w:right") {
		return yes
	}
	return no
}

// indent returns the left indent of a w:pPr, or other if it is unset.
func indent(p *zipxml.Element, other int) int {
	e := p.Get("w:ind")
	if n := e.Int("w:left", -1); n >= 0 {
		return n
	}
	return e.Int("w:start", other)
}

// leftOpen marks an unset first-line indent.
const leftOpen = math.MinInt

// firstIndent returns the first-line indent of a w:pPr, or other if it is
// unset.
func firstIndent(p *zipxml.Element, other int) int {
	e := p.Get("w:ind")
	if n := e.Int("w:hanging", -1); n >= 0 {
		return -n
	}
	return e.Int("w:firstLine", other)
}

// sideOf returns the alignment of a w:pPr, or "" if it is unset.
func sideOf(p *zipxml.Element) string {
	switch v := ooxml.Val(p.Get("w:jc")); v {
	case "", "center", "right":
		return v
	case "end":
		return "right"
	}
	return "left"
}

// resolve returns the style id with all inherited properties, or nil if
// there is none.
func (s *styles) resolve(ctx context.Context, id string) *style {
	if st, known := s.byID[id]; known {
		return st
	}
	own := s.declaration(ctx, id)
	if own == nil {
		return nil
	}
	sum := *own
	seen := map[string]bool{id: true}
	for at := sum.based; at != "" && !seen[at] && len(seen) < maxChain; {
		base := s.declaration(ctx, at)
		if base == nil {
			break
		}
		seen[at] = true
		sum.inherit(base)
		at = base.based
	}
	if level, ok := s.numbering.levelOf(sum.numID, id); ok {
		sum.level = level
	}
	s.byID[id] = &sum
	return &sum
}

// inherit sets the unset properties of st from base.
func (st *style) inherit(base *style) {
	st.run = st.run.over(base.run)
	if st.outline < 0 {
		st.outline = base.outline
	}
	if st.numID == "" {
		st.numID = base.numID
	}
	if st.level < 0 {
		st.level = base.level
	}
	if st.left < 0 {
		st.left = base.left
	}
	if st.first == leftOpen {
		st.first = base.first
	}
	st.side, st.fill = cmp.Or(st.side, base.side), cmp.Or(st.fill, base.fill)
	if st.bidi == open {
		st.bidi = base.bidi
	}
	if st.ruled == open {
		st.ruled = base.ruled
	}
	if st.role == doctree.Plain && base.role != doctree.Contents {
		st.role, st.depth = base.role, base.depth
	}
	st.code = st.code || base.code
}

// get returns the paragraph style id, or the default style if there is none.
func (s *styles) get(ctx context.Context, id string) *style {
	if id != "" {
		if st := s.resolve(ctx, id); st != nil {
			return st
		}
	}
	if st := s.resolve(ctx, s.normal); st != nil {
		return st
	}
	return &unstyled
}

// unstyled is the paragraph style of a document without styles.
var unstyled = style{outline: -1, level: -1, left: -1, first: leftOpen}
