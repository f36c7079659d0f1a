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

// Style is how a piece of text looks and what it belongs to. The zero value is
// plain text.
type Style struct {
	Bold, Italic, Underline, Strike, Mark bool

	Code, Sup, Sub bool

	Href         string // of the link that it is in
	Dir, Lang    string // where they differ from those of the paragraph
	Change       string // "ins" or "del": a tracked change
	Author, Date string // of the change
}

// plain is s without what spaces do not show.
func (s Style) plain() Style {
	s.Bold, s.Italic, s.Underline, s.Strike, s.Mark, s.Sup, s.Sub = false, false, false, false, false, false, false
	return s
}

// Line is the content of one block. The zero value is empty.
type Line struct{ spans []span }

type span struct {
	text  string
	more  []string   // behind text, until [whole] is called
	node  *html.Node // nil for text
	style Style
}

// shortText is how long text may be, in bytes, that is copied to have more
// behind it: a paragraph in a million pieces must not be copied a million
// times.
const shortText = 256

// maxSpans is how many pieces a line has at most: text behind them stays, in
// the style of the last one.
const maxSpans = 1 << 18

// add appends text to spans, to the last one if that is alike.
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

// blank reports whether the text of s shows nothing.
func (s *span) blank() bool {
	return strings.TrimSpace(s.text) == "" && !slices.ContainsFunc(s.more, func(t string) bool { return strings.TrimSpace(t) != "" })
}

// whole puts the texts of each span together.
func whole(spans []span) []span {
	for i := range spans {
		if s := &spans[i]; s.more != nil {
			s.text += strings.Join(s.more, "")
			s.more = nil
		}
	}
	return spans
}

// Text appends text; a line end in it is a break.
func (l *Line) Text(text string, s Style) {
	if text == "" {
		return
	}
	if n := len(l.spans); n >= maxSpans && l.spans[n-1].node == nil {
		s = l.spans[n-1].style
	}
	l.spans = add(l.spans, text, s)
}

// Node appends a node that stands in the line.
func (l *Line) Node(n *html.Node, s Style) { l.spans = append(l.spans, span{node: n, style: s}) }

// Append moves all of other to the end of l.
func (l *Line) Append(other *Line) {
	l.spans = append(l.spans, other.spans...)
	other.spans = nil
}

// Blank reports whether there is nothing to see.
func (l *Line) Blank() bool {
	for _, s := range l.spans {
		if s.node != nil && s.node.DataAtom != atom.Br && s.node.DataAtom != atom.Span || !s.blank() {
			return false
		}
	}
	return true
}

// Empty reports whether there is nothing at all.
func (l *Line) Empty() bool { return len(l.spans) == 0 }

// Content returns the text alone.
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

// Every reports whether ok holds for all text that shows, and that there is
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

// First returns the node that l begins with, nil where that is text.
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

// Nodes returns the nodes of that tag in l.
func (l *Line) Nodes(tag atom.Atom) []*html.Node {
	var nodes []*html.Node
	for _, s := range l.spans {
		if s.node != nil && s.node.DataAtom == tag {
			nodes = append(nodes, s.node)
		}
	}
	return nodes
}

// Display makes the formulas of a line that shows nothing else stand for
// themselves.
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

// Prefix puts text before all else.
func (l *Line) Prefix(text string) {
	if text != "" {
		l.spans = slices.Insert(l.spans, 0, span{text: text})
	}
}

// Box takes the ballot box away that the line begins with, and is not ok where
// there is none: that is how people and programs write tasks.
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

// Write appends the line to parent: equal pieces as one, without spaces at the
// ends of the line and of what is emphasised.
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

// apart returns the pieces with white space apart from words, in the style
// that both its neighbours have.
func (l *Line) apart() []span {
	var out []span
	type gap struct{ at int } // pieces that wait for their right neighbour
	var gaps []gap
	last := Style{}
	settle := func(next Style) {
		for _, g := range gaps {
			s := &out[g.at].style
			both := common(last, next)
			if s.Change != "" {
				both.Change, both.Author, both.Date = s.Change, s.Author, s.Date
			}
			*s = both
		}
		gaps = gaps[:0]
	}
	for _, s := range whole(l.spans) {
		switch trimmed := strings.TrimFunc(s.text, unicode.IsSpace); {
		case s.node != nil:
			settle(s.style.plain())
			last = s.style.plain()
			s.style = last
			out = append(out, s)
		case s.style.Code:
			settle(s.style)
			last = s.style
			out = add(out, s.text, s.style)
		case trimmed == "":
			out = append(out, span{text: s.text, style: s.style})
			gaps = append(gaps, gap{len(out) - 1})
		default:
			from := strings.Index(s.text, trimmed)
			if from > 0 {
				out = append(out, span{text: s.text[:from], style: s.style})
				gaps = append(gaps, gap{len(out) - 1})
			}
			settle(s.style)
			out = add(out, trimmed, s.style)
			last = s.style
			if rest := s.text[from+len(trimmed):]; rest != "" {
				out = append(out, span{text: rest, style: s.style})
				gaps = append(gaps, gap{len(out) - 1})
			}
		}
	}
	settle(Style{})
	return trim(join(whole(out)))
}

// join makes one of neighbours that are alike.
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

// trim drops white space at both ends, but for that of code.
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

// common is what a and b share.
func common(a, b Style) Style {
	s := Style{
		Bold: a.Bold && b.Bold, Italic: a.Italic && b.Italic, Underline: a.Underline && b.Underline,
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

// wrapper is one element around text.
type wrapper struct {
	tag        atom.Atom
	one, other string // of its attributes
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
		set("dir", w.one)
		set("lang", w.other)
	case atom.Ins, atom.Del:
		set("data-author", w.one)
		set("datetime", w.other)
	}
	return attrs
}

// wrappers returns the elements around text of style s, outermost first.
func (s Style) wrappers() []wrapper {
	if s == (Style{}) {
		return nil
	}
	var w []wrapper
	add := func(on bool, tag atom.Atom, attrs ...string) {
		if on {
			w = append(w, wrapper{tag: tag})
			if len(attrs) > 0 {
				w[len(w)-1].one, w[len(w)-1].other = attrs[0], attrs[1]
			}
		}
	}
	add(s.Change == "ins", atom.Ins, s.Author, s.Date)
	add(s.Change == "del", atom.Del, s.Author, s.Date)
	add(s.Href != "", atom.A, s.Href, "")
	add(s.Dir != "" || s.Lang != "", atom.Span, s.Dir, s.Lang)
	add(s.Bold, atom.Strong)
	add(s.Italic, atom.Em)
	add(s.Underline && s.Href == "", atom.U)
	add(s.Strike, atom.S)
	add(s.Mark, atom.Mark)
	add(s.Sup, atom.Sup)
	add(s.Sub && !s.Sup, atom.Sub)
	add(s.Code, atom.Code)
	return w
}

// IDs makes the ids of one document.
type IDs struct{ taken map[string]int }

// Make returns an id for text that no other call of this document returned.
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
