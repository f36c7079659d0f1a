// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"slices"
	"unicode"
	"unicode/utf8"

	"example.com/curlew/internal/sorting"
)

// If the lines within a cell are as far apart as rows, the text decides. A line
// continues the row above if each of its pieces stands below another piece, and
// the first word of the lower piece did not fit at the end of the upper one.

// wrapped returns which bands continue the row above according to their
// text. It returns nil if there is no evidence for wrapped cells. crossed
// marks the bands that a rule separates from the one above.
func (z *zone) wrapped(bands [][]part, crossed []bool) []bool {
	ends := map[int]float64{} // right edge of each column
	for _, b := range bands {
		for i := range b {
			if q := &b[i]; q.c0 == q.c1 {
				if end, ok := ends[q.c0]; !ok || q.x1() > end {
					ends[q.c0] = q.x1()
				}
			}
		}
	}
	out := make([]bool, len(bands))
	tries, holds, lower := 0, 0, 0 // counts of lines without a first column
	opening := bands[0]
	for i := 1; i < len(bands); i++ {
		b := bands[i]
		n, of := columnsIn(b), columnsIn(opening)
		if crossed[i] || n >= of || top(b)-bottom(bands[i-1]) > .8*z.size {
			opening = b
			continue
		}
		fits := noRoom(bands[i-1], b, ends)
		small := allLower(b)
		switch {
		case first(b) > 0 && first(opening) == 0 && n*2 <= of+1 && beneath(bands[i-1], b):
			tries++
			if fits {
				holds++
			}
			if small {
				lower++
			}
			out[i] = fits || small
		default:
			out[i] = fits && small && opensRow(opening)
		}
		if !out[i] {
			opening = b
		}
	}
	if (tries-holds)*6 > tries || lower*2 < tries {
		return nil
	}
	return out
}

// noRoom reports whether each piece of b stands below a piece of above and
// its first word did not fit at the end of that piece within the column.
// Numbers do not wrap.
func noRoom(above, b []part, ends map[int]float64) bool {
	if len(above) > maxPieces || len(b) > maxPieces {
		return false
	}
	for i := range b {
		q := &b[i]
		if i > 0 && b[i-1].c0 == q.c0 {
			continue // the rest of a line with wide spaces
		}
		over := pieceAt(above, q.c0)
		if q.c0 != q.c1 || over == nil || over.c0 != over.c1 || isNumeric(q.text()) || isNumeric(over.text()) {
			return false
		}
		w := &q.words[0]
		if over.x1()+.2*w.Size+w.Box.Width() < ends[q.c0] {
			return false
		}
	}
	return true
}

// beneath reports whether the pieces of b have an edge or their middle in common with those
// of above. The title of a section stands elsewhere.
func beneath(above, b []part) bool {
	if len(above) > maxPieces || len(b) > maxPieces {
		return false
	}
	for i := range b {
		q := &b[i]
		over := pieceAt(above, q.c0)
		if over == nil {
			return false
		}
		tolerance := .4 * q.words[0].Size
		x0, x1, o0, o1 := q.words[0].Box.X0, q.x1(), over.words[0].Box.X0, over.x1()
		if math.Abs(x0-o0) > tolerance && math.Abs(x1-o1) > tolerance && math.Abs(x0+x1-o0-o1) > 2*tolerance {
			return false
		}
	}
	return true
}

// maxPieces bounds the pieces of a band that are compared with each other.
const maxPieces = 240

// pieceAt returns the last piece of b that begins in a column, or nil if
// there is none.
//
//go:noinline
func pieceAt(b []part, column int) *part {
	for i := range slices.Backward(b) {
		if b[i].c0 == column {
			return &b[i]
		}
	}
	return nil
}

// columnsIn counts the columns in which pieces of b begin.
func columnsIn(b []part) int {
	n := 0
	for i := range b {
		if i == 0 || b[i-1].c0 != b[i].c0 {
			n++
		}
	}
	return n
}

// allLower reports whether all pieces of b begin with a lower-case letter.
func allLower(b []part) bool {
	for i := range b {
		if (i == 0 || b[i-1].c0 != b[i].c0) && !startsLower(b[i].words[0].Text) {
			return false
		}
	}
	return true
}

