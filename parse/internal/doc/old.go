// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/cfb"
)

// Offsets in the file information block of Word 6 and 95.
const (
	oldLanguage  = 0x06
	oldCharset   = 0x14 // 256 for a Macintosh
	oldCharPages = 0xB8
	oldFontTable = 0xD0
	macintosh    = 256
)

const (
	western  = 1252
	macRoman = 10000
)

// oldFont is a font of a Word 6 or 95 document. page is its code page, or 0 if
// the font does not determine one.
type oldFont struct{ page int }

// oldFonts reads the font table. Each entry has its size, three bytes of style,
// the character set, one more byte and the name of the font.
func (f *file) oldFonts() []oldFont {
	b := cut(f.main, u32(f.main, oldFontTable), u32(f.main, oldFontTable+4))
	var fonts []oldFont
	for b = b[min(2, len(b)):]; len(b) > 6; {
		size := min(int(b[0])+1, len(b))
		if size > 6 {
			fonts = append(fonts, oldFont{pageOfFont(int(b[4]), string(b[6:size]))})
		} else {
			fonts = append(fonts, oldFont{})
		}
		b = b[size:]
	}
	return fonts
}

// pageOfFont returns the code page of a font. If the character set does not
// determine it, the end of the font's name may. If neither does, it returns 0.
func pageOfFont(charset int, name string) int {
	if page := cfb.FontPage(charset); page != 0 && page != western {
		return page
	}
	name, _, _ = strings.Cut(name, "\x00")
	for end, page := range map[string]int{" Cyr": 1251, " CE": 1250, " Greek": 1253, " Tur": 1254, " TUR": 1254, " CYR": 1251, " Baltic": 1257} {
		if strings.HasSuffix(name, end) {
			return page
		}
	}
	return 0
}

// pageOfLanguage returns the code page that Word 6 and 95 used for text in a
// language, or 0 if it is unknown.
func pageOfLanguage(id int) int {
	switch id & 0x3FF {
	case 0x19, 0x22, 0x23, 0x02, 0x2F: // Russian, Ukrainian, Belarusian, Bulgarian, Macedonian
		return 1251
	case 0x05, 0x15, 0x0E, 0x1B, 0x24, 0x18, 0x1C: // Czech, Polish, Hungarian, Slovak, Slovenian, Romanian, Albanian
		return 1250
	case 0x1A: // Croatian, and Serbian in Cyrillic letters
		if id == 0x0C1A {
			return 1251
		}
		return 1250
	case 0x08:
		return 1253
	case 0x1F:
		return 1254
	case 0x0D:
		return 1255
	case 0x01, 0x29, 0x20:
		return 1256
	case 0x25, 0x26, 0x27:
		return 1257
	case 0x2A:
		return 1258
	case 0x1E:
		return 874
	}
	return 0
}

// decoder decodes the bytes of a Word 6 or 95 document by the fonts and
// languages of its runs.
type decoder struct {
	runs     []run
	fonts    []oldFont
	language int // of the document
	mac      bool
	tables   map[int]*[256]uint16 // by code page
	guessed  map[int]int          // characters by the code page that was guessed
}

func (f *file) newDecoder() *decoder {
	d := &decoder{
		fonts: f.oldFonts(), language: u16(f.main, oldLanguage), mac: u16(f.main, oldCharset) == macintosh,
		tables: map[int]*[256]uint16{}, guessed: map[int]int{},
	}
	d.runs = f.oldRuns(cut(f.main, u32(f.main, oldCharPages), u32(f.main, oldCharPages+4)))
	return d
}

// oldRuns reads the pages of character properties that plc refers to, with
// numbers of two bytes.
func (f *file) oldRuns(plc []byte) []run {
	var all []run
	seen := map[int64]bool{}
	n := (len(plc) - 4) / 6
	for i := range max(n, 0) {
		number := int64(u16(plc, 4*(n+1)+2*i))
		page := cut(f.main, number*512, 512)
		if page == nil || seen[number] || len(all) > maxRuns {
			continue
		}
		seen[number] = true
		all = append(all, charRuns(page)...)
	}
	slices.SortStableFunc(all, func(a, b run) int { return int(a.from - b.from) })
	return all
}

