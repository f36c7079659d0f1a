// SPDX-License-Identifier: Apache-2.0

package jpx

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"

	"example.com/curlew/internal/sorting"
)

// Progression orders (table A.16) of layer, resolution, component and
// position.
const (
	lrcp = iota
	rlcp
	rpcl
	pcrl
	cprl
)

// packets reads the packets of one tile.
type packets struct {
	ctx   context.Context //nolint:containedctx // lives as long as the call
	t     *tile
	d     tileData
	steps *int       // steps that may still be taken for all tiles
	body  int        // offset in the data of the tile
	apart packetBits // packet headers that are stored separately
	found []found
	list  []place
}

// place is a precinct and its position on the reference grid.
type place struct {
	comp, res, precinct int32
	x, y                int32
}

// found is the contribution of a packet to a code-block.
type found struct {
	b      *block
	passes uint8
	first  bool
	size   int
}

// spend counts n steps towards the limit. A step is a code-block or a
// precinct that is visited.
func (p *packets) spend(n int) error {
	if *p.steps -= n; *p.steps < 0 {
		return errLong
	}
	return nil
}

var (
	errShort = fmt.Errorf("%w: the data end too early", ErrDamaged)
	errLong  = fmt.Errorf("%w: it takes too long", ErrDamaged)
)

// read reads all packets in their order (B.12). With an error, what was read
// before is kept.
func (p *packets) read() error {
	p.apart.data = p.d.headers
	changes := p.d.params.changes
	if changes == nil {
		changes = []change{{layers: p.d.params.layers, r1: maxLevels + 1, c1: len(p.t.comps), order: p.d.params.order}}
	}
	for i, c := range changes {
		c.layers = min(c.layers, p.d.params.layers)
		if err := p.progress(c, i == len(changes)-1); err != nil {
			return err
		}
	}
	return nil
}

// progress reads the packets of one progression. In the last one, packets
// that are no longer needed are skipped.
func (p *packets) progress(c change, last bool) error {
	places, err := p.places(c)
	if err != nil {
		return err
	}
	sorting.Stable(places, func(a, b place) int {
		position := cmp.Or(cmp.Compare(a.y, b.y), cmp.Compare(a.x, b.x))
		switch c.order {
		case rpcl:
			return cmp.Or(cmp.Compare(a.res, b.res), position, cmp.Compare(a.comp, b.comp), cmp.Compare(a.precinct, b.precinct))
		case pcrl:
			return cmp.Or(position, cmp.Compare(a.comp, b.comp), cmp.Compare(a.res, b.res), cmp.Compare(a.precinct, b.precinct))
		case cprl:
			return cmp.Or(cmp.Compare(a.comp, b.comp), position, cmp.Compare(a.res, b.res), cmp.Compare(a.precinct, b.precinct))
		}
		return cmp.Or(cmp.Compare(a.res, b.res), cmp.Compare(a.comp, b.comp), cmp.Compare(a.precinct, b.precinct))
	})
	// Depending on the order, the packets of a group of places follow each
	// other: all layers of one place, one layer of all places, or one layer
	// of the places of one resolution.
	for len(places) > 0 {
		n := 1
		switch c.order {
		case lrcp:
			n = len(places)
		case rlcp:
			for n < len(places) && places[n].res == places[0].res {
				n++
			}
		}
		if last && (c.order == rlcp || c.order == rpcl) && !p.wantedFrom(places[0].res) {
			return nil
		}
		for layer := range c.layers {
			for _, at := range places[:n] {
				if err := p.packet(at, layer); err != nil {
					return err
				}
			}
		}
		places = places[n:]
	}
	return nil
}

// wantedFrom reports whether a resolution or a higher one is wanted of any
// component.
func (p *packets) wantedFrom(res int32) bool {
	for _, c := range p.t.comps {
		if int(res) < len(c.res) && c.res[res].wanted {
			return true
		}
	}
	return false
}

// places returns the precincts of a progression.
func (p *packets) places(c change) ([]place, error) {
	out := p.list[:0]
	for i := c.c0; i < c.c1; i++ {
		comp := p.t.comps[i]
		for r := c.r0; r < min(c.r1, len(comp.res)); r++ {
			res := &comp.res[r]
			if err := p.spend(1 + 16*len(res.precincts)); err != nil { // includes the time to sort them
				return nil, err
			}
			// The position of a precinct is its top left corner, or that of
			// the tile if the precinct begins before the tile.
			n := len(comp.res) - 1 - r
			for k := range res.precincts {
				x, y := p.t.area.x0, p.t.area.y0
				if px := (res.px0 + k%res.across) << res.ppx; px > 0 {
					x = max(x, px<<n*res.dx)
				}
				if py := (res.py0 + k/res.across) << res.ppy; py > 0 {
					y = max(y, py<<n*res.dy)
				}
				out = append(out, place{int32(i), int32(r), int32(k), int32(x), int32(y)}) //nolint:gosec // all below 2^28
			}
		}
	}
	p.list = out
	return out, nil
}

