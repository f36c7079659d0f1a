// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"slices"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
)

// maxSlots bounds the number of grid positions of one table.
const maxSlots = 100_000

// lattice has the positions of a grid's lines and the walls, which are the
// borders between neighbouring grid positions.
type lattice struct {
	xs, ys []float64
	right  []bool // wall at the right of each position
	below  []bool // wall below each position
	left   []bool // wall at the left of the first column, by row
	top    []bool // wall above the first row, by column
}

func (l *lattice) columns() int { return len(l.xs) - 1 }
func (l *lattice) rows() int    { return len(l.ys) - 1 }

func newLattice(g *grid) *lattice {
	l := &lattice{xs: places(g.vs), ys: places(g.hs)}
	n, m := l.columns(), l.rows()
	if n < 1 || m < 1 || n*m > maxSlots {
		return nil
	}
	l.right, l.below = make([]bool, n*m), make([]bool, n*m)
	l.left, l.top = make([]bool, m), make([]bool, n)
	for _, v := range g.vs {
		j := nearest(l.xs, v.at)
		for i := range m {
			if !covers(v, l.ys[i], l.ys[i+1]) {
				continue
			}
			if j == 0 {
				l.left[i] = true
			} else {
				l.right[i*n+j-1] = true
			}
		}
	}
	for _, h := range g.hs {
		i := nearest(l.ys, h.at)
		for j := range n {
			if !covers(h, l.xs[j], l.xs[j+1]) {
				continue
			}
			if i == 0 {
				l.top[j] = true
			} else {
				l.below[(i-1)*n+j] = true
			}
		}
	}
	return l
}

// covers reports whether e covers at least 60 % of lo to hi.
func covers(e edge, lo, hi float64) bool {
	return min(e.hi, hi)-max(e.lo, lo) >= .6*(hi-lo)
}

func nearest(all []float64, v float64) int {
	best := 0
	for i, a := range all {
		if math.Abs(a-v) < math.Abs(all[best]-v) {
			best = i
		}
	}
	return best
}

// span is a table cell: the grid positions in rows i0 to i1 and columns j0
// to j1, inclusive.
type span struct{ i0, j0, i1, j1 int }

// cells merges grid positions without a wall between them into cells. A
// shape that is not a rectangle is cut to rectangles.
func (l *lattice) cells() []span {
	n, m := l.columns(), l.rows()
	seen := make([]bool, n*m)
	var out []span
	for i := range m {
		for j := range n {
			if seen[i*n+j] {
				continue
			}
			s := l.grow(i, j, seen)
			for a := s.i0; a <= s.i1; a++ {
				for b := s.j0; b <= s.j1; b++ {
					seen[a*n+b] = true
				}
			}
			out = append(out, s)
		}
	}
	return out
}

// grow extends a cell to the right and then down until it meets a wall.
func (l *lattice) grow(i, j int, seen []bool) span {
	n, m := l.columns(), l.rows()
	s := span{i, j, i, j}
	for s.j1+1 < n && !l.right[i*n+s.j1] && !seen[i*n+s.j1+1] {
		s.j1++
	}
	for s.i1+1 < m {
		for b := s.j0; b <= s.j1; b++ {
			if l.below[s.i1*n+b] || seen[(s.i1+1)*n+b] {
				return s
			}
			if b < s.j1 && l.right[(s.i1+1)*n+b] {
				return s
			}
		}
		if s.j1+1 < n && !l.right[(s.i1+1)*n+s.j1] && !seen[(s.i1+1)*n+s.j1+1] && l.right[s.i1*n+s.j1] {
			return s
		}
		s.i1++
	}
	return s
}

// ruledTables finds the tables of a page that have ruling lines, and the listings whose lines
// have a background each. It removes their words from the page's lines.
func ruledTables(p *Page) (out []Table, listings []Block) {
	hs, vs := p.edges()
	if len(hs) < 1 || len(vs) < 1 {
		return nil, nil
	}
	gs := regrouped(grids(hs, vs))
	fs := familiesOf(unwalled(hs, gs), p.Height)
	for _, g := range gs {
		g.close()
		l := newLattice(&g)
		if l == nil || slices.ContainsFunc(fs, func(f family) bool { return f.exceeds(l.box(), &g) }) {
			continue
		}
		t, ok := l.read(p)
		switch {
		case !ok:
		case t.codeLines():
			listings = append(listings, t.code(p.Number))
		default:
			t.crown(p)
			out = append(out, t)
		}
	}
	return out, listings
}

