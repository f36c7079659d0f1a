// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/curlew/internal/pdf/content"
)

// tagged puts the blocks that the structure tree has in the place of those
// that the other passes found, on pages where the tags are good. kept are the
// sheets of pages, byPage their blocks, both as pages.
func tagged(pages []*Page, kept []*sheet, root *Element, byPage [][]Block, s *Styles) {
	was := slices.Clone(byPage)
	defer func() {
		if recover() != nil { // a fault costs the tags
			copy(byPage, was)
		}
	}()
	sheets := map[int]*sheet{}
	for i, p := range pages {
		kept[i].laid = byPage[i]
		sheets[p.Number] = kept[i]
	}
	var w walker
	w.element(root, level{})
	w.flush(level{})
	parts := w.parts
	if !known(parts, sheets) {
		return
	}
	for n, sh := range sheets {
		if !sh.trusted() {
			delete(sheets, n)
		}
	}
	if len(sheets) == 0 {
		return
	}
	b := builder{sheets: sheets}
	heads, all := 0, 0
	for i := range parts {
		n := b.size(parts[i].texts)
		all += n
		if parts[i].kind == Heading {
			heads += n
		}
	}
	s.tagged = heads > 0 && heads*3 < all
	blocks := map[int][]Block{}
	for i := range parts {
		p := &parts[i]
		if p.kind == Heading && !s.tagged {
			p.kind = Paragraph // all is a heading: none is
		}
		for _, block := range b.blocks(p) {
			blocks[block.Page] = append(blocks[block.Page], block)
		}
	}
	for i, p := range pages {
		if sh := sheets[p.Number]; sh != nil {
			byPage[i] = code(withRest(blocks[p.Number], sh.rest()))
		}
	}
}

// known tells the sheets which text of the tree each mark of their pages
// belongs to; false where much content is named twice: the tree gives no order.
func known(parts []piece, sheets map[int]*sheet) bool {
	rank, marks, twice := 0, 0, 0
	note := func(texts []text, set func(*sheet, int)) {
		rank++
		for _, x := range texts {
			for _, m := range x.marks {
				sh := sheets[m.page]
				if sh == nil || len(sh.words[m.mcid]) == 0 {
					continue
				}
				if marks++; sh.owner[m.mcid] != 0 {
					twice++
					continue
				}
				sh.owner[m.mcid] = rank
				set(sh, m.mcid)
			}
		}
	}
	for i := range parts {
		p := &parts[i]
		if p.kind == Figure {
			continue // what it shows as text is noted where it stands
		}
		note(p.texts, func(sh *sheet, id int) {
			if p.kind == Item || p.loose {
				sh.item[id] = true
			}
		})
		for _, row := range p.rows {
			for _, c := range row.cells {
				note(c.texts, func(sh *sheet, id int) { sh.table[id] = true })
			}
		}
	}
	return twice*50 <= marks
}

// maxInserts bounds the comparisons of withRest; above it the rest comes last.
const maxInserts = 4_000_000

// withRest puts each of rest behind the last block that begins above it.
func withRest(blocks, rest []Block) []Block {
	if len(rest)*len(blocks) > maxInserts {
		return append(blocks, rest...)
	}
	for _, r := range rest {
		at := 0
		for i := range blocks {
			if b := &blocks[i]; b.Box.Y0 <= r.Box.Y0 && b.Box.X0 < r.Box.X1 && r.Box.X0 < b.Box.X1 {
				at = i + 1
			}
		}
		blocks = slices.Insert(blocks, at, r)
	}
	return blocks
}

// builder makes blocks of the parts of a tree, with the words of pages.
type builder struct {
	sheets map[int]*sheet // by page
}

// size counts the words of texts.
func (b *builder) size(texts []text) int {
	n := 0
	for _, x := range texts {
		for _, m := range x.marks {
			if sh := b.sheets[m.page]; sh != nil {
				n += len(sh.words[m.mcid])
			}
		}
	}
	return n
}

// blocks makes the blocks of a part: one, but for text whose paragraphs nobody
// names.
func (b *builder) blocks(p *piece) []Block {
	switch {
	case p.loose:
		return b.loose(p.texts)
	case p.kind == TableBlock && !b.grid(p):
		var out []Block
		for _, row := range p.rows {
			for _, c := range row.cells {
				out = append(out, b.loose(c.texts)...)
			}
		}
		return out
	case p.kind == TableBlock:
		if out := b.drawn(p); out != nil {
			return out
		}
	}
	if block, ok := b.block(p); ok {
		return []Block{block}
	}
	return nil
}

