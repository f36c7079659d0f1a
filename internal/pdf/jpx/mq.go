// SPDX-License-Identifier: Apache-2.0

package jpx

import "math/bits"

// state is that of one context: the interval of the less probable
// value in the unit of [coder], and a line of moves.
type state struct {
	qe   uint32
	line uint8 // of estimates, and the more probable value in the lowest bit
}

// coder is the arithmetic decoder of annex C, for one codeword segment.
//
// Its registers A and C are numbers of 16 bits and a fraction of 16. As long as
// the more probable value is decoded and no bits are needed, both lose the same,
// so what counts is the smaller of and C, here called the slack: whoever
// decodes keeps it in a variable,
//
//	if slack -= int64(cx.qe); slack < 0 {
//		bit, slack = m.settle(cx, slack)
//	} else {
//		bit = uint32(cx.line & 1)
//	}
//
// and the coder has what A and C are above it.
type coder struct {
	data []byte
	at   int // of the byte in use
	ct   int // bits of it that are left
	over int // how often it was asked for bytes after the last
	a, c int64
}

// half is A at its least.
const half = 0x8000 << 16

// start begins a segment (C.3.5) and returns the slack.
func (m *coder) start(data []byte) int64 {
	m.data, m.at, m.over = data, 0, 0
	c := int64(m.byte(0)) << 16
	c += m.fill()
	m.ct -= 7
	return m.keep(half, c<<7)
}

// byte returns a byte of the segment, ones after its end.
func (m *coder) byte(i int) byte {
	if i < len(m.data) {
		return m.data[i]
	}
	return 0xff
}

// fill is BYTEIN of C.3.4; it returns what is added to C.
func (m *coder) fill() int64 {
	if m.byte(m.at) == 0xff {
		next := m.byte(m.at + 1)
		if next > 0x8f {
			m.ct = 8
			m.over++
			return 0xff00
		}
		m.at++
		m.ct = 7
		return int64(next) << 9
	}
	m.at++
	m.ct = 8
	return int64(m.byte(m.at)) << 8
}

// keep splits the registers into what is kept here and the slack.
func (m *coder) keep(a, c int64) int64 {
	slack := min(a-half, c)
	m.a, m.c = a-slack, c-slack
	return slack
}

// settle ends a decision that the slack did not suffice for (C.3.2): the slack
// is below zero by what lacks.
func (m *coder) settle(cx *state, slack int64) (bit uint32, rest int64) {
	qe := int64(cx.qe)
	move := &moves[cx.line&127]
	bit = uint32(cx.line & 1)
	a, c := m.a+slack, m.c+slack
	likely := a >= qe
	if c < 0 {
		c += qe
		a = qe
		likely = !likely
	}
	if likely {
		*cx = move.mps
	} else {
		*cx = move.lps
		bit ^= 1
	}
	for n := bits.LeadingZeros32(uint32(a)); n > 0; { //nolint:gosec // below 2^32
		if m.ct == 0 {
			c += m.fill()
		}
		k := min(n, m.ct)
		a <<= k & 31
		c <<= k & 31
		m.ct -= k
		n -= k
	}
	return bit, m.keep(a, c)
}

// moves are the states that follow on each value, by line.
var moves = func() (out [128]struct{ mps, lps state }) {
	for i, e := range estimates {
		for mps := range uint8(2) {
			m := &out[2*i+int(mps)]
			m.mps = inState(e.mps, mps)
			m.lps = inState(e.lps, mps^e.turn)
		}
	}
	return out
}()

// inState returns a context in a line of estimates.
func inState(line, mps uint8) state {
	return state{qe: estimates[line].qe << 16, line: line<<1 | mps}
}

// estimates is table C.2.
var estimates = [47]struct {
	qe             uint32
	mps, lps, turn uint8
}{
	{0x5601, 1, 1, 1},
	{0x3401, 2, 6, 0},
	{0x1801, 3, 9, 0},
	{0x0ac1, 4, 12, 0},
	{0x0521, 5, 29, 0},
	{0x0221, 38, 33, 0},
	{0x5601, 7, 6, 1},
	{0x5401, 8, 14, 0},
	{0x4801, 9, 14, 0},
	{0x3801, 10, 14, 0},
	{0x3001, 11, 17, 0},
	{0x2401, 12, 18, 0},
	{0x1c01, 13, 20, 0},
	{0x1601, 29, 21, 0},
	{0x5601, 15, 14, 1},
	{0x5401, 16, 14, 0},
	{0x5101, 17, 15, 0},
	{0x4801, 18, 16, 0},
	{0x3801, 19, 17, 0},
	{0x3401, 20, 18, 0},
	{0x3001, 21, 19, 0},
	{0x2801, 22, 19, 0},
	{0x2401, 23, 20, 0},
	{0x2201, 24, 21, 0},
	{0x1c01, 25, 22, 0},
	{0x1801, 26, 23, 0},
	{0x1601, 27, 24, 0},
	{0x1401, 28, 25, 0},
	{0x1201, 29, 26, 0},
	{0x1101, 30, 27, 0},
	{0x0ac1, 31, 28, 0},
	{0x09c1, 32, 29, 0},
	{0x08a1, 33, 30, 0},
	{0x0521, 34, 31, 0},
	{0x0441, 35, 32, 0},
	{0x02a1, 36, 33, 0},
	{0x0221, 37, 34, 0},
	{0x0141, 38, 35, 0},
	{0x0111, 39, 36, 0},
	{0x0085, 40, 37, 0},
	{0x0049, 41, 38, 0},
	{0x0025, 42, 39, 0},
	{0x0015, 43, 40, 0},
	{0x0009, 44, 41, 0},
	{0x0005, 45, 42, 0},
	{0x0001, 45, 43, 0},
	{0x5601, 46, 46, 0},
}
