// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
)

// survey has the measures of a page that the passes over all pages need. It
// stays available while the page is packed.
type survey struct {
	sizes  []sized // rounded to half points
	chars  int     // number of all characters
	bold   int     // number of bold characters
	texts  int     // number of lines with letters or digits
	sides  []int   // lines along the sides of the page, watermarks, and numbers of lines
	margin []candidate
}

// sized is the number of characters in a rounded font size.
type sized struct {
	size  float64
	chars int
}

// survey measures the lines of p on the first call.
func (p *Page) survey() *survey {
	if p.seen != nil {
		return p.seen
	}
	s := &survey{}
	first, last := math.Inf(1), math.Inf(-1)
	for i := range p.Lines {
		mid := (p.Lines[i].Box.Y0 + p.Lines[i].Box.Y1) / 2
		first, last = min(first, mid), max(last, mid)
	}
	for i := range p.Lines {
		l := &p.Lines[i]
		s.texts += count(slices.ContainsFunc(l.Words, func(w Word) bool { return hasAlnum(w.Text) }))
		for k := range l.Words {
			w := &l.Words[k]
			n := utf8.RuneCountInString(w.Text)
			s.add(math.Round(w.Size*2)/2, n)
			if w.Bold() {
				s.bold += n
			}
		}
		if c, ok := p.candidate(i, first, last); ok {
			s.margin = append(s.margin, c)
		}
	}
	s.sides = slices.Concat(p.alongside(), p.watermarks(s), p.lineNumbers())
	p.seen = s
	return s
}

// sideMargin is the share of the page width, at the left and the right, where texts
// along the side of a page stand, such as the name of an archive.
const sideMargin = .1

// leastSideWords is the number of words of a line of running text.
const leastSideWords = 4

// alongside returns the turned lines in a side margin, beside all of the text of the
// page. Only a page with running text has such lines, because the name of an axis
// stands beside a chart in the same way.
func (p *Page) alongside() []int {
	var turned []int
	prose := 0
	for i := range p.Lines {
		switch l := &p.Lines[i]; l.Turn {
		case 0:
			prose += count(len(l.Words) >= leastSideWords)
		case 1, 3:
			turned = append(turned, i)
		}
	}
	if len(turned) == 0 || prose < leastLines {
		return nil
	}
	x0, x1 := p.extent(nil)
	return sorting.Without(turned, func(i int) bool {
		b := &p.Lines[i].Box
		return b.X1 >= min(x0, sideMargin*p.Width) && b.X0 <= max(x1, (1-sideMargin)*p.Width)
	})
}

// The bounds of watermarks: how many times larger than the text they are, the number of
// their words, and the number of lines that they cross.
const (
	markSize    = 2
	markWords   = 6
	markCrosses = 2
)

// watermarks returns the large lines across the text of a page, such as DRAFT. Most are
// slanted. Text that is to be read has no other text on it.
func (p *Page) watermarks(s *survey) []int {
	if s.texts < fewestLines {
		return nil
	}
	usual := s.usual()
	var out []int
	for i := range p.Lines {
		if l := &p.Lines[i]; l.Size >= markSize*usual && len(l.Words) <= markWords && p.crossed(l) >= markCrosses {
			if out = append(out, i); len(out) == mostMarks {
				break
			}
		}
	}
	return out
}

// usual returns the font size of most characters.
func (s *survey) usual() float64 {
	var most sized
	for _, z := range s.sizes {
		if z.chars > most.chars {
			most = z
		}
	}
	return most.size
}

// mostMarks is the maximum number of watermarks that are looked for on one page.
const mostMarks = 16

// crossed returns the number of horizontal lines of much smaller text on l. Of a slanted
// line, those are meant that a diagonal of its box crosses.
func (p *Page) crossed(l *Line) int {
	n := 0
	for i := range p.Lines {
		o := &p.Lines[i]
		y := o.Y - .3*o.Size
		if o.Turn != 0 || o.Size*markSize > l.Size || y <= l.Box.Y0 || y >= l.Box.Y1 {
			continue
		}
		if b := l.inked(); l.Turn != slant {
			n += count(y > b.Y0 && y < b.Y1 && min(o.Box.X1, b.X1)-max(o.Box.X0, b.X0) > o.Size)
			continue
		}
		along := (y - l.Box.Y0) / l.Box.Height() * l.Box.Width()
		n += count(o.Box.X0 < l.Box.X0+along && l.Box.X0+along < o.Box.X1 || o.Box.X0 < l.Box.X1-along && l.Box.X1-along < o.Box.X1)
	}
	return n
}

