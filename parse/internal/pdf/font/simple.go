// SPDX-License-Identifier: Apache-2.0

package font

import (
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"example.com/curlew/parse/internal/pdf/object"
)

// simple decodes the strings of a font with single-byte codes. It creates a
// glyph when it is first shown, and reads the font program when a glyph
// needs it, because most documents use few of the 256 codes.
type simple struct {
	file     *object.File
	uni      *CMap // nil if there is none or if it is useless
	named    *differences
	base     func() *[256]string // names of the codes that are not in named
	declared bool                // the names come from the document, not from the program or a default
	zapf     bool
	program  func() program
	chosen   func() *[256]string // texts of the program that are better than those of the names, or nil

	widths  object.Array
	first   int // code of widths[0]
	missing float64
	core    string // the standard font whose widths are used if needed
	type3   *Type3

	glyphs [256]atomic.Pointer[Glyph]
}

// differences are the glyph names that the entry Differences of an encoding
// gives to single codes.
type differences struct {
	names [256]string
	has   [256]bool
}

// readSimple reads a Type 1, TrueType or Type 3 font into f.
func (l *Loader) readSimple(f *Font, d, descriptor object.Dict) {
	lower := strings.ToLower(f.Name)
	s := &simple{
		file: l.File, uni: l.toUnicode(f, d), zapf: strings.Contains(lower, "dingbats"),
		widths: l.File.Array(d["Widths"]), first: l.File.Int(d["FirstChar"], 0),
		missing: l.File.Float(descriptor["MissingWidth"], 0) / 1000, core: coreFont(f),
	}
	s.program = sync.OnceValue(func() (p program) {
		defer func() {
			if recover() != nil { // a damaged font program must not make the page fail
				p = program{}
			}
		}()
		if s.mapped() {
			return program{}
		}
		return l.program(f, descriptor)
	})
	symbolic := l.File.Int(descriptor["Flags"], 0)&flagSymbolic != 0
	s.encode(d, lower, symbolic)
	s.chosen = func() *[256]string { return nil }
	if s.uni == nil && symbolic {
		s.chosen = sync.OnceValue(s.choose)
	}
	if l.File.Name(d["Subtype"]) == "Type3" {
		s.type3 = l.readType3(d, s)
		if texts := s.bitmapTexts(); texts != nil {
			s.chosen = func() *[256]string { return texts }
		}
	}
	f.simple, f.Type3 = s, s.type3
	f.Fixed = f.Fixed || fixed(s.ownWidths())
}

// ownWidths returns the positive widths that the font lists, in em.
func (s *simple) ownWidths() []float64 {
	unit := .001
	if s.type3 != nil {
		unit = s.type3.Matrix[0]
	}
	var out []float64
	for _, o := range s.widths[:min(len(s.widths), 256)] {
		if w := s.file.Float(o, 0) * unit; w > 0 {
			out = append(out, w)
		}
	}
	return out
}

// glyph returns the glyph of a code.
func (s *simple) glyph(code byte) *Glyph {
	g := s.glyphs[code].Load()
	if g == nil {
		g = s.read(int(code))
		s.glyphs[code].Store(g)
	}
	return g
}

func (s *simple) read(code int) (g *Glyph) {
	defer func() {
		if recover() != nil { // a damaged font program must not make the page fail
			g = guessed(code)
		}
	}()
	if s.file == nil {
		return guessed(code)
	}
	name := s.name(code)
	g = &Glyph{Code: uint32(code), Space: code == 32, Text: s.text(code, name), Width: s.width(code, name)} //nolint:gosec // a byte
	if texts := s.chosen(); texts != nil && texts[code] != "" {
		g.Text = texts[code]
	}
	if s.type3 != nil {
		if name == "" {
			g.Text = unnamed(g.Text)
		}
		g.Width *= 1000 * s.type3.Matrix[0] // widths of Type 3 fonts are in glyph space
	}
	return g
}

