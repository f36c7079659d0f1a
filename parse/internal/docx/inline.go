// SPDX-License-Identifier: Apache-2.0

package docx

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

// inline reads the content of one paragraph.
type inline struct {
	d     *reader
	line  doctree.Line
	aside []*html.Node // blocks anchored in the paragraph
	shown int          // pictures in the line

	base     properties // run properties of the paragraph's style
	fill     string     // background colour of the paragraph
	isCode   bool       // the paragraph style is a code style
	named    bool       // a run has a code style
	heading  bool
	href     string // target of the enclosing hyperlink
	change   doctree.Style
	lang     string // language of all runs, if it differs from the document's
	langs    int
	depth    int
	formulas bool // the paragraph has only formulas
}

func (d *reader) inline() *inline {
	in := &inline{d: d}
	for _, n := range d.pending {
		in.line.Node(n, doctree.Style{})
	}
	d.pending = nil
	return in
}

// style sets the run properties of the paragraph's style.
func (in *inline) style(st *style) {
	in.base = st.run.over(in.d.styles.defaults)
	in.isCode, in.fill = st.code, st.fill
	if st.outline >= 0 && st.outline < 9 || st.role == doctree.Title {
		in.heading = true // bold and similar properties are part of the heading style
	}
}

// children reads all children of e. A nil e has none.
func (in *inline) children(ctx context.Context, e *zipxml.Element) {
	if e == nil {
		return
	}
	if in.depth >= maxNesting {
		in.d.leaveDeep(e)
		return
	}
	in.depth++
	if e.Name == "w:p" {
		in.fill = cmp.Or(shade(e.Get("w:pPr", "w:shd")), in.fill)
		in.formulas = in.d.tables == 0 && onlyFormulas(e) // a table cell often has a single formula
	}
	for c := e.First(); c != nil; c = c.Next() {
		if c.Name != "" {
			in.child(ctx, c)
		}
	}
	in.depth--
}

// onlyFormulas reports whether a paragraph has formulas and no text.
func onlyFormulas(p *zipxml.Element) bool {
	some := false
	for c := p.First(); c != nil; c = c.Next() {
		switch c.Name {
		case "m:oMath", "m:oMathPara":
			some = true
		case "w:r":
			if strings.TrimSpace(c.Get("w:t").Content()) != "" || c.Get("w:drawing") != nil || c.Get("w:pict") != nil {
				return false
			}
		case "w:pPr", "w:bookmarkStart", "w:bookmarkEnd", "w:proofErr":
		default:
			return false
		}
	}
	return some
}

func (in *inline) child(ctx context.Context, e *zipxml.Element) {
	switch e.Name {
	case "w:r":
		in.run(ctx, e)
	case "w:pPr":
	case "w:hyperlink":
		in.hyperlink(ctx, e)
	case "w:ins", "w:moveTo":
		in.changed(ctx, e, "ins", in.d.options.Changes != Reject)
	case "w:del", "w:moveFrom":
		in.changed(ctx, e, "del", in.d.options.Changes != Accept)
	case "w:fldSimple":
		outer := len(in.d.fields)
		f := field{instruction: e.Attr("w:instr"), result: true}
		in.d.fields = append(in.d.fields, f)
		in.interpret()
		mark := in.line.Mark()
		in.children(ctx, e)
		in.d.fields = in.d.fields[:min(outer, len(in.d.fields))] // a misplaced end inside may have closed outer fields
		if f.result = false; mark == in.line.Mark() && !in.hides() {
			in.without(&f, in.change)
		}
	case "w:sdt":
		in.control(ctx, e)
	case "w:bookmarkStart":
		in.bookmark(e)
	case "m:oMath", "m:oMathPara":
		in.formula(e)
	case "mc:AlternateContent":
		if c := ooxml.Alternative(e); c != nil {
			in.children(ctx, c)
		}
	default:
		if !strings.HasSuffix(e.Name, "Pr") {
			in.children(ctx, e)
		}
	}
}

// bookmark adds a link target.
func (in *inline) bookmark(e *zipxml.Element) {
	if name := e.Attr("w:name"); name != "" && name != "_GoBack" && !in.hides() {
		in.line.Node(in.d.b.Element(atom.Span, "id", name), doctree.Style{})
	}
}

// hides reports whether the current content is the instruction of a field.
func (in *inline) hides() bool {
	for i := range in.d.fields {
		if !in.d.fields[i].result {
			return true
		}
	}
	return false
}

