// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/pdf/object"
)

// Limits of XFA forms.
const (
	maxPacket    = 16 << 20 // bytes of one packet
	maxPackets   = 64
	maxFormDepth = 100
	maxFormSteps = 2_000_000
	maxFormText  = 8 << 20 // bytes
	maxStub      = 2000    // maximum number of glyphs of a placeholder page
)

// form is a dynamic XFA form (XFA 3.3). A viewer generates its pages from
// the template and the data; the PDF itself only has a placeholder page.
type form struct {
	template, data *zipxml.Element

	index   map[*zipxml.Element]map[string][]*zipxml.Element // child elements of each data node by name
	steps   int                                              // number of template elements and values that were visited
	bytes   int                                              // bytes of text
	lost    int                                              // fields and texts that a limit left out
	counted int                                              // template elements that were visited to count the lost fields and texts
}

// readForm returns the dynamic form of the document. It returns nil if there
// is none or if the pages of the PDF show it. A dynamic form is recognised
// by NeedsRendering or by an AcroForm without fields, together with a single
// short page.
func (d *reader) readForm(ctx context.Context) *form {
	catalog := d.file.Catalog()
	acro := d.file.Dict(catalog["AcroForm"])
	if acro["XFA"] == nil {
		return nil
	}
	glyphs := 0
	for _, p := range d.laid {
		glyphs += p.Glyphs
	}
	again, _ := d.file.Resolve(catalog["NeedsRendering"]).(bool)
	if !again && len(d.file.Array(acro["Fields"])) > 0 || d.doc.TotalPages > 1 || glyphs > maxStub {
		return nil
	}
	f := &form{index: map[*zipxml.Element]map[string][]*zipxml.Element{}}
	var streams []*object.Stream
	switch v := d.file.Resolve(acro["XFA"]).(type) {
	case *object.Stream:
		streams = []*object.Stream{v}
	case object.Array: // pairs of a name and a packet
		for i := 1; i < min(len(v), 2*maxPackets); i += 2 {
			if name := d.file.Text(v[i-1]); name == "template" || name == "datasets" {
				streams = append(streams, d.file.Stream(v[i]))
			}
		}
	}
	damaged := false
	for _, s := range streams {
		data, err := d.file.DataWithin(s, maxPacket)
		if err != nil && len(data) == 0 || len(data) > maxPacket {
			damaged = true
			continue
		}
		root, err := zipxml.Parse(ctx, bytes.TrimSpace(data), nil) // the part that could be parsed
		damaged = damaged || err != nil
		f.template = cmp.Or(f.template, named(root, "template", 3))
		f.data = cmp.Or(f.data, named(named(root, "datasets", 3), "data", 2))
	}
	if damaged && ctx.Err() == nil {
		d.warn("part-unreadable", 0, "A part of the form is damaged or too large: it was read to the damage or not at all.")
	}
	return f
}

// tagOf returns the name of an element without its namespace, which differs
// between versions of XFA.
//
//go:noinline
func tagOf(e *zipxml.Element) string {
	return e.Name[strings.LastIndexByte(e.Name, ':')+1:]
}

// named returns e or its first descendant with the name, searching at most
// depth levels.
func named(e *zipxml.Element, name string, depth int) *zipxml.Element {
	if e == nil || tagOf(e) == name {
		return e
	}
	for c := e.First(); c != nil; c = c.Next() {
		if depth > 1 && c.Name != "" {
			if found := named(c, name, depth-1); found != nil {
				return found
			}
		}
	}
	return nil
}

// fill replaces the placeholder page by the content of the form.
func (d *reader) fill(ctx context.Context, t *tree, section *html.Node) {
	f := d.form
	into := t.Element(atom.Section)
	for c := f.template.First(); c != nil; c = c.Next() {
		if tagOf(c) == "subform" {
			f.part(ctx, t, into, c, f.data, 0)
		}
	}
	if f.lost > 0 {
		least := ""
		if f.counted > maxFormSteps {
			least = "at least "
		}
		d.warn("truncated", d.doc.Pages[0].Number, fmt.Sprintf("The form has more parts than are read: %s%d fields and texts were left out.", least, f.lost))
	}
	if into.FirstChild == nil {
		d.warn("xfa", 0, "The document is a form that its page does not show, and the form has no text.")
		return
	}
	d.warn("xfa", 0, "The document is a form that its page does not show; the text is that of the form and its data, in the order of its parts.")
	for c := section.FirstChild; c != nil; c = section.FirstChild {
		section.RemoveChild(c)
	}
	for c := into.FirstChild; c != nil; c = into.FirstChild {
		into.RemoveChild(c)
		section.AppendChild(c)
	}
}

