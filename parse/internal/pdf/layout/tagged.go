// SPDX-License-Identifier: Apache-2.0

package layout

import "slices"

// tagged replaces blocks found by the layout passes with blocks of the
// structure tree, on pages with reliable tags. On other pages the tags are
// only hints. kept has the sheets and byPage the blocks of pages, in the
// same order.
func tagged(pages []*Page, kept []*sheet, root *Element, byPage [][]Block, s *Styles) {
	was := slices.Clone(byPage)
	defer func() {
		if recover() != nil { // after a panic the tags are not used
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
	whole := known(parts, sheets)
	few := fewHeadings(parts, sheets)
	for n, sh := range sheets {
		if !whole || !sh.trusted() {
			sh.hint(few)
			delete(sheets, n)
		}
	}
	if len(sheets) == 0 {
		return
	}
	b := builder{sheets: sheets}
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
		blocks = slices.Insert(blocks, at, r)
	}
	return blocks
}
