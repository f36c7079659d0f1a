// SPDX-License-Identifier: Apache-2.0

package jpx

import "example.com/curlew/parse/internal/pdf/mq"

// Code-block styles (table A.19).
const (
	bypass  = 1 << iota // selective arithmetic coding bypass: later passes contain raw bits
	reset               // contexts are reset after each pass
	termall             // each pass is a segment of the codeword
	causal              // vertically causal contexts: a stripe does not depend on the next
	_                   // predictable termination, which only helps to detect errors
	marked              // segmentation symbols: each cleanup pass ends with 1010
)

// Flags of a column of four samples in a stripe. The lowest 18 bits say
// which samples are significant. They are six rows of three bits, beginning
// with the row above the column; a row is the left neighbour, the sample
// itself and the right neighbour. So the nine bits from 3*k on are sample k
// with its eight neighbours.
const (
	around  = 1<<18 - 1
	selves  = 1<<4 | 1<<7 | 1<<10 | 1<<13
	signs   = 18 // first bit of the signs of the sample above, the four samples, and the sample below; 1 is negative
	visited = 24 // coded in the significance propagation pass of this bit plane
	refined = 28 // refined at least once
	self    = 1 << 4
)

// Indices of contexts (tables D.1 to D.5): 9 for zero coding, 5 for signs, 3
// for magnitude refinement, and the run-length context.
const (
	cxRefine = 14
	cxRun    = 17
)

// maxPlanes is the maximum number of bit planes of a sample. Of 32 bits, one
// is the sign and one is for half units.
const maxPlanes = 30

// tier1 decodes code-blocks (annex D).
type tier1 struct {
	mq      mq.Decoder
	raw     rawBits
	cx      [32]mq.Context
	uniform mq.State // the uniform context

	w, h, stride int
	flags        []uint32 // for each column of each stripe, with a border
	// data are the samples, stripe by stripe and column by column in each.
	// The highest bit is the sign. The rest is the magnitude in half units;
	// the bits that are not known yet are set to the middle of their range.
	data    []uint32
	zero    *[512]uint8 // contexts of zero coding
	causal  bool
	scratch []byte
}

// open prepares for a block of w by h samples, at most 4096 in total.
func (t *tier1) open(w, h, orient, style int) {
	stripes := (h + 3) / 4
	t.w, t.h, t.stride = w, h, w+2
	t.flags = cleared(t.flags, t.stride*(stripes+2))
	t.data = cleared(t.data, 4*w*stripes)
	t.zero = &zeroContexts[orient]
	t.causal = style&causal != 0
	t.mq.Over, t.raw.over = 0, 0
	t.reset()
}