// read reads the region of a lattice in both ways and removes the words of
// the better reading from the lines of the page. It reads a lattice of one
// column as a list.
func (l *lattice) read(p *Page) (Table, bool) {
	if l.columns() < 2 {
		return l.list(p)
	}
	drawn, rest, ok := l.table(p)
	if r, in := regionOf(p, l.box()); in {
		if t, fine := r.better(&drawn, ok); fine {
			r.take()
			t.gather(p)
			return t, true
		}
	}
	if ok {
		p.Lines = rest
		drawn.Ruled = true // also if its cells were found by the text within the lines
		drawn.unjoin()
		drawn.gather(p)
	}
	return drawn, ok
}

// box returns the outer border of the lattice.
func (l *lattice) box() content.Box {
	return content.Box{X0: l.xs[0], Y0: l.ys[0], X1: l.xs[len(l.xs)-1], Y1: l.ys[len(l.ys)-1]}
}

// table fills a lattice with the words of the page and returns the lines
// without them. It returns false if the grid is not a table but a frame, a
// chart, or nearly empty.
func (l *lattice) table(p *Page) (Table, []Line, bool) {
	box := l.box()
	spans := l.cells()
	t := Table{Box: box, Columns: l.columns(), Ruled: true, Conf: 1}
	if len(spans) < 2 || box.Height() < 8 || box.Width() < 20 {
		return t, nil, false
	}
	for range l.rows() {
		row := make([]Cell, t.Columns)
		for j := range row {
			row[j].Covered = true
			row[j].ColSpan, row[j].RowSpan = 1, 1
		}
		t.Rows = append(t.Rows, row)
	}
	for _, s := range spans {
		c := &t.Rows[s.i0][s.j0]
		c.Covered = false
		c.ColSpan, c.RowSpan = s.j1-s.j0+1, s.i1-s.i0+1
		c.Box = content.Box{X0: l.xs[s.j0], Y0: l.ys[s.i0], X1: l.xs[s.j1+1], Y1: l.ys[s.i1+1]}
	}
	taken := gather(p.Lines, box)
	if len(taken.words) == 0 {
		return t, nil, false
	}
	t.seq = taken.seq
	l.place(&t, taken.words)
	t.unspan(l.ys)
	t.compact()
	filled, cells := t.filled()
	if len(t.Rows) < 2 && !t.form() || t.Columns < 2 || filled < 2 || filled*10 < cells*3 {
		return t, nil, false
	}
	if p.Curves > 200 && filled*2 < cells {
		return t, nil, false
	}
	switch inner, ok := framed(p, &t); {
	case ok:
		t = inner
	case t.prose():
		return t, nil, false
	default:
		t.headers()
	}
	return t, taken.rest, true
}

// framed reads the inside of a grid by its white space, for grids with lines
// only around groups of rows. Most words must be in cells with many lines,
// and the result must have clearly more rows, many of them with numbers.
func framed(p *Page, t *Table) (Table, bool) {
	if t.stacked() < .6 {
		return Table{}, false
	}
	var idx []int
	for i := range p.Lines {
		l := &p.Lines[i]
		x, y := (l.Box.X0+l.Box.X1)/2, (l.Box.Y0+l.Box.Y1)/2
		if x > t.Box.X0 && x < t.Box.X1 && y > t.Box.Y0 && y < t.Box.Y1 {
			if l.Turn != 0 {
				return Table{}, false
			}
			idx = append(idx, i)
		}
	}
	if len(idx) < 4 {
		return Table{}, false
	}
	z := newZone(p, rowsIn(p, idx))
	inner, ok := z.table(p)
	if !ok || len(inner.Rows) < 2*len(t.Rows) || inner.Columns < t.Columns || inner.density() < .3 {
		return Table{}, false
	}
	inner.Box, inner.Conf = t.Box, .8
	return inner, true
}

// taken is the result of gather.
type taken struct {
	words []Word
	rest  []Line // lines that stay on the page
	seq   int    // lowest position of words in the order of painting
}

// gather splits lines by whether the centres of their words are in box.
func gather(lines []Line, box content.Box) taken {
	t := taken{seq: math.MaxInt}
	for i := range lines {
		l := &lines[i]
		if l.Box.X1 < box.X0 || l.Box.X0 > box.X1 || l.Box.Y1 < box.Y0 || l.Box.Y0 > box.Y1 || l.Turn == slant {
			t.rest = append(t.rest, *l)
			continue
		}
		within := func(w *Word) bool {
			x, y := (w.Box.X0+w.Box.X1)/2, (w.Box.Y0+w.Box.Y1)/2
			return x >= box.X0 && x <= box.X1 && y >= box.Y0 && y <= box.Y1
		}
		var out []Word
		n := len(t.words)
		for k := range l.Words {
			if w := &l.Words[k]; within(w) {
				t.words = append(t.words, *w)
				t.seq = min(t.seq, w.Seq)
			} else {
				out = append(out, *w)
			}
		}
		switch {
		case len(t.words) == n:
			t.rest = append(t.rest, *l)
		case len(out) > 0:
			t.rest = append(t.rest, newLine(out, l.Turn))
		}
	}
	return t
}

