// SPDX-License-Identifier: Apache-2.0

package pdf_test

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/parse/internal/pdf"
)

// gridsOf returns the tables below n as rows of texts. Positions covered by
// a spanning cell are empty.
func gridsOf(n *html.Node) [][][]string {
	if n.Type == html.ElementNode && n.Data == "table" {
		return [][][]string{gridOf(n)}
	}
	var out [][][]string
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		out = append(out, gridsOf(c)...)
	}
	return out
}

func gridOf(table *html.Node) [][]string {
	var grid [][]string
	blocked := map[[2]int]bool{}
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Data != "tr" {
			for c := n.FirstChild; c != nil; c = c.NextSibling {
				walk(c)
			}
			return
		}
		var row []string
		i := len(grid)
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			for blocked[[2]int{i, len(row)}] {
				row = append(row, "")
			}
			cols, rows := 1, 1
			for _, a := range c.Attr {
				switch a.Key {
				case "colspan":
					cols, _ = strconv.Atoi(a.Val)
				case "rowspan":
					rows, _ = strconv.Atoi(a.Val)
				}
			}
			for r := range rows {
				for k := range cols {
					blocked[[2]int{i + r, len(row) + k}] = true
				}
			}
			var b strings.Builder
			nodeText(&b, c)
			row = append(row, strings.Join(strings.Fields(b.String()), " "))
			for range cols - 1 {
				row = append(row, "")
			}
		}
		grid = append(grid, row)
	}
	walk(table)
	return grid
}

// cellsOf counts the texts of the non-empty cells of a grid. pairsOf counts
// the pairs of texts in cells that are next to or below each other.
func cellsOf(grid [][]string) map[string]int {
	m := map[string]int{}
	for _, row := range grid {
		for _, c := range row {
			if c != "" {
				m[c]++
			}
		}
	}
	return m
}

func pairsOf(grid [][]string) map[string]int {
	m := map[string]int{}
	for i, row := range grid {
		for j, c := range row {
			if c == "" {
				continue
			}
			for k := j + 1; k < len(row); k++ {
				if row[k] != "" {
					m[c+"\x00>"+row[k]]++
					break
				}
			}
			for k := i + 1; k < len(grid); k++ {
				if j < len(grid[k]) && grid[k][j] != "" {
					m[c+"\x00v"+grid[k][j]]++
					break
				}
			}
		}
	}
	return m
}

// TestTables scores the tables of documents with expected cells.
func TestTables(t *testing.T) {
	t.Parallel()
	cells, pairs, n := 0.0, 0.0, 0
	for _, p := range corpus(t, "pdf-tables-dev/pdfs") {
		name := strings.TrimSuffix(filepath.Base(p), ".pdf")
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		d, err := pdf.Read(t.Context(), bytes.NewReader(data), int64(len(data)), pdf.Options{MaxPages: 1}) // the expected cells are those of the first page
		if err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		if *write != "" {
			save(t, name+".md", markdownOf(t, p))
		}
		f, err := os.Open(filepath.Join(corpora, "pdf-tables-dev", "expected", name+".csv"))
		if err != nil {
			continue
		}
		r := csv.NewReader(f)
		r.FieldsPerRecord = -1
		want, err := r.ReadAll()
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			for j := range want[i] {
				want[i][j] = strings.Join(strings.Fields(want[i][j]), " ")
			}
		}
		best, adj := 0.0, 0.0
		shape := ""
		grids := gridsOf(d.Root)
		grids = append(grids, slices.Concat(grids...)) // the expected cells may come from several tables
		for _, g := range grids {
			if s := f1(cellsOf(g), cellsOf(want)); s > best {
				best, adj = s, f1(pairsOf(g), pairsOf(want))
				shape = strconv.Itoa(len(g)) + " rows"
			}
		}
		t.Logf("%.3f %.3f %s (%s, want %d rows)", best, adj, name, shape, len(want))
		cells += best
		pairs += adj
		n++
	}
	t.Logf("%d tables: cells %.3f adjacency %.3f", n, cells/float64(max(1, n)), pairs/float64(max(1, n)))
}
