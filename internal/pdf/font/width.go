// SPDX-License-Identifier: Apache-2.0

package font

import (
	"strings"
	"sync"

	corefont "github.com/pdfcpu/pdfcpu/pkg/font"
)

// coreFont returns the one of the 14 standard fonts that stands in for f.
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

// coreWidth returns the advance in em of a code, or of the glyph with a name,
// in a standard font; half an em where it has none.
func coreWidth(core string, code int, name string) float64 {
	if core != "Symbol" && core != "ZapfDingbats" && name != "" {
		c, ok := winAnsiCodes()[name]
		if code = c; !ok {
			code = -1
		}
	}
	if code < 32 {
		return .5
	}
	w, err := corefont.CharWidth(core, rune(code))
	if err != nil || w <= 0 {
		return .5
	}
	return float64(w) / 1000
}

// winAnsiCodes are the lowest codes of the names of WinAnsiEncoding.
var winAnsiCodes = sync.OnceValue(func() map[string]int {
	codes := map[string]int{"bullet": 0x95} // codes without a glyph have it, too
	for code, name := range encodings()["WinAnsiEncoding"] {
		if _, ok := codes[name]; !ok && name != "" {
			codes[name] = code
		}
	}
	return codes
})
