// SPDX-License-Identifier: Apache-2.0

package doctree_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
)

func TestGrid(t *testing.T) {
	var b doctree.Builder
	root := b.Element(atom.Body)
	table := b.Grid(root, 2, 3, true, []string{"a\x1fb\x1f\x1e", "<\n>\x1e"}, "data-table", "sheet")
	g, ok := doctree.GridOf(table)
	if !ok || g.Columns != 3 || !g.Head {
		t.Fatalf("GridOf = %+v, %v", g, ok)
	}
	var got [][]string
	for row := range g.Rows() {
		got = append(got, slices.Collect(doctree.Cells(row)))
	}
	if want := [][]string{{"a", "b", ""}, {"<\n>"}}; !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("rows are %q, want %q", got, want)
	}
	b.Text(b.Append(root, atom.P), "&")
	var s strings.Builder
	if err := doctree.Render(&s, root); err != nil {
		t.Fatal(err)
	}
	want := `<body><table data-table="sheet" data-grid="2x3" data-head="1"><tbody><tr><th>a</th><th>b</th><th></th></tr><tr><td>&lt;<br/>&gt;</td></tr></tbody></table><p>&amp;</p></body>`
	if s.String() != want {
		t.Errorf("%s\nwant %s", s.String(), want)
	}
	if _, ok := doctree.GridOf(table); !ok {
		t.Error("rendering changed the tree")
	}
}

// TestGridOf has tables of a page that only look like grids.
func TestGridOf(t *testing.T) {
	for _, text := range []string{
		`<table><tr><td>a`, `<table data-grid="2x3"><tr><td>a`, `<table data-grid="x">`, `<table data-grid="1x99999"><tbody>`, `<table data-grid>`,
	} {
		doc, err := html.Parse(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for n := range doc.Descendants() {
			if _, ok := doctree.GridOf(n); ok {
				t.Errorf("%s is a grid", text)
			}
		}
	}
}
