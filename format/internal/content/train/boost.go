// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"example.com/curlew/format/internal/content"
)

// A table contains the rows to which trees are fitted. Its values are sorted into bins once,
// for all fits.
type table struct {
	bins  [][]uint8   // for each feature, the bin of each row
	edges [][]float32 // for each feature, the largest value of each bin but the last
}

const mostBins = 64

// with returns the table of the features of t and then those of u.
func (t *table) with(u *table) *table {
	return &table{bins: slices.Concat(t.bins, u.bins), edges: slices.Concat(t.edges, u.edges)}
}

// newTable makes the table of rows. Each bin contains about the same number of them.
func newTable(rows [][]float32) *table {
	width := len(rows[0])
	t := &table{bins: make([][]uint8, width), edges: make([][]float32, width)}
	const line = 16 // features of a row that are beside each other in the memory of the processor
	parallel((width+line-1)/line, func(g int) {
		lo, hi := g*line, min((g+1)*line, width)
		step := max(len(rows)/20000, 1)
		values := make([]float32, 0, len(rows)/step+1)
		for f := lo; f < hi; f++ {
			values = values[:0]
			for i := 0; i < len(rows); i += step {
				values = append(values, rows[i][f])
			}
			slices.Sort(values)
			t.edges[f] = edges(values)
			t.bins[f] = make([]uint8, len(rows))
		}
		for i, row := range rows {
			for f := lo; f < hi; f++ {
				bin, _ := slices.BinarySearch(t.edges[f], row[f])
				t.bins[f][i] = uint8(bin) //nolint:gosec // there are fewer than 64 bins
			}
		}
	})
	return t
}

// edges returns the borders of the bins for sorted values, rounded to four digits.
func edges(values []float32) []float32 {
	distinct := slices.Compact(slices.Clone(values))
	var out []float32
	if len(distinct) <= mostBins {
		for i := 1; i < len(distinct); i++ {
			out = append(out, round(distinct[i-1]/2+distinct[i]/2))
		}
	} else {
		for i := 1; i < mostBins; i++ {
			at := i * len(values) / mostBins
			if at > 0 && values[at] > values[0] {
				out = append(out, round(values[at-1]/2+values[at]/2))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func round(x float32) float32 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(float64(x), 'g', 4, 32), 32)
	return float32(y)
}

// parallel calls work for 0 to n-1, each once.
func parallel(n int, work func(int)) {
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				work(i)
			}
		})
	}
	wg.Wait()
}

// options are the parameters of a fit.
type options struct {
	trees, depth int
	rate         float64
	lambda       float64 // L2 regularization of the leaves
	least        float64 // smallest sum of second derivatives in a leaf
	columns      float64 // share of the features that a tree may use
	sample       float64 // share of the rows to which a tree is fitted
	squared      bool    // squared loss; otherwise logistic loss
	seed         uint64
}

// A fit is the state of fitting a forest.
type fit struct {
	t      *table
	o      options
	target []float32
	weight []float32
	rng    *rand.Rand

	score      []float32
	grad, hess []float32
	forest     content.Forest

	rows    []int32 // the rows of the current tree; those of each node are adjacent
	columns []int
}

// boost fits a forest to the rows of t whose weight is not zero.
func boost(t *table, target, weight []float32, o options) content.Forest {
	n := len(target)
	b := &fit{
		t: t, o: o, target: target, weight: weight, rng: rand.New(rand.NewPCG(o.seed, 7)), //nolint:gosec // the same at every run, on purpose
		score: make([]float32, n), grad: make([]float32, n), hess: make([]float32, n),
	}
	sum, all := 0.0, 0.0
	for i := range n {
		sum += float64(target[i]) * float64(weight[i])
		all += float64(weight[i])
	}
	mean := sum / all
	b.forest.Base = round(float32(mean))
	if !o.squared {
		mean = min(max(mean, .001), .999)
		b.forest.Base = round(float32(math.Log(mean / (1 - mean))))
	}
	for i := range b.score {
		b.score[i] = b.forest.Base
	}
	for range o.trees {
		b.tree()
	}
	return b.forest
}

// tree adds one tree.
func (b *fit) tree() {
	b.rows = b.rows[:0]
	for i := range b.target {
		y, s, w := b.target[i], b.score[i], b.weight[i]
		if w == 0 {
			continue
		}
		take := b.rng.Float64() < b.o.sample
		if b.o.squared {
			b.grad[i], b.hess[i] = w*(s-y), w
		} else {
			p := content.Sigmoid(s)
			b.grad[i], b.hess[i] = w*(p-y), w*max(p*(1-p), 1e-6)
		}
		if take {
			b.rows = append(b.rows, int32(i))
		}
	}
	b.columns = b.columns[:0]
	for f := range b.t.bins {
		if len(b.t.edges[f]) > 0 && b.rng.Float64() < b.o.columns {
			b.columns = append(b.columns, f)
		}
	}
	root := count32(len(b.forest.Nodes))
	b.forest.Roots = append(b.forest.Roots, root)
	b.grow(0, len(b.rows), 0, nil)
	b.apply(root)
}

