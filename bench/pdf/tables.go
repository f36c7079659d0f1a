// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"example.com/curlew/bench/peers"
	"example.com/curlew/internal/test/scoretest"
	"example.com/curlew/markdown"
	"example.com/curlew/parse"
)

// tableScores compares the tables in the Markdown of documents with the
// expected cells, by the words of cells and by pairs of adjacent cells. For
// each document it uses the best matching table, or all tables together.
//
// All expected cells are of the first page, and they have the line breaks and
// the forms of characters that another program has chosen. Therefore a second
// line has the scores of the first page only, in which white space and the
// compatibility forms of characters do not count.
func tableScores() {
	truths, _ := filepath.Glob(filepath.Join(*corpora, "pdf-tables-dev", "expected", "*.csv"))
	var files []string
	for _, t := range truths {
		files = append(files, filepath.Join(*corpora, "pdf-tables-dev", "pdfs", strings.TrimSuffix(filepath.Base(t), ".csv")+".pdf"))
	}
	if len(files) == 0 {
		return
	}
	tableReport("curlew", truths, asWritten, func(f string) string {
		r, err := convert(f, "")
		if err != nil {
			return ""
		}
		return r.text
	})
	tableReport("curlew, first pages, white space and forms of characters forgiven", truths, forgiving, firstPage)
	for _, peer := range peers.PDF() {
		if read, err := readings(peer, files); err == nil { // layout has printed the reason
			tableReport(peer.Name, truths, asWritten, read)
		}
	}
}

// firstPage returns the Markdown of the first page of a file. It is empty if
// the file cannot be read.
func firstPage(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	var e parse.Engine
	tree, err := e.Parse(context.Background(), parse.Source{Data: bytes.NewReader(data), Size: int64(len(data))},
		&parse.Options{Kind: parse.PDF, PDF: parse.PDFOptions{MaxPages: 1}})
	if err != nil {
		return ""
	}
	var b strings.Builder
	if err := markdown.Render(context.Background(), &b, tree.Root, nil); err != nil {
		return ""
	}
	return b.String()
}

// asWritten returns the form of a cell in which all differences count.
func asWritten(s string) string { return s }

// forgiving returns the form of a cell in which white space and compatible
// forms of a character do not count.
func forgiving(s string) string {
	return strings.Join(strings.Fields(norm.NFKC.String(s)), "")
}

func tableReport(name string, truths []string, form, read func(string) string) {
	cellSum, pairSum := 0.0, 0.0
	for _, t := range truths {
		cells, pairs := tableScore(t, form, read)
		cellSum += cells
		pairSum += pairs
	}
	n := float64(len(truths))
	fmt.Printf("tables of %.0f documents, %s: cells F1 %.3f adjacency F1 %.3f\n", n, name, cellSum/n, pairSum/n)
}

// tableScore scores the result for the document of an expected table.
// The function form normalizes the text of a cell before cells are compared.
func tableScore(truth string, form, read func(string) string) (cells, pairs float64) {
	got, want := bestTable(truth, form, read)
	return scoretest.F1(cellBag(got), cellBag(want)), scoretest.F1(pairBag(got), pairBag(want))
}

// bestTable returns the table of a document that matches an expected one best, or all tables
// together, and the expected one.
func bestTable(truth string, form, read func(string) string) (got, want [][]string) {
	want, err := readCSV(truth)
	if err != nil {
		fail(err)
	}
	text := read(filepath.Join(*corpora, "pdf-tables-dev", "pdfs", strings.TrimSuffix(filepath.Base(truth), ".csv")+".pdf"))
	grids := scoretest.Tables(text)
	for _, g := range grids {
		for _, row := range g {
			for i, c := range row {
				row[i] = form(plainCell(c))
			}
		}
	}
	for _, row := range want {
		for i, c := range row {
			row[i] = form(c)
		}
	}
	most := 0.0
	for _, g := range append(grids, slices.Concat(grids...)) {
		if s := scoretest.F1(cellBag(g), cellBag(want)); s > most {
			got, most = g, s
		}
	}
	return got, want
}

// lostPairs prints the neighbours that only the expected table has, and those that only
// the best table of the document has.
func lostPairs(truth string, form, read func(string) string) {
	got, want := bestTable(truth, form, read)
	found, expected := pairBag(got), pairBag(want)
	for _, side := range []struct {
		name      string
		bag, from map[string]int
	}{{"missing", expected, found}, {"false", found, expected}} {
		for _, pair := range slices.Sorted(maps.Keys(side.bag)) {
			if n := side.bag[pair] - side.from[pair]; n > 0 {
				fmt.Printf("  %s %d: %.160s\n", side.name, n, strings.ReplaceAll(pair, "\x00", " | "))
			}
		}
	}
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

// plainCell returns a cell without Markdown markup.
func plainCell(s string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("**", "", "\\", "", "`", "").Replace(s)), " ")
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
