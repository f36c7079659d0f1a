// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"cmp"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"

	"example.com/curlew/parse/internal/pdf/content"
)

// Tag is the role of an element of a document's structure (ISO 32000-1,
// 14.8.4), as far as it makes a difference here.
type Tag uint8

// Tags.
const (
	TagGroup   Tag = iota // of blocks: Document, Sect, Div and their like
	TagInline             // part of a text: Span, Link, NonStruct
	TagText               // P and what else is one text
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
	Level            int    // of headings from 1; 0 where the depth of sections gives it
	Alt              string // what stands for a figure
	Actual           string // what the content of the element reads as; empty for most
	Header           bool   // of cells: TH; of rows: within THead
	ColSpan, RowSpan int    // of cells, at least 1
	Kids             []Kid
}

// Kid is one thing below an element: another one, or marked content of a page.
type Kid struct {
	Element *Element // nil for content
	Page    int      // from 1
	MCID    int      // as [content.MarkID] gives it
}

// mark names marked content.
type mark struct{ page, mcid int }

// wordAt is a place of a word on its page.
type wordAt struct{ line, word int }

// sheet is what the tags of one page are weighed by.
type sheet struct {
	page  *Page
	lines []Line
	words map[int][]wordAt // by MCID, in reading order
	used  [][]bool         // as lines and their words
	laid  []Block          // what the passes over lines and white space see
	owner map[int]int      // rank in the tree of the element of a text, by MCID
	piece map[int]*piece   // that text's block in the tree, by MCID
	table map[int]bool     // MCIDs within tables
	item  map[int]bool     // MCIDs within items of lists, or of text whose paragraphs have no names
}

// newSheet keeps the lines of p, which the other passes use up.
func newSheet(p *Page) *sheet {
	s := &sheet{page: p, words: map[int][]wordAt{}, owner: map[int]int{}, piece: map[int]*piece{}, table: map[int]bool{}, item: map[int]bool{}}
	s.lines = slices.Clone(p.Lines)
	for i := range s.lines {
		l := &s.lines[i]
		l.Words = slices.Clone(l.Words)
		s.used = append(s.used, make([]bool, len(l.Words)))
		for k := range l.Words {
			if w := &l.Words[k]; w.MCID >= 0 && w.Flags&content.Artifact == 0 {
				s.words[w.MCID] = append(s.words[w.MCID], wordAt{i, k})
			}
		}
	}
	begin := make([]int, len(s.lines)) // when the first word of each was painted
	for i := range s.lines {
		begin[i] = math.MaxInt
		for k := range s.lines[i].Words {
			begin[i] = min(begin[i], s.lines[i].Words[k].Seq)
		}
	}
	for _, ws := range s.words {
		// Lines in the order in which they were painted, words as the line has them.
		slices.SortStableFunc(ws, func(a, b wordAt) int {
			return cmp.Or(cmp.Compare(begin[a.line], begin[b.line]), cmp.Compare(a.line, b.line))
		})
	}
	return s
}

// maxShare is the share of doubtful places up to which tags are believed.
const maxShare = .3

// trusted weighs whether the tags of the page are good (parse.md 5.6 e): they
// name nearly all that is seen, in an order near that of columns and rows; they
// do not part sentences, nor make one text of many paragraphs, nor pass over
// tables that have lines.
func (s *sheet) trusted() bool {
	return s.covered() >= .9 && s.ordered() > .7 && s.plausible()
}

// covered is the share of the characters seen, artifacts apart, that stand in
// the tree.
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

// ordered is Kendall's rank correlation of the tree's order with that of
// columns and rows, lines of one text and tables apart: a table beside text may
// come before or after it, and its cells may look like columns.
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

// eachLine calls f for the lines of a block, those of a table's cells row by
// row.
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

// rank returns the rank of the element that the first tagged word of a line
// belongs to.
func (s *sheet) rank(l *Line) (int, bool) {
	for k := range l.Words {
		if r, ok := s.owner[l.Words[k].MCID]; ok {
			return r, true
		}
	}
	return 0, false
}

// plausible compares the texts of the tree with paragraphs and tables as they
// look.
func (s *sheet) plausible() bool {
	texts, split, merged := 0, 0, 0
	last := -1 // the rank of the text before
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

// missed says whether most of a table that surely is one is no table in the
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

// drawn returns the ruled table that the passes see where the tree has a table
// of these marks, nil where there is none.
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

// rest returns the blocks of what the tree does not name.
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