// part writes a container or one of its parts. Names are looked up in data.
// Hidden parts are left out.
func (f *form) part(ctx context.Context, t *tree, into *html.Node, e, data *zipxml.Element, depth int) {
	f.steps++
	if hides(e) {
		return
	}
	if depth > maxFormDepth || f.ended(ctx, t) {
		f.lost += f.parts(e)
		return
	}
	switch tagOf(e) {
	case "subform", "subformSet", "area", "pageSet", "pageArea":
		for _, d := range f.instances(e, data) {
			if f.ended(ctx, t) {
				f.lost += f.parts(e)
				continue
			}
			f.container(ctx, t, into, e, d, depth)
		}
	case "exclGroup":
		group := f.bound(e, data)
		chosen := f.text(group)
		for c := e.First(); c != nil; c = c.Next() {
			if tagOf(c) == "field" && !hides(c) {
				f.choice(t, into, c, chosen != "" && chosen == f.item(c))
			}
		}
	case "draw":
		for _, l := range f.lines(child(e, "value")) {
			t.Text(t.Append(into, atom.P), l)
		}
	case "field":
		f.field(t, into, e, data)
	}
}

// parts returns the number of fields and texts in e. After many elements it
// counts no further.
func (f *form) parts(e *zipxml.Element) (n int) {
	if f.counted++; f.counted > maxFormSteps || hides(e) {
		return 0
	}
	switch tagOf(e) {
	case "field", "draw":
		return 1
	}
	for c := e.First(); c != nil; c = c.Next() {
		n += f.parts(c) // zipxml limits the depth
	}
	return n
}

// ended reports whether a limit was reached or ctx has ended.
func (f *form) ended(ctx context.Context, t *tree) bool {
	return f.steps > maxFormSteps || t.Count() > t.limit || f.bytes > maxFormText || ctx.Err() != nil
}

// hides reports whether a part is hidden.
func hides(e *zipxml.Element) bool {
	switch e.Attr("presence") {
	case "hidden", "invisible", "inactive":
		return true
	}
	return false
}

// container writes the content of a subform. A subform with a table layout
// becomes a table.
func (f *form) container(ctx context.Context, t *tree, into *html.Node, e, data *zipxml.Element, depth int) {
	if e.Attr("layout") == "table" && into.DataAtom != atom.Td {
		table := t.Element(atom.Table, "data-table", "source")
		body := t.Append(table, atom.Tbody)
		for row := e.First(); row != nil; row = row.Next() {
			if tagOf(row) == "subform" {
				for _, d := range f.instances(row, data) {
					if f.ended(ctx, t) {
						f.lost += f.parts(row)
						continue
					}
					f.row(ctx, t, body, row, d, depth+1)
				}
			}
		}
		if body.FirstChild != nil {
			into.AppendChild(table)
		}
		return
	}
	for c := e.First(); c != nil; c = c.Next() {
		f.part(ctx, t, into, c, data, depth+1)
	}
}

// row writes a table row if at least one of its cells has text.
func (f *form) row(ctx context.Context, t *tree, body *html.Node, e, data *zipxml.Element, depth int) {
	if hides(e) {
		return
	}
	tr := t.Element(atom.Tr)
	full := false
	for c := e.First(); c != nil; c = c.Next() {
		switch tagOf(c) {
		case "draw", "field", "subform", "exclGroup":
			td := t.Append(tr, atom.Td)
			f.part(ctx, t, td, c, data, depth+1)
			full = full || td.FirstChild != nil
		}
	}
	if full {
		body.AppendChild(tr)
	}
}

// instances returns the data node of each repetition of a subform. It
// returns data itself if the subform has no data of its own.
func (f *form) instances(e, data *zipxml.Element) []*zipxml.Element {
	bind := child(e, "bind")
	name := e.Attr("name")
	if data == nil || name == "" && bind.Attr("ref") == "" || bind.Attr("match") == "none" {
		return []*zipxml.Element{data}
	}
	if ref := bind.Attr("ref"); bind.Attr("match") == "dataRef" && ref != "" {
		path := strings.Split(ref, ".")
		name = bare(path[len(path)-1])
		for _, step := range path[:len(path)-1] {
			data = f.step(data, step)
		}
	}
	out := f.in(data, name)
	if occur := child(e, "occur"); len(out) > 1 && (occur == nil || occur.Int("max", 1) == 1) {
		out = out[:1]
	}
	if len(out) == 0 {
		return []*zipxml.Element{data} // a group in the template without a node in the data
	}
	return out
}

// bound returns the data node of a field, or nil if it has none.
func (f *form) bound(e, data *zipxml.Element) *zipxml.Element {
	bind := child(e, "bind")
	switch bind.Attr("match") {
	case "none":
		return nil
	case "dataRef":
		for step := range strings.SplitSeq(bind.Attr("ref"), ".") {
			data = f.step(data, step)
		}
		return data
	}
	return f.step(data, e.Attr("name"))
}

// in returns the children of a data node with the given name.
func (f *form) in(data *zipxml.Element, name string) []*zipxml.Element {
	if data == nil {
		return nil
	}
	names, ok := f.index[data]
	if !ok {
		names = map[string][]*zipxml.Element{}
		for c := data.First(); c != nil; c = c.Next() {
			if c.Name != "" {
				names[tagOf(c)] = append(names[tagOf(c)], c)
			}
		}
		f.index[data] = names
	}
	return names[name]
}

