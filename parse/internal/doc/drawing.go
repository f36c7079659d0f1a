// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/odraw"
)

const (
	maxShapes  = 100_000
	wordsOfOne = 64      // bytes of alternative text that cost as much as a picture
	maxGroups  = 16      // nested groups
	maxInline  = 8 << 10 // bytes of the description of an inline picture
)

// drawn is a shape or a group that is anchored in the text.
type drawn struct {
	marks []mark
	art   string  // text of WordArt
	parts []int64 // IDs of the shape and of the members of its group
}

// mark is what shows of a shape besides its text.
type mark struct {
	picture bool
	number  int64 // of the picture in the store of the document
	said    doctree.Description
}

// drawings finds the shapes, their anchors and their texts.
func (r *reader) drawings() {
	r.anchors, r.shapes, r.boxes = map[int]int64{}, map[int64]drawn{}, map[int64]span{}
	if r.old {
		// Where text boxes of Word 6 and 95 are anchored is not read.
		if from := r.start(6); r.counts[6] > 0 {
			r.boxes[0] = span{from: from, to: from + r.counts[6]}
			r.loose = append(r.loose, 0)
		}
		return
	}
	at, data := plc(r.part(fibAnchors), 26)
	for i, d := range data {
		r.anchors[at[i]] = u32(d, 0)
	}
	r.readShapes(r.part(fibDrawings))
	at, data = plc(r.part(fibHeaderAnchors), 26)
	for i, d := range data {
		r.anchors[r.start(2)+at[i]] = u32(d, 0)
	}
	r.loose = r.texts(fibBoxes, 6)
	r.looseHeads = r.texts(fibHeaderBoxes, 7)
}

// texts finds the texts of shapes, which are part n of the text. It returns the IDs of
// the shapes.
func (r *reader) texts(boxes, n int) (ids []int64) {
	at, data := plc(r.part(boxes), 22)
	from := r.start(n)
	for i, d := range data {
		s := span{from: from + at[i], to: from + min(at[i+1], r.counts[n])}
		id := u32(d, 14)
		if _, again := r.boxes[id]; again {
			id = -1 - int64(i+from) // a chain of linked text boxes: the others have no anchor
		}
		if s.to > s.from {
			r.boxes[id] = s
			ids = append(ids, id)
		}
	}
	return ids
}

// readShapes reads the drawings of the text ([MS-DOC] 2.9.172).
func (r *reader) readShapes(b []byte) {
	head, ok := odraw.At(b, 0)
	if !ok {
		return
	}
	r.store = odraw.ReadStore(head.Data)
	for b = b[8+len(head.Data):]; len(b) > 9; {
		one, ok := odraw.At(b[1:], 0) // after a byte that says whether it is in the headers
		if !ok {
			return
		}
		b = b[9+len(one.Data):]
		if one.Kind != odraw.Drawing {
			continue
		}
		for g := range odraw.Records(one.Data) {
			if g.Kind == odraw.Group {
				r.readGroup(g.Data, 0, nil)
			}
		}
	}
}

// readGroup reads the shapes of a group. Shapes of nested groups belong to
// the outermost anchored group. into is nil for the drawing itself.
func (r *reader) readGroup(b []byte, depth int, into *drawn) {
	if depth > maxGroups {
		r.deep.Others++
		return
	}
	first := true // the group itself
	for one := range odraw.Records(b) {
		if len(r.shapes) > maxShapes {
			r.unread++
			continue
		}
		switch one.Kind {
		case odraw.Shape:
			id, d := readShape(one.Data)
			switch {
			case first && depth == 0:
			case into != nil:
				into.parts = append(into.parts, id)
				into.marks, into.art = append(into.marks, d.marks...), strings.TrimSpace(into.art+" "+d.art)
			default:
				r.shapes[id] = d
			}
			first = false
		case odraw.Group:
			if into != nil {
				r.readGroup(one.Data, depth+1, into)
				continue
			}
			var g drawn
			r.readGroup(one.Data, depth+1, &g)
			if len(g.parts) > 0 {
				r.shapes[g.parts[0]] = g
			}
		}
	}
}

