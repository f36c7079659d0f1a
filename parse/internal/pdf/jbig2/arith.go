// SPDX-License-Identifier: Apache-2.0

package jbig2

import "example.com/curlew/parse/internal/pdf/mq"

// arith decodes data in arithmetic coding.
type arith struct{ mq.Decoder }

func newArith(data []byte) *arith {
	a := new(arith)
	a.Start(data)
	return a
}

// slack is the number of bytes that may be read after the end of the data.
// Encoders may omit trailing bytes, but without a limit a few bits could
// stand for very many white pixels.
const slack = 1 << 10

// ended reports whether too much was read after the end of the data.
func (a *arith) ended() bool { return a.Over > slack }

// numbers are the contexts of one integer decoding procedure (annex A).
type numbers [512]mq.State

// ranges are the value ranges of the integer encoding: the number of bits
// and the smallest value.
var ranges = [6]struct{ bits, from int }{{2, 0}, {4, 4}, {6, 20}, {8, 84}, {12, 340}, {32, 4436}}

// number decodes an integer (A.2). It returns false for the out-of-band
// value.
func (a *arith) number(cx *numbers) (int, bool) {
	prev := 1
	bit := func() int {
		v := a.Bit(&cx[prev])
		if prev = prev<<1 | v; prev >= 512 {
			prev = prev&511 | 256
		}
		return v
	}
	negative := bit() == 1
	form := 0
	for form < len(ranges)-1 && bit() == 1 {
		form++
	}
	v := 0
	for range ranges[form].bits {
		v = v<<1 | bit()
	}
	v += ranges[form].from
	if !negative {
		return v, true
	}
	return -v, v != 0
}

// symbol decodes a symbol ID of size bits (A.3). cx has 2^size contexts.
func (a *arith) symbol(cx []mq.State, size int) int {
	prev := 1
	for range size {
		prev = prev<<1 | a.Bit(&cx[prev])
	}
	return prev - 1<<size
}
