// SPDX-License-Identifier: Apache-2.0

package docx

import (
	"cmp"
	"context"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
)

// paragraph reads one paragraph and writes its block.
func (d *reader) paragraph(ctx context.Context, f *doctree.Flow, e *zipxml.Element) {
	pr := e.Get("w:pPr")
	st := d.styles.get(ctx, pr.Get("w:pStyle").Attr("w:val"))
	d.sectionProperties(pr.Get("w:sectPr"))
	inContents := d.inContents()
	in := d.inline()
	in.style(st)
	in.children(ctx, e)
	if d.carried != nil {
		d.carried.Append(&in.line)
		in.line, d.carried = *d.carried, nil
	}
	if d.joins(pr) || isDropCap(pr) {
		line := in.line
		d.carried = &line
		d.after(f, in)
		return
	}
	p := paragraph{d: d, pr: pr, style: st, line: &in.line, lang: in.lang, named: in.named}
	if inContents || d.inContents() || st.role == doctree.Contents {
		if !p.line.Blank() {
			p.line.Write(&d.b, f.Entry(st.depth))
		}
	} else {
		p.write(f)
	}
	d.after(f, in)
}

// joins reports whether the mark of a paragraph is removed by a tracked
// change, so that the next paragraph continues it.
func (d *reader) joins(pr *zipxml.Element) bool {
	mark := pr.Get("w:rPr")
	switch d.options.Changes {
	case Accept:
		return mark.Get("w:del") != nil || mark.Get("w:moveFrom") != nil
	case Reject:
		return mark.Get("w:ins") != nil || mark.Get("w:moveTo") != nil
	}
	return false
}

// isDropCap reports whether a paragraph is the drop cap of the next one
// (ECMA-376 part 1, 17.3.1.11).
func isDropCap(pr *zipxml.Element) bool {
	switch pr.Get("w:framePr").Attr("w:dropCap") {
	case "drop", "margin":
		return true
	}
	return false
}

// flush writes the content that was kept for the next paragraph, because there
// is no next paragraph.
func (d *reader) flush(f *doctree.Flow) {
	if d.carried == nil {
		return
	}
	line := d.carried
	d.carried = nil
	if !line.Blank() {
		line.Write(&d.b, f.Append(atom.P))
	}
}

// after writes the blocks anchored in a paragraph.
func (d *reader) after(f *doctree.Flow, in *inline) {
	for _, n := range in.aside {
		if f.Listing() {
			f.Continue(atom.Div).AppendChild(n)
		} else {
			f.Node(n)
		}
	}
}

// paragraph is the state for writing one paragraph.
type paragraph struct {
	d     *reader
	pr    *zipxml.Element
	style *style
	line  *doctree.Line
	lang  string
	named bool // part of it has a code style
}

func (p *paragraph) rtl() bool {
	if b := p.pr.Get("w:bidi"); b != nil {
		return toggle(b) == yes
	}
	return p.style.bidi == yes
}

// attrs returns the attributes of the block.
func (p *paragraph) attrs() []string {
	var attrs []string
	if p.rtl() {
		attrs = append(attrs, "dir", "rtl")
		p.line.Restyle(func(s *doctree.Style) { s.Dir = "" })
	}
	if p.lang != "" {
		attrs = append(attrs, "lang", p.lang)
	}
	return attrs
}

// side returns the alignment of p.
func (p *paragraph) side() string {
	if p.rtl() {
		return ""
	}
	return cmp.Or(sideOf(p.pr), p.style.side)
}

// outline returns the outline level of a heading, from 0, or -1 for other
// paragraphs.
func (p *paragraph) outline() int {
	n := p.pr.Get("w:outlineLvl").Int("w:val", p.style.outline)
	switch {
	case n >= 0 && n < 9:
		return min(n, 5)
	case p.style.role == doctree.Title:
		return 0
	}
	return -1
}

// number counts p if it is a list item.
func (p *paragraph) number() (number, bool) {
	id, at := p.style.numID, p.style.level
	if direct := p.pr.Get("w:numPr"); direct != nil {
		if n := direct.Get("w:numId"); n != nil {
			id = n.Attr("w:val")
		}
		if at < 0 || direct.Get("w:ilvl") != nil {
			at = direct.Get("w:ilvl").Int("w:val", 0)
		}
	}
	if id == "" || id == "0" {
		return number{}, false
	}
	num, ok := p.d.numbering.next(id, at)
	if p.pr.Get("w:numPr") == nil && p.style.left > 0 {
		num.item.Left = p.style.left // it takes precedence over the indent of the list
	}
	num.item.Left = indent(p.pr, num.item.Left)
	return num, ok
}

