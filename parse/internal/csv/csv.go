// SPDX-License-Identifier: Apache-2.0

// Package csv reads tables in plain text in the many variants that programs
// write, beyond RFC 4180.
//
// The separator is a comma, a semicolon, a tab or a vertical bar, whichever gives
// the first records the most uniform number of fields, or none. A quote is
// syntax at the start of a field, also after blanks, and where a field can
// end. Elsewhere it is text, and so are all quotes after one that is never
// closed. Records may differ in length.
package csv

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
)

const (
	sniffRecords = 200      // records that decide on the separator
	sniffBytes   = 64 << 10 // bytes from which these records are taken
	checkEvery   = 4096     // records between two checks of the context
	frame        = 8        // nodes around the rows

	gridCells = 50_000 // cells from which a table is a grid
)

// Options are the options for one table.
type Options struct {
	Kind  string // kind of the document: csv or tsv
	Comma byte   // separator; zero detects it
	Nodes int    // nodes of the tree; zero means 2,000,000
	Cells int    // cells of a grid; zero means that only the length of the text limits them
}

// Cut is the number of records that were left out of a table because of a limit,
// and the number of all its records.
type Cut struct {
	Records, Of int
	Doubts      []string // sentences about what may be read wrongly, with counts and lines
}

// LimitError means that even the first record is too long.
type LimitError struct{ Fields int }

func (e *LimitError) Error() string {
	return fmt.Sprintf("over a limit: more than %d fields or lines in the first record", e.Fields)
}

// Limit returns the name and the value of the limit.
func (e *LimitError) Limit() (name string, value int64) {
	return "fields or lines in the first record", int64(e.Fields)
}

// Tree returns text as a document with one table. cut counts the records that
// were left out because of the limit on nodes or cells. A table with more than
// 50,000 cells is written as a grid ([doctree.Builder.Grid]). The first record
// is the header unless it has only numbers. Short records are padded, unless
// padding would be most of the table. The error is a
// [LimitError] or the cause that ended ctx.
func Tree(ctx context.Context, text string, o Options) (doc *html.Node, cut Cut, err error) {
	if o.Nodes == 0 {
		o.Nodes = 2_000_000
	}
	rest, comma, tie := separator(text, o.Comma)
	t := table{nodes: o.Nodes, most: o.Cells}
	if t.most == 0 {
		t.most = len(text) + 1
	}
	s := scanner{text: rest, comma: comma, tie: tie, line: min(1, len(text)-len(rest))}
	var w widths
	for n, record := 0, []string(nil); s.record(&record, o.Nodes/2); n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return nil, cut, context.Cause(ctx)
		}
		w.add(record, s.start, comma)
		if cut.Of++; cut.Records > 0 {
			cut.Records++ // only counted
			continue
		}
		if t.cells+len(record) > gridCells && t.grid == nil && max(t.width, len(record)) <= doctree.GridColumns {
			t.spread(len(rest))
		}
		if !t.add(record) {
			cut.Records = 1
		}
	}
	if cut.Records > 0 && t.rows == 0 {
		return nil, cut, &LimitError{o.Nodes / 2}
	}
	cut.Doubts = s.doubts(&w)
	return t.build(o.Kind), cut, nil
}

// table collects records, up to a number of nodes, or the text of a grid.
type table struct {
	nodes   int
	most    int // cells of a grid
	records [][]string
	grid    *strings.Builder // nil while records are collected
	head    bool             // the grid has a header
	rows    int
	cells   int
	breaks  int // line breaks in cells
	width   int
}

// spread converts the collected records to a grid. The text of the grid has
// at most size+1 bytes.
func (t *table) spread(size int) {
	t.grid = new(strings.Builder)
	t.grid.Grow(size + 1)
	for _, r := range t.records {
		t.write(r)
	}
	t.records = nil
}

// write appends a record to the grid.
func (t *table) write(record []string) {
	if t.grid.Len() == 0 {
		t.head = !Numeric(record)
	}
	for i, cell := range record {
		if i > 0 {
			t.grid.WriteByte(doctree.GridEnd)
		}
		t.grid.WriteString(doctree.Clean(cell))
	}
	t.grid.WriteByte(doctree.GridRowEnd)
}

