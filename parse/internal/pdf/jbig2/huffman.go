// SPDX-License-Identifier: Apache-2.0

package jbig2

import (
	"sort"
	"strconv"
	"strings"
	"sync"
)

// bits reads bits, the most significant first. After the end of the data it
// returns zeros.
type bits struct {
	data []byte
	at   int // position in bits
}

func (b *bits) take(n int) int {
	v := 0
	for range n {
		v <<= 1
		if i := b.at / 8; i < len(b.data) {
			v |= int(b.data[i] >> (7 - b.at%8) & 1)
		}
		b.at++
	}
	return v
}

// ended reports whether more bits were read than exist.
func (b *bits) ended() bool { return b.at > 8*len(b.data) }

// rest advances b to a byte boundary and returns the remaining data.
func (b *bits) rest() []byte {
	b.at = (b.at + 7) &^ 7
	return b.data[min(b.at/8, len(b.data)):]
}

// line is a line of a Huffman table (annex B): a code of prefix bits,
// followed by more bits, whose value is added to from, or subtracted from it
// if down is set.
type line struct {
	prefix, more, from int
	down, outOfBand    bool
}

// huffman is a Huffman table, with its lines in the order of their codes.
type huffman struct {
	lines []line
	first [maxPrefix + 2]int // for each code length the line of the first code
	codes [maxPrefix + 2]int // for each code length the first code
}

// maxPrefix is the maximum length of a code in bits.
const maxPrefix = 31

// newHuffman assigns codes to lines (B.3). Lines with a prefix of length 0
// get no code.
func newHuffman(lines []line) *huffman {
	h := &huffman{}
	for _, l := range lines {
		if l.prefix > 0 && l.prefix <= maxPrefix {
			h.lines = append(h.lines, l)
		}
	}
	sort.SliceStable(h.lines, func(i, j int) bool { return h.lines[i].prefix < h.lines[j].prefix })
	code, i := 0, 0
	for size := 1; size <= maxPrefix; size++ {
		code <<= 1
		h.first[size], h.codes[size] = i, code
		for ; i < len(h.lines) && h.lines[i].prefix == size; i++ {
			code++
		}
	}
	h.first[maxPrefix+1] = len(h.lines)
	return h
}

// line reads one code, or returns nil if the next bits are not a valid code.
func (h *huffman) line(b *bits) *line {
	code := 0
	for size := 1; size <= maxPrefix; size++ {
		code = code<<1 | b.take(1)
		if i := h.first[size] + code - h.codes[size]; i >= h.first[size] && i < h.first[size+1] {
			return &h.lines[i]
		}
	}
	b.at = 8*len(b.data) + 1 // invalid code: treat the data as ended
	return nil
}

// number reads a value. It returns false for the out-of-band value and for
// an invalid code.
func (h *huffman) number(b *bits) (int, bool) {
	l := h.line(b)
	switch {
	case l == nil || l.outOfBand:
		return 0, false
	case l.down:
		return l.from - b.take(l.more), true
	}
	return l.from + b.take(l.more), true
}