// guessed returns the glyph of a font that cannot be read. It interprets the
// code in WinAnsiEncoding.
func guessed(code int) *Glyph {
	return &Glyph{Code: uint32(code), Text: GlyphText(encodings()["WinAnsiEncoding"][code]), Width: .5, Space: code == 32} //nolint:gosec // a byte
}

// name returns the glyph name of a code, or "" if it has none.
func (s *simple) name(code int) string {
	if s.named != nil && s.named.has[code] {
		return s.named.names[code]
	}
	return s.base()[code]
}

// mapped reports whether the ToUnicode CMap has the text of all codes of the
// font, so that the font program is not needed.
func (s *simple) mapped() bool {
	if s.uni == nil || len(s.widths) == 0 {
		return false
	}
	for i, w := range s.widths[:min(len(s.widths), 256)] {
		if s.file.Float(w, 0) == 0 {
			continue
		}
		if t, ok := s.uni.Text(uint32(s.first + i)); !ok || t == "" { //nolint:gosec // a code, or one that has no text
			return false
		}
	}
	return true
}

// encode determines the source of the glyph names.
func (s *simple) encode(d object.Dict, font string, symbolic bool) {
	base := object.Name("")
	var list object.Array
	switch v := s.file.Resolve(d["Encoding"]).(type) {
	case object.Name:
		base = v
	case object.Dict:
		base = s.file.Name(v["BaseEncoding"])
		list = s.file.Array(v["Differences"])
	}
	s.differ(list)
	e := encodings()[string(base)]
	if e != nil && (!symbolic || list != nil) {
		s.base, s.declared = func() *[256]string { return e }, true
		return
	}
	type3 := s.file.Name(d["Subtype"]) == "Type3"
	if e != nil { // only the program of a symbolic font may have a better encoding
		if p := s.program(); p.sfnt == nil || p.sfnt.symbol == nil {
			s.base, s.declared = func() *[256]string { return e }, true
			return
		}
	}
	s.base = sync.OnceValue(func() *[256]string { return builtin(s.program(), font, type3, symbolic) })
}

// maxDifferences is the maximum number of entries of Differences that are
// read: 256 names with a code before each, and some duplicates.
const maxDifferences = 4096

// differ reads the entry Differences.
func (s *simple) differ(list object.Array) {
	code := 0
	for _, o := range list[:min(len(list), maxDifferences)] {
		switch v := s.file.Resolve(o).(type) {
		case object.Name:
			if code >= 0 && code < 256 {
				if s.named == nil {
					s.named = &differences{}
				}
				s.named.names[code], s.named.has[code] = string(v), true
				s.declared = true
			}
			code++
		default:
			if n, ok := object.Int(v); ok {
				code = n
			}
		}
	}
}

// builtin returns the glyph names by code for a font whose encoding is not
// in the document.
func builtin(p program, font string, type3, symbolic bool) *[256]string {
	switch {
	case strings.HasPrefix(font, "symbol") && !embedded(p):
		return encodings()["Symbol"]
	case (strings.Contains(font, "zapfdingbats") || font == "dingbats") && !embedded(p):
		return encodings()["ZapfDingbats"]
	case p.type1 != nil:
		return p.type1
	case p.sfnt == nil && p.cff != nil && !p.cff.cid:
		return p.cff.encoding()
	case type3, p.sfnt != nil && symbolic:
		return new([256]string)
	}
	return encodings()["StandardEncoding"]
}

func embedded(p program) bool { return p.sfnt != nil || p.cff != nil || p.type1 != nil }

// text returns the text of a code from the first source that has it.
func (s *simple) text(code int, name string) string {
	if s.uni == nil && s.zapf {
		if t, ok := dingbats().text(name); ok {
			return t
		}
	}
	if s.uni != nil {
		if t, ok := s.uni.Text(uint32(code)); ok && t != "" { //nolint:gosec // a byte
			return t
		}
	}
	if t, ok := s.spelled(name); ok {
		return t
	}
	if t, ok := s.drawn(code); ok {
		return t
	}
	if name == "" && !s.declared || name != "" && name != ".notdef" && len(name) <= 2 {
		return GlyphText(encodings()["WinAnsiEncoding"][code])
	}
	return ""
}

