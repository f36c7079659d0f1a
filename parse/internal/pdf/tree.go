// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/layout"
)

// tree builds the nodes of a document in the vocabulary of package doctree.
type tree struct {
	doctree.Builder
	laid   *layout.Document
	limit  int  // maximum number of nodes
	bytes  int  // approximate bytes of attributes and texts
	full   bool // the limit was reached and the remaining blocks were left out
	lost   lost
	pages  map[int]*html.Node // section by page number
	source map[int]string     // data-src by page number
	ocr    map[int]recognized // confidence of the recognised pages by page number
	notes  map[noteKey]int    // footnote numbers, from 1

	formulas    int // formulas that were written as text, because their structure is not certain
	formulaPage int // the page of the first of them

	repeated     int // header rows of tables that later pages repeat, and that were left out
	repeatedPage int // the page of the first of these tables
}

// lost counts what was left out because the tree has reached its limit.
type lost struct {
	blocks, rows int // rows of tables whose first rows are in the tree
	page         int // the first page that lacks something
}

// add counts blocks and rows that begin on a page.
func (o *lost) add(page, blocks, rows int) {
	o.blocks += blocks
	o.rows += rows
	if o.page == 0 || page < o.page {
		o.page = page
	}
}

// noteKey identifies a footnote by its page and its mark in the text.
type noteKey struct {
	page int
	mark string
}

// defaultNodes is the default of Limits.Nodes.
const defaultNodes = 2_000_000

// buildTree returns the tree of a document. The error is the cause that
// ended ctx, or wraps ErrLimit.
func (d *reader) buildTree(ctx context.Context, l *layout.Document) (*html.Node, error) {
	t := tree{laid: l, pages: map[int]*html.Node{}, source: map[int]string{}, ocr: d.recognized, notes: map[noteKey]int{}}
	switch t.limit = d.options.Limits.Nodes; {
	case t.limit == 0:
		t.limit = defaultNodes
	case t.limit < 0:
		t.limit = math.MaxInt
	}
	root, head, body := t.Document(cmp.Or(d.kind, "pdf"), d.doc.Meta.Language, d.doc.Meta.Title)
	t.meta(head, d.doc.Meta)
	labels := readLabels(d.file, len(d.doc.Pages))
	for _, p := range d.doc.Pages {
		t.pages[p.Number] = t.Append(body, atom.Section,
			"id", "page-"+strconv.Itoa(p.Number), "data-page", strconv.Itoa(p.Number), "data-w", number(p.Width), "data-h", number(p.Height))
		if label := labels[p.Number-1]; label != "" {
			t.pages[p.Number].Attr = append(t.pages[p.Number].Attr, html.Attribute{Key: "data-label", Val: label})
		}
	}
	for _, p := range d.laid {
		t.source[p.Number] = "native_text"
		if p.OCR {
			t.source[p.Number] = "ocr_layer"
		}
		if _, ok := d.recognized[p.Number]; ok {
			t.source[p.Number] = "layout_ocr"
		}
	}
	for i := range l.Blocks {
		if b := &l.Blocks[i]; b.Kind == layout.Footnote {
			if k := (noteKey{b.Page, b.Marker}); t.notes[k] == 0 {
				t.notes[k] = len(t.notes) + 1
			}
		}
	}
	if err := t.blocks(ctx, l.Blocks); err != nil {
		return nil, err
	}
	t.endnotes(body, l.Blocks)
	if d.form != nil && len(d.doc.Pages) > 0 {
		d.fill(ctx, &t, t.pages[d.doc.Pages[0].Number])
	}
	d.annotate(ctx, &t, body)
	d.attach(ctx, &t, body)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if t.formulas > 0 {
		d.warn("formula", t.formulaPage, fmt.Sprintf("From this page on, formulas whose structure is not certain, and which are text on one line: %d.", t.formulas))
	}
	if t.repeated > 0 {
		d.warn("repeated-header", t.repeatedPage, fmt.Sprintf("From this page on, header rows of tables that later pages repeat, and that were left out: %d.", t.repeated))
	}
	if t.full {
		d.warn("truncated", t.lost.page, fmt.Sprintf("The document is too large: from this page on, %d blocks and %d rows of tables were left out.", t.lost.blocks, t.lost.rows))
	}
	return root, nil
}

func (t *tree) meta(head *html.Node, m Meta) {
	for _, e := range [][2]string{
		{"author", m.Author},
		{"description", m.Subject},
		{"keywords", m.Keywords},
		{"generator", strings.TrimSpace(m.Creator)},
		{"date", date(m.Created)},
		{"last-modified", date(m.Modified)},
	} {
		if e[1] != "" {
			t.Append(head, atom.Meta, "name", e[0], "content", e[1])
		}
	}
}

