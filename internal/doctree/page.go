// SPDX-License-Identifier: Apache-2.0

package doctree

import (
	"iter"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Block is one block of a document with pages: a paragraph, a list, a table.
type Block struct {
	Node   *html.Node // within the tree
	Page   int        // page on which it begins, from 1
	Order  int        // position on its page, from 0
	Box    Box        // zero if unknown
	Conf   float64    // confidence from 0 to 1; -1 if it was not measured
	OCR    float64    // confidence of OCR from 0 to 1; -1 if it was not measured
	Source string     // data-src: native_text, tagged, ocr_layer, layout_ocr; empty if unknown
}

// Box is an area of a page, in points from the top left corner of the page as
// displayed.
type Box struct{ X0, Y0, X1, Y1 float64 }

// IsZero reports whether b is the zero Box.
func (b Box) IsZero() bool { return b == Box{} }

// Union returns the smallest box that contains both. A zero box is ignored.
func (b Box) Union(c Box) Box {
	if b.IsZero() {
		return c
	}
	return Box{min(b.X0, c.X0), min(b.Y0, c.Y0), max(b.X1, c.X1), max(b.Y1, c.Y1)}
}

// Attr returns an attribute of n, or "".
func Attr(n *html.Node, key string) string {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			return n.Attr[i].Val
		}
	}
	return ""
}

// pageOf returns the value of data-page, or 0.
func pageOf(n *html.Node) int {
	if n.Type != html.ElementNode {
		return 0
	}
	v := Attr(n, "data-page")
	if v == "" {
		return 0
	}
	page, _ := strconv.Atoi(v)
	return page
}

// ParseBox parses data-bbox. It returns the zero Box if the value is invalid.
func ParseBox(s string) Box {
	f := strings.Fields(s)
	if len(f) != 4 {
		return Box{}
	}
	var v [4]float64
	for i := range f {
		var err error
		if v[i], err = strconv.ParseFloat(f[i], 64); err != nil {
			return Box{}
		}
	}
	return Box{v[0], v[1], v[2], v[3]}
}

// Sections yields the sections of root that are pages, in order.
func Sections(root *html.Node) iter.Seq2[int, *html.Node] {
	return func(yield func(int, *html.Node) bool) {
		for n := range tops(root) {
			if n.DataAtom != atom.Section {
				continue
			}
			if page := pageOf(n); page > 0 && !yield(page, n) {
				return
			}
		}
	}
}

// tops yields the children of the body of root, or of root if it has no body.
func tops(root *html.Node) iter.Seq[*html.Node] {
	for _, tag := range []atom.Atom{atom.Html, atom.Body} {
		for c := root.FirstChild; c != nil; c = c.NextSibling {
			if c.DataAtom == tag {
				root = c
				break
			}
		}
	}
	return root.ChildNodes()
}

// Blocks yields the blocks of all pages in reading order, followed by the
// notes. Each block has the page on which it begins.
func Blocks(root *html.Node) iter.Seq[Block] {
	return func(yield func(Block) bool) {
		order := map[int]int{}
		next := func(n *html.Node, page int) bool {
			b := Block{Node: n, Page: page, Order: order[page], Conf: -1, OCR: -1}
			order[page]++
			b.place(n, page)
			return yield(b)
		}
		for page, section := range Sections(root) {
			for n := section.FirstChild; n != nil; n = n.NextSibling {
				if n.Type == html.ElementNode && !next(n, page) {
					return
				}
			}
		}
		for n := range notes(root) {
			if page := pageOf(n); page > 0 && !next(n, page) {
				return
			}
		}
	}
}

// notes yields the items of the sections of notes.
func notes(root *html.Node) iter.Seq[*html.Node] {
	return func(yield func(*html.Node) bool) {
		for section := range tops(root) {
			if section.DataAtom != atom.Section || Attr(section, "role") != "doc-endnotes" {
				continue
			}
			for list := section.FirstChild; list != nil; list = list.NextSibling {
				for item := list.FirstChild; item != nil; item = item.NextSibling {
					if item.DataAtom == atom.Li && !yield(item) {
						return
					}
				}
			}
		}
	}
}

// place sets the fields from the attributes of n, or of its descendants.
func (b *Block) place(n *html.Node, page int) {
	sure := func(n *html.Node) {
		if b.Source != "" {
			return
		}
		b.Source = Attr(n, "data-src")
		if conf, err := strconv.ParseFloat(Attr(n, "data-conf"), 64); err == nil {
			b.Conf = conf
		}
		if conf, err := strconv.ParseFloat(Attr(n, "data-ocr"), 64); err == nil {
			b.OCR = conf
		}
	}
	read := func(n *html.Node) bool {
		box := ParseBox(Attr(n, "data-bbox"))
		if box.IsZero() {
			return false
		}
		b.Box = b.Box.Union(box)
		sure(n)
		return true
	}
	if read(n) {
		return
	}
	for c := range n.Descendants() {
		if p := pageOf(c); c.DataAtom != atom.Wbr && (p == 0 || p == page) {
			read(c)
		}
	}
	sure(n) // if nothing has a box
}

