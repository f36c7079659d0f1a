// SPDX-License-Identifier: Apache-2.0

package doctree_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"example.com/curlew/internal/doctree"
)

// first returns the first element with a name.
func first(t *testing.T, root *html.Node, name string) *html.Node {
	t.Helper()
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == name {
			return n
		}
	}
	t.Fatalf("no %s", name)
	return nil
}

func TestPlaced(t *testing.T) {
	for _, c := range []struct {
		table string
		want  []string // row, column, columns × rows
	}{
		{"<tr><td>a<td>b<tr><td>c<td>d", []string{"0 0 1×1 a", "0 1 1×1 b", "1 0 1×1 c", "1 1 1×1 d"}},
		{"<thead><tr><th rowspan=2>a<th colspan=2>b<tr><th>c<th>d<tbody><tr><td>e<td>f<td>g", []string{
			"0 0 1×2 a", "0 1 2×1 b", "1 1 1×1 c", "1 2 1×1 d", "2 0 1×1 e", "2 1 1×1 f", "2 2 1×1 g",
		}},
		{"<tr><td rowspan=9 colspan=0>a<tr><td colspan=-1>b", []string{"0 0 1×2 a", "1 1 1×1 b"}},
		{"<tr><td colspan=999999999>a<td>b", []string{"0 0 1000×1 a"}},
		{"<tr><td><table><tr><td>a</table><td>b", []string{"0 0 1×1 a", "0 1 1×1 b"}},
	} {
		root := tree(t, "<table>"+c.table+"</table>")
		var got []string
		for _, cell := range doctree.Placed(first(t, root, "table")) {
			var text strings.Builder
			for n := range cell.Node.Descendants() {
				if n.Type == html.TextNode {
					text.WriteString(n.Data)
				}
			}
			got = append(got, fmt.Sprintf("%d %d %d×%d %s", cell.Row, cell.Column, cell.ColSpan, cell.RowSpan, text.String()))
			if cell.Header != (cell.Node.Data == "th") {
				t.Errorf("header of %s is %v", cell.Node.Data, cell.Header)
			}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.table, d)
		}
	}
	if got := doctree.Placed(first(t, tree(t, "<p>x"), "p")); got != nil {
		t.Errorf("the cells of a paragraph are %v", got)
	}
}

func TestPlaces(t *testing.T) {
	for in, want := range map[string]string{
		`<p data-bbox="1 2 3 4">x`: "[]", // not on a page
		`<p data-page=1 data-bbox="1 2 3 4">x<wbr data-page=2 data-bbox="5 6 7 8">y`:   "[{1 {1 2 3 4}} {2 {5 6 7 8}}]",
		`<p data-page=1 data-bbox="1 2 3">x`:                                           "[]",
		`<p data-page=2 data-bbox="1 2 3 4"><b data-page=1 data-bbox="0 0 1 1">x</b>`:  "[{1 {0 0 1 1}} {2 {1 2 3 4}}]",
		`<p data-page=2 data-bbox="1 2 3 4"><b data-bbox="0 0 1 1">x</b>`:              "[{2 {0 0 3 4}}]",
		`<p data-page=1><i data-bbox="1 2 3 4">x</i><b data-bbox="0 9 1 12">y</b><i>z`: "[{1 {0 2 3 12}}]",
	} {
		p := first(t, tree(t, in), "p")
		if got := fmt.Sprint(doctree.Places(p)); got != want {
			t.Errorf("Places(%s) = %s, want %s", in, got, want)
		}
	}
}
