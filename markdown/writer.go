// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/weburl"
)

const (
	// maxDepth limits recursion. Trees of html.Parse have at most 512 levels.
	maxDepth = 1000
	// maxNesting limits the nesting of quotes and list items, because every
	// line repeats a prefix for each of them.
	maxNesting = 32
)

// A block is a kind of block that matters to the block after it.
type block uint8

const (
	nothing block = iota
	paragraph
	heading
	fence
	quote
	list
	rule
	grid
	term
	definition
	label       // title of an alert
	footnote    // a footnote at the end
	definitions // list of link targets at the end
)

// A lineWriter writes the current line of tokens. How it escapes text depends
// on scope, oneRow and the adjacent characters.
type lineWriter struct {
	output
	options Options
	base    weburl.URL

	line    line
	scope   scope
	oneLine int  // if above zero, blocks become part of the line
	heading bool // the line is a heading
	oneRow  bool // the line cannot contain a line break
	code    int  // number of code spans around

	targets targets
}

// A writer walks one tree and passes each element to the part that writes it.
// The parts for elements can use the whole writer. The embedded output and
// lineWriter do not know the tree. surveyed does not change during the walk.
type writer struct {
	lineWriter
	surveyed
	steps dom.Steps
	depth int // depth of the recursion

	skipped []*html.Node // nodes that are already written or must not be written
	linked  *html.Node   // a heading whose content is written as a link; nil if there is none
	link    frame

	nodes  []*html.Node // content of the items of the surrounding lists
	items  []item       // items of the surrounding lists
	number int          // number of the next item of a list inside a cell; zero for bullets

	cells    line // buffers for the next cell of a table
	repeated int  // bytes that spans of cells have repeated
	padded   int  // cells added to short rows
}

// A blockWriter writes single blocks: headings, code, quotes, alerts, panels
// and definitions. Each method ends the current line first and leaves no
// unfinished line.
type blockWriter struct{ *writer }

// around is an estimate of the bytes that a grid needs besides its cells, with the
// heading before it.
const around = 4096

// document writes n and returns the text.
func (w *writer) document(n *html.Node) []byte {
	size, grids := w.survey(n), 0
	for table, stat := range w.tables {
		if g, ok := doctree.GridOf(table); ok {
			size, grids = size-stat.text, grids+g.Size()+around
		}
	}
	w.out = slices.Grow(w.out, size+size/4+grids)
	w.line.style, w.line.tags = w.options.Links, w.options.InlineHTML
	w.frontMatter(w.options.FrontMatter)
	w.node(n)
	w.paragraph()
	noteWriter{w}.writeNotes()
	w.writeTargets()
	if n := len(w.out); n > 0 && w.out[n-1] != '\n' {
		w.out = append(w.out, '\n')
	}
	if !utf8.Valid(w.out) { // attributes may contain invalid UTF-8
		return bytes.ToValidUTF8(w.out, []byte("\uFFFD"))
	}
	return w.out
}

// nested writes the output of body as a block of kind k after a marker. If body
// writes nothing and keep is not set, it removes the marker and reports false.
func (w *lineWriter) nested(k block, marker string, indent []byte, keep bool, c container, body func()) bool {
	outer, mark := w.c, len(w.out)
	w.start(k)
	after := w.c
	width := len(w.prefix)
	w.out = append(w.out, marker...)
	w.prefix = append(w.prefix, indent...)
	w.level++
	w.c = c
	body()
	w.paragraph()
	written := w.c.last != nothing
	w.level--
	w.prefix = w.prefix[:width]
	w.c = after
	if !written {
		w.out = bytes.TrimRight(w.out, " ")
		if !keep {
			w.out, w.c = w.out[:mark], outer
		}
	}
	return written || keep
}

// walk writes the children of n.
func (w *writer) walk(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Li && c.Type == html.ElementNode && w.oneLine == 0 && !w.notes.elsewhere(c) {
			c = listWriter{w}.strays(c)
			continue
		}
		w.node(c)
	}
}