// inked returns the box of a line without what is above and below its capitals.
func (l *Line) inked() content.Box {
	b := l.Box
	switch l.Turn {
	case 0:
		b.Y0, b.Y1 = l.Y-.7*l.Size, l.Y
	case 1, 3:
		b.X0, b.X1 = b.X0+.2*b.Width(), b.X1-.2*b.Width()
	}
	return b
}

// lineNumbers returns the numbers beside a text that count its lines, such as the 5, 10 and 15
// of a patent. They stand in a column of their own, each beside a line, and each is larger than
// the one before by the number of lines between them. A number beside every line, or beside every
// paragraph, is not found.
func (p *Page) lineNumbers() []int {
	var nums []int
	for i := range p.Lines {
		if l := &p.Lines[i]; l.Turn == 0 && len(l.Words) == 1 && l.Words[0].counts() {
			nums = append(nums, i)
		}
	}
	if len(nums) < leastNumbered || len(nums) > mostNumbered {
		return nil
	}
	rows := rowsIn(p, nums)
	for from := range rows {
		first := &p.Lines[rows[from].lines[0]]
		out, last := []int{rows[from].lines[0]}, rows[from].lines[0]
		step := 0
		for _, r := range rows[from+1:] {
			for _, i := range r.lines {
				l := &p.Lines[i]
				d := numberOf(l) - numberOf(&p.Lines[last])
				if math.Abs(l.Box.X1-first.Box.X1) > .3*l.Size && math.Abs(l.Box.X0-first.Box.X0) > .3*l.Size || d < 2 || step > 0 && d != step || p.linesTo(last, i) != d {
					continue
				}
				out, last, step = append(out, i), i, d
			}
		}
		if len(out) >= leastNumbered {
			return out
		}
	}
	return nil
}

// Bounds on the numbers of lines: how many a page has, and how long they are.
const (
	leastNumbered = 3
	mostNumbered  = 200
	maxDigits     = 5
)

// counts reports whether a word may be the number of a line.
func (w *Word) counts() bool { return len(w.Text) < maxDigits && isDigits(w.Text) }

func numberOf(l *Line) int {
	n, _ := strconv.Atoi(l.Words[0].Text)
	return n
}

// linesTo returns by how many baselines line b is below line a, if there is a line of text beside
// b and nothing below or above them in their column. Otherwise it returns -1.
func (p *Page) linesTo(a, b int) int {
	up, low := &p.Lines[a], &p.Lines[b]
	var idx []int
	for i := range p.Lines {
		l := &p.Lines[i]
		if i == a || i == b || l.Turn != 0 || l.Y < up.Y+.3*l.Size || l.Y > low.Y+.3*l.Size {
			continue
		}
		if l.Box.X0 < low.Box.X1 && l.Box.X1 > low.Box.X0 {
			return -1
		}
		idx = append(idx, i)
	}
	rows := rowsIn(p, idx)
	if n := len(rows) - 1; n < 0 || math.Abs(p.Lines[rows[n].lines[0]].Y-low.Y) > .3*low.Size {
		return -1
	}
	return len(rows)
}

// add counts n characters in a font size.
func (s *survey) add(size float64, n int) {
	s.chars += n
	for i := range s.sizes {
		if s.sizes[i].size == size {
			s.sizes[i].chars += n
			return
		}
	}
	s.sizes = append(s.sizes, sized{size, n})
}

// candidate returns line i as a candidate, or false if it is not in a
// margin. first and last are the heights of the first and last line of the
// page.
func (p *Page) candidate(i int, first, last float64) (candidate, bool) {
	l := &p.Lines[i]
	mid := (l.Box.Y0 + l.Box.Y1) / 2
	top := mid < margin*p.Height || mid < wideMargin*p.Height && mid < first+.5*l.Size
	bottom := mid > (1-margin)*p.Height || mid > (1-wideMargin)*p.Height && mid > last-.5*l.Size
	if !top && !bottom || l.Turn == slant {
		return candidate{}, false
	}
	c := candidate{line: i, y: mid, size: l.Size, top: top, artifact: true}
	for k := range l.Words {
		if l.Words[k].Flags&content.Artifact == 0 {
			c.artifact = false
			break
		}
	}
	text := l.Text()
	c.shape, c.number, c.bare = shapeOf(text)
	switch {
	case c.shape == "#roman":
		c.numbers = []int{c.number}
	case c.number >= 0:
		c.numbers = numbersOf(text)
		c.twin = !c.bare && p.hasTwin(l)
	}
	c.words, c.title, c.apart = hasAlnum(text), Key(text), p.apart(l, c.top)
	switch {
	case l.Turn != 0:
	case len(l.Words) >= leastProse && !c.apart:
		c.next = p.continuing(l, c.top)
	default:
		c.next = p.rowNext(l, c.top)
	}
	return c, true
}