// opensRow reports whether b has a text in the first column that begins with
// a capital letter or a digit.
func opensRow(b []part) bool {
	q := pieceAt(b, 0)
	if q == nil {
		return false
	}
	r, _ := utf8.DecodeRuneInString(q.words[0].Text)
	return unicode.IsUpper(r) || unicode.IsDigit(r)
}

// x1 returns the right edge of the part.
//
//go:noinline
func (q *part) x1() float64 {
	x := math.Inf(-1)
	for i := range q.words {
		x = max(x, q.words[i].Box.X1)
	}
	return x
}

// In many tables the text of each cell stands in the vertical middle of its row. A cell of one line
// beside a cell of two lines is then at another height than both. Within a text, lines are never so
// close to each other, so lines that are closer show which texts stand beside each other.

// tableRows is like rowsIn, but the lines of texts around a common middle are one row.
func tableRows(p *Page, idx []int) []row {
	rows := rowsIn(p, idx)
	out := rows[:0]
	for i := 0; i < len(rows); {
		k := i + 1
		for k < len(rows) && p.Lines[rows[k].lines[0]].Y-p.Lines[rows[k-1].lines[0]].Y < leastLead*rows[k].size {
			k++
		}
		if r, ok := oneMiddle(p, rows[i:k]); ok {
			out = append(out, r)
		} else {
			out = append(out, rows[i:k]...)
		}
		i = k
	}
	return out
}

const (
	leastLead    = .92 // the least distance of the baselines of a text, in font sizes
	mostLead     = 2.2 // and the largest
	mostStanding = 24  // bounds the baselines of a row
	standing     = .25 // how much the middles of the texts of a row may differ, in font sizes
	leastCentred = 2   // the number of rows of texts around a common middle that are evidence of a table
)

// oneMiddle joins rows to one if their texts, each of one or more lines below each other, stand
// around a common middle.
func oneMiddle(p *Page, rows []row) (row, bool) {
	out := row{y0: math.Inf(1), y1: math.Inf(-1), centred: true}
	if len(rows) < 2 || len(rows) > mostStanding {
		return out, false
	}
	for _, r := range rows {
		out.lines = append(out.lines, r.lines...)
		out.y0, out.y1, out.size = min(out.y0, r.y0), max(out.y1, r.y1), max(out.size, r.size)
	}
	sorting.Stable(out.lines, func(a, b int) int { return compare(p.Lines[a].Box.X0, p.Lines[b].Box.X0) })
	texts, end := 0, 0.0 // end is the right edge of a text
	var ys []float64     // the baselines of its lines
	for k, i := range out.lines {
		l := &p.Lines[i]
		if l.fixed() || math.Abs(l.Size-out.size) > .15*out.size {
			return out, false // code, or an index
		}
		ys, end = append(ys, l.Y), max(end, l.Box.X1)
		if k+1 < len(out.lines) && p.Lines[out.lines[k+1]].Box.X0 < end {
			continue
		}
		slices.Sort(ys)
		for n := 1; n < len(ys); n++ {
			if d := ys[n] - ys[n-1]; d < leastLead*out.size || d > mostLead*out.size {
				return out, false
			}
		}
		if math.Abs(ys[0]+ys[len(ys)-1]-out.y0-out.y1-.55*out.size) > 2*standing*out.size {
			return out, false
		}
		texts, ys = texts+1, ys[:0]
	}
	return out, texts > 1
}

// centredRows counts the rows of texts around a common middle.
func (z *zone) centredRows() int {
	n := 0
	for i := range z.rows {
		n += count(z.rows[i].centred)
	}
	return n
}

// centredAcross reports whether texts at both sides of x stand around a common middle in several
// rows, mostly with a last line that ends early, and hardly any other lines stand nearer to each
// other than those of a text. They are then cells of a table.
func centredAcross(p *Page, idx []int, x float64) bool {
	centred, beside, early := 0, 0, 0
	rows := tableRows(p, idx)
	for k, r := range rows {
		first, last := &p.Lines[r.lines[0]], &p.Lines[r.lines[len(r.lines)-1]]
		switch {
		case r.centred && first.Box.X1 < x && last.Box.X0 > x:
			centred++
			low := slices.MaxFunc(r.lines, func(a, b int) int { return compare(p.Lines[a].Y, p.Lines[b].Y) })
			end := p.Lines[low].Box.X1 + r.size
			early += count(slices.ContainsFunc(r.lines, func(i int) bool { return p.Lines[i].Box.X0 < end && p.Lines[i].Box.X1 > end }))
		case k > 0 && !r.centred && !rows[k-1].centred:
			beside += count(first.Y-p.Lines[rows[k-1].lines[0]].Y < leastLead*r.size)
		}
	}
	return early*2 > centred && centred >= leastCentred && beside*4 < centred
}

