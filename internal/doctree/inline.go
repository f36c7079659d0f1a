// SPDX-License-Identifier: Apache-2.0

package doctree

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Style is the formatting of a piece of text. The zero value is plain text.
type Style struct {
	Bold, Italic, Underline, Strike, Mark bool

	Code, Sup, Sub bool
	Hidden         bool // the document hides the text, which is kept and marked

	Href         string // target of the link that contains it
	Dir, Lang    string // set if they differ from those of the paragraph
	Change       string // "ins" or "del" for a tracked change
	Author, Date string // of the tracked change
}

// plain is s without the properties that are invisible on spaces.
func (s Style) plain() Style {
	s.Bold, s.Italic, s.Underline, s.Strike, s.Mark, s.Sup, s.Sub = false, false, false, false, false, false, false
	return s
}

// Line is the content of one block. The zero value is empty.
type Line struct{ spans []span }

type span struct {
	text  string
	more  []string   // follows text, until [whole] is called
	node  *html.Node // nil for text
	style Style
}

// shortText is the maximum length of a text, in bytes, that is copied when
// another text is appended. Longer texts are not copied, because a paragraph
// may consist of a million pieces.
const shortText = 256

// maxSpans is the maximum number of pieces of a line. Further text gets the
// style of the last piece.
const maxSpans = 1 << 18

// add appends text to spans, or to the last span if it has the same style.
func add(spans []span, text string, s Style) []span {
	n := len(spans) - 1
	switch {
	case n < 0 || spans[n].node != nil || spans[n].style != s:
		return append(spans, span{text: text, style: s})
	case spans[n].more == nil && len(spans[n].text)+len(text) <= shortText:
		spans[n].text += text
	default:
		spans[n].more = append(spans[n].more, text)
	}
	return spans
}

// blank reports whether s has no visible text.
func (s *span) blank() bool {
	return strings.TrimSpace(s.text) == "" && !slices.ContainsFunc(s.more, func(t string) bool { return strings.TrimSpace(t) != "" })
}

// whole joins the texts of each span.
func whole(spans []span) []span {
	for i := range spans {
		if s := &spans[i]; s.more != nil {
			s.text += strings.Join(s.more, "")
			s.more = nil
		}
	}
	return spans
}

// Text appends text. Line breaks in it become br elements.
func (l *Line) Text(text string, s Style) {
	if text == "" {
		return
	}
	if n := len(l.spans); n >= maxSpans && l.spans[n-1].node == nil {
		s = l.spans[n-1].style
	}
	l.spans = add(l.spans, text, s)
}

// Picture appends an img element with a description and a link, which may be empty.
func (l *Line) Picture(b *Builder, said Description, href string) *html.Node {
	img := b.Element(atom.Img, said.Attrs()...)
	l.Node(img, Style{Href: href})
	return img
}

// Node appends an inline node. Inlined into all readers, it would add 18 KB to programs.
//
//go:noinline
func (l *Line) Node(n *html.Node, s Style) { l.spans = append(l.spans, span{node: n, style: s}) }

// Append moves the content of other to the end of l.
func (l *Line) Append(other *Line) {
	l.spans = append(l.spans, other.spans...)
	other.spans = nil
}

// Mark returns a number that changes if something is added to the line.
func (l *Line) Mark() int {
	n := len(l.spans)
	if n == 0 {
		return 0
	}
	last := &l.spans[n-1]
	return n<<20 + len(last.text) + len(last.more)
}

// Blank reports whether nothing is visible.
func (l *Line) Blank() bool {
	for _, s := range l.spans {
		if s.node != nil && s.node.DataAtom != atom.Br && s.node.DataAtom != atom.Span || !s.blank() {
			return false
		}
	}
	return true
}

// Empty reports whether there is no content at all.
func (l *Line) Empty() bool { return len(l.spans) == 0 }

