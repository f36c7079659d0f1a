// SPDX-License-Identifier: Apache-2.0

package font

import (
	"strings"

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
		code = -1
		if name == "bullet" { // codes without a glyph have it, too
			code = 0x95
		}
		for c, n := range encodings()["WinAnsiEncoding"] {
			if n == name && code < 0 {
				code = c
				break
			}
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
