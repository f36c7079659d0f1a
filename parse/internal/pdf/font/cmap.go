// SPDX-License-Identifier: Apache-2.0

package font

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"example.com/curlew/internal/sorting"
)

// CMap maps character codes of one to four bytes to CIDs, to text, or to
// both. The zero CMap has no mappings and codes of one byte. A parsed CMap
// is not modified anymore.
type CMap struct {
	Name     string
	Vertical bool // writing mode 1

	base   *CMap // the CMap named by usecmap; may be nil
	spaces []space
	cids   []cidRange // sorted by lo
	texts  []textRange
	chars  map[uint32]string
}

// space is a codespace range: codes of n bytes, each of which lies in the
// range of the bytes of lo and hi at its position.
type space struct {
	n      int
	lo, hi uint32
}

// cidRange maps lo..hi to cid, cid+1, ...
type cidRange struct{ lo, hi, cid uint32 }

// textRange maps lo to text, and lo+i to text with i added to its last
// character.
type textRange struct {
	lo, hi uint32
	text   string
}

// maxEntries is the maximum number of entries of one CMap: twice the number
// of two-byte codes.
const maxEntries = 1 << 17

// size returns the approximate size of m in bytes, without its base.
func (m *CMap) size() int {
	n := entrySize*(len(m.chars)+len(m.texts)) + 12*len(m.cids)
	for _, t := range m.chars {
		n += len(t)
	}
	for i := range m.texts {
		n += len(m.texts[i].text)
	}
	return n
}

// ParseCMap reads a CMap or a ToUnicode CMap (ISO 32000-1, 9.7.5 and 9.10.3;
// Adobe Technical Notes 5014, 5411). It skips what it does not understand
// and never fails. use returns the CMap named by usecmap; it may be nil.
func ParseCMap(data []byte, use func(name string) *CMap) *CMap {
	p := cmapParser{lex: psLexer{data: data}, m: &CMap{chars: map[uint32]string{}}, use: use}
	p.run()
	p.m.finish()
	return p.m
}

// finish sorts the ranges for lookup. Of ranges with the same start, the
// last one applies.
func (m *CMap) finish() {
	sorting.Stable(m.cids, func(a, b cidRange) int { return cmp.Compare(a.lo, b.lo) })
	sorting.Stable(m.texts, func(a, b textRange) int { return cmp.Compare(a.lo, b.lo) })
}

// Next returns the first code of s and its length in bytes, which is at
// least 1. s must not be empty. A code that lies in no codespace range has
// the length of the shortest range.
func (m *CMap) Next(s []byte) (code uint32, n int) {
	shortest := 4
	any := false
	for b := m; b != nil; b = b.base {
		for _, c := range b.spaces {
			any = true
			shortest = min(shortest, c.n)
			if v, ok := c.match(s); ok {
				return v, c.n
			}
		}
	}
	if !any {
		shortest = 1
	}
	shortest = min(shortest, len(s))
	for _, b := range s[:shortest] {
		code = code<<8 | uint32(b)
	}
	return code, shortest
}

func (c space) match(s []byte) (code uint32, ok bool) {
	if len(s) < c.n {
		return 0, false
	}
	for i := range c.n {
		shift := 8 * (c.n - 1 - i)
		b := uint32(s[i])
		if b < c.lo>>shift&0xff || b > c.hi>>shift&0xff {
			return 0, false
		}
		code = code<<8 | b
	}
	return code, true
}

// CID returns the CID of a code, or false if the CMap has none.
func (m *CMap) CID(code uint32) (uint32, bool) {
	for b := m; b != nil; b = b.base {
		i := sort.Search(len(b.cids), func(i int) bool { return b.cids[i].lo > code })
		for back := 0; i > 0 && back < 8; back++ { // look back a few ranges; overlaps are rare
			i--
			if r := b.cids[i]; code <= r.hi {
				return r.cid + code - r.lo, true
			}
		}
	}
	return 0, false
}

// Text returns the text of a code, or false if the CMap has none.
func (m *CMap) Text(code uint32) (string, bool) {
	for b := m; b != nil; b = b.base {
		if t, ok := b.chars[code]; ok {
			return nonZero(t), true
		}
		i := sort.Search(len(b.texts), func(i int) bool { return b.texts[i].lo > code })
		for back := 0; i > 0 && back < 8; back++ {
			i--
			r := b.texts[i]
			if code <= r.hi {
				return nonZero(r.at(code)), true
			}
		}
	}
	return "", false
}

// nonZero replaces U+0000, which some ToUnicode CMaps use for codes without
// text, by the empty string.
func nonZero(t string) string {
	if t == "\x00" {
		return ""
	}
	return t
}

func (r textRange) at(code uint32) string {
	if code == r.lo || r.text == "" {
		return r.text
	}
	runes := []rune(r.text)
	runes[len(runes)-1] += rune(code - r.lo) //nolint:gosec // a range holds at most 2^16 codes
	return string(runes)
}

// HasText reports whether the CMap maps any code to text.
func (m *CMap) HasText() bool {
	for b := m; b != nil; b = b.base {
		if len(b.chars) > 0 || len(b.texts) > 0 {
			return true
		}
	}
	return false
}

// mathematical reports whether the text has mathematical letters, such as 𝑥, which only
// the fonts of formulas have.
func (m *CMap) mathematical() bool {
	letter := func(s string) bool {
		r, _ := utf8.DecodeRuneInString(s)
		return r >= 0x1d400 && r <= 0x1d7ff
	}
	for _, s := range m.chars {
		if letter(s) {
			return true
		}
	}
	return slices.ContainsFunc(m.texts, func(t textRange) bool { return letter(t.text) })
}

