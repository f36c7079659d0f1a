// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
)

// Tag is the role of an element in a document's structure tree (ISO 32000-1,
// 14.8.4). Roles that need no distinction share a Tag.
type Tag uint8

// The roles of elements.
const (
	TagGroup   Tag = iota // grouping element: Document, Sect, Div and similar
	TagInline             // part of a text: Span, Link, NonStruct
	TagText               // P and other elements with one text
	TagHeading            // H, H1 to H6, Title
	TagList
	TagItem  // LI
	TagLabel // Lbl
	TagContents
	TagEntry // TOCI
	TagTable
	TagRow
	TagCell // TD, TH
	TagFigure
	TagCaption
	TagCode
)

// Element is a node of the structure tree.
type Element struct {
	Tag              Tag
	Level            int    // of headings from 1; 0 if the depth of sections defines it
	Alt              string // alternative text of a figure
	Actual           string // replacement text for the content (ActualText); empty if there is none
	Header           bool   // for cells: TH; for rows: in THead
	ColSpan, RowSpan int    // of cells, at least 1
	Kids             []Kid
}

// Kid is a child of an element: another element or marked content on a page.
type Kid struct {
	Element *Element // nil for marked content
	Page    int      // from 1
	MCID    int      // marked-content ID, as returned by [content.MarkID]
}

// mark identifies marked content.
type mark struct{ page, mcid int }

// wordAt is the position of a word on its page.
type wordAt struct{ line, word int }

// sheet has the data of one page for checking its tags.
type sheet struct {
	page  *Page
	lines []Line
	words map[int][]wordAt // by MCID, in reading order
	used  [][]bool         // used words, by line and word
	laid  []Block          // blocks found by the layout passes
	owner map[int]int      // rank in the tree of the text element, by MCID
	piece map[int]*piece   // block of that text in the tree, by MCID
	table map[int]bool     // MCIDs in tables
	item  map[int]bool     // MCIDs in list items, or in text that the tree does not divide into paragraphs

	kept map[wordAt]*Block // the formulas and the entries of contents of the layout that are kept, by their words
}

// newSheet copies the lines of p, which the layout passes consume.
func newSheet(p *Page) *sheet {
	s := &sheet{page: p, words: map[int][]wordAt{}, owner: map[int]int{}, piece: map[int]*piece{}, table: map[int]bool{}, item: map[int]bool{}}
	s.lines = slices.Clone(p.Lines)
	n := p.Words()
	words, used, places := make([]Word, 0, n), make([]bool, n), make([]wordAt, 0, n)
	s.used = make([][]bool, 0, len(s.lines))
	for i := range s.lines {
		l := &s.lines[i]
		from := len(words)
		words = append(words, l.Words...)
		l.Words = words[from:len(words):len(words)]
		s.used = append(s.used, used[from:len(words)])
		for k := 0; k < len(l.Words); {
			w, begin := &l.Words[k], len(places)
			for ; k < len(l.Words) && l.Words[k].MCID == w.MCID; k++ {
				if l.Words[k].Flags&content.Artifact == 0 {
					places = append(places, wordAt{i, k})
				}
			}
			if run := slices.Clip(places[begin:]); w.MCID >= 0 && len(run) > 0 {
				if before := s.words[w.MCID]; before != nil {
					run = append(before, run...)
				}
				s.words[w.MCID] = run
			}
		}
	}
	begin := make([]int, len(s.lines)) // position of the first word of an MCID on each line in the order of painting
	for _, ws := range s.words {
		for _, at := range ws {
			begin[at.line] = math.MaxInt
		}
		for _, at := range ws {
			begin[at.line] = min(begin[at.line], s.lines[at.line].Words[at.word].Seq)
		}
		// Lines in the order of painting, words in the order of the line.
		sorting.Stable(ws, func(a, b wordAt) int {
			return cmp.Or(cmp.Compare(begin[a.line], begin[b.line]), cmp.Compare(a.line, b.line))
		})
	}
	return s
}

// maxShare is the share of doubtful texts up to which tags are used.
const maxShare = .3

// trusted reports whether the tags of the page are reliable. They must cover nearly all visible text in an order close to that of
// columns and rows, must not split sentences or merge paragraphs, and must
// not miss tables that have ruling lines.
func (s *sheet) trusted() bool {
	return s.covered() >= .9 && s.ordered() > .7 && s.plausible()
}

