// SPDX-License-Identifier: Apache-2.0

package pptx

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/mathtex"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/ooxml"
)

const levels = 9

// styles are the list styles that may define a paragraph's bullet, nearest
// first.
type styles []*zipxml.Element

// styles returns the list styles for a shape: its own, those of its
// placeholder on layout and master, the master's style for this kind of
// text, and the presentation's default.
func (s *slide) styles(sh shape) styles {
	list := styles{sh.e.Get("p:txBody", "a:lstStyle")}
	if sh.holder == nil {
		return append(list, s.master.Get("p:txStyles", "p:otherStyle"), s.d.defaults)
	}
	list = append(list,
		s.model(s.layout, sh.holder).Get("p:txBody", "a:lstStyle"),
		s.model(s.master, sh.holder).Get("p:txBody", "a:lstStyle"))
	switch kindOf(sh.holder) {
	case "body":
		if sh.holder.Attr("type") != "subTitle" {
			list = append(list, s.master.Get("p:txStyles", "p:bodyStyle"))
		}
	case "title":
		list = append(list, s.master.Get("p:txStyles", "p:titleStyle"))
	default:
		list = append(list, s.master.Get("p:txStyles", "p:otherStyle"))
	}
	return append(list, s.d.defaults)
}

// bullet is the kind of bullet of a paragraph.
type bullet uint8

const (
	unsaid bullet = iota
	none
	sign
	numbered
)

// bulletOf reads the bullet in an a:pPr or in a level of a list style.
func bulletOf(e *zipxml.Element) (b bullet, auto *zipxml.Element) {
	for c := e.First(); c != nil; c = c.Next() {
		switch c.Name {
		case "a:buNone":
			return none, nil
		case "a:buChar", "a:buBlip":
			return sign, nil
		case "a:buAutoNum":
			return numbered, c
		}
	}
	return unsaid, nil
}

// bullet returns the bullet of a paragraph at a level.
func (list styles) bullet(pPr *zipxml.Element, level int) (bullet, *zipxml.Element) {
	if b, auto := bulletOf(pPr); b != unsaid {
		return b, auto
	}
	name := "a:lvl" + strconv.Itoa(level+1) + "pPr"
	for _, e := range list {
		if b, auto := bulletOf(e.Get(name)); b != unsaid {
			return b, auto
		}
	}
	return none, nil
}

// counter counts the items of one level.
type counter struct {
	scheme string
	next   int
}

// sides maps alignments that differ from the default to names.
var sides = map[string]string{"ctr": "center", "r": "right"}

// text reads the paragraphs of a text body.
func (s *slide) text(ctx context.Context, body *zipxml.Element, list styles) {
	s.counts = make([]counter, levels)
	for p := body.Named("a:p"); p != nil; p = p.Same() {
		if ctx.Err() != nil {
			return
		}
		if !s.d.room() {
			s.d.leave(p)
			continue
		}
		var line doctree.Line
		s.runs(&line, p)
		if line.Blank() {
			s.flow.Gap()
			continue
		}
		pPr := p.Get("a:pPr")
		s.side.Add(sides[pPr.Attr("algn")])
		level := max(0, min(pPr.Int("lvl", 0), levels-1))
		item, f := s.item(pPr, level, list)
		mono := line.Every(func(st doctree.Style) bool { return st.Code })
		if mono {
			line.Restyle(func(st *doctree.Style) { st.Code = false }) // a monospaced font of the whole line is not a sign of inline code
		}
		var block *html.Node
		switch text := line.Content(); {
		case f == nil:
			checked, box := line.Box()
			block = s.flow.Item(item)
			if box {
				block.AppendChild(s.d.b.Checkbox(checked))
			}
		case mono && (f.Program(text) || strings.Contains(text, "\n")):
			for line := range strings.SplitSeq(text, "\n") {
				f.Code(line)
			}
			continue
		default:
			block = f.Append(atom.P)
		}
		if ooxml.Bool(pPr.Attr("rtl"), false) {
			block.Attr = append(block.Attr, html.Attribute{Key: "dir", Val: "rtl"})
		}
		line.Write(&s.d.b, block)
	}
}

