// SPDX-License-Identifier: Apache-2.0

package docx

import (
	"strings"

	"golang.org/x/net/html"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/mathtex"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/ooxml"
)

const (
	maxFields      = 64 // nested fields
	maxInstruction = 1 << 16
)

// field is an open field. Its instruction comes before its result.
type field struct {
	instruction string
	result      bool
	href        string
	toc         bool
	box         *html.Node // a legacy check box
	choice      string     // the selected value of a legacy drop-down list, or the default text of a form field
}

func (f *field) add(s string) {
	if len(f.instruction)+len(s) < maxInstruction {
		f.instruction += s
	}
}

// fieldChar reads a w:fldChar.
func (in *inline) fieldChar(e *zipxml.Element, s doctree.Style) {
	d := in.d
	n := len(d.fields)
	switch e.Attr("w:fldCharType") {
	case "begin":
		if n >= maxFields {
			return
		}
		f := field{}
		data := e.Get("w:ffData")
		if box := data.Get("w:checkBox"); box != nil {
			checked := box.Get("w:checked")
			if checked == nil {
				checked = box.Get("w:default")
			}
			f.box = d.b.Checkbox(ooxml.On(checked))
		}
		if choices := data.Get("w:ddList"); choices != nil {
			at, i := choices.Get("w:result").Int("w:val", choices.Get("w:default").Int("w:val", 0)), 0
			for c := range choices.All("w:listEntry") {
				if i == at {
					f.choice = c.Attr("w:val")
				}
				i++
			}
		}
		if f.choice == "" {
			f.choice = ooxml.Val(data.Get("w:textInput").Get("w:default"))
		}
		d.fields = append(d.fields, f)
	case "separate":
		if n > 0 && !d.fields[n-1].result {
			d.fields[n-1].result = true
			d.interpret()
		}
	case "end":
		if n == 0 {
			return
		}
		f := d.fields[n-1]
		d.fields = d.fields[:n-1]
		if in.hides() {
			return
		}
		switch {
		case f.box != nil:
			in.line.Node(f.box, s)
		case f.choice != "" && !f.result:
			in.line.Text(f.choice, s)
		case !f.result:
			in.without(f.instruction, s)
		}
	}
}

// without writes a field that has no result but does not need one.
func (in *inline) without(instruction string, s doctree.Style) {
	words := split(instruction)
	if len(words) > 0 && strings.EqualFold(words[0], "EQ") {
		tex, text := mathtex.Field(strings.TrimSpace(instruction)[len("EQ"):])
		if tex != "" {
			in.line.Node(in.d.b.Math(tex, false), in.change)
		}
		in.line.Text(text, s)
		return
	}
	if len(words) < 2 {
		return
	}
	switch strings.ToUpper(words[0]) {
	case "SYMBOL":
	case "INCLUDETEXT", "INCLUDEPICTURE", "MERGEFIELD", "DOCVARIABLE", "DOCPROPERTY", "QUOTE", "LINK", "DDE", "DDEAUTO", "DATABASE":
		in.d.unfilled++
		return
	default:
		return
	}
	code := (&zipxml.Element{Attrs: []zipxml.Attr{{Name: "n", Value: words[1]}}}).Int("n", 0)
	font := ""
	for i, w := range words {
		if w == `\f` && i+1 < len(words) {
			font = words[i+1]
		}
	}
	if code >= 0x20 && code < 0xFFFE {
		in.line.Text(ooxml.Symbol(font, rune(code)), s)
	}
}

// interpret reads the instruction of the innermost field. Its result
// follows.
func (d *reader) interpret() {
	top := &d.fields[len(d.fields)-1]
	words := split(top.instruction)
	if len(words) == 0 {
		return
	}
	switch strings.ToUpper(words[0]) {
	case "HYPERLINK":
		top.href = doctree.Href(hyperlink(words[1:]))
	case "REF", "PAGEREF", "NOTEREF":
		if len(words) > 1 {
			top.href = "#" + words[1]
		}
	case "TOC":
		top.toc = true
	}
}

// hyperlink returns the target in the arguments of a HYPERLINK field.
func hyperlink(args []string) string {
	target, anchor := "", ""
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case `\l`:
			if i++; i < len(args) {
				anchor = args[i]
			}
		case `\o`, `\t`:
			i++ // tooltip, frame
		case `\m`, `\n`, `\h`:
		default:
			if target == "" {
				target = args[i]
			}
		}
	}
	if anchor != "" {
		target += "#" + anchor
	}
	return target
}

// split splits an instruction into words. Quotes keep words together.
func split(s string) []string {
	var words []string
	for {
		s = strings.TrimLeft(s, " \t\r\n\u00A0")
		if s == "" || len(words) > 100 {
			return words
		}
		if s[0] != '"' {
			word, rest, _ := strings.Cut(s, " ")
			words, s = append(words, word), rest
			continue
		}
		var b strings.Builder
		i := 1
		for ; i < len(s) && s[i] != '"'; i++ {
			if s[i] == '\\' && i+1 < len(s) && (s[i+1] == '\\' || s[i+1] == '"') {
				i++
			}
			b.WriteByte(s[i])
		}
		words = append(words, b.String())
		s = s[min(i+1, len(s)):]
	}
}

// inContents reports whether the field of a table of contents is open.
func (d *reader) inContents() bool {
	for i := range d.fields {
		if d.fields[i].toc {
			return true
		}
	}
	return false
}