// append appends the characters of b, which begins at offset fc of the stream.
func (d *decoder) append(dst []uint16, b []byte, fc int64) []uint16 {
	var at run
	page, guess := d.page(at)
	for i, c := range b {
		if c < 0x80 {
			dst = append(dst, uint16(c))
			continue
		}
		if here := fc + int64(i); here < at.from || here >= at.to {
			at, _ = find(d.runs, here)
			page, guess = d.page(at)
		}
		if guess {
			d.guessed[page]++
		}
		dst = append(dst, d.table(page)[c])
	}
	return dst
}

// page returns the code page of a run, and whether it is a guess. It is a guess
// if the font of the run does not determine it and the page comes from a
// language.
func (d *decoder) page(r run) (page int, guess bool) {
	font, language := 0, 0
	for rest := r.props; len(rest) > 0; {
		size := oldSprmSize(rest)
		if size == 0 || size > len(rest) {
			break
		}
		switch rest[0] {
		case 93:
			font = u16(rest, 1)
		case 97:
			language = u16(rest, 1)
		}
		rest = rest[size:]
	}
	if d.mac {
		// All letters that are not Cyrillic are read as western ones.
		return macPage(language, d.language), pageOfLanguage(language) != 0 || pageOfLanguage(d.language) != 0
	}
	if font < len(d.fonts) && d.fonts[font].page != 0 {
		return d.fonts[font].page, false
	}
	for _, id := range []int{language, d.language} {
		if page := pageOfLanguage(id); page != 0 {
			return page, true
		}
	}
	return western, false
}

// macPage returns the Cyrillic code page of the Macintosh if one of the
// languages uses Cyrillic letters, otherwise Mac Roman.
func macPage(languages ...int) int {
	for _, id := range languages {
		if pageOfLanguage(id) == 1251 {
			return 10007
		}
	}
	return macRoman
}

// table returns the characters of a code page. Bytes that are not a character by
// themselves, as in pages with two bytes per character, are read as western
// ones.
func (d *decoder) table(page int) *[256]uint16 {
	if t := d.tables[page]; t != nil {
		return t
	}
	t := &[256]uint16{}
	for c := range t {
		t[c] = uint16(c)
		for _, r := range cfb.Text([]byte{byte(c)}, page) {
			if r == 0xFFFD && page != western {
				r = rune(d.table(western)[c])
			}
			t[c] = uint16(r) //nolint:gosec // of the basic plane
		}
	}
	d.tables[page] = t
	return t
}

// warn adds a warning for each code page that was guessed.
func (d *decoder) warn(doc *doctree.Document) {
	for _, page := range slices.Sorted(maps.Keys(d.guessed)) {
		doc.Warn("code-page-guessed", 0, fmt.Sprintf("The code page of %d characters was guessed by their language: %d.", d.guessed[page], page))
	}
}

// oldSprmSize returns the size of the character property of Word 6 and 95 at the
// start of b, including its number. It returns 0 if the size is unknown.
func oldSprmSize(b []byte) int {
	switch b[0] {
	case 68, 74, 81, 82, 103, 105, 106, 108: // the length follows the number
		if len(b) < 2 {
			return 0
		}
		return 2 + int(b[1])
	case 83:
		return 1
	case 65, 66, 67, 71, 75, 85, 86, 87, 88, 89, 90, 91, 92, 94, 98, 100, 102, 104, 117, 118:
		return 2
	case 69, 72, 80, 93, 96, 97, 99, 101, 107, 109, 110:
		return 3
	case 73, 95:
		return 4
	case 70:
		return 5
	}
	return 0
}
