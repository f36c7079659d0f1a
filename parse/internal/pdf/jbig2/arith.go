// SPDX-License-Identifier: Apache-2.0

package jbig2

import "example.com/curlew/parse/internal/pdf/mq"

// arith decodes what is in arithmetic coding.
type arith struct{ mq.Decoder }

func newArith(data []byte) *arith {
	a := new(arith)
	a.Start(data)
	return a
}

// slack is how many bytes after the last a decoder may ask for: an encoder may
// leave out some, and a few bits are many white pixels.
const slack = 1 << 10

// ended says whether what is decoded is made of nothing.
func (a *arith) ended() bool { return a.Over > slack }

// numbers are the contexts of one integer decoding procedure (annex A).
type numbers [512]mq.State

// ranges are the forms of a number: bits of the value, and what is added.
var ranges = [6]struct{ bits, from int }{{2, 0}, {4, 4}, {6, 20}, {8, 84}, {12, 340}, {32, 4436}}

// number decodes an integer (A.2); false for the out-of-band value.
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

// symbol decodes the number of a symbol in size bits (A.3); cx has a context
// for each of 2^size.
func (a *arith) symbol(cx []mq.State, size int) int {
	prev := 1
	for range size {
		prev = prev<<1 | a.Bit(&cx[prev])
	}
	return prev - 1<<size
}