// spelled returns the text that follows from a glyph name, or false if none
// does.
func (s *simple) spelled(name string) (string, bool) {
	if name == "" || name == ".notdef" {
		return "", false
	}
	if t := GlyphText(name); t != "" {
		return t, true
	}
	if gid, ok := glyphIndex(name); ok {
		if t := s.program().text(gid); t != "" {
			return t, true
		}
	}
	if c, ok := numbered(name); ok {
		return GlyphText(encodings()["WinAnsiEncoding"][c]), true
	}
	return "", false
}

// drawn returns the text of the glyph that the font program has for a code,
// or false if it has none.
func (s *simple) drawn(code int) (string, bool) {
	p := s.program()
	if p.sfnt == nil {
		return "", false
	}
	if gid := p.sfnt.glyph(code); gid > 0 {
		if t := p.sfnt.text(gid); t != "" {
			return t, true
		}
	}
	if r, ok := p.sfnt.unicode[uint32(code)]; ok && r > 0 && code >= 32 { //nolint:gosec // a byte
		return GlyphText(encodings()["WinAnsiEncoding"][code]), true
	}
	return "", false
}

// choose returns the texts of the font program if at least half of those of
// the encoding are empty or begin with a control or private-use character, as
// in Chinese fonts that are wrongly declared as WinAnsiEncoding.
func (s *simple) choose() *[256]string {
	p := s.program()
	if p.sfnt == nil || len(p.sfnt.symbol)+len(p.sfnt.mac) == 0 {
		return nil
	}
	bad, have := 0, 0
	var texts [256]string
	for code := range texts {
		gid := p.sfnt.glyph(code)
		if gid == 0 {
			continue
		}
		texts[code] = p.sfnt.text(gid)
		if texts[code] == "" {
			continue
		}
		have++
		said := s.text(code, s.name(code))
		if r, _ := utf8.DecodeRuneInString(said); said == "" || unicode.IsControl(r) || unicode.Is(unicode.Co, r) {
			bad++
		}
	}
	if have == 0 || bad*2 < have {
		return nil
	}
	return &texts
}

// width returns the advance of a code in em.
func (s *simple) width(code int, name string) float64 {
	if i := code - s.first; i >= 0 && i < len(s.widths) {
		return s.file.Float(s.widths[i], 0) / 1000
	}
	if s.widths != nil && s.missing != 0 {
		return s.missing
	}
	return fallbackWidth(code, name, s.core, s.program())
}

func fallbackWidth(code int, name, core string, p program) float64 {
	if p.sfnt != nil {
		gid := p.sfnt.glyph(code)
		if gid == 0 {
			if r, size := utf8.DecodeRuneInString(GlyphText(name)); size > 0 {
				gid = p.sfnt.unicode[uint32(r)] //nolint:gosec // a rune is not negative
			}
		}
		if w, ok := p.sfnt.width(gid); ok && gid > 0 {
			return w
		}
	}
	return coreWidth(core, code, name)
}

func (l *Loader) readType3(d object.Dict, s *simple) *Type3 {
	t := &Type3{Matrix: [6]float64{.001, 0, 0, .001, 0, 0}, Resources: l.File.Dict(d["Resources"]), procs: l.File.Dict(d["CharProcs"]), font: s}
	if m, ok := l.File.Floats(d["FontMatrix"], 6); ok {
		copy(t.Matrix[:], m)
	}
	return t
}

// Proc returns the content stream of the glyph of a code, or nil if there is
// none.
func (t *Type3) Proc(code byte) *object.Stream {
	name := t.font.name(int(code))
	if name == "" {
		return nil
	}
	return t.font.file.Stream(t.procs[object.Name(name)])
}

// unnamed returns the text of a Type 3 code that draws no glyph. A single
// byte is dropped; longer text is kept because only a ToUnicode CMap gives
// it.
func unnamed(text string) string {
	if len(text) == 1 {
		return ""
	}
	return text
}
