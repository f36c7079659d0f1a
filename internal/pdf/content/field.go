// SPDX-License-Identifier: Apache-2.0

package content

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/curlew/internal/pdf/font"
	"example.com/curlew/internal/pdf/object"
)

// Bounds of the values of fields.
const (
	maxParents    = 16
	maxValueLines = 200
	fieldPassword = 1 << 13 // of Ff (ISO 32000-1, table 228)
)

// fieldFont is that of values without an appearance: nothing is known of it.
var fieldFont = &font.Font{}

// value shows the value of a text or choice field at b, a place on the page. It
// is for fields whose appearance shows none: viewers make one from the value
// (ISO 32000-1, 12.7.3.3).
func (in *interp) value(d object.Dict, b Box) {
	text := in.fieldText(d)
	if strings.TrimSpace(text) == "" || b.Empty() {
		return
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(text, "\n")
	size := fontSize(in.file.Text(in.inherited(d, "DA")))
	if size <= 0 || size > b.Height() {
		size = min(12, .7*b.Height()/float64(min(len(lines), maxValueLines)))
	}
	for i, line := range lines[:min(len(lines), maxValueLines)] {
		if line = strings.TrimSpace(line); line == "" || len(in.page.Glyphs) >= in.doc.Limits.Glyphs {
			continue
		}
		y := (b.Y0+b.Y1)/2 + .35*size
		if len(lines) > 1 {
			y = b.Y0 + size*1.15*float64(i+1)
		}
		in.seq++
		width := min(b.Width(), .5*size*float64(utf8.RuneCountInString(line)))
		in.page.Glyphs = append(in.page.Glyphs, Glyph{
			Text: line, X: b.X0 + 2, Y: y, Adv: width, Size: size, DX: 1, Font: fieldFont, Seq: in.seq, MCID: -1, Flags: Field,
			Box: Box{b.X0 + 2, y - .75*size, b.X0 + 2 + width, y + .25*size},
		})
	}
}

// inherited returns an entry of a field, or of one above it.
func (in *interp) inherited(d object.Dict, key object.Name) object.Object {
	for range maxParents {
		if v := in.file.Resolve(d[key]); v != nil {
			return v
		}
		if d = in.file.Dict(d["Parent"]); d == nil {
			return nil
		}
	}
	return nil
}

// fieldText is the value of a field as people see it; empty where it has none
// that is text, or hides it.
func (in *interp) fieldText(d object.Dict) string {
	value := in.inherited(d, "V")
	switch in.file.Name(in.inherited(d, "FT")) {
	case "Tx":
		if in.file.Int(in.inherited(d, "Ff"), 0)&fieldPassword != 0 {
			return ""
		}
		return in.file.Text(value)
	case "Ch":
		options := in.file.Array(in.inherited(d, "Opt"))
		chosen, ok := value.(object.Array)
		if !ok {
			chosen = object.Array{value}
		}
		var shown []string
		for _, v := range chosen[:min(len(chosen), maxValueLines)] {
			shown = append(shown, in.option(options, in.file.Text(v)))
		}
		return strings.Join(shown, ", ")
	}
	return ""
}

// option is what a choice field shows for a value.
func (in *interp) option(options object.Array, value string) string {
	for _, o := range options[:min(len(options), 10*maxValueLines)] {
		if pair := in.file.Array(o); len(pair) == 2 && in.file.Text(pair[0]) == value {
			return in.file.Text(pair[1])
		}
	}
	return value
}

// fontSize reads the size of a default appearance, "/F 12 Tf"; 0 where it has
// none.
func fontSize(appearance string) float64 {
	words := strings.Fields(appearance)
	for i := 1; i < len(words); i++ {
		if words[i] == "Tf" {
			size, err := strconv.ParseFloat(words[i-1], 64)
			if err != nil || size < 0 || size > 1000 {
				return 0
			}
			return size
		}
	}
	return 0
}
