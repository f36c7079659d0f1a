// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"slices"
	"strings"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
)

// A record is a list of labels with a value beside each, such as an infobox or
// the head of a form or invoice. It is a table of two columns. Its rows have
// different heights, so it cannot be found by its rows. It is found by its
// labels, which are bold or end with a colon, and have an edge or their middle in
// common. The values beside them are not bold, do not end with a colon, and begin
// at another edge.

// field is a label with its value.
type field struct {
	label, value []Line
	lines        []int   // indexes of the lines with the label and the value
	y            float64 // baseline of the line of the value that is beside the label
}

// Bounds on records.
const (
	leastFields = 3
	maxLabel    = 7   // words of a label
	plainLabel  = 4   // words of a label that is neither bold nor has a colon
	maxAway     = 20  // distance of a value from its label, in font sizes
	maxRecord   = 3.2 // distance of a line from the one above it, in font sizes

	// On a page with more lines or labels, no records are looked for.
	mostRecorded = 1500
	mostFields   = 200
)

// records finds the records of a page. It removes their words from the page's
// lines. If plain is set, the labels have neither bold letters nor a colon. Most of the
// values beside them must have digits, as the numbers and dates at the head of a letter have.
func records(p *Page, plain bool) []Table {
	if len(p.Lines) > mostRecorded {
		return nil
	}
	all := fields(p, plain)
	if len(all) > mostFields {
		return nil
	}
	sorting.Stable(all, func(a, b field) int { return compare(a.y, b.y) })
	taken := make([]bool, len(p.Lines))
	var out []Table
	for len(all) >= leastFields {
		run, rest := all[:1:1], []field(nil)
		for _, f := range all[1:] {
			if run[len(run)-1].beside(&f) {
				run = append(run, f)
			} else {
				rest = append(rest, f)
			}
		}
		for len(run) >= leastFields {
			r := record{p: p, fields: run, taken: taken}
			n := r.extend()
			if t, ok := r.table(); ok && (!plain || t.dated()) {
				out = append(out, t)
				for _, f := range r.fields {
					for _, i := range f.lines {
						taken[i] = true
					}
				}
			}
			run = run[n:]
		}
		all = rest
	}
	if len(out) > 0 {
		p.take(taken)
	}
	return out
}

// dated reports whether most values have digits and no label has.
func (t *Table) dated() bool {
	n := 0
	for i := range t.Rows {
		if hasDigits(t.Rows[i][0].Text()) {
			return false
		}
		n += count(hasDigits(t.Rows[i][1].Text()))
	}
	return n*3 >= 2*len(t.Rows)
}

// fields returns the labels of a page that have a value beside them. If plain is set, it returns
// those of a few words without a sign that they are labels.
func fields(p *Page, plain bool) []field {
	var out []field
	for i := range p.Lines {
		l := &p.Lines[i]
		if l.Turn != 0 || l.RTL {
			continue
		}
		n := labelWords(l.Words)
		if plain {
			n = len(l.Words) * count(n == 0 && !l.fixed() && len(l.Words) <= plainLabel && !startsLower(l.Words[0].Text) && !hasDigits(l.Text()))
		}
		if n == 0 || n > maxLabel {
			continue
		}
		if n < len(l.Words) {
			out = append(out, field{[]Line{l.of(l.Words[:n])}, []Line{l.of(l.Words[n:])}, []int{i}, l.Y})
			continue
		}
		k := valueOf(p, i)
		if k < 0 || plain && (len(p.Lines[k].Words) > maxLabel || math.Abs(p.Lines[k].Y-l.Y) > .35*l.Size) {
			continue
		}
		at := slices.IndexFunc(out, func(o field) bool { return o.lines[len(o.lines)-1] == k && len(o.lines) > 1 })
		if at < 0 {
			out = append(out, field{[]Line{*l}, []Line{p.Lines[k]}, []int{i, k}, p.Lines[k].Y})
			continue
		}
		out[at].label = append(out[at].label, *l) // the value is beside two lines of one label
		out[at].lines = append([]int{i}, out[at].lines...)
		byBaseline(out[at].label)
	}
	return out
}