// add adds a record. It returns false if the limit is reached.
func (t *table) add(record []string) bool {
	if t.grid != nil {
		if t.cells+len(record) > t.most || len(record) > doctree.GridColumns {
			return false
		}
		t.write(record)
		t.rows++
		t.cells += len(record)
		t.width = max(t.width, len(record))
		return true
	}
	breaks := 0
	for _, cell := range record {
		breaks += strings.Count(cell, "\n")
	}
	// A cell is an element and a text; a line break in it adds two nodes.
	if need := 2*(t.cells+len(record)+t.breaks+breaks) + len(t.records) + frame; need > t.nodes {
		return false
	}
	t.records = append(t.records, slices.Clone(record))
	t.rows++
	t.cells += len(record)
	t.breaks += breaks
	t.width = max(t.width, len(record))
	return true
}

func (t *table) build(kind string) *html.Node {
	var b doctree.Builder
	doc, _, body := b.Document(kind, "", "")
	if t.grid != nil {
		b.Grid(body, t.rows, t.width, t.head, []string{t.grid.String()}, "data-table", "sheet")
		return doc
	}
	if len(t.records) == 0 {
		return doc
	}
	width := t.width
	if len(t.records)*width > 4*t.cells+1024 || len(t.records)*width > t.nodes-t.cells-len(t.records)-2*t.breaks-frame {
		width = 0
	}
	tab := b.Append(body, atom.Table, "data-table", "sheet")
	rows := t.records
	if !Numeric(rows[0]) {
		row(&b, b.Append(tab, atom.Thead), atom.Th, rows[0], width)
		rows = rows[1:]
	}
	if len(rows) > 0 {
		section := b.Append(tab, atom.Tbody)
		for _, r := range rows {
			row(&b, section, atom.Td, r, width)
		}
	}
	return doc
}

func row(b *doctree.Builder, section *html.Node, cell atom.Atom, record []string, width int) {
	tr := b.Append(section, atom.Tr)
	for i := range max(len(record), width) {
		td := b.Append(tr, cell)
		if i >= len(record) {
			continue
		}
		line, more, ok := strings.Cut(record[i], "\n")
		for b.Text(td, line); ok; b.Text(td, line) {
			b.Append(td, atom.Br)
			line, more, ok = strings.Cut(more, "\n")
		}
	}
}

// Numeric reports whether record has at least one number and only numbers.
func Numeric(record []string) bool {
	some := false
	for _, cell := range record {
		cell = strings.TrimSpace(cell)
		if strings.Trim(cell, "0123456789.,+-%eE ") != "" || cell != "" && !strings.ContainsAny(cell, "0123456789") {
			return false
		}
		some = some || cell != ""
	}
	return some
}

// Records yields the records of text without empty lines. Line ends in
// fields become \n. The caller owns the slices.
func Records(text string, comma byte) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		s := scanner{text: text, comma: comma}
		for record := []string(nil); s.record(&record, math.MaxInt-1); {
			if !yield(slices.Clone(record)) {
				return
			}
		}
	}
}

// scanner reads fields from the start of text.
type scanner struct {
	text  string
	comma byte
	tie   byte  // another character that may be the separator
	line  int   // line ends before text
	start int   // line of the last record, from 1
	open  int   // line of a quote that is never closed, from which on quotes are text, or 0
	wrong int   // characters that stand for wrong bytes, in a stream
	stray found // fields in quotes with a quote that is not doubled
}

// record reads the next record that is not an empty line into to, whose
// memory it reuses. It returns false at the end of the text. A record with
// more than most fields is cut to most+1 fields and ends the text.
func (s *scanner) record(to *[]string, most int) bool {
	for s.text != "" {
		record := (*to)[:0]
		s.start = s.line + 1
		more := true
		for more && len(record) <= most {
			var field string
			field, more = s.field()
			record = append(record, field)
		}
		if more {
			s.text = ""
		}
		if *to = record; len(record) > 1 || record[0] != "" {
			return true
		}
	}
	return false
}

// field returns the next field, and whether the record continues after it.
func (s *scanner) field() (field string, more bool) {
	if s.open == 0 && strings.HasPrefix(s.text, `"`) {
		if field, more, ok := s.quoted(); ok {
			return field, more
		}
		s.open = s.line + 1
	}
	if s.open == 0 && s.comma != ' ' && strings.HasPrefix(s.text, ` `) {
		if field, more, ok := s.set(); ok {
			return field, more
		}
	}
	end := strings.IndexAny(s.text, string([]byte{s.comma, '\n', '\r'}))
	if end < 0 {
		end = len(s.text)
	}
	field = s.text[:end]
	return field, s.next(end)
}

