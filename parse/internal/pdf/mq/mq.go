// SPDX-License-Identifier: Apache-2.0

// Package mq implements the MQ decoder, the adaptive binary arithmetic
// decoder that JBIG2 and JPEG 2000 share (ITU-T T.88, annex E; T.800, annex
// C).
package mq

import "math/bits"

// State is the adaptive state of a context: the index into the probability
// table in the upper bits, and the more probable symbol (MPS) in the lowest
// bit. The initial state is 0 unless a standard defines another one.
type State uint8

// At returns the state for an index of the probability table, 0 to 46, with
// 0 as the more probable symbol.
func At(line int) State { return State(line << 1) } //nolint:gosec // below 94

// Value returns the more probable symbol.
func (s State) Value() int { return int(s & 1) }

// Qe returns the interval of the less probable symbol, where 0x8000 stands
// for 0.75.
func (s State) Qe() uint32 { return estimates[s>>1].qe }

// Next returns the state after a decision with the given value.
func (s State) Next(value int) State {
	e := &estimates[s>>1]
	if value == s.Value() {
		return e.mps<<1 | s&1
	}
	return e.lps<<1 | (s&1 ^ e.turn)
}

// Context is a state together with its interval. It saves table lookups
// where there are few contexts and many decisions.
type Context struct {
	qe    uint32 // scaled like the registers of [Decoder]
	state State
}

// Context returns a context with this state.
func (s State) Context() Context { return contexts[s&127] }

// Likely decodes the more probable symbol and subtracts its interval from
// the slack of a decoder. If the result is negative, the decision is still
// open and [Decoder.Settle] must decode it:
//
//	bit, slack = cx.Likely(slack)
//	if slack < 0 {
//		bit, slack = d.Settle(&cx, slack)
//	}
//
// This is [Decoder.Bit] written inline, for loops in which a function call
// would take as long as the decision itself.
func (c *Context) Likely(slack int64) (bit uint32, rest int64) {
	return uint32(c.state & 1), slack - int64(c.qe)
}

// Decoder decodes the decisions of one sequence of bytes.
//
// Its registers A and C have 16 integer and 16 fractional bits. As long as
// the more probable symbol is decoded and no renormalization is needed, a
// decision subtracts the same value from both. Therefore the decoder keeps
// the smaller of and C, called the slack, and separately what A and C
// have beyond it.
type Decoder struct {
	// Slack is the slack between two calls. Code that uses [Context.Likely]
	// copies it to a local variable and back.
	Slack int64
	// Over counts the reads after the end of the data, which return ones.
	// Encoders may omit trailing bytes, so the caller must decide how many
	// such reads it accepts.
	Over int

	data []byte
	at   int // index of the current byte
	ct   int // bits of the current byte that are left
	a, c int64
}

// half is the minimum of A.
const half = 0x8000 << 16

// Start initializes the decoder with data (E.3.5).
func (d *Decoder) Start(data []byte) {
	*d = Decoder{data: data}
	c := int64(d.byte(0)) << 16
	c += d.fill()
	d.ct -= 7
	d.Slack = d.keep(half, c<<7)
}

// Bit decodes one decision.
func (d *Decoder) Bit(s *State) int {
	cx := s.Context()
	bit, slack := cx.Likely(d.Slack)
	if slack < 0 {
		bit, slack = d.Settle(&cx, slack)
		*s = cx.state
	}
	d.Slack = slack
	return int(bit)
}

// byte returns byte i of the data, or 0xff after the end.
func (d *Decoder) byte(i int) byte {
	if i < len(d.data) {
		return d.data[i]
	}
	return 0xff
}

// fill is the procedure BYTEIN (E.3.4). It returns the value to be added to
// C.
func (d *Decoder) fill() int64 {
	if d.byte(d.at) == 0xff {
		next := d.byte(d.at + 1)
		if next > 0x8f {
			d.ct = 8
			d.Over++
			return 0xff00
		}
		d.at++
		d.ct = 7
		return int64(next) << 9
	}
	d.at++
	d.ct = 8
	return int64(d.byte(d.at)) << 8
}

// keep stores what the registers have beyond the slack, and returns the
// slack.
func (d *Decoder) keep(a, c int64) int64 {
	slack := min(a-half, c)
	d.a, d.c = a-slack, c-slack
	return slack
}

// Settle completes a decision for which the slack was too small (E.3.2).
// slack is the negative result of [Context.Likely].
func (d *Decoder) Settle(cx *Context, slack int64) (bit uint32, rest int64) {
	qe := int64(cx.qe)
	move := &moves[cx.state&127]
	bit = uint32(cx.state & 1)
	a, c := d.a+slack, d.c+slack
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
		if d.ct == 0 {
			c += d.fill()
		}
		k := min(n, d.ct)
		a <<= k & 31
		c <<= k & 31
		d.ct -= k
		n -= k
	}
	return bit, d.keep(a, c)
}

// contexts has the context of each state, and moves the contexts after each
// value.
var (
	contexts = func() (out [128]Context) {
		for s := range At(len(estimates)) {
			out[s] = Context{qe: s.Qe() << 16, state: s}
		}
		return out
	}()
	moves = func() (out [128]struct{ mps, lps Context }) {
		for s := range At(len(estimates)) {
			out[s].mps = s.Next(s.Value()).Context()
			out[s].lps = s.Next(1 - s.Value()).Context()
		}
		return out
	}()
)

// estimates is the probability table (table E.1).
var estimates = [47]struct {
	qe             uint32
	mps, lps, turn State
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
