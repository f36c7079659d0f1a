// SPDX-License-Identifier: Apache-2.0

package dom

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// guess returns the encoding of sample, which has no valid declaration and is
// not UTF-8. lang is a BCP 47 tag or "". It knows the encodings of most
// undeclared pages. For others it returns windows-1252, like browsers.
//
// Counting decoding errors is not sufficient: KOI8-R accepts any bytes, and
// most of GB18030 is well-formed EUC-KR. So each candidate is rated by how much
// of the sample it decodes to typical text of its language, minus its errors.
// The declared language adds to the rating.
func guess(sample []byte, lang string) string {
	if isASCII(sample) {
		if bytes.Contains(sample, []byte("\x1b$B")) || bytes.Contains(sample, []byte("\x1b$@")) {
			return "iso-2022-jp"
		}
		return "windows-1252"
	}
	lang, _, _ = strings.Cut(strings.ToLower(lang), "-")
	best, most := "windows-1252", rateWestern(sample)
	for _, c := range candidates {
		rate := c.rate(sample)
		if strings.Contains(c.langs, " "+lang+" ") && lang != "" {
			rate = rate*1.5 + 0.05
		}
		if rate > most && rate > 0.3 {
			best, most = c.name, rate
		}
	}
	return best
}

// candidates are in the order that breaks ties. Korean text is typical Chinese
// byte by byte, but not the reverse.
var candidates = []struct {
	name, langs string
	rate        func(sample []byte) float64 // 0..1, how typical the text is; negative if there are errors
}{
	{"windows-1251", " ru uk bg be sr mk ", rate1251},
	{"koi8-r", " ru uk bg be ", rateKOI8},
	{"shift_jis", " ja ", rateShiftJIS},
	{"euc-jp", " ja ", rateEUCJP},
	{"euc-kr", " ko ", rateEUCKR},
	{"gb18030", " zh ", rateGB},
	{"big5", " zh ", rateBig5},
}

// tally counts the characters that a double-byte encoding decodes from a
// sample.
type tally struct {
	usual, kana, rare, errors int
}

// rate is the share of typical characters. Each error cancels three of them.
func (t tally) rate() float64 {
	all := t.usual + t.kana + t.rare + t.errors
	if all == 0 {
		return 0
	}
	return float64(t.usual+t.kana-3*t.errors) / float64(all)
}

// japanese is the rate for an encoding of Japanese, whose text always contains
// kana.
func (t tally) japanese() float64 {
	r := t.rate()
	if t.kana*10 < t.usual+t.kana+t.rare {
		r /= 2
	}
	return r
}

// class classifies two bytes in an encoding.
type class int

const (
	wrong class = iota
	rare
	usual
	kana
)

// double counts the classes of the byte pairs in sample. An ASCII byte that
// does not fit a lead byte is read again.
func double(sample []byte, classify func(lead, trail byte) class) tally {
	var t tally
	for i := 0; i < len(sample); i++ {
		lead := sample[i]
		if lead < utf8.RuneSelf {
			continue
		}
		if i+1 == len(sample) {
			break // the sample ends within a character
		}
		trail := sample[i+1]
		switch classify(lead, trail) {
		case wrong:
			t.errors++
			if trail >= utf8.RuneSelf {
				i++
			}
			continue
		case rare:
			t.rare++
		case usual:
			t.usual++
		case kana:
			t.kana++
		}
		i++
	}
	return t
}

func between(c, low, high byte) bool { return low <= c && c <= high }

func rateGB(sample []byte) float64 {
	return double(sample, func(lead, trail byte) class {
		switch {
		case !between(lead, 0x81, 0xFE) || trail == 0x7F || trail == 0xFF || trail < 0x30 || between(trail, 0x3A, 0x3F):
			return wrong
		case between(lead, 0xB0, 0xD7) && trail >= 0xA1: // level 1
			return usual
		case (lead == 0xA1 || lead == 0xA3) && trail >= 0xA1: // punctuation, full width
			return usual
		}
		return rare
	}).rate()
}

func rateBig5(sample []byte) float64 {
	return double(sample, func(lead, trail byte) class {
		switch {
		case !between(lead, 0x81, 0xFE) || !between(trail, 0x40, 0x7E) && !between(trail, 0xA1, 0xFE):
			return wrong
		case between(lead, 0xA4, 0xC6) || lead == 0xA1: // level 1, punctuation
			return usual
		}
		return rare
	}).rate()
}

func rateEUCKR(sample []byte) float64 {
	return double(sample, func(lead, trail byte) class {
		switch {
		case !between(lead, 0x81, 0xFE) || !between(trail, 0xA1, 0xFE) && !between(trail|0x20, 'a', 'z') && !between(trail, 0x81, 0xA0):
			return wrong
		case between(lead, 0xB0, 0xC8) && trail >= 0xA1, lead == 0xA1 && trail >= 0xA1: // hangul, punctuation
			return usual
		}
		return rare
	}).rate()
}