// packet reads a packet (B.9).
func (p *packets) packet(at place, layer int) error {
	res := &p.t.comps[at.comp].res[at.res]
	if pr := res.precincts[at.precinct]; pr != nil && pr.done > layer {
		return p.spend(1)
	}
	pr, err := p.t.precinct(res, int(at.precinct))
	if err != nil {
		return err
	}
	pr.done = layer + 1
	h := packetBits{data: p.t.data, at: p.body}
	if p.d.params.sop {
		h.skip(markSOP, 6)
		p.body = h.at
	}
	if p.d.apart {
		h = p.apart
	}
	p.found = p.found[:0]
	if h.bit() == 1 {
		style := p.t.comps[at.comp].coding.style
		for i := range pr.parts {
			if err := p.headers(&h, &pr.parts[i], res.bands[i].planes, layer, style); err != nil {
				return err
			}
		}
	}
	h.align()
	if h.short || h.at > len(h.data) {
		return errShort
	}
	if p.d.params.eph {
		h.skip(markEPH, 2)
	}
	if p.d.apart {
		p.apart = packetBits{data: h.data, at: h.at}
	} else {
		p.body = h.at
	}
	if err := context.Cause(p.ctx); err != nil && len(p.found) > 0 {
		return err
	}
	for _, f := range p.found {
		if f.size > len(p.t.data)-p.body {
			return errShort
		}
		if res.wanted {
			p.t.add(f, p.body)
		}
		p.body += f.size
	}
	return p.spend(1)
}

// headers reads the part of a packet header for the code-blocks of one
// subband (B.10).
func (p *packets) headers(h *packetBits, part *blocks, planes, layer, style int) error {
	if err := p.spend(len(part.all)); err != nil {
		return err
	}
	for k := range part.all {
		b := &part.all[k]
		if b.length > 0 {
			if h.bit() == 0 {
				continue
			}
		} else {
			x, y := k%part.w, k/part.w
			if !part.included.below(h, x, y, uint16(layer+1)) { //nolint:gosec // layers are of 16 bits
				continue
			}
			zeros := 0
			for !part.zeros.below(h, x, y, uint16(zeros+1)) {
				if zeros++; zeros > planes || h.short {
					return fmt.Errorf("%w: invalid packet header", ErrDamaged)
				}
			}
			b.zeros, b.length = uint8(min(zeros, 255)), 3
		}
		if err := p.lengths(h, b, style); err != nil {
			return err
		}
	}
	return nil
}

// maxPasses is the maximum number of passes of a code-block. It allows more
// bit planes than are decoded.
const maxPasses = 164

// lengths reads the number of passes of a code-block, and the number of
// bytes for each segment of the codeword (B.10.6, B.10.7).
func (p *packets) lengths(h *packetBits, b *block, style int) error {
	passes := countPasses(h)
	for h.bit() == 1 {
		if b.length++; b.length > 32 {
			return fmt.Errorf("%w: invalid packet header", ErrDamaged)
		}
	}
	if int(b.passes)+passes > maxPasses || h.short {
		return fmt.Errorf("%w: invalid packet header", ErrDamaged)
	}
	for passes > 0 {
		first := b.open == 0
		if first {
			b.open = segmentPasses(int(b.passes), style)
		}
		n := min(passes, int(b.open))
		size := h.bits(int(b.length) + bits.Len(uint(n)) - 1)
		if size < 0 || h.short {
			return errShort
		}
		if p.t.most.spans--; p.t.most.spans < 0 {
			return fmt.Errorf("%w: more segments than data", ErrDamaged)
		}
		p.found = append(p.found, found{b: b, passes: uint8(n), first: first, size: size}) //nolint:gosec // at most maxPasses
		passes -= n
		b.passes += uint8(n) //nolint:gosec // at most maxPasses
		b.open -= uint8(n)   //nolint:gosec // at most open
	}
	return nil
}

// countPasses reads a number of coding passes (table B.4).
func countPasses(h *packetBits) int {
	if h.bit() == 0 {
		return 1
	}
	if h.bit() == 0 {
		return 2
	}
	if n := h.bits(2); n < 3 {
		return 3 + n
	}
	if n := h.bits(5); n < 31 {
		return 6 + n
	}
	return 37 + h.bits(7)
}

// segmentPasses returns the number of passes of the segment that begins
// after the given number of passes (table D.9).
func segmentPasses(before, style int) uint8 {
	const coded = 10 // arithmetically coded passes before the raw ones
	switch {
	case style&termall != 0:
		return 1
	case style&bypass == 0:
		return maxPasses
	case before < coded:
		return coded
	case (before-coded)%3 == 0:
		return 2
	}
	return 1
}

// add appends a contribution to the spans of its code-block.
func (t *tile) add(f found, at int) {
	b := f.b
	if last := b.last; last >= 0 && !f.first && (f.size == 0 || int(t.spans[last].off+t.spans[last].size) == at) {
		t.spans[last].size += uint32(f.size) //nolint:gosec // within the data
		t.spans[last].passes += f.passes
		return
	}
	n := int32(len(t.spans))                                                                                           //nolint:gosec // a few bits of data each
	t.spans = append(t.spans, span{off: uint32(at), size: uint32(f.size), next: -1, passes: f.passes, first: f.first}) //nolint:gosec // within the data
	if b.last >= 0 {
		t.spans[b.last].next = n
	} else {
		b.first = n
	}
	b.last = n
}
