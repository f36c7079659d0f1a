// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"html"
	"math/rand/v2"
	"strconv"
	"strings"
)

// cell is a cell of a generated table.
type cell struct {
	text       string
	note       string // superscript after the text
	cols, rows int
	covered    bool // another cell covers its position
	right      bool // aligned to the right
	middle     bool // centred
}

// sample is a generated document: text, a table in it, and its style.
type sample struct {
	name   string
	style  style
	head   [][]cell
	body   [][]cell
	shares []float64 // widths of the columns, as shares of the table
	width  float64   // width of the table, as a share of the page
	before string
	after  string
}

var (
	nouns = strings.Fields("harbour timber orchard granite copper weaver lantern meadow bridge archive signal barley vessel mirror garden engine parcel ribbon canyon window basket ladder quarry saddle tunnel")
	adjs  = strings.Fields("northern quiet annual narrow upper local mixed early public rural coastal modern partial steady")
	codes = strings.Fields("open closed yes no pending high low medium draft final")
	verbs = strings.Fields("covers measures follows supports joins replaces records describes")
)

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// phrase returns n words.
func phrase(r *rand.Rand, n int) string {
	var out []string
	for i := range n {
		switch i % 3 {
		case 0:
			out = append(out, pick(r, adjs))
		case 1:
			out = append(out, pick(r, nouns))
		default:
			out = append(out, pick(r, verbs))
		}
	}
	return strings.Join(out, " ")
}

func sentence(r *rand.Rand, n int) string { return title(phrase(r, n)) + "." }

func paragraph(r *rand.Rand) string {
	var out []string
	for range 4 {
		out = append(out, "The "+phrase(r, 9+r.IntN(6))+".")
	}
	return strings.Join(out, " ")
}

// generate makes the document of a style.
func generate(name string, seed uint64, s style) *sample {
	r := rand.New(rand.NewPCG(seed, 2)) // #nosec G404 -- not for secrets
	d := &sample{name: name, style: s, before: paragraph(r), after: paragraph(r), width: 1}
	n, _ := strconv.Atoi(s["columns"])
	m, _ := strconv.Atoi(s["rows"])
	kinds := make([]int, n) // kind of the values of each column: 0 words, 1 numbers, 2 long text
	for j := 1; j < n; j++ {
		if s["values"] != "words" && !(n > 2 && r.IntN(4) == 0) {
			kinds[j] = 1
		}
	}
	if s.is("wrap", "text", "several") {
		kinds[min(1, n-1)] = 2
	}
	if s.is("wrap", "several") && n > 2 {
		kinds[2] = 2
	}
	d.shares = make([]float64, n)
	for j := range d.shares {
		d.shares[j] = 1
		if kinds[j] == 2 {
			d.shares[j] = 2
		}
	}
	if n > 1 && !s.is("wrap", "label", "several") {
		d.shares[0] = 1.5
	}
	if n < 4 && s["wrap"] == "none" {
		d.width = .7
	}
	d.heads(r, kinds)
	for i := range m {
		d.body = append(d.body, d.row(r, i, kinds))
	}
	d.spans(r, n)
	return d
}

// heads makes the header rows.
func (d *sample) heads(r *rand.Rand, kinds []int) {
	n := len(kinds)
	row := make([]cell, n)
	for j := range row {
		row[j] = cell{text: title(pick(r, nouns)), right: d.flush(kinds[j])}
	}
	switch d.style["head"] {
	case "none":
		return
	case "spanning":
		upper := make([]cell, n)
		upper[0], row[0] = cell{text: row[0].text, rows: 2}, cell{covered: true}
		k := 1 + (n-1)/2
		for _, g := range [][2]int{{1, k}, {k, n}} {
			upper[g[0]] = cell{text: title(phrase(r, 2)), cols: g[1] - g[0], middle: true}
			for j := g[0] + 1; j < g[1]; j++ {
				upper[j].covered = true
			}
		}
		d.head = append(d.head, upper)
	}
	d.head = append(d.head, row)
}

// flush reports whether the values of a column are aligned to the right.
func (d *sample) flush(kind int) bool { return kind == 1 && d.style.is("values", "right", "notes") }

func (d *sample) row(r *rand.Rand, i int, kinds []int) []cell {
	row := make([]cell, len(kinds))
	for j := range row {
		c := &row[j]
		c.right = d.flush(kinds[j])
		switch {
		case kinds[j] == 2:
			c.text = sentence(r, 6+r.IntN(len(kinds)*3+8))
		case j == 0 && d.style.is("wrap", "label", "several"):
			c.text = title(phrase(r, 3+r.IntN(4)))
		case j == 0:
			c.text = title(phrase(r, 1+r.IntN(2)))
		case kinds[j] == 1:
			c.text = d.number(r, j)
			if d.style["values"] == "notes" && r.IntN(5) == 0 {
				c.note = string(rune('a' + r.IntN(3)))
			}
		default:
			c.text = pick(r, codes)
			if j%2 == 1 {
				c.text = phrase(r, 1+r.IntN(2))
			}
		}
		if j > 0 && d.style["cells"] == "sparse" && r.IntN(5) < 2 && (j > 1 || i%2 == 1) {
			*c = cell{}
		}
	}
	return row
}