// labelWords returns how many words at the start of a line are a label: those
// that are bold, or those up to a colon. It returns 0 if there is no label.
func labelWords(words []Word) int {
	n := 0
	for n < len(words) && words[n].Bold() {
		n++
	}
	if n > 0 {
		return n
	}
	for i := range words[:min(len(words), maxLabel)] {
		if text := words[i].Text; len(text) > 1 && strings.HasSuffix(text, ":") {
			return i + 1
		}
	}
	return 0
}

// valueOf returns the index of the line with the value of line i, which is a
// label. The value stands to the right of its label, usually at the same height.
// It may also be higher or lower by about a line, if the label is centred beside
// several lines of the value, or the value beside two lines of the label. valueOf
// returns -1 if there is no such line, or if that line is a label too.
func valueOf(p *Page, i int) int {
	l := &p.Lines[i]
	best, level, above, below := -1, false, false, false
	for k := range p.Lines {
		v := &p.Lines[k]
		off := v.Y - l.Y
		if k == i || v.Turn != 0 || v.RTL || math.Abs(off) > 1.5*l.Size {
			continue
		}
		if math.Abs(v.Box.X0-l.Box.X0) < .3*l.Size && off > 0 && labelWords(v.Words) == len(v.Words) {
			below = true // the label has a second line
		}
		if v.Box.X0 < l.Box.X1 || v.Box.X0-l.Box.X1 > maxAway*l.Size || math.Abs(off) > 1.1*l.Size {
			continue
		}
		same := math.Abs(off) < .35*l.Size
		above = above || !same && off < 0
		if best < 0 || same && !level || same == level && (v.Box.X0 < p.Lines[best].Box.X0-.3*l.Size || !same && v.Y < p.Lines[best].Y) {
			best, level = k, same
		}
	}
	if best < 0 || labelWords(p.Lines[best].Words) > 0 || !level && !above && !below {
		return -1
	}
	return best
}

// beside reports whether two fields have their labels and their values at the
// same edges. Labels may also be centred.
func (f *field) beside(o *field) bool {
	a, b := &f.label[0], &o.label[0]
	tol := .3 * a.Size
	return math.Abs(a.Size-b.Size) < .15*a.Size && a.Words[0].Bold() == b.Words[0].Bold() &&
		math.Abs(f.value[0].Box.X0-o.value[0].Box.X0) < tol &&
		(math.Abs(a.Box.X0-b.Box.X0) < tol || math.Abs(a.Box.X1-b.Box.X1) < tol || math.Abs(a.Box.X0+a.Box.X1-b.Box.X0-b.Box.X1) < tol)
}

// record is a run of fields at the same edges.
type record struct {
	p      *Page
	fields []field
	taken  []bool // lines of other records

	size    float64
	column  []placedLine // the lines of all values, from top to bottom
	leading float64      // least distance between two of them
}

// placedLine is a line in the column of the values.
type placedLine struct {
	line  Line
	index int // -1 for the value that begins field
	field int // -1 for further lines
}

// extend shortens the run to the fields that follow each other without other
// text between them, and adds the lines that continue their labels and values.
// It returns how many fields it has looked at.
func (r *record) extend() int {
	r.size = r.fields[0].label[0].Size
	n := r.collect()
	rows := r.rows()
	apart := 0 // rows with one field
	for _, row := range rows {
		apart += count(fieldsIn(row) == 1)
	}
	out := r.fields[:0:0]
	for _, row := range rows {
		first := len(out)
		for _, x := range row {
			switch {
			case x.field >= 0 && (len(out) == first || apart*2 <= len(rows)):
				out = append(out, r.fields[x.field])
			case x.field >= 0: // a label and a value that both continue those above
				f, o := &out[len(out)-1], &r.fields[x.field]
				f.label, f.value, f.lines = append(f.label, o.label...), append(f.value, o.value...), append(f.lines, o.lines...)
			case len(out) > 0 && (len(out) > first || fieldsIn(row) == 0):
				f := &out[len(out)-1]
				f.value, f.lines = append(f.value, x.line), append(f.lines, x.index)
			default: // above the line beside the label
				f := &r.fields[row[slices.IndexFunc(row, func(x placedLine) bool { return x.field >= 0 })].field]
				f.value, f.lines = append(f.value, x.line), append(f.lines, x.index)
			}
		}
	}
	for i := range out {
		byBaseline(out[i].value)
	}
	r.fields = out
	return n
}