// node writes n.
func (w *writer) node(n *html.Node) {
	w.steps.Take(4)
	switch n.Type {
	case html.TextNode:
		if w.code > 0 {
			w.line.addCode(n.Data)
		} else {
			w.line.add(noteWriter{w}.unbracketed(n))
		}
	case html.DocumentNode:
		w.walk(n)
	case html.ElementNode:
		if w.depth >= maxDepth {
			w.flat(n)
			return
		}
		if len(w.skipped) > 0 && slices.Contains(w.skipped, n) || w.notes.elsewhere(n) {
			return
		}
		if w.options.SkipRunning && doctree.IsRunning(n) {
			return
		}
		w.depth++
		w.element(n)
		w.depth--
	}
}

// flat writes only the text below n, without recursion.
func (w *writer) flat(n *html.Node) {
	for c := n.FirstChild; c != nil; c = dom.Next(c, n) {
		w.steps.Take(1)
		if c.Type == html.TextNode && c.Parent.DataAtom != atom.Script && c.Parent.DataAtom != atom.Style {
			w.line.add(c.Data)
		}
	}
}

// element writes the element n.
func (w *writer) element(n *html.Node) {
	if label := w.signs[n]; label != "" && w.options.Images != ImagesDrop {
		w.line.add(" " + label + " ")
		return
	}
	if n.Namespace != "" {
		w.foreign(n)
		return
	}
	if w.scope.math && (len(n.Attr) > 0 || n.Data == "mjx-container") && (mathWriter{w}).mathematics(n) {
		return
	}
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Head, atom.Title, atom.Meta, atom.Link, atom.Base,
		atom.Noscript, atom.Noembed, atom.Noframes, atom.Object, atom.Canvas, atom.Select, atom.Textarea,
		atom.Option, atom.Datalist, atom.Area, atom.Track, atom.Source, atom.Param, atom.Applet:
	case atom.Button:
		switch {
		case w.oneLine > 0:
			w.walk(n) // the title of an accordion
		case dom.Discloses(n), dom.Asks(n):
			blockWriter{w}.summary(n)
		}
	case atom.Input:
		listWriter{w}.checkbox(n)
	case atom.Br:
		w.br()
	case atom.Img:
		linkWriter{w}.image(n)
	case atom.A:
		linkWriter{w}.anchor(n)
	case atom.Iframe, atom.Embed, atom.Video, atom.Audio:
		linkWriter{w}.embed(n)
	case atom.Em, atom.I:
		w.styled(n, em)
	case atom.Strong, atom.B:
		w.styled(n, strong)
	case atom.Del, atom.S, atom.Strike:
		if w.options.Flavor == CommonMark {
			w.tagged(n)
		} else {
			w.styled(n, del)
		}
	case atom.Sub, atom.Mark, atom.Ins, atom.U:
		w.tagged(n)
	case atom.Q:
		w.line.add("\"")
		w.walk(n)
		w.line.add("\"")
	case atom.Code, atom.Kbd, atom.Samp, atom.Tt, atom.Var:
		w.code++
		w.walk(n)
		if w.code--; w.code == 0 {
			w.line.endCode()
		}
	case atom.Sup:
		if w.options.InlineHTML && !w.notes.raises(n) {
			w.tagged(n)
		} else {
			w.superscript(n)
		}
	case atom.Span:
		if !(noteWriter{w}).isBack(n) {
			w.walk(n)
		}
	default:
		w.block(n)
	}
}

// block writes the element n, which is a block or marks nothing.
func (w *writer) block(n *html.Node) {
	if !isBlock(n.DataAtom) {
		w.walk(n)
		return
	}
	if w.oneLine > 0 {
		w.inlined(n)
		return
	}
	if len(w.labels) > 0 && dom.Attr(n, "role") == "tablist" {
		if _, holds := w.labels[n]; !holds && isAllTabs(n) {
			return // each panel has the name of its tab instead
		}
	}
	if w.options.OnNode == nil {
		w.alone(n)
		return
	}
	w.paragraph()
	mark := len(w.out)
	w.alone(n)
	w.paragraph()
	w.report(n, mark)
}