// place puts words into the cells that contain their centres.
func (l *lattice) place(t *Table, words []Word) {
	n := l.columns()
	owner := make([]int, n*l.rows())
	for i := range t.Rows {
		for j := range t.Rows[i] {
			c := &t.Rows[i][j]
			if c.Covered {
				continue
			}
			for a := i; a < i+c.RowSpan; a++ {
				for b := j; b < j+c.ColSpan; b++ {
					owner[a*n+b] = i*n + j
				}
			}
		}
	}
	at := make([]int, len(words))      // the cell of each word
	ends := make([]int, n*l.rows()+1)  // where the words of each cell end, and those of the next begin
	sorted := make([]Word, len(words)) // by cell
	for k := range words {
		b := &words[k].Box
		at[k] = owner[slot(l.ys, (b.Y0+b.Y1)/2)*n+slot(l.xs, (b.X0+b.X1)/2)]
		ends[at[k]+1]++
	}
	for k := range ends[1:] {
		ends[k+1] += ends[k]
	}
	for k := range words {
		sorted[ends[at[k]]] = words[k]
		ends[at[k]]++
	}
	from := 0
	for k, to := range ends[:n*l.rows()] {
		if to > from {
			t.Rows[k/n][k%n].Lines = cellLines(nil, sorted[from:to:to])
		}
		from = to
	}
}

// slot returns the i with all[i] <= v < all[i+1], limited to valid
// intervals.
func slot(all []float64, v float64) int {
	i, found := slices.BinarySearch(all, v)
	if !found {
		i--
	}
	return max(0, min(i, len(all)-2))
}

// list reads a lattice of one column. It must have a border of its own
// around each of at least three short texts, or around two lines.
func (l *lattice) list(p *Page) (Table, bool) {
	t := Table{Box: l.box(), Columns: 1, Ruled: true, Conf: 1}
	if l.columns() < 1 || l.rows() < 2 || l.rows() > maxSlots {
		return t, false
	}
	r, ok := regionOf(p, l.box())
	if !ok {
		return t, false
	}
	rows := make([][]Word, l.rows())
	for _, i := range r.idx {
		at := slot(l.ys, p.Lines[i].Y-.3*p.Lines[i].Size)
		rows[at] = append(rows[at], p.Lines[i].Words...)
	}
	words, most, lines := 0, 0, 0
	for i, ws := range rows {
		if len(ws) == 0 {
			continue
		}
		c := Cell{ColSpan: 1, RowSpan: 1, Lines: cellLines(nil, ws), Box: content.Box{X0: t.Box.X0, X1: t.Box.X1, Y0: l.ys[i], Y1: l.ys[i+1]}}
		words, most, lines = words+len(ws), max(most, len(ws)), lines+len(c.Lines)
		for k := range c.Lines {
			if n, one := (&Cell{Lines: c.Lines[k : k+1]}).values(); n > one {
				return t, false // several columns
			}
		}
		if k := c.headed(); k > 0 && len(t.Rows) == 0 {
			head := c
			head.Lines, c.Lines = c.Lines[:k:k], c.Lines[k:]
			t.Rows = append(t.Rows, []Cell{head})
		}
		t.Rows = append(t.Rows, []Cell{c})
	}
	n := len(t.Rows)
	if n < 2 || n == 2 && lines > 2 || words > 14*n || most > 40 {
		return t, false
	}
	t.sequence()
	t.headers()
	r.take()
	return t, true
}

// headed returns how many lines at the top of a cell are a header without a
// line below it: bold ones, or those above a wide gap.
func (c *Cell) headed() int {
	for k := 1; k < len(c.Lines); k++ {
		a, b := &c.Lines[k-1], &c.Lines[k]
		if a.bold() && !b.bold() || textBox(b).Y0-textBox(a).Y1 > .6*a.Size {
			return k
		}
	}
	return 0
}

// struck is the flag of struck-through words. It reuses the bit of
// content.Space, which marks gaps and is never set on words.
const struck = content.Space

// Limits for a strike-through line, in em: its height above the baseline,
// and the largest distance between its ends and the ends of the words.
const (
	strikeLow  = .15
	strikeHigh = .42
	strikeEnds = .4
)

