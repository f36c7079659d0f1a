// SPDX-License-Identifier: Apache-2.0

package font

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/binary"
	"io"
	"strings"
	"sync"
)

// packed holds the predefined CMaps of ISO 32000-1, table 118, and the texts by
// CID of Adobe's character collections. TestPack makes it from Adobe's CMap
// resources (BSD-3-Clause, see data/LICENSE). Each entry consists of a name,
// the size of the compressed data (DEFLATE), and that data.
//
//go:embed data/cmaps.bin
var packed []byte

// directory maps the names of the entries in packed to their compressed
// data.
var directory = sync.OnceValue(func() map[string][]byte {
	m := map[string][]byte{}
	r := packReader{b: packed}
	for len(r.b) > 0 && !r.bad {
		name := r.text()
		m[name] = r.bytes()
	}
	return m
})

// entry returns the decompressed entry with a name, or nil if there is none.
func entry(name string) []byte {
	b, ok := directory()[name]
	if !ok {
		return nil
	}
	out, err := io.ReadAll(flate.NewReader(bytes.NewReader(b)))
	if err != nil {
		return nil
	}
	return out
}

// cmaps caches the predefined CMaps that have been used, by name. They are
// few, are the same for all documents, and take long to decompress.
var cmaps sync.Map

// predefined returns the predefined CMap with a name, or nil if there is
// none.
func predefined(name string) *CMap {
	if m, ok := cmaps.Load(name); ok {
		return m.(*CMap) //nolint:forcetypeassert // nothing else is stored
	}
	b := entry(name)
	if b == nil {
		return nil
	}
	m := unpackCMap(b, predefined)
	m.Name = name
	cmaps.Store(name, m)
	return m
}

// collections are the texts of Adobe's character collections by CID,
// decompressed at the first use.
var collections = map[string]func() []string{
	"Japan1": collection("Japan1"), "GB1": collection("GB1"), "CNS1": collection("CNS1"),
	"Korea1": collection("Korea1"), "KR": collection("KR"),
}

func collection(ordering string) func() []string {
	return sync.OnceValue(func() []string { return unpackTexts(entry("Adobe-" + ordering + "-UCS2")) })
}

// packCMap encodes m for unpackCMap. base is the name of the CMap that m is
// based on.
func packCMap(m *CMap, base string) []byte {
	var b []byte
	flag := byte(0)
	if m.Vertical {
		flag = 1
	}
	b = append(b, flag)
	b = packText(b, base)
	b = binary.AppendUvarint(b, uint64(len(m.spaces)))
	for _, s := range m.spaces {
		b = append(b, byte(s.n)) //nolint:gosec // 1 to 4
		b = binary.AppendUvarint(b, uint64(s.lo))
		b = binary.AppendUvarint(b, uint64(s.hi))
	}
	b = binary.AppendUvarint(b, uint64(len(m.cids)))
	// Like values are next to each other, because that compresses better.
	for _, r := range m.cids {
		b = binary.AppendUvarint(b, uint64(r.hi-r.lo))
	}
	next := int64(0) // code after the range before
	for _, r := range m.cids {
		b = binary.AppendVarint(b, int64(r.lo)-next)
		next = int64(r.hi) + 1
	}
	for _, r := range m.cids {
		b = append(b, byte(r.cid>>8)) //nolint:gosec // CIDs are 16 bits wide
	}
	for _, r := range m.cids {
		b = append(b, byte(r.cid)) //nolint:gosec // the low byte
	}
	return b
}

func unpackCMap(b []byte, use func(string) *CMap) *CMap {
	r := packReader{b: b}
	m := &CMap{Vertical: r.byte() == 1}
	if base := r.text(); base != "" {
		m.base = use(base)
	}
	for range r.count() {
		n := int(r.byte())
		lo := r.uint()
		m.spaces = append(m.spaces, space{n, lo, r.uint()})
	}
	n := r.count()
	m.cids = make([]cidRange, n)
	for i := range m.cids {
		m.cids[i].hi = r.uint() // for now its distance from lo
	}
	next := int64(0)
	for i := range m.cids {
		c := &m.cids[i]
		c.lo = uint32(next + r.int()) //nolint:gosec // codes are 32 bits wide
		c.hi += c.lo
		next = int64(c.hi) + 1
	}
	for i := range m.cids {
		m.cids[i].cid = uint32(r.byte()) << 8
	}
	for i := range m.cids {
		m.cids[i].cid |= uint32(r.byte())
	}
	return m
}

// packTexts encodes texts for unpackTexts. A text of one character is stored
// as the difference to the previous one, any other text after a marker.
func packTexts(texts []string) []byte {
	b := binary.AppendUvarint(nil, uint64(len(texts)))
	var last int64
	for _, t := range texts {
		runes := []rune(t)
		switch len(runes) {
		case 0:
			b = binary.AppendUvarint(b, 0)
		case 1:
			d := int64(runes[0]) - last
			b = binary.AppendUvarint(b, uint64(d<<1^d>>63)+2) //nolint:gosec // zigzag
			last = int64(runes[0])
		default:
			b = binary.AppendUvarint(b, 1)
			b = packText(b, t)
		}
	}
	return b
}

func unpackTexts(b []byte) []string {
	r := packReader{b: b}
	n := r.count()
	texts := make([]string, 0, n)
	var all strings.Builder // holds all texts of one character, to save allocations
	var ends []int
	var last int64
	for range n {
		switch v := uint64(r.uint()); v {
		case 0:
		case 1:
			all.WriteString(r.text())
		default:
			v -= 2
			last += int64(v>>1) ^ -int64(v&1)
			all.WriteRune(rune(last)) //nolint:gosec // 21 bits
		}
		ends = append(ends, all.Len())
	}
	s, start := all.String(), 0
	for _, end := range ends {
		texts = append(texts, s[start:end])
		start = end
	}
	return texts
}

func packText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// packReader reads what the pack functions write. After the end of the data
// it returns zeros.
type packReader struct {
	b   []byte
	bad bool
}

func (r *packReader) uint() uint32 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return uint32(v) //nolint:gosec // our own data
}

func (r *packReader) int() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *packReader) byte() byte {
	if len(r.b) == 0 {
		r.bad = true
		return 0
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

// count reads a number of items. Each item has at least one byte, which
// limits the number.
func (r *packReader) count() int { return min(int(r.uint()), len(r.b)) }

func (r *packReader) bytes() []byte {
	n := r.count()
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *packReader) text() string { return string(r.bytes()) }
