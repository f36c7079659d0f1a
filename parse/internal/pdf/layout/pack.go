// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"encoding/binary"
	"math"
	"slices"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/font"
)

// packed has the lines of a page in a lossless compact form, with about 30
// bytes per word in place of 130. Values that rarely change from word to
// word, such as baseline, size and font, take one bit.
type packed struct {
	data  string
	lines int
	words int
	fonts []*font.Font // reduced to the properties that layout needs, without tables
}

// Flags of a packed word. Those that begin with same say that a field equals
// that of the word before or follows from other fields. The others are
// properties of the word.
const (
	sameX0 = 1 << iota // the box begins at the X0 of the word
	sameX1
	sameY
	sameSize
	sameTop // of the box
	sameBottom
	sameFont
	sameColor
	sameFlags
	sameMCID
	markGlue
	markSpace
	markRaised
	markLowered
)

// Pack stores the lines of p in packed form until [Build] needs them. Build
// needs all pages of a document at once, because headers and footers are
// found by repetition.
func (p *Page) Pack() {
	if p.away != nil {
		return
	}
	if !p.wait() {
		return
	}
	away := &packed{lines: len(p.Lines)}
	w := packer{fonts: map[*font.Font]int{}, away: away, b: make([]byte, 0, usualWeight*p.Words())}
	for i := range p.Lines {
		w.line(&p.Lines[i])
	}
	away.data = string(w.b)
	p.Lines, p.away = nil, away
}

// usualWeight is the number of bytes of a packed word that few documents exceed.
const usualWeight = 32

// wait makes the measures that are needed before [Build] and drops what will
// not be used. It returns false if the page has no text.
func (p *Page) wait() bool {
	if len(p.Lines) == 0 {
		p.Rules, p.Fills = nil, nil // a page without text has no tables
		return false
	}
	p.survey()
	p.prune()
	return true
}

// maxKept is the maximum number of words of a page that waits for [Build]
// without being packed, about 200 KB.
const maxKept = 1500

// Keep is for the pages of short documents, in place of Pack: it leaves the
// lines as they are, which is faster. It returns false if the page has too
// many words for that and must be packed.
func (p *Page) Keep() bool {
	if p.Words() > maxKept {
		return false
	}
	if !p.wait() {
		return true
	}
	faces := map[*font.Font]*font.Font{} // without tables, which may be large
	for i := range p.Lines {
		for k := range p.Lines[i].Words {
			w := &p.Lines[i].Words[k]
			if w.Font == nil {
				continue
			}
			f := faces[w.Font]
			if f == nil {
				f = w.Font.Face()
				faces[w.Font] = f
			}
			w.Font = f
		}
	}
	return true
}

// prune drops short lines and small boxes of a page that has very many. They
// are not used on such a page.
func (p *Page) prune() {
	if p.coarse = len(p.Rules)+4*len(p.Fills) > maxEdges; !p.coarse {
		return
	}
	p.Rules = slices.Clip(sorting.Without(p.Rules, func(r content.Rule) bool { return max(r.X1-r.X0, r.Y1-r.Y0) < coarsest }))
	p.Fills = slices.Clip(sorting.Without(p.Fills, func(f content.Fill) bool {
		return min(f.Box.Width(), f.Box.Height()) < coarsest && f.Box.Area() < smallest*p.Width*p.Height
	}))
}

// Estimated memory in bytes of the parts of a page, from packing until its
// blocks are in the tree.
const (
	lineWeight = 1000
	wordWeight = 12
	wordSize   = 136 // if the page is not packed
	wordPlaces = 200 // if the document keeps the places of words
	partWeight = 112 // of an image; rules, fills and links need less
)

// Weight estimates how many bytes a document needs for the waiting page p
// until it is a tree.
func (p *Page) Weight() int {
	w := partWeight * (len(p.Rules) + len(p.Fills) + len(p.Images) + len(p.Links))
	for i := range p.Links {
		w += len(p.Links[i].URI)
	}
	each := wordWeight
	if p.Places {
		each = wordPlaces
	}
	if p.away != nil {
		w += len(p.away.data)
	} else {
		each += wordSize
	}
	return w + lineWeight*p.lines() + each*p.Words()
}

