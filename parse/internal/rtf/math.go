// SPDX-License-Identifier: Apache-2.0

package rtf

import (
	"strings"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/mathtex"
	"example.com/curlew/internal/zipxml"
)

const maxFormula = 20_000 // groups of one formula

// formula is an element of a formula. Its control words are the element
// names of Office Math with the prefix m (RTF 1.9.1, "Math").
type formula struct {
	name   string
	text   strings.Builder
	parts  []*formula
	groups *int // groups in the whole formula
}

// mathWord reads a control word inside a formula, and reports whether it is
// one of formulas.
func (d *reader) mathWord(t token) bool {
	name, ok := strings.CutPrefix(t.word, "m")
	if !ok || name == "" {
		return false
	}
	f := d.state.math
	value := ""
	switch name {
	case "nor":
		value = "on"
	case "sty":
		value = pick(t.number, "p", "b", "i", "bi")
	case "scr":
		value = pick(t.number, "roman", "script", "fraktur", "double-struck", "sans-serif", "monospace")
	}
	if value != "" {
		f.add("rPr").add(name).text.WriteString(value)
		return true
	}
	d.state.math = f.add(name)
	return true
}

func pick(i int, names ...string) string { return names[max(0, min(i, len(names)-1))] }

// add adds a child element to f and returns it. It returns f if there are
// too many. Consecutive run properties share one element.
func (f *formula) add(name string) *formula {
	if n := len(f.parts); n > 0 && name == "rPr" && f.parts[n-1].name == name {
		return f.parts[n-1]
	}
	if *f.groups++; *f.groups > maxFormula {
		return f
	}
	part := &formula{name: name, groups: f.groups}
	f.parts = append(f.parts, part)
	return part
}

// element converts f to an Office Math element. property is set for children
// of a property element.
func (f *formula) element(property bool) *zipxml.Element {
	text := f.text.String()
	var attrs []zipxml.Attr
	var parts []*zipxml.Element
	if property {
		attrs = []zipxml.Attr{{Name: "m:val", Value: strings.TrimSpace(text)}}
	}
	for _, p := range f.parts {
		parts = append(parts, p.element(strings.HasSuffix(f.name, "Pr")))
	}
	if f.name == "r" {
		t := zipxml.New("", nil)
		t.Text = text
		parts = append(parts, zipxml.New("m:t", nil, t))
	}
	return zipxml.New("m:"+f.name, attrs, parts...)
}

// math begins a formula.
func (d *reader) math() {
	f := &formula{name: "oMath", groups: new(int)}
	d.state.math = f
	display := d.state.display
	d.state.ends = func() {
		tex := mathtex.OMML(f.element(false))
		switch {
		case tex == "":
		case d.unseen():
			d.omit()
		default:
			d.out.line.Node(d.b.Math(tex, display), doctree.Style{})
		}
	}
}