// readShape reads one shape.
func readShape(b []byte) (id int64, d drawn) {
	var m mark
	for one := range odraw.Records(b) {
		switch one.Kind {
		case odraw.ShapeAtom:
			id = u32(one.Data, 0)
			m.picture = one.Inst == odraw.Picture
			d.parts = []int64{id}
		case odraw.Options, odraw.Options3:
			for p := range one.Properties() {
				switch p.ID {
				case odraw.Description:
					m.said = doctree.Describe(cfb.UTF16(p.Data))
				case odraw.WordArt:
					d.art = doctree.Clean(cfb.UTF16(p.Data))
				case odraw.PictureNumber:
					m.number = int64(p.Value)
				}
			}
		}
	}
	d.marks = []mark{m}
	return id, d
}

// anchor writes the shape that is anchored at cp. Its texts follow the
// paragraph.
func (o *output) anchor(line *doctree.Line, cp int) {
	id, ok := o.anchors[cp]
	if !ok {
		return
	}
	delete(o.anchors, cp)
	d := o.shapes[id]
	delete(o.shapes, id)
	text := d.art != ""
	for _, part := range append([]int64{id}, d.parts...) {
		if box := o.box(part); box != nil {
			o.asides = append(o.asides, box)
			text = true
		}
	}
	if d.art != "" {
		line.Text(" "+d.art+" ", doctree.Style{})
	}
	for _, m := range d.marks {
		// Word describes a text box by its text.
		if m.picture && d.art == "" || m.said.Text != "" && !text {
			line.Picture(&o.b, m.said, "")
		}
		if m.number > 0 {
			o.metafile(o.store.Metafile(m.number, o.main, o.pictures.Left()))
		}
	}
}

// metafile writes the text of a picture that is a metafile after the paragraph.
func (o *output) metafile(data []byte) {
	if data == nil {
		return
	}
	if box := o.pictures.Text(&o.b, data); box != nil {
		o.asides = append(o.asides, box)
	}
}

// box writes the text of a shape once. It returns nil if there is none.
func (r *reader) box(id int64) *html.Node {
	s, ok := r.boxes[id]
	if !ok || r.nested >= maxNested {
		return nil
	}
	if !r.room() {
		r.leave(s.from, min(s.to, len(r.text)))
		delete(r.boxes, id)
		return nil
	}
	delete(r.boxes, id)
	r.nested++
	defer func() { r.nested-- }()
	box := r.b.Element(atom.Aside, "data-role", "textbox")
	if r.blocks(box, s.from, s.to); box.FirstChild == nil {
		return nil
	}
	return box
}

// rest writes the texts of shapes whose anchors were not found.
func (r *reader) rest(into *html.Node, ids []int64) {
	for _, id := range ids {
		if box := r.box(id); box != nil {
			into.AppendChild(box)
		}
	}
}

// replaced reports whether the pictures at the current position show an object
// that was read.
func (o *output) replaced() bool {
	for _, f := range o.fields {
		if f.replaced {
			return true
		}
	}
	return false
}

// inline writes an inline picture with its alternative text ([MS-DOC]
// 2.9.192).
func (o *output) inline(line *doctree.Line, at int64) {
	const head, raw, file = 68, 8, 0x66
	if o.looked++; o.looked > maxShapes {
		return
	}
	b := cut(o.data, at, max(u32(o.data, int(min(max(at, 0), int64(len(o.data))))), head))
	var said doctree.Description
	if size := u16(b, 4); size >= 8 && size <= len(b) {
		kind := u16(b, 6)
		b = b[size:]
		if kind == file && len(b) > 0 { // its name comes first
			b = b[min(1+int(b[0]), len(b)):]
		}
		if one, ok := odraw.At(b, 0); ok && one.Kind == odraw.Shape {
			_, d := readShape(one.Data[:min(len(one.Data), maxInline)])
			said = d.marks[0].said
			o.looked += len(said.Text) / wordsOfOne // many pictures may refer to the same text
			b = b[8+len(one.Data):]
		}
		if picture, ok := odraw.At(b, 0); ok && !o.replaced() && !o.drawn[at] {
			if o.drawn == nil {
				o.drawn = map[int64]bool{}
			}
			o.drawn[at] = true
			if kind == raw {
				o.metafile(b)
			} else {
				o.metafile(picture.Metafile(nil, o.pictures.Left()))
			}
		}
	}
	line.Picture(&o.b, said, "")
}