// lines returns the number of lines of p.
func (p *Page) lines() int {
	if p.away != nil {
		return p.away.lines
	}
	return len(p.Lines)
}

// Words returns the number of words of p.
func (p *Page) Words() int {
	if p.away != nil {
		return p.away.words
	}
	n := 0
	for i := range p.Lines {
		n += len(p.Lines[i].Words)
	}
	return n
}

// unpack restores the lines of p. All words share one array and their texts
// one string, so code that keeps a few of them must copy them.
func (p *Page) unpack() {
	if p.away == nil {
		return
	}
	r := unpacker{s: p.away.data, fonts: p.away.fonts}
	words := make([]Word, p.away.words)
	p.Lines = make([]Line, p.away.lines)
	for i := range p.Lines {
		n := r.line(&p.Lines[i], words)
		words = words[n:]
	}
	p.away = nil
}

// packer writes lines in packed form.
type packer struct {
	b     []byte
	last  Word
	fonts map[*font.Font]int // indexes in away.fonts
	away  *packed
}

func (p *packer) uint(v uint64) { p.b = binary.AppendUvarint(p.b, v) }

func (p *packer) int(v int) { p.b = binary.AppendVarint(p.b, int64(v)) }

func (p *packer) float(v float64) {
	p.b = binary.LittleEndian.AppendUint64(p.b, math.Float64bits(v))
}

// line writes the flags of a line and its words. Usually the box of a line
// is the union of the boxes of its words, and its baseline and size are
// those of one word, so these are not stored.
func (p *packer) line(l *Line) {
	p.uint(uint64(len(l.Words)))
	marks := byte(l.Turn) << 2
	if l.RTL {
		marks |= 1
	}
	around := boxOf(l.Words)
	if !same(around.X0, l.Box.X0) || !same(around.X1, l.Box.X1) || !same(around.Y0, l.Box.Y0) || !same(around.Y1, l.Box.Y1) {
		marks |= 2
	}
	p.b = append(p.b, marks)
	if marks&2 != 0 {
		p.float(l.Box.X0)
		p.float(l.Box.Y0)
		p.float(l.Box.X1)
		p.float(l.Box.Y1)
	}
	like := 0 // the word that has the baseline and size of the line
	for like < len(l.Words) && (!same(l.Words[like].Y, l.Y) || !same(l.Words[like].Size, l.Size)) {
		like++
	}
	p.uint(uint64(like))
	if like == len(l.Words) {
		p.float(l.Y)
		p.float(l.Size)
	}
	for k := range l.Words {
		p.word(&l.Words[k])
	}
	p.away.words += len(l.Words)
}

func (p *packer) word(w *Word) {
	marks := p.marks(w)
	p.uint(uint64(marks))
	p.float(w.X0)
	p.float(w.X1)
	for _, f := range [...]struct {
		mark uint16
		v    float64
	}{{sameX0, w.Box.X0}, {sameX1, w.Box.X1}, {sameY, w.Y}, {sameSize, w.Size}, {sameTop, w.Box.Y0}, {sameBottom, w.Box.Y1}} {
		if marks&f.mark == 0 {
			p.float(f.v)
		}
	}
	if marks&sameFont == 0 {
		p.uint(uint64(p.font(w.Font))) //nolint:gosec // a place in a list
	}
	if marks&sameColor == 0 {
		p.uint(uint64(w.Color))
	}
	if marks&sameFlags == 0 {
		p.b = append(p.b, byte(w.Flags))
	}
	if marks&sameMCID == 0 {
		p.int(w.MCID)
	}
	p.int(w.Seq - p.last.Seq)
	p.uint(uint64(len(w.Text)))
	p.b = append(p.b, w.Text...)
	p.last = *w
}

// marks returns the flags for the fields that a word shares with the word
// before.
func (p *packer) marks(w *Word) (marks uint16) {
	set := func(mark uint16, on bool) {
		if on {
			marks |= mark
		}
	}
	set(sameX0, same(w.Box.X0, w.X0))
	set(sameX1, same(w.Box.X1, w.X1))
	set(sameY, same(w.Y, p.last.Y))
	set(sameSize, same(w.Size, p.last.Size))
	set(sameTop, same(w.Box.Y0, p.last.Box.Y0))
	set(sameBottom, same(w.Box.Y1, p.last.Box.Y1))
	set(sameFont, w.Font == p.last.Font)
	set(sameColor, w.Color == p.last.Color)
	set(sameFlags, w.Flags == p.last.Flags)
	set(sameMCID, w.MCID == p.last.MCID)
	set(markGlue, w.Glue)
	set(markSpace, w.Space)
	set(markRaised, w.Rise > 0)
	set(markLowered, w.Rise < 0)
	return marks
}

