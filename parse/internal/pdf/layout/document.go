// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
)

// Document has the blocks of all pages in reading order.
type Document struct {
	Blocks     []Block
	Styles     Styles
	Vocabulary Vocabulary

	Lost   map[int]int // number of words that no block has, by page number
	Plain  []int       // numbers of the pages whose structure could not be found: each line is a block
	NoTags bool        // the structure tree could not be used, because of a fault in it

	pageLinks map[int][]content.Link
	tokens    []token // the memory of Runs
}

// Outline maps the titles of a document's outline, in the form of [Key], to
// their depth, counted from 1.
type Outline map[string]int

// Build finds the blocks of pages, which must be in order. root is the
// document's structure tree; it is nil if there is none, or if the document
// marks it as unreliable. Build consumes the pages. The error is the cause
// that ended ctx.
func Build(ctx context.Context, pages []*Page, outline Outline, root *Element) (*Document, error) {
	d := &Document{Styles: stylesOf(pages), pageLinks: map[int][]content.Link{}}
	for _, p := range pages {
		if len(p.Links) > 0 {
			d.pageLinks[p.Number] = p.Links
		}
	}
	b := build{
		doc: d, pages: pages, found: running(pages, &d.Styles, outline), lexicon: lexicon{words: Vocabulary{}},
		repeats: make([][]Block, len(pages)), blocks: make([][]Block, len(pages)),
		words: make([]int, len(pages)), plain: make([]bool, len(pages)),
	}
	if root != nil {
		b.sheets = make([]*sheet, len(pages))
	}
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	d.Vocabulary = b.lexicon.words
	if root != nil {
		var replaced map[int]int
		replaced, d.NoTags = tagged(pages, b.sheets, root, b.blocks, &d.Styles)
		for i, p := range pages {
			b.words[i] -= replaced[p.Number]
		}
	}
	b.audit()
	count := 0
	for i := range pages {
		count += len(b.blocks[i]) + len(b.repeats[i])
	}
	d.Blocks = make([]Block, 0, count)
	for i, p := range pages {
		first := len(d.Blocks)
		d.Blocks = withArtifacts(d.Blocks, b.blocks[i], b.repeats[i])
		if root != nil {
			b.settle(p, d.Blocks[first:])
		}
		p.used()
		b.blocks[i], b.repeats[i] = nil, nil
	}
	for _, pass := range []func(){
		func() { headings(ctx, d.Blocks, &d.Styles, outline) },
		func() { d.Blocks = titles(d.Blocks) },
		func() { captions(d.Blocks) },
		func() { items(d.Blocks) },
		func() { footnotes(d.Blocks, &d.Styles) },
		func() { d.Blocks = join(d.Blocks) },
		func() { d.Blocks = continued(ctx, d.Blocks) },
		func() { levelled(d.Blocks, outline) },
	} {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		pass()
	}
	return d, nil
}

// pollEvery is the number of blocks that a long pass handles between two
// checks of ctx. The result of a pass that stops early is not used.
const pollEvery = 256

// build is the state of Build.
type build struct {
	doc   *Document
	pages []*Page
	found map[[2]int]Kind // running headers and footers, by page and line index

	lexicon lexicon

	// For each page: the blocks of running headers and footers, all other
	// blocks, and, if there is a structure tree to evaluate, its sheet.
	repeats, blocks [][]Block
	sheets          []*sheet

	words []int  // number of words of each page before its blocks were made
	plain []bool // pages that keep their text only

	heavy sync.Mutex // bounds memory: only one page with very many lines is unpacked at a time
}

// maxLight is the maximum number of words of a page that may be unpacked
// together with others.
const maxLight = 1 << 13

// run makes the blocks of all pages in parallel. The error is the cause that
// ended ctx.
func (b *build) run(ctx context.Context) error {
	Each(len(b.pages), func() bool { return ctx.Err() != nil }, b.page)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// Each calls do for each number below n, on as many goroutines as there are
// processors. It starts them in ascending order, and no further one once stop
// returns true. It returns when all calls have returned.
func Each(n int, stop func() bool, do func(i int)) {
	if n == 1 { // most documents are short, and to wake another goroutine takes time
		if !stop() {
			do(0)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			for !stop() {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				do(i)
			}
		})
	}
	wg.Wait()
}

// page makes the blocks of one page.
func (b *build) page(i int) {
	p := b.pages[i]
	if p.Words() > maxLight {
		b.heavy.Lock()
		defer b.heavy.Unlock()
	}
	p.unpack()
	b.lexicon.add(p.Lines)
	b.words[i] = p.Words()
	b.repeats[i] = p.takeRunning(i, b.found)
	if b.sheets != nil {
		b.sheets[i] = newSheet(p)
	}
	b.blocks[i], b.plain[i] = pageBlocks(p)
	if b.sheets == nil {
		b.settle(p, b.blocks[i])
		b.settle(p, b.repeats[i])
		p.used()
	}
}

