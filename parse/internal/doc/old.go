// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/cfb"
)

// Offsets in the file information block of Word 6 and 95.
const (
	oldLanguage    = 0x06
	oldCharset     = 0x14 // 256 for a Macintosh
	oldParts       = 0x58 // the pairs that Word 97 has from 0x9A on, up to oldLastPart
	oldLastPart    = fibAuthors
	oldEndnoteRefs = 0x1D2
	oldEndnotes    = 0x1DA
	oldWide        = 0x1000 // flag: the text is UTF-16
	oldComplex     = 4      // flag: there is a table of pieces
	macintosh      = 256
)

const (
	western  = 1252
	macRoman = 10000
)

// openOld reads the text and the property tables of a Word 6 or 95 document.
func (f *file) openOld(flags int) error {
	f.old = true
	f.table = f.main
	f.wide = flags&oldWide != 0
	f.oldLists = map[string]int{}
	all := 0
	for i := range f.counts {
		f.counts[i] = int(min(u32(f.main, 0x34+4*i), int64(len(f.main))))
		all += f.counts[i]
	}
	f.chars = f.oldRuns(f.part(fibCharPages), func(page []byte) []run {
		runs := charRuns(page)
		for i := range runs {
			runs[i].props = modern(runs[i].props, nil)
		}
		return runs
	})
	f.bytes = f.newDecoder()
	f.paras = f.oldRuns(f.part(fibParaPages), f.oldParaRuns)
	if flags&oldComplex != 0 {
		f.readPieces(f.part(fibPieces))
	}
	if len(f.text) == 0 {
		f.plain(u32(f.main, 0x18), all)
	}
	if len(f.text) == 0 {
		return fmt.Errorf("%w: no text", cfb.ErrMalformed)
	}
	return nil
}

// oldPart returns a part of the stream by its index in Word 97, or nil if Word 6 and
// 95 do not have it.
func (f *file) oldPart(n int) []byte {
	at := oldParts + 8*n
	switch {
	case n == fibEndnoteRefs:
		at = oldEndnoteRefs
	case n == fibEndnotes:
		at = oldEndnotes
	case n > oldLastPart:
		return nil
	}
	return cut(f.main, u32(f.main, at), u32(f.main, at+4))
}

// oldRuns reads the property pages that plc refers to, with numbers of two bytes.
func (f *file) oldRuns(plc []byte, read func(page []byte) []run) []run {
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
		all = append(all, read(page)...)
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].from < all[j].from })
	return all
}

// oldParaRuns reads a page of paragraph properties. Each run has the position of its
// properties and six bytes about the height of its lines. The properties begin with
// half their size and the number of the style.
func (f *file) oldParaRuns(page []byte) []run {
	const height = 6
	n := min(int(page[511]), 46)
	runs := make([]run, 0, n)
	for i := range n {
		r := run{from: u32(page, 4*i), to: u32(page, 4*i+4)}
		if at := 2 * int(page[4*(n+1)+(1+height)*i]); at > 0 {
			if b := cut(page, int64(at+1), 2*int64(page[at])); len(b) >= 2 {
				r.style, r.props = u16(b, 0), modern(b[2:], f.oldList)
			}
		}
		runs = append(runs, r)
	}
	return runs
}

// stories returns which texts of headers and footers a section of Word 6 or 95 has:
// a bit for each of the kinds in the order of their texts.
func (f *file) stories() (sections []byte) {
	_, data := plc(f.part(fibSections), 12)
	for _, d := range data {
		var kinds byte
		at := u32(d, 2)
		each(modern(cut(f.main, at+2, int64(u16(f.main, int(min(at, int64(len(f.main))))))), nil), func(code int, operand []byte) {
			if code == sStories {
				kinds = operand[0]
			}
		})
		sections = append(sections, kinds)
		if len(sections) >= maxSections {
			break
		}
	}
	return sections
}

// oldHeaders returns the texts of headers and footers as Word 97 numbers them: six
// separators of notes, and six texts of each section. Word 6 and 95 have only texts
// that exist. Missing ones are empty.
func (f *file) oldHeaders() (at []int) {
	texts, _ := plc(f.part(fibHeaders), 0)
	next := 0
	take := func(kinds byte) {
		for i := range 6 {
			at = append(at, texts[min(next, len(texts)-1)])
			if kinds>>i&1 != 0 {
				next++
			}
		}
	}
	if len(texts) == 0 {
		return nil
	}
	if dop := f.part(fibProperties); len(dop) > 1 {
		take(dop[1] & 7)
	} else {
		take(0)
	}
	for _, kinds := range f.stories() {
		take(kinds)
	}
	return append(at, texts[min(next, len(texts)-1)])
}