// fieldsIn counts the fields that begin in a row.
func fieldsIn(row []placedLine) int {
	n := 0
	for i := range row {
		n += count(row[i].field >= 0)
	}
	return n
}

// collect finds the lines of the column of values, and further lines of the
// labels, up to the first other text. It returns how many fields stand above
// that text, but at least 1.
func (r *record) collect() int {
	own := map[int]bool{}
	value, left := math.Inf(1), math.Inf(1)
	for k := range r.fields {
		f := &r.fields[k]
		for _, i := range f.lines {
			own[i] = true
		}
		value = min(value, f.value[0].Box.X0)
		left = min(left, f.label[0].Box.X0)
		r.column = append(r.column, placedLine{f.value[0], -1, k})
	}
	for i := range r.p.Lines {
		l := &r.p.Lines[i]
		if !own[i] && !r.taken[i] && l.Turn == 0 && math.Abs(l.Size-r.size) < .2*r.size && math.Abs(l.Box.X0-value) < .5*r.size {
			r.column = append(r.column, placedLine{*l, i, -1})
			own[i] = true
		}
	}
	sorting.Stable(r.column, func(a, b placedLine) int { return compare(a.line.Y, b.line.Y) })
	first := slices.IndexFunc(r.column, func(x placedLine) bool { return x.field >= 0 })
	r.measure()
	from := first // lines above the first field count if they are as close as those of one value
	for from > 0 && r.step(from) < 1.1*r.leading && r.fields[0].label[0].Y > r.column[from-1].line.Y {
		from--
	}
	to := first + 1
	for to < len(r.column) && r.step(to) < maxRecord*r.size {
		to++
	}
	r.column = r.column[from:to]
	end := r.stop(own, left)
	r.column = sorting.Without(r.column, func(x placedLine) bool { return x.line.Y > end })
	n := fieldsIn(r.column)
	if n == 0 {
		r.column = nil
		return 1
	}
	last := slices.IndexFunc(r.column, func(x placedLine) bool { return x.field == n-1 })
	for k := last + 1; k < len(r.column); k++ { // below the last field, only lines as close as those of one value
		if r.step(k) > 1.1*r.leading {
			r.column = r.column[:k]
		}
	}
	return n
}

// step returns the distance between line k of the column and the line above it.
func (r *record) step(k int) float64 { return r.column[k].line.Y - r.column[k-1].line.Y }

// measure finds the least distance between two lines of the column that are not
// beside each other.
func (r *record) measure() {
	r.leading = math.Inf(1)
	for k := 1; k < len(r.column); k++ {
		if d := r.step(k); d > .35*r.size && d < 2*r.size {
			r.leading = min(r.leading, d)
		}
	}
}

// stop returns the height of the first line that interrupts the record, or
// infinity if there is none. Such a line is other text between left and the right
// edge of the values. Bold lines below a label continue the label.
func (r *record) stop(own map[int]bool, left float64) float64 {
	top, bottom := r.column[0].line.Y, r.column[len(r.column)-1].line.Y
	right := 0.0
	for _, x := range r.column {
		right = max(right, x.line.Box.X1)
	}
	end := math.Inf(1)
	for i := range r.p.Lines {
		l := &r.p.Lines[i]
		if own[i] || l.Turn != 0 || l.Y < top-.35*r.size || l.Y > bottom+.35*r.size || l.Box.X1 < left || l.Box.X0 > right+2*r.size || r.wraps(i) {
			continue
		}
		end = min(end, l.Y-.35*r.size)
	}
	return end
}

