// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"slices"
	"strings"

	"example.com/curlew/parse/internal/pdf/content"
)

// chunk is a group of words in a row without a gap as wide as one between
// columns.
type chunk struct {
	text   string
	x0, x1 float64
}

// chunkGap is the smallest gap, in em, that may separate two columns of
// numbers.
const chunkGap = .45

// chunks returns the chunks of a row from left to right. It leaves out
// leader dots between a label and the first number.
func (f *figures) chunks(r *row) []chunk {
	var out []chunk
	for _, i := range r.lines {
		l := &f.p.Lines[i]
		gap := chunkGap
		if l.fixed() {
			gap = 1
		}
		for k := range l.Words {
			w := &l.Words[k]
			if isLeader(w.Text) {
				continue
			}
			if n := len(out) - 1; k > 0 && n >= 0 && math.Abs(w.Box.X0-out[n].x1) < gap*w.Size && !twoNumbers(out[n].text, w.Text) {
				out[n].text += " " + w.Text
				out[n].x1 = max(out[n].x1, w.Box.X1)
				continue
			}
			out = append(out, chunk{w.Text, w.Box.X0, w.Box.X1})
		}
	}
	return out
}

// twoNumbers reports whether word is a separate number after the number
// before, and not its next group of three digits.
func twoNumbers(before, word string) bool {
	if !isNumeric(before) || !isNumeric(word) || word[0] == '%' || word[0] == '(' {
		return false
	}
	return len(word) < 3 || !isDigits(word[:3]) || len(word) > 3 && word[3] >= '0' && word[3] <= '9' || strings.ContainsAny(before, ".%") || before == "-" || before == "–" || before == "—"
}

// isLeader reports whether a word consists of leader dots. Two dots may
// stand for a missing number, so they do not count.
//
//go:noinline
func isLeader(s string) bool { return s != ".." && strings.Trim(s, ".…·") == "" }

// columns returns the columns of rows with numbers. At most a tenth of the
// rows cross the gap between two columns. A column that has only currency or
// percent signs is merged with the column of its numbers.
func (f *figures) columns(rows []row) []content.Box {
	box := newZone(f.p, rows).box
	n := int(box.Width()) + 2
	if n < 4 || n > 20_000 {
		return nil
	}
	crossed := make([]int, n)
	mark := make([]int, n)
	all := make([][]chunk, len(rows))
	counts := make([]float64, len(rows))
	for i := range rows {
		all[i] = f.chunks(&rows[i])
		counts[i] = float64(len(all[i]))
	}
	usual := int(median(counts))
	for i := range rows {
		if len(all[i])*2 < usual { // a line in a different layout
			continue
		}
		for _, c := range all[i] {
			for x := max(0, int(c.x0-box.X0)); x < min(n, int(math.Ceil(c.x1-box.X0))); x++ {
				if mark[x] != i+1 {
					mark[x] = i + 1
					crossed[x]++
				}
			}
		}
	}
	limit := len(rows) / 10
	var out []content.Box
	start, empty := 0, 0
	for x := 0; x <= n; x++ {
		if x < n && crossed[x] <= limit {
			empty++
			continue
		}
		if x == n || x-empty > 0 && float64(empty) >= .3*f.size {
			if end := x - empty; end > start {
				out = append(out, content.Box{X0: box.X0 + float64(start), X1: box.X0 + float64(end), Y0: box.Y0, Y1: box.Y1})
			}
			start = x
		}
		empty = 0
	}
	if len(out) > 60 {
		return nil
	}
	return numbersApart(f.p, rows, textsApart(f.p, rows, signed(all, out), f.size), f.size)
}

// signed merges columns that have only signs with the columns of their
// numbers.
func signed(rows [][]chunk, cols []content.Box) []content.Box {
	before, behind := make([]int, len(cols)), make([]int, len(cols))
	texts := make([]int, len(cols))
	for i := range rows {
		for _, c := range rows[i] {
			j := slices.IndexFunc(cols, func(b content.Box) bool { return c.x0 < b.X1 && c.x1 > b.X0 })
			if j < 0 {
				continue
			}
			texts[j]++
			switch c.text {
			case "$", "€", "£", "¥", "US$", "EUR":
				before[j]++
			case "%", ")", "*", "**", "***":
				behind[j]++
			}
		}
	}
	var out []content.Box
	for j := 0; j < len(cols); j++ {
		c := cols[j]
		for j+1 < len(cols) && texts[j] > 0 && before[j] == texts[j] || j+1 < len(cols) && texts[j+1] > 0 && behind[j+1] == texts[j+1] {
			j++
			c.X1 = cols[j].X1
		}
		out = append(out, c)
	}
	return out
}
