// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/sorting"
	"example.com/curlew/markdown"
)

// Page is the Markdown of one page of a document that has pages. A web page is an
// [Input].
type Page struct {
	Number   int    `json:"pageNumber"` // from 1
	Markdown string `json:"markdown"`
}

// PageBlocks lists the blocks of one page of a document.
type PageBlocks struct {
	Number int     `json:"pageNumber"` // from 1
	Width  float64 `json:"width"`      // points
	Height float64 `json:"height"`
	Status string  `json:"status"` // ok, partial or failed
	Items  []Block `json:"items"`  // in reading order, with running headers and footers
}

// Block is one block of a page.
type Block struct {
	ID         string      `json:"id"`    // p1.b0
	Type       string      `json:"type"`  // title, section_header, text, table, formula, figure, caption, page_header, page_footer or page_number
	Label      string      `json:"label"` // a more specific name, such as h2, list, code, toc, footnote
	Box        *[4]float64 `json:"bbox"`  // fractions of the page, from its top left corner; nil if unknown
	Content    string      `json:"content"`
	Span       *[2]int     `json:"markdownSpan"` // range of characters in Document.Markdown, half-open; nil if it is not there
	Order      int         `json:"readingOrder"` // from 0, on its page
	Source     string      `json:"source"`
	Confidence Confidence  `json:"confidence"`

	// Readings names the ways in which a table without clear lines was read, with
	// their scores from 0 to 1, such as "columns 5x3 0.98, walls 5x1 0.61". The
	// first one was kept. It is empty for other blocks.
	Readings string `json:"readings,omitempty"`
	// Cells are the places of a table's cells on the page of the block, as
	// fractions like Box. Cells without a place are absent.
	Cells [][4]float64 `json:"cells,omitempty"`
}

// Confidence is how certain a reader is, from 0 to 1; nil means not measured.
type Confidence struct {
	Layout *float64 `json:"layout"`
	OCR    *float64 `json:"ocr"`
}

// pageMarkdown makes the Markdown of each page.
func (b *builder) pageMarkdown(ctx context.Context) error {
	b.doc.Pages = []Page{}
	pages := doctree.NewPages(b.page.copy.root)
	for _, n := range pages.Numbers() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var s strings.Builder
		if err := markdown.Render(ctx, &s, pages.Page(n), writing(b.o.Markdown, &b.page)); err != nil {
			return err
		}
		text, err := b.redactor.finish(s.String())
		if err != nil {
			return err
		}
		b.doc.Pages = append(b.doc.Pages, Page{n, text})
	}
	return nil
}

// writing returns the Markdown options for trees with resolved references.
func writing(o markdown.Options, page *page) *markdown.Options {
	o.Base, o.Page = "", page.base.page()
	return &o
}

// A marker represents the mark between two pages until the Markdown is written,
// because the mark is a comment of Markdown, which a tree cannot hold.
const marker = "\uE000page\uE001"

// mark puts a marker before each page of the copy, except the first page and pages
// that were joined to the one before.
func (b *builder) mark() (undo func()) {
	var marks []*html.Node
	pages := doctree.NewPages(b.page.copy.root)
	first := true
	for n, section := range doctree.Sections(b.page.copy.root) {
		if !first && !pages.Joined(n) {
			p := &html.Node{Type: html.ElementNode, DataAtom: atom.P, Data: "p"}
			p.AppendChild(&html.Node{Type: html.TextNode, Data: marker + strconv.Itoa(n) + marker})
			section.Parent.InsertBefore(p, section)
			marks = append(marks, p)
		}
		first = false
	}
	return func() {
		for _, p := range marks {
			p.Parent.RemoveChild(p)
		}
	}
}

// unmark replaces the markers in s by marks.
func unmark(s string) string {
	if !strings.Contains(s, marker) {
		return s // it may be long
	}
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(s, marker)
		out.WriteString(before)
		if !ok {
			return out.String()
		}
		n, after, ok := strings.Cut(rest, marker)
		if number, err := strconv.Atoi(n); ok && err == nil {
			out.WriteString("---\n\n<!-- page " + strconv.Itoa(number) + " -->")
			s = after
			continue
		}
		out.WriteString(marker) // the document's own
		s = rest
	}
}

// pageBlocks makes the list of blocks. It searches the Markdown for them, so the
// Markdown must have been made.
func (b *builder) pageBlocks(ctx context.Context) error {
	at := b.emptyPages()
	f := finder{}
	if b.doc.Markdown != nil {
		f.text = *b.doc.Markdown
	}
	titled := false
	for block := range doctree.Blocks(b.page.in.Root) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		i, ok := at[block.Page]
		if !ok || b.page.view != nil && b.page.view.excludes(block.Node) {
			continue
		}
		page := &b.doc.Blocks[i]
		out, err := b.block(ctx, &block, page)
		if err != nil {
			return err
		}
		if out.Label == "h1" && !titled {
			titled, out.Type = true, "title"
		}
		if !doctree.IsRunning(block.Node) {
			out.Span = f.find(out.Content)
		}
		page.Items = append(page.Items, out)
	}
	return nil
}