// audit compares the words of the blocks with those of the pages, so that a fault
// of a pass does not lose text without notice.
func (b *build) audit() {
	have := map[int]int{}
	for _, of := range [][][]Block{b.blocks, b.repeats} {
		for i := range of {
			for k := range of[i] {
				for page, lines := range of[i][k].Pages() {
					for l := range lines {
						have[page] += lines[l].count()
					}
				}
				if t := of[i][k].Table; t != nil {
					t.behind(of[i][k].Page, have)
				}
			}
		}
	}
	for i, p := range b.pages {
		if b.plain[i] {
			b.doc.Plain = append(b.doc.Plain, p.Number)
		}
		if n := b.words[i] - have[p.Number]; n > 0 {
			if b.doc.Lost == nil {
				b.doc.Lost = map[int]int{}
			}
			b.doc.Lost[p.Number] = n
		}
	}
}

// behind takes from have, by page number, the words of cells that another cell
// covers, which are not shown. first is the page on which the table begins.
func (t *Table) behind(first int, have map[int]int) {
	for i := range t.Rows {
		page := first
		if i < len(t.Pages) && t.Pages[i] > 0 {
			page = t.Pages[i]
		}
		for j := range t.Rows[i] {
			if c := &t.Rows[i][j]; c.Covered {
				for k := range c.Lines {
					have[page] -= c.Lines[k].count()
				}
			}
		}
	}
}

// settle packs the words of the blocks that begin on p, to save memory.
func (b *build) settle(p *Page, blocks []Block) {
	endLines(blocks, p.Width)
	if p.Places {
		return
	}
	for i := range blocks {
		blocks[i].settle(b.doc.links)
	}
}

// used releases the data that the blocks of a page were made from.
func (p *Page) used() {
	p.Lines, p.Rules, p.Fills, p.Images, p.drawn, p.points, p.room = nil, nil, nil, nil, nil, nil, nil
}

// pageBlocks finds the blocks of one page. If a pass panics, the page keeps
// its text but loses its structure, and plain is true.
func pageBlocks(p *Page) (bs []Block, plain bool) {
	lines := p.Lines
	defer func() {
		if recover() != nil {
			bs, plain = nil, true
			for i := range lines {
				bs = append(bs, Block{Page: p.Number, Box: lines[i].Box, Lines: lines[i : i+1 : i+1]})
			}
		}
	}()
	bs = code(p.read(0))
	pictured(p, bs)
	return bs, false
}

func (d *Document) links(page int) []content.Link { return d.pageLinks[page] }

// withArtifacts adds the blocks of a page to out, running headers before them and
// running footers after them.
func withArtifacts(out, bs, artifacts []Block) []Block {
	var heads, feet []Block
	for _, a := range artifacts {
		if a.Level == 1 {
			feet = append(feet, a)
		} else {
			heads = append(heads, a)
		}
	}
	byPlace := func(a, b Block) int {
		return cmp.Or(compare(a.Box.Y0, b.Box.Y0), compare(a.Box.X0, b.Box.X0))
	}
	sorting.Stable(heads, byPlace)
	sorting.Stable(feet, byPlace)
	return append(append(append(out, heads...), bs...), feet...)
}

// tables finds the tables and formulas of a page and removes their words from
// its lines.
func tables(p *Page) []Block {
	var out []Block
	ruled, listings := ruledTables(p)
	for _, t := range ruled {
		t.turnColumns()
		out = append(out, Block{Kind: TableBlock, Page: p.Number, Box: t.Box, Table: &t, Conf: t.Conf})
	}
	lined := linedTables(p, slices.Concat(out, listings))
	shown := formulas(p)
	for _, t := range slices.Concat(lined, records(p, false), unruledTables(p), records(p, true)) {
		t.turnColumns()
		out = append(out, Block{Kind: TableBlock, Page: p.Number, Box: t.Box, Table: &t, Conf: t.Conf})
	}
	return slices.Concat(joinBelow(p, out), shown, listings)
}

