// SPDX-License-Identifier: Apache-2.0

package pptx

import (
	"context"

	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/ooxml"
)

// slide is the state for reading one slide.
type slide struct {
	d              *reader
	relations      ooxml.Relations
	layout, master *zipxml.Element
	number         int
	flow           *doctree.Flow
	shapes         []shape
	counts         []counter
	side           doctree.Side // alignment of the current cell
	preview        bool         // the current picture shows an embedded object
	link           string       // link of the current shape, for its text without a link
}

// shape is an object on a slide. Its box is in English Metric Units (914,400
// per inch).
type shape struct {
	e      *zipxml.Element
	holder *zipxml.Element // p:ph, or nil if the shape is not a placeholder
	box    box
	known  bool              // box is known
	groups []*zipxml.Element // properties of the groups that begin with it, inside out
}

type box struct{ x, y, w, h float64 }

// place transforms coordinates of a group to those of the slide.
type place struct{ x, y, sx, sy float64 }

func (p place) of(b box) box {
	return box{p.x + b.x*p.sx, p.y + b.y*p.sy, b.w * p.sx, b.h * p.sy}
}

// read reads the shapes of a slide: its title, then other shapes, then the
// footer placeholders.
func (s *slide) read(ctx context.Context, root *zipxml.Element) {
	s.gather(root.Get("p:cSld", "p:spTree"), place{sx: 1, sy: 1}, 0)
	var titles, rest, feet []shape
	for _, sh := range s.shapes {
		switch sh.holder.Attr("type") {
		case "title", "ctrTitle":
			titles = append(titles, sh)
		case "ftr", "dt", "sldNum", "hdr":
			feet = append(feet, sh)
		default:
			rest = append(rest, sh)
		}
	}
	for _, sh := range titles {
		s.title(sh)
	}
	boxes := make([]doctree.Box, len(rest))
	for i, sh := range rest {
		if sh.known {
			boxes[i] = doctree.Box{X0: sh.box.x, Y0: sh.box.y, X1: sh.box.x + max(sh.box.w, 1), Y1: sh.box.y + max(sh.box.h, 1)}
		}
	}
	for _, sh := range doctree.InOrder(rest, boxes) {
		if !s.d.room() {
			s.d.cut.Others++
			s.d.leave(sh.e)
			continue
		}
		s.flow.End()
		s.shape(ctx, sh)
	}
	for _, sh := range feet {
		role := "running"
		if sh.holder.Attr("type") == "sldNum" {
			role = "page-number"
		}
		foot := s.d.b.Element(atom.Footer, "data-role", role)
		inner := *s
		inner.flow = &doctree.Flow{B: &s.d.b, Into: foot}
		inner.text(ctx, sh.e.Get("p:txBody"), styles{})
		if foot.FirstChild != nil {
			s.flow.Node(foot)
		}
	}
}

// gather collects the shapes in a shape tree or group.
func (s *slide) gather(e *zipxml.Element, at place, depth int) {
	if depth > maxGroups {
		s.d.leaveDeep(e)
		return
	}
	for c := e.First(); c != nil; c = c.Next() {
		properties := nonVisual(c)
		if s.d.options.Hidden == doctree.HiddenDropped && ooxml.Bool(properties.Get("p:cNvPr").Attr("hidden"), false) {
			s.d.hidden++
			continue
		}
		switch c.Name {
		case "p:sp", "p:pic", "p:graphicFrame", "p:cxnSp":
			sh := shape{e: c, holder: properties.Get("p:nvPr", "p:ph")}
			sh.box, sh.known = s.where(sh)
			sh.box = at.of(sh.box)
			s.shapes = append(s.shapes, sh)
		case "p:grpSp":
			first := len(s.shapes)
			s.gather(c, grouped(c.Get("p:grpSpPr", "a:xfrm"), at), depth+1)
			if len(s.shapes) > first {
				s.shapes[first].groups = append(s.shapes[first].groups, properties.Get("p:cNvPr"))
			}
		case "mc:AlternateContent":
			s.gather(ooxml.Alternative(c), at, depth+1)
		default:
			if ooxml.IsInk(c) {
				sh := shape{e: c}
				sh.box, sh.known = s.where(sh)
				sh.box = at.of(sh.box)
				s.shapes = append(s.shapes, sh)
			}
		}
	}
}

// nonVisual returns the non-visual properties of a shape.
func nonVisual(e *zipxml.Element) *zipxml.Element {
	for c := e.First(); c != nil; c = c.Next() {
		switch c.Name {
		case "p:nvSpPr", "p:nvPicPr", "p:nvGraphicFramePr", "p:nvGrpSpPr", "p:nvCxnSpPr":
			return c
		}
	}
	return nil
}