// readAsText treats CIDs as characters, for ToUnicode CMaps that use the
// operators for CIDs.
func (m *CMap) readAsText() {
	for _, r := range m.cids {
		if r.cid <= unicode.MaxRune && r.hi-r.lo <= 0xffff {
			m.texts = append(m.texts, textRange{r.lo, r.hi, string(rune(r.cid))})
		}
	}
}

// useless reports whether the CMap maps all codes to the same text or to
// unreadable text. Some producers write such ToUnicode CMaps.
func (m *CMap) useless() bool {
	if len(m.texts) > 0 || len(m.chars) == 0 {
		if len(m.texts) == 1 && len(m.chars) == 0 {
			r := m.texts[0]
			return r.hi > r.lo && (r.text == "\x00" && r.hi-r.lo < 2)
		}
		return false
	}
	first, same, unread := "", true, true
	for _, t := range m.chars {
		if first == "" {
			first = t
		}
		same = same && t == first
		unread = unread && (t == "\ufffd" || t == "\x00" || t == "")
	}
	return unread || same && len(m.chars) > 3
}

type cmapParser struct {
	lex  psLexer
	m    *CMap
	use  func(string) *CMap
	last psToken // the token before the operator
}

func (p *cmapParser) run() {
	for {
		t := p.lex.next()
		if t.kind == psEnd {
			return
		}
		if t.kind != psWord {
			if t.kind == psNumber && p.last.kind == psName && p.last.text == "WMode" {
				p.m.Vertical = t.num == 1
			}
			if t.kind == psName && p.last.kind == psName && p.last.text == "CMapName" {
				p.m.Name = t.text
			}
			p.last = t
			continue
		}
		switch t.text {
		case "usecmap":
			if p.last.kind == psName && p.use != nil {
				p.m.base = p.use(p.last.text)
			}
		case "begincodespacerange":
			p.spaces()
		case "begincidrange":
			p.cidRanges()
		case "begincidchar":
			p.cidChars()
		case "beginbfrange":
			p.bfRanges()
		case "beginbfchar":
			p.bfChars()
		}
	}
}

// entry reads the tokens of one entry into out. It returns false at the end
// of the section.
func (p *cmapParser) entry(out []psToken) bool {
	for i := range out {
		out[i] = p.lex.next()
		if out[i].kind == psWord || out[i].kind == psEnd {
			return false
		}
	}
	return true
}

func (p *cmapParser) spaces() {
	for e := make([]psToken, 2); p.entry(e); {
		n := len(e[0].text)
		if n >= 1 && n <= 4 && len(p.m.spaces) < 100 {
			p.m.spaces = append(p.m.spaces, space{n, e[0].code(), e[1].code()})
		}
	}
}

func (p *cmapParser) cidRanges() {
	for e := make([]psToken, 3); p.entry(e); {
		lo, hi := e[0].code(), e[1].code()
		if lo <= hi && len(p.m.cids) < maxEntries {
			p.m.cids = append(p.m.cids, cidRange{lo, hi, e[2].whole()})
		}
	}
}

func (p *cmapParser) cidChars() {
	for e := make([]psToken, 2); p.entry(e); {
		if c := e[0].code(); len(p.m.cids) < maxEntries {
			p.m.cids = append(p.m.cids, cidRange{c, c, e[1].whole()})
		}
	}
}

func (p *cmapParser) bfChars() {
	for e := make([]psToken, 2); p.entry(e); {
		if len(p.m.chars) < maxEntries {
			p.m.chars[e[0].code()] = e[1].unicode()
		}
	}
}

func (p *cmapParser) bfRanges() {
	for e := make([]psToken, 3); p.entry(e); {
		lo, hi := e[0].code(), e[1].code()
		if e[2].kind == psOpen {
			for c := lo; ; c++ {
				t := p.lex.next()
				if t.kind != psString && t.kind != psName {
					break
				}
				if c <= hi && len(p.m.chars) < maxEntries {
					p.m.chars[c] = t.unicode()
				}
			}
			continue
		}
		switch {
		case lo > hi || len(p.m.texts) >= maxEntries:
		case lo == hi:
			if len(p.m.chars) < maxEntries {
				p.m.chars[lo] = e[2].unicode()
			}
		default:
			p.m.texts = append(p.m.texts, textRange{lo, min(hi, lo+0xffff), e[2].unicode()})
		}
	}
}

// code returns the last four bytes of a string as a number.
func (t psToken) code() uint32 {
	if t.kind == psNumber {
		return t.whole()
	}
	var v uint32
	for i := range len(t.text) {
		v = v<<8 | uint32(t.text[i])
	}
	return v
}

// whole returns a number, or the bytes of a string, as an unsigned integer.
func (t psToken) whole() uint32 {
	if t.kind != psNumber {
		return t.code()
	}
	if t.num < 0 || t.num > 1<<31 {
		return 0
	}
	return uint32(t.num)
}

// unicode returns the text that a code maps to: a string in UTF-16BE, a
// single byte as is, or the character of a glyph name.
func (t psToken) unicode() string {
	switch {
	case t.kind == psName:
		return GlyphText(t.text)
	case t.kind == psNumber:
		return string(rune(t.whole())) //nolint:gosec // string() makes U+FFFD of what is no character
	case len(t.text) == 1:
		return string(rune(t.text[0]))
	}
	s := t.text
	if len(s)%2 == 1 { // odd length: a leading zero byte was omitted
		s = "\x00" + s
	}
	units := make([]uint16, 0, len(s)/2)
	for i := 0; i+1 < len(s) && i < 128; i += 2 {
		units = append(units, uint16(s[i])<<8|uint16(s[i+1]))
	}
	text := string(utf16.Decode(units))
	if trimmed := strings.TrimRight(text, "\x00"); trimmed != "" {
		return trimmed
	}
	return text
}