// cell contains the sums of the first and second derivatives over the rows of a bin.
type cell struct{ g, h float64 }

type histogram [][mostBins]cell // by index in fit.columns

// split is a way to split a node.
type split struct {
	gain   float64
	column int
	bin    int // the last on the left
}

// grow appends the node for b.rows[lo:hi] and the nodes below it. h is its histogram, or
// nil.
func (b *fit) grow(lo, hi, depth int, h histogram) {
	at := len(b.forest.Nodes)
	if h == nil {
		h = b.count(lo, hi)
	}
	var all cell
	for _, c := range h[0] {
		all.g += c.g
		all.h += c.h
	}
	best := split{}
	if depth < b.o.depth && hi-lo > 20 {
		best = b.best(h, all)
	}
	if best.gain <= 1e-9 {
		value := -all.g / (all.h + b.o.lambda) * b.o.rate
		b.forest.Nodes = append(b.forest.Nodes, content.Node{Value: roundLeaf(value)})
		return
	}
	f := b.columns[best.column]
	b.forest.Nodes = append(b.forest.Nodes, content.Node{Feature: uint8(f), Skip: 1, Value: b.t.edges[f][best.bin]}) //nolint:gosec // content.Features is below 256
	mid := b.part(lo, hi, b.t.bins[f], uint8(best.bin))                                                              //nolint:gosec // edges are fewer than 64
	// Count the smaller side, and subtract it to get the other one.
	var left, right histogram
	if mid-lo < hi-mid {
		left = b.count(lo, mid)
		right = minus(h, left)
	} else {
		right = b.count(mid, hi)
		left = minus(h, right)
	}
	b.grow(lo, mid, depth+1, left)
	b.forest.Nodes[at].Skip = uint8(len(b.forest.Nodes) - at) //nolint:gosec // a tree has fewer than 256 nodes
	b.grow(mid, hi, depth+1, right)
}

// roundLeaf rounds to three digits after the decimal point.
func roundLeaf(x float64) float32 { return float32(math.Round(x*1000) / 1000) }

// minus subtracts part from h in place, and returns h.
func minus(h, part histogram) histogram {
	for c := range h {
		for i := range h[c] {
			h[c][i].g -= part[c][i].g
			h[c][i].h -= part[c][i].h
		}
	}
	return h
}

// part orders b.rows[lo:hi] so that rows with at most bin are first, and
// returns the first of the others.
func (b *fit) part(lo, hi int, bins []uint8, bin uint8) int {
	rows := b.rows[lo:hi]
	others := make([]int32, 0, len(rows)/2)
	n := 0
	for _, r := range rows {
		if bins[r] <= bin {
			rows[n] = r
			n++
		} else {
			others = append(others, r)
		}
	}
	copy(rows[n:], others)
	return lo + n
}

// count returns the histogram of b.rows[lo:hi].
func (b *fit) count(lo, hi int) histogram {
	h := make(histogram, len(b.columns))
	rows := b.rows[lo:hi]
	one := func(c int) {
		bins, cells := b.t.bins[b.columns[c]], &h[c]
		for _, r := range rows {
			p := &cells[bins[r]%mostBins]
			p.g += float64(b.grad[r])
			p.h += float64(b.hess[r])
		}
	}
	if len(rows) < 2000 {
		for c := range h {
			one(c)
		}
		return h
	}
	parallel(len(h), one)
	return h
}

// best returns the best split of a node with this histogram and these sums. Its gain is zero
// if no split improves the loss.
func (b *fit) best(h histogram, all cell) split {
	whole := all.g * all.g / (all.h + b.o.lambda)
	var best split
	for c := range h {
		var left cell
		for bin := range len(b.t.edges[b.columns[c]]) {
			left.g += h[c][bin].g
			left.h += h[c][bin].h
			right := cell{all.g - left.g, all.h - left.h}
			if left.h < b.o.least || right.h < b.o.least {
				continue
			}
			gain := left.g*left.g/(left.h+b.o.lambda) + right.g*right.g/(right.h+b.o.lambda) - whole
			if gain > best.gain {
				best = split{gain, c, bin}
			}
		}
	}
	return best
}

// apply adds the answers of the tree at root to the scores.
func (b *fit) apply(root int32) {
	nodes := b.forest.Nodes
	edge := make([]uint8, len(nodes)) // bin of each split
	for i := int(root); i < len(nodes); i++ {
		if nodes[i].Skip != 0 {
			bin, _ := slices.BinarySearch(b.t.edges[nodes[i].Feature], nodes[i].Value)
			edge[i] = uint8(bin) //nolint:gosec // edges are fewer than 64
		}
	}
	const chunk = 4096
	parallel((len(b.score)+chunk-1)/chunk, func(c int) {
		for i := c * chunk; i < min((c+1)*chunk, len(b.score)); i++ {
			at := root
			for nodes[at].Skip != 0 {
				if b.t.bins[nodes[at].Feature][i] <= edge[at] {
					at++
				} else {
					at += int32(nodes[at].Skip)
				}
			}
			b.score[i] += nodes[at].Value
		}
	})
}
