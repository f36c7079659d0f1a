// SPDX-License-Identifier: Apache-2.0

package content

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/curlew/parse/internal/pdf/font"
	"example.com/curlew/parse/internal/pdf/object"
)

// Bounds on the values of fields, and field flags.
const (
	maxParents    = 16
	maxValueLines = 200
	fieldPassword = 1 << 13 // flag of Ff (ISO 32000-1, table 228)
	fieldPush     = 1 << 16 // flag of Ff (ISO 32000-1, table 226)
)

// fieldFont is the font of values without an appearance. It has no
// properties.
var fieldFont = &font.Font{}

// value adds the value of a text or choice field at box b. It is for fields
// whose appearance shows no text: viewers generate one from the value (ISO
// 32000-1, 12.7.3.3).
func (in *interp) value(d object.Dict, b Box) {
	text := in.fieldText(d)
	if strings.TrimSpace(text) == "" || b.Empty() || !in.letter(text) {
		return
	}
	lines := linesOf(text)
	size := fontSize(in.told(in.inherited(d, "DA")))
	if size <= 0 || size > b.Height() {
		size = min(12, .7*b.Height()/float64(min(len(lines), maxValueLines)))
	}
	top := b.Y0 + size*1.15
	if len(lines) == 1 {
		top = (b.Y0+b.Y1)/2 + .35*size
	}
	in.lay(lines, b, top, size)
}

// checkBox adds a check box or radio button at b as a ballot character,
// because its appearance has only lines or a letter of a symbol font. It
// returns false if d is another kind of field.
func (in *interp) checkBox(d object.Dict, b Box) bool {
	if in.file.Name(in.inherited(d, "FT")) != "Btn" || in.file.Int(in.inherited(d, "Ff"), 0)&fieldPush != 0 || b.Empty() {
		return false
	}
	state := in.file.Name(d["AS"])
	if state == "" {
		state = in.file.Name(in.inherited(d, "V"))
	}
	text := "☐"
	if state != "" && state != "Off" {
		text = "☑"
	}
	if in.letter(text) {
		size := min(12, b.Height())
		in.lay([]string{text}, b, (b.Y0+b.Y1)/2+.35*size, size)
	}
	return true
}

// linesOf splits a text into lines, with any kind of line end.
func linesOf(text string) []string {
	return strings.Split(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), "\n")
}

// lay adds lines below each other in b, the first with its baseline at top.
// It assumes that letters are guess em wide.
func (in *interp) lay(lines []string, b Box, top, size float64) {
	if len(lines) > maxValueLines {
		in.page.Truncated = true
	}
	for i, line := range lines[:min(len(lines), maxValueLines)] {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if len(in.page.Glyphs) >= in.doc.Limits.Glyphs || len(in.page.Glyphs) == cap(in.page.Glyphs) && !in.grow() {
			in.page.Truncated = true
			return
		}
		y := top + size*1.15*float64(i)
		in.seq++
		width := min(b.Width(), guess*size*float64(utf8.RuneCountInString(line)))
		in.page.Glyphs = append(in.page.Glyphs, Glyph{
			Text: line, X: b.X0 + 2, Y: y, Adv: width, Size: size, DX: 1, Font: fieldFont, Seq: in.seq, MCID: -1, Flags: Field,
			Box: Box{b.X0 + 2, y - .75*size, b.X0 + 2 + width, y + .25*size},
		})
	}
}

// guess is the assumed width of a letter in em if the font is unknown.
const guess = .5

// freeText adds the text of a free text annotation that has no appearance,
// at b, as viewers do (ISO 32000-1, 12.5.6.6). It wraps long lines.
func (in *interp) freeText(d object.Dict, b Box) {
	text := in.brief(d["Contents"], maxNoteText)
	if strings.TrimSpace(text) == "" || b.Empty() || !in.letter(text) {
		return
	}
	size := fontSize(in.told(d["DA"]))
	if size <= 0 {
		size = freeSize
	}
	room := max(1, int(b.Width()/(guess*size)))
	var lines []string
	for _, l := range linesOf(text) {
		lines = append(lines, wrapped(l, room)...)
	}
	in.lay(lines, b, b.Y0+size, size)
}

// freeSize is the default size of free text, in points.
const freeSize = 10

// wrapped wraps a line at spaces into lines of about room letters.
func wrapped(line string, room int) []string {
	words := strings.Fields(line)
	if len(words) == 0 {
		return []string{""}
	}
	var lines []string
	from, left := 0, room-utf8.RuneCountInString(words[0])
	for i, w := range words[1:] {
		n := utf8.RuneCountInString(w) + 1
		if left -= n; left < 0 {
			lines = append(lines, strings.Join(words[from:i+1], " "))
			from, left = i+1, room-n+1
		}
	}
	lines = append(lines, strings.Join(words[from:], " "))
	return lines
}

// inherited returns an entry of a field or of its nearest ancestor that has
// it.
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

// fieldText returns the value of a field as people see it. It returns "" if
// the value is not text or is a password.
func (in *interp) fieldText(d object.Dict) string {
	value := in.inherited(d, "V")
	switch in.file.Name(in.inherited(d, "FT")) {
	case "Tx":
		if in.file.Int(in.inherited(d, "Ff"), 0)&fieldPassword != 0 {
			return ""
		}
		return in.told(value)
	case "Ch":
		options := in.file.Array(in.inherited(d, "Opt"))
		chosen, ok := value.(object.Array)
		if !ok {
			chosen = object.Array{value}
		}
		var shown []string
		for _, v := range chosen[:min(len(chosen), maxValueLines)] {
			shown = append(shown, in.option(options, in.told(v)))
		}
		return strings.Join(shown, ", ")
	}
	return ""
}

// option returns the text that a choice field shows for a value.
func (in *interp) option(options object.Array, value string) string {
	for _, o := range options[:min(len(options), 10*maxValueLines)] {
		if in.spent() {
			break
		}
		if pair := in.file.Array(o); len(pair) == 2 && in.told(pair[0]) == value {
			return in.told(pair[1])
		}
	}
	return value
}

// fontSize returns the font size of a default appearance such as "/F 12 Tf",
// or 0 if there is none.
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
