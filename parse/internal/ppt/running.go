// SPDX-License-Identifier: Apache-2.0

package ppt

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/cfb"
)

// furniture is the date, the header and the footer of slides or notes.
type furniture struct{ date, header, footer string }

// Instances of the records of headers and footers ([MS-PPT] 2.4.15.1, 2.4.15.6, 2.5.16).
const (
	ofOneSlide  = 0
	ofAllSlides = 3
	ofNotes     = 4
)

// Flags of headers and footers ([MS-PPT] 2.4.15.2).
const (
	hasDate     = 1 << 0
	hasUserDate = 1 << 2 // the date is a text, not that of today
	hasHeader   = 1 << 4
	hasFooter   = 1 << 5
)

// furniture reads the headers and footers in b. It returns false if there are none.
func (r *reader) furniture(b []byte, instance int) (f furniture, ok bool) {
	for one := range r.records(b) {
		if one.kind != rHeadersFooters || one.inst != instance {
			continue
		}
		flags, texts := 0, [3]string{}
		for c := range r.records(one.data) {
			switch {
			case c.kind == rHeadersFootersAtom:
				flags = u16(c.data, 2)
			case c.kind == rCString && c.inst < len(texts):
				texts[c.inst] = cfb.UTF16(c.data)
			}
		}
		if flags&(hasDate|hasUserDate) == hasDate|hasUserDate {
			f.date = texts[0]
		}
		if flags&hasHeader != 0 {
			f.header = texts[1]
		}
		if flags&hasFooter != 0 {
			f.footer = texts[2]
		}
		return f, true
	}
	return f, false
}

// feet adds the date and the footer of the presentation to a slide, unless the slide
// has shapes with texts of its own for them.
func (d *drawing) feet(section *html.Node, slide []byte) {
	f, ok := d.furniture(slide, ofOneSlide)
	if !ok {
		f = d.allSlides
	}
	for _, s := range d.shapes {
		switch own := s.said(); {
		case own && s.role == roleDate:
			f.date = ""
		case own && s.role == roleFooter:
			f.footer = ""
		}
	}
	for _, text := range []string{f.date, f.footer} {
		if text = doctree.Clean(text); text != "" {
			d.b.Text(d.b.Append(d.b.Append(section, atom.Footer, "data-role", "running"), atom.P), text)
		}
	}
}

// said reports whether a shape has a text of its own. A star stands for the date,
// header, footer or number of the presentation.
func (s *shape) said() bool {
	for _, t := range s.texts {
		if text := t.trimmed(); text != "" && text != "*" {
			return true
		}
	}
	return false
}

// notesFeet keeps the header, the date and the footer of the notes.
func (r *reader) notesFeet() {
	for _, text := range []string{r.allNotes.header, r.allNotes.date, r.allNotes.footer} {
		n := r.running.Begin(&r.b, atom.Footer)
		r.b.Text(r.b.Append(n, atom.P), doctree.Clean(text))
		r.running.AddText(n)
	}
}

// backdrop keeps the text that a master shows on its slides besides its placeholders.
// Each master is read once.
func (r *reader) backdrop(id int64) {
	at := r.masterPlaces[id]
	one, ok := recordAt(r.stream, at)
	if r.backdrops[id] || !ok || at == 0 || one.kind != rMainMaster && one.kind != rSlide {
		return
	}
	if r.backdrops == nil {
		r.backdrops = map[int64]bool{}
	}
	r.backdrops[id] = true
	d := &drawing{reader: r, used: map[int64]bool{}, bullets: &bullets{}}
	d.read(r.first(one.data, rDrawing).data)
	n := r.running.Begin(&r.b, atom.Footer)
	flow := &doctree.Flow{B: &r.b, Into: n}
	for i := range d.shapes {
		switch s := &d.shapes[i]; {
		case s.table != nil:
			d.table(flow, s.table)
		case s.role == roleNone:
			d.texts(flow, s)
		}
	}
	flow.End()
	r.running.AddText(n)
}
