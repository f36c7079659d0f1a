// SPDX-License-Identifier: Apache-2.0

package font

import (
	"encoding/binary"
	"strings"
)

// sfnt holds what a TrueType or OpenType font program says about its glyphs.
type sfnt struct {
	symbol  map[uint32]int // cmap (3,0): glyph index by code
	mac     map[uint32]int // cmap (1,0)
	unicode map[uint32]int // cmap (3,1), (3,10), (0,*)
	names   []string       // of the post table, by glyph index; nil if there are none
	widths  []float64      // advance by glyph index in em; the last one applies to the remaining glyphs
	cff     *cff           // of OpenType fonts with CFF outlines
	texts   map[int]rune   // character by glyph index, the inverse of unicode
	usual   bool           // glyphs are in standard Macintosh order
	blank   []uint64       // a bit for each glyph without an outline; nil if unknown or if no glyph has an outline
}

// maxGlyphs is the maximum number of glyphs of a font, since glyph indices
// have 16 bits.
const maxGlyphs = 1 << 16

// be8, be16 and be32 read big-endian numbers. They return 0 if the offset is
// out of range.
func be8(b []byte, at int) int {
	if at < 0 || at >= len(b) {
		return 0
	}
	return int(b[at])
}

func be16(b []byte, at int) int {
	if at < 0 || at+2 > len(b) {
		return 0
	}
	return int(binary.BigEndian.Uint16(b[at:]))
}

func be32(b []byte, at int) int {
	if at < 0 || at+4 > len(b) {
		return 0
	}
	return int(binary.BigEndian.Uint32(b[at:]))
}

// part returns b[at:at+n], cut to the length of b.
func part(b []byte, at, n int) []byte {
	if at < 0 || at >= len(b) || n <= 0 {
		return nil
	}
	return b[at : at+min(n, len(b)-at)]
}

// parseSFNT reads a TrueType or OpenType font program. It returns nil if b
// is not one. Damaged tables are treated as missing.
func parseSFNT(b []byte) *sfnt {
	if string(part(b, 0, 4)) == "ttcf" {
		b2 := part(b, be32(b, 12), len(b))
		return parseTables(b, b2)
	}
	return parseTables(b, b)
}

func parseTables(file, dir []byte) *sfnt {
	switch string(part(dir, 0, 4)) {
	case "\x00\x01\x00\x00", "true", "OTTO", "typ1":
	default:
		return nil
	}
	tables := map[string][]byte{}
	for i := range be16(dir, 4) {
		rec := part(dir, 12+16*i, 16)
		if len(rec) < 16 {
			break
		}
		tables[string(rec[:4])] = part(file, be32(rec, 8), be32(rec, 12))
	}
	f := &sfnt{}
	f.readCmap(tables["cmap"])
	f.readPost(tables["post"])
	f.readWidths(tables["head"], tables["hhea"], tables["hmtx"])
	f.readOutlines(tables["head"], tables["loca"], len(tables["glyf"]))
	if c := tables["CFF "]; c != nil {
		f.cff = parseCFF(c)
	}
	f.usual = len(f.unicode) == 0 && f.names == nil && f.usualOrder()
	f.texts = make(map[int]rune, len(f.unicode))
	for code, gid := range f.unicode {
		r := rune(code) //nolint:gosec // codes are below 2^21
		if old, ok := f.texts[gid]; !ok || better(r, old) {
			f.texts[gid] = r
		}
	}
	return f
}

// better reports whether a is to be preferred to b as the character of a
// glyph that has both. Characters of private use or compatibility blocks are
// less preferred; otherwise the lower code point is preferred.
func better(a, b rune) bool {
	rank := func(r rune) int {
		switch {
		case r >= 0xe000 && r < 0xf900, r < 0x20:
			return 3
		case r >= 0xf900 && r < 0xffff, r == 0xa0, r == 0xad, r >= 0x2e80 && r < 0x2fe0:
			return 2
		}
		return 1
	}
	if ra, rb := rank(a), rank(b); ra != rb {
		return ra < rb
	}
	return a < b
}

// maxCodes is the maximum number of codes that are read from a font program,
// because segments may overlap.
const maxCodes = 1 << 19

func (f *sfnt) readCmap(b []byte) {
	left := maxCodes
	for i := range min(be16(b, 2), 64) {
		platform, encoding, at := be16(b, 4+8*i), be16(b, 6+8*i), be32(b, 8+8*i)
		sub := part(b, at, len(b))
		var into *map[uint32]int
		switch {
		case platform == 3 && encoding == 0:
			into = &f.symbol
		case platform == 1 && encoding == 0:
			into = &f.mac
		case platform == 3 && (encoding == 1 || encoding == 10), platform == 0 && encoding != 5:
			into = &f.unicode
		default:
			continue
		}
		if *into == nil {
			*into = map[uint32]int{}
		}
		readSubtable(sub, *into, &left)
	}
}

// readSubtable adds the codes of a cmap subtable of format 0, 4, 6 or 12, up
// to left codes.
func readSubtable(b []byte, into map[uint32]int, left *int) {
	add := func(code, gid int) bool {
		if gid > 0 && gid < maxGlyphs && code >= 0 && code < 0x110000 && len(into) < 200_000 {
			into[uint32(code)] = gid
		}
		*left--
		return *left > 0
	}
	switch be16(b, 0) {
	case 0:
		for c, g := range part(b, 6, 256) {
			add(c, int(g))
		}
	case 4:
		readFormat4(b, add)
	case 6:
		first := be16(b, 6)
		for i := range be16(b, 8) {
			add(first+i, be16(b, 10+2*i))
		}
	case 12:
		for i := range min(be32(b, 12), len(b)/12) {
			lo, hi, gid := be32(b, 16+12*i), be32(b, 20+12*i), be32(b, 24+12*i)
			for c := lo; c <= hi && c-lo < maxGlyphs; c++ {
				if !add(c, gid+c-lo) {
					return
				}
			}
		}
	}
}

