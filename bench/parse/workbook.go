// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/xuri/excelize/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/markdown"
	"example.com/curlew/parse"
)

// workbooks compares the cells with those of excelize, and the times.
func workbooks(ctx context.Context, dir string, rounds int) error {
	paths, err := filepath.Glob(filepath.Join(dir, "*.xls[xm]"))
	if err != nil {
		return err
	}
	right, all := 0, 0
	var ours, theirs []float64
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		want, err := shown(data)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		got, err := cells(ctx, data)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		r, n := 0, max(total(want), total(got))
		for text, count := range want {
			r += min(count, got[text])
			if count != got[text] {
				fmt.Printf("  %s: %q is there %d times, excelize has it %d times\n", filepath.Base(p), text, got[text], count)
			}
		}
		right, all = right+r, all+n
		ours = append(ours, best(rounds, func() { _, _ = cells(ctx, data) }))
		theirs = append(theirs, best(rounds, func() { _ = rows(data) }))
	}
	fmt.Printf("\nXLSX cells as excelize shows them: %d of %d (%.4f)\n", right, all, float64(right)/float64(max(1, all)))
	fmt.Printf("XLSX median ms: curlew (tree) %.3f, excelize OpenReader + GetRows %.3f\n", median(ours), median(theirs))
	return nil
}

func total(cells map[string]int) (n int) {
	for _, count := range cells {
		n += count
	}
	return n
}

// rows is the work whose time is compared.
func rows(data []byte) error {
	f, err := excelize.OpenReader(bytes.NewReader(data))
	if err != nil {
		return err
	}
	defer f.Close()
	for _, name := range f.GetSheetList() {
		_, _ = f.GetRows(name) // an invalid sheet takes time too
	}
	return nil
}

// shown counts the texts of the cells of visible sheets, rows and columns, by
// sheet. Dates are in ISO form.
func shown(data []byte) (map[string]int, error) {
	f, err := excelize.OpenReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	cells := map[string]int{}
	for _, name := range f.GetSheetList() {
		if ok, err := f.GetSheetVisible(name); err != nil || !ok {
			continue
		}
		list, err := f.GetRows(name)
		if err != nil {
			continue // a sheet that is a chart has no rows
		}
		for r, row := range list {
			if ok, err := f.GetRowVisible(name, r+1); err == nil && !ok {
				continue
			}
			for c, text := range row {
				if text == "" {
					continue
				}
				column, err := excelize.ColumnNumberToName(c + 1)
				if err != nil {
					return nil, err
				}
				if ok, err := f.GetColVisible(name, column); err == nil && !ok {
					continue
				}
				if date, ok := iso(f, name, column+strconv.Itoa(r+1)); ok {
					text = date
				}
				cells[key(name, text)]++
			}
		}
	}
	return cells, nil
}

func key(sheet, text string) string { return sheet + "|" + strings.Join(strings.Fields(text), " ") }

// iso returns the date of a cell with a date format.
func iso(f *excelize.File, sheet, cell string) (string, bool) {
	id, err := f.GetCellStyle(sheet, cell)
	if err != nil {
		return "", false
	}
	style, err := f.GetStyle(id)
	if err != nil || style.NumFmt != 14 && style.NumFmt != 22 && (style.CustomNumFmt == nil || !strings.ContainsAny(*style.CustomNumFmt, "yY")) {
		return "", false
	}
	raw, err := f.GetCellValue(sheet, cell, excelize.Options{RawCellValue: true})
	if err != nil {
		return "", false
	}
	v, err := strconv.ParseFloat(raw, 64)
	if err != nil {
		return "", false
	}
	t, err := excelize.ExcelDateToTime(v, false)
	if err != nil {
		return "", false
	}
	if style.NumFmt == 14 || style.CustomNumFmt != nil && !strings.ContainsAny(*style.CustomNumFmt, "hH") {
		return t.Format(time.DateOnly), true
	}
	if style.NumFmt == 22 {
		return t.Format("2006-01-02 15:04"), true
	}
	return t.Format(time.DateTime), true
}