// oldFont is a font of a Word 6 or 95 document. page is its code page, or 0 if
// the font does not determine one.
type oldFont struct {
	page int
	name string // in lower case
}

// oldFonts reads the font table. Each entry has its size, three bytes of style,
// the character set, one more byte and the name of the font.
func (f *file) oldFonts() []oldFont {
	b := f.part(fibFonts)
	var fonts []oldFont
	for b = b[min(2, len(b)):]; len(b) > 6; {
		size := min(int(b[0])+1, len(b))
		if size > 6 {
			name, _, _ := strings.Cut(string(b[6:size]), "\x00")
			fonts = append(fonts, oldFont{pageOfFont(int(b[4]), name), strings.ToLower(name)})
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
	case 0x11:
		return 932
	case 0x12:
		return 949
	case 0x04: // Chinese, in traditional characters in Taiwan, Hong Kong and Macau
		if id == 0x0404 || id == 0x0C04 || id == 0x1404 {
			return 950
		}
		return 936
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
	return &decoder{
		runs: f.chars, fonts: f.oldFonts(), language: u16(f.main, oldLanguage), mac: u16(f.main, oldCharset) == macintosh,
		tables: map[int]*[256]uint16{}, guessed: map[int]int{},
	}
}

// append appends the characters of b, which begins at offset fc of the stream, or is
// outside of the text if fc is negative. The second byte of a character of two bytes
// becomes a zero, so that positions stay the same.
func (d *decoder) append(dst []uint16, b []byte, fc int64) []uint16 {
	var at run
	page, guess := d.page(at)
	for i := 0; i < len(b); i++ {
		c := b[i]
		if c < 0x80 {
			dst = append(dst, uint16(c))
			continue
		}
		if here := fc + int64(i); fc >= 0 && (here < at.from || here >= at.to) {
			at, _ = find(d.runs, here)
			page, guess = d.page(at)
		}
		if guess {
			d.guessed[page]++
		}
		if double(page) && i+1 < len(b) {
			if r, ok := pair(b[i:i+2], page); ok {
				dst = append(dst, r, 0)
				i++
				continue
			}
		}
		dst = append(dst, d.table(page)[c])
	}
	return dst
}

// double reports whether characters of a code page may have two bytes.
func double(page int) bool {
	return page == 932 || page == 936 || page == 949 || page == 950 || page == 1361 || page >= 10001 && page <= 10003 || page == 10008
}

// pair returns the character of two bytes. It reports false if the first byte is a
// character by itself, or if the two are none.
func pair(b []byte, page int) (r uint16, ok bool) {
	if first := []rune(cfb.Text(b[:1], page)); len(first) == 1 && first[0] != 0xFFFD {
		return 0, false
	}
	both := []rune(cfb.Text(b, page))
	if len(both) != 1 || both[0] == 0xFFFD || both[0] > 0xFFFF {
		return 0, false
	}
	return uint16(both[0]), true //nolint:gosec // of the basic plane
}

// page returns the code page of a run, and whether it is a guess. It is a guess
// if the font of the run does not determine it and the page comes from a
// language.
func (d *decoder) page(r run) (page int, guess bool) {
	font, language := 0, 0
	each(r.props, func(code int, operand []byte) {
		switch code {
		case cFont:
			font = u16(operand, 0)
		case cLanguage:
			language = u16(operand, 0)
		}
	})
	if d.mac {
		// Letters whose language has no code page of its own are read as western ones.
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

// macPage returns the code page of the Macintosh for the first of the languages that
// has one, otherwise Mac Roman.
func macPage(languages ...int) int {
	for _, id := range languages {
		switch pageOfLanguage(id) {
		case 932:
			return 10001
		case 949:
			return 10003
		case 936:
			return 10008
		case 950:
			return 10002
		case 1250:
			return 10029
		case 1251:
			return 10007
		case 1253:
			return 10006
		case 1254:
			return 10081
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