// quoted returns the field that begins with a quote. ok is false if no quote
// ends it.
func (s *scanner) quoted() (field string, more, ok bool) {
	var b strings.Builder
	from, stray := 1, false
	for at := 1; ; {
		n := strings.IndexByte(s.text[at:], '"')
		if n < 0 {
			return "", false, false
		}
		at += n + 1
		switch {
		case s.ends(at) >= 0:
			field = s.text[from : at-1]
			if b.Len() > 0 {
				b.WriteString(field)
				field = b.String()
			}
			field = strings.ReplaceAll(strings.ReplaceAll(field, "\r\n", "\n"), "\r", "\n")
			if stray {
				s.stray.add(s.line + 1)
			}
			s.line += strings.Count(field, "\n")
			return field, s.next(s.ends(at)), true
		case s.text[at] == '"':
			b.WriteString(s.text[from:at])
			at++
			from = at
		default:
			stray = true
		}
	}
}

// set returns the quoted field after the blanks at the start of text. ok is
// false unless its first single quote ends the field on the same line.
func (s *scanner) set() (field string, more, ok bool) {
	inside, ok := strings.CutPrefix(strings.TrimLeft(s.text, " "), `"`)
	if !ok {
		return "", false, false
	}
	from := len(s.text) - len(inside)
	for at := from; ; {
		n := strings.IndexAny(s.text[at:], "\"\r\n")
		if n < 0 || s.text[at+n] != '"' {
			return "", false, false
		}
		at += n + 1
		switch {
		case at < len(s.text) && s.text[at] == '"':
			at++
		case s.ends(at) >= 0:
			return strings.ReplaceAll(s.text[from:at-1], `""`, `"`), s.next(s.ends(at)), true
		default:
			return "", false, false
		}
	}
}

// ends returns the end of the field whose quote closes before at, including
// blanks after it. It returns -1 if the field does not end there.
func (s *scanner) ends(at int) int {
	for at < len(s.text) && s.text[at] == ' ' && s.comma != ' ' {
		at++
	}
	if at == len(s.text) || s.text[at] == s.comma || s.text[at] == '\n' || s.text[at] == '\r' {
		return at
	}
	return -1
}

// next removes the field that ends at at, with the separator or line end
// after it, and reports whether that was a separator.
func (s *scanner) next(at int) (more bool) {
	if at == len(s.text) {
		s.text = ""
		return false
	}
	if s.text[at] == s.comma {
		s.text = s.text[at+1:]
		return true
	}
	s.line++
	if strings.HasPrefix(s.text[at:], "\r\n") {
		at++
	}
	s.text = s.text[at+1:]
	return false
}

// separator returns the separator of the fields, and text without the line
// "sep=;" with which spreadsheets declare it. tie is another character that divides as many
// records evenly, or 0.
func separator(text string, comma byte) (rest string, sep, tie byte) {
	line, after, _ := strings.Cut(text, "\n")
	if !strings.Contains(text[:len(line)], "\r") || strings.HasSuffix(line, "\r") {
		line = strings.TrimSuffix(line, "\r")
	} else {
		line, after, _ = strings.Cut(text, "\r")
	}
	if sign, ok := strings.CutPrefix(strings.Trim(line, `"`), "sep="); ok && len(sign) == 1 && len(after) > 0 {
		return after, sign[0], 0
	}
	if comma != 0 {
		return text, comma, 0
	}
	sample := text
	if len(sample) > sniffBytes {
		sample = sample[:sniffBytes]
		if i := strings.LastIndexAny(sample, "\r\n"); i > 0 {
			sample = sample[:i]
		}
	}
	// In a tie, the separator that is rarer in prose wins.
	best, most := byte(','), 0.0
	if !parts(sample) {
		best = 0
	}
	several := strings.ContainsAny(strings.TrimSpace(sample), "\r\n") // a single record proves nothing
	for _, c := range []byte{'\t', ';', '|', ','} {
		switch share := agreement(sample, c); {
		case share > most:
			best, most, tie = c, share, 0
		case share > 0 && share == most && several && (c != ',' || parts(sample)):
			tie = c
		}
	}
	return text, best, tie
}

// parts reports whether commas in text may separate fields. In prose, a
// blank follows every comma.
func parts(text string) bool {
	n := strings.Count(text, ",")
	return n == 0 || n > strings.Count(text, ", ")
}

// agreement returns the share of records with the most frequent number of
// fields, or 0 if that number is one.
func agreement(sample string, comma byte) float64 {
	widths, records := map[int]int{}, 0
	for r := range Records(sample, comma) {
		widths[len(r)]++
		if records++; records == sniffRecords {
			break
		}
	}
	usual, count := 0, 0
	for width, n := range widths {
		if n > count || n == count && width > usual {
			usual, count = width, n
		}
	}
	if usual < 2 {
		return 0
	}
	return float64(count) / float64(records)
}
