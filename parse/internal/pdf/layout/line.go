// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/curlew/parse/internal/pdf/content"
)

// Line is a segment of a line of text: words side by side without a wide gap.
// Two columns give two segments on one baseline.
type Line struct {
	Words []Word // in reading order; nil in what Build returns
	Box   content.Box
	Y     float64 // of the baseline
	Size  float64 // of most of its characters
	Turn  frame   // 0: along x; else the line runs in another direction
	RTL   bool

	settled *settled // of blocks that Build returns, in place of Words
}

// Text returns the words joined by spaces.
func (l *Line) Text() string {
	if l.settled != nil {
		return l.settled.text
	}
	if len(l.Words) == 1 {
		return l.Words[0].Text
	}
	var b strings.Builder
	for i := range l.Words {
		if i > 0 && spaced(&l.Words[i-1], &l.Words[i]) {
			b.WriteByte(' ')
		}
		b.WriteString(l.Words[i].Text)
	}
	return b.String()
}

// needsSpace says whether a gap between two words is a space: between
// ideographs only where it is wide or was set as a space.
func needsSpace(a, b *Word) bool {
	r, _ := utf8.DecodeLastRuneInString(a.Text)
	s, _ := utf8.DecodeRuneInString(b.Text)
	return !isCJK(r) || !isCJK(s) || b.Space || math.Abs(b.X0-a.X1) > .5*a.Size
}

// lines groups the words of one frame into lines and cuts them at wide gaps. The
// rows that come after more than most lines are left out.
func lines(ctx context.Context, ws []Word, f frame, most int) []Line {
	if len(ws) == 0 {
		return nil
	}
	room := wordSpace.get(len(ws))
	defer wordSpace.put(room)
	rows := rowsOf(ws, room)
	for i := range rows {
		slices.SortStableFunc(rows[i], func(a, b Word) int { return cmp.Compare(a.X0, b.X0) })
		rows[i] = dedupe(rows[i])
	}
	reach := reachOf(rows)
	var out []Line
	for i := range rows {
		if i%rowsEvery == 0 && ctx.Err() != nil || len(out) > most {
			break
		}
		out = append(out, segments(rows, reach, i, f)...)
	}
	return out
}

// rowsEvery is how many rows are cut between two looks at ctx.
const rowsEvery = 64

// How far above and below rows are asked whether a gap is part of a river, a
// column of white space: so many rows, and all within so many em, up to a
// bound. Columns without common baselines have rows of their own.
const (
	riverReach = 6
	riverEms   = 8
	maxRivers  = 24
)

// river says whether the gap from x0 to x1 in row i goes on in the rows around
// it: at least four have words on both sides and none between, at most one has
// a word there. Columns whose lines do not stand on common baselines have rows
// on one side only: three on each do, those at the right beginning at the gap.
// Columns end where text of another size stands over the gap, as headings do.
func river(rows [][]Word, reach [][]float64, i int, x0, x1 float64) bool {
	support, against, left, right := 0, 0, 0, 0
	lo, hi := x0, x1
	for _, step := range [...]int{-1, 1} {
		y := rows[i][0].Y
		for k := i + step; k >= 0 && k < len(rows) && (k-i)*step <= maxRivers; k += step {
			if size := rows[k][0].Size; math.Abs(rows[k][0].Y-y) > 3.5*size ||
				(k-i)*step > riverReach && math.Abs(rows[k][0].Y-rows[i][0].Y) > riverEms*size {
				break
			}
			y = rows[k][0].Y
			a, b, both := around(rows[k], reach[k], (lo+hi)/2)
			if a == b && math.Abs(rows[k][0].Size-rows[i][0].Size) > .2*rows[i][0].Size {
				break
			}
			switch {
			case !both && math.IsInf(b, 1) && a <= x0+.5*rows[k][0].Size:
				left++
			case !both && math.IsInf(a, -1) && math.Abs(b-x1) < .3*rows[k][0].Size:
				right++
			case !both:
			case min(b, hi)-max(a, lo) >= 3 && b-a > .5*rows[k][0].Size:
				support++
				lo, hi = max(a, lo), min(b, hi)
			default:
				against++
			}
		}
	}
	return (support >= 4 || min(left, right)+support >= 3 && min(left, right) > 0) && against <= 1
}