func readFormat4(b []byte, add func(code, gid int) bool) {
	n := be16(b, 6) / 2
	ends, starts := 14, 16+2*n
	deltas, offsets := starts+2*n, starts+4*n
	for i := range n {
		start, end := be16(b, starts+2*i), be16(b, ends+2*i)
		delta, offset := be16(b, deltas+2*i), be16(b, offsets+2*i)
		for c := start; c <= end && c < 0xffff; c++ {
			g := c
			if offset != 0 {
				g = be16(b, offsets+2*i+offset+2*(c-start))
			}
			if g != 0 || offset == 0 {
				g = (g + delta) & 0xffff
			}
			if !add(c, g) {
				return
			}
		}
	}
}

func (f *sfnt) readPost(b []byte) {
	mac := standardStrings().mac
	switch be32(b, 0) {
	case 0x10000:
		f.names = mac
	case 0x20000:
		n := be16(b, 32)
		rest := part(b, 34+2*n, len(b))
		var own []string
		for len(rest) > 0 {
			size := int(rest[0])
			own = append(own, string(part(rest, 1, size)))
			rest = part(rest, 1+size, len(rest))
		}
		for i := range min(n, len(b)/2) {
			k := be16(b, 34+2*i)
			switch {
			case k < len(mac):
				f.names = append(f.names, mac[k])
			case k-len(mac) < len(own):
				f.names = append(f.names, own[k-len(mac)])
			default:
				f.names = append(f.names, "")
			}
		}
	}
}

func (f *sfnt) readWidths(head, hhea, hmtx []byte) {
	em := float64(be16(head, 18))
	if em < 16 {
		return
	}
	for i := range min(be16(hhea, 34), len(hmtx)/4) {
		f.widths = append(f.widths, float64(be16(hmtx, 4*i))/em)
	}
}

// readOutlines records which glyphs have no outline. Subsets keep the
// indices of removed glyphs and often the complete cmap table.
func (f *sfnt) readOutlines(head, loca []byte, size int) {
	at := func(gid int) int { return 2 * be16(loca, 2*gid) }
	n := len(loca)/2 - 1
	if be16(head, 50) != 0 {
		at = func(gid int) int { return be32(loca, 4*gid) }
		n = len(loca)/4 - 1
	}
	n = min(n, maxGlyphs)
	if n <= 0 || size == 0 {
		return
	}
	blank := make([]uint64, (n+63)/64)
	drawn := false
	for gid := range n {
		if from := at(gid); from < at(gid+1) && from < size {
			drawn = true
		} else {
			blank[gid/64] |= 1 << (gid % 64)
		}
	}
	if drawn {
		f.blank = blank
	}
}

// draws reports whether a glyph may have an outline.
func (f *sfnt) draws(gid int) bool {
	return f.blank == nil || gid >= 0 && gid/64 < len(f.blank) && f.blank[gid/64]>>(gid%64)&1 == 0
}

// Glyph indices in standard Macintosh order (post table, format 1).
const glyphSpace, glyphZero, glyphI, glyphM = 3, 19, 76, 80

// usualOrder reports whether the widths are those of a font with glyphs in
// standard Macintosh order, which most fonts by Microsoft have: all digits
// have the same width, and i, m and the space have plausible proportions.
// Subsets of such fonts keep the order when they lose the cmap table.
func (f *sfnt) usualOrder() bool {
	if len(f.widths) < glyphM+20 {
		return false
	}
	zero := f.widths[glyphZero]
	for _, w := range f.widths[glyphZero : glyphZero+10] {
		if w != zero {
			return false
		}
	}
	i, m, space := f.widths[glyphI], f.widths[glyphM], f.widths[glyphSpace]
	return zero > .4 && zero < .7 && i > 0 && i < .6*m && m > zero && space > .15 && space < .4
}

// width returns the advance of a glyph in em, or false if it is unknown.
func (f *sfnt) width(gid int) (float64, bool) {
	if len(f.widths) == 0 || gid < 0 {
		return 0, false
	}
	return f.widths[min(gid, len(f.widths)-1)], true
}

// text returns the text of a glyph according to its code or else its name.
// It returns "" if the font has neither, or if a glyph without an outline
// stands for a visible character.
func (f *sfnt) text(gid int) string {
	t := f.meaning(gid)
	if !f.draws(gid) && strings.TrimSpace(t) != "" {
		return ""
	}
	return t
}

// meaning is like text but ignores whether the glyph has an outline.
func (f *sfnt) meaning(gid int) string {
	if r, ok := f.texts[gid]; ok && (r < 0xe000 || r > 0xf8ff) {
		return string(r)
	}
	if gid >= 0 && gid < len(f.names) {
		if t := GlyphText(f.names[gid]); t != "" {
			return t
		}
	}
	if f.cff != nil {
		if t := GlyphText(f.cff.name(gid)); t != "" {
			return t
		}
	}
	if r, ok := f.texts[gid]; ok {
		return string(r)
	}
	if mac := standardStrings().mac; f.usual && gid >= glyphSpace && gid < len(mac) {
		return GlyphText(mac[gid])
	}
	return ""
}

// glyph returns the glyph index of a code of a simple font (ISO 32000-1,
// 9.6.6.4).
func (f *sfnt) glyph(code int) int {
	c := uint32(code) //nolint:gosec // a byte
	for _, high := range []uint32{0xf000, 0, 0xf100, 0xf200} {
		if g, ok := f.symbol[high+c]; ok {
			return g
		}
	}
	return f.mac[c]
}
