// SPDX-License-Identifier: Apache-2.0

package vsdx

import (
	"cmp"
	"context"
	"iter"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
)

// master is a shape of the stencil, and all shapes within it by ID.
type master struct {
	first  *zipxml.Element
	shapes map[string]*zipxml.Element
}

// stencil reads the masters.
func (d *reader) stencil(ctx context.Context, list string) {
	root := d.part(ctx, list)
	relations := d.pkg.Relations(ctx, list)
	for e := root.Named("vs:Master"); e != nil; e = e.Same() {
		content := d.part(ctx, relations.Get(e.Get("vs:Rel").Attr("r:id")).Target)
		m := &master{first: content.Get("vs:Shapes", "vs:Shape"), shapes: map[string]*zipxml.Element{}}
		for s := range content.Descendants() {
			if s.Name == "vs:Shape" {
				m.shapes[s.Attr("ID")] = s
			}
		}
		d.masters[e.Attr("ID")] = m
	}
}

// cell returns the value of a cell of e, or "".
func cell(e *zipxml.Element, name string) string {
	for c := e.Named("vs:Cell"); c != nil; c = c.Same() {
		if c.Attr("N") == name {
			return c.Attr("V")
		}
	}
	return ""
}

// rows returns the rows of a section of e by name.
func rows(e *zipxml.Element, section string) (names []string, all map[string]*zipxml.Element) {
	all = map[string]*zipxml.Element{}
	for s := e.Named("vs:Section"); s != nil; s = s.Same() {
		if s.Attr("N") != section {
			continue
		}
		for r := s.Named("vs:Row"); r != nil; r = r.Same() {
			name := r.Attr("N") + r.Attr("IX")
			if all[name] == nil {
				names = append(names, name)
			}
			all[name] = r
		}
	}
	return names, all
}

// setting is a row of a section of a shape, whose cells may be those of its master.
type setting struct {
	name      string
	own, from *zipxml.Element
}

// value returns the value of a cell, or "".
func (s setting) value(name string) string { return cmp.Or(cell(s.own, name), cell(s.from, name)) }

// settings returns the rows of a section of e and of what it inherits from, without those
// that e deletes.
func settings(e, from *zipxml.Element, section string) iter.Seq[setting] {
	names, own := rows(e, section)
	inherited, defaults := rows(from, section)
	for _, name := range inherited {
		if own[name] == nil {
			names = append(names, name)
		}
	}
	return func(yield func(setting) bool) {
		for _, name := range names {
			if own[name].Attr("Del") != "1" && !yield(setting{name, own[name], defaults[name]}) {
				return
			}
		}
	}
}

// hiddenLayers returns the layers of a page that are not visible.
func hiddenLayers(page *zipxml.Element) map[string]bool {
	hidden := map[string]bool{}
	_, layers := rows(page, "Layer")
	for name, layer := range layers {
		hidden[name] = cell(layer, "Visible") == "0"
	}
	return hidden
}

// isHidden reports whether all layers of a shape are hidden.
func (s sheet) isHidden(shape *zipxml.Element) bool {
	members := cell(shape, "LayerMember")
	if members == "" {
		return false
	}
	for layer := range strings.SplitSeq(members, ";") {
		if !s.layers[layer] {
			return false
		}
	}
	return true
}

// shape reads a shape. group is the master of the group that it is in, or nil.
func (d *reader) shape(ctx context.Context, into *html.Node, s sheet, e *zipxml.Element, group *master, depth int) {
	if depth > maxGroups {
		d.deep++
		return
	}
	if e.Attr("Del") == "1" || d.b.Count()+d.objects.Made >= d.options.Nodes {
		return
	}
	from, group := d.inherit(e, group)
	if s.isHidden(e) {
		if d.options.Hidden == doctree.HiddenDropped {
			d.hidden++
			return
		}
		into = d.b.Append(into, atom.Div)
		d.options.Hidden.Mark(into)
	}
	d.text(into, e, from, d.relation(s, e, from))
	d.data(into, e, from)
	d.foreign(ctx, into, s, e)
	for inner := e.Get("vs:Shapes").Named("vs:Shape"); inner != nil; inner = inner.Same() {
		d.shape(ctx, into, s, inner, group, depth+1)
	}
}

// inherit returns the shape that e inherits from, or nil, and the master of the shapes
// within e. group is the master of the group that e is in, or nil.
func (d *reader) inherit(e *zipxml.Element, group *master) (from *zipxml.Element, inner *master) {
	if m := d.masters[e.Attr("Master")]; m != nil {
		group, from = m, m.first
	}
	if id := e.Attr("MasterShape"); id != "" && group != nil {
		from = group.shapes[id]
	}
	return from, group
}

