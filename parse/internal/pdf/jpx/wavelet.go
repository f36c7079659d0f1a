// SPDX-License-Identifier: Apache-2.0

package jpx

// grid holds the samples of a component of a tile. Before the inverse
// wavelet transform, the subbands are next to each other, with the lowest at
// the top left.
type grid[T int32 | float32] struct {
	w, h int
	pix  []T
	rows []int // offset of each row, so that subbands can be interleaved without moving rows
	temp []T
	swap []int
}

// open prepares a grid for w by h samples, all 0.
func (g *grid[T]) open(w, h int) {
	g.w, g.h = w, h
	if n := w * h; n > cap(g.pix) {
		g.pix = make([]T, n)
	} else {
		g.pix = g.pix[:n]
		clear(g.pix)
	}
	g.temp = append(g.temp[:0], make([]T, w)...)
	g.rows, g.swap = g.rows[:0], append(g.swap[:0], make([]int, h)...)
	for i := range h {
		g.rows = append(g.rows, i)
	}
}

// row returns the first w samples of row k.
func (g *grid[T]) row(k, w int) []T {
	at := g.rows[k] * g.w
	return g.pix[at : at+w]
}

// weave interleaves the rows of low-pass samples with those of high-pass
// samples.
func (g *grid[T]) weave(area, low rect) {
	n, odd := area.h(), area.y0&1
	for i := range low.h() {
		g.swap[2*i+odd] = g.rows[i]
	}
	for i := range n - low.h() {
		g.swap[2*i+1-odd] = g.rows[low.h()+i]
	}
	copy(g.rows[:n], g.swap)
}

// mirror returns the row that replaces row k of n by symmetric extension
// (F.3.7). n is at least 2.
func mirror(k, n int) int {
	if k < 0 {
		return -k
	}
	if k >= n {
		return 2*(n-1) - k
	}
	return k
}

// halves splits a row into its low-pass and its high-pass samples.
func halves[T any](row []T, odd int) (low, high []T) {
	n := (len(row) + 1 - odd) / 2
	return row[:n], row[n:]
}

// raise53 combines the subbands of area with the reversible filter
// (F.3.8.2.1.1). low is the area of the lower resolution, which is already
// reconstructed. A row is lifted as soon as its neighbours are available,
// while it is still in the cache.
func raise53(g *grid[int32], area, low rect) {
	g.weave(area, low)
	w, h := area.w(), area.h()
	odd := area.y0 & 1
	if h == 1 {
		row := g.row(0, w)
		across53(row, g.temp, area.x0&1)
		if odd == 1 {
			for i := range row {
				row[i] /= 2
			}
		}
		return
	}
	ready := 0
	for k := odd; k <= h; k += 2 {
		for ; ready <= min(k+1, h-1); ready++ {
			across53(g.row(ready, w), g.temp, area.x0&1)
		}
		if k < h {
			row := g.row(k, w)
			a, b := g.row(mirror(k-1, h), w)[:len(row)], g.row(mirror(k+1, h), w)[:len(row)]
			for i := range row {
				row[i] -= (a[i] + b[i] + 2) >> 2
			}
		}
		if k > 0 {
			row := g.row(k-1, w)
			a, b := g.row(mirror(k-2, h), w)[:len(row)], g.row(mirror(k, h), w)[:len(row)]
			for i := range row {
				row[i] += (a[i] + b[i]) >> 1
			}
		}
	}
}

