// SPDX-License-Identifier: Apache-2.0

package content

import (
	"context"
	"fmt"

	"golang.org/x/net/html"
)

// MustRead is [Read] with a context that does not end.
func MustRead(root *html.Node) *Index {
	ix, err := Read(context.Background(), root)
	if err != nil {
		panic(err)
	}
	return ix
}

// MustMain is [Index.Main] with a context that does not end.
func (ix *Index) MustMain(drop Set, href string) Main {
	m, err := ix.Main(context.Background(), drop, href)
	if err != nil {
		panic(err)
	}
	return m
}

// Print returns the contents of ix and its main content as text.
func Print(ix *Index) string {
	m := ix.MustMain(ix.NewSet(), "https://a.example/news/1")
	return fmt.Sprint(ix.End, ix.runes, ix.linked, ix.links, len(ix.notes), m)
}

// WordsIn returns the words of the value of an attribute.
func WordsIn(s string) (words []string) {
	all := wordReader{rest: s}
	for word := all.next(); word != nil; word = all.next() {
		words = append(words, string(word))
	}
	return words
}

// NewPageWith is [NewPage] with a lexicon.
func NewPageWith(ix *Index, l Lexicon) *Page {
	p := &Page{}
	p.read(ix, ix.NewSet(), "", l)
	return p
}

// Says returns what a lexicon says of each of words.
func (l Lexicon) Says(words ...string) (all []Votes) {
	var d dictionary
	d.set(Lexicon{{"before", 1, 1, 1}})
	d.set(l)
	for _, w := range words {
		all = append(all, d.says([]byte(w)))
	}
	return all
}

// Cut returns the best cut for the scores of the blocks of a page that is an article with a
// probability.
func (p *Page) Cut(article float32, scores []float32) float32 {
	p.kinds = [Kinds]float32{Article: article}
	all := float32(0)
	for i, x := range scores {
		all += float32(x * float32(p.Blocks[i].words))
	}
	return p.bestCut(scores, all)
}

// Said returns what the lexicon says of block i.
func (p *Page) Said(i int) Votes { return p.Blocks[i].said }

// Weights returns the model.
func Weights() *Model { return &weights }

// Filled returns keep after [Page.fill].
func (p *Page) Filled(keep []bool) []bool {
	p.fill(keep, false)
	return keep
}

// Repeats returns what [Page.repeat] counts for each block.
func (p *Page) Repeats() (all [][3]int32) {
	for i := range p.Blocks {
		b := &p.Blocks[i]
		all = append(all, [3]int32{b.copies, b.seen, b.again})
	}
	return all
}

// Manual calls manual.
func (p *Page) Manual(keep []bool, sure bool) bool { return p.manual(keep, sure) }

// KeepTitle calls keepTitle.
func (p *Page) KeepTitle(keep []bool, handbook bool) { p.keepTitle(keep, handbook) }

// Head calls head.
func (p *Page) Head(keep []bool) { p.head(keep) }

// TopHeading calls topHeading.
func (p *Page) TopHeading(keep []bool) { p.topHeading(keep) }

// Complete calls complete for a page of a kind.
func (p *Page) Complete(kind Kind, keep []bool, sure bool) bool {
	p.kinds = [Kinds]float32{}
	p.kinds[kind] = 1
	return p.complete(keep, sure)
}

// Even calls even.
func (p *Page) Even(keep []bool) { p.even(keep) }

// Outvote calls outvote for a page that is a forum with a probability.
func (p *Page) Outvote(forum float32, keep []bool, scores []float32) {
	p.kinds = [Kinds]float32{Forum: forum}
	p.outvote(keep, scores)
}

// DropInsertions calls dropInsertions.
func (p *Page) DropInsertions(keep []bool) { p.dropInsertions(keep) }

// Lost calls lost.
func (p *Page) Lost(keep []bool) []Loss { return p.lost(keep) }

// Refuse calls refuse.
func (p *Page) Refuse(keep []bool) { p.refuse(keep) }

// DoubtsOf calls doubts.
func (p *Page) DoubtsOf(keep []bool, scores []float32, lost []Loss) []Doubt {
	return p.doubts(keep, scores, lost)
}

// Restore calls restore for a page whose kinds have these probabilities.
func (p *Page) Restore(kinds map[Kind]float32, keep []bool) {
	p.kinds = [Kinds]float32{}
	for k, x := range kinds {
		p.kinds[k] = x
	}
	p.restore(keep)
}

// Chapters calls chapters.
func (p *Page) Chapters(keep []bool) { p.chapters(keep) }

// Lead calls lead and caption, as for blocks that were chosen by their scores.
func (p *Page) Lead(keep []bool) {
	p.lead(keep, true)
	p.caption(keep)
}

// IsHandbook reports whether the page says that a generator of documentation has made it.
func (p *Page) IsHandbook() bool { return p.handbook }

// Preamble calls preamble.
func (p *Page) Preamble(keep []bool) { p.preamble(keep) }

// KeepNotes calls keepNotes.
func (p *Page) KeepNotes(keep []bool) { p.keepNotes(keep) }

// Turns reports whether block i only leads to other pages of a series.
func (p *Page) Turns(i int) bool { return p.Blocks[i].apart }

// KeepBoxes calls keepBoxes.
func (p *Page) KeepBoxes(keep []bool) { p.keepBoxes(keep) }

// BoxesOf calls boxes.
func (p *Page) BoxesOf(keep []bool) []Doubt { return p.boxes(keep, p.feet(keep) == nil) }

// Spare calls spare.
func (p *Page) Spare(keep []bool) { p.spare(keep) }

// DropBare calls dropBare for a page of a kind.
func (p *Page) DropBare(kind Kind, keep []bool, scores []float32) {
	p.kinds = [Kinds]float32{}
	p.kinds[kind] = 1
	p.dropBare(keep, scores)
}

// Below returns the words that below counts.
func (p *Page) Below(keep []bool) (words int) {
	p.scores = make([]float32, 2*len(keep))
	for _, d := range p.below(keep, nil) {
		words += d.Words
	}
	return words
}

// KeepPosters calls keepPosters for a page of a kind.
func (p *Page) KeepPosters(kind Kind, keep []bool) {
	p.kinds = [Kinds]float32{}
	p.kinds[kind] = 1
	p.keepPosters(keep)
}
