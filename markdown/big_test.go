// SPDX-License-Identifier: Apache-2.0

package markdown_test

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/markdown"
)

// TestBigTable checks that a grid is written like an ordinary table of the same
// cells.
func TestBigTable(t *testing.T) {
	cells := []string{
		"a", "1", "1.5", "-1.5", "- a", "1. a", "1.", "+", "a b", "a  b", " a", "a ", "a|b", "*a*", "_a_", "a_b", "<b>", "&amp;", "http://a.b/c",
		"www.example.com", "a@b.de", "a\nb", "\n", "#a", "# a", "~~a~~", "`a`", "[a](b)", "12,345.67", "50%", "é", "日本", "\u00a0a", "2023-03-15", "--- a",
		"a -- b", "a.b", "a.5", "x: y", "!", "=1+1", "\\", "$1", "1) a", "a...", "3 %", "A-1",
	}
	for _, head := range []bool{true, false} {
		var big, small doctree.Builder
		var text strings.Builder
		one, two := big.Element(atom.Body), small.Element(atom.Body)
		var rows [][]string
		for i := 0; i+3 <= len(cells); i += 3 {
			rows = append(rows, cells[i:i+3])
			text.WriteString(strings.Join(cells[i:i+3], "\x1f") + "\x1e")
		}
		big.Grid(one, len(rows), 3, head, []string{text.String()})
		if head {
			small.Rows(small.Append(two, atom.Table), rows)
		} else {
			body := small.Append(small.Append(two, atom.Table), atom.Tbody)
			for _, row := range rows {
				tr := small.Append(body, atom.Tr)
				for _, cell := range row {
					small.Text(small.Append(tr, atom.Td), cell)
				}
			}
		}
		for n := range two.Descendants() { // readers write line ends like this
			if before, after, ok := strings.Cut(n.Data, "\n"); ok && n.Type == html.TextNode {
				n.Data = before
				p := n.Parent
				small.Append(p, atom.Br)
				small.Text(p, after)
			}
		}
		got, want := renderNode(t, one), renderNode(t, two)
		if got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	}
}

func renderNode(t *testing.T, n *html.Node) string {
	t.Helper()
	var b bytes.Buffer
	if err := markdown.Render(t.Context(), &b, n, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
