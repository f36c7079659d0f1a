// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"encoding/binary"
	"math"
	"slices"

	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/font"
)

// packed is the lines of a page put away without loss: about 30 bytes a word in
// place of 130. What is the same from word to word, such as baseline, size and
// font, costs one bit.
type packed struct {
	data  string
	lines int
	words int
	fonts []*font.Font // faces: what layout asks of a font, without its tables
}

// Marks of a packed word: which of its members are those of the word before,
// or follow from others.
const (
	sameX0 = 1 << iota // the box begins where the word does
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

// Pack puts the lines of p away until [Build] asks for them: all pages of a
// document wait for each other, for what they repeat says what is a header.
func (p *Page) Pack() {
	if p.away != nil {
		return
	}
	if len(p.Lines) == 0 {
		p.Rules, p.Fills = nil, nil // there is nothing that they could tell of
		return
	}
	p.survey()
	p.prune()
	away := &packed{lines: len(p.Lines)}
	w := packer{fonts: map[*font.Font]int{}, away: away}
	for i := range p.Lines {
		w.line(&p.Lines[i])
	}
	away.data = string(w.b)
	p.Lines, p.away = nil, away
}

// prune drops the lines and boxes that nobody looks at on a page of so many.
func (p *Page) prune() {
	if p.coarse = len(p.Rules)+4*len(p.Fills) > maxEdges; !p.coarse {
		return
	}
	p.Rules = slices.Clip(slices.DeleteFunc(p.Rules, func(r content.Rule) bool { return max(r.X1-r.X0, r.Y1-r.Y0) < coarsest }))
	p.Fills = slices.Clip(slices.DeleteFunc(p.Fills, func(f content.Fill) bool {
		return min(f.Box.Width(), f.Box.Height()) < coarsest && f.Box.Area() < smallest*p.Width*p.Height
	}))
}

// Bytes that the parts of a page need from when it is put away until its blocks
// stand in a tree.
const (
	lineWeight = 1000
	wordWeight = 12
	wordPlaces = 200 // of those that a document keeps
	partWeight = 112 // of an image; rules, fills and links need less
)

// Weight is about how many bytes a document needs for p, which is put away, until
// it is a tree.
func (p *Page) Weight() int {
	w := partWeight * (len(p.Rules) + len(p.Fills) + len(p.Images) + len(p.Links))
	for i := range p.Links {
		w += len(p.Links[i].URI)
	}
	if p.away != nil {
		each := wordWeight
		if p.Places {
			each = wordPlaces
		}
		w += len(p.away.data) + lineWeight*p.away.lines + each*p.away.words
	}
	return w
}

// Words is how many words p has, which is put away.
func (p *Page) Words() int {
	if p.away == nil {
		return 0
	}
	return p.away.words
}

// unpack takes the lines of p out again. Their words share one array, their
// texts one string: whoever keeps a few copies them.
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

// packer writes lines one after the other.
type packer struct {
	b     []byte
	last  Word
	fonts map[*font.Font]int // places in away.fonts
	away  *packed
}

func (p *packer) uint(v uint64) { p.b = binary.AppendUvarint(p.b, v) }

func (p *packer) int(v int) { p.b = binary.AppendVarint(p.b, int64(v)) }

func (p *packer) float(v float64) {
	p.b = binary.LittleEndian.AppendUint64(p.b, math.Float64bits(v))
}

// line writes the marks of a line and its words. Box is that around the words
// for most; height and size are those of one of them.
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
	like := 0 // the word whose height and size the line has
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

// marks says what a word shares with the one before.
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

// font returns the place of f's face; 0 is no font.
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

// same says whether two numbers have the same bits.
func same(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// boxOf is the box around words.
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

// unpacker reads what a packer wrote.
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
	return int(v>>1) ^ -int(v&1) // zigzag, as binary.AppendVarint writes it
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

// line reads a line, whose words are the first of room, and returns how many
// these are.
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
