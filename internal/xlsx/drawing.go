// SPDX-License-Identifier: Apache-2.0

package xlsx

import (
	"strings"

	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/ooxml"
	"example.com/curlew/internal/sheet"
	"example.com/curlew/internal/zipxml"
)

// drawing writes the charts, texts and described pictures over a sheet.
func (d *reader) drawing(to *sheet.Sheet, part string) error {
	root, err := d.pkg.XML(d.ctx, part)
	if err := d.tolerate(part, err); err != nil {
		return err
	}
	return d.shapes(to, root, d.pkg.Relations(d.ctx, part))
}

// shapes writes what is in e, a drawing or a part of one.
func (d *reader) shapes(to *sheet.Sheet, e *zipxml.Element, relations ooxml.Relations) error {
	for c := range e.Children() {
		if !d.book.Room() {
			return nil
		}
		var err error
		switch c.Name {
		case "":
		case "mc:AlternateContent":
			err = d.shapes(to, ooxml.Alternative(c), relations)
		case "c:chart", "cx:chart":
			err = d.chart(to, relations.Get(c.Attr("r:id")))
		case "dgm:relIds":
			err = d.diagram(to, relations.Get(c.Attr("r:dm")))
		case "xdr:pic":
			if said := ooxml.Described(c.Get("xdr:nvPicPr", "xdr:cNvPr")); said != (doctree.Description{}) {
				b := &d.book.B
				b.Append(b.Append(to.Node, atom.Figure), atom.Img, said.Attrs()...)
			}
		case "xdr:txBody":
			d.box(to, c)
		default:
			err = d.shapes(to, c, relations) // as deep as the scanner goes
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// part returns the root of what a drawing refers to, nil where it cannot be
// read.
func (d *reader) part(r ooxml.Relation) (*zipxml.Element, error) {
	if r.Target == "" || r.External {
		return nil, nil
	}
	root, err := d.pkg.XML(d.ctx, r.Target)
	return root, d.tolerate(r.Target, err)
}

func (d *reader) chart(to *sheet.Sheet, r ooxml.Relation) error {
	root, err := d.part(r)
	if figure := ooxml.Chart(&d.book.B, root); figure != nil {
		to.Node.AppendChild(figure)
	}
	return err
}

func (d *reader) diagram(to *sheet.Sheet, r ooxml.Relation) error {
	root, err := d.part(r)
	if figure := ooxml.Diagram(&d.book.B, root); figure != nil {
		to.Node.AppendChild(figure)
	}
	return err
}

// box writes the text of a shape.
func (d *reader) box(to *sheet.Sheet, body *zipxml.Element) {
	b := &d.book.B
	aside := b.Element(atom.Aside, "data-role", "textbox")
	for p := range body.All("a:p") {
		var text strings.Builder
		for t := range p.Descendants() {
			switch t.Name {
			case "a:t":
				text.WriteString(t.Content())
			case "a:br":
				text.WriteByte(' ')
			}
		}
		if line := strings.TrimSpace(text.String()); line != "" {
			b.Text(b.Append(aside, atom.P), line)
		}
	}
	if aside.FirstChild != nil {
		to.Node.AppendChild(aside)
	}
}