// block makes a block; false where nothing of it is seen on pages whose tags
// are good.
func (b *builder) block(p *piece) (Block, bool) {
	switch p.kind {
	case TableBlock:
		return b.table(p)
	case Figure:
		return b.figure(p)
	}
	out := Block{Kind: p.kind, Level: p.level, Conf: 1, Tagged: true}
	if p.kind == Paragraph {
		out.Conf = 0
	}
	for _, l := range b.lines(p.texts) {
		switch n := len(out.Parts); {
		case len(out.Lines) == 0:
			out.Page, out.Box = l.page, l.line.Box
		case l.page != out.lastPage():
			out.Parts = append(out.Parts, Part{Page: l.page, Line: len(out.Lines), Box: l.line.Box})
		case n == 0:
			out.Box = out.Box.Union(l.line.Box)
		default:
			out.Parts[n-1].Box = out.Parts[n-1].Box.Union(l.line.Box)
		}
		out.Lines = append(out.Lines, l.line)
	}
	if len(out.Lines) == 0 {
		return out, false
	}
	if p.kind == Item {
		out.Marker, _ = marker(out.Lines[0].Text())
		if mark := strings.TrimSpace(p.label(b)); mark != "" && utf8.RuneCountInString(mark) <= 8 {
			out.Marker = mark
		}
	}
	return out, true
}

// loose makes blocks of text whose paragraphs the tree does not name: they end
// where it looks so. Smaller lines among the others are raised words.
func (b *builder) loose(texts []text) []Block {
	var out []Block
	lines := b.lines(texts)
	for len(lines) > 0 {
		n := 0
		for n < len(lines) && lines[n].page == lines[0].page {
			n++
		}
		out = append(out, looseOn(lines[0].page, lines[:n])...)
		lines = lines[n:]
	}
	return out
}

func looseOn(page int, placed []placed) []Block {
	lines := make([]Line, len(placed))
	for i := range placed {
		lines[i] = placed[i].line
	}
	var es []element
	raised := make([]bool, len(lines))
	for i := range lines {
		small := i > 0 && lines[i].Size < .85*lines[i-1].Size || i+1 < len(lines) && lines[i].Size < .85*lines[i+1].Size
		if raised[i] = small && len(lines[i].Words) <= 3; !raised[i] {
			es = append(es, element{box: textBox(&lines[i]), size: lines[i].Size, line: i, whole: -1})
		}
	}
	out := group(page, es, lines, nil)
	if len(out) == 0 {
		out = []Block{{Page: page, Box: lines[0].Box}}
	}
	at := 0
	for k := range out {
		b := &out[k]
		b.Tagged = true
		own := len(b.Lines)
		b.Lines = nil
		for at < len(lines) && (own > 0 || raised[at]) {
			if !raised[at] {
				own--
			}
			b.Lines = append(b.Lines, lines[at])
			b.Box = b.Box.Union(lines[at].Box)
			at++
		}
	}
	return out
}

// label is the text of an item's label as the page shows it.
func (p *piece) label(b *builder) string {
	var s strings.Builder
	for _, x := range p.texts[:p.labels] {
		for _, m := range x.marks {
			if sh := b.sheets[m.page]; sh != nil {
				for _, at := range sh.words[m.mcid] {
					s.WriteString(sh.lines[at.line].Words[at.word].Text)
				}
			}
		}
	}
	return s.String()
}

// placed is a line and its page.
type placed struct {
	page int
	line Line
}

// lines gathers the words of texts in the order of the tree; words that follow
// each other on one line of the page are one line.
func (b *builder) lines(texts []text) []placed {
	var out []placed
	var words []Word
	var open *Line
	page := 0
	flush := func() {
		if len(words) > 0 {
			out = append(out, placed{page, open.of(words)})
		}
		words = nil
	}
	for _, x := range texts {
		begin, seen := len(words), 0
		for _, m := range x.marks {
			sh := b.sheets[m.page]
			if sh == nil {
				continue
			}
			for _, at := range sh.words[m.mcid] {
				if sh.used[at.line][at.word] {
					continue
				}
				sh.used[at.line][at.word] = true
				if l := &sh.lines[at.line]; l != open {
					flush()
					open, page, begin = l, m.page, 0
				}
				w := open.Words[at.word]
				seen += utf8.RuneCountInString(w.Text)
				words = append(words, w)
			}
		}
		if x.actual != "" && len(words) > begin {
			words = append(words[:begin], actual(words[begin:], x.actual, seen)...)
		}
	}
	flush()
	return out
}

// actual is one word that reads as text in the place of words with seen
// characters. Much more text than can be seen is not believed: it would say to
// machines what people do not read.
func actual(words []Word, text string, seen int) []Word {
	text = clean(strings.Join(strings.Fields(text), " "))
	if text == "" || utf8.RuneCountInString(text) > 2*seen+8 {
		return words
	}
	if l := measured(words, 0); l.Text() == text {
		return words
	}
	w := words[0]
	w.Text = text
	for i := range words[1:] {
		w.Box = w.Box.Union(words[i+1].Box)
		w.X1 = max(w.X1, words[i+1].X1)
	}
	return []Word{w}
}

// of is a line of some words of l, in their order.
func (l *Line) of(words []Word) Line {
	out := measured(words, l.Turn)
	out.RTL = l.RTL
	return out
}

// grid says whether a table has text in two rows and two columns at least:
// others only place what they hold.
func (b *builder) grid(p *piece) bool {
	rows, columns := 0, map[int]bool{}
	for _, row := range p.rows {
		full := false
		for _, c := range row.cells {
			if b.size(c.texts) > 0 {
				full, columns[c.column] = true, true
			}
		}
		if full {
			rows++
		}
	}
	return rows > 1 && len(columns) > 1
}