// wraps reports whether line i continues a label. If so, it adds the line to that
// label.
func (r *record) wraps(i int) bool {
	l := &r.p.Lines[i]
	for k := range r.fields {
		f := &r.fields[k]
		if a := &f.label[len(f.label)-1]; a.Words[0].Bold() && labelWords(l.Words) == len(l.Words) && l.Words[0].Bold() &&
			l.Y > a.Y && l.Y-a.Y < 1.5*r.size && l.Box.X1 < f.value[0].Box.X0 && math.Abs(l.Size-a.Size) < .15*a.Size {
			f.label, f.lines = append(f.label, *l), append(f.lines, i)
			return true
		}
	}
	return false
}

// rows splits the column at the distances that are larger than the least one. If
// the rows of the record are as close to each other as the lines of one value, an
// element of the result has several of them.
func (r *record) rows() [][]placedLine {
	var out [][]placedLine
	for k := range r.column {
		if k == 0 || r.step(k) > 1.1*r.leading {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], r.column[k])
	}
	return out
}

// table returns the record as a table. It returns false if there are too few
// fields, if they may be running text, or if the labels have column headings or
// further columns.
func (r *record) table() (Table, bool) {
	if len(r.fields) < leastFields {
		return Table{}, false
	}
	t := Table{Columns: 2, Conf: 1, seq: math.MaxInt}
	t.Box = content.Box{X0: math.Inf(1), Y0: math.Inf(1), X1: math.Inf(-1), Y1: math.Inf(-1)}
	gaps := 0
	for _, f := range r.fields {
		cells := emptyRow(2)
		cells[0].Lines, cells[1].Lines = f.label, f.value
		for j := range cells {
			for k := range cells[j].Lines {
				t.Box = t.Box.Union(textBox(&cells[j].Lines[k]))
			}
		}
		t.Rows = append(t.Rows, cells)
		gaps += count(f.value[0].Box.X0-f.label[0].Box.X1 > 1.2*r.size)
	}
	// In running text, words after labels of one width begin at one edge too.
	if gaps == 0 && !r.uneven() || r.wider(&t.Box) || r.headed(&t.Box) {
		return Table{}, false
	}
	t.sequence()
	return t, true
}

// uneven reports whether the labels have different widths.
func (r *record) uneven() bool {
	least, most := math.Inf(1), 0.0
	for _, f := range r.fields {
		least, most = min(least, f.label[0].Box.Width()), max(most, f.label[0].Box.Width())
	}
	return most-least > 1.5*r.size
}

// wider reports whether the rows of the record have further columns.
func (r *record) wider(box *content.Box) bool {
	n := 0
	for _, f := range r.fields {
		n += count(slices.ContainsFunc(r.p.Lines, func(l Line) bool {
			left, right := f.label[0].Box.X0-l.Box.X1, l.Box.X0-f.value[0].Box.X1
			return l.Turn == 0 && len(l.Words) <= maxLabel && math.Abs(l.Y-f.label[0].Y) < .35*l.Size && (left > 0 && left < 3*l.Size || right > 0 && l.Box.X0 < box.X1+6*l.Size)
		}))
	}
	return n*2 >= len(r.fields)
}

// headed reports whether there are headings directly above the labels and the
// values.
func (r *record) headed(box *content.Box) bool {
	label, value := false, false
	for i := range r.p.Lines {
		l := &r.p.Lines[i]
		if r.taken[i] || l.Turn != 0 || l.Y > box.Y0+.5*r.size || l.Y < box.Y0-2*r.size {
			continue
		}
		label = label || math.Abs(l.Box.X0-r.fields[0].label[0].Box.X0) < .5*r.size
		value = value || l.Box.X0 > r.fields[0].label[0].Box.X1 && l.Box.X0 < box.X1
	}
	return label && value
}

// byBaseline sorts lines from top to bottom.
//
//go:noinline // its callers would each have a copy of the sorting
func byBaseline(lines []Line) {
	sorting.Stable(lines, func(a, b Line) int { return compare(a.Y, b.Y) })
}
