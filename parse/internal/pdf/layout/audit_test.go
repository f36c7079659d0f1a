// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/internal/test/pdftest"
)

// TestNotesOfTaggedTable keeps the notes that a structure tree has in the last
// row of a table, and that stand outside of the table's lines.
func TestNotesOfTaggedTable(t *testing.T) {
	var content strings.Builder
	table := &Element{Tag: TagTable}
	id := 0
	row := func(y float64, texts ...string) {
		r := &Element{Tag: TagRow}
		for j, s := range texts {
			fmt.Fprintf(&content, "/P <</MCID %d>> BDC\n%sEMC\n", id, at(76+120*float64(j), y, s))
			c := &Element{Tag: TagCell, ColSpan: 1, RowSpan: 1, Kids: []Kid{{Page: 1, MCID: id}}}
			r.Kids = append(r.Kids, Kid{Element: c})
			id++
		}
		table.Kids = append(table.Kids, Kid{Element: r})
	}
	for i := range 9 {
		y := 700 - 20*float64(i)
		row(y, fmt.Sprintf("Harbour %d", i), fmt.Sprintf("Goods %d and more", i), fmt.Sprint(100+i))
		fmt.Fprintf(&content, "72 %v m 432 %v l S\n", y-6, y-6)
	}
	for j := range 4 {
		x := 72 + 120*float64(j)
		fmt.Fprintf(&content, "%v 714 m %v 534 l S\n", x, x)
	}
	content.WriteString("72 714 m 432 714 l S\n")
	row(510, "Source: Harbours.")
	d, err := Build(t.Context(), pagesOf(t, Options{}, pdftest.Pages(content.String())), nil, table)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Blocks) != 2 || d.Blocks[0].Table == nil || len(d.Blocks[0].Table.Rows) != 9 || d.Blocks[1].Text() != "Source: Harbours." {
		t.Errorf("blocks %+v", d.Blocks)
	}
	if len(d.Lost) > 0 || d.NoTags {
		t.Errorf("lost %v, no tags %v", d.Lost, d.NoTags)
	}
}

// TestAudit counts words that blocks do not show, and names pages without
// structure.
func TestAudit(t *testing.T) {
	if bs, plain := pageBlocks(&Page{Number: 3, Lines: []Line{{}}}); !plain || len(bs) != 1 { // no other line is without words
		t.Errorf("plain %v, blocks %+v", plain, bs)
	}
	if _, plain := pageBlocks(pagesOf(t, Options{}, pdftest.Pages(at(72, 700, "Some words")))[0]); plain {
		t.Error("a page with structure is plain")
	}
	line := func(words int) Line { return Line{Words: make([]Word, words)} }
	shown := Block{Kind: TableBlock, Page: 1, Table: &Table{Columns: 2, Rows: [][]Cell{{
		{ColSpan: 2, RowSpan: 1, Lines: []Line{line(3)}},
		{ColSpan: 1, RowSpan: 1, Covered: true, Lines: []Line{line(2)}},
	}}}}
	b := build{
		doc: &Document{}, pages: []*Page{{Number: 1}, {Number: 2}}, words: []int{6, 4}, plain: []bool{false, true},
		blocks: [][]Block{{shown}, nil}, repeats: [][]Block{nil, {{Page: 2, Lines: []Line{line(4)}}}},
	}
	if b.audit(); len(b.doc.Lost) != 1 || b.doc.Lost[1] != 3 {
		t.Errorf("lost %v, want 3 words of page 1", b.doc.Lost)
	}
	if !slices.Equal(b.doc.Plain, []int{2}) {
		t.Errorf("plain %v, want page 2", b.doc.Plain)
	}
}