// continued returns the flow to write p to. If p is another paragraph of a list
// item, it is the flow of that item. Such a paragraph has the same indent as the
// item's text in all its lines. Styles of quotes have indents of their own, so
// only an indent of the paragraph itself puts a quote into an item.
func (p *paragraph) continued(f *doctree.Flow) *doctree.Flow {
	first := firstIndent(p.pr, p.style.first)
	switch {
	case first != 0 && first != leftOpen:
		return f
	case p.style.role == doctree.Quote:
		return f.Under(indent(p.pr, 0))
	case p.style.role != doctree.Plain && p.style.role != doctree.Code:
		return f
	}
	return f.Under(indent(p.pr, p.style.left))
}

// write writes the block.
func (p *paragraph) write(f *doctree.Flow) {
	num, numbered := p.number()
	before := p.d.blank
	p.d.blank = blank{}
	if p.line.Blank() && (p.line.Empty() || p.d.onlyAnchors(p.line)) {
		p.d.pending = append(p.d.pending, p.line.Nodes(atom.Span)...)
		if numbered && !num.blank {
			p.d.blank = blank{f, num.item}
		}
		f.Gap()
		p.rule(f)
		return
	}
	b := &p.d.b
	if level := p.outline(); level >= 0 && !p.line.Blank() {
		if num.text != "" {
			p.line.Prefix(num.text + " ")
		}
		id := p.d.ids.Make(p.line.Content())
		p.bold()
		p.line.Write(b, f.Append(headings[level], append([]string{"id", id}, p.attrs()...)...))
		return
	}
	p.d.side.Add(p.side())
	switch {
	case num.blank:
		numbered, f = false, f.Rest(num.item.Level)
	case !numbered:
		f = p.continued(f)
	}
	isCode := p.isCode(f) && !numbered
	if !isCode && !p.named && p.line.Every(func(s doctree.Style) bool { return s.Code }) {
		p.line.Restyle(func(s *doctree.Style) { s.Code = false }) // a monospaced font of the whole line is not a sign of inline code
	}
	switch {
	case isCode:
		f.Code(p.line.Content())
	case numbered:
		if before.in == f && before.item.Level < num.item.Level {
			f.Item(before.item) // an item that shows only its number has the others below it
		}
		if num.item.Ordered || num.bullet {
			p.item(f, num.item)
			return
		}
		p.line.Prefix(num.text + " ")
		p.item(f, num.item)
	case p.style.role == doctree.Quote:
		quote, _ := f.Joined(atom.Blockquote)
		p.line.Write(b, b.Append(quote, atom.P, p.attrs()...))
	case p.style.role == doctree.Term:
		list, _ := f.Joined(atom.Dl)
		p.bold()
		p.line.Write(b, b.Append(list, atom.Dt, p.attrs()...))
	case p.style.role == doctree.Definition && f.Defining():
		list, _ := f.Joined(atom.Dl)
		p.line.Write(b, b.Append(list, atom.Dd, p.attrs()...))
	case isBox(p.line.First()):
		p.item(f, doctree.Item{Key: "box"})
	case p.style.role == doctree.Continues && f.Listing():
		p.line.Write(b, f.Continue(atom.P, p.attrs()...))
	default:
		p.line.Write(b, f.Append(atom.P, p.attrs()...))
	}
}

// rule writes a horizontal rule for an empty paragraph with a border above
// or below it, which is how Word draws one. Several such paragraphs in a row are
// lines to write on, so it writes only one rule for them.
func (p *paragraph) rule(f *doctree.Flow) {
	ruled := p.style.ruled
	if e := p.pr.Get("w:pBdr"); e != nil {
		ruled = isRuled(e)
	}
	if last := f.Into.LastChild; ruled != yes || p.d.part != p.d.mainPart || p.d.tables > 0 || last == nil || last.DataAtom == atom.Hr {
		return
	}
	f.Append(atom.Hr)
}

var headings = [...]atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}

func isBox(n *html.Node) bool { return n != nil && n.DataAtom == atom.Input }

func (p *paragraph) item(f *doctree.Flow, i doctree.Item) {
	checked, ok := p.line.Box()
	li := f.Item(i, p.attrs()...)
	if ok {
		li.AppendChild(p.d.b.Checkbox(checked))
	}
	p.line.Write(&p.d.b, li)
}

// bold removes bold if the whole paragraph is bold.
func (p *paragraph) bold() {
	if p.line.Every(func(s doctree.Style) bool { return s.Bold }) {
		p.line.Restyle(func(s *doctree.Style) { s.Bold = false })
	}
}

// onlyAnchors reports whether a blank line has only line breaks and link
// targets.
func (d *reader) onlyAnchors(line *doctree.Line) bool {
	n := line.First()
	return n == nil || n.DataAtom == atom.Br || n.DataAtom == atom.Span
}

// isCode reports whether p is program code, because of its style, or because
// of a monospaced font and characters typical for code.
func (p *paragraph) isCode(f *doctree.Flow) bool {
	if p.style.role == doctree.Code {
		return true
	}
	if !p.line.Every(func(s doctree.Style) bool { return s.Code }) {
		return false
	}
	return f.Program(p.line.Content())
}