func (t *tree) blocks(ctx context.Context, blocks []layout.Block) error {
	for i := 0; i < len(blocks); {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if t.Count() > t.limit {
			return fmt.Errorf("%w: over %d nodes", ErrLimit, t.limit)
		}
		if t.over() {
			for k := range blocks[i:] {
				if b := &blocks[i+k]; b.Kind != layout.Footnote { // endnotes counts these
					t.lost.add(b.Page, 1, 0)
				}
			}
			return nil
		}
		if kind := blocks[i].Kind; kind == layout.Item || kind == layout.Contents {
			j := together(blocks, i)
			parent := t.pages[blocks[i].Page]
			if kind == layout.Contents {
				parent = t.Append(parent, atom.Nav, "role", "doc-toc")
			}
			t.list(ctx, parent, blocks[i:j])
			clear(blocks[i:j]) // free them; the tree has their content
			i = j
			continue
		}
		t.block(ctx, &blocks[i])
		if blocks[i].Kind != layout.Footnote {
			blocks[i] = layout.Block{} // free it; the tree has its content
		}
		i++
	}
	if ctx.Err() != nil { // the last block may be incomplete
		return context.Cause(ctx)
	}
	return nil
}

// together returns the end of the run of list items that begins at i.
// Footnotes between two items are moved after the last item; they are
// written at the end of the body anyway.
func together(blocks []layout.Block, i int) (end int) {
	var notes []layout.Block
	last := i // end of the items found so far, with the footnotes between them
	for j := i; j < len(blocks) && (blocks[j].Kind == blocks[i].Kind || blocks[j].Kind == layout.Footnote); j++ {
		if blocks[j].Kind == blocks[i].Kind {
			last = j + 1
		}
	}
	end = i
	for j := i; j < last; j++ {
		if blocks[j].Kind == layout.Footnote {
			notes = append(notes, blocks[j])
		} else {
			blocks[end] = blocks[j]
			end++
		}
	}
	copy(blocks[end:], notes)
	return end
}

// Memory limits of a tree in bytes: estimates for a node and for an
// attribute, and the maximum for the whole tree.
const (
	nodeSize = 104
	attrSize = 48 + 24
	maxTree  = 104 << 20
)

// over reports whether the tree has reached its maximum size.
func (t *tree) over() bool {
	t.full = t.full || nodeSize*t.Count()+t.bytes > maxTree
	return t.full
}

// pollEvery is the number of rows or items between two checks of ctx.
const pollEvery = 64

// number returns a length in points with at most two decimals.
func number(v float64) string {
	var room [32]byte
	return string(appendNumber(room[:0], v))
}

func appendNumber(out []byte, v float64) []byte {
	return strconv.AppendFloat(out, math.Round(v*100)/100+0, 'f', -1, 64)
}

func bbox(b content.Box) string {
	var room [64]byte
	out := room[:0]
	for i, v := range [...]float64{b.X0, b.Y0, b.X1, b.Y1} {
		if i > 0 {
			out = append(out, ' ')
		}
		out = appendNumber(out, v)
	}
	return string(out)
}

// attrs returns the attributes that every block has.
func (t *tree) attrs(b *layout.Block) []string {
	a := make([]string, 2, 10)
	a[0], a[1] = "data-page", strconv.Itoa(b.Page)
	if !b.Box.Empty() {
		a = append(a, "data-bbox", bbox(b.Box))
	}
	source := t.source[b.Page]
	if b.Tagged && source == "native_text" {
		source = "tagged"
	}
	a = append(a, "data-src", source)
	if b.Conf > 0 {
		a = append(a, "data-conf", number(b.Conf))
	}
	t.bytes += attrSize * len(a) / 2
	if r, ok := t.ocr[b.Page]; ok {
		conf, ok := within(r.spots, b.Box)
		if !ok {
			conf = r.confidence
		}
		if conf >= 0 {
			a = append(a, "data-ocr", number(conf))
		}
	}
	return a
}

// headingTags are the heading elements; the index is the level minus 1.
var headingTags = [...]atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}

