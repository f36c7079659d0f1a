// SPDX-License-Identifier: Apache-2.0

// Sheets compares our tables of XLSX, XLS and ODS workbooks with the CSV that
// LibreOffice writes of the same workbooks.
//
//	cd bench && go run ./sheets [-keep DIR] [-show 20]
//
// LibreOffice converts the XLSX workbooks to the other kinds, and CSV and our tables
// are both made of what it wrote.
//
// The workbooks have number formats of all kinds with many values, dates of both
// date systems, and layouts: merges, gaps, hidden rows and columns, formulas,
// errors, rich text and sparse cells. It prints the F1 of cells and of rows, of
// which only the cells with text count, and the cells that differ.
//
// Some differences are choices of ours and are forgiven: dates are
// written as ISO 8601, numbers in the format General with all their digits,
// formulas without a cached value as formulas, and tables that stand side by side
// as two tables. Where LibreOffice does not show what Excel shows, the difference
// remains: it has no day 0 of January 1900, has no format for large fractions and
// writes numbers by the language of their format.
package main

import (
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/test/scoretest"
	"example.com/curlew/parse"
)

func main() {
	keep := flag.String("keep", "", "folder for the files; empty: they are not kept")
	show := flag.Int("show", 20, "differences to print of each workbook")
	flag.Parse()
	if err := run(context.Background(), *keep, *show); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, keep string, show int) error {
	if _, err := exec.LookPath("soffice"); err != nil {
		return fmt.Errorf("soffice is not installed: %w", err)
	}
	if keep == "" {
		dir, err := os.MkdirTemp("", "curlew-sheets-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		keep = dir
	}
	fmt.Printf("%-15s %7s %7s %7s\n", "workbook", "cells", "F1", "rows")
	for _, w := range workbooks {
		path := filepath.Join(keep, w.name+".xlsx")
		if err := w.write(path); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		for _, kind := range []string{"xlsx", "xls", "ods"} {
			if kind != "xlsx" {
				if err := office(ctx, keep, kind, keep, path); err != nil {
					return fmt.Errorf("%s: %w", w.name, err)
				}
			}
			if err := compare(ctx, filepath.Join(keep, w.name+"."+kind), show); err != nil {
				return fmt.Errorf("%s.%s: %w", w.name, kind, err)
			}
		}
	}
	return nil
}

// compare prints how well our tables of one workbook agree with its CSV.
func compare(ctx context.Context, path string, show int) error {
	theirs, err := convert(ctx, path)
	if err != nil {
		return err
	}
	ours, err := read(ctx, path)
	if err != nil {
		return err
	}
	theirs, differences := forgive(ours, theirs)
	cells, rows := [2]map[string]int{{}, {}}, [2]map[string]int{{}, {}}
	count := 0
	for i, table := range [][][]string{ours, theirs} {
		for _, row := range table {
			rows[i][strings.Join(row, "\t")]++
			for _, cell := range row {
				cells[i][cell]++
			}
			count += i * len(row)
		}
	}
	fmt.Printf("%-15s %7d %7.4f %7.4f\n", filepath.Base(path), count, scoretest.F1(cells[0], cells[1]), scoretest.F1(rows[0], rows[1]))
	for _, d := range differences[:min(show, len(differences))] {
		fmt.Println("    " + d)
	}
	return nil
}

// office converts a file by LibreOffice. The folder profiles has its user profile.
func office(ctx context.Context, profiles, to, out, path string) error {
	ctx, stop := context.WithTimeout(ctx, 2*time.Minute)
	defer stop()
	// #nosec G204 -- the program of this benchmark
	c := exec.CommandContext(ctx, "soffice", "-env:UserInstallation=file://"+filepath.Join(profiles, "profile"), "--headless", "--convert-to", to, "--outdir", out, path)
	if text, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("soffice: %w: %.200s", err, text)
	}
	return nil
}

