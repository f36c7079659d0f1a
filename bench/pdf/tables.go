// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// tableScores compares the tables in the Markdown of documents with expected
// cells: of each document the table that fits best, or all of them together,
// by the words of cells and by the pairs of cells that follow each other to
// the right and below.
func tableScores() {
	truths, _ := filepath.Glob(filepath.Join(*corpora, "pdf-tables-dev", "expected", "*.csv"))
	var files []string
	for _, t := range truths {
		files = append(files, filepath.Join(*corpora, "pdf-tables-dev", "pdfs", strings.TrimSuffix(filepath.Base(t), ".csv")+".pdf"))
	}
	if len(files) == 0 {
		return
	}
	tableReport("curlew", truths, func(f string) string {
		r, err := convert(f, "")
		if err != nil {
			return ""
		}
		return r.text
	})
	for _, peer := range []string{"liteparse", "pdf-inspector"} {
		out, err := readings(peer, files)
		if err != nil {
			continue // layout has said so
		}
		tableReport(peer, truths, func(f string) string {
			text, _ := os.ReadFile(filepath.Join(out, strings.TrimSuffix(filepath.Base(f), ".pdf")+".md")) // missing is empty
			return string(text)
		})
		_ = os.RemoveAll(out)
	}
}

func tableReport(name string, truths []string, read func(string) string) {
	cellSum, pairSum := 0.0, 0.0
	for _, t := range truths {
		cells, pairs := tableScore(t, read)
		cellSum += cells
		pairSum += pairs
	}
	n := float64(len(truths))
	fmt.Printf("tables of %.0f documents, %s: cells F1 %.3f adjacency F1 %.3f\n", n, name, cellSum/n, pairSum/n)
}

// tableScore scores the reading of the document that belongs to a truth.
func tableScore(truth string, read func(string) string) (cells, pairs float64) {
	want, err := readCSV(truth)
	if err != nil {
		fail(err)
	}
	text := read(filepath.Join(*corpora, "pdf-tables-dev", "pdfs", strings.TrimSuffix(filepath.Base(truth), ".csv")+".pdf"))
	var grids [][][]string
	for _, table := range tables.FindAllString(pipes(text), -1) {
		grids = append(grids, grid(tableTree([]string{table}).kids[0]))
	}
	for _, g := range append(grids, slices.Concat(grids...)) {
		if s := f1(cellBag(g), cellBag(want)); s > cells {
			cells, pairs = s, f1(pairBag(g), pairBag(want))
		}
	}
	return cells, pairs
}

func readCSV(path string) ([][]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	for i := range rows {
		for j := range rows[i] {
			rows[i][j] = plainCell(rows[i][j])
		}
	}
	return rows, err
}

// grid returns a table's cells by rows; spans have their text at their start.
func grid(table *node) [][]string {
	var rows [][]string
	for _, tr := range table.kids {
		var row []string
		for _, td := range tr.kids {
			row = append(row, plainCell(td.text))
			for _, s := range spans.FindAllStringSubmatch(strings.ReplaceAll(td.kind, "colspan", "colspan="), -1) {
				var n int
				if _, err := fmt.Sscan(s[2], &n); err == nil {
					row = append(row, make([]string, min(max(n-1, 0), 100))...)
				}
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// plainCell is a cell without Markdown's marks.
func plainCell(s string) string {
	return folded(strings.NewReplacer("**", "", "\\", "", "`", "").Replace(s))
}

func cellBag(rows [][]string) map[string]int {
	m := map[string]int{}
	for _, row := range rows {
		for _, c := range row {
			if c != "" {
				m[c]++
			}
		}
	}
	return m
}

func pairBag(rows [][]string) map[string]int {
	m := map[string]int{}
	for i, row := range rows {
		for j, c := range row {
			if c == "" {
				continue
			}
			if k := slices.IndexFunc(row[j+1:], func(s string) bool { return s != "" }); k >= 0 {
				m[c+"\x00>"+row[j+1+k]]++
			}
			for _, below := range rows[i+1:] {
				if j < len(below) && below[j] != "" {
					m[c+"\x00v"+below[j]]++
					break
				}
			}
		}
	}
	return m
}