// report calls OnNode for n, whose text begins at start or after line ends there.
func (w *writer) report(n *html.Node, start int) {
	if w.options.OnNode == nil {
		return
	}
	end := len(w.out)
	for start < end && w.out[start] == '\n' {
		start++
		for _, c := range w.prefix {
			if start < end && w.out[start] == c {
				start++
			}
		}
	}
	if start < end {
		w.options.OnNode(n, start, end)
	}
}

// alone writes the block n outside a line.
func (w *writer) alone(n *html.Node) {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		blockWriter{w}.headline(n)
	case atom.Pre, atom.Listing, atom.Xmp, atom.Plaintext:
		blockWriter{w}.listing(n)
	case atom.Blockquote:
		blockWriter{w}.quotation(n)
	case atom.Ul, atom.Ol, atom.Menu, atom.Dir:
		listWriter{w}.list(n)
	case atom.Hr:
		blockWriter{w}.thematic(n)
	case atom.Table:
		tableWriter{w}.table(n)
	case atom.Dt:
		blockWriter{w}.dt(n)
	case atom.Dd:
		blockWriter{w}.dd(n)
	case atom.Summary:
		blockWriter{w}.summary(n)
	default:
		blockWriter{w}.section(n)
	}
}

// section writes a block whose tag has no syntax of its own. Its attributes can
// make it a tab panel or an alert.
func (w blockWriter) section(n *html.Node) {
	if len(n.Attr) > 0 {
		if name, ok := w.labels[n]; ok && name != "" {
			w.panel(n, name)
			return
		}
		switch n.DataAtom {
		case atom.Div, atom.Aside, atom.Section, atom.P, atom.Details:
			if kind := callout(n); kind != "" {
				w.alert(n, kind)
				return
			}
		}
	}
	w.paragraph()
	w.walk(n)
	w.paragraph()
}

// tagged writes n between HTML tags if the options allow it.
func (w *writer) tagged(n *html.Node) {
	if !w.options.InlineHTML || w.code > 0 {
		w.walk(n)
		return
	}
	name := n.Data
	if n.DataAtom == atom.S || n.DataAtom == atom.Strike {
		name = "del"
	}
	w.line.piece(token{kind: raw}, "<"+name+">")
	w.walk(n)
	w.line.piece(token{kind: raw}, "</"+name+">")
}

// isBlock reports whether the element begins a line of its own.
func isBlock(a atom.Atom) bool {
	switch a {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Caption, atom.Center,
		atom.Dd, atom.Details, atom.Dialog, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset,
		atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.Frameset, atom.H1, atom.H2, atom.H3,
		atom.H4, atom.H5, atom.H6, atom.Header, atom.Hgroup, atom.Hr, atom.Html, atom.Legend, atom.Li,
		atom.Listing, atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.P, atom.Plaintext, atom.Pre,
		atom.Section, atom.Summary, atom.Table, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead,
		atom.Tr, atom.Ul, atom.Xmp:
		return true
	}
	return false
}

// styled writes n as emphasis.
func (w *writer) styled(n *html.Node, s style) {
	if w.code > 0 {
		w.walk(n)
		return
	}
	w.line.push(frame{style: s})
	w.walk(n)
	w.line.pop()
}

// br writes a line break. Two in a row begin a new paragraph.
func (w *lineWriter) br() {
	switch {
	case w.code > 0:
		w.line.addCode("\n")
	case w.line.links > 0 || w.heading:
		w.line.gap()
	case w.oneLine == 0 && w.line.breaks > 0:
		w.paragraph()
	default:
		w.line.br()
	}
}

// beginsNumber reports whether s begins with a digit or with a sign and a digit.
func beginsNumber(s string) bool {
	if sign, n := utf8.DecodeRuneInString(s); sign == '-' || sign == '+' || sign == '−' || sign == '–' {
		s = s[n:]
	}
	return s != "" && isDigit(s[0])
}

// superscript writes n. Between two numbers it writes a caret.
func (w *writer) superscript(n *html.Node) {
	l := &w.line
	if c := n.FirstChild; c != nil && c.Type == html.TextNode && c.Data != "" && w.code == 0 && !l.space && l.breaks == 0 {
		if t := len(l.toks); t > 0 && l.toks[t-1].kind == text && isDigit(l.text[len(l.text)-1]) && beginsNumber(c.Data) {
			l.add("^")
		}
	}
	w.walk(n)
}