// hasTwin reports whether a line between the margins differs from l in its numbers only: both
// are items of a list, rows of a table or headings that count.
func (p *Page) hasTwin(l *Line) bool {
	if len(p.Lines) > maxBetween {
		return false
	}
	for i := range p.Lines {
		o := &p.Lines[i]
		if len(o.Words) != len(l.Words) || math.Abs(o.Size-l.Size) > .05*l.Size || o.Words[0].Font != l.Words[0].Font ||
			o.Y < margin*p.Height || o.Y > (1-margin)*p.Height || math.Abs(o.Box.X0-l.Box.X0) > .3*l.Size && math.Abs(o.Box.X1-l.Box.X1) > .3*l.Size {
			continue
		}
		k := 0
		for k < len(l.Words) && (o.Words[k].Text == l.Words[k].Text || hasDigits(o.Words[k].Text) && hasDigits(l.Words[k].Text)) {
			k++
		}
		if k == len(l.Words) {
			return true
		}
	}
	return false
}

// continuing returns the line next to l, below it or above it, if both may be lines
// of one paragraph.
func (p *Page) continuing(l *Line, below bool) []int {
	best, at := 1.6*l.Size, -1
	for i := range p.Lines {
		o := &p.Lines[i]
		d := o.Y - l.Y
		if !below {
			d = -d
		}
		if o.Turn == 0 && d > .3*l.Size && d < best && math.Abs(o.Size-l.Size) < .05*l.Size && o.Box.X0 < l.Box.X1 && o.Box.X1 > l.Box.X0 {
			best, at = d, i
		}
	}
	if at < 0 {
		return nil
	}
	return []int{at}
}

// rowNext returns the lines of the row directly below l, or above it, if they are as many as
// the headings of a table, and in the same size. If l stands in such a row itself,
// the distance may be larger. If the row after it is as far away, both are rows of a table:
// two texts are enough then, and the row may be above l.
func (p *Page) rowNext(l *Line, below bool) []int {
	if len(p.Lines) > maxBetween {
		return nil
	}
	own, first, second := 0, math.Inf(1), math.Inf(1) // the lines beside l, and the distances of the next two rows
	sign := -1.0
	if below {
		sign = 1
	}
	for k := range p.Lines {
		if p.Lines[k].Turn != 0 {
			continue
		}
		switch d := sign * (p.Lines[k].Y - l.Y); {
		case d > first+.3*l.Size:
			second = min(second, d)
		case d > .3*l.Size:
			if d < first-.3*l.Size {
				second = first
			}
			first = min(first, d)
		case d > -.2*l.Size:
			own++
		}
	}
	least := leastHeads
	switch {
	case own > 1 && first < 5*l.Size && math.Abs(second-2*first) < .15*first:
		least = 2
	case !below || first > 2.5*l.Size || own < leastHeads && first > 1.6*l.Size:
		return nil
	}
	var out []int
	for k := range p.Lines {
		if o := &p.Lines[k]; o.Turn == 0 && math.Abs(sign*(o.Y-l.Y)-first) < .2*l.Size && math.Abs(o.Size-l.Size) < .15*l.Size {
			out = append(out, k)
		}
	}
	if len(out) < least {
		return nil
	}
	return out
}

// maxBetween is the number of lines on a page up to which apart compares
// them.
const maxBetween = 4096

// apart reports whether the white space between a line in a margin and the
// body is larger than the space between lines of a text.
func (p *Page) apart(l *Line, top bool) bool {
	if len(p.Lines) > maxBetween {
		return false
	}
	for i := range p.Lines {
		d := p.Lines[i].Y - l.Y
		if !top {
			d = -d
		}
		if d > .3*l.Size && d < 1.6*l.Size {
			return false
		}
	}
	return true
}

// unnumber makes lines of their own of the numbers that lineNumbers would find if they did not
// stand so close to the text of their lines that they are part of it.
func (p *Page) unnumber() {
	var from []int
	for i := range p.Lines {
		if l := &p.Lines[i]; l.Turn == 0 && len(l.Words) > 1 && l.Words[0].counts() && l.Words[1].X0-l.Words[0].X1 > narrow*l.Size {
			from = append(from, i)
		}
	}
	if len(from) < leastNumbered || len(from) > mostNumbered {
		return
	}
	own := len(p.Lines)
	q := Page{Lines: slices.Clone(p.Lines)}
	for _, i := range from {
		l := &p.Lines[i]
		q.Lines[i] = l.of(l.Words[1:])
		q.Lines = append(q.Lines, l.of(l.Words[:1]))
	}
	for _, k := range q.lineNumbers() {
		if k >= own {
			i := from[k-own]
			p.Lines[i] = q.Lines[i]
			p.Lines = append(p.Lines, q.Lines[k])
		}
	}
}
