// SPDX-License-Identifier: Apache-2.0

package rtf

import (
	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/ooxml"
)

const (
	formBox    = 1 // a check box
	formChoice = 2 // a list of choices

	formUnset  = 25 // the default value applies
	maxChoices = 25
)

// field is an open field.
type field struct {
	outer  *field
	said   ooxml.Field
	result bool // it has a result
	shown  bool // that has a text or a picture

	kind, value int // of a form field
	text        string
	choices     []string
}

// fieldWord handles a control word that begins a field or a part of one, and reports whether
// it is one.
func (d *reader) fieldWord(word string, buffer func(func(string))) bool {
	switch word {
	case "field":
		d.begin()
	case "fldinst":
		buffer(func(s string) {
			f := ooxml.ParseField(s)
			if d.field != nil {
				d.field.said = f
			}
			if n := len(d.stack); n > 0 {
				d.stack[n-1].link = f.Href()
			}
		})
	case "fldrslt":
		if d.field != nil {
			d.field.result = true
			d.state.hidden = d.state.hidden || d.field.said.Stores()
		}
	case "formfield":
		said := d.buffer.String() // the instruction that this is part of
		d.state.target = toInfo
		d.state.ends = func() {
			d.buffer.Reset()
			d.buffer.WriteString(said)
		}
	case "ffdeftext":
		buffer(func(s string) {
			if d.field != nil {
				d.field.text = s
			}
		})
	case "ffl":
		buffer(func(s string) {
			if d.field != nil && len(d.field.choices) < maxChoices {
				d.field.choices = append(d.field.choices, s)
			}
		})
	default:
		return false
	}
	return true
}

// begin opens a field, which ends with its group.
func (d *reader) begin() {
	if d.state.ends != nil || d.depth > len(d.stack) {
		return // the group is also something else, or its end is not noticed
	}
	f := &field{outer: d.field, value: formUnset}
	d.field = f
	d.state.ends = func() {
		d.field = f.outer
		if !f.shown && d.state.target == toText && d.state.math == nil {
			d.endField(f)
		}
	}
}

// shows records that the open fields have a visible result.
func (f *field) shows() {
	for ; f != nil && !f.shown; f = f.outer {
		f.shown = true
	}
}

// set sets a property of a form field.
func (f *field) set(word string, n int) {
	switch {
	case word == "fftype":
		f.kind = n
	case f.value == formUnset || word == "ffres" && n != formUnset:
		f.value = n
	}
}

// endField writes a field that has no result, or an empty one.
func (d *reader) endField(f *field) {
	tex, text, unfilled := f.said.Alone()
	switch {
	case f.kind == formChoice && f.value >= 0 && f.value < len(f.choices):
		text = f.choices[f.value]
	case !f.result && f.text != "":
		text = f.text
	}
	switch {
	case tex == "" && text == "" && f.kind != formBox:
		if unfilled && !f.result {
			d.unfilled++
		}
		return
	case d.unseen():
		d.omit()
		return
	case tex != "":
		d.out.line.Node(d.b.Math(tex, false), doctree.Style{})
	case f.kind == formBox:
		d.out.line.Node(d.b.Checkbox(f.value == 1), doctree.Style{})
	default:
		d.show(doctree.Clean(text))
	}
	f.outer.shows()
}