// grouped returns the transformation for the content of a group.
func grouped(xfrm *zipxml.Element, at place) place {
	outer, known := frame(xfrm)
	inner := box{
		float64(xfrm.Get("a:chOff").Int("x", 0)), float64(xfrm.Get("a:chOff").Int("y", 0)),
		float64(xfrm.Get("a:chExt").Int("cx", 0)), float64(xfrm.Get("a:chExt").Int("cy", 0)),
	}
	if !known || inner.w <= 0 || inner.h <= 0 {
		return at
	}
	sx, sy := outer.w/inner.w, outer.h/inner.h
	return place{
		x: at.x + (outer.x-inner.x*sx)*at.sx, y: at.y + (outer.y-inner.y*sy)*at.sy,
		sx: at.sx * sx, sy: at.sy * sy,
	}
}

// frame reads a transform. It returns false if there is none.
func frame(xfrm *zipxml.Element) (box, bool) {
	off, ext := xfrm.Get("a:off"), xfrm.Get("a:ext")
	if off == nil || ext == nil {
		return box{}, false
	}
	return box{float64(off.Int("x", 0)), float64(off.Int("y", 0)), float64(ext.Int("cx", 0)), float64(ext.Int("cy", 0))}, true
}

// where returns the box of a shape, or that of its placeholder on the layout
// or master if the shape has none.
func (s *slide) where(sh shape) (box, bool) {
	for _, xfrm := range []*zipxml.Element{
		sh.e.Get("p:spPr", "a:xfrm"), sh.e.Get("p:xfrm"), sh.e.Get("p14:xfrm"),
		s.model(s.layout, sh.holder).Get("p:spPr", "a:xfrm"), s.model(s.master, sh.holder).Get("p:spPr", "a:xfrm"),
	} {
		if b, ok := frame(xfrm); ok {
			return b, true
		}
	}
	return box{}, false
}

// model returns the placeholder of a layout or master that holder inherits
// from: the one with the same index, otherwise the one of the same type. It
// returns nil if there is none.
func (s *slide) model(of, holder *zipxml.Element) *zipxml.Element {
	if holder == nil || of == nil {
		return nil
	}
	m, ok := s.d.models[of]
	if !ok {
		m = modelsOf(of)
		s.d.models[of] = m
	}
	if idx := holder.Attr("idx"); of == s.layout && idx != "" && m.byIndex[idx] != nil {
		return m.byIndex[idx]
	}
	return m.byKind[kindOf(holder)]
}

// models are the placeholders of a layout or master, the first for each
// index and for each type.
type models struct{ byIndex, byKind map[string]*zipxml.Element }

func modelsOf(of *zipxml.Element) models {
	m := models{map[string]*zipxml.Element{}, map[string]*zipxml.Element{}}
	for c := of.Get("p:cSld", "p:spTree").First(); c != nil; c = c.Next() {
		ph := nonVisual(c).Get("p:nvPr", "p:ph")
		if ph == nil {
			continue
		}
		if idx := ph.Attr("idx"); m.byIndex[idx] == nil {
			m.byIndex[idx] = c
		}
		if kind := kindOf(ph); m.byKind[kind] == nil {
			m.byKind[kind] = c
		}
	}
	return m
}

// kindOf returns the type of a placeholder in the terms of masters.
func kindOf(ph *zipxml.Element) string {
	switch kind := ph.Attr("type"); kind {
	case "ctrTitle":
		return "title"
	case "", "subTitle", "obj", "body", "tbl", "chart", "dgm", "media", "clipArt", "pic":
		return "body"
	default:
		return kind
	}
}

// title writes a title as a heading, of level 1 on a title slide.
func (s *slide) title(sh shape) {
	var line doctree.Line
	for p := sh.e.Get("p:txBody").Named("a:p"); p != nil; p = p.Same() {
		if !line.Empty() {
			line.Text(" ", doctree.Style{})
		}
		s.runs(&line, p)
	}
	if line.Blank() {
		return
	}
	level := atom.H2
	if sh.holder.Attr("type") == "ctrTitle" || s.layout.Attr("type") == "title" {
		level = atom.H1
	}
	if line.Every(func(s doctree.Style) bool { return s.Bold }) {
		line.Restyle(func(s *doctree.Style) { s.Bold = false })
	}
	line.Restyle(func(s *doctree.Style) { s.Underline, s.Code = false, false })
	line.Write(&s.d.b, s.flow.Append(level, "id", s.d.ids.Make(line.Content())))
}