// covered returns the share of visible characters, without artifacts, that
// the tree refers to.
func (s *sheet) covered() float64 {
	all, in := 0, 0
	for i := range s.lines {
		for k := range s.lines[i].Words {
			w := &s.lines[i].Words[k]
			if w.Flags&content.Artifact != 0 {
				continue
			}
			n := utf8.RuneCountInString(w.Text)
			all += n
			if _, ok := s.owner[w.MCID]; ok {
				in += n
			}
		}
	}
	if all == 0 {
		return 0
	}
	return float64(in) / float64(all)
}

// maxRanks bounds the lines of a page whose order is compared.
const maxRanks = 1000

// ordered returns Kendall's rank correlation between the order of the tree
// and the order of the layout. It ignores the order of lines in one text,
// and tables: a table beside text may come before or after it, and its cells
// may look like columns.
func (s *sheet) ordered() float64 {
	var ranks []int
	for i := range s.laid {
		s.eachLine(&s.laid[i], func(l *Line) {
			if r, ok := s.rank(l); ok && !s.inTable(l) {
				ranks = append(ranks, r)
			}
		})
	}
	step := len(ranks)/maxRanks + 1
	with, against := 0, 0
	for i := 0; i < len(ranks); i += step {
		for k := i + step; k < len(ranks); k += step {
			switch {
			case ranks[i] < ranks[k]:
				with++
			case ranks[i] > ranks[k]:
				against++
			}
		}
	}
	if with+against == 0 {
		return 1
	}
	return float64(with-against) / float64(with+against)
}

// eachLine calls f for each line of a block. The lines of a table come cell
// by cell in row order.
func (s *sheet) eachLine(b *Block, f func(*Line)) {
	for i := range b.Lines {
		f(&b.Lines[i])
	}
	if b.Table == nil {
		return
	}
	for i := range b.Table.Rows {
		for j := range b.Table.Rows[i] {
			for k := range b.Table.Rows[i][j].Lines {
				f(&b.Table.Rows[i][j].Lines[k])
			}
		}
	}
}

// rank returns the rank of the element of the first tagged word in a line.
func (s *sheet) rank(l *Line) (int, bool) {
	for k := range l.Words {
		if r, ok := s.owner[l.Words[k].MCID]; ok {
			return r, true
		}
	}
	return 0, false
}

// plausible compares the texts of the tree with the paragraphs and tables of
// the layout.
func (s *sheet) plausible() bool {
	texts, split, merged := 0, 0, 0
	last := -1 // rank of the previous text
	for i := range s.laid {
		b := &s.laid[i]
		if b.Table != nil {
			if s.missed(b) {
				return false
			}
			last = -1
			continue
		}
		if len(b.Lines) == 0 || s.inTable(&b.Lines[0]) {
			continue
		}
		rank, ok := s.rank(&b.Lines[0])
		if !ok {
			continue
		}
		texts++
		if first, _ := utf8.DecodeRuneInString(b.Lines[0].Text()); rank == last && !s.inItem(&b.Lines[0]) && unicode.IsUpper(first) {
			merged++
		}
		for k := 1; k < len(b.Lines); k++ {
			next, ok := s.rank(&b.Lines[k])
			if ok && next != rank && !s.inTable(&b.Lines[k]) && !ends(b.Lines[k-1].Text()) && startsLower(b.Lines[k].Text()) {
				split++
				break
			}
		}
		last, _ = s.rank(&b.Lines[len(b.Lines)-1])
	}
	return float64(split) <= maxShare*float64(texts) && float64(merged) <= maxShare*float64(texts)
}

func (s *sheet) inItem(l *Line) bool { return s.item[l.Words[0].MCID] }

func (s *sheet) inTable(l *Line) bool { return s.table[l.Words[0].MCID] }

// missed reports whether most of a clear table is not in a table of the
// tree.
func (s *sheet) missed(b *Block) bool {
	if !b.Table.Ruled && b.Table.Conf < .8 {
		return false
	}
	in, all := 0, 0
	s.eachLine(b, func(l *Line) {
		for k := range l.Words {
			all++
			if s.table[l.Words[k].MCID] {
				in++
			}
		}
	})
	return in*2 < all
}