// emptyPages adds the pages of the document without their blocks, and returns the
// index of each in Document.Blocks by its number.
func (b *builder) emptyPages() (at map[int]int) {
	b.doc.Blocks = []PageBlocks{}
	at = map[int]int{}
	for n, section := range doctree.Sections(b.page.in.Root) {
		w, _ := strconv.ParseFloat(doctree.Attr(section, "data-w"), 64)
		h, _ := strconv.ParseFloat(doctree.Attr(section, "data-h"), 64)
		at[n] = len(b.doc.Blocks)
		b.doc.Blocks = append(b.doc.Blocks, PageBlocks{n, w, h, b.page.in.PageStatus[n], []Block{}})
	}
	return at
}

// block returns the next block of page, without its span in the Markdown.
func (b *builder) block(ctx context.Context, from *doctree.Block, page *PageBlocks) (Block, error) {
	out := Block{
		ID:       "p" + strconv.Itoa(from.Page) + ".b" + strconv.Itoa(len(page.Items)),
		Box:      shareOf(from.Box, page.Width, page.Height),
		Order:    len(page.Items),
		Source:   from.Source,
		Readings: doctree.Attr(from.Node, "data-readings"),
		Cells:    cellsOf(from, page),
	}
	out.Type, out.Label = doctree.KindOf(from.Node)
	if from.Conf >= 0 {
		out.Confidence.Layout = new(from.Conf)
	}
	if from.OCR >= 0 {
		out.Confidence.OCR = new(from.OCR)
	}
	shown := clone(from.Node)
	if err := b.redactor.private(shown); err != nil {
		return out, err
	}
	var s strings.Builder
	if err := markdown.Render(ctx, &s, shown, writing(b.o.Markdown, &b.page)); err != nil {
		return out, err
	}
	out.Content = strings.TrimSuffix(finished(s.String(), false), "\n")
	return out, nil
}

// cellsOf returns the places of the cells of a table on the page of the block.
func cellsOf(block *doctree.Block, page *PageBlocks) (cells [][4]float64) {
	for _, cell := range doctree.Placed(block.Node) {
		place, ok := doctree.PlaceOf(cell.Node)
		if !ok || place.Page != block.Page {
			continue
		}
		if box := shareOf(place.Box, page.Width, page.Height); box != nil {
			cells = append(cells, *box)
		}
	}
	return cells
}

// excludes reports whether the caller has excluded n or an ancestor.
func (v *view) excludes(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if v.excluded[n] {
			return true
		}
	}
	return false
}

// shareOf returns box in fractions of the page, or nil if it is empty.
func shareOf(box doctree.Box, w, h float64) *[4]float64 {
	if box.IsZero() || w <= 0 || h <= 0 {
		return nil
	}
	of := func(v, whole float64) float64 {
		return float64(int(min(max(v/whole, 0), 1)*1e5+.5)) / 1e5
	}
	return &[4]float64{of(box.X0, w), of(box.Y0, h), of(box.X1, w), of(box.Y1, h)}
}

// clone returns a copy of n and its descendants. A footnote that is an item of a
// list becomes a div.
func clone(n *html.Node) *html.Node {
	c := &html.Node{Type: n.Type, DataAtom: n.DataAtom, Data: n.Data, Namespace: n.Namespace, Attr: n.Attr}
	if n.DataAtom == atom.Li && doctree.Attr(n, "role") == "doc-footnote" {
		c.DataAtom, c.Data = atom.Div, "div"
	}
	for child := range n.ChildNodes() {
		c.AppendChild(clone(child))
	}
	return c
}

// A finder finds texts in a longer text, each after the one before.
type finder struct {
	text  string
	at    int // bytes
	runes int // before at
}

// window is how far ahead find searches, in bytes.
const window = 4 << 10

// find returns the next position of s, in characters, or nil.
func (f *finder) find(s string) *[2]int {
	if s == "" || f.at > len(f.text) {
		return nil
	}
	i := strings.Index(f.text[f.at:min(len(f.text), f.at+len(s)+window)], s)
	if i < 0 {
		return nil
	}
	from := f.runes + utf8.RuneCountInString(f.text[f.at:f.at+i])
	size := utf8.RuneCountInString(s)
	f.at, f.runes = f.at+i+len(s), from+size
	return &[2]int{from, from + size}
}

// unparsed returns the Markdown or HTML of a document that was not parsed.
func (b *builder) unparsed(form Form) string {
	if b.redactor.on {
		b.warnings.add("The " + string(form) + " is empty: personal data cannot be looked for in it.")
		return ""
	}
	return base64.StdEncoding.EncodeToString(b.page.in.Body)
}

// plain removes data attributes, which only other packages read, until restore is
// called.
func (p *projection) plain() (restore func()) {
	type had struct {
		n    *html.Node
		attr []html.Attribute
	}
	var before []had
	for n := dom.Next(p.root, p.root); n != nil; n = dom.Next(n, p.root) {
		own := func(a html.Attribute) bool { return strings.HasPrefix(a.Key, "data-") }
		if !slices.ContainsFunc(n.Attr, own) {
			continue
		}
		before = append(before, had{n, n.Attr})
		n.Attr = sorting.Without(slices.Clone(n.Attr), own) // the page shares them
	}
	return func() {
		for _, h := range before {
			h.n.Attr = h.attr
		}
	}
}