// strike marks words that are struck through, reads underscores that are drawn as lines, and
// removes both lines from the rules. The line through words begins and ends with them,
// unlike table lines and fraction bars.
func (p *Page) strike() {
	idx := make([]int, 0, len(p.Rules)) // thin horizontal rules, sorted by height
	for i := range p.Rules {
		if r := &p.Rules[i]; r.Horizontal() && r.X1 > r.X0 && r.Color != 0xffffff {
			idx = append(idx, i)
		}
	}
	if len(idx) == 0 || len(idx) > maxEdges {
		return
	}
	sorting.Stable(idx, func(a, b int) int { return compare(p.Rules[a].Y0, p.Rules[b].Y0) })
	drawn := make([]bool, len(p.Rules))
	for i := range p.Lines {
		l := &p.Lines[i]
		if l.Turn != 0 {
			continue
		}
		k, _ := slices.BinarySearchFunc(idx, l.Y-strikeHigh*l.Size, func(i int, y float64) int { return compare(p.Rules[i].Y0, y) })
		for n := 0; k < len(idx) && n < maxStrikes && p.Rules[idx[k]].Y0 < l.Y+underscoreLow*l.Size; k, n = k+1, n+1 {
			r := &p.Rules[idx[k]]
			switch up := (l.Y - r.Y0) / l.Size; {
			case up > strikeLow:
				drawn[idx[k]] = drawn[idx[k]] || l.strikes(r)
			case up < underscoreHigh && r.X1-r.X0 < underscoreMax*l.Size:
				drawn[idx[k]] = drawn[idx[k]] || !p.pieced(idx, k) && l.underscore(r)
			}
		}
	}
	if slices.Contains(drawn, true) {
		p.dropRules(drawn)
	}
}

// Limits for an underscore, in em: its height above and below the baseline, its width, and its
// distance to the letter beside it. TeX draws one in fonts that do not have it.
const (
	underscoreHigh = .08
	underscoreLow  = .12
	underscoreMin  = .22
	underscoreMax  = .42
	underscoreNear = .15
)

// pieced reports whether another line begins or ends where the line idx[k] does, as the
// pieces of an underline below several words do.
func (p *Page) pieced(idx []int, k int) bool {
	r := &p.Rules[idx[k]]
	for i := max(0, k-maxStrikes); i < min(len(idx), k+maxStrikes); i++ {
		if o := &p.Rules[idx[i]]; i != k && math.Abs(o.Y0-r.Y0) < r.Width+.5 && (math.Abs(o.X1-r.X0) < .3 || math.Abs(o.X0-r.X1) < .3) {
			return true
		}
	}
	return false
}

// underscore adds the underscore that the short line r draws to the words of l. It returns
// false if r is too short, is below a word, or has no letter or digit of a text beside it:
// signs of formulas have lines, too.
func (l *Line) underscore(r *content.Rule) bool {
	near := underscoreNear * l.Size
	if l.RTL || r.X1-r.X0 < underscoreMin*l.Size || r.Width > underscoreHigh*l.Size {
		return false
	}
	k := 0 // the word after the underscore
	for k < len(l.Words) && l.Words[k].X0 < r.X0 {
		k++
	}
	var before, after *Word
	if k > 0 {
		before = &l.Words[k-1]
	}
	if k < len(l.Words) {
		after = &l.Words[k]
	}
	if before != nil && before.X1 > r.X0+.3*near || after != nil && after.X0 < r.X1-.3*near {
		return false
	}
	follows, goesOn := before != nil && before.X1 > r.X0-near, after != nil && after.X0 < r.X1+near
	like := after
	if follows {
		like = before
	}
	if !follows && !goesOn || !hasAlnum(like.Text) && (!goesOn || !hasAlnum(after.Text)) || like.face()&formula != 0 {
		return false
	}
	w := *like
	w.Text, w.Rise, w.Y, w.X0, w.X1, w.Glue = "_", 0, l.Y, r.X0, r.X1, follows
	w.Box.X0, w.Box.X1 = r.X0, r.X1
	if goesOn {
		after.Glue = true
	}
	l.Words = sorting.Insert(l.Words, k, w)
	l.Box = l.Box.Union(w.Box)
	return true
}

// maxStrikes bounds the rules that are compared with one line of text.
const maxStrikes = 64

// strikes marks the words of l between the ends of r. It returns false if r
// does not begin and end with a word.
func (l *Line) strikes(r *content.Rule) bool {
	first, last := math.Inf(1), math.Inf(-1)
	for i := range l.Words {
		if w := &l.Words[i]; w.X0+w.X1 > 2*r.X0 && w.X0+w.X1 < 2*r.X1 {
			first, last = min(first, w.X0), max(last, w.X1)
		}
	}
	if math.Abs(first-r.X0) > strikeEnds*l.Size || math.Abs(last-r.X1) > strikeEnds*l.Size || r.Width > .15*l.Size {
		return false
	}
	for i := range l.Words {
		if w := &l.Words[i]; w.X0+w.X1 > 2*r.X0 && w.X0+w.X1 < 2*r.X1 {
			w.Flags |= struck
		}
	}
	return true
}
