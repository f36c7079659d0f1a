// SPDX-License-Identifier: Apache-2.0

package xlsx

import (
	"cmp"
	"strings"

	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/ooxml"
	"example.com/curlew/parse/internal/sheet"
)

// drawing writes the charts, texts and described pictures of a sheet, and the texts of
// metafiles.
func (d *reader) drawing(to *sheet.Sheet, part string) error {
	root, err := d.pkg.XML(d.ctx, part)
	if err := d.tolerate(part, err); err != nil {
		return err
	}
	return d.shapes(to, root, d.pkg.Relations(d.ctx, part))
}

// shapes writes the shapes in e, which is a drawing or part of one.
func (d *reader) shapes(to *sheet.Sheet, e *zipxml.Element, relations ooxml.Relations) error {
	for c := e.First(); c != nil; c = c.Next() {
		if !d.book.Room() {
			return nil
		}
		var err error
		switch c.Name {
		case "":
		case "xdr:sp", "xdr:pic", "xdr:graphicFrame", "xdr:grpSp", "xdr:cxnSp":
			err = d.shape(to, c, relations)
		case "mc:AlternateContent":
			err = d.shapes(to, ooxml.Alternative(c), relations)
		case "c:chart", "cx:chart":
			err = d.chart(to, relations.Get(c.Attr("r:id")))
		case "dgm:relIds":
			err = d.diagram(to, relations, c.Attr("r:dm"))
		default:
			if ooxml.IsInk(c) {
				d.figure(to, d.objects.Ink(d.ctx, relations.Get(c.Attr("r:id"))), "")
				continue
			}
			err = d.shapes(to, c, relations) // the XML scanner bounds the depth
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// shape writes one shape, or the content of a group or frame, unless it is
// hidden.
func (d *reader) shape(to *sheet.Sheet, e *zipxml.Element, relations ooxml.Relations) error {
	properties := propertiesOf(e)
	if hidden(properties) && d.options.Hidden == doctree.HiddenDropped {
		d.hidden++
		return nil
	}
	if said := ooxml.Described(properties); said.Text != "" && e.Name != "xdr:pic" {
		d.figure(to, said, clicked(properties, relations))
	}
	switch e.Name {
	case "xdr:pic":
		d.picture(to, properties, relations)
		if box := d.metafiles.Read(&d.book.B, relations.Get(e.Get("xdr:blipFill", "a:blip").Attr("r:embed"))); box != nil {
			to.Node.AppendChild(box)
		}
	case "xdr:sp":
		d.box(to, e, properties, relations)
	default:
		return d.shapes(to, e, relations)
	}
	return nil
}

// propertiesOf returns the properties of a shape with its name, description
// and visibility. Their parent's name depends on the kind of shape: nvSpPr,
// nvPicPr, nvGraphicFramePr and so on.
func propertiesOf(e *zipxml.Element) *zipxml.Element {
	for c := e.First(); c != nil; c = c.Next() {
		if p := c.Get("xdr:cNvPr"); p != nil {
			return p
		}
	}
	return nil
}

// hidden reports whether a shape is hidden. Excel also marks the copy of a
// form control (a button, a check box) with a14:compatExt as hidden
// ([MS-ODRAWXML] CT_CompatExt), although the control itself is visible.
func hidden(properties *zipxml.Element) bool {
	return ooxml.Bool(properties.Attr("hidden"), false) && properties.Find("a14:compatExt") == nil
}

// part returns the root of a part that a drawing refers to, or nil if it
// cannot be read.
func (d *reader) part(r ooxml.Relation) (*zipxml.Element, error) {
	if r.Target == "" || r.External {
		return nil, nil
	}
	root, err := d.pkg.XML(d.ctx, r.Target)
	return root, d.tolerate(r.Target, err)
}

func (d *reader) chart(to *sheet.Sheet, r ooxml.Relation) error {
	root, err := d.part(r)
	if figure := d.charts.Read(&d.book.B, root); figure != nil {
		to.Node.AppendChild(figure)
	}
	return err
}

func (d *reader) diagram(to *sheet.Sheet, relations ooxml.Relations, id string) error {
	var fault error
	part := func(id string) *zipxml.Element {
		root, err := d.part(relations.Get(id))
		if err != nil {
			fault = err
		}
		return root
	}
	if figure := ooxml.Diagram(&d.book.B, part(id), part); figure != nil {
		to.Node.AppendChild(figure)
	}
	return fault
}

// picture writes a picture if it has a description.
func (d *reader) picture(to *sheet.Sheet, properties *zipxml.Element, relations ooxml.Relations) {
	d.figure(to, ooxml.Described(properties), clicked(properties, relations))
}

func (d *reader) figure(to *sheet.Sheet, said doctree.Description, href string) {
	if said == (doctree.Description{}) {
		return
	}
	b := &d.book.B
	into := b.Append(to.Node, atom.Figure)
	if href != "" {
		into = b.Append(into, atom.A, "href", href)
	}
	b.Append(into, atom.Img, said.Attrs()...)
}

// clicked returns the link of a shape or run.
func clicked(properties *zipxml.Element, relations ooxml.Relations) string {
	return href(relations.Get(properties.Get("a:hlinkClick").Attr("r:id")), "")
}

// box writes the text of a shape.
func (d *reader) box(to *sheet.Sheet, e, properties *zipxml.Element, relations ooxml.Relations) {
	b := &d.book.B
	whole := clicked(properties, relations)
	aside := b.Element(atom.Aside, "data-role", "textbox")
	for p := e.Get("xdr:txBody").Named("a:p"); p != nil; p = p.Same() {
		var line doctree.Line
		for r := p.First(); r != nil; r = r.Next() {
			switch r.Name {
			case "a:r", "a:fld":
				line.Text(r.Get("a:t").Content(), doctree.Style{Href: cmp.Or(clicked(r.Get("a:rPr"), relations), whole)})
			case "a:br":
				line.Text("\n", doctree.Style{})
			}
		}
		if !line.Blank() {
			line.Write(b, b.Append(aside, atom.P))
		}
	}
	if aside.FirstChild != nil {
		to.Node.AppendChild(aside)
		if id := properties.Find("a14:compatExt").Attr("spid"); id != "" {
			d.drawn[id] = true
		}
	}
}

// labels writes the labels of buttons and other controls in a drawing in VML, unless the
// newer drawing of the sheet has them. Notes are read from a part of their own.
func (d *reader) labels(to *sheet.Sheet, part string) error {
	var id string
	var label []byte
	return d.each(part, func(s *scanner, name string) (err error) {
		switch name {
		case "shape":
			id, label = s.value("id"), nil
		case "textbox":
			label, err = s.content(nil)
		case "ClientData":
			if text := strings.Join(strings.Fields(string(label)), " "); text != "" && s.value("ObjectType") != "Note" && !d.drawn[id] && d.book.Room() {
				b := &d.book.B
				b.Text(b.Append(b.Append(to.Node, atom.Aside, "data-role", "textbox"), atom.P), doctree.Clean(text))
			}
		}
		return err
	})
}