// around returns the gap of a row at x: from the end of what stands left of it
// to what stands right. A word over x gives no gap; both is false where the
// row does not reach both sides.
//
// The row is sorted by X0. Of a long one reach is as reachOf makes it, so that
// only the words at x are looked at.
func around(row []Word, reach []float64, x float64) (a, b float64, both bool) {
	a, b = math.Inf(-1), math.Inf(1)
	if reach != nil {
		from, _ := slices.BinarySearchFunc(row, x, func(w Word, x float64) int { return cmp.Compare(w.X0, x) })
		if from > 0 {
			if a = reach[from-1]; a > x {
				return x, x, true
			}
		}
		to := from
		for to < len(row) && row[to].X0 <= x {
			to++
		}
		row = row[from:min(to+1, len(row))]
	}
	for k := range row {
		w := &row[k]
		switch {
		case w.X1 <= x:
			a = max(a, w.X1)
		case w.X0 >= x:
			b = min(b, w.X0)
		default:
			return x, x, true
		}
	}
	return a, b, !math.IsInf(a, 0) && !math.IsInf(b, 0)
}

// longRow is how many words a row has that is searched, not gone through.
const longRow = 64

// reachOf tells of each word of the long rows how far it and those before it
// reach; of the others nil.
func reachOf(rows [][]Word) [][]float64 {
	out := make([][]float64, len(rows))
	for i, row := range rows {
		if len(row) <= longRow {
			continue
		}
		out[i] = make([]float64, len(row))
		far := math.Inf(-1)
		for k := range row {
			far = max(far, row[k].X1)
			out[i][k] = far
		}
	}
	return out
}

// rowsOf groups words by baseline: within .3 of the size they are of one row.
// Superscripts and subscripts are added to the row that they touch.
//
// The rows stand in room, which holds as many words, or in a new place where
// that is nil.
func rowsOf(ws, room []Word) [][]Word {
	order := make([]int, len(ws))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ws[a].Y, ws[b].Y) })
	type base struct {
		y, size float64 // size is the largest of the first four words
		words   int
	}
	var bases []base
	row := make([]int, len(ws)) // of each word
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
		row[i] = k
	}
	if len(room) < len(ws) {
		room = make([]Word, len(ws))
	}
	rows := make([][]Word, len(bases))
	for k, b := range bases {
		rows[k], room = room[:0:b.words], room[b.words:]
	}
	for _, i := range order {
		rows[row[i]] = append(rows[row[i]], ws[i])
	}
	return attach(rows)
}

// attach moves words that are raised or lowered, and smaller, beside a word of
// a neighbouring row into that row.
func attach(rows [][]Word) [][]Word {
	largest := make([]float64, len(rows)) // size of a row's words
	for i := range rows {
		for k := range rows[i] {
			largest[i] = max(largest[i], rows[i][k].Size)
		}
	}
	for i := range rows {
		for again := true; again; { // what stands beside a raised word is raised too
			all, kept := len(rows[i]), rows[i][:0]
			for _, w := range rows[i] {
				if !attachTo(rows, largest, i, w) {
					kept = append(kept, w)
				}
			}
			rows[i] = kept
			again = len(kept) < all && len(kept) <= maxRaised
		}
	}
	return slices.DeleteFunc(rows, func(r []Word) bool { return len(r) == 0 })
}

// maxRaised bounds the words that are left of a row of which some are raised, for
// which these are looked at again.
const maxRaised = 16

// maxNeighbours bounds the words of a row that are asked whether another one stands
// beside them.
const maxNeighbours = 1000

func attachTo(rows [][]Word, largest []float64, i int, w Word) bool {
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
			if o.Rise != 0 && runsOn(o, &w) {
				w.Rise, w.Glue = o.Rise, w.Glue || w.X0-o.X1 < wordGap*w.Size
				rows[k] = append(rows[k], w)
				return true
			}
			shift, ok := raised(o, &w)
			if !ok {
				continue
			}
			w.Rise = 1
			if shift < 0 {
				w.Rise = -1
			}
			w.Glue = w.Glue || w.X0-o.X1 < .16*o.Size && w.X0 > o.X0
			rows[k] = append(rows[k], w)
			return true
		}
	}
	return false
}

// raised returns how far w, which is smaller, stands above or below the baseline of
// o right beside it; false where it does not.
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

// runsOn says whether w goes on at the end of o, at its height and in its size.
func runsOn(o, w *Word) bool {
	return math.Abs(o.Y-w.Y) < .1*w.Size && math.Abs(o.Size-w.Size) < .1*w.Size && math.Abs(w.X0-o.X1) < .3*w.Size
}

// within moves a letter or two into a neighbouring row where they stand inside a
// word of it, higher or lower than its other letters, as the E of TeX does.
func within(rows [][]Word, i int, w Word) bool {
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
			before = before || paintedAfter(o, &w) && math.Abs(w.X0-o.X1) < .45*w.Size
			behind = behind || o.Glue && paintedAfter(&w, o) && math.Abs(o.X0-w.X1) < .45*w.Size
		}
		if before && behind {
			rows[k] = append(rows[k], w)
			return true
		}
	}
	return false
}