// item counts a paragraph. For a paragraph without a bullet it returns the flow
// to write to: a paragraph that is deeper than a list item continues that item.
func (s *slide) item(pPr *zipxml.Element, level int, list styles) (doctree.Item, *doctree.Flow) {
	kind, auto := list.bullet(pPr, level)
	clear(s.counts[level+1:])
	switch kind {
	case sign:
		s.counts[level] = counter{}
		return doctree.Item{Level: level}, nil
	case numbered:
		scheme := auto.Attr("type")
		c := &s.counts[level]
		if start := auto.Int("startAt", 1); c.scheme != scheme {
			*c = counter{scheme, start}
		}
		c.next++
		return doctree.Item{Level: level, Ordered: true, Type: listType(scheme), Number: c.next - 1, Label: label(scheme, c.next-1)}, nil
	}
	if s.flow.Listing() && level > 0 {
		clear(s.counts[level:])
		return doctree.Item{}, s.flow.Rest(level - 1)
	}
	clear(s.counts)
	return doctree.Item{}, s.flow
}

// label returns a number as a numbering scheme shows it.
func label(scheme string, n int) string {
	format := map[string]string{"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}[listType(scheme)]
	shown := ooxml.Number(format, n)
	switch {
	case strings.HasSuffix(scheme, "ParenBoth"):
		return "(" + shown + ")"
	case strings.HasSuffix(scheme, "ParenR"):
		return shown + ")"
	case strings.HasSuffix(scheme, "Plain"):
		return shown
	}
	return shown + "."
}

// listType returns the type attribute of an HTML list for a numbering scheme
// (ECMA-376 part 1, 20.1.10.61).
func listType(scheme string) string {
	for prefix, kind := range map[string]string{"alphaLc": "a", "alphaUc": "A", "romanLc": "i", "romanUc": "I"} {
		if strings.HasPrefix(scheme, prefix) {
			return kind
		}
	}
	return ""
}

// runs reads the content of a paragraph.
func (s *slide) runs(line *doctree.Line, p *zipxml.Element) {
	for c := p.First(); c != nil; c = c.Next() {
		switch c.Name {
		case "a:r", "a:fld":
			unseen := false
			if size := c.Get("a:rPr").Int("sz", 0); size > 0 && size <= 100 { // hundredths of a point
				if s.d.options.Hidden == doctree.HiddenDropped {
					s.d.hidden++
					continue
				}
				unseen = true
			}
			style, font := s.look(c.Get("a:rPr"))
			if unseen {
				style = s.d.options.Hidden.Style(style)
			}
			s.write(line, c.Get("a:t").Content(), style, font)
		case "a:br":
			line.Text("\n", doctree.Style{})
		case "a14:m":
			s.formulas(line, c)
		case "mc:AlternateContent":
			s.runs(line, ooxml.Alternative(c))
		case "m:oMath", "m:oMathPara":
			s.formula(line, c)
		}
	}
}

// write appends text and replaces characters of symbol fonts. A vertical tab
// is a line break.
func (s *slide) write(line *doctree.Line, text string, style doctree.Style, font string) {
	text = strings.NewReplacer("\v", "\n", "_x000B_", "\n", "_x000D_", "", "\n", " ").Replace(text)
	line.Text(ooxml.Symbols(font, text), style)
}

func (s *slide) formulas(line *doctree.Line, e *zipxml.Element) {
	for c := e.First(); c != nil; c = c.Next() {
		s.formula(line, c)
	}
}

func (s *slide) formula(line *doctree.Line, e *zipxml.Element) {
	switch e.Name {
	case "m:oMath":
		if tex := mathtex.OMML(e); tex != "" {
			line.Node(s.d.b.Math(tex, false), doctree.Style{})
		}
	case "m:oMathPara":
		for c := e.Named("m:oMath"); c != nil; c = c.Same() {
			if tex := mathtex.OMML(c); tex != "" {
				line.Node(s.d.b.Math(tex, true), doctree.Style{})
			}
		}
	}
}

// look returns the style of a run, and its font if that is a symbol font.
func (s *slide) look(rPr *zipxml.Element) (style doctree.Style, font string) {
	style.Bold, style.Italic = ooxml.Bool(rPr.Attr("b"), false), ooxml.Bool(rPr.Attr("i"), false)
	style.Underline = rPr.Attr("u") != "" && rPr.Attr("u") != "none"
	style.Strike = rPr.Attr("strike") != "" && rPr.Attr("strike") != "noStrike"
	style.Mark = rPr.Get("a:highlight") != nil
	style.Code = doctree.Monospaced(rPr.Get("a:latin").Attr("typeface"))
	baseline := rPr.Int("baseline", 0)
	style.Sup, style.Sub = baseline > 0, baseline < 0
	style.Href = cmp.Or(s.href(rPr.Get("a:hlinkClick")), s.href(rPr.Get("a:hlinkMouseOver")), s.link)
	switch strings.ToLower(rPr.Get("a:sym").Attr("typeface")) {
	case "symbol", "wingdings", "wingdings 2", "wingdings 3", "webdings":
		if strings.EqualFold(rPr.Get("a:latin").Attr("typeface"), rPr.Get("a:sym").Attr("typeface")) {
			font = rPr.Get("a:sym").Attr("typeface")
		}
	}
	return style, font
}

// href returns the target of a click: a URL, or another slide.
func (s *slide) href(e *zipxml.Element) string {
	r := s.relations.Get(e.Attr("r:id"))
	if tip := strings.TrimSpace(e.Attr("tooltip")); tip != "" && tip != r.Target {
		s.d.tips++
	}
	if r.External {
		return doctree.Href(r.Target)
	}
	for i, part := range s.d.order {
		if part == r.Target && r.Target != "" {
			return "#slide-" + strconv.Itoa(i+1)
		}
	}
	return ""
}

// table reads a table.
func (s *slide) table(ctx context.Context, e *zipxml.Element) {
	table := s.flow.Append(atom.Table, "data-table", "source")
	var section *html.Node
	first := true
	heads := ooxml.Bool(e.Get("a:tblPr").Attr("firstRow"), false)
	rows := 0
	for tr := e.Named("a:tr"); tr != nil; tr = tr.Same() {
		if !s.d.room() {
			s.d.cut.Rows++
			s.d.leave(tr)
			continue
		}
		tag, cell := atom.Tbody, atom.Td
		if first && heads && !spansDown(tr) {
			tag, cell = atom.Thead, atom.Th
		}
		if first || section.DataAtom != tag {
			section = s.d.b.Append(table, tag)
		}
		first = false
		row := s.d.b.Append(section, atom.Tr)
		for tc := tr.Named("a:tc"); tc != nil; tc = tc.Same() {
			if ctx.Err() != nil {
				return
			}
			if !s.d.room() {
				s.d.cut.Cells++
				s.d.leave(tc)
				continue
			}
			s.cell(ctx, row, cell, tc)
		}
		rows++
	}
	if rows == 0 {
		table.Parent.RemoveChild(table)
	}
	doctree.Tidy(table)
	s.flow.End()
}

func spansDown(tr *zipxml.Element) bool {
	for tc := tr.Named("a:tc"); tc != nil; tc = tc.Same() {
		if tc.Int("rowSpan", 1) > 1 {
			return true
		}
	}
	return false
}

func (s *slide) cell(ctx context.Context, row *html.Node, tag atom.Atom, tc *zipxml.Element) {
	if ooxml.Bool(tc.Attr("hMerge"), false) || ooxml.Bool(tc.Attr("vMerge"), false) {
		s.d.doc.Cover(tc.Says("a:t"))
		return
	}
	td := s.d.b.Append(row, tag)
	for _, span := range [...]struct{ from, to string }{{"gridSpan", "colspan"}, {"rowSpan", "rowspan"}} {
		if n := min(tc.Int(span.from, 1), maxSpan); n > 1 {
			td.Attr = append(td.Attr, html.Attribute{Key: span.to, Val: strconv.Itoa(n)})
		}
	}
	inner := *s
	inner.flow, inner.side = &doctree.Flow{B: &s.d.b, Into: td}, doctree.Side{}
	inner.text(ctx, tc.Get("a:txBody"), styles{tc.Get("a:txBody", "a:lstStyle"), s.d.defaults})
	inner.side.Set(td)
	doctree.Unwrap(td)
}
