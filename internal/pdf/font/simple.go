// SPDX-License-Identifier: Apache-2.0

package font

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/curlew/internal/pdf/object"
)

// readSimple fills f from a Type 1, TrueType or Type 3 font.
func (l *Loader) readSimple(f *Font, d, descriptor object.Dict) {
	uni := l.toUnicode(d)
	var p program
	if !l.mapped(d, uni) {
		p = l.program(descriptor)
	}
	names, declared := l.encoding(d, descriptor, p, f.Name)
	table := new([256]Glyph)
	zapf := strings.Contains(strings.ToLower(f.Name), "dingbats")
	for code := range table {
		g := &table[code]
		g.Code = uint32(code)
		g.Space = code == 32
		g.Text = simpleText(code, names[code], declared, uni, p)
		if uni == nil && zapf {
			if t, ok := dingbats()[names[code]]; ok {
				g.Text = t
			}
		}
	}
	symbolic := l.File.Int(descriptor["Flags"], 0)&flagSymbolic != 0
	if uni == nil && symbolic {
		preferProgram(table, p)
	}
	l.simpleWidths(f, d, descriptor, names, p, table)
	if l.File.Name(d["Subtype"]) == "Type3" {
		l.readType3(f, d, names, table)
	}
	f.Guessed = uni == nil && !readable(table, names)
	f.simple = table
}

// mapped says whether a map gives all codes of a font their text, so that the
// program need not be asked.
func (l *Loader) mapped(d object.Dict, uni *CMap) bool {
	widths := l.File.Array(d["Widths"])
	if uni == nil || len(widths) == 0 {
		return false
	}
	first := l.File.Int(d["FirstChar"], 0)
	for i, w := range widths[:min(len(widths), 256)] {
		if l.File.Float(w, 0) == 0 {
			continue
		}
		if t, ok := uni.Text(uint32(first + i)); !ok || t == "" { //nolint:gosec // a code, or one that has no text
			return false
		}
	}
	return true
}

// readable says whether some code of the table has text.
func readable(table *[256]Glyph, names *[256]string) bool {
	for code := range table {
		if names[code] != "" && table[code].Text != "" && table[code].Text != "\ufffd" {
			return true
		}
	}
	return *names == [256]string{}
}

// encoding returns the glyph names by code. declared says that the document
// names them, as opposed to the font program or a default.
func (l *Loader) encoding(d, descriptor object.Dict, p program, name string) (names *[256]string, declared bool) {
	names = new([256]string)
	enc := l.File.Resolve(d["Encoding"])
	base := object.Name("")
	var differences object.Array
	switch v := enc.(type) {
	case object.Name:
		base = v
	case object.Dict:
		base = l.File.Name(v["BaseEncoding"])
		differences = l.File.Array(v["Differences"])
	}
	symbolic := l.File.Int(descriptor["Flags"], 0)&flagSymbolic != 0
	lower := strings.ToLower(name)
	switch e := encodings()[string(base)]; {
	case e != nil && (!symbolic || p.sfnt == nil || p.sfnt.symbol == nil || differences != nil):
		*names, declared = *e, true
	case strings.HasPrefix(lower, "symbol") && !embedded(p):
		*names = *encodings()["Symbol"]
	case (strings.Contains(lower, "zapfdingbats") || lower == "dingbats") && !embedded(p):
		*names = *encodings()["ZapfDingbats"]
	case p.type1 != nil:
		*names = *p.type1
	case p.sfnt == nil && p.cff != nil && !p.cff.cid:
		*names = *p.cff.encoding()
	case l.File.Name(d["Subtype"]) == "Type3", p.sfnt != nil && symbolic:
	default:
		*names = *encodings()["StandardEncoding"]
	}
	code := 0
	for _, o := range differences {
		switch v := l.File.Resolve(o).(type) {
		case object.Name:
			if code >= 0 && code < 256 {
				names[code] = string(v)
				declared = true
			}
			code++
		default:
			if n, ok := object.Int(v); ok {
				code = n
			}
		}
	}
	return names, declared
}