// foreign writes a formula. It leaves out drawings.
func (w *writer) foreign(n *html.Node) {
	if n.Namespace == "math" && n.Data == "math" {
		mathWriter{w}.math(n, false)
	}
}

// inlined writes the block n as part of a line. In a cell it is separated by line
// breaks, elsewhere by spaces.
func (w *writer) inlined(n *html.Node) {
	if w.code > 0 {
		w.line.addCode("\n")
		w.walk(n)
		w.line.addCode("\n")
		return
	}
	if w.scope.cell {
		tableWriter{w}.celled(n)
		return
	}
	w.line.gap()
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if w.heading {
			w.walk(n)
		} else {
			w.styled(n, strong)
		}
	case atom.Pre, atom.Listing, atom.Xmp, atom.Plaintext:
		if s := foldSpace(string(codeText(n))); s != "" {
			w.line.piece(token{kind: code}, s)
		}
	default:
		w.walk(n)
	}
	w.line.gap()
}

// headline writes a heading. It writes a heading without content, but leaves out one
// with content of which nothing is shown.
func (w blockWriter) headline(n *html.Node) {
	w.paragraph()
	if w.notes.around(n) {
		return
	}
	outer, mark := w.c, len(w.out)
	w.heading, w.oneRow = true, true
	w.oneLine++
	linked := n == w.linked
	if linked {
		w.linked = nil
		w.line.push(w.link)
		w.walk(n)
		w.line.pop()
	} else {
		w.walk(n)
	}
	w.oneLine--
	w.line.end()
	if w.line.empty() {
		w.line.toks = w.line.toks[:0]
	}
	w.start(heading)
	level := int(n.Data[1] - '0')
	if most := w.options.MaxHeading; most > 0 {
		level = min(level, most)
	}
	w.out = append(w.out, "######"[:level]...)
	at := len(w.out)
	if len(w.line.toks) > 0 {
		w.out = append(w.out, ' ')
		w.inline(false)
		if last := len(w.out) - 1; w.out[last] == '#' && last > at {
			w.out = append(w.out[:last], `\#`...) // else it would close the heading
		}
	} else if linked || hasElement(n) {
		w.out, w.c = w.out[:mark], outer
	}
	w.line.reset()
	w.heading, w.oneRow = false, false
}

// hasElement reports whether n has a child that is an element.
func hasElement(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			return true
		}
	}
	return false
}

// quotation writes a block quote.
func (w blockWriter) quotation(n *html.Node) {
	if kind := callout(n); kind != "" {
		w.alert(n, kind)
		return
	}
	w.paragraph()
	if w.level >= maxNesting {
		w.walk(n)
		w.paragraph()
		return
	}
	w.nested(quote, "> ", []byte("> "), !hasElement(n), container{}, func() { w.walk(n) })
}

// thematic writes a thematic break. It avoids dashes in tight places, because dashes
// below a paragraph make it a heading, and dashes after a bullet join it.
func (w blockWriter) thematic(n *html.Node) {
	w.paragraph()
	if w.notes.around(n) {
		return
	}
	dashes := !w.c.item && !w.c.tight
	w.start(rule)
	if dashes {
		w.out = append(w.out, "---"...)
	} else {
		w.out = append(w.out, "___"...)
	}
}

// hasHeading reports whether one of the first nodes below n is a heading.
func hasHeading(n *html.Node) bool {
	const most = 64
	for c, seen := n.FirstChild, 0; c != nil && seen < most; c, seen = dom.Next(c, n), seen+1 {
		if isHeading(c.DataAtom) {
			return true
		}
	}
	return false
}

// summary writes the visible line of a details element in bold.
func (w blockWriter) summary(n *html.Node) {
	w.paragraph()
	if hasHeading(n) {
		w.walk(n)
		w.paragraph()
		return
	}
	w.oneLine++
	w.styled(n, strong)
	w.oneLine--
	w.paragraph()
}