// text writes the text of a shape, its links and its tip. relation says which shapes a connector
// joins; it is "" for other shapes.
func (d *reader) text(into *html.Node, e, from *zipxml.Element, relation string) {
	said := content(e, from)
	if strings.TrimSpace(said) != "" && cell(e, "HideText") == "1" {
		if d.options.Hidden == doctree.HiddenDropped {
			d.hidden++
			said = ""
		} else {
			into = d.b.Append(into, atom.Div)
			d.options.Hidden.Mark(into)
		}
	}
	if relation != "" {
		said = strings.TrimSuffix(relation+": "+strings.Join(strings.Fields(said), " "), ": ")
	}
	d.paragraphs(into, said, d.links(into, e, from, strings.TrimSpace(said) != ""))
	if tip := strings.TrimSpace(doctree.Clean(cmp.Or(cell(e, "Comment"), cell(from, "Comment")))); tip != "" {
		ref, li := d.notes.Add(&d.b, "comment")
		d.b.Append(into, atom.P).AppendChild(ref)
		d.paragraphs(li, tip, "")
	}
}

// links writes the links of a shape, which may be those of its master. If the shape has a
// text, it returns the target of the first link without a description, which is that of the
// text.
func (d *reader) links(into *html.Node, e, from *zipxml.Element, hasText bool) (href string) {
	for link := range settings(e, from, "Hyperlink") {
		label := strings.TrimSpace(doctree.Clean(link.value("Description")))
		target := d.target(link.value("Address"), link.value("SubAddress"))
		switch {
		case target == "" && label == "":
			if link.value("Address")+link.value("SubAddress") != "" {
				d.lost++
			}
		case target == "":
			d.lost++
			d.paragraphs(into, label, "")
		case label == "" && hasText && href == "":
			href = target
		default:
			d.paragraphs(into, cmp.Or(label, target), target)
		}
	}
	return href
}

// target returns where a link leads: to an address, or to a page of the drawing, or "".
func (d *reader) target(address, place string) string {
	if address != "" {
		if place != "" && !strings.Contains(address, "#") {
			address += "#" + place
		}
		return doctree.Href(address)
	}
	page, _, _ := strings.Cut(place, "/") // the name of a shape follows
	if id := d.anchors[page]; id != "" {
		return "#" + id
	}
	return ""
}

// content returns the text of a shape, or that of what it inherits from, without its marks
// of formats.
func content(e, from *zipxml.Element) string {
	text := e.Get("vs:Text")
	if text == nil {
		text = from.Get("vs:Text")
	}
	var b strings.Builder
	for c := range text.Descendants() {
		if c.Name == "" {
			b.WriteString(c.Text)
		}
	}
	return b.String()
}

// lines returns a text whose lines all end with "\n".
func lines(text string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n").Replace(text)
}

// paragraphs writes a paragraph for each line of a text.
func (d *reader) paragraphs(into *html.Node, text, href string) {
	for line := range strings.SplitSeq(lines(text), "\n") {
		if line = strings.TrimSpace(doctree.Clean(line)); line == "" {
			continue
		}
		p := d.b.Append(into, atom.P)
		if href != "" {
			p = d.b.Append(p, atom.A, "href", href)
		}
		d.b.Text(p, line)
	}
}

// data writes the data of a shape, whose labels may be those of its master.
func (d *reader) data(into *html.Node, e, from *zipxml.Element) {
	var list *html.Node
	for field := range settings(e, from, "Property") {
		value := strings.TrimSpace(doctree.Clean(field.value("Value")))
		if value == "" {
			continue
		}
		hidden := field.value("Invisible") == "1"
		if hidden && d.options.Hidden == doctree.HiddenDropped {
			d.hidden++
			continue
		}
		if list == nil {
			list = d.b.Append(into, atom.Ul)
		}
		item := d.b.Append(list, atom.Li)
		if hidden {
			d.options.Hidden.Mark(item)
		}
		label := cmp.Or(strings.TrimSpace(doctree.Clean(field.value("Label"))), field.name)
		d.b.Text(item, label+": "+value)
	}
}

// foreign reads a picture or a document of another program.
func (d *reader) foreign(ctx context.Context, into *html.Node, s sheet, e *zipxml.Element) {
	data := e.Get("vs:ForeignData")
	if data == nil {
		return
	}
	relation := d.pkg.Relations(ctx, s.part).Get(data.Get("vs:Rel").Attr("r:id"))
	if data.Attr("ForeignType") != "Object" {
		if box := d.metafiles.Read(&d.b, relation); box != nil {
			into.AppendChild(box)
		}
		return
	}
	if figure := d.objects.Read(ctx, &d.b, relation, "", d.options.Nodes-d.b.Count()-d.objects.Made); figure != nil {
		into.AppendChild(figure)
	}
}
