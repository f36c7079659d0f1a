// SPDX-License-Identifier: Apache-2.0

package content

import (
	"math"
	"slices"
	"strings"

	"example.com/curlew/parse/internal/pdf/object"
)

// mark is an open marked-content sequence (ISO 32000-1, 14.6).
type mark struct {
	mcid     int // -1 if it has none
	artifact bool
	off      bool
	actual   bool
	text     string // /ActualText, if actual is set
	glyphs   int    // number of glyphs when it opened
}

// MarkID returns the value of [Glyph.MCID] for a marked-content ID in a
// stream. stream is 0 for the content of a page and the object number for a
// form with IDs of its own (ISO 32000-1, 14.7.4.2). It returns -1 if a
// number is too large.
func MarkID(stream, id int) int {
	const most = 1 << 20 // IDs in a form
	switch {
	case stream == 0:
		return id
	case id < 0 || id >= most || stream < 0 || stream > math.MaxInt/most-1:
		return -1
	}
	return stream*most + id
}

// maxMarks bounds the nesting of marked-content sequences.
const maxMarks = 256

func (in *interp) mark(a []operand) {
	m := mark{mcid: -1, glyphs: len(in.page.Glyphs)}
	if len(a) > 0 && a[0].kind == isName {
		tag := string(a[0].str)
		m.artifact = tag == "Artifact"
		if len(a) > 1 {
			in.properties(&m, tag, a[1])
		}
	}
	if len(in.marks) >= maxMarks {
		return
	}
	if m.off {
		in.offs++
	}
	if m.artifact {
		in.arts++
	}
	in.marks = append(in.marks, m)
}

func (in *interp) properties(m *mark, tag string, o operand) {
	d := o.dict
	var source object.Object
	if o.kind == isName {
		source = in.sub("Properties")[object.Name(o.str)]
		d = in.file.Dict(source)
	}
	if tag == "OC" {
		m.off = in.off(source)
		return
	}
	if id, ok := object.Int(in.file.Resolve(d["MCID"])); ok && id >= 0 {
		m.mcid = MarkID(in.stream, id)
	}
	if t, ok := in.file.Resolve(d["ActualText"]).(object.String); ok && len(t) <= maxActual {
		m.text = in.told(t)
		m.actual = !in.spent()
	}
}

// maxActual bounds a replacement text, in bytes. If the text is longer, the
// text of the glyphs is kept.
const maxActual = 64 << 10

// off reports whether an optional content group is off. It caches the
// answer.
func (in *interp) off(o object.Object) bool {
	r, ok := o.(object.Ref)
	if !ok {
		return in.doc.layers.off(in.file, o)
	}
	off, ok := in.hidden[r]
	if !ok {
		if in.hidden == nil {
			in.hidden = map[object.Ref]bool{}
		}
		off = in.doc.layers.off(in.file, r)
		in.hidden[r] = off
	}
	return off
}

// mcid returns the innermost open marked-content ID, or -1 outside marked
// content.
func (in *interp) mcid() int {
	for _, m := range slices.Backward(in.marks) {
		if m.mcid >= 0 {
			return m.mcid
		}
	}
	return -1
}

// unmark closes sequences until n are open.
func (in *interp) unmark(n int) {
	for len(in.marks) > n {
		m := in.marks[len(in.marks)-1]
		in.marks = in.marks[:len(in.marks)-1]
		if m.off {
			in.offs--
		}
		if m.artifact {
			in.arts--
		}
		if m.actual {
			in.replace(m)
		}
	}
}

