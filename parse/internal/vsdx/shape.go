// SPDX-License-Identifier: Apache-2.0

package vsdx

import (
	"context"
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
	for e := range root.All("vs:Master") {
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
	for c := range e.All("vs:Cell") {
		if c.Attr("N") == name {
			return c.Attr("V")
		}
	}
	return ""
}

// rows returns the rows of a section of e by name.
func rows(e *zipxml.Element, section string) (names []string, all map[string]*zipxml.Element) {
	all = map[string]*zipxml.Element{}
	for s := range e.All("vs:Section") {
		if s.Attr("N") != section {
			continue
		}
		for r := range s.All("vs:Row") {
			name := r.Attr("N") + r.Attr("IX")
			if all[name] == nil {
				names = append(names, name)
			}
			all[name] = r
		}
	}
	return names, all
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
	for inner := range e.Get("vs:Shapes").All("vs:Shape") {
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

// text writes the text of a shape and its links. relation says which shapes a connector
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
	names, links := rows(e, "Hyperlink")
	href := ""
	for i, name := range names {
		link := doctree.Href(cell(links[name], "Address"))
		if i == 0 && strings.TrimSpace(said) != "" {
			href = link
			continue
		}
		if link != "" {
			label := doctree.Clean(cell(links[name], "Description"))
			if label == "" {
				label = link
			}
			d.b.Text(d.b.Append(d.b.Append(into, atom.P), atom.A, "href", link), label)
		}
	}
	d.paragraphs(into, said, href)
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
	names, own := rows(e, "Property")
	inherited, defaults := rows(from, "Property")
	for _, name := range inherited {
		if own[name] == nil {
			names = append(names, name)
		}
	}
	var list *html.Node
	for _, name := range names {
		of := func(key string) string {
			if v := cell(own[name], key); v != "" {
				return v
			}
			return cell(defaults[name], key)
		}
		value := strings.TrimSpace(doctree.Clean(of("Value")))
		if value == "" || of("Invisible") == "1" {
			continue
		}
		if list == nil {
			list = d.b.Append(into, atom.Ul)
		}
		label := strings.TrimSpace(doctree.Clean(of("Label")))
		if label == "" {
			label = name
		}
		d.b.Text(d.b.Append(list, atom.Li), label+": "+value)
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
