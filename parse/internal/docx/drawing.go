// SPDX-License-Identifier: Apache-2.0

package docx

import (
	"context"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/embedded"
	"example.com/curlew/parse/internal/ooxml"
)

// drawing reads a w:drawing, w:pict or w:object. Pictures become part of the
// line. Text boxes, charts and diagrams follow the paragraph.
func (in *inline) drawing(ctx context.Context, e *zipxml.Element, s doctree.Style) {
	var said doctree.Description
	for c := e.First(); c != nil; c = c.Next() {
		if c.Name == "wp:inline" || c.Name == "wp:anchor" {
			properties := c.Get("wp:docPr")
			if ooxml.Bool(properties.Attr("hidden"), false) {
				if in.d.options.Hidden == doctree.HiddenDropped {
					in.d.hidden++
					return
				}
				s = in.d.options.Hidden.Style(s)
			}
			said = ooxml.Described(properties)
			if r := in.d.relation(ctx, properties.Get("a:hlinkClick").Attr("r:id")); r.External {
				s.Href = doctree.Href(r.Target)
			}
		}
	}
	if e.Name == "w:object" {
		in.object(ctx, e, said, s)
		return
	}
	shown := in.shown
	in.shapes(ctx, e, said, s)
	in.describe(shown, said, s)
}

// describe adds the description of a chart, a group or another drawing that has added
// no picture to those that were shown before.
func (in *inline) describe(shown int, said doctree.Description, s doctree.Style) {
	if said.Text != "" && in.shown == shown {
		in.line.Picture(&in.d.b, said, s.Href)
	}
}

// shapes reads the shapes in e. said is the description of the surrounding
// element.
func (in *inline) shapes(ctx context.Context, e *zipxml.Element, said doctree.Description, s doctree.Style) {
	if in.depth >= maxNesting {
		in.d.leaveDeep(e)
		return
	}
	if !in.d.room() {
		in.d.cut.Others++
		in.d.leave(e)
		return
	}
	in.depth++
	defer func() { in.depth-- }()
	for c := e.First(); c != nil; c = c.Next() {
		switch c.Name {
		case "":
		case "mc:AlternateContent":
			in.shapes(ctx, ooxml.Alternative(c), said, s)
		case "pic:pic":
			in.shapes(ctx, c, ooxml.Described(c.Get("pic:nvPicPr", "pic:cNvPr")).Or(said), s)
		case "a:blip":
			in.picture(ctx, c.Attr("r:embed"), c.Attr("r:link"), said, s)
		case "v:imagedata":
			in.picture(ctx, c.Attr("r:id"), "", said.Or(doctree.Describe(c.Attr("o:title"))), s)
		case "v:shape", "v:rect", "v:roundrect", "v:oval", "v:line", "v:group":
			in.vml(ctx, c, said, s)
		case "v:textpath":
			in.line.Text(strings.Join(strings.Fields(c.Attr("string")), " "), s)
		case "v:textbox":
			if c.Find("w:txbxContent") == nil { // the label of a control is in elements of HTML
				in.line.Text(strings.Join(strings.Fields(c.Content()), " "), s)
				continue
			}
			in.shapes(ctx, c, said, s)
		case "o:ink":
			in.d.objects.Fail("ink")
		case "w:control":
			in.d.objects.Fail(c.Attr("w:name"))
		case "o:OLEObject":
			in.embedded(ctx, in.d.relation(ctx, c.Attr("r:id")), c.Attr("ProgID"))
		case "w:txbxContent":
			in.textBox(ctx, c)
		case "c:chart", "cx:chart":
			in.chart(ctx, c.Attr("r:id"))
		case "dgm:relIds":
			in.diagram(ctx, c.Attr("r:dm"))
		default:
			if ooxml.IsInk(c) {
				in.ink(ctx, c, said, s)
				continue
			}
			in.shapes(ctx, c, said, s)
		}
	}
}