// replace applies the /ActualText of a sequence, unless it is the text of the
// glyphs. The first glyph gets the whole text, and the others are removed.
func (in *interp) replace(m mark) {
	span := in.page.Glyphs[min(m.glyphs, len(in.page.Glyphs)):]
	if len(span) == 0 {
		return
	}
	text := strings.Map(func(r rune) rune {
		if r == 0 || r == '\u00ad' {
			return -1
		}
		return r
	}, m.text)
	if m.text == "\u00ad" { // a hyphen at a line break
		text = "\u00ad"
	}
	var same strings.Builder
	for _, g := range span {
		same.WriteString(g.Text)
		if same.Len() > len(m.text)+16 {
			break
		}
	}
	if same.String() == m.text {
		return
	}
	first := &span[0]
	for _, g := range span[1:] {
		if g.Y != first.Y || g.DX != first.DX {
			break
		}
		first.Box = first.Box.Union(g.Box)
		first.Adv = max(first.Adv, (g.X-first.X)*g.DX+(g.Y-first.Y)*g.DY+g.Adv)
	}
	if !in.letter(text) {
		text = ""
	}
	first.Text = text
	if text != " " {
		first.Flags &^= Space
	}
	clear(span[1:])
	in.page.Glyphs = in.page.Glyphs[:m.glyphs+1]
}

// layers knows which optional content groups are off (ISO 32000-1, 8.11).
type layers struct {
	hidden map[int]bool // object numbers of groups that are off
}

func readLayers(f *object.File) layers {
	l := layers{hidden: map[int]bool{}}
	props := f.Dict(f.Catalog()["OCProperties"])
	config := f.Dict(props["D"])
	if f.Name(config["BaseState"]) == "OFF" {
		for _, o := range f.Array(props["OCGs"]) {
			if r, ok := o.(object.Ref); ok {
				l.hidden[r.Num] = true
			}
		}
	}
	for _, o := range f.Array(config["ON"]) {
		if r, ok := o.(object.Ref); ok {
			delete(l.hidden, r.Num)
		}
	}
	for _, o := range f.Array(config["OFF"]) {
		if r, ok := o.(object.Ref); ok {
			l.hidden[r.Num] = true
		}
	}
	return l
}

// maxGroups bounds the groups of one membership dictionary.
const maxGroups = 1000

// off reports whether the group or membership dictionary o is off.
func (l layers) off(f *object.File, o object.Object) bool {
	if len(l.hidden) == 0 || o == nil {
		return false
	}
	if r, ok := o.(object.Ref); ok && l.hidden[r.Num] {
		return true
	}
	d := f.Dict(o)
	if f.Name(d["Type"]) != "OCMD" {
		return false
	}
	if ve := f.Array(d["VE"]); len(ve) > 0 { // VE takes precedence over OCGs and P
		steps := 0
		return !l.holds(f, ve, 0, &steps)
	}
	var groups object.Array
	switch v := f.Resolve(d["OCGs"]).(type) {
	case object.Array:
		groups = v
	case object.Dict:
		groups = object.Array{d["OCGs"]}
	}
	hidden, shown := 0, 0
	for _, g := range groups[:min(len(groups), maxGroups)] {
		if r, ok := g.(object.Ref); ok && l.hidden[r.Num] {
			hidden++
		} else {
			shown++
		}
	}
	if hidden+shown == 0 {
		return false
	}
	switch f.Name(d["P"]) {
	case "AllOn":
		return hidden > 0
	case "AnyOff":
		return hidden == 0
	case "AllOff":
		return shown > 0
	}
	return shown == 0
}

// Bounds on visibility expressions.
const (
	maxVisibility      = 1000
	maxVisibilityDepth = 16
)

// holds evaluates a visibility expression (ISO 32000-1, 8.11.2.2): a group,
// or an array of And, Or or Not and its operands. Beyond the bounds
// an operand counts as true.
func (l layers) holds(f *object.File, o object.Object, depth int, steps *int) bool {
	if *steps++; depth > maxVisibilityDepth || *steps > maxVisibility {
		return true
	}
	e, ok := f.Resolve(o).(object.Array)
	if !ok {
		r, _ := o.(object.Ref)
		return !l.hidden[r.Num]
	}
	if len(e) == 0 {
		return true
	}
	op := f.Name(e[0])
	for _, x := range e[1:] {
		switch v := l.holds(f, x, depth+1, steps); {
		case op == "Not":
			return !v
		case op == "Or" && v:
			return true
		case op == "And" && !v:
			return false
		case *steps > maxVisibility:
			return true
		}
	}
	return op != "Or"
}
