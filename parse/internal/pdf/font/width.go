// SPDX-License-Identifier: Apache-2.0

package font

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

//go:embed data/core14.txt.gz
var core14 string

// firstWidth is the first code that has a width in core14.
const firstWidth = 32

// coreWidths are the widths of the standard fonts except Courier by font
// name, in 1/1000 em. The first one is that of code firstWidth. 0 means that
// the font has no such glyph.
var coreWidths = sync.OnceValue(func() map[string][]int {
	all := map[string][]int{}
	for line := range strings.Lines(unzip(core14)) {
		name, list, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || name == "#" {
			continue
		}
		for text := range strings.FieldsSeq(list) {
			w, _ := strconv.Atoi(text) // TestCoreWidths checks the numbers
			all[name] = append(all[name], w)
		}
	}
	all["Helvetica-Oblique"], all["Helvetica-BoldOblique"] = all["Helvetica"], all["Helvetica-Bold"]
	return all
})

// coreFont returns the standard font of the 14 that is most similar to f.
func coreFont(f *Font) string {
	name := strings.ToLower(f.Name)
	style := 0
	if f.Bold {
		style = 1
	}
	if f.Italic {
		style += 2
	}
	switch {
	case strings.HasPrefix(name, "symbol"):
		return "Symbol"
	case strings.Contains(name, "dingbats"):
		return "ZapfDingbats"
	case f.Fixed:
		return "Courier"
	case f.Serif:
		return [4]string{"Times-Roman", "Times-Bold", "Times-Italic", "Times-BoldItalic"}[style]
	}
	return [4]string{"Helvetica", "Helvetica-Bold", "Helvetica-Oblique", "Helvetica-BoldOblique"}[style]
}

// coreWidth returns the advance of a glyph of a standard font in em. The
// glyph is given by its name or else by its code. The result is 0.5 if the
// font has no such glyph.
func coreWidth(core string, code int, name string) float64 {
	if core != "Symbol" && core != "ZapfDingbats" && name != "" {
		c, ok := winAnsiCodes()[name]
		if code = c; !ok {
			code = -1
		}
	}
	if core == "Courier" && code >= firstWidth && code <= 0xff {
		return .6
	}
	widths := coreWidths()[core]
	if i := code - firstWidth; i >= 0 && i < len(widths) && widths[i] > 0 {
		return float64(widths[i]) / 1000
	}
	return .5
}

// winAnsiCodes are the lowest codes of the glyph names in WinAnsiEncoding.
var winAnsiCodes = sync.OnceValue(func() map[string]int {
	codes := map[string]int{"bullet": 0x95} // codes without a glyph are mapped to bullet, too
	for code, name := range encodings()["WinAnsiEncoding"] {
		if _, ok := codes[name]; !ok && name != "" {
			codes[name] = code
		}
	}
	return codes
})

// UsualWidth returns the width of a character in common fonts for text, in em. That of
// letters which the standard fonts do not have is half an em, or one for ideographs.
func UsualWidth(r rune) float64 {
	if r >= firstWidth && int(r-firstWidth) < len(usualWidths()) {
		return usualWidths()[r-firstWidth]
	}
	if r >= 0x2e80 {
		return 1
	}
	return .5
}

// usualWidths are the means of the widths of Times and Helvetica.
var usualWidths = sync.OnceValue(func() []float64 {
	out := make([]float64, 0x7f-firstWidth)
	for i := range out {
		code := firstWidth + i
		out[i] = (coreWidth("Times-Roman", code, "") + coreWidth("Helvetica", code, "")) / 2
	}
	return out
})
