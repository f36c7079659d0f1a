// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"context"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
)

// Line is a segment of a line of text: words side by side without a wide gap
// between them. Two columns give two segments on one baseline.
type Line struct {
	Words []Word // in reading order; nil in the blocks that Build returns
	Box   content.Box
	Y     float64 // y coordinate of the baseline
	Size  float64 // font size of most of its characters
	Turn  frame   // writing direction; 0 is along x
	RTL   bool

	Ends bool // it ends on purpose, as in an address or a poem: the next line of its paragraph stays a line of its own

	settled *settled // replaces Words in the blocks that Build returns
}

// Text returns the words joined with spaces.
func (l *Line) Text() string {
	if l.settled != nil {
		return l.settled.text
	}
	if len(l.Words) == 1 {
		return l.Words[0].Text
	}
	size := 0
	for i := range l.Words {
		size += len(l.Words[i].Text) + 1
	}
	var b strings.Builder
	b.Grow(size)
	for i := range l.Words {
		if i > 0 && spaced(&l.Words[i-1], &l.Words[i]) {
			b.WriteByte(' ')
		}
		b.WriteString(l.Words[i].Text)
	}
	return b.String()
}

// needsSpace reports whether a gap between two words is a space. Between
// ideographs it is one only if the gap is wide or the page has a space
// character there.
func needsSpace(a, b *Word) bool {
	r, _ := utf8.DecodeLastRuneInString(a.Text)
	s, _ := utf8.DecodeRuneInString(b.Text)
	return !isCJK(r) || !isCJK(s) || b.Space || math.Abs(b.X0-a.X1) > .5*a.Size
}

// lines groups the words of one direction into lines and splits the lines at
// wide gaps. It stops after the row with which there are more than most
// lines.
func lines(ctx context.Context, ws []Word, f frame, most int) []Line {
	if len(ws) == 0 {
		return nil
	}
	rows := rowsOf(ws)
	for i := range rows {
		fromLeft(rows[i])
		rows[i] = dedupe(rows[i])
	}
	rows = marksApart(rows)
	reach := reachOf(rows)
	out := make([]Line, 0, len(rows)+len(rows)/4)
	for i := range rows {
		if i%rowsEvery == 0 && ctx.Err() != nil || len(out) > most {
			break
		}
		out = segments(out, rows, reach, i, f)
	}
	return out
}

// marksApart gives the words of rows that stand on much smaller ones, such as those of
// a watermark, rows of their own.
func marksApart(rows [][]Word) [][]Word {
	marks := 0
	for i := 0; i < len(rows) && marks < mostMarks; i++ {
		for k := 1; k < len(rows[i]); k++ {
			a, b := &rows[i][k-1], &rows[i][k]
			if a.Size < b.Size {
				a, b = b, a
			}
			if least := .7 * a.Size; a.Size >= markSize*b.Size && min(a.X1, b.X1)-max(a.X0, b.X0) > .5*b.Size {
				large := sorting.Without(slices.Clone(rows[i]), func(w Word) bool { return w.Size < least })
				rows[i] = sorting.Without(rows[i], func(w Word) bool { return w.Size >= least })
				i++
				rows = sorting.Insert(rows, i, large)
				marks++
				break
			}
		}
	}
	return rows
}

// fromLeft sorts words by their start. Most are in order, and to move words costs
// more than to look at them.
func fromLeft(ws []Word) {
	if !areFromLeft(ws) {
		sorting.Stable(ws, func(a, b Word) int { return compare(a.X0, b.X0) })
	}
}

// areFromLeft reports whether words are sorted by their start.
func areFromLeft(ws []Word) bool {
	for i := 1; i < len(ws); i++ {
		if !(ws[i-1].X0 <= ws[i].X0) {
			return false
		}
	}
	return true
}

// fromLeft returns the words of l sorted by their start, which the caller must not change.
func (l *Line) fromLeft() []Word {
	if areFromLeft(l.Words) {
		return l.Words
	}
	words := slices.Clone(l.Words)
	fromLeft(words)
	return words
}

// rowsEvery is the number of rows that are split between two checks of ctx.
const rowsEvery = 64

