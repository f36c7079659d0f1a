// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"testing"

	"golang.org/x/net/html/atom"

	"example.com/curlew/parse/internal/pdf/layout"
)

// TestLost counts the blocks and rows for which a tree has no room.
func TestLost(t *testing.T) {
	tr := tree{limit: defaultNodes, bytes: maxTree + 1}
	table := layout.Block{Kind: layout.TableBlock, Page: 4, Table: &layout.Table{Columns: 1, Rows: make([][]layout.Cell, 70)}}
	tr.table(t.Context(), tr.Element(atom.Table), &table)
	tr.list(t.Context(), tr.Element(atom.Section), make([]layout.Block, 2))
	tr.lost.page = 4
	if err := tr.blocks(t.Context(), []layout.Block{{Page: 3}, {Page: 5}, {Kind: layout.Footnote, Page: 5}, {Page: 5}}); err != nil {
		t.Fatal(err)
	}
	if want := (lost{blocks: 5, rows: 70, page: 3}); tr.lost != want {
		t.Errorf("lost = %+v, want %+v", tr.lost, want)
	}
}