// across53 is the horizontal filter for one row.
func across53(row, temp []int32, odd int) {
	if len(row) == 1 {
		row[0] /= 1 + int32(odd) //nolint:gosec // 0 or 1
		return
	}
	low, high := halves(row, odd)
	out := temp[:len(row)]
	if odd == 1 {
		last := len(high) - 1
		before := low[0] - (high[0]+high[min(1, last)]+2)>>2
		out[0] = high[0] + before
		for i := 1; i < len(low); i++ {
			v := low[i] - (high[i]+high[min(i+1, last)]+2)>>2
			out[2*i-1] = before
			out[2*i] = high[i] + (before+v)>>1
			before = v
		}
		out[2*len(low)-1] = before
		if len(high) > len(low) {
			out[2*last] = high[last] + before
		}
		copy(row, out)
		return
	}
	before := low[0] - (2*high[0]+2)>>2
	rest, b := low[1:], high
	for i := 0; i+1 < len(b) && i < len(rest) && 2*i+1 < len(out); i++ {
		v := rest[i] - (b[i]+b[i+1]+2)>>2
		out[2*i] = before
		out[2*i+1] = b[i] + (before+v)>>1
		before = v
	}
	last := len(high) - 1
	out[2*last] = before
	if len(low) > len(high) {
		v := low[last+1] - (2*high[last]+2)>>2
		out[2*last+1] = high[last] + (before+v)>>1
		out[2*last+2] = v
	} else {
		out[2*last+1] = high[last] + before
	}
	copy(row, out)
}

// Lifting coefficients of the irreversible filter (table F.4), in the order
// of the steps.
const (
	liftDelta = .443506852043971
	liftGamma = .882911075530934
	liftBeta  = -.052980118572961
	liftAlpha = -1.586134342059924
)

// raise97 is like raise53 with the irreversible filter (F.3.8.2.1.2). The
// subbands are already scaled, so samples that are not filtered must be
// scaled back.
func raise97(g *grid[float32], area, low rect) {
	g.weave(area, low)
	w, h := area.w(), area.h()
	odd := area.y0 & 1
	if h == 1 {
		row := g.row(0, w)
		across97(row, g.temp, area.x0&1)
		for i := range row {
			row[i] *= unfiltered[odd]
		}
		return
	}
	ready := 0
	for k := odd; k < h+3; k += 2 {
		for ; ready <= min(k+1, h-1); ready++ {
			across97(g.row(ready, w), g.temp, area.x0&1)
		}
		g.lift(k, w, h, liftDelta)
		g.lift(k-1, w, h, liftGamma)
		g.lift(k-2, w, h, liftBeta)
		g.lift(k-3, w, h, liftAlpha)
	}
}

// unfiltered has the factors that undo the scaling of a single low-pass or
// high-pass sample.
var unfiltered = [2]float32{1 / gainK, gainK / 2}

// lift subtracts c times the sum of both neighbouring rows from row k of h,
// if that row exists.
func (g *grid[T]) lift(k, w, h int, c T) {
	if k < 0 || k >= h {
		return
	}
	row := g.row(k, w)
	a, b := g.row(mirror(k-1, h), w)[:len(row)], g.row(mirror(k+1, h), w)[:len(row)]
	for i := range row {
		row[i] -= c * (a[i] + b[i])
	}
}

// across97 is the horizontal filter for one row.
func across97(row, temp []float32, odd int) {
	if len(row) == 1 {
		row[0] *= unfiltered[odd]
		return
	}
	low, high := halves(row, odd)
	liftRow(low, high, liftDelta, odd)
	liftRow(high, low, liftGamma, 1-odd)
	liftRow(low, high, liftBeta, odd)
	liftRow(high, low, liftAlpha, 1-odd)
	out := temp[:len(row)]
	a, b := out[odd:], out[1-odd:]
	for i, v := range low {
		a[2*i] = v
	}
	for i, v := range high {
		b[2*i] = v
	}
	copy(row, out)
}

// liftRow subtracts c times the sum of both neighbours from each sample of
// dst. The neighbours of dst[i] are src[i-1] and src[i], or src[i] and
// src[i+1] if after is 1.
func liftRow(dst, src []float32, c float32, after int) {
	from := 0 // the neighbours of dst[from] are src[0] and src[1]
	if after == 0 {
		from = 1
		dst[0] -= 2 * c * src[0]
	}
	n := min(len(dst)-from, len(src)-1)
	d, a, b := dst[from:from+n], src[:n], src[1:n+1]
	for i := range d {
		d[i] -= c * (a[i] + b[i])
	}
	if n += from; n < len(dst) {
		dst[n] -= 2 * c * src[len(src)-1]
	}
}