// rowsOf groups words by baseline. Words whose baselines differ by less than
// .3 of the font size are in one row. Superscripts and subscripts are added
// to the row that they touch.
//
// The rows are copies of the words.
func rowsOf(ws []Word) [][]Word {
	order := make([]int32, len(ws))
	for i := range order {
		order[i] = int32(i)
	}
	sorting.Stable(order, func(a, b int32) int { return compare(ws[a].Y, ws[b].Y) })
	type base struct {
		y, size float64 // size is the largest of the first four words
		words   int
	}
	var bases []base
	row := make([]int32, len(ws)) // row index of each word
	for _, i := range order {
		w := &ws[i]
		k := len(bases) - 1
		for k >= 0 && k >= len(bases)-4 && !(math.Abs(w.Y-bases[k].y) <= .3*min(w.Size, bases[k].size)) {
			k--
		}
		if k < 0 || k < len(bases)-4 {
			k = len(bases)
			bases = append(bases, base{y: w.Y})
		}
		b := &bases[k]
		if b.words++; b.words <= 4 {
			b.size = max(b.size, w.Size)
		}
		row[i] = int32(k) //nolint:gosec // below the number of words
	}
	room := make([]Word, len(ws))
	rows := make([][]Word, len(bases))
	for k, b := range bases {
		rows[k], room = room[:0:b.words], room[b.words:]
	}
	for _, i := range order {
		rows[row[i]] = append(rows[row[i]], ws[i])
	}
	return attach(rows)
}

// attach moves superscripts and subscripts into the row that they belong to.
// They are smaller than a word of that row and stand beside it.
func attach(rows [][]Word) [][]Word {
	largest := make([]float64, len(rows)) // largest font size in each row
	for i := range rows {
		for k := range rows[i] {
			largest[i] = max(largest[i], rows[i][k].Size)
		}
	}
	for i := range rows {
		for again := true; again; { // a word beside a superscript is a superscript too
			row, kept := rows[i], 0
			for k := range row {
				if attachTo(rows, largest, i, &row[k]) {
					continue
				}
				if kept < k { // most words stay where they are
					row[kept] = row[k]
				}
				kept++
			}
			rows[i] = row[:kept]
			again = kept < len(row) && kept <= maxRaised
		}
	}
	return sorting.Without(rows, func(r []Word) bool { return len(r) == 0 })
}

// maxRaised is the number of remaining words in a row up to which they are
// checked again after some of them have been moved.
const maxRaised = 16

// maxNeighbours bounds the words of a row that one word is compared with.
const maxNeighbours = 1000

func attachTo(rows [][]Word, largest []float64, i int, w *Word) bool {
	if utf8.RuneCountInString(w.Text) > 12 {
		return false
	}
	if w.Glue && within(rows, i, w) {
		return true
	}
	for _, k := range [...]int{i + 1, i - 1, i + 2, i - 2} {
		if k < 0 || k >= len(rows) || w.Size > .85*largest[k] {
			continue
		}
		for j := range rows[k][:min(len(rows[k]), maxNeighbours)] {
			o := &rows[k][j]
			if o.Rise != 0 && runsOn(o, w) {
				w.Rise, w.Glue = o.Rise, w.Glue || w.X0-o.X1 < wordGap*w.Size
				rows[k] = append(rows[k], *w)
				return true
			}
			shift, ok := raised(o, w)
			if !ok {
				continue
			}
			w.Rise = 1
			if shift < 0 {
				w.Rise = -1
			}
			w.Glue = w.Glue || w.X0-o.X1 < .16*o.Size && w.X0 > o.X0
			rows[k] = append(rows[k], *w)
			return true
		}
	}
	return len(w.Text) <= maxMark && noteMark(w.Text) == w.Text && attachMark(rows, i, w)
}

// widestMark is the largest gap between the raised mark of a note and its text, in
// font sizes. It is a space that may be stretched.
const widestMark = .5

// attachMark moves the raised mark of a note into the row that begins beside it.
func attachMark(rows [][]Word, i int, w *Word) bool {
	for _, k := range [...]int{i + 1, i + 2} {
		if k >= len(rows) {
			break
		}
		for j := range rows[k][:min(len(rows[k]), maxNeighbours)] {
			o := &rows[k][j]
			shift, gap := o.Y-w.Y, o.X0-w.X1
			if gap < 0 || gap > widestMark*o.Size || shift < .1*o.Size || shift > .62*o.Size || w.Size > .85*o.Size || w.Size < .3*o.Size {
				continue
			}
			w.Rise = 1
			rows[k] = append(rows[k], *w)
			return true
		}
	}
	return false
}

// raised returns how far the smaller word w is above (positive) or below
// (negative) the baseline of o directly beside it. It returns false if w is
// not a superscript or subscript of o.
func raised(o, w *Word) (shift float64, ok bool) {
	shift = o.Y - w.Y
	if w.Size > .85*o.Size || w.Size < .3*o.Size || math.Abs(shift) > .62*o.Size || math.Abs(shift) < .1*o.Size {
		return 0, false
	}
	if gap := w.X0 - o.X1; gap >= -.3*o.Size && gap <= .35*o.Size {
		return shift, true
	}
	gap := o.X0 - w.X1
	return shift, shift >= 0 && gap >= -.2*o.Size && gap <= .25*o.Size
}