// embedded reads an embedded document of another program.
func (in *inline) embedded(ctx context.Context, r ooxml.Relation, program string) {
	d := in.d
	left := d.options.Nodes - d.b.Count() - d.foreign - d.objects.Made
	figure := d.objects.Read(ctx, &d.b, r, program, left)
	if figure == nil {
		return
	}
	if formula := embedded.Formula(figure); formula != nil {
		in.line.Node(formula, in.change)
		return
	}
	in.aside = append(in.aside, figure)
}

// vml reads a shape in VML, the older drawing language.
func (in *inline) vml(ctx context.Context, e *zipxml.Element, said doctree.Description, s doctree.Style) {
	if href := doctree.Href(e.Attr("href")); href != "" {
		s.Href = href
	}
	if ooxml.Bool(e.Attr("o:hr"), false) {
		in.aside = append(in.aside, in.d.b.Element(atom.Hr))
		return
	}
	shown, blocks, own := in.shown, len(in.aside), doctree.Describe(e.Attr("alt"))
	in.shapes(ctx, e, own.Or(said), s)
	if len(in.aside) == blocks { // Word describes a text box by its text
		in.describe(shown, own, s)
	}
}

// picture adds an image to the line. It does not read embedded images. It
// keeps the URL of an external image.
func (in *inline) picture(ctx context.Context, embedded, linked string, said doctree.Description, s doctree.Style) {
	r := in.d.relation(ctx, linked)
	if embedded != "" {
		if e := in.d.relation(ctx, embedded); e.Target != "" {
			r = e
		}
	}
	in.shown++
	img := in.line.Picture(&in.d.b, said, s.Href)
	if src := r.Source(); src != "" {
		img.Attr = append(img.Attr, html.Attribute{Key: "src", Val: src})
	}
	if in.d.previews != nil {
		in.d.previews = append(in.d.previews, r)
		return
	}
	in.metafile(r)
}

// ink adds an image that stands for strokes of a pen.
func (in *inline) ink(ctx context.Context, e *zipxml.Element, said doctree.Description, s doctree.Style) {
	in.shown++
	said = said.Or(in.d.objects.Ink(ctx, in.d.relation(ctx, e.Attr("r:id"))))
	in.line.Picture(&in.d.b, said, s.Href)
}

// metafile adds the text of a picture that is a metafile.
func (in *inline) metafile(r ooxml.Relation) {
	if box := in.d.metafiles.Read(&in.d.b, r); box != nil {
		in.aside = append(in.aside, box)
	}
}

// object reads the pictures and the document of a w:object. The pictures show
// the document, so their text is written only if the document is not read.
func (in *inline) object(ctx context.Context, e *zipxml.Element, said doctree.Description, s doctree.Style) {
	d := in.d
	outer, unread, made := d.previews, d.objects.Unread(), d.objects.Made
	d.previews = []ooxml.Relation{}
	in.shapes(ctx, e, said, s)
	previews := d.previews
	d.previews = outer
	if made != d.objects.Made && unread == d.objects.Unread() {
		return
	}
	for _, r := range previews {
		in.metafile(r)
	}
}

// textBox reads the blocks of a text box.
func (in *inline) textBox(ctx context.Context, e *zipxml.Element) {
	d := in.d
	box := d.b.Element(atom.Aside, "data-role", "textbox")
	fields, carried := d.fields, d.carried
	d.fields, d.carried = nil, nil
	f := &doctree.Flow{B: &d.b, Into: box}
	d.boxes++
	d.blocks(ctx, f, e)
	d.flush(f)
	d.boxes--
	d.fields, d.carried = fields, carried
	if box.FirstChild != nil {
		in.aside = append(in.aside, box)
	}
}

func (in *inline) chart(ctx context.Context, id string) {
	if figure := in.d.charts.Read(&in.d.b, in.d.xml(ctx, in.d.relation(ctx, id).Target)); figure != nil {
		in.aside = append(in.aside, figure)
	}
}

// diagram lists the texts of a SmartArt diagram.
func (in *inline) diagram(ctx context.Context, id string) {
	part := func(id string) *zipxml.Element { return in.d.xml(ctx, in.d.relation(ctx, id).Target) }
	if figure := ooxml.Diagram(&in.d.b, part(id), part); figure != nil {
		in.aside = append(in.aside, figure)
	}
}