// cells counts the texts of the cells of our tree. A text outside tables counts
// as a cell.
func cells(ctx context.Context, data []byte) (map[string]int, error) {
	var e parse.Engine
	tree, err := e.Parse(ctx, parse.Source{Name: "a.xlsx", Data: bytes.NewReader(data), Size: int64(len(data))}, nil)
	if err != nil {
		return nil, err
	}
	count := map[string]int{}
	sheet := ""
	for n := range tree.Root.Descendants() {
		switch n.DataAtom {
		case atom.Section:
			for _, a := range n.Attr {
				if a.Key == "data-sheet" {
					sheet = a.Val
				}
			}
		case atom.Td, atom.Th, atom.Caption:
			if table := n.Parent.Parent; n.DataAtom == atom.Caption || isSheet(table.Parent) {
				if t := text(n); t != "" {
					count[key(sheet, t)]++
				}
			}
		case atom.P:
			if n.Parent.DataAtom == atom.Section && n.Parent.Attr[0].Key == "data-sheet" {
				count[key(sheet, text(n))]++
			}
		}
	}
	return count, nil
}

func isSheet(table *html.Node) bool {
	return table != nil && len(table.Attr) > 0 && table.Attr[0].Val == "sheet"
}

// text returns the text of a cell without references to notes.
func text(n *html.Node) string {
	var b strings.Builder
	for c := range n.ChildNodes() {
		switch {
		case c.Type == html.TextNode:
			b.WriteString(c.Data)
		case c.DataAtom == atom.Br:
			b.WriteByte(' ')
		case c.DataAtom == atom.A:
			b.WriteString(text(c))
		}
	}
	return b.String()
}

// large measures a sheet of 100,000 rows with 20 cells in a separate process.
func large(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "curlew-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "large.xlsx")
	if err := writeLarge(path); err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	fmt.Printf("\n100,000 x 20 cells, %.1f MB\n", float64(len(data))/1e6)
	program, err := os.Executable()
	if err != nil {
		return err
	}
	for range 3 {
		cmd := exec.CommandContext(ctx, program, "-child", path)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			return err
		}
	}
	start := cpu()
	if err := rows(data); err != nil {
		return err
	}
	fmt.Printf("  excelize OpenReader + GetRows: %.2f s CPU\n", (cpu() - start).Seconds())
	return nil
}

func writeLarge(path string) error {
	f := excelize.NewFile()
	defer f.Close()
	w, err := f.NewStreamWriter("Sheet1")
	if err != nil {
		return err
	}
	style, err := f.NewStyle(&excelize.Style{NumFmt: 4})
	if err != nil {
		return err
	}
	row := make([]any, 20)
	for r := range 100_000 {
		for c := range row {
			switch c % 4 {
			case 0:
				row[c] = r*20 + c
			case 1:
				row[c] = fmt.Sprintf("item %d", (r*7+c)%1000)
			case 2:
				row[c] = excelize.Cell{StyleID: style, Value: float64(r) * 1.37}
			default:
				row[c] = float64(r*c) / 8
			}
		}
		if err := w.SetRow("A"+strconv.Itoa(r+1), row); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.SaveAs(path)
}

func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// measureOne converts a workbook to Markdown. It prints the CPU time, and the
// live heap and resident memory beyond input and output.
func measureOne(ctx context.Context, path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	runtime.GC()
	stop, most := make(chan struct{}), make(chan uint64)
	go func() {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		peak := uint64(0)
		for {
			metrics.Read(live)
			peak = max(peak, live[0].Value.Uint64())
			select {
			case <-stop:
				most <- peak
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	before, start := resident(), cpu()
	var e parse.Engine
	tree, err := e.Parse(ctx, parse.Source{Name: "a.xlsx", Data: bytes.NewReader(data), Size: int64(len(data))}, nil)
	if err != nil {
		return err
	}
	read := cpu()
	var out counter
	if err := markdown.Render(ctx, &out, tree.Root, nil); err != nil {
		return err
	}
	took := cpu() - start
	close(stop)
	extra := float64(len(data)) + float64(out)
	live := float64(<-most)
	fmt.Printf("  curlew: %.2f s CPU (tree %.2f s); %.1f MB out; live heap %.0f MB, peak RSS %.0f MB above input and output (whole process: %.0f MB, before reading %.0f MB)\n",
		took.Seconds(), (read - start).Seconds(), float64(out)/1e6, (live-extra)/1e6, (resident()-extra)/1e6, resident()/1e6, before/1e6)
	return nil
}

// counter counts the written bytes.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

var _ io.Writer = new(counter)

// resident returns the peak resident memory in bytes.
func resident() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kb * 1024
		}
	}
	return 0
}