// runsOn reports whether w continues directly after o at the same height and
// size.
func runsOn(o, w *Word) bool {
	return math.Abs(o.Y-w.Y) < .1*w.Size && math.Abs(o.Size-w.Size) < .1*w.Size && math.Abs(w.X0-o.X1) < .3*w.Size
}

// within moves one or two letters into a neighbouring row if they stand
// inside a word of it, such as the lowered E of TeX.
func within(rows [][]Word, i int, w *Word) bool {
	if utf8.RuneCountInString(w.Text) > 2 {
		return false
	}
	for _, k := range [...]int{i + 1, i - 1} {
		if k < 0 || k >= len(rows) {
			continue
		}
		before, behind := false, false
		for j := range rows[k][:min(len(rows[k]), maxNeighbours)] {
			o := &rows[k][j]
			if math.Abs(o.Y-w.Y) > shifted*min(o.Size, w.Size) || math.Abs(o.Size-w.Size) > .05*w.Size {
				continue
			}
			before = before || paintedAfter(o, w) && math.Abs(w.X0-o.X1) < .45*w.Size
			behind = behind || o.Glue && paintedAfter(w, o) && math.Abs(o.X0-w.X1) < .45*w.Size
		}
		if before && behind {
			rows[k] = append(rows[k], *w)
			return true
		}
	}
	return false
}

// paintedAfter reports whether b was painted directly after a.
func paintedAfter(a, b *Word) bool {
	return b.Seq > a.Seq && b.Seq-a.Seq <= utf8.RuneCountInString(a.Text)
}

// segmentGap is the gap, in em, that ends a segment.
const segmentGap = 1.5

// riverGap is the smallest gap, in em, that a river may have in a line. In
// monospaced text, whose spaces are .6 em wide, it is fixedGap.
const (
	riverGap = .55
	fixedGap = .7
)

// leastRiver returns the smallest gap, in em, that a river may have between
// two words.
func leastRiver(a, b *Word) float64 {
	if a.face()&b.face()&Fixed != 0 {
		return fixedGap
	}
	return riverGap
}

// segments splits row i at wide gaps and at rivers, and adds the lines to out. It
// keeps the wide word spaces of justified lines.
func segments(out []Line, rows [][]Word, reach [][]float64, i int, f frame) []Line {
	row := rows[i]
	start := 0     // first word of the segment
	from := 0      // first word after the last river
	var wide []int // wide gaps since the last river
	for k := 1; k <= len(row); k++ {
		if k < len(row) {
			w, p := &row[k], &row[k-1]
			gap := w.X0 - p.X1
			size := max(w.Size, p.Size)
			if p.Cut || gap > .3*size || gap < -.3*size && (gap < -.45*size || !paintedAfter(p, w)) {
				w.Glue = false
			} else if !w.Glue && gap < wordGap*.4*size && w.Seq == p.Seq+1 && gap > -.2*size {
				w.Glue = true
			}
			apart := p.Cut && gap < wordGap*size || gap > widestGap*size || gap >= segmentGap*size && math.Abs(w.Y-p.Y) > .1*size
			if !apart && (gap < leastRiver(p, w)*size || !river(rows, reach, i, p.X1, w.X0)) {
				if gap >= segmentGap*size {
					wide = append(wide, k)
				}
				continue
			}
		}
		if len(wide) > 0 && !stretched(rows, i, from, k) {
			for _, at := range wide {
				out = append(out, newLine(row[start:at:at], f))
				start = at
			}
		}
		out = append(out, newLine(row[start:k:k], f))
		start, from, wide = k, k, wide[:0]
	}
	return out
}

// stretched reports whether the words from index from up to index to of row
// i are a justified line of a narrow column. Its gaps must be similar, its
// end must be aligned with another line of the column that has no wide gaps,
// and the first word of the next line must not have fitted into it.
func stretched(rows [][]Word, i, from, to int) bool {
	line := rows[i][from:to]
	size := line[0].Size
	if len(line) > longRow || line[0].face()&Fixed != 0 { // monospaced text keeps its columns
		return false
	}
	least, most, room, gaps := math.Inf(1), 0.0, 0.0, 0.0
	for k := 1; k < len(line); k++ {
		if !line[k].Glue {
			gap := line[k].X0 - line[k-1].X1
			least, most = min(least, gap), max(most, gap)
			room += gap
			gaps++
		}
	}
	if most-least > flush*size {
		return false
	}
	left, full := 0.0, false
	for _, step := range [...]int{-1, 1} {
		for k := i + step; !full && k >= 0 && k < len(rows) && (k-i)*step <= maxRivers; k += step {
			if math.Abs(rows[k][0].Y-line[0].Y) > riverEms*size {
				break
			}
			if len(rows[k]) > longRow {
				continue
			}
			if at := beginning(rows[k], line[0].X0, size); at >= 0 && reaches(rows[k][at:], line[len(line)-1].X1, size) {
				left, full = rows[k][at].X0, true
			}
		}
	}
	if !full {
		return false
	}
	next, ok := wordBelow(rows, i, left, line)
	return ok && room-(gaps+1)*widestSpace*size < next
}

