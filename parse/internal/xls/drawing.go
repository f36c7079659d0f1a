// SPDX-License-Identifier: Apache-2.0

package xls

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/odraw"
)

const maxGroups = 16 // nested groups of shapes

// textShape is a shape with text. object is its index among the objects of
// the sheet.
type textShape struct {
	text   string
	object int
}

// shape has the properties of a shape in a drawing.
type shape struct {
	alt    string // of a picture
	art    string // text of WordArt
	number int64  // of a picture in the store of the workbook
	hidden bool
}

// drawings writes the shapes over the cells.
func (s *sheetReader) drawings() {
	var d drawing
	d.read(s.drawn, 0, false)
	s.unread += d.unread
	if d.objects != s.objects {
		d.hidden = nil // shapes cannot be matched with objects
	}
	for _, c := range s.charts {
		if !s.book.Room() {
			return
		}
		if d.hidden[c.object] && s.drops() {
			s.veiled++
		} else if figure := c.figure(s.reader); figure != nil {
			s.Node.AppendChild(figure)
		}
	}
	for _, shape := range s.shapes {
		if d.hidden[shape.object] && s.drops() {
			s.veiled++
			continue
		}
		aside := s.book.B.Append(s.Node, atom.Aside, "data-role", "textbox")
		for line := range strings.SplitSeq(shape.text, "\n") {
			if line = strings.TrimSpace(line); line != "" {
				s.book.B.Text(s.book.B.Append(aside, atom.P), line)
			}
		}
	}
	for _, p := range d.pictures {
		switch {
		case !s.book.Room():
			return
		case p.hidden && s.drops():
			s.veiled++
		default:
			if p.art != "" {
				s.book.B.Text(s.book.B.Append(s.book.B.Append(s.Node, atom.Aside, "data-role", "textbox"), atom.P), p.art)
			}
			if p.alt != "" {
				s.book.B.Append(s.book.B.Append(s.Node, atom.Figure), atom.Img, doctree.Describe(p.alt).Attrs()...)
			}
			if box := s.metafile(p.number); box != nil {
				s.Node.AppendChild(box)
			}
		}
	}
}

// metafile returns the text of a picture once, if it is a metafile with text.
func (r *reader) metafile(number int64) *html.Node {
	if number < 1 || number > int64(len(r.store)) || r.texts.Full() {
		return nil
	}
	data := r.store.Metafile(number, nil, r.texts.Left())
	r.store[number-1] = odraw.Record{}
	return r.texts.Text(&r.book.B, data)
}

// drops reports whether hidden shapes are left out.
func (s *sheetReader) drops() bool { return s.book.Hidden == doctree.HiddenDropped }

// drawing has the shapes over a sheet.
type drawing struct {
	objects  int          // number of shapes that are objects of the sheet, in its order
	hidden   map[int]bool // by object
	pictures []shape
	unread   int // shapes and groups beyond the limits of a sheet
}

// read reads shapes. The shapes of a hidden group are hidden too.
func (d *drawing) read(b []byte, depth int, hidden bool) {
	first := true
	for one := range odraw.Records(b) {
		switch {
		case one.Kind == odraw.Shape:
			p := d.shape(one.Data, hidden)
			hidden = hidden || depth > 2 && first && p.hidden // the shape of the group itself
			first = false
			switch {
			case p.alt == "" && p.art == "" && p.number == 0:
			case len(d.pictures) >= maxShapes:
				d.unread++
			default:
				d.pictures = append(d.pictures, p)
			}
		case one.Container && depth >= maxGroups:
			d.unread++
		case one.Container:
			d.read(one.Data, depth+1, hidden)
		}
	}
}

// shape reads one shape.
func (d *drawing) shape(b []byte, hidden bool) (p shape) {
	p.hidden = hidden
	picture, object := false, false
	for one := range odraw.Records(b) {
		switch one.Kind {
		case odraw.ShapeAtom:
			picture = one.Inst == odraw.Picture
		case odraw.ClientData:
			object = true
		case odraw.Options, odraw.Options3:
			for o := range one.Properties() {
				switch o.ID {
				case odraw.Description:
					p.alt = strings.Join(strings.Fields(cfb.UTF16(o.Data)), " ")
				case odraw.WordArt:
					p.art = doctree.Clean(cfb.UTF16(o.Data))
				case odraw.PictureNumber:
					p.number = int64(o.Value)
				case odraw.Flags:
					p.hidden = p.hidden || odraw.Hidden(o.Value)
				}
			}
		}
	}
	if object {
		if p.hidden {
			if d.hidden == nil {
				d.hidden = map[int]bool{}
			}
			d.hidden[d.objects] = true
		}
		d.objects++
	}
	if !picture {
		p.alt, p.number = doctree.Describe(p.alt).Text, 0
	}
	return p
}