// continued joins a table with its continuation at the top of the next page.
// Both must have the same columns, with only running headers and footers
// between them. A repeated table header is removed.
func continued(ctx context.Context, blocks []Block) []Block {
	out := blocks[:0]
	last := -1
	for i := range blocks {
		if i%pollEvery == 0 && ctx.Err() != nil {
			return out
		}
		b := blocks[i]
		switch b.Kind {
		case TableBlock:
			if last >= 0 && out[last].Table.continues(&out[last], &b) {
				out[last].Table.extend(b.Table, b.Page)
				out[last].Parts = append(out[last].Parts, Part{Page: b.Page, Line: len(out[last].Table.Rows) - len(b.Table.Rows), Box: b.Box})
				continue
			}
			last = len(out)
		case Running, PageNumber:
		default:
			last = -1
		}
		out = append(out, b)
	}
	return out
}

// continues reports whether table b continues t, the table of block a.
func (t *Table) continues(a, b *Block) bool {
	o := b.Table
	if b.Page != a.lastPage()+1 || o.Columns != t.Columns || len(t.Rows) == 0 {
		return false
	}
	tol := max(6, .5*t.size())
	if o.Ruled != t.Ruled && math.Abs(o.Box.X1-t.Box.X1) > tol {
		return false
	}
	ours, theirs := t.columnLefts(), o.columnLefts()
	for j := range t.Columns {
		// A column without text has an infinite left edge.
		if d := math.Abs(ours[j] - theirs[j]); d > 2*tol && !math.IsInf(d, 0) {
			return false
		}
	}
	return o.Box.X0-t.Box.X0 < 2*tol && t.Box.X0-o.Box.X0 < 2*tol
}

// size returns the font size of the first text in the table.
func (t *Table) size() float64 {
	for i := range t.Rows {
		for j := range t.Rows[i] {
			if ls := t.Rows[i][j].Lines; len(ls) > 0 {
				return ls[0].Size
			}
		}
	}
	return 0
}

// columnLefts returns the left edge of the text of each column. It is
// infinite for a column without text.
func (t *Table) columnLefts() []float64 {
	if t.lefts == nil {
		t.lefts = slices.Repeat([]float64{math.Inf(1)}, t.Columns)
		t.reach(t.Rows)
	}
	return t.lefts
}

// reach updates lefts with the text of rows.
func (t *Table) reach(rows [][]Cell) {
	for i := range rows {
		for j := range rows[i] {
			for k := range rows[i][j].Lines {
				t.lefts[j] = min(t.lefts[j], rows[i][j].Lines[k].Box.X0)
			}
		}
	}
}

// extend appends the rows of o, which is on a later page.
func (t *Table) extend(o *Table, page int) {
	rows := o.Rows
	for h := range min(t.Header, len(rows)) {
		if !sameCells(t.Rows[h], o.Rows[h]) || t.Header < len(t.Rows) && alike(t.Rows[h], t.Rows[t.Header]) {
			break
		}
		rows = rows[1:]
	}
	t.Repeated += len(o.Rows) - len(rows)
	if len(rows) == len(o.Rows) && t.behead(rows) {
		t.Repeated++
	}
	if len(rows) > 0 && t.cutInto(rows[0]) {
		rows = rows[1:]
	}
	o.Rows = rows
	t.columnLefts()
	t.reach(rows)
	for range len(t.Rows) - len(t.Pages) {
		t.Pages = append(t.Pages, 0)
	}
	for range rows {
		t.Pages = append(t.Pages, page)
	}
	t.Rows = append(t.Rows, rows...)
}

// behead removes the texts of the header from the first of some rows, if they are
// the first lines of its cells. Nothing on the page shows where a header ends that
// has neither a line nor another font, but the page before does.
func (t *Table) behead(rows [][]Cell) bool {
	if t.Header != 1 || len(t.Rows) < 2 || len(rows) == 0 {
		return false
	}
	texts := 0
	for j := range rows[0] {
		head, c := &t.Rows[0][j], &rows[0][j]
		n := len(head.Lines)
		if c.Covered || c.ColSpan != head.ColSpan || len(c.Lines) < n {
			return false
		}
		for k := range n {
			if c.Lines[k].Text() != head.Lines[k].Text() {
				return false
			}
		}
		texts += count(n > 0 && len(c.Lines) > n)
	}
	if texts < 2 {
		return false
	}
	for j := range rows[0] {
		rows[0][j].Lines = rows[0][j].Lines[len(t.Rows[0][j].Lines):]
	}
	return true
}

// alike reports whether two rows differ only in digits. In that case the
// upper one is not a header.
func alike(a, b []Cell) bool {
	for j := range a {
		one, _, _ := shapeOf(a[j].Text())
		other, _, _ := shapeOf(b[j].Text())
		if one != other {
			return false
		}
	}
	return true
}

func sameCells(a, b []Cell) bool {
	for j := range a {
		if a[j].Text() != b[j].Text() {
			return false
		}
	}
	return true
}