// wordBelow returns the width of the first word of the next line below row i
// that begins at left. It returns false if there is none.
func wordBelow(rows [][]Word, i int, left float64, line []Word) (width float64, ok bool) {
	size := line[0].Size
	for k := i + 1; k < len(rows) && k-i <= riverReach && rows[k][0].Y-line[0].Y < 2*size; k++ {
		for j := range rows[k][:min(len(rows[k]), longRow)] {
			if math.Abs(rows[k][j].X0-left) > flush*size {
				continue
			}
			end := j + 1
			for end < len(rows[k]) && rows[k][end].Glue {
				end++
			}
			return rows[k][end-1].X1 - left, true
		}
	}
	return 0, false
}

// Measures of justified lines, in em: the tolerance for aligned ends, the
// widest normal word space, and the widest stretched word space.
const (
	flush       = .15
	widestSpace = .35
	widestGap   = 8
)

// beginning returns the index of the word of a row at which a line begins at
// x, or further right by an indent. It returns -1 if there is none.
func beginning(row []Word, x, size float64) int {
	out := -1
	for k := range row {
		switch d := x - row[k].X0; {
		case math.Abs(d) < flush*size:
			return k
		case d > 0 && d < 3*size && (k == 0 || row[k].X0-row[k-1].X1 > .9*size):
			out = k
		}
	}
	return out
}

// reaches reports whether at least three words continue up to x without a
// wide gap and end there.
func reaches(words []Word, x, size float64) bool {
	for k := range words {
		if k > 0 && words[k].X0-words[k-1].X1 >= segmentGap*size {
			return false
		}
		if math.Abs(words[k].X1-x) < flush*size {
			return k > 1
		}
	}
	return false
}

// dedupe removes words that lie on top of an equal word, such as shadows,
// and the recognised text of a scan under visible text.
func dedupe(row []Word) []Word {
	out := row[:0]
	for k := range row {
		w := &row[k]
		twin := false
		for i := len(out) - 1; i >= 0 && i >= len(out)-4; i-- {
			o := &out[i]
			if o.Text == w.Text && math.Abs(o.X0-w.X0) < .2*w.Size && math.Abs(o.Y-w.Y) < .2*w.Size {
				twin = true
				if o.Flags&content.Invisible != 0 {
					glue := o.Glue
					*o = *w
					o.Glue = glue
				}
				break
			}
		}
		switch {
		case twin:
		case len(out) == k:
			out = row[:k+1] // most words stay where they are
		default:
			out = append(out, *w)
		}
	}
	return out
}

// newLine makes a line from words that are sorted from left to right. The line
// keeps ws, unless the reading order differs, see also measured.
func newLine(ws []Word, f frame) Line {
	l := measured(unspaced(ws), f)
	for i := range l.Words {
		if hasRTL(l.Words[i].Text) {
			l.Words = slices.Clone(l.Words)
			l.Words[0].Glue = ws[0].Glue // see flip
			l.reorder()
			break
		}
	}
	return l
}

// measured makes a line from words in reading order. The line keeps ws, unless its first word
// belonged to the word before. It does not change ws.
func measured(ws []Word, f frame) Line {
	if ws[0].Glue {
		ws = slices.Clone(ws)
		ws[0].Glue = false
	}
	l := Line{Words: ws, Turn: f, Box: ws[0].Box}
	var room [4]sized // most lines have one size
	sizes := room[:0]
	best := -1
	for i := range l.Words {
		w := &l.Words[i]
		l.Box = l.Box.Union(w.Box)
		if w.Rise != 0 && len(l.Words) > 1 {
			continue
		}
		size, k := math.Round(w.Size*10)/10, 0
		for k < len(sizes) && sizes[k].size != size {
			k++
		}
		if k == len(sizes) {
			sizes = append(sizes, sized{size: size})
		}
		sizes[k].chars += utf8.RuneCountInString(w.Text)
		if sizes[k].chars > best {
			best = sizes[k].chars
			l.Size, l.Y = w.Size, w.Y
		}
	}
	if best < 0 {
		l.Size, l.Y = ws[0].Size, ws[0].Y
	}
	return l
}
