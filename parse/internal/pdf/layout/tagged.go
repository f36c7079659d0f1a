// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/curlew/internal/sorting"
)

// tagged replaces blocks found by the layout passes with blocks of the
// structure tree, on pages with reliable tags. On other pages the tags are
// only hints. kept has the sheets and byPage the blocks of pages, in the
// same order. tagged returns how many words fewer the blocks of each page have
// because of replacement texts and repeated headings of tables, and whether it
// has failed.
func tagged(pages []*Page, kept []*sheet, root *Element, byPage [][]Block, s *Styles) (replaced map[int]int, failed bool) {
	was := slices.Clone(byPage)
	defer func() {
		if recover() != nil { // after a panic the tags are not used
			copy(byPage, was)
			replaced, failed = nil, true
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
	whole := known(parts, sheets)
	few := fewHeadings(parts, sheets)
	for n, sh := range sheets {
		if !whole || !sh.trusted() {
			sh.hint(few)
			delete(sheets, n)
		}
	}
	if len(sheets) == 0 {
		return nil, false
	}
	for _, sh := range sheets {
		sh.adoptLabels()
		sh.keep()
	}
	b := builder{sheets: sheets, replaced: map[int]int{}, shown: map[*Block]bool{}}
	s.tagged = fewHeadings(parts, sheets)
	blocks := map[int][]Block{}
	for i := range parts {
		p := &parts[i]
		if p.kind == Heading && !s.tagged {
			p.kind = Paragraph // if everything is a heading, nothing is
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
	return b.replaced, false
}

// fewHeadings reports whether parts have headings on the given pages that
// make up less than a third of all text. If everything is tagged as a
// heading, the tags are wrong.
func fewHeadings(parts []piece, sheets map[int]*sheet) bool {
	b := builder{sheets: sheets}
	heads, all := 0, 0
	for i := range parts {
		n := b.size(parts[i].texts)
		all += n
		if parts[i].kind == Heading {
			heads += n
		}
	}
	return heads > 0 && heads*3 < all
}

// known records in the sheets which text of the tree each marked-content ID
// belongs to. It returns false if much content is referenced twice, so that
// the tree does not define an order.
func known(parts []piece, sheets map[int]*sheet) bool {
	rank, marks, twice := 0, 0, 0
	note := func(p *piece, texts []text, set func(*sheet, int)) {
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
				sh.owner[m.mcid], sh.piece[m.mcid] = rank, p
				set(sh, m.mcid)
			}
		}
	}
	for i := range parts {
		p := &parts[i]
		if p.kind == Figure {
			continue // the text of a figure belongs to the element that contains it
		}
		note(p, p.texts, func(sh *sheet, id int) {
			if p.kind == Item || p.loose {
				sh.item[id] = true
			}
		})
		for _, row := range p.rows {
			for _, c := range row.cells {
				note(p, c.texts, func(sh *sheet, id int) { sh.table[id] = true })
			}
		}
	}
	return twice*50 <= marks
}

// maxInserts bounds the comparisons of withRest. Above it the rest comes
// last.
const maxInserts = 4_000_000

// withRest inserts each block of rest after the last block that does not
// begin below it and overlaps it horizontally. Without such a block it comes
// first.
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
		blocks = sorting.Insert(blocks, at, r)
	}
	return blocks
}

// hint uses the structure tree for single blocks if the tree as a whole is
// not reliable. A block that is exactly one element of the
// tree, and looks like the kind of that element, gets that kind. Order,
// paragraphs and tables still come from the layout. Headings of the tree are
// only used if headings is set.
func (s *sheet) hint(headings bool) {
	for i := range s.laid {
		b := &s.laid[i]
		if b.Kind != Paragraph || len(b.Lines) == 0 {
			continue
		}
		p := s.elementOf(b)
		if p == nil {
			continue
		}
		switch p.kind {
		case Heading:
			if text := b.Text(); headings && len(b.Lines) <= 4 && len(strings.Fields(text)) <= 24 && !startsLower(text) {
				b.Kind, b.Level, b.Conf, b.Tagged = Heading, p.level, .9, true
			}
		case Caption:
			if len(b.Lines) <= 8 {
				b.Kind, b.Conf, b.Tagged = Caption, .9, true
			}
		case Item:
			if mark, rest := marker(b.Lines[0].Text()); mark != "" && rest != "" {
				b.Kind, b.Marker, b.Level, b.Conf, b.Tagged = Item, mark, p.level, .9, true
			}
		}
	}
}

// elementOf returns the element of the tree whose text on the page equals
// the text of block b. It returns nil if b is only part of an element or has
// more text.
func (s *sheet) elementOf(b *Block) *piece {
	var p *piece
	shown, tagged := 0, 0 // numbers of characters
	for i := range b.Lines {
		for k := range b.Lines[i].Words {
			w := &b.Lines[i].Words[k]
			n := utf8.RuneCountInString(w.Text)
			shown += n
			q := s.piece[w.MCID]
			if w.MCID < 0 || q == nil {
				continue
			}
			if p == nil {
				p = q
			}
			if q == p {
				tagged += n
			}
		}
	}
	if p == nil || tagged*10 < shown*9 {
		return nil
	}
	named := 0
	for _, x := range p.texts {
		for _, m := range x.marks {
			if m.page != s.page.Number {
				continue
			}
			for _, at := range s.words[m.mcid] {
				named += utf8.RuneCountInString(s.lines[at.line].Words[at.word].Text)
			}
		}
	}
	if tagged*10 < named*9 {
		return nil
	}
	return p
}

// placed is a line, or a block that the layout has found, and its page number.
type placed struct {
	page  int
	line  Line
	block *Block // nil for a line
}

// lines returns the words of texts as lines, in the order of the structure
// tree. Consecutive words on one line of the page form one line. A block of the layout comes
// where its first word does.
func (b *builder) lines(texts []text) []placed {
	var out []placed
	words := b.room
	defer func() { b.room = words }()
	var open *Line
	page := 0
	flush := func() {
		if len(words) > 0 {
			out = append(out, placed{page: page, line: open.of(words)})
		}
		words = words[:0]
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
				if own := sh.kept[at]; own != nil {
					flush()
					open, begin = nil, 0
					out = b.once(out, m.page, own)
					continue
				}
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
			shown := actual(words[begin:], x.actual, seen)
			b.replaced[page] += len(words) - begin - len(shown)
			words = append(words[:begin], shown...)
		}
	}
	flush()
	return out
}

// once adds a block of the layout to out, unless it is in the blocks already.
func (b *builder) once(out []placed, page int, own *Block) []placed {
	if b.shown[own] {
		return out
	}
	b.shown[own] = true
	return append(out, placed{page: page, block: own})
}

// actual returns one word with the given replacement text (ActualText) in
// place of words, which show seen characters. It ignores a replacement that
// is much longer than the visible text, because that could tell a machine
// something that people do not see.
func actual(words []Word, text string, seen int) []Word {
	text = clean(strings.Join(strings.Fields(text), " "))
	if text == "" || utf8.RuneCountInString(text) > 2*seen+8 {
		return words
	}
	if l := measured(slices.Clone(words), 0); l.Text() == text {
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

// of makes a line from copies of some words of l, in their order.
func (l *Line) of(words []Word) Line {
	out := measured(slices.Clone(words), l.Turn)
	out.RTL = l.RTL
	return out
}