// step resolves one step of a reference, such as "$record" or "item[*]". It
// returns nil if the node does not exist.
func (f *form) step(data *zipxml.Element, name string) *zipxml.Element {
	switch name = bare(name); name {
	case "$":
		return data
	case "$data", "!data":
		return f.data
	case "$record":
		for c := f.data.First(); c != nil; c = c.Next() {
			if c.Name != "" {
				return c
			}
		}
		return nil
	}
	if found := f.in(data, name); len(found) > 0 {
		return found[0]
	}
	return nil
}

func bare(step string) string {
	name, _, _ := strings.Cut(step, "[")
	return name
}

// child returns the first child element of e with the name, or nil if there
// is none.
func child(e *zipxml.Element, name string) *zipxml.Element {
	for c := e.First(); c != nil; c = c.Next() {
		if c.Name != "" && tagOf(c) == name {
			return c
		}
	}
	return nil
}

// text returns the text of e on one line.
func (f *form) text(e *zipxml.Element) string {
	s := e.Content()
	f.bytes += len(s)
	return strings.Join(strings.Fields(s), " ")
}

// lines returns the paragraphs of a value. They are the paragraphs of its
// rich text, or else its lines.
func (f *form) lines(value *zipxml.Element) (out []string) {
	add := func(s string) {
		f.bytes += len(s)
		if s = strings.Join(strings.Fields(s), " "); s != "" && f.bytes <= maxFormText {
			out = append(out, s)
		}
	}
	for v := value.First(); v != nil; v = v.Next() {
		switch tagOf(v) {
		case "exData":
			var b strings.Builder
			rich(&b, v)
			for l := range strings.Lines(b.String()) {
				add(l)
			}
		case "text", "integer", "decimal", "float", "date", "time", "dateTime":
			for l := range strings.FieldsFuncSeq(v.Content(), func(r rune) bool { return r == '\n' || r == '\r' || r == '\u2029' }) {
				add(l)
			}
		}
	}
	return out
}

// rich writes rich text to b with one line per paragraph.
func rich(b *strings.Builder, e *zipxml.Element) {
	for c := e.First(); c != nil; c = c.Next() {
		if c.Name == "" {
			b.WriteString(strings.NewReplacer("\n", " ", "\r", " ").Replace(c.Text))
			continue
		}
		rich(b, c) // zipxml limits the depth
		switch tagOf(c) {
		case "p", "br", "li", "div":
			b.WriteByte('\n')
		}
	}
}

// field writes a field: its caption with its value, or a check box.
func (f *form) field(t *tree, into *html.Node, e, data *zipxml.Element) {
	ui := child(e, "ui")
	if child(ui, "button") != nil || child(ui, "passwordEdit") != nil || child(ui, "signature") != nil {
		return
	}
	said := f.lines(child(e, "value"))
	if d := f.bound(e, data); d != nil {
		said = sorting.Without([]string{f.text(d)}, func(s string) bool { return s == "" })
	}
	if child(ui, "checkButton") != nil {
		on := f.item(e)
		f.choice(t, into, e, len(said) > 0 && said[0] != "0" && (on == "" || said[0] == on))
		return
	}
	for i := range said {
		said[i] = f.shown(e, said[i])
	}
	caption := strings.Join(f.lines(child(child(e, "caption"), "value")), " ")
	switch {
	case caption == "":
		for _, s := range said {
			t.Text(t.Append(into, atom.P), s)
		}
	case len(said) == 0:
		t.Text(t.Append(into, atom.P), caption)
	default:
		t.Text(t.Append(into, atom.P), caption+" "+strings.Join(said, " "))
	}
}

// choice writes a check box with its caption as an item of a task list.
func (f *form) choice(t *tree, into *html.Node, e *zipxml.Element, checked bool) {
	list := into.LastChild
	if list == nil || list.DataAtom != atom.Ul {
		list = t.Append(into, atom.Ul)
	}
	li := t.Append(list, atom.Li)
	li.AppendChild(t.Checkbox(checked))
	if caption := strings.Join(f.lines(child(child(e, "caption"), "value")), " "); caption != "" {
		t.Text(li, " "+caption)
	}
}

// item returns the first item of a choice field, which is its value if it is
// selected. It is empty if the field has no items.
func (f *form) item(e *zipxml.Element) string {
	for v := child(e, "items").First(); v != nil; v = v.Next() {
		if v.Name != "" {
			return f.text(v)
		}
	}
	return ""
}

// shown returns the text that a choice list displays for a value. A list can
// have separate lists of displayed texts and of saved values.
func (f *form) shown(e *zipxml.Element, value string) string {
	var lists [2][]*zipxml.Element // displayed texts and saved values
	for c := e.First(); c != nil; c = c.Next() {
		if tagOf(c) != "items" {
			continue
		}
		to := &lists[0]
		if c.Attr("save") == "1" {
			to = &lists[1]
		}
		for v := c.First(); v != nil; v = v.Next() {
			if f.steps++; v.Name != "" && f.steps <= maxFormSteps {
				*to = append(*to, v)
			}
		}
	}
	for i, v := range lists[1][:min(len(lists[0]), len(lists[1]))] {
		if f.text(v) == value {
			return f.text(lists[0][i])
		}
	}
	return value
}
