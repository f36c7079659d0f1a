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
	"unicode/utf16"
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
var collections = map[string]func() *texts{
	"Japan1": collection("Japan1"), "GB1": collection("GB1"), "CNS1": collection("CNS1"),
	"Korea1": collection("Korea1"), "KR": collection("KR"),
}

func collection(ordering string) func() *texts {
	return sync.OnceValue(func() *texts { return unpackTexts(entry("Adobe-"+ordering+"-UCS2"), predefined) })
}

// unpackCMap returns a packed CMap. use returns the CMap with a name.
//
// Many CMaps map the same characters in the same order, so that an entry holds
// only what it has otherwise than a CMap that is like it: how many ranges of that one
// are kept, how many are left out after them, and how many own ranges follow.
func unpackCMap(b []byte, use func(string) *CMap) *CMap {
	r := packReader{b: b}
	flags := r.byte()
	m := &CMap{Vertical: flags&packedVertical != 0}
	if base := r.text(); base != "" {
		m.base = use(base)
	}
	var like []cidRange
	if name := r.text(); name != "" {
		like = use(name).cids
	}
	if flags&packedUTF8 != 0 {
		like = inUTF8(like)
	}
	for range r.count() {
		n := int(r.byte())
		lo := r.uint()
		m.spaces = append(m.spaces, space{n, lo, r.uint()})
	}
	steps := make([]step, r.count())
	added := 0
	for i := range steps {
		steps[i] = step{kept: int(r.uint()), dropped: int(r.uint()), added: r.count()}
		added += steps[i].added
	}
	own := make([]cidRange, min(added, len(r.b)))
	for i := range own {
		own[i].hi = r.uint() // for now its distance from lo
	}
	for i := range own {
		own[i].lo = uint32(r.int()) //nolint:gosec // for now its distance from the range before
	}
	for i := range own {
		own[i].cid = uint32(r.byte()) << 8
	}
	for i := range own {
		own[i].cid |= uint32(r.byte())
	}
	m.cids = make([]cidRange, 0, len(like)+len(own))
	for _, s := range steps {
		m.cids = append(m.cids, like[:s.kept]...)
		like = like[s.kept+s.dropped:]
		for _, c := range own[:s.added] {
			c.lo += following(m.cids)
			c.hi += c.lo
			m.cids = append(m.cids, c)
		}
		own = own[s.added:]
	}
	return m
}

// The flags of a packed CMap.
const (
	packedVertical = 1 << iota
	packedUTF8     // the CMap that it is like has the same characters in UTF-16
)

// step is a part of the difference between two CMaps, in numbers of ranges.
type step struct{ kept, dropped, added int }

// following returns the code that follows the last of some ranges.
func following(ranges []cidRange) uint32 {
	if len(ranges) == 0 {
		return 0
	}
	return ranges[len(ranges)-1].hi + 1
}

// inUTF8 returns the ranges of a CMap for UTF-16 with the codes of UTF-8. A range
// has only codes that differ in their last byte.
func inUTF8(ranges []cidRange) []cidRange {
	out := make([]cidRange, 0, len(ranges))
	for _, r := range ranges {
		for code := r.lo; code <= r.hi; code++ {
			var c cidRange
			for _, b := range []byte(string(runeOf(code))) {
				c.lo = c.lo<<8 | uint32(b)
			}
			c.hi, c.cid = c.lo, r.cid+code-r.lo
			if n := len(out) - 1; n >= 0 && out[n].hi+1 == c.lo && out[n].cid+c.lo-out[n].lo == c.cid {
				out[n].hi = c.hi
			} else {
				out = append(out, c)
			}
		}
	}
	return out
}

// runeOf returns the character of a code of UTF-16, which is a surrogate pair if it has
// more than two bytes.
func runeOf(code uint32) rune {
	if code > 0xffff {
		return utf16.DecodeRune(rune(code>>16), rune(code&0xffff))
	}
	return rune(code)
}

// texts has texts by number. They stay in memory once they have been used, so it has no
// pointer for each text, which the garbage collector would follow again and again.
type texts struct {
	all  string   // one text after the other
	ends []uint32 // where each of them ends
}

// at returns a text, "" if there is none with the number.
func (t *texts) at(i int) string {
	if t == nil || i >= len(t.ends) {
		return ""
	}
	from := uint32(0)
	if i > 0 {
		from = t.ends[i-1]
	}
	return t.all[from:t.ends[i]]
}

// unpackTexts returns packed texts by CID. An entry holds only the texts that differ from
// the characters for which the CMap that is named has the CID.
func unpackTexts(b []byte, use func(string) *CMap) *texts {
	r := packReader{b: b}
	from := characters(use(r.text()))
	n := r.count()
	var all strings.Builder
	ends := make([]uint32, 0, n)
	var last rune
	for cid := range n {
		switch v := r.uint(); v {
		case 0:
			if c := from[uint16(cid)]; c != 0 {
				last = c
				all.WriteRune(c)
			}
		case 1:
			all.WriteString(r.text())
		default:
			v -= 2
			last += rune(v>>1) ^ -rune(v&1)
			all.WriteRune(last)
		}
		ends = append(ends, uint32(all.Len())) //nolint:gosec // our own data
	}
	return &texts{all.String(), ends}
}

// characters returns the characters that a CMap for UTF-16 has for each CID, 0 for
// none. Of several the last applies, because the first ones are radicals.
func characters(m *CMap) *[1 << 16]rune {
	var out [1 << 16]rune
	for _, r := range m.cids {
		for code := r.lo; code <= r.hi; code++ {
			out[uint16(r.cid+code-r.lo)] = runeOf(code) //nolint:gosec // CIDs are 16 bits wide
		}
	}
	return &out
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