func embedded(p program) bool { return p.sfnt != nil || p.cff != nil || p.type1 != nil }

// simpleText returns the text of a code by the first source that answers.
func simpleText(code int, name string, declared bool, uni *CMap, p program) string {
	if uni != nil {
		if t, ok := uni.Text(uint32(code)); ok && t != "" { //nolint:gosec // a byte
			return t
		}
	}
	if name != "" && name != ".notdef" {
		if t := GlyphText(name); t != "" {
			return t
		}
		if gid, ok := glyphIndex(name); ok {
			if t := p.text(gid); t != "" {
				return t
			}
		}
		if c, ok := numbered(name); ok {
			return GlyphText(encodings()["WinAnsiEncoding"][c])
		}
	}
	if p.sfnt != nil {
		if gid := p.sfnt.glyph(code); gid > 0 {
			if t := p.sfnt.text(gid); t != "" {
				return t
			}
		}
		if r, ok := p.sfnt.unicode[uint32(code)]; ok && r > 0 && code >= 32 { //nolint:gosec // a byte
			return GlyphText(encodings()["WinAnsiEncoding"][code])
		}
	}
	if name == "" && !declared || name != "" && name != ".notdef" && len(name) <= 2 {
		return GlyphText(encodings()["WinAnsiEncoding"][code])
	}
	return ""
}

// preferProgram takes the program's word where the encoding's is mostly
// control or private characters: Chinese fonts are declared WinAnsi at times.
func preferProgram(table *[256]Glyph, p program) {
	if p.sfnt == nil || len(p.sfnt.symbol)+len(p.sfnt.mac) == 0 {
		return
	}
	bad, have := 0, 0
	var texts [256]string
	for code := range table {
		gid := p.sfnt.glyph(code)
		if gid == 0 {
			continue
		}
		texts[code] = p.sfnt.text(gid)
		if texts[code] == "" {
			continue
		}
		have++
		if r, _ := utf8.DecodeRuneInString(table[code].Text); table[code].Text == "" || unicode.IsControl(r) || unicode.Is(unicode.Co, r) {
			bad++
		}
	}
	if have == 0 || bad*2 < have {
		return
	}
	for code, t := range texts {
		if t != "" {
			table[code].Text = t
		}
	}
}

func (l *Loader) simpleWidths(f *Font, d, descriptor object.Dict, names *[256]string, p program, table *[256]Glyph) {
	widths := l.File.Array(d["Widths"])
	first := l.File.Int(d["FirstChar"], 0)
	missing := l.File.Float(descriptor["MissingWidth"], 0) / 1000
	core := coreFont(f)
	for code := range table {
		g := &table[code]
		g.Width = missing
		if i := code - first; i >= 0 && i < len(widths) {
			g.Width = l.File.Float(widths[i], 0) / 1000
			continue
		}
		if widths != nil && missing != 0 {
			continue
		}
		g.Width = fallbackWidth(code, names[code], core, p)
	}
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

func (l *Loader) readType3(f *Font, d object.Dict, names *[256]string, table *[256]Glyph) {
	t := &Type3{Matrix: [6]float64{.001, 0, 0, .001, 0, 0}, Resources: l.File.Dict(d["Resources"])}
	if m, ok := l.File.Floats(d["FontMatrix"], 6); ok {
		copy(t.Matrix[:], m)
	}
	procs := l.File.Dict(d["CharProcs"])
	for code, name := range names {
		if name == "" {
			table[code].Text = unnamed(table[code].Text)
			continue
		}
		t.Procs[code] = l.File.Stream(procs[object.Name(name)])
	}
	// Widths are in the font's own space.
	for code := range table {
		table[code].Width *= 1000 * t.Matrix[0]
	}
	f.Type3 = t
}

// unnamed keeps the text of a code without a glyph only where a map gave it:
// it draws nothing.
func unnamed(text string) string {
	if len(text) == 1 {
		return ""
	}
	return text
}