// seating divides bands into rows whose texts stand at the top or in the middle, so that as
// little as possible speaks against it.
type seating struct {
	bands   [][]part
	crossed []bool
	size    float64
	lead    float64   // the least distance of two lines of a column
	widths  []float64 // of the widest text of each column
	later   []int     // the first word in the order of painting from each band on
	latest  []int     // the last word of each band in this order
	numbers [][]bool  // whether each part of each band is a number
}

// What speaks against a row.
const (
	noLabel   = 1.  // it has no text in the first column
	noValue   = .5  // or in another one
	noWrap    = 1.5 // a line of a text ends although the next word would have fitted, or there are two numbers
	opening   = 1.  // a further line of a text does not begin with a lower-case letter
	notSeated = 3.  // its texts do not stand as those of other rows do
	unpainted = 1.  // it was not painted after the rows above, or its cells not one after the other
	fewer     = .1  // speaks against each row less
)

// seated divides bands into rows by where their texts stand, unless rules separate them. It
// returns the bands and false if texts do not clearly stand in the middle of their rows.
func (z *zone) seated(bands [][]part, rules []float64) (rows [][]part, ok bool) {
	s := seating{bands: bands, size: z.size, crossed: make([]bool, len(bands))}
	if !s.measure() {
		return bands, false
	}
	for i := 1; i < len(bands); i++ {
		s.crossed[i] = ruleBetween(rules, middleOf(bands[i-1]), middleOf(bands[i]))
	}
	top, _, _, _ := s.divide(0)
	best, ends, faults, off := s.divide(.5)
	if off < leastCentred || best > top {
		return bands, false
	}
	if best+noLabel > top || faults*4 > len(ends) {
		z.doubt = true
		return bands, false
	}
	from := 0
	for _, to := range ends {
		row := bands[from]
		for _, b := range bands[from+1 : to] {
			row = append(slices.Clip(row), b...)
		}
		rows, from = append(rows, row), to
	}
	return rows, true
}

// measure fills s. It returns false if nothing shows that texts do not stand at the top, or
// if there are too many.
func (s *seating) measure() bool {
	var last []*part
	needed := false
	s.lead = math.Inf(1)
	for i, b := range s.bands {
		if len(b) > maxPieces || len(s.bands) > mostSeated {
			return false
		}
		needed = needed || i > 0 && first(b) > 0
		for k := range b {
			q := &b[k]
			needed = needed || math.Abs(q.y1-b[0].y1) > .3*s.size
			for len(last) <= q.c1 {
				last, s.widths = append(last, nil), append(s.widths, 0)
			}
			if q.c0 != q.c1 {
				continue
			}
			if o := last[q.c0]; o != nil && q.y1-o.y1 > leastLead*s.size {
				s.lead = min(s.lead, q.y1-o.y1)
			}
			last[q.c0] = q
			s.widths[q.c0] = max(s.widths[q.c0], q.x1()-q.words[0].Box.X0)
		}
	}
	if !needed || len(s.widths) < 2 {
		return false
	}
	s.later, s.latest, s.numbers = make([]int, len(s.bands)+1), make([]int, len(s.bands)), make([][]bool, len(s.bands))
	s.later[len(s.bands)] = math.MaxInt
	for i, b := range slices.Backward(s.bands) {
		from, to := paintedIn(b)
		s.later[i], s.latest[i] = min(s.later[i+1], from), to
		s.numbers[i] = make([]bool, len(b))
		for k := range b {
			s.numbers[i][k] = isNumeric(b[k].text())
		}
	}
	return true
}

// mostSeated is the number of bands above which rows are not looked for by where texts stand.
const mostSeated = 4000

// paintedIn returns the first and the last word of parts in the order of painting.
//
//go:noinline
func paintedIn(parts []part) (from, to int) {
	from, to = math.MaxInt, math.MinInt
	for i := range parts {
		for k := range parts[i].words {
			from, to = min(from, parts[i].words[k].Seq), max(to, parts[i].words[k].Seq)
		}
	}
	return from, to
}