// paintedAfter says whether b was painted right after a.
func paintedAfter(a, b *Word) bool {
	return b.Seq > a.Seq && b.Seq-a.Seq <= utf8.RuneCountInString(a.Text)
}

// segmentGap is the gap in em that ends a segment.
const segmentGap = 1.5

// riverGap is the least gap in em that a river may make in a line; in text of
// one width, whose spaces are .6 em wide, fixedGap.
const (
	riverGap = .55
	fixedGap = .7
)

// leastRiver is the least gap in em that a river may make between two words.
func leastRiver(a, b *Word) float64 {
	if a.face()&b.face()&Fixed != 0 {
		return fixedGap
	}
	return riverGap
}

// segments cuts row i at wide gaps and at rivers. Wide gaps of a justified line
// are spaces.
func segments(rows [][]Word, reach [][]float64, i int, f frame) []Line {
	row := rows[i]
	var out []Line
	start := 0     // of the segment
	from := 0      // behind the last river
	var wide []int // gaps since then that are wide
	for k := 1; k <= len(row); k++ {
		if k < len(row) {
			w, p := &row[k], &row[k-1]
			gap := w.X0 - p.X1
			size := max(w.Size, p.Size)
			if gap > .3*size || gap < -.3*size && (gap < -.45*size || !paintedAfter(p, w)) {
				w.Glue = false
			} else if !w.Glue && gap < wordGap*.4*size && w.Seq == p.Seq+1 && gap > -.2*size {
				w.Glue = true
			}
			apart := gap > widestGap*size || gap >= segmentGap*size && math.Abs(w.Y-p.Y) > .1*size
			if !apart && (gap < leastRiver(p, w)*size || !river(rows, reach, i, p.X1, w.X0)) {
				if gap >= segmentGap*size {
					wide = append(wide, k)
				}
				continue
			}
		}
		if len(wide) > 0 && !stretched(rows, i, from, k) {
			for _, at := range wide {
				out = append(out, newLine(row[start:at], f))
				start = at
			}
		}
		out = append(out, newLine(row[start:k], f))
		start, from, wide = k, k, wide[:0]
	}
	return out
}

// stretched says whether the words from one to another of row i are a justified
// line of a narrow column: its gaps are alike, it ends where another line of the
// column does that has no wide gaps, and the first word of the next line had no
// room in it.
func stretched(rows [][]Word, i, from, to int) bool {
	line := rows[i][from:to]
	size := line[0].Size
	if len(line) > longRow || line[0].face()&Fixed != 0 { // code keeps its columns
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

// wordBelow returns the width of the first word of the line below one in row i,
// which begins at left; false where there is none.
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

// Of justified lines, in em: how far apart their ends may be, how wide their
// spaces are in wide fonts before they are stretched, and how wide then.
const (
	flush       = .15
	widestSpace = .35
	widestGap   = 8
)

// beginning returns the word of a row at which a line of a column begins that has
// another one at x, or further right by an indent; -1 where there is none.
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

// reaches says whether words go on without a wide gap up to x and end there.
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

// dedupe drops words that lie on an equal one: shadows, and layers of a
// recognised scan under the text that it was.
func dedupe(row []Word) []Word {
	out := row[:0]
	for _, w := range row {
		twin := false
		for i := len(out) - 1; i >= 0 && i >= len(out)-4; i-- {
			o := &out[i]
			if o.Text == w.Text && math.Abs(o.X0-w.X0) < .2*w.Size && math.Abs(o.Y-w.Y) < .2*w.Size {
				twin = true
				if o.Flags&content.Invisible != 0 {
					glue := o.Glue
					*o = w
					o.Glue = glue
				}
				break
			}
		}
		if !twin {
			out = append(out, w)
		}
	}
	return out
}

// newLine makes a line of words from left to right.
func newLine(ws []Word, f frame) Line {
	l := measured(ws, f)
	for i := range l.Words {
		if hasRTL(l.Words[i].Text) {
			l.reorder()
			break
		}
	}
	return l
}

// measured is a line of words in reading order, which are copied.
func measured(ws []Word, f frame) Line {
	l := Line{Words: slices.Clone(ws), Turn: f, Box: ws[0].Box}
	l.Words[0].Glue = false
	sizes := map[float64]int{}
	best := -1
	for i := range l.Words {
		w := &l.Words[i]
		l.Box = l.Box.Union(w.Box)
		if w.Rise != 0 && len(l.Words) > 1 {
			continue
		}
		size := math.Round(w.Size*10) / 10
		if sizes[size] += utf8.RuneCountInString(w.Text); sizes[size] > best {
			best = sizes[size]
			l.Size, l.Y = w.Size, w.Y
		}
	}
	if best < 0 {
		l.Size, l.Y = ws[0].Size, ws[0].Y
	}
	return l
}