func cleared(s []uint32, n int) []uint32 {
	if n > cap(s) {
		return make([]uint32, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// reset sets the initial states of the contexts (table D.7).
func (t *tier1) reset() {
	t.cx = [32]mq.Context{}
	for i := range t.cx {
		t.cx[i] = mq.At(0).Context()
	}
	t.cx[0] = mq.At(4).Context()
	t.cx[cxRun] = mq.At(3).Context()
	t.uniform = mq.At(46)
}

// Coding passes of a bit plane, in order.
const (
	significance = iota
	refinement
	cleanup
)

// slackBytes is the number of bytes that may be read after the end of a
// segment, and maxEmpty the maximum number of successive passes without
// data. Encoders may omit some bytes. Without these limits, a few bytes
// could take as much time as a whole page.
const (
	slackBytes = 64
	maxEmpty   = 12
)

// span is the part of a code-block's codeword that is in one packet.
type span struct {
	off, size uint32 // in the data of the tile
	next      int32  // index of the next span of the block, or -1
	passes    uint8
	first     bool // first span of a segment
}

// decode decodes the passes of a block with the given number of bit planes.
// Its spans are a linked list that begins at index at.
func (t *tier1) decode(data []byte, spans []span, at int32, planes, style int) {
	pass, plane, empty := cleanup, planes-1, 0
	for at >= 0 {
		var segment []byte
		var passes int
		segment, passes, at = t.segment(data, spans, at)
		raw := style&bypass != 0 && plane < planes-4 && pass != cleanup
		if raw {
			t.raw = rawBits{data: segment}
		} else {
			t.mq.Start(segment)
		}
		if empty += passes; len(segment) > 0 {
			empty = 0
		}
		for range passes {
			if plane < 0 || empty > maxEmpty {
				return
			}
			t.pass(pass, plane, style, raw)
			if t.mq.Over > slackBytes || t.raw.over > slackBytes {
				return
			}
			if pass++; pass > cleanup {
				pass = significance
				plane--
			}
		}
	}
}

// segment returns the data of the segment that begins with span at, its
// number of passes, and the index of the span after it.
func (t *tier1) segment(data []byte, spans []span, at int32) (segment []byte, passes int, next int32) {
	s := spans[at]
	segment, passes, next = data[s.off:s.off+s.size], int(s.passes), s.next
	if next < 0 || spans[next].first {
		return segment, passes, next
	}
	t.scratch = append(t.scratch[:0], segment...)
	for next >= 0 && !spans[next].first {
		s = spans[next]
		t.scratch = append(t.scratch, data[s.off:s.off+s.size]...)
		passes, next = passes+int(s.passes), s.next
	}
	return t.scratch, passes, next
}

// pass decodes one pass. raw means that it contains raw bits.
func (t *tier1) pass(pass, plane, style int, raw bool) {
	switch {
	case pass == significance && raw:
		t.rawSignificance(plane)
	case pass == refinement && raw:
		t.rawRefinement(plane)
	case pass == significance:
		t.significance(plane)
	case pass == refinement:
		t.refinement(plane)
	default:
		t.cleanup(plane)
		if style&marked != 0 {
			for range 4 {
				_ = t.mq.Bit(&t.uniform)
			}
		}
	}
	if style&reset != 0 {
		t.reset()
	}
}

// significance decodes a significance propagation pass (D.3.1).
func (t *tier1) significance(plane int) {
	m, slack := &t.mq, t.mq.Slack
	for top, base := 0, t.stride+1; top < t.h; top, base = top+4, base+t.stride {
		rows := min(4, t.h-top)
		row := t.flags[base : base+t.w]
		for x := range row {
			f := row[x]
			if f&around == 0 {
				continue
			}
			for k := range rows {
				n := f >> (3 * k & 31) & 0x1ff
				if n&self != 0 || n == 0 {
					continue
				}
				row[x] |= 1 << ((visited + k) & 31)
				cx := &t.cx[t.zero[n]&31]
				var bit uint32
				if bit, slack = cx.Likely(slack); slack < 0 {
					bit, slack = m.Settle(cx, slack)
				}
				if bit != 0 {
					slack = t.become(base+x, k, top*t.w+4*x+k, plane, slack)
					f = row[x]
				}
			}
		}
	}
	t.mq.Slack = slack
}

// refinement decodes a magnitude refinement pass (D.3.3).
func (t *tier1) refinement(plane int) {
	m, slack := &t.mq, t.mq.Slack
	half := uint32(1) << (plane & 31)
	for top, base := 0, t.stride+1; top < t.h; top, base = top+4, base+t.stride {
		rows := min(4, t.h-top)
		row := t.flags[base : base+t.w]
		for x := range row {
			f := row[x]
			if f&selves == 0 {
				continue
			}
			data := t.data[top*t.w+4*x:][:4]
			for k := range rows {
				n := f >> (3 * k & 31) & 0x1ff
				if n&self == 0 || f>>((visited+k)&31)&1 != 0 {
					continue
				}
				cx := &t.cx[cxRefine]
				switch {
				case f>>((refined+k)&31)&1 != 0:
					cx = &t.cx[cxRefine+2]
				case n != self:
					cx = &t.cx[cxRefine+1]
				}
				var bit uint32
				if bit, slack = cx.Likely(slack); slack < 0 {
					bit, slack = m.Settle(cx, slack)
				}
				data[k] += half*bit<<1 - half
				f |= 1 << ((refined + k) & 31)
			}
			row[x] = f
		}
	}
	t.mq.Slack = slack
}

// cleanup decodes a cleanup pass (D.3.4).
func (t *tier1) cleanup(plane int) { //nolint:gocognit // calls would cost a third of the time
	m, slack := &t.mq, t.mq.Slack
	for top, base := 0, t.stride+1; top < t.h; top, base = top+4, base+t.stride {
		rows := min(4, t.h-top)
		row := t.flags[base : base+t.w]
		for x := range row {
			f := row[x]
			k := 0
			if rows == 4 && f&around == 0 {
				cx := &t.cx[cxRun]
				var bit uint32
				if bit, slack = cx.Likely(slack); slack < 0 {
					bit, slack = m.Settle(cx, slack)
				}
				if bit == 0 {
					continue
				}
				k, slack = t.run(slack)
				slack = t.become(base+x, k, top*t.w+4*x+k, plane, slack)
				f = row[x]
				k++
			}
			for ; k < rows; k++ {
				n := f >> (3 * k & 31) & 0x1ff
				if n&self != 0 || f>>((visited+k)&31)&1 != 0 {
					continue
				}
				cx := &t.cx[t.zero[n]&31]
				var bit uint32
				if bit, slack = cx.Likely(slack); slack < 0 {
					bit, slack = m.Settle(cx, slack)
				}
				if bit != 0 {
					slack = t.become(base+x, k, top*t.w+4*x+k, plane, slack)
					f = row[x]
				}
			}
			row[x] = f &^ (0xf << visited)
		}
	}
	t.mq.Slack = slack
}

// run decodes the index of the first significant sample in a column.
func (t *tier1) run(slack int64) (k int, rest int64) {
	t.mq.Slack = slack
	k = t.mq.Bit(&t.uniform) << 1
	k |= t.mq.Bit(&t.uniform)
	return k, t.mq.Slack
}

// become decodes the sign of a sample that becomes significant in this bit
// plane (D.3.2). It is sample k of the column with flags i.
func (t *tier1) become(i, k, at, plane int, slack int64) int64 {
	f, w, e := t.flags[i], t.flags[i-1], t.flags[i+1]
	n := f>>(3*k&31)&0xaa | f>>((signs+k)&31)&1 | w>>((signs+1+k)&31)&1<<2 |
		e>>((signs+1+k)&31)&1<<4 | f>>((signs+2+k)&31)&1<<6
	s := signContexts[n&0xff]
	cx := &t.cx[s&31]
	var bit uint32
	if bit, slack = cx.Likely(slack); slack < 0 {
		bit, slack = t.mq.Settle(cx, slack)
	}
	t.mark(i, k, at, plane, bit^uint32(s>>7))
	return slack
}

// mark makes a sample significant and updates the flags of its neighbours.
func (t *tier1) mark(i, k, at, plane int, sign uint32) {
	t.data[at] = sign<<31 | 3<<(plane&31)
	by := 3 * k & 31
	t.flags[i-1] |= 1 << 5 << by
	t.flags[i] |= self<<by | sign<<((signs+1+k)&31)
	t.flags[i+1] |= 1 << 3 << by
	if k == 0 && !t.causal {
		north := t.flags[i-t.stride-1:][:3]
		north[0] |= 1 << 17
		north[1] |= 1<<16 | sign<<(signs+5)
		north[2] |= 1 << 15
	}
	if k == 3 {
		south := t.flags[i+t.stride-1:][:3]
		south[0] |= 1 << 2
		south[1] |= 1<<1 | sign<<signs
		south[2] |= 1
	}
}

// rawSignificance decodes a significance propagation pass of raw bits (D.6).
func (t *tier1) rawSignificance(plane int) {
	for top, base := 0, t.stride+1; top < t.h; top, base = top+4, base+t.stride {
		for x := range t.w {
			if t.flags[base+x]&around == 0 {
				continue
			}
			for k := range min(4, t.h-top) {
				n := t.flags[base+x] >> (3 * k & 31) & 0x1ff
				if n&self != 0 || n == 0 {
					continue
				}
				t.flags[base+x] |= 1 << ((visited + k) & 31)
				if t.raw.bit() != 0 {
					t.mark(base+x, k, top*t.w+4*x+k, plane, t.raw.bit())
				}
			}
		}
	}
}

// rawRefinement decodes a magnitude refinement pass of raw bits.
func (t *tier1) rawRefinement(plane int) {
	half := uint32(1) << (plane & 31)
	for top, base := 0, t.stride+1; top < t.h; top, base = top+4, base+t.stride {
		for x := range t.w {
			f := t.flags[base+x]
			for k := range min(4, t.h-top) {
				if f>>(3*k&31)&self == 0 || f>>((visited+k)&31)&1 != 0 {
					continue
				}
				t.data[top*t.w+4*x+k] += half*t.raw.bit()<<1 - half
				f |= 1 << ((refined + k) & 31)
			}
			t.flags[base+x] = f
		}
	}
}

// rawBits reads raw bits. It skips the stuffed bit after each byte 0xff.
// After the end of the data it returns ones.
type rawBits struct {
	data []byte
	last byte
	n    int
	over int // number of reads after the end
}

func (r *rawBits) bit() uint32 {
	if r.n == 0 {
		r.n = 8
		if r.last == 0xff {
			r.n = 7
		}
		r.last = 0xff
		if len(r.data) > 0 {
			r.last, r.data = r.data[0], r.data[1:]
		} else {
			r.over++
		}
	}
	r.n--
	return uint32(r.last>>r.n) & 1
}

// zeroContexts is table D.1, by the orientation of the subband (LL, HL, LH,
// HH) and the nine bits of a sample with its neighbours.
var zeroContexts = func() (out [4][512]uint8) {
	for n := range 512 {
		bit := func(i int) int { return n >> i & 1 }
		h, v, d := bit(3)+bit(5), bit(1)+bit(7), bit(0)+bit(2)+bit(6)+bit(8)
		out[0][n] = zeroContext(h, v, d)
		out[1][n] = zeroContext(v, h, d)
		out[2][n] = zeroContext(h, v, d)
		out[3][n] = diagonalContext(h+v, d)
	}
	return out
}()

func zeroContext(h, v, d int) uint8 {
	switch {
	case h == 2:
		return 8
	case h == 1 && v > 0:
		return 7
	case h == 1 && d > 0:
		return 6
	case h == 1:
		return 5
	case v == 2:
		return 4
	case v == 1:
		return 3
	}
	return uint8(min(d, 2)) //nolint:gosec // 0 to 2
}

func diagonalContext(hv, d int) uint8 {
	switch {
	case d > 2:
		return 8
	case d == 2:
		return uint8(6 + min(hv, 1)) //nolint:gosec // 6 or 7
	case d == 1:
		return uint8(3 + min(hv, 2)) //nolint:gosec // 3 to 5
	}
	return uint8(min(hv, 2)) //nolint:gosec // 0 to 2
}

// signContexts is table D.3. The index has two bits for each of the
// neighbours above, left, right and below, from the lowest bit on: whether
// it is negative and whether it is significant. The highest bit of the value
// inverts the decoded sign.
var signContexts = func() (out [256]uint8) {
	for n := range 256 {
		of := func(i int) int {
			if n>>(2*i+1)&1 == 0 {
				return 0
			}
			return 1 - 2*(n>>(2*i)&1)
		}
		h, v := min(max(of(1)+of(2), -1), 1), min(max(of(0)+of(3), -1), 1)
		out[n] = [9]uint8{13 | 128, 12 | 128, 11 | 128, 10 | 128, 9, 10, 11, 12, 13}[3*h+v+4]
	}
	return out
}()