func (t *tree) block(ctx context.Context, b *layout.Block) {
	section := t.pages[b.Page]
	if section == nil {
		return
	}
	attrs := t.attrs(b)
	switch b.Kind {
	case layout.Heading:
		t.runs(t.Append(section, headingTags[min(max(b.Level, 1), 6)-1], attrs...), b)
	case layout.TableBlock:
		if rs := b.Table.Readings; len(rs) > 0 {
			attrs = append(attrs, "data-readings", readings(rs))
		}
		t.table(ctx, t.Append(section, atom.Table, attrs...), b)
	case layout.Code:
		t.Text(t.Append(t.Append(section, atom.Pre, attrs...), atom.Code), b.Listing())
	case layout.Running:
		tag := atom.Header
		if b.Level == 1 {
			tag = atom.Footer
		}
		t.runs(t.Append(section, tag, append(attrs, "data-role", "running")...), b)
	case layout.PageNumber:
		t.runs(t.Append(section, atom.Footer, append(attrs, "data-role", "page-number")...), b)
	case layout.Caption:
		t.runs(t.Append(section, atom.P, append(attrs, "data-role", "caption")...), b)
	case layout.Figure:
		t.Append(t.Append(section, atom.Figure, attrs...), atom.Img, "alt", b.Alt)
	case layout.Formula:
		t.formula(section, b, attrs)
	case layout.Footnote: // written at the end of the body
	default:
		if len(b.Lines) > 0 && b.Lines[0].RTL {
			attrs = append(attrs, "dir", "rtl")
		}
		t.runs(t.Append(section, atom.P, attrs...), b)
	}
}

// readings returns the readings of a table as text, such as
// "columns 5x3 0.98, walls 5x1 0.61". The first is the one that was kept.
func readings(rs []layout.Reading) string {
	var s strings.Builder
	for i, r := range rs {
		if i > 0 {
			s.WriteString(", ")
		}
		if r.Rows == 0 {
			s.WriteString(r.By + " none")
			continue
		}
		fmt.Fprintf(&s, "%s %dx%d %s", r.By, r.Rows, r.Columns, number(r.Score))
	}
	return s.String()
}

// runs writes the text of b with its links, text styles, superscripts and
// subscripts.
func (t *tree) runs(n *html.Node, b *layout.Block) {
	page := b.Page
	for _, r := range t.laid.Runs(b) {
		if r.Page != 0 {
			page = r.Page
			if box := b.PartBox(page); !box.Empty() { // a table row belongs to the page on which it begins
				t.Append(n, atom.Wbr, "data-page", strconv.Itoa(page), "data-bbox", bbox(box))
			}
			continue
		}
		if r.Ends {
			t.Append(n, atom.Br)
			continue
		}
		at := n
		switch {
		case r.Rise > 0:
			at = t.Append(n, atom.Sup)
			if k := t.notes[noteKey{page, strings.TrimSpace(r.Text)}]; k > 0 && !r.Power && b.Kind != layout.Footnote {
				at = t.Append(at, atom.A, "role", "doc-noteref", "href", "#fn-"+strconv.Itoa(k))
			}
		case r.Rise < 0:
			at = t.Append(n, atom.Sub)
		}
		if r.Link != "" && at.DataAtom != atom.A {
			at = t.Append(at, atom.A, "href", r.Link)
		}
		for _, f := range [...]struct {
			face layout.Face
			tag  atom.Atom
		}{{layout.Struck, atom.S}, {layout.Bold, atom.Strong}, {layout.Italic, atom.Em}, {layout.Fixed, atom.Code}} {
			if r.Face&f.face != 0 {
				at = t.Append(at, f.tag)
			}
		}
		t.bytes += len(r.Text)
		t.Text(at, r.Text)
	}
}

// list writes list items, nested by their level. A decimal number becomes
// the number of the item; any other mark stays in the text, because HTML
// lists cannot express it.
func (t *tree) list(ctx context.Context, section *html.Node, items []layout.Block) {
	type open struct {
		list, item *html.Node
		last       int // number of the last item; -1 in unordered lists
	}
	var stack []open
	for i := range items {
		b := &items[i]
		if i%pollEvery == 0 && (ctx.Err() != nil || t.over()) {
			t.lost.add(b.Page, len(items)-i, 0)
			return
		}
		value := decimal(b.Marker)
		depth := min(b.Level, len(stack))
		stack = stack[:min(len(stack), depth+1)]
		if len(stack) == depth+1 {
			if top := stack[depth]; (top.last < 0) != (value < 0) || value >= 0 && value != top.last+1 {
				stack = stack[:depth]
			}
		}
		if len(stack) == depth {
			parent := section
			if depth > 0 {
				parent = stack[depth-1].item
				t.Text(parent, "\n") // separates the items for consumers that use the text only
			}
			o := open{last: -1}
			switch {
			case value < 0:
				o.list = t.Append(parent, atom.Ul)
			case value == 1 && b.Kind != layout.Contents: // the lists of a table of contents have numbers only if they say so
				o.list = t.Append(parent, atom.Ol)
			default:
				o.list = t.Append(parent, atom.Ol, "start", strconv.Itoa(value))
			}
			stack = append(stack, o)
		}
		top := &stack[depth]
		top.last = value
		top.item = t.Append(top.list, atom.Li, t.attrs(b)...)
		if value < 0 && isText(b.Marker) {
			b.Marker = ""
		}
		if task, done := layout.Ballot(b.Marker); task {
			top.item.AppendChild(t.Checkbox(done))
		}
		t.runs(top.item, b)
	}
}

