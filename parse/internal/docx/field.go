// SPDX-License-Identifier: Apache-2.0

package docx

import (
	"golang.org/x/net/html"

	"example.com/curlew/internal/doctree"
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
	chosen      bool       // choice is a selected value

	line *doctree.Line // where the result begins
	mark int           // what the line had then
}

func (f *field) add(s string) {
	if len(f.instruction)+len(s) < maxInstruction {
		f.instruction += s
	}
}

// formField begins a field that may be one of a form.
func (d *reader) formField(data *zipxml.Element) (f field) {
	if box := data.Get("w:checkBox"); box != nil {
		checked := box.Get("w:checked")
		if checked == nil {
			checked = box.Get("w:default")
		}
		f.box = d.b.Checkbox(ooxml.On(checked))
	}
	if choices := data.Get("w:ddList"); choices != nil {
		at, i := choices.Get("w:result").Int("w:val", choices.Get("w:default").Int("w:val", 0)), 0
		for c := choices.Named("w:listEntry"); c != nil; c = c.Same() {
			if i == at {
				f.choice, f.chosen = c.Attr("w:val"), true
			}
			i++
		}
	}
	if f.choice == "" {
		f.choice = ooxml.Val(data.Get("w:textInput").Get("w:default"))
	}
	return f
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
		d.fields = append(d.fields, d.formField(e.Get("w:ffData")))
	case "separate":
		if n > 0 && !d.fields[n-1].result {
			if d.options.Hidden == doctree.HiddenDropped && ooxml.ParseField(d.fields[n-1].instruction).Stores() {
				d.hidden++
				return // what follows is left out as if it were the instruction
			}
			d.fields[n-1].result = true
			in.interpret()
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
		case !f.result, f.line == &in.line && f.mark == in.line.Mark():
			in.without(&f, s)
		}
	}
}

// without writes a field that has no result, or an empty one.
func (in *inline) without(f *field, s doctree.Style) {
	tex, text, unfilled := ooxml.ParseField(f.instruction).Alone()
	switch {
	case f.choice != "" && (f.chosen || !f.result):
		text = f.choice
	case f.choice != "":
		in.d.placeholders++
	case unfilled && !f.result:
		in.d.unfilled++
	}
	if tex != "" {
		in.line.Node(in.d.b.Math(tex, false), in.change)
	}
	in.line.Text(text, s)
}

// interpret reads the instruction of the innermost field. Its result
// follows.
func (in *inline) interpret() {
	top := &in.d.fields[len(in.d.fields)-1]
	f := ooxml.ParseField(top.instruction)
	top.href, top.toc = f.Href(), f.Name == "TOC"
	top.line, top.mark = &in.line, in.line.Mark()
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
