// SPDX-License-Identifier: Apache-2.0

package odf

import (
	"context"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
)

// page reads a slide.
func (d *reader) page(ctx context.Context, body *html.Node, e *zipxml.Element) {
	d.slide++
	unseen := false
	if d.styles.get("drawing-page", e.Attr("draw:style-name"), "presentation:visibility") == "hidden" {
		if d.options.Hidden == doctree.HiddenDropped {
			d.doc.Warn("hidden-slide", d.slide, "The slide is hidden and was left out.")
			return
		}
		unseen = true
	}
	d.doc.Meta.Pages++
	if d.masters == nil {
		d.masters = map[string]bool{}
	}
	d.masters[e.Attr("draw:master-page-name")] = true
	n := strconv.Itoa(d.slide)
	section := d.b.Append(body, atom.Section, "id", "slide-"+n, "data-slide", n)
	if unseen {
		d.options.Hidden.Mark(section)
	}
	f := &doctree.Flow{B: &d.b, Into: section}
	var rest, others, feet, comments []*zipxml.Element
	var boxes []doctree.Box
	for c := e.First(); c != nil; c = c.Next() {
		switch class := c.Attr("presentation:class"); {
		case c.Name == "" || c.Attr("presentation:placeholder") == "true":
		case c.Name == "office:forms":
			d.forms(c)
		case class == "title":
			d.slideTitle(ctx, f, c)
		case class == "header" || class == "footer" || class == "date-time" || class == "page-number":
			feet = append(feet, c)
		case c.Name == "office:annotation":
			comments = append(comments, c)
		case strings.HasPrefix(c.Name, "draw:"):
			rest = append(rest, c)
			boxes = append(boxes, boxOf(c, 0))
		default:
			others = append(others, c)
		}
	}
	for _, c := range append(doctree.InOrder(rest, boxes), others...) {
		f.End()
		d.block(ctx, f, c)
	}
	for _, c := range feet {
		role := "running"
		if c.Attr("presentation:class") == "page-number" {
			role = "page-number"
		}
		foot := d.b.Element(atom.Footer, "data-role", role)
		d.block(ctx, &doctree.Flow{B: &d.b, Into: foot}, c)
		if foot.FirstChild != nil {
			f.Node(foot)
		}
	}
	for _, use := range []string{"header", "footer", "date-time"} {
		text := d.declared[use+" "+e.Attr("presentation:use-"+use+"-name")]
		if text == "" || d.styles.get("drawing-page", e.Attr("draw:style-name"), "presentation:display-"+use) == "false" {
			continue
		}
		foot := d.b.Element(atom.Footer, "data-role", "running")
		d.b.Text(d.b.Append(foot, atom.P), text)
		f.Node(foot)
	}
	for _, c := range comments {
		d.block(ctx, f, c)
	}
	d.flush(f)
	if notes := e.Get("presentation:notes"); notes != nil {
		aside := d.b.Element(atom.Aside, "data-role", "notes")
		inner := &doctree.Flow{B: &d.b, Into: aside}
		for c := notes.First(); c != nil; c = c.Next() {
			switch class := c.Attr("presentation:class"); {
			case c.Attr("presentation:placeholder") == "true":
			case class == "notes", class == "" && strings.HasPrefix(c.Name, "draw:"): // the text or a shape beside it
				d.block(ctx, inner, c)
			}
		}
		f.End()
		d.b.SpeakerNotes(section, aside)
	}
	d.b.Untitled(section, d.slide)
}

// declare keeps the text of a header, a footer or a date that slides refer to.
func (d *reader) declare(e *zipxml.Element, use string) {
	if d.declared == nil {
		d.declared = map[string]string{}
	}
	if len(d.declared) < maxMasters {
		d.declared[use+" "+e.Attr("presentation:name")] = strings.Join(strings.Fields(e.Content()), " ")
	}
}

// backdrop puts the text that master pages of slides show besides their placeholders
// at the end of body, as running footers.
func (d *reader) backdrop(ctx context.Context, body *html.Node) {
	var r doctree.Running
	for _, master := range d.styles.masters {
		if !d.masters[master.Attr("style:name")] {
			continue
		}
		for c := master.First(); c != nil; c = c.Next() {
			if !strings.HasPrefix(c.Name, "draw:") || c.Attr("presentation:class") != "" {
				continue
			}
			n := r.Begin(&d.b, atom.Footer)
			d.block(ctx, &doctree.Flow{B: &d.b, Into: n}, c)
			r.AddText(n)
		}
	}
	r.Write(body)
}

// boxOf returns the box of a shape in points, or the zero box if it is
// unknown.
func boxOf(e *zipxml.Element, depth int) (b doctree.Box) {
	if e.Name == "draw:g" && depth < maxNesting {
		for c := e.First(); c != nil; c = c.Next() {
			if inner := boxOf(c, depth+1); !inner.IsZero() {
				b = b.Union(inner)
			}
		}
		return b
	}
	var at [4]float64
	keys := [...]string{"svg:x", "svg:y", "svg:width", "svg:height"}
	if _, line := e.Lookup("svg:x1"); line {
		keys = [...]string{"svg:x1", "svg:y1", "svg:x2", "svg:y2"}
	}
	for i, key := range keys {
		v, ok := points(e.Attr(key))
		if !ok {
			return doctree.Box{}
		}
		at[i] = v
	}
	if keys[2] == "svg:x2" {
		return doctree.Box{X0: min(at[0], at[2]), Y0: min(at[1], at[3]), X1: max(at[0], at[2]) + 1, Y1: max(at[1], at[3]) + 1}
	}
	return doctree.Box{X0: at[0], Y0: at[1], X1: at[0] + max(at[2], 1), Y1: at[1] + max(at[3], 1)}
}

// units are the units of length in points (ODF 1.3 part 3, 18.3.18).
var units = map[string]float64{"pt": 1, "in": 72, "cm": 72 / 2.54, "mm": 72 / 25.4, "pc": 12, "px": .75}

// points parses a length.
func points(length string) (float64, bool) {
	n := len(length) - 2
	if n < 1 || units[length[n:]] == 0 {
		return 0, false
	}
	v, err := strconv.ParseFloat(length[:n], 64)
	return v * units[length[n:]], err == nil
}

// slideTitle writes a title as a heading.
func (d *reader) slideTitle(ctx context.Context, f *doctree.Flow, e *zipxml.Element) {
	in := inline{d: d}
	for p := range e.Descendants() {
		if p.Name == "text:p" || p.Name == "text:h" {
			if !in.line.Empty() {
				in.line.Text(" ", doctree.Style{})
			}
			in.children(ctx, p, doctree.Style{})
		}
	}
	if in.line.Blank() {
		return
	}
	in.line.Restyle(func(s *doctree.Style) { s.Bold = false })
	in.line.Write(&d.b, f.Append(atom.H2, "id", d.ids.Make(in.line.Content())))
	in.after(f)
}
