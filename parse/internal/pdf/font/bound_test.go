// SPDX-License-Identifier: Apache-2.0

package font

import (
	"encoding/binary"
	"strings"
	"testing"
)

// TestStringsOnEachOther checks that overlapping items of an INDEX together
// have no more bytes than the font program.
func TestStringsOnEachOther(t *testing.T) {
	const items, size = 1000, 1 << 16
	b := []byte{items >> 8, items & 0xff, 4}
	for i := range items + 1 {
		b = binary.BigEndian.AppendUint32(b, uint32(1+i%2*size))
	}
	b = append(b, make([]byte, size)...)
	all, _ := cffIndex(b, 0)
	sum := 0
	for _, s := range all {
		sum += len(s)
	}
	if len(all) != items || sum == 0 || sum > len(b) {
		t.Errorf("%d items of %d bytes in %d", len(all), sum, len(b))
	}
}

// TestSegmentsOnEachOther checks that the number of codes read from
// overlapping segments is limited.
func TestSegmentsOnEachOther(t *testing.T) {
	const n = 1000
	b := make([]byte, 16+8*n)
	binary.BigEndian.PutUint16(b, 4)
	binary.BigEndian.PutUint16(b[6:], 2*n)
	for i := range n {
		binary.BigEndian.PutUint16(b[14+2*i:], 0xfffe)
		binary.BigEndian.PutUint16(b[16+4*n+2*i:], 1)
	}
	left := maxCodes
	readSubtable(b, map[uint32]int{}, &left)
	if left != 0 {
		t.Errorf("%d codes are left of %d, want none", left, maxCodes)
	}
}

// TestMapSize checks that the entries of a CMap are limited and that their
// size is counted.
func TestMapSize(t *testing.T) {
	var b strings.Builder
	b.WriteString("1 beginbfchar ")
	for i := range maxEntries + 10 {
		b.WriteString("<" + string("0123456789ABCDEF"[i>>16&15]) + string("0123456789ABCDEF"[i>>12&15]) + string("0123456789ABCDEF"[i>>8&15]) +
			string("0123456789ABCDEF"[i>>4&15]) + string("0123456789ABCDEF"[i&15]) + "0><0041>")
	}
	m := ParseCMap([]byte(b.String()), nil)
	if len(m.chars) > maxEntries || m.size() < entrySize*len(m.chars) || len(m.chars) < maxEntries/2 {
		t.Errorf("%d entries of %d bytes", len(m.chars), m.size())
	}
}