// divide returns the ends of the rows if their texts stand at the top (0) or in the middle
// (.5) of each, with what speaks against it. It counts the rows that more than empty cells
// speaks against, and the others with a text that stands lower than the first line of another.
func (s *seating) divide(at float64) (cost float64, ends []int, faults, lower int) {
	n := len(s.bands)
	best := make([]rowEnd, n+1)
	for i := 1; i <= n; i++ {
		best[i].cost = math.Inf(1)
	}
	cells := make([]seat, len(s.widths))
	for i := range n {
		before := best[i].cost - fewer
		clear(cells)
		against := 0.
		for k := i; k < n && k-i < mostStanding && (k == i || !s.crossed[k]); k++ {
			more, ok := s.add(cells, k)
			if against += more; !ok && k > i {
				break
			}
			row := against
			if !ok || !s.stands(cells, at) {
				if k > i {
					continue
				}
				row += notSeated
			}
			if s.unpainted(i, k+1) {
				row += unpainted
			}
			if c := before + row + s.lacks(cells); c < best[k+1].cost {
				best[k+1] = rowEnd{c, i, row > 0 || cells[0].last == nil, !s.stands(cells, 0)}
			}
		}
	}
	for k := n; k > 0; k = best[k].from {
		ends = append(ends, k)
		faults += count(best[k].fault)
		lower += count(best[k].lower && !best[k].fault)
	}
	slices.Reverse(ends)
	return best[n].cost, ends, faults, lower
}

// rowEnd is the best row that ends before a band.
type rowEnd struct {
	cost         float64 // of all rows up to here
	from         int     // the first band of the row
	fault, lower bool
}

// unpainted reports whether words below the bands from and to were painted before some in them.
func (s *seating) unpainted(from, to int) bool {
	return slices.Max(s.latest[from:to]) > s.later[to]
}

// seat is a text of a row.
type seat struct {
	y0, y1 float64
	last   *part // its last line; nil if there is no text
	number bool  // this line is a number
	opens  int   // the number of further lines that do not begin with a lower-case letter
	spans  bool
}

// add adds the pieces of a band to the texts of a row. It returns what speaks against that,
// and false if they are not lines of these texts.
func (s *seating) add(cells []seat, band int) (against float64, ok bool) {
	for k := range s.bands[band] {
		q, number := &s.bands[band][k], s.numbers[band][k]
		c := &cells[q.c0]
		switch o := c.last; {
		case o == nil:
			c.y0 = q.y0
		case math.Abs(q.y1-o.y1) < .3*s.size: // the rest of a line
		case q.y1-o.y1 > s.lead+.15*s.size, c.spans, q.c0 != q.c1:
			return against, false
		default:
			w := &q.words[0]
			if o.x1()-o.words[0].Box.X0+.3*w.Size+w.Box.Width() < s.widths[q.c0]-.2*w.Size || number && c.number {
				against += noWrap
			}
			c.opens += count(!startsLower(q.words[0].Text))
		}
		c.y1, c.last, c.number = q.y1, q, number
		c.spans = c.spans || q.c0 != q.c1
	}
	return against, true
}

// stands reports whether all texts of a row stand at one height.
func (s *seating) stands(cells []seat, at float64) bool {
	y0, y1 := math.Inf(1), math.Inf(-1)
	for i := range cells {
		if c := &cells[i]; c.last != nil {
			y0, y1 = min(y0, c.y0), max(y1, c.y1)
		}
	}
	for i := range cells {
		if c := &cells[i]; c.last != nil && math.Abs((c.y0-y0)*(1-at)+(c.y1-y1)*at) > standing*s.size {
			return false
		}
	}
	return true
}

// lacks returns what speaks against a row because it has no text in some columns, and because
// further lines of its texts may be texts of their own.
func (s *seating) lacks(cells []seat) float64 {
	sum, texts := 0., 0
	for j := range cells {
		sum += opening * float64(cells[j].opens)
		switch {
		case cells[j].spans:
			return 0
		case cells[j].last != nil:
			texts++
		case j == 0:
			sum += noLabel
		default:
			sum += noValue
		}
	}
	if texts == 1 && cells[0].last != nil {
		return opening * float64(cells[0].opens) // the title of a section, perhaps
	}
	return sum
}