// font returns the index of f from 1, or 0 for no font.
func (p *packer) font(f *font.Font) int {
	if f == nil {
		return 0
	}
	n, ok := p.fonts[f]
	if !ok {
		p.away.fonts = append(p.away.fonts, f.Face())
		n = len(p.away.fonts)
		p.fonts[f] = n
	}
	return n
}

// same reports whether two numbers have the same bits.
func same(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// boxOf returns the union of the boxes of words.
func boxOf(ws []Word) content.Box {
	if len(ws) == 0 {
		return content.Box{}
	}
	b := ws[0].Box
	for i := range ws {
		b = b.Union(ws[i].Box)
	}
	return b
}

// unpacker reads the data of a packer.
type unpacker struct {
	s     string
	last  Word
	fonts []*font.Font
}

func (u *unpacker) uint() uint64 {
	var v uint64
	for shift := 0; ; shift += 7 {
		c := u.s[0]
		u.s = u.s[1:]
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return v
		}
	}
}

func (u *unpacker) int() int {
	v := u.uint()
	return int(v>>1) ^ -int(v&1) // decode the zigzag encoding of binary.AppendVarint
}

func (u *unpacker) float() float64 {
	s := u.s[:8]
	u.s = u.s[8:]
	return math.Float64frombits(uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56)
}

func (u *unpacker) byte() byte {
	c := u.s[0]
	u.s = u.s[1:]
	return c
}

// line reads a line, stores its words at the start of room and returns their
// number.
func (u *unpacker) line(l *Line, room []Word) int {
	n := int(u.uint()) //nolint:gosec // as the packer wrote it
	marks := u.byte()
	l.Turn, l.RTL = frame(marks>>2), marks&1 != 0
	if marks&2 != 0 {
		l.Box = content.Box{X0: u.float(), Y0: u.float(), X1: u.float(), Y1: u.float()}
	}
	like := int(u.uint()) //nolint:gosec // the same
	if like == n {
		l.Y, l.Size = u.float(), u.float()
	}
	l.Words = room[:n:n]
	for k := range l.Words {
		u.word(&l.Words[k])
	}
	if marks&2 == 0 {
		l.Box = boxOf(l.Words)
	}
	if like < n {
		l.Y, l.Size = l.Words[like].Y, l.Words[like].Size
	}
	return n
}

func (u *unpacker) word(w *Word) {
	marks := uint16(u.uint()) //nolint:gosec // as the packer wrote it
	*w = u.last
	w.X0, w.X1 = u.float(), u.float()
	w.Box.X0, w.Box.X1 = w.X0, w.X1
	for _, f := range [...]struct {
		mark uint16
		v    *float64
	}{{sameX0, &w.Box.X0}, {sameX1, &w.Box.X1}, {sameY, &w.Y}, {sameSize, &w.Size}, {sameTop, &w.Box.Y0}, {sameBottom, &w.Box.Y1}} {
		if marks&f.mark == 0 {
			*f.v = u.float()
		}
	}
	if marks&sameFont == 0 {
		w.Font = nil
		if n := u.uint(); n > 0 {
			w.Font = u.fonts[n-1]
		}
	}
	if marks&sameColor == 0 {
		w.Color = content.Color(u.uint()) //nolint:gosec // the same
	}
	if marks&sameFlags == 0 {
		w.Flags = content.Flags(u.byte())
	}
	if marks&sameMCID == 0 {
		w.MCID = u.int()
	}
	w.Seq += u.int()
	n := u.uint()
	w.Text, u.s = u.s[:n], u.s[n:]
	w.Glue, w.Space, w.Rise = marks&markGlue != 0, marks&markSpace != 0, 0
	switch {
	case marks&markRaised != 0:
		w.Rise = 1
	case marks&markLowered != 0:
		w.Rise = -1
	}
	u.last = *w
}