func rateEUCJP(sample []byte) float64 {
	return double(sample, func(lead, trail byte) class {
		switch {
		case lead == 0x8E && between(trail, 0xA1, 0xDF), lead == 0x8F && trail >= 0xA1:
			return rare
		case !between(lead, 0xA1, 0xFE) || !between(trail, 0xA1, 0xFE):
			return wrong
		case lead == 0xA4 && trail <= 0xF3, lead == 0xA5 && trail <= 0xF6:
			return kana
		case between(lead, 0xB0, 0xCF) || lead == 0xA1 || lead == 0xA3: // level 1, punctuation, full width
			return usual
		}
		return rare
	}).japanese()
}

func rateShiftJIS(sample []byte) float64 {
	return double(sample, func(lead, trail byte) class {
		switch {
		case between(lead, 0xA1, 0xDF): // half-width katakana are single bytes, and two in a row are rare
			return rare
		case !between(lead, 0x81, 0x9F) && !between(lead, 0xE0, 0xFC) || trail < 0x40 || trail == 0x7F || trail > 0xFC:
			return wrong
		case lead == 0x82 && trail >= 0x9F, lead == 0x83 && trail <= 0x96:
			return kana
		case lead == 0x81 || lead == 0x82 || between(lead, 0x88, 0x97): // punctuation, full width, level 1
			return usual
		}
		return rare
	}).japanese()
}

func rate1251(sample []byte) float64 {
	return rateCyrillic(sample, func(c byte) (letter, upper bool) {
		switch c {
		case 0xA8, 0xAA, 0xAF, 0xB2: // Ё Є Ї І
			return true, true
		case 0xB8, 0xBA, 0xBF, 0xB3:
			return true, false
		}
		return c >= 0xC0, c < 0xE0
	}, []byte{0xEE, 0xE5, 0xE0, 0xE8, 0xED, 0xF2, 0xF1, 0xF0})
}

func rateKOI8(sample []byte) float64 {
	return rateCyrillic(sample, func(c byte) (letter, upper bool) {
		switch c {
		case 0xB3: // Ё
			return true, true
		case 0xA3:
			return true, false
		}
		return c >= 0xC0, c >= 0xE0
	}, []byte{0xCF, 0xC5, 0xC1, 0xC9, 0xCE, 0xD4, 0xD3, 0xD2})
}

// rateCyrillic rates single bytes. Typical are letters without Latin neighbours
// whose case fits the previous letter, especially if many of them are frequent
// letters.
func rateCyrillic(sample []byte, kind func(byte) (letter, upper bool), frequent []byte) float64 {
	all, good, often, capitals := 0, 0, 0, 0
	for i, c := range sample {
		if c < utf8.RuneSelf {
			continue
		}
		all++
		letter, upper := kind(c)
		if !letter || latinBeside(sample, i) {
			continue
		}
		if upper && i > 0 && sample[i-1] >= utf8.RuneSelf {
			if l, u := kind(sample[i-1]); l && !u {
				continue // an upper case letter after a lower case letter
			}
		}
		if upper {
			capitals++
		}
		if good++; bytes.IndexByte(frequent, c) >= 0 || upper && bytes.IndexByte(frequent, c^0x20) >= 0 {
			often++
		}
	}
	if all == 0 {
		return 0
	}
	share := float64(often) / float64(all) // about .55 in Russian
	// The lower case letters of one encoding are the upper case letters of the
	// other.
	return (float64(good) - 0.2*float64(capitals)) / float64(all) * (0.5 + min(share, 0.5))
}

// rateWestern rates windows-1252. Typical are letters next to Latin ones, and
// the quotes and dashes of word processors.
func rateWestern(sample []byte) float64 {
	all, good := 0, 0
	for i, c := range sample {
		if c < utf8.RuneSelf {
			continue
		}
		all++
		switch {
		case c >= 0xC0 && c != 0xD7 && c != 0xF7:
			if latinBeside(sample, i) {
				good++
			}
		case c == 0x80 || c == 0x85 || between(c, 0x91, 0x97) || c == 0x99 || between(c, 0xA0, 0xBF):
			if i+1 == len(sample) || sample[i+1] < utf8.RuneSelf {
				good++
			}
		}
	}
	if all == 0 {
		return 0
	}
	return float64(good) / float64(all)
}

func latinBeside(sample []byte, i int) bool {
	return i > 0 && between(sample[i-1]|0x20, 'a', 'z') || i+1 < len(sample) && between(sample[i+1]|0x20, 'a', 'z')
}