// convert returns the rows with text of all sheets as LibreOffice shows them.
func convert(ctx context.Context, path string) (rows [][]string, err error) {
	out := path + "-csv"
	if err := os.RemoveAll(out); err != nil {
		return nil, err
	}
	// Field and text delimiter, UTF-8, from row 1, cells as shown, every sheet.
	const filter = `csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true,false,false,-1`
	if err := office(ctx, filepath.Dir(path), filter, out, path); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(out, "*.csv"))
	if err != nil || len(files) == 0 {
		return nil, errors.Join(err, errors.New("soffice wrote no CSV"))
	}
	for _, name := range files {
		f, err := os.Open(name) // #nosec G304 -- a file of this benchmark
		if err != nil {
			return nil, err
		}
		r := csv.NewReader(f)
		r.FieldsPerRecord = -1
		records, err := r.ReadAll()
		_ = f.Close()
		if err != nil {
			return nil, err
		}
		for _, record := range records {
			rows = keep(rows, record)
		}
	}
	return rows, nil
}

// keep appends a row without its empty cells. Spaces at both ends of a cell do not
// count.
func keep(rows [][]string, row []string) [][]string {
	var cells []string
	for _, c := range row {
		if c = strings.Join(strings.Fields(c), " "); c != "" {
			cells = append(cells, c)
		}
	}
	if len(cells) == 0 {
		return rows
	}
	return append(rows, cells)
}

// read returns the rows of our tables. Captions are rows too, because they are
// cells of the sheet.
func read(ctx context.Context, path string) (rows [][]string, err error) {
	src, err := parse.File(path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	tree, err := new(parse.Engine).Parse(ctx, src, nil)
	if err != nil {
		return nil, err
	}
	for n := range tree.Root.Descendants() {
		switch n.DataAtom {
		case atom.Tr:
			var row []string
			for c := range n.ChildNodes() {
				row = append(row, text(c))
			}
			rows = keep(rows, row)
		case atom.Caption, atom.P:
			if !within(n, atom.Td) && !within(n, atom.Th) {
				rows = keep(rows, []string{text(n)})
			}
		}
	}
	return rows, nil
}

func within(n *html.Node, tag atom.Atom) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.DataAtom == tag {
			return true
		}
	}
	return false
}

func text(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		switch {
		case c.Type == html.TextNode:
			b.WriteString(c.Data)
		case c.DataAtom == atom.Br || c.DataAtom == atom.P:
			b.WriteString(" ")
		}
	}
	return b.String()
}

var isISO = regexp.MustCompile(`^\d{4}-\d\d-\d\d(T?[ :\d.]*)?$`)

// forgive replaces cells of theirs by ours where the difference is a choice, in
// rows that begin with the same cell. It returns theirs and the other differences.
func forgive(ours, theirs [][]string) (right [][]string, differences []string) {
	known := map[string][]string{}
	for _, row := range ours {
		known[row[0]] = row
	}
	for k, row := range theirs {
		if n := len(known[row[0]]); n > 0 && n < len(row) && slices.Equal(known[row[n]], row[n:]) {
			theirs = append(theirs, row[n:])
			row = row[:n]
			theirs[k] = row
		}
		mine, ok := known[row[0]]
		if !ok {
			differences = append(differences, fmt.Sprintf("no row %.100q", row))
			continue
		}
		for i, cell := range row {
			if i >= len(mine) {
				differences = append(differences, fmt.Sprintf("%.30q: no %q", row[0], row[i:]))
				break
			}
			switch got := mine[i]; {
			case got == cell:
			case isISO.MatchString(got) && strings.ContainsAny(cell, "0123456789"), same(got, cell), strings.HasPrefix(got, "="):
				row[i] = got
			default:
				differences = append(differences, fmt.Sprintf("%.30q column %d: %q, LibreOffice %q", row[0], i, got, cell))
			}
		}
	}
	return theirs, differences
}

// same reports whether two texts are the same number, of which the first has more
// digits.
func same(a, b string) bool {
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err1 == nil && err2 == nil && math.Abs(x-y) <= 1e-9*math.Max(math.Abs(x), math.Abs(y)) && len(a) >= len(b)-4
}

// workbook is one workbook and how it is filled.
type workbook struct {
	name string
	fill func(f *excelize.File) error
}

func (w workbook) write(path string) (err error) {
	f := excelize.NewFile()
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := f.SetColWidth("Sheet1", "A", "Z", 60); err != nil {
		return err
	}
	if err := w.fill(f); err != nil {
		return err
	}
	return f.SaveAs(path)
}