// Page returns a document with a copy of the content of page n: the ends of
// blocks that began on earlier pages, the section of the page, and its notes. A
// table that continues repeats its head. If root has no such page, it returns
// nil.
func Page(root *html.Node, n int) *html.Node {
	return NewPages(root).Page(n)
}

// Pages finds the content of pages without reading the whole tree for each
// page.
type Pages struct {
	numbers  []int
	sections map[int]*html.Node
	carried  map[int][]*html.Node // blocks that began on an earlier page and continue on this one
	notes    map[int][]*html.Node
}

// NewPages finds where the pages of root begin. The tree must not change while
// the result is used.
func NewPages(root *html.Node) *Pages {
	p := &Pages{sections: map[int]*html.Node{}, carried: map[int][]*html.Node{}, notes: map[int][]*html.Node{}}
	for page, section := range Sections(root) {
		p.numbers = append(p.numbers, page)
		p.sections[page] = section
		for block := section.FirstChild; block != nil; block = block.NextSibling {
			last := page
			for c := range block.Descendants() {
				if at := pageOf(c); at > last {
					p.carried[at] = append(p.carried[at], block)
					last = at
				}
			}
		}
	}
	for n := range notes(root) {
		p.notes[pageOf(n)] = append(p.notes[pageOf(n)], n)
	}
	return p
}

// Numbers returns the numbers of the pages in order.
func (p *Pages) Numbers() []int { return p.numbers }

// Joined reports whether all content of page n began on an earlier page.
func (p *Pages) Joined(n int) bool {
	section := p.sections[n]
	if section == nil || len(p.carried[n]) == 0 {
		return false
	}
	for c := section.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && !IsRunning(c) {
			return false
		}
	}
	return true
}

// Page is like the function [Page].
func (p *Pages) Page(n int) *html.Node {
	section := p.sections[n]
	if section == nil {
		return nil
	}
	doc := &html.Node{Type: html.DocumentNode}
	copied := shallow(section)
	doc.AppendChild(copied)
	for _, block := range p.carried[n] {
		if c := (&cutter{page: n, at: pageOf(block.Parent)}).cut(block); c != nil {
			copied.AppendChild(c)
		}
	}
	for block := section.FirstChild; block != nil; block = block.NextSibling {
		if c := (&cutter{page: n, at: n}).cut(block); c != nil {
			copied.AppendChild(c)
		}
	}
	if notes := p.notes[n]; len(notes) > 0 {
		end, list := shallow(notes[0].Parent.Parent), shallow(notes[0].Parent)
		doc.AppendChild(end)
		end.AppendChild(list)
		for _, note := range notes {
			list.AppendChild((&cutter{page: n, at: n}).cut(note))
		}
	}
	return doc
}

// IsRunning reports whether n is a running header or footer, or a page number.
func IsRunning(n *html.Node) bool {
	if n.DataAtom != atom.Header && n.DataAtom != atom.Footer {
		return false
	}
	role := Attr(n, "data-role")
	return role == "running" || role == "page-number"
}

// cutter copies the content of one page.
type cutter struct {
	page, at int  // the page to copy, and the page of the current node
	all      bool // within the head of a table, which is repeated on every page
}

// cut returns a copy of the part of n on the page, or nil if there is none.
func (c *cutter) cut(n *html.Node) *html.Node {
	if page := pageOf(n); page > 0 {
		c.at = page
	}
	here := c.all || c.at == c.page
	if n.Type != html.ElementNode {
		if !here {
			return nil
		}
		return shallow(n)
	}
	if n.DataAtom == atom.Wbr && pageOf(n) > 0 {
		return nil
	}
	head := n.DataAtom == atom.Thead && !c.all
	if head {
		c.all = true
		defer func() { c.all = false }()
	}
	out := shallow(n)
	kept := here && !head
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if k := c.cut(child); k != nil {
			out.AppendChild(k)
			kept = kept || !isHead(k)
		}
	}
	// A head without rows is not a table.
	if head {
		return out
	}
	if !kept {
		return nil
	}
	return out
}

func isHead(n *html.Node) bool { return n.DataAtom == atom.Thead }

// shallow returns a copy of n without its children.
func shallow(n *html.Node) *html.Node {
	return &html.Node{Type: n.Type, DataAtom: n.DataAtom, Data: n.Data, Namespace: n.Namespace, Attr: n.Attr}
}