// Content returns the text without formatting.
func (l *Line) Content() string {
	var b strings.Builder
	for _, s := range whole(l.spans) {
		b.WriteString(s.text)
		if s.node != nil && s.node.DataAtom == atom.Br {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// Every reports whether ok holds for all visible text, and whether there is
// some.
func (l *Line) Every(ok func(Style) bool) bool {
	some := false
	for _, s := range l.spans {
		if s.node == nil && !s.blank() {
			if some = true; !ok(s.style) {
				return false
			}
		}
	}
	return some
}

// Restyle changes the style of all pieces.
func (l *Line) Restyle(change func(*Style)) {
	for i := range l.spans {
		change(&l.spans[i].style)
	}
}

// First returns the first node of l, or nil if l starts with text.
func (l *Line) First() *html.Node {
	for _, s := range l.spans {
		if s.node != nil {
			return s.node
		}
		if !s.blank() {
			return nil
		}
	}
	return nil
}

// Nodes returns the nodes of l with the given tag.
func (l *Line) Nodes(tag atom.Atom) []*html.Node {
	var nodes []*html.Node
	for _, s := range l.spans {
		if s.node != nil && s.node.DataAtom == tag {
			nodes = append(nodes, s.node)
		}
	}
	return nodes
}

// Display turns formulas into display formulas if nothing else is visible in
// the line.
func (l *Line) Display() {
	for _, s := range l.spans {
		switch {
		case s.node == nil && s.blank():
		case s.node != nil && (s.node.Data == "math" || s.node.DataAtom == atom.Span):
		default:
			return
		}
	}
	for _, s := range l.spans {
		if s.node != nil && s.node.Data == "math" && Attr(s.node, "display") == "" {
			s.node.Attr = append(s.node.Attr, html.Attribute{Key: "display", Val: "block"})
		}
	}
}

// Prefix inserts text at the start.
func (l *Line) Prefix(text string) {
	if text != "" {
		l.spans = slices.Insert(l.spans, 0, span{text: text})
	}
}

// Box removes the ballot box character at the start of the line, which marks a
// task. If there is none, ok is false.
func (l *Line) Box() (checked, ok bool) {
	if len(l.spans) == 0 || l.spans[0].node != nil {
		return false, false
	}
	s := &whole(l.spans[:1])[0]
	box, size := utf8.DecodeRuneInString(s.text)
	if box < '☐' || box > '☒' {
		return false, false
	}
	if next, _ := utf8.DecodeRuneInString(s.text[size:]); next != utf8.RuneError && !unicode.IsSpace(next) {
		return false, false
	}
	s.text = s.text[size:]
	return box != '☐', true
}

// Write appends the line to parent. It joins equal pieces, and removes white
// space at the ends of the line and of emphasised text.
func (l *Line) Write(b *Builder, parent *html.Node) {
	spans := l.apart()
	type level struct {
		wrap wrapper
		node *html.Node
	}
	var open []level
	for _, s := range spans {
		wraps := s.style.wrappers()
		keep := 0
		for keep < len(open) && keep < len(wraps) && open[keep].wrap == wraps[keep] {
			keep++
		}
		open = open[:keep]
		at := parent
		if keep > 0 {
			at = open[keep-1].node
		}
		for _, w := range wraps[keep:] {
			at = b.Append(at, w.tag, w.attrs()...)
			open = append(open, level{w, at})
		}
		if s.node != nil {
			at.AppendChild(s.node)
			continue
		}
		text, more, ok := strings.Cut(s.text, "\n")
		for b.Text(at, text); ok; b.Text(at, text) {
			b.Append(at, atom.Br)
			text, more, ok = strings.Cut(more, "\n")
		}
	}
}

// apart returns the pieces with white space separated from words. White space
// has the style that both its neighbours share.
func (l *Line) apart() []span {
	spans := whole(l.spans)
	if len(spans) == 1 && spans[0].node == nil && spans[0].text != "" && strings.TrimFunc(spans[0].text, unicode.IsSpace) == spans[0].text {
		return spans // most lines
	}
	var out []span
	var gaps []int // pieces that wait for the next word
	last := Style{}
	for _, s := range spans {
		switch trimmed := strings.TrimFunc(s.text, unicode.IsSpace); {
		case s.node != nil:
			s.style = s.style.plain()
			gaps, last = settle(out, gaps, &last, &s.style), s.style
			out = append(out, s)
		case s.style.Code:
			gaps, last = settle(out, gaps, &last, &s.style), s.style
			out = add(out, s.text, s.style)
		case trimmed == "":
			out = append(out, span{text: s.text, style: s.style})
			gaps = append(gaps, len(out)-1)
		default:
			from := strings.Index(s.text, trimmed)
			if from > 0 {
				out = append(out, span{text: s.text[:from], style: s.style})
				gaps = append(gaps, len(out)-1)
			}
			gaps, last = settle(out, gaps, &last, &s.style), s.style
			out = add(out, trimmed, s.style)
			if rest := s.text[from+len(trimmed):]; rest != "" {
				out = append(out, span{text: rest, style: s.style})
				gaps = append(gaps, len(out)-1)
			}
		}
	}
	settle(out, gaps, &last, &Style{})
	return trim(join(whole(out)))
}

// settle gives the gaps among the pieces the style that the pieces before and behind them share.
//
//go:noinline // one copy of its large values is enough
func settle(pieces []span, gaps []int, before, behind *Style) []int {
	for _, at := range gaps {
		s := &pieces[at].style
		both := common(*before, *behind)
		if s.Change != "" {
			both.Change, both.Author, both.Date = s.Change, s.Author, s.Date
		}
		*s = both
	}
	return gaps[:0]
}

// join joins neighbours with the same style.
func join(spans []span) []span {
	out := spans[:0]
	for _, s := range spans {
		if s.node == nil {
			out = add(out, s.text, s.style)
			continue
		}
		out = append(out, s)
	}
	return whole(out)
}

// trim removes white space at both ends, except in code.
func trim(spans []span) []span {
	for len(spans) > 0 && spans[0].node == nil && !spans[0].style.Code {
		if spans[0].text = strings.TrimLeftFunc(spans[0].text, unicode.IsSpace); spans[0].text != "" {
			break
		}
		spans = spans[1:]
	}
	for n := len(spans) - 1; n >= 0 && spans[n].node == nil && !spans[n].style.Code; n-- {
		if spans[n].text = strings.TrimRightFunc(spans[n].text, unicode.IsSpace); spans[n].text != "" {
			break
		}
		spans = spans[:n]
	}
	return spans
}

// common returns the properties that a and b share.
func common(a, b Style) Style {
	s := Style{
		Hidden: a.Hidden && b.Hidden, Bold: a.Bold && b.Bold, Italic: a.Italic && b.Italic, Underline: a.Underline && b.Underline,
		Strike: a.Strike && b.Strike, Mark: a.Mark && b.Mark, Sup: a.Sup && b.Sup, Sub: a.Sub && b.Sub,
	}
	if a.Href == b.Href {
		s.Href = a.Href
	}
	if a.Dir == b.Dir {
		s.Dir = a.Dir
	}
	if a.Lang == b.Lang {
		s.Lang = a.Lang
	}
	return s
}

// wrapper is an element around text.
type wrapper struct {
	tag        atom.Atom
	one, other string // of its attributes
	hidden     bool
}

func (w wrapper) attrs() []string {
	var attrs []string
	set := func(key, value string) {
		if value != "" {
			attrs = append(attrs, key, value)
		}
	}
	switch w.tag {
	case atom.A:
		set("href", w.one)
	case atom.Span:
		if w.hidden {
			attrs = append(attrs, "data-hidden", "")
		}
		set("dir", w.one)
		set("lang", w.other)
	case atom.Ins, atom.Del:
		set("data-author", w.one)
		set("datetime", w.other)
	}
	return attrs
}

// wrappers returns the elements for style s, the outermost first.
func (s Style) wrappers() []wrapper {
	if s == (Style{}) {
		return nil
	}
	var w wrappers
	if s.Hidden {
		w = append(w, wrapper{tag: atom.Span, hidden: true})
	}
	w.add(s.Change == "ins", atom.Ins, s.Author, s.Date)
	w.add(s.Change == "del", atom.Del, s.Author, s.Date)
	w.add(s.Href != "", atom.A, s.Href, "")
	w.add(s.Dir != "" || s.Lang != "", atom.Span, s.Dir, s.Lang)
	w.add(s.Bold, atom.Strong, "", "")
	w.add(s.Italic, atom.Em, "", "")
	w.add(s.Underline && s.Href == "", atom.U, "", "")
	w.add(s.Strike, atom.S, "", "")
	w.add(s.Mark, atom.Mark, "", "")
	w.add(s.Sup, atom.Sup, "", "")
	w.add(s.Sub && !s.Sup, atom.Sub, "", "")
	w.add(s.Code, atom.Code, "", "")
	return w
}

// wrappers are elements in each other, the outermost first.
type wrappers []wrapper

// add adds an element if on is set.
//
//go:noinline // it has many callers
func (w *wrappers) add(on bool, tag atom.Atom, one, other string) {
	if on {
		*w = append(*w, wrapper{tag: tag, one: one, other: other})
	}
}

// IDs creates the ids of one document.
type IDs struct{ taken map[string]int }

// Make returns an id for text that is unique in this document.
func (d *IDs) Make(text string) string {
	var b strings.Builder
	dash := false
	for _, r := range strings.ToLower(text) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			dash = false
			b.WriteRune(r)
		default:
			dash = true
		}
		if b.Len() > 60 {
			break
		}
	}
	id := b.String()
	if id == "" || !utf8.ValidString(id) {
		id = "section"
	}
	if d.taken == nil {
		d.taken = map[string]int{}
	}
	for {
		n := d.taken[id]
		d.taken[id]++
		if n == 0 {
			return id
		}
		id += "-" + strconv.Itoa(n)
	}
}
