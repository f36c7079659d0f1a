// SPDX-License-Identifier: Apache-2.0

package odf

import (
	"cmp"

	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
)

// maxControls is the maximum number of form controls of a document.
const maxControls = 10_000

// control is what a control of a form shows: its label, or the value that was entered.
type control struct {
	text         string
	box, checked bool // it is a check box
}

// forms keeps the controls of forms. Shapes of the document refer to them.
func (d *reader) forms(e *zipxml.Element) {
	for c := range e.Descendants() {
		id := cmp.Or(c.Attr("xml:id"), c.Attr("form:id"))
		if id == "" || len(d.controls) >= maxControls {
			continue
		}
		if d.controls == nil {
			d.controls = map[string]control{}
		}
		d.controls[d.own(id)] = d.control(c)
	}
}

func (d *reader) control(e *zipxml.Element) control {
	c := control{}
	switch e.Name {
	case "form:password", "form:hidden":
		return c
	case "form:checkbox", "form:radio":
		c.box, c.text = true, " "+e.Attr("form:label")
		c.checked = cmp.Or(e.Attr("form:current-state"), e.Attr("form:state")) == "checked" || e.Attr("form:current-selected") == "true"
	case "form:listbox":
		for o := e.Named("form:option"); o != nil; o = o.Same() {
			if o.Attr("form:current-selected") == "true" {
				c.text += " " + o.Attr("form:label")
			}
		}
	default:
		c.text = cmp.Or(e.Attr("form:current-value"), e.Attr("form:value"), e.Attr("form:label"))
	}
	c.text = d.own(c.text)
	return c
}

// formControl writes a control of a form.
func (in *inline) formControl(c control, look doctree.Style) {
	if c.box {
		attrs := []string{"type", "checkbox", "disabled", ""}
		if c.checked {
			attrs = append(attrs, "checked", "")
		}
		in.line.Node(in.d.b.Element(atom.Input, attrs...), look)
	}
	in.line.Text(c.text, look)
}