func (in *inline) hyperlink(ctx context.Context, e *zipxml.Element) {
	outer := in.href
	href := ""
	if r := in.d.relation(ctx, e.Attr("r:id")); r.External {
		href = r.Target
	}
	if anchor := e.Attr("w:anchor"); anchor != "" {
		href, _, _ = strings.Cut(href, "#")
		href += "#" + anchor
	}
	in.href = doctree.Href(href)
	in.children(ctx, e)
	in.href = outer
}

// changed reads the content of a tracked change if keep is set.
func (in *inline) changed(ctx context.Context, e *zipxml.Element, kind string, keep bool) {
	if !keep {
		in.d.omit(e)
		return
	}
	outer := in.change
	if in.d.options.Changes == Mark {
		in.change = doctree.Style{Change: kind, Author: e.Attr("w:author"), Date: e.Attr("w:date")}
	}
	in.children(ctx, e)
	in.change = outer
}

// control reads a content control in a paragraph.
func (in *inline) control(ctx context.Context, e *zipxml.Element) {
	properties := e.Get("w:sdtPr")
	if in.d.isPlaceholder(e) {
		return
	}
	if box := properties.Get("w14:checkbox"); box != nil {
		in.line.Node(in.d.b.Checkbox(ooxml.On(box.Get("w14:checked"))), in.change)
		if !hasWords(e.Get("w:sdtContent")) {
			return
		}
		in.line.Text(" ", in.change)
	}
	in.children(ctx, e.Get("w:sdtContent"))
}

// formula reads an oMath or the formulas of an oMathPara.
func (in *inline) formula(e *zipxml.Element) {
	if in.hides() {
		return
	}
	if e.Name == "m:oMathPara" {
		for c := e.Named("m:oMath"); c != nil; c = c.Same() {
			if tex := mathtex.OMML(c); tex != "" {
				in.line.Node(in.d.b.Math(tex, true), in.change)
			}
		}
		return
	}
	if tex := mathtex.OMML(e); tex != "" {
		in.line.Node(in.d.b.Math(tex, in.formulas), in.change)
	}
}

// effective returns the properties of a run. They combine those of the
// paragraph style and the character style, where toggle properties cancel
// each other, and direct formatting.
func (in *inline) effective(ctx context.Context, rPr *zipxml.Element) (p properties, isCode bool) {
	direct := readProperties(rPr)
	p = in.base
	if in.heading {
		p.bold, p.italic, p.underline = open, open, open
	}
	if direct.style != "" {
		if st := in.d.styles.resolve(ctx, direct.style); st != nil {
			p = st.run.toggled(p)
			isCode = st.code
		}
	}
	return direct.over(p), isCode
}

// usualSize is the size of text for which no style sets a size, in half
// points (ECMA-376 part 1, 17.3.2.38).
const usualSize = 20

// styled returns the style of text with properties p.
func (in *inline) styled(p properties, isCode bool) doctree.Style {
	s := in.change
	s.Bold, s.Italic, s.Strike = p.bold == yes, p.italic == yes, p.strike == yes
	s.Underline, s.Mark = p.underline == yes, p.mark == yes
	s.Sup, s.Sub = p.vert == "superscript", p.vert == "subscript"
	if p.size > 0 && p.size < cmp.Or(in.base.size, usualSize) { // LibreOffice writes superscripts and subscripts this way
		s.Sup, s.Sub = s.Sup || p.raised > 0, s.Sub || p.raised < 0
	}
	in.named = in.named || isCode
	s.Code = isCode || in.isCode || doctree.Monospaced(p.font)
	if p.rtl == yes {
		s.Dir = "rtl"
	}
	s.Href = in.href
	for i := len(in.d.fields) - 1; i >= 0 && s.Href == ""; i-- {
		s.Href = in.d.fields[i].href
	}
	return s
}

// run reads one run.
func (in *inline) run(ctx context.Context, e *zipxml.Element) {
	rPr := e.Get("w:rPr")
	p, isCode := in.effective(ctx, rPr)
	unseen := in.invisible(ctx, p)
	if unseen && in.d.options.Hidden == doctree.HiddenDropped {
		if e.Get("w:t") != nil && strings.TrimSpace(e.Content()) != "" || e.Get("w:object") != nil {
			in.d.hidden++
		}
		for c := e.First(); c != nil; c = c.Next() {
			if c.Name == "w:fldChar" || c.Name == "w:instrText" { // a hidden run must not break a field
				in.content(ctx, c, doctree.Style{}, p)
			}
		}
		return
	}
	in.note(p)
	s := in.styled(p, isCode)
	if unseen {
		s = in.d.options.Hidden.Style(s)
	}
	for c := e.First(); c != nil; c = c.Next() {
		if c.Name != "" && c != rPr {
			in.content(ctx, c, s, p)
		}
	}
}