func (d *sample) number(r *rand.Rand, j int) string {
	switch j % 3 {
	case 0:
		return fmt.Sprintf("%d.%d %%", r.IntN(100), r.IntN(10))
	case 1:
		return strconv.Itoa(r.IntN(9000) + 3)
	default:
		return fmt.Sprintf("%d,%03d", 1+r.IntN(90), r.IntN(1000))
	}
}

// spans adds rows or labels that span several cells.
func (d *sample) spans(r *rand.Rand, n int) {
	switch d.style["span"] {
	case "section":
		at := len(d.body) / 2
		row := make([]cell, n)
		row[0] = cell{text: "Section " + phrase(r, 2), cols: n, middle: true}
		for j := 1; j < n; j++ {
			row[j].covered = true
		}
		d.body = append(d.body[:at], append([][]cell{row}, d.body[at:]...)...)
	case "group":
		for i := 0; i+1 < len(d.body); i += 3 {
			k := min(2+r.IntN(2), len(d.body)-i)
			k = min(k, 3)
			d.body[i][0].rows = k
			for a := i + 1; a < i+k; a++ {
				d.body[a][0] = cell{covered: true}
			}
			for a := i; a < i+k; a++ {
				d.visible(r, a)
			}
		}
	}
}

// visible writes a number into a row that has only empty cells beside a label
// of several rows. Printers give such a row no height, so nobody can see it.
func (d *sample) visible(r *rand.Rand, i int) {
	for j := 1; j < len(d.body[i]); j++ {
		if d.body[i][j].text != "" {
			return
		}
	}
	d.body[i][1] = cell{text: d.number(r, 1)}
}

// truth returns the expected Markdown: the text, and the table as HTML.
func (d *sample) truth() string {
	var b strings.Builder
	b.WriteString("# Report on " + d.name + "\n\n" + d.before + "\n\n<table>")
	for _, rows := range [][][]cell{d.head, d.body} {
		for _, row := range rows {
			b.WriteString("<tr>")
			for _, c := range row {
				if c.covered {
					continue
				}
				b.WriteString("<td" + c.spanning("rowspan", "colspan") + ">" + html.EscapeString(c.text) + c.raised() + "</td>")
			}
			b.WriteString("</tr>")
		}
	}
	b.WriteString("</table>\n\n" + d.after + "\n")
	return b.String()
}

// raised returns the note of the cell as HTML.
func (c *cell) raised() string {
	if c.note == "" {
		return ""
	}
	return "<sup>" + c.note + "</sup>"
}

// spanning returns the attributes for the rows and columns of a cell, by the
// given names.
func (c *cell) spanning(rows, cols string) string {
	s := ""
	if c.rows > 1 {
		s += fmt.Sprintf(` %s="%d"`, rows, c.rows)
	}
	if c.cols > 1 {
		s += fmt.Sprintf(` %s="%d"`, cols, c.cols)
	}
	return s
}

// look is how a position of a table is drawn.
type look struct {
	top, bottom, left, right bool // lines at its sides
	fill                     string
	bold                     bool
}

// lookOf returns the look of the cell in row i, counted from the first header
// row, and column j.
func (d *sample) lookOf(i, j int) look {
	s, rows, heads, columns := d.style, len(d.head)+len(d.body), len(d.head), len(d.shares)
	c := d.at(i, j)
	last, end := i+max(1, c.rows)-1, j+max(1, c.cols)-1
	l := look{bold: i < heads && !s.is("head", "plain")}
	box, ends := s.is("frame", "box"), s.is("frame", "box", "ends")
	l.top, l.bottom = ends && i == 0, ends && last == rows-1
	l.left, l.right = box && j == 0, box && end == columns-1
	if last == heads-1 && !s.is("rules", "none") {
		l.bottom = true
	}
	if s.is("rules", "rows", "grid") && last < rows-1 {
		l.bottom = true
	}
	if s.is("rules", "grid") && end < columns-1 || s.is("rules", "stub") && end == 0 {
		l.right = true
	}
	if s.is("rules", "head") && s.is("head", "spanning") && i == 0 && c.cols > 1 {
		l.bottom = true
	}
	if s.is("stripes", "zebra") && i >= heads && (i-heads)%2 == 1 {
		l.fill = "#e8eef4"
	}
	if s.is("head", "shade") && i < heads {
		l.fill = "#c8d4e0"
	}
	return l
}

func (d *sample) at(i, j int) *cell {
	if i < len(d.head) {
		return &d.head[i][j]
	}
	return &d.body[i-len(d.head)][j]
}

// stand returns where texts stand in cells that are higher.
func (d *sample) stand() string {
	if d.style.is("stand", "top") {
		return "top"
	}
	return "middle"
}

// padding returns the space inside cells, in points: above and below, and at
// the sides.
func (d *sample) padding() (vertical, horizontal float64) {
	switch d.style["space"] {
	case "tight":
		return .4, 3
	case "usual":
		return 2, 5
	}
	return 6, 8
}