// shape reads one shape into blocks.
func (s *slide) shape(ctx context.Context, sh shape) {
	properties := nonVisual(sh.e).Get("p:cNvPr")
	for i, of := range append(sh.groups, properties) {
		if said := ooxml.Described(of); said.Text != "" && (i < len(sh.groups) || sh.e.Name != "p:pic") {
			s.image(of, said.Attrs())
			s.flow.End()
		}
	}
	switch sh.e.Name {
	case "p:sp", "p:cxnSp":
		if body := sh.e.Get("p:txBody"); body != nil {
			s.link = s.href(properties.Get("a:hlinkClick"))
			s.text(ctx, body, s.styles(sh))
			s.link = ""
		}
	case "p:pic":
		s.picture(sh.e)
	case "p:graphicFrame":
		s.graphic(ctx, sh)
	default:
		said := ooxml.Described(sh.e.Get("p14:nvContentPartPr", "p14:cNvPr"))
		s.image(nil, said.Or(s.d.objects.Ink(ctx, s.relations.Get(sh.e.Attr("r:id")))).Attrs())
	}
}

// picture adds an image to the slide.
func (s *slide) picture(e *zipxml.Element) {
	attrs := ooxml.Described(e.Get("p:nvPicPr", "p:cNvPr")).Attrs()
	if src := s.relations.Get(e.Get("p:blipFill", "a:blip").Attr("r:link")).Source(); src != "" {
		attrs = append(attrs, "src", src)
	}
	s.image(e.Get("p:nvPicPr", "p:cNvPr"), attrs)
	if !s.preview {
		s.metafile(e)
	}
}

// metafile adds the text of a picture that is a metafile.
func (s *slide) metafile(e *zipxml.Element) {
	if box := s.d.metafiles.Read(&s.d.b, s.relations.Get(e.Get("p:blipFill", "a:blip").Attr("r:embed"))); box != nil {
		s.flow.Node(box)
	}
}

// image writes an image with attributes and the link of its shape.
func (s *slide) image(properties *zipxml.Element, attrs []string) {
	into := s.flow.Append(atom.P)
	if href := s.href(properties.Get("a:hlinkClick")); href != "" {
		into = s.d.b.Append(into, atom.A, "href", href)
	}
	s.d.b.Append(into, atom.Img, attrs...)
}

// object reads an embedded document of another program.
func (s *slide) object(ctx context.Context, r ooxml.Relation, program string) {
	d := s.d
	if figure := d.objects.Read(ctx, &d.b, r, program, d.options.Nodes-d.b.Count()-d.objects.Made); figure != nil {
		s.flow.Node(figure)
	}
}

// graphic reads a table, a chart, a diagram or the picture of an object.
func (s *slide) graphic(ctx context.Context, sh shape) {
	data := sh.e.Get("a:graphic", "a:graphicData")
	s.graphicData(ctx, data, 0)
}

func (s *slide) graphicData(ctx context.Context, data *zipxml.Element, depth int) {
	if depth > maxData {
		s.d.leaveDeep(data)
		return
	}
	for c := data.First(); c != nil; c = c.Next() {
		switch c.Name {
		case "a:tbl":
			s.table(ctx, c)
		case "c:chart", "cx:chart":
			if figure := s.d.charts.Read(&s.d.b, s.d.part(ctx, s.relations.Get(c.Attr("r:id")).Target)); figure != nil {
				s.flow.Node(figure)
			}
		case "dgm:relIds":
			part := func(id string) *zipxml.Element { return s.d.part(ctx, s.relations.Get(id).Target) }
			if figure := ooxml.Diagram(&s.d.b, part(c.Attr("r:dm")), part); figure != nil {
				s.flow.Node(figure)
			}
		case "p:pic":
			s.picture(c)
		case "mc:AlternateContent":
			s.graphicData(ctx, ooxml.Alternative(c), depth+1)
		case "p:oleObj":
			s.preview = true
			s.graphicData(ctx, c, depth+1)
			s.preview = false
			unread, made := s.d.objects.Unread(), s.d.objects.Made
			s.object(ctx, s.relations.Get(c.Attr("r:id")), c.Attr("progId"))
			if pic := c.Find("p:pic"); pic != nil && (made == s.d.objects.Made || unread != s.d.objects.Unread()) {
				s.metafile(pic) // it shows what could not be read
			}
		case "p:embed":
			s.graphicData(ctx, c, depth+1)
		}
	}
}