// note records the language if all runs have the same.
func (in *inline) note(p properties) {
	lang, _, _ := strings.Cut(p.lang, "-")
	main, _, _ := strings.Cut(in.d.doc.Meta.Language, "-")
	if in.langs++; lang == "" || main == "" || strings.EqualFold(lang, main) || in.langs > 1 && in.lang != p.lang {
		in.lang, in.langs = "", 1<<20
		return
	}
	if in.langs == 1 {
		in.lang = p.lang
	}
}

// invisible reports whether people cannot see a run: it is marked as hidden, its
// text is at most one point high, or it has the colour of its background.
func (in *inline) invisible(ctx context.Context, p properties) bool {
	if p.vanish == yes || p.size > 0 && p.size <= 2 {
		return true
	}
	if p.color == "" || p.color == "AUTO" {
		return false
	}
	fill := p.fill
	if fill == "" || fill == "AUTO" {
		fill = in.fill
	}
	if fill == "" || fill == "AUTO" {
		return p.color == paper && p.mark != yes && in.d.onPaper(ctx)
	}
	return p.color == fill
}

// paper is the colour of a page for which the document sets none.
const paper = "FFFFFF"

// onPaper reports whether the text that is read stands on the white page: in no table or text box, and in a document
// without a background, pictures and shapes that may lie behind the text.
func (d *reader) onPaper(ctx context.Context) bool {
	if d.tables > 0 || d.boxes > 0 || d.part != d.mainPart {
		return false
	}
	if d.ground == open {
		d.ground = yes
		parts := []string{d.mainPart}
		for _, r := range d.pkg.Relations(ctx, d.mainPart).All() {
			if r.Type == "header" || r.Type == "footer" {
				parts = append(parts, r.Target)
			}
		}
		for _, part := range parts {
			text, err := d.pkg.Text(part)
			for _, sign := range []string{`behindDoc="1"`, `behindDoc="true"`, "<v:", "<w:background"} {
				if err != nil || strings.Contains(text, sign) {
					d.ground = no
				}
			}
		}
	}
	return d.ground == yes
}

// content reads one child of a run.
func (in *inline) content(ctx context.Context, e *zipxml.Element, s doctree.Style, p properties) {
	switch e.Name {
	case "w:fldChar":
		in.fieldChar(e, s)
		return
	case "w:instrText":
		if n := len(in.d.fields); n > 0 && !in.d.fields[n-1].result {
			in.d.fields[n-1].add(e.Content())
		}
		return
	}
	if in.hides() {
		return
	}
	switch e.Name {
	case "w:t", "w:delText":
		text := ooxml.Symbols(p.symbols, e.Content())
		if p.symbols == "" {
			text = strings.ReplaceAll(text, "\u00AD", "")
		}
		in.line.Text(text, s)
	case "w:tab", "w:ptab":
		in.line.Text("\t", s)
	case "w:br":
		if kind := e.Attr("w:type"); kind == "" || kind == "textWrapping" {
			in.line.Text("\n", s)
		} else {
			in.line.Text(" ", s)
		}
	case "w:cr":
		in.line.Text("\n", s)
	case "w:noBreakHyphen":
		in.line.Text("-", s)
	case "w:sym":
		in.symbol(e, s)
	case "w:footnoteReference", "w:endnoteReference", "w:commentReference":
		in.reference(ctx, e)
	case "w:ruby":
		in.children(ctx, e.Get("w:rubyBase"))
		in.line.Text("(", s)
		in.children(ctx, e.Get("w:rt"))
		in.line.Text(")", s)
	case "w:drawing", "w:pict", "w:object":
		in.drawing(ctx, e, s)
	case "mc:AlternateContent":
		for c := ooxml.Alternative(e).First(); c != nil; c = c.Next() {
			in.content(ctx, c, s, p)
		}
	case "w:softHyphen", "w:footnoteRef", "w:endnoteRef", "w:annotationRef", "w:separator", "w:continuationSeparator",
		"w:lastRenderedPageBreak", "w:pgNum", "w:rPr":
	case "m:oMath", "m:oMathPara":
		in.formula(e)
	case "w:contentPart":
		in.ink(ctx, e, doctree.Description{}, s)
	}
}

// symbol reads a w:sym, which is a character of a given font.
func (in *inline) symbol(e *zipxml.Element, s doctree.Style) {
	n, err := strconv.ParseUint(e.Attr("w:char"), 16, 16)
	if err != nil {
		return
	}
	in.line.Text(ooxml.Symbol(e.Attr("w:font"), rune(n)), s)
}