// standard are the tables B.1 to B.15. Each line is "prefix more from",
// followed by "-" for a lower range, and without from for the out-of-band
// value.
var standard = sync.OnceValue(func() []*huffman {
	return tables(
		"1 4 0, 2 8 16, 3 16 272, 3 32 65808",
		"1 0 0, 2 0 1, 3 0 2, 4 3 3, 5 6 11, 6 32 75, 6",
		"8 8 -256, 1 0 0, 2 0 1, 3 0 2, 4 3 3, 5 6 11, 8 32 -257 -, 7 32 75, 6",
		"1 0 1, 2 0 2, 3 0 3, 4 3 4, 5 6 12, 5 32 76",
		"7 8 -255, 1 0 1, 2 0 2, 3 0 3, 4 3 4, 5 6 12, 7 32 -256 -, 6 32 76",
		"5 10 -2048, 4 9 -1024, 4 8 -512, 4 7 -256, 5 6 -128, 5 5 -64, 4 5 -32, 2 7 0, 3 7 128, 3 8 256, 4 9 512, 4 10 1024, 6 32 -2049 -, 6 32 2048",
		"4 9 -1024, 3 8 -512, 4 7 -256, 5 6 -128, 5 5 -64, 4 5 -32, 4 5 0, 5 5 32, 5 6 64, 4 7 128, 3 8 256, 3 9 512, 3 10 1024, 5 32 -1025 -, 5 32 2048",
		"8 3 -15, 9 1 -7, 8 1 -5, 9 0 -3, 7 0 -2, 4 0 -1, 2 1 0, 5 0 2, 6 0 3, 3 4 4, 6 1 20, 4 4 22, 4 5 38, 5 6 70, 5 7 134, 6 7 262, 7 8 390, 6 10 646, 9 32 -16 -, 9 32 1670, 2",
		"8 4 -31, 9 2 -15, 8 2 -11, 9 1 -7, 7 1 -5, 4 1 -3, 3 1 -1, 3 1 1, 5 1 3, 6 1 5, 3 5 7, 6 2 39, 4 5 43, 4 6 75, 5 7 139, 5 8 267, 6 8 523, 7 9 779, 6 11 1291, 9 32 -32 -, 9 32 3339, 2",
		"7 4 -21, 8 0 -5, 7 0 -4, 5 0 -3, 2 2 -2, 5 0 2, 6 0 3, 7 0 4, 8 0 5, 2 6 6, 5 5 70, 6 5 102, 6 6 134, 6 7 198, 6 8 326, 6 9 582, 6 10 1094, 7 11 2118, 8 32 -22 -, 8 32 4166, 2",
		"1 0 1, 2 1 2, 4 0 4, 4 1 5, 5 1 7, 5 2 9, 6 2 13, 7 2 17, 7 3 21, 7 4 29, 7 5 45, 7 6 77, 7 32 141",
		"1 0 1, 2 0 2, 3 1 3, 5 0 5, 5 1 6, 6 1 8, 7 0 10, 7 1 11, 7 2 13, 7 3 17, 7 4 25, 8 5 41, 8 32 73",
		"1 0 1, 3 0 2, 4 0 3, 5 0 4, 4 1 5, 3 3 7, 6 1 15, 6 2 17, 6 3 21, 6 4 29, 6 5 45, 7 6 77, 7 32 141",
		"3 0 -2, 3 0 -1, 1 0 0, 3 0 1, 3 0 2",
		"7 4 -24, 6 2 -8, 5 1 -4, 4 0 -2, 3 0 -1, 1 0 0, 3 0 1, 4 0 2, 5 1 3, 6 2 5, 7 4 9, 7 32 -25 -, 7 32 25",
	)
})

func tables(texts ...string) []*huffman {
	var out []*huffman
	for _, text := range texts {
		var lines []line
		for l := range strings.SplitSeq(text, ", ") {
			var v [3]int
			f := strings.Fields(l)
			for i := range min(len(f), len(v)) {
				v[i], _ = strconv.Atoi(f[i]) // the numbers are constants above
			}
			lines = append(lines, line{prefix: v[0], more: v[1], from: v[2], down: len(f) == 4, outOfBand: len(f) == 1})
		}
		out = append(out, newHuffman(lines))
	}
	return out
}

// readTable reads a custom Huffman table (B.2).
func readTable(data []byte) (*huffman, error) {
	b := bits{data: data}
	flags := b.take(8)
	prefixBits, moreBits := flags>>1&7+1, flags>>4&7+1
	low, high := int(int32(b.take(32))), int(int32(b.take(32))) //nolint:gosec // two's complement
	var lines []line
	for at := low; at < high; {
		l := line{prefix: b.take(prefixBits), more: b.take(moreBits), from: at}
		if l.more > 32 || b.ended() {
			return nil, errDamaged
		}
		lines = append(lines, l)
		at += 1 << l.more
	}
	lines = append(lines, line{prefix: b.take(prefixBits), more: 32, from: low - 1, down: true}, line{prefix: b.take(prefixBits), more: 32, from: high})
	if flags&1 == 1 {
		lines = append(lines, line{prefix: b.take(prefixBits), outOfBand: true})
	}
	return newHuffman(lines), nil
}

// readSymbolCodes reads the codes of n symbol IDs (7.4.3.1.7). The from of
// each line is the symbol ID.
func readSymbolCodes(b *bits, n int) (*huffman, error) {
	lengths := make([]line, 35)
	for i := range lengths {
		lengths[i] = line{prefix: b.take(4), from: i}
	}
	h := newHuffman(lengths)
	var lines []line
	for len(lines) < n {
		v, ok := h.number(b)
		if !ok || b.ended() {
			return nil, errDamaged
		}
		times := 1
		switch v {
		case 32:
			if len(lines) == 0 {
				return nil, errDamaged
			}
			v, times = lines[len(lines)-1].prefix, b.take(2)+3
		case 33:
			v, times = 0, b.take(3)+3
		case 34:
			v, times = 0, b.take(7)+11
		}
		for range min(times, n-len(lines)) {
			lines = append(lines, line{prefix: v, from: len(lines)})
		}
	}
	b.rest()
	return newHuffman(lines), nil
}