// decimal returns the number of a marker such as "3." or "3)", or -1 for
// other markers.
func decimal(mark string) int {
	v, err := strconv.Atoi(strings.TrimRight(mark, ".)"))
	if err != nil || v < 0 || strings.HasPrefix(mark, "(") {
		return -1
	}
	return v
}

// isText reports whether a marker is more than a bullet.
func isText(mark string) bool {
	return strings.ContainsAny(mark, ".)]")
}

// table writes the rows of a table.
func (t *tree) table(ctx context.Context, n *html.Node, b *layout.Block) {
	tab := b.Table
	kind := "unruled"
	switch {
	case b.Tagged:
		kind = "tagged"
	case tab.Ruled:
		kind = "ruled"
	}
	n.Attr = append(n.Attr, html.Attribute{Key: "data-table", Val: kind})
	body := atom.Thead
	if tab.Header == 0 {
		body = atom.Tbody
	}
	part := t.Append(n, body)
	if tab.Repeated > 0 {
		t.repeated += tab.Repeated
		if t.repeatedPage == 0 {
			t.repeatedPage = b.Page
		}
	}
	for i := range tab.Rows {
		if i%pollEvery == 0 && (ctx.Err() != nil || t.over()) {
			t.lost.add(b.Page, 0, len(tab.Rows)-i)
			return // blocks returns the error
		}
		if i == tab.Header && i > 0 {
			part = t.Append(n, atom.Tbody)
		}
		tr := t.Append(part, atom.Tr)
		page := b.Page
		if i < len(tab.Pages) && tab.Pages[i] > 0 {
			page = tab.Pages[i]
			tr.Attr = append(tr.Attr, html.Attribute{Key: "data-page", Val: strconv.Itoa(page)})
		}
		tag := atom.Td
		if i < tab.Header {
			tag = atom.Th
		}
		for j := range tab.Rows[i] {
			if c := &tab.Rows[i][j]; !c.Covered {
				t.cell(t.Append(tr, tag), c, page)
			}
		}
	}
}

func (t *tree) cell(n *html.Node, c *layout.Cell, page int) {
	if c.ColSpan > 1 {
		n.Attr = append(n.Attr, html.Attribute{Key: "colspan", Val: strconv.Itoa(c.ColSpan)})
	}
	if c.RowSpan > 1 {
		n.Attr = append(n.Attr, html.Attribute{Key: "rowspan", Val: strconv.Itoa(c.RowSpan)})
	}
	box := c.Box
	if box.Empty() && len(c.Lines) > 0 { // a cell of a table without ruling lines
		box = c.Lines[0].Box
		for i := range c.Lines {
			box = box.Union(c.Lines[i].Box)
		}
	}
	if !box.Empty() {
		t.bytes += attrSize
		n.Attr = append(n.Attr, html.Attribute{Key: "data-bbox", Val: bbox(box)})
	}
	if len(c.Lines) > 0 {
		b := c.Block(page)
		t.runs(n, &b)
	}
}

// endnotes writes the footnotes of all pages as the last section.
func (t *tree) endnotes(body *html.Node, blocks []layout.Block) {
	if len(t.notes) == 0 {
		return
	}
	list := t.Append(t.Append(body, atom.Section, "role", "doc-endnotes"), atom.Ol)
	done := map[int]bool{}
	for i := range blocks {
		b := &blocks[i]
		if b.Kind != layout.Footnote {
			continue
		}
		if t.over() {
			t.lost.add(b.Page, 1, 0)
			continue
		}
		attrs := t.attrs(b)
		if k := t.notes[noteKey{b.Page, b.Marker}]; !done[k] {
			done[k] = true
			attrs = append(attrs, "id", "fn-"+strconv.Itoa(k), "role", "doc-footnote")
		}
		t.runs(t.Append(list, atom.Li, attrs...), b)
	}
}