// figure makes a block of an alternative text; its place is that of the images
// of its marks.
func (b *builder) figure(p *piece) (Block, bool) {
	out := Block{Kind: Figure, Alt: p.alt, Conf: 1, Tagged: true}
	for _, x := range p.texts {
		for _, m := range x.marks {
			sh := b.sheets[m.page]
			if sh == nil || out.Page != 0 && out.Page != m.page {
				continue
			}
			if len(sh.words[m.mcid]) > 0 {
				return out, false // its text is read
			}
			out.Page = m.page
			for i := range sh.page.Images {
				if im := &sh.page.Images[i]; im.MCID == m.mcid {
					out.Box = join2(out.Box, im.Box)
				}
			}
		}
	}
	// What is smaller than a letter or two decorates.
	return out, out.Page != 0 && (out.Box.Empty() || max(out.Box.Width(), out.Box.Height()) >= 16)
}

// join2 is the box around both; an empty one does not count.
func join2(a, b content.Box) content.Box {
	if a.Empty() {
		return b
	}
	return a.Union(b)
}

// table makes a block of a table. Rows of which nothing is seen on the pages
// at hand are left out.
func (b *builder) table(p *piece) (Block, bool) {
	out := Block{Kind: TableBlock, Conf: 1, Tagged: true, Table: &Table{Conf: 1, Columns: p.columns}}
	t := out.Table
	for i := range p.rows {
		row := make([]Cell, p.columns)
		page := 0
		var box content.Box
		for j := range row {
			row[j] = Cell{ColSpan: 1, RowSpan: 1}
		}
		lost := false
		for _, c := range p.rows[i].cells {
			cell := &row[c.column]
			cell.ColSpan, cell.RowSpan = c.colSpan, c.rowSpan
			for _, l := range b.lines(c.texts) {
				if page == 0 {
					page = l.page
				}
				box = join2(box, l.line.Box)
				cell.Box = join2(cell.Box, l.line.Box)
				cell.Lines = append(cell.Lines, l.line)
			}
			lost = lost || len(cell.Lines) == 0 && len(c.texts) > 0
		}
		if page == 0 && lost {
			continue
		}
		switch {
		case out.Page == 0:
			out.Page = page
		case page != 0 && page != out.lastPage():
			out.Parts = append(out.Parts, Part{Page: page, Line: len(t.Rows), Box: box})
		}
		at := 0
		if n := len(out.Parts); n > 0 {
			at = out.Parts[n-1].Page
			out.Parts[n-1].Box = join2(out.Parts[n-1].Box, box)
		} else {
			out.Box = join2(out.Box, box)
		}
		t.Pages = append(t.Pages, at)
		t.Rows = append(t.Rows, row)
		if len(t.Rows) == t.Header+1 && p.rows[i].header {
			t.Header++
		}
	}
	if len(out.Parts) == 0 {
		t.Pages = nil
	}
	t.Box = out.Box
	t.cover()
	t.wholeHeader()
	return out, out.Page != 0
}

// drawn returns the ruled tables that the passes see in the place of a table
// of the tree, one a page; nil where some page has none. Lines show rows and
// spans better than tags that a program guessed; but tables with far fewer rows
// than the tree fills have lost theirs.
func (b *builder) drawn(p *piece) []Block {
	marks := map[int]map[int]bool{} // by page
	full, rows := 0, 0
	for _, row := range p.rows {
		filled := 0
		for _, c := range row.cells {
			if b.size(c.texts) > 0 {
				filled += c.colSpan
			}
			for _, x := range c.texts {
				for _, m := range x.marks {
					if marks[m.page] == nil {
						marks[m.page] = map[int]bool{}
					}
					marks[m.page][m.mcid] = true
				}
			}
		}
		if filled*2 >= p.columns {
			full++
		}
	}
	var out []Block
	for _, n := range slices.Sorted(maps.Keys(marks)) {
		sh := b.sheets[n]
		if sh == nil {
			continue
		}
		t := sh.drawn(marks[n])
		if t == nil {
			return nil
		}
		rows += len(t.Table.Rows)
		out = append(out, *t)
	}
	if full*2 > rows*3 {
		return nil
	}
	for _, row := range p.rows {
		for _, c := range row.cells {
			b.lines(c.texts) // which are used now
		}
	}
	return out
}

// cover marks the places that cells with spans cover and clips spans at the
// table's edges.
func (t *Table) cover() {
	for i := range t.Rows {
		for j := range t.Rows[i] {
			c := &t.Rows[i][j]
			if c.Covered {
				continue
			}
			c.RowSpan, c.ColSpan = min(c.RowSpan, len(t.Rows)-i), min(c.ColSpan, t.Columns-j)
			for a := i; a < i+c.RowSpan; a++ {
				for b := j; b < j+c.ColSpan; b++ {
					if o := &t.Rows[a][b]; o != c && len(o.Lines) == 0 {
						o.Covered = true
					}
				}
			}
		}
	}
}
