// SPDX-License-Identifier: Apache-2.0

package font

import (
	"compress/gzip"
	_ "embed"
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed data/glyphs.txt.gz
var glyphData string // compressed, like the others, because the lists are larger than the code that reads them

//go:embed data/dingbats.txt.gz
var dingbatData string

//go:embed data/strings.txt.gz
var stringData string

//go:embed data/encodings.txt.gz
var encodingData string

// glyphTexts is the Adobe Glyph List: text by glyph name.
var glyphTexts = sync.OnceValue(func() *glyphList { return readGlyphs(unzip(glyphData)) })

// dingbats is the glyph list of the font ZapfDingbats. Its names, such as
// a110, have other meanings in other fonts.
var dingbats = sync.OnceValue(func() *glyphList { return readGlyphs(unzip(dingbatData)) })

// unzip returns the text of a compressed file in data.
func unzip(file string) string {
	r, err := gzip.NewReader(strings.NewReader(file))
	if err == nil {
		var text []byte
		if text, err = io.ReadAll(r); err == nil {
			return string(text)
		}
	}
	panic(err) // the file is part of the program
}

// glyphList has texts by glyph name.
type glyphList struct {
	names map[string]uint16 // the numbers of their texts
	texts texts
}

// text returns the text of a name. It returns false if the list does not have the name.
func (l *glyphList) text(name string) (string, bool) {
	i, ok := l.names[name]
	if !ok {
		return "", false
	}
	return l.texts.at(int(i)), true
}

func readGlyphs(data string) *glyphList {
	l := &glyphList{names: make(map[string]uint16, len(data)/18)}
	var all strings.Builder
	for line := range strings.Lines(data) {
		name, codes, ok := strings.Cut(strings.TrimSpace(line), ";")
		if !ok || line[0] == '#' {
			continue
		}
		for code := range strings.FieldsSeq(codes) {
			v, err := strconv.ParseUint(code, 16, 21)
			if err == nil {
				all.WriteRune(rune(v))
			}
		}
		l.names[name] = uint16(len(l.texts.ends))              //nolint:gosec // the lists have less names
		l.texts.ends = append(l.texts.ends, uint32(all.Len())) //nolint:gosec // our own data
	}
	l.texts.all = all.String()
	return l
}

// standardStrings are the standard strings of CFF by SID, and the glyph
// names in standard Macintosh order.
var standardStrings = sync.OnceValue(func() (s struct{ cff, mac []string }) {
	lines := strings.Split(strings.TrimSpace(unzip(stringData)), "\n")
	s.cff, s.mac = strings.Fields(lines[1]), strings.Fields(lines[2])
	return s
})

// encodings are the predefined encodings: glyph names by code.
var encodings = sync.OnceValue(func() map[string]*[256]string {
	m := map[string]*[256]string{}
	for line := range strings.Lines(unzip(encodingData)) {
		fields := strings.Fields(line)
		if fields[0] == "#" {
			continue
		}
		e := new([256]string)
		for _, f := range fields[1:] {
			code, name, _ := strings.Cut(f, "=")
			if v, err := strconv.ParseUint(code, 16, 8); err == nil {
				e[v] = name
			}
		}
		m[fields[0]] = e
	}
	return m
})

// GlyphText returns the text of a glyph name by the rules of the Adobe Glyph
// List Specification, section 2: a suffix after a period is ignored, parts
// joined by underscores are looked up one by one, and uniXXXX and uXXXXX are
// code points. It returns "" if the name does not determine a text.
func GlyphText(name string) string {
	if t, ok := glyphTexts().text(name); ok {
		return t
	}
	base, _, _ := strings.Cut(name, ".")
	if base == "" {
		return ""
	}
	if !strings.Contains(base, "_") {
		return glyphPart(base)
	}
	var b strings.Builder
	for part := range strings.SplitSeq(base, "_") {
		b.WriteString(glyphPart(part))
	}
	return b.String()
}

func glyphPart(name string) string {
	if t, ok := glyphTexts().text(name); ok {
		return t
	}
	if hex, ok := strings.CutPrefix(name, "uni"); ok && len(hex) >= 4 {
		var b strings.Builder
		for ; len(hex) >= 4; hex = hex[4:] {
			v, err := strconv.ParseUint(hex[:4], 16, 21)
			if err != nil {
				return ""
			}
			b.WriteRune(rune(v))
		}
		return b.String()
	}
	if hex, ok := strings.CutPrefix(name, "u"); ok && len(hex) >= 4 && len(hex) <= 6 {
		if v, err := strconv.ParseUint(hex, 16, 21); err == nil && utf8.ValidRune(rune(v)) {
			return string(rune(v))
		}
	}
	return sized(name)
}

// sizedNames are the signs that TeX has in several sizes and that the Adobe Glyph
// List does not have.
var sizedNames = map[string]string{
	"floorleft": "⌊", "floorright": "⌋", "ceilingleft": "⌈", "ceilingright": "⌉", "angbracketleft": "⟨", "angbracketright": "⟩",
	"contintegral": "∮", "coproduct": "∐", "unionmulti": "⊎", "unionsq": "⊔", "circledot": "⊙",
}

// sized returns the text of a sign of TeX whose name ends in its size, such as
// parenleftbigg or uniondisplay.
func sized(name string) string {
	for _, size := range [...]string{"Bigg", "bigg", "Big", "big", "display", "text"} {
		base, ok := strings.CutSuffix(name, size)
		if !ok || base == "" {
			continue
		}
		if t, ok := sizedNames[base]; ok {
			return t
		}
		t, _ := glyphTexts().text(base)
		return t
	}
	return ""
}

// glyphIndex returns the number in a name such as g12, cid12, glyph12 or
// index12, which is a glyph index of the font.
func glyphIndex(name string) (int, bool) {
	for _, prefix := range []string{"glyph", "index", "cid", "gid", "g"} {
		if digits, ok := strings.CutPrefix(name, prefix); ok {
			v, err := strconv.Atoi(digits)
			return v, err == nil && v >= 0 && v < 1<<16
		}
	}
	return 0, false
}

// numbered returns the number in a name of one or two letters and a number,
// such as C65 or a101. Producers of Type 3 fonts and subsets write the
// character code there.
func numbered(name string) (int, bool) {
	i := strings.IndexAny(name, "0123456789")
	if i < 1 || i > 2 {
		return 0, false
	}
	v, err := strconv.Atoi(name[i:])
	return v, err == nil && v >= 32 && v < 256
}
