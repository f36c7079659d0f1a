// SPDX-License-Identifier: Apache-2.0

package raster

import (
	"cmp"
	"image"
	"math"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
)

const (
	dark      = 150    // gray values below it are dark
	shortRun  = 6.0    // points; shorter runs are not part of a line
	shortRule = 24.0   // points; anything shorter is not a line
	thick     = 3.0    // points; anything thicker is not a line
	slope     = .02    // maximum slope of a line
	maxRuns   = 200000 // a picture with more runs is a photograph or the like
)

// run is a run of dark pixels in a row or a column of an image.
type run struct{ at, from, to int }

// Rules finds the horizontal and vertical lines in an image that shows the
// area box of a page in points, such as the lines of tables and forms. Text
// recognition does not return them. The time is proportional to the number
// of pixels.
func Rules(m *image.Gray, box content.Box) []content.Rule {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	if w == 0 || h == 0 {
		return nil
	}
	sx, sy := box.Width()/float64(w), box.Height()/float64(h)
	rows, columns := runs(m, int(shortRun/sx), int(shortRun/sy))
	var out []content.Rule
	for _, p := range pieces(rows, sy, sx) {
		y := box.Y0 + (float64(p.low+p.high)/2+.5)*sy
		out = append(out, content.Rule{
			X0: box.X0 + float64(p.from)*sx, X1: box.X0 + float64(p.to)*sx, Y0: y, Y1: y, Width: p.thickness * sy,
		})
	}
	for _, p := range pieces(columns, sx, sy) {
		x := box.X0 + (float64(p.low+p.high)/2+.5)*sx
		out = append(out, content.Rule{
			Y0: box.Y0 + float64(p.from)*sy, Y1: box.Y0 + float64(p.to)*sy, X0: x, X1: x, Width: p.thickness * sx,
		})
	}
	return out
}

// runs returns the horizontal runs of at least wide dark pixels and the
// vertical runs of at least high dark pixels.
func runs(m *image.Gray, wide, high int) (rows, columns []run) {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	since := make([]int, w) // for each column the first row of the current dark run, or -1
	for i := range since {
		since[i] = -1
	}
	for y := range h + 1 {
		start := -1
		for x := range w + 1 {
			ink := y < h && x < w && m.Pix[y*m.Stride+x] < dark
			switch {
			case ink && start < 0:
				start = x
			case !ink && start >= 0:
				if x-start >= max(wide, 2) && len(rows) < maxRuns {
					rows = append(rows, run{y, start, x})
				}
				start = -1
			}
			if x == w {
				break
			}
			switch {
			case ink && since[x] < 0:
				since[x] = y
			case !ink && since[x] >= 0:
				if y-since[x] >= max(high, 2) && len(columns) < maxRuns {
					columns = append(columns, run{x, since[x], y})
				}
				since[x] = -1
			}
		}
	}
	return rows, columns
}

// piece is a line in pixels: from and to are along the line, low and high
// across it.
type piece struct {
	from, to, low, high int
	thickness           float64 // pixels
}

// pieces joins runs that touch, as in a thick or slanted line, and returns
// the results that are long and thin enough. across and along are the size
// of a pixel in points.
func pieces(all []run, across, along float64) []piece {
	sorting.Stable(all, func(a, b run) int { return cmp.Or(a.at-b.at, a.from-b.from) })
	type growing struct {
		piece

		last run
		area int
	}
	var open, closed []growing
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].at == all[i].at {
			j++
		}
		open = sorting.Without(open, func(g growing) bool {
			done := g.last.at < all[i].at-1
			if done {
				closed = append(closed, g)
			}
			return done
		})
		k, n := 0, len(open)
		sorting.Stable(open, func(a, b growing) int { return a.last.from - b.last.from })
		for _, r := range all[i:j] {
			for k < n && open[k].last.to < r.from-1 {
				k++
			}
			if k < n && open[k].last.from <= r.to+1 {
				g := &open[k]
				g.from, g.to, g.high = min(g.from, r.from), max(g.to, r.to), r.at
				g.last, g.area = r, g.area+r.to-r.from
				continue
			}
			open = append(open, growing{piece{from: r.from, to: r.to, low: r.at, high: r.at}, r, r.to - r.from})
		}
		i = j
	}
	var out []piece
	for _, g := range append(closed, open...) {
		length := float64(g.to-g.from) * along
		g.thickness = float64(g.area) / float64(g.to-g.from)
		extent := float64(g.high-g.low+1) * across
		if length >= shortRule && g.thickness*across <= thick && extent <= thick+slope*length && !math.IsNaN(length) {
			out = append(out, g.piece)
		}
	}
	return out
}