// drawn returns the ruled table of the layout that matches a table of the
// tree with these marked-content IDs, or nil if there is none.
func (s *sheet) drawn(marks map[int]bool) *Block {
	words := 0
	for id := range marks {
		words += len(s.words[id])
	}
	for i := range s.laid {
		b := &s.laid[i]
		if b.Table == nil || !b.Table.Ruled {
			continue
		}
		all, shared := 0, 0
		s.eachLine(b, func(l *Line) {
			for k := range l.Words {
				all++
				if marks[l.Words[k].MCID] {
					shared++
				}
			}
		})
		if shared*10 >= all*9 && shared*10 >= words*9 && all > 0 {
			return b
		}
	}
	return nil
}

// adoptLabels adds the numbers that the tree does not refer to, such as those that a style
// sheet makes, to the texts that they stand before.
func (s *sheet) adoptLabels() {
	own := map[int][]int{} // by position in the order of painting of the text's first word: the label's words
	for i := range s.laid {
		s.eachLine(&s.laid[i], func(l *Line) {
			k := 0
			for k < len(l.Words) && s.owner[l.Words[k].MCID] == 0 && l.Words[k].Flags&content.Artifact == 0 {
				k++
			}
			if k == 0 || k > 2 || k == len(l.Words) {
				return
			}
			if label := measured(l.Words[:k], 0); isLabel(label.Text()) {
				for _, w := range l.Words[:k] {
					own[l.Words[k].Seq] = append(own[l.Words[k].Seq], w.Seq)
				}
			}
		})
	}
	if len(own) == 0 {
		return
	}
	at := map[int]wordAt{}
	for i := range s.lines {
		for k := range s.lines[i].Words {
			at[s.lines[i].Words[k].Seq] = wordAt{i, k}
		}
	}
	for first, label := range own {
		word := at[first]
		id := s.lines[word.line].Words[word.word].MCID
		ws := s.words[id]
		k := slices.Index(ws, word)
		if text := s.lines[at[label[0]].line].Words[at[label[0]].word].Text; k < 0 || k > 0 && !strings.Contains(ballots, text) {
			continue // a number within a text, such as that of a line
		}
		for _, seq := range slices.Backward(label) {
			ws = sorting.Insert(ws, k, at[seq])
		}
		s.words[id] = ws
	}
}

// keep keeps the formulas and the entries of lists of contents that the layout has found in
// paragraphs of the tree. The tags of a formula say how its parts are nested, but not what they
// mean. Some files have no tags for the entries of a list of contents: they are paragraphs.
func (s *sheet) keep() {
	own := map[int]*Block{} // by position in the order of painting
	for i := range s.laid {
		b := &s.laid[i]
		if b.Kind != Formula && b.Kind != Contents {
			continue
		}
		apart := true
		s.eachLine(b, func(l *Line) {
			for k := range l.Words {
				p := s.piece[l.Words[k].MCID]
				apart = apart && p != nil && p.kind == Paragraph
			}
		})
		if !apart {
			continue
		}
		s.eachLine(b, func(l *Line) {
			for k := range l.Words {
				own[l.Words[k].Seq] = b
			}
		})
	}
	if len(own) == 0 {
		return
	}
	s.kept = map[wordAt]*Block{}
	for i := range s.lines {
		for k := range s.lines[i].Words {
			if b := own[s.lines[i].Words[k].Seq]; b != nil {
				s.kept[wordAt{i, k}] = b
			}
		}
	}
}

// use marks the words of a block of the layout as used. The words of the tree's
// table that are not in it, such as notes in its last row, remain.
func (s *sheet) use(b *Block) {
	own := map[int]bool{} // positions in the order of painting
	s.eachLine(b, func(l *Line) {
		for k := range l.Words {
			own[l.Words[k].Seq] = true
		}
	})
	for i := range s.lines {
		for k := range s.lines[i].Words {
			s.used[i][k] = s.used[i][k] || own[s.lines[i].Words[k].Seq]
		}
	}
}

// rest returns blocks of the text that the tree does not refer to.
func (s *sheet) rest() []Block {
	p := *s.page
	p.Lines = nil
	for i := range s.lines {
		l := s.lines[i]
		var left []Word
		for k := range l.Words {
			if !s.used[i][k] {
				left = append(left, l.Words[k])
			}
		}
		if len(left) == 0 {
			continue
		}
		if len(left) < len(l.Words) {
			l = l.of(left)
		}
		p.Lines = append(p.Lines, l)
	}
	if len(p.Lines) == 0 {
		return nil
	}
	return blocksOf(&p, nil)
}
