// SPDX-License-Identifier: Apache-2.0

package ppt

import (
	"cmp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/odraw"
)

// drawing has the content of a slide or a notes page.
type drawing struct {
	*reader
	number  int
	notes   bool
	outline []text
	used    map[int64]bool // texts of the outline that shapes refer to
	unfound int            // references to texts that the outline does not have
	bullets *bullets       // bullets of the master
	shapes  []shape
}

// shape is one shape, or the cells of a table.
type shape struct {
	kind    int // shape type ([MS-ODRAW] 2.4.24)
	role    int // role of a placeholder; -1 if the shape is not one
	box     [4]int
	at      doctree.Box // box on the slide in master units; shapes of a group have the box of the group
	texts   []text
	alt     string
	picture bool
	object  int64 // number of the embedded object that it shows; zero means none
	number  int64 // of its picture in the store of the presentation; zero means none
	table   []shape
}

// Shape types and placeholder roles.
const (
	shapeLine    = 20
	shapePicture = 75
	roleDate     = 7
	roleNumber   = 8
	roleFooter   = 9
	roleHeader   = 10
	roleNone     = -1

	maxShapes = 100_000 // on one slide
)

// warn says which texts of the outline no shape shows, and which texts of shapes the
// outline does not have.
func (d *drawing) warn() {
	apart := 0
	var shown map[string]bool
	for i, t := range d.outline {
		if d.used[int64(i)] {
			continue
		}
		if shown == nil {
			shown = map[string]bool{}
			list(shown, d.shapes)
		}
		if text := t.trimmed(); text != "" && !shown[text] {
			apart++
		}
	}
	d.doc.WarnCount("part-unreadable", d.number, "Texts of the outline that no shape of the slide shows, and that were left out", apart)
	d.doc.WarnCount("part-unreadable", d.number, "Shapes whose text is in the outline, which does not have it", d.unfound)
}

// list adds the texts of shapes to shown.
func list(shown map[string]bool, shapes []shape) {
	for _, s := range shapes {
		for _, t := range s.texts {
			shown[t.trimmed()] = true
		}
		list(shown, s.table)
	}
}

// trimmed returns the characters of a text without white space around them.
func (t *text) trimmed() string { return strings.TrimSpace(cfb.Decode(t.units)) }

// read collects the shapes of a drawing.
func (d *drawing) read(b []byte) {
	for one := range d.records(d.first(b, aDrawing).data) {
		if one.kind == aGroup {
			d.group(one.data, 0)
		}
	}
}

// group reads the shapes of a group. Those of a table become one shape.
func (d *drawing) group(b []byte, depth int) {
	if depth > maxDepth {
		d.unread++
		return
	}
	from := len(d.shapes)
	table, first := false, true
	var at doctree.Box
	for one := range d.records(b) {
		switch {
		case one.kind != aGroup && one.kind != aShape:
		case len(d.shapes) >= maxShapes:
			d.unread++
		case one.kind == aGroup:
			d.group(one.data, depth+1)
		default:
			s, isTable := d.shape(one.data)
			if first { // the group itself
				table, first = isTable, false
				at = s.at
				continue
			}
			d.shapes = append(d.shapes, s)
		}
	}
	if table && depth > 0 {
		cells := slices.Clone(d.shapes[from:])
		d.shapes = append(d.shapes[:from], shape{role: roleNone, table: cells})
	}
	if !at.IsZero() {
		for i := range d.shapes[from:] {
			d.shapes[from+i].at = at
		}
	}
}

// shape reads one shape.
func (d *drawing) shape(b []byte) (s shape, table bool) {
	s.role = roleNone
	var extra []byte
	for one := range d.records(b) {
		switch one.kind {
		case aShapeAtom:
			s.kind = one.inst
		case aAnchor:
			s.at = anchor(one.data)
		case aChildAnchor:
			s.box = [4]int{i32(one.data, 0), i32(one.data, 4), i32(one.data, 8), i32(one.data, 12)}
		case aOptions, aOptions3:
			alt, art, number, isTable := options(one)
			s.alt, s.number, table = cmp.Or(s.alt, alt), cmp.Or(s.number, number), table || isTable
			if art != "" {
				s.texts = append(s.texts, text{kind: textOther, units: utf16.Encode([]rune(art))})
			}
		case aClientData:
			for c := range d.records(one.data) {
				switch c.kind {
				case rPlaceholder:
					if len(c.data) > 4 {
						s.role = int(c.data[4])
					}
				case rObjectRef:
					s.object = u32(c.data, 0)
				case rTags:
					extra = d.tags(c.data)
				}
			}
		case aTextbox:
			s.texts = d.textbox(s.texts, one.data)
		}
	}
	for i := range s.texts {
		s.texts[i].extra = extra
	}
	s.picture = s.kind == shapePicture
	return s, table
}

// textbox adds the texts of a shape, of which some are in the outline.
func (d *drawing) textbox(texts []text, b []byte) []text {
	for c := range d.records(b) {
		i := u32(c.data, 0)
		switch {
		case c.kind != rOutlineRef:
			texts = gather(texts, c)
		case i < int64(len(d.outline)):
			texts = append(texts, d.outline[i])
			d.used[i] = true
		default:
			d.unfound++
		}
	}
	return texts
}

// anchor returns the box of a shape ([MS-PPT] 2.7.1), or the zero box if
// there is none.
func anchor(b []byte) doctree.Box {
	v := func(i int) float64 { return float64(i32(b, 4*i)) }
	if len(b) < 16 {
		v = func(i int) float64 { return float64(int16(u16(b, 2*i))) } //nolint:gosec // 16 bits
	}
	if len(b) < 8 {
		return doctree.Box{}
	}
	top, left, right, bottom := v(0), v(1), v(2), v(3)
	return doctree.Box{X0: left, Y0: top, X1: max(right, left+1), Y1: max(bottom, top+1)}
}

// tags returns the extension record for newer programs about the texts of a
// shape.
func (d *drawing) tags(b []byte) []byte {
	for tag := range d.records(b) {
		for c := range d.records(tag.data) {
			if c.kind == rBlob {
				if extra := d.first(c.data, rTextStyle9); extra.data != nil {
					return extra.data
				}
			}
		}
	}
	return nil
}

// options reads the properties of a shape that are used.
func options(one record) (alt, art string, number int64, table bool) {
	for p := range (odraw.Record{Inst: one.inst, Data: one.data}).Properties() {
		switch p.ID {
		case odraw.Table:
			table = p.Value&1 != 0
		case odraw.WordArt:
			art = doctree.Clean(cfb.UTF16(p.Data))
		case odraw.Description:
			alt = cfb.UTF16(p.Data)
		case odraw.PictureNumber:
			number = int64(p.Value)
		}
	}
	return alt, art, number, table
}

// metafile returns the text of a picture once, if it is a metafile with text.
func (r *reader) metafile(number int64) *html.Node {
	if number < 1 || number > int64(len(r.store)) || r.pictures.Full() {
		return nil
	}
	data := r.store.Metafile(number, r.delayed, r.pictures.Left())
	r.store[number-1] = odraw.Record{}
	return r.pictures.Text(&r.b, data)
}

// write writes the title, then the other shapes in reading order.
func (d *drawing) write(into *html.Node) {
	flow := &doctree.Flow{B: &d.b, Into: into}
	titled := slices.IndexFunc(d.shapes, func(s shape) bool { return !d.notes && s.title() != 0 })
	if titled >= 0 {
		for i := range d.shapes[titled].texts {
			d.text(flow, &d.shapes[titled].texts[i], d.shapes[titled].title())
		}
	}
	var rest []*shape
	var boxes []doctree.Box
	for i := range d.shapes {
		if s := &d.shapes[i]; i != titled && (s.table != nil || s.alt != "" || s.object != 0 || s.number != 0 || len(s.texts) > 0) {
			rest, boxes = append(rest, s), append(boxes, s.at)
		}
	}
	if !d.notes {
		rest = doctree.InOrder(rest, boxes)
	}
	for _, s := range rest {
		if !d.room() {
			d.skip(s)
			continue
		}
		flow.End()
		if said := doctree.Describe(s.alt); !d.notes && (said.Text != "" || s.picture && said.Guess != "") {
			d.b.Append(flow.Append(atom.Figure), atom.Img, said.Attrs()...)
			flow.End()
		}
		switch {
		case s.table != nil:
			d.table(flow, s.table)
		case s.role == roleNumber:
		case s.role == roleDate || s.role == roleHeader || s.role == roleFooter:
			footer := d.b.Element(atom.Footer, "data-role", "running")
			if s.said() {
				d.texts(&doctree.Flow{B: &d.b, Into: footer}, s)
			}
			switch {
			case footer.FirstChild == nil:
			case d.notes:
				d.running.AddText(footer)
			default:
				flow.Node(footer)
			}
		default:
			d.texts(flow, s)
		}
		if figure := d.object(s.object); figure != nil {
			flow.Node(figure)
		} else if box := d.metafile(s.number); box != nil {
			flow.Node(box)
		}
	}
}

// skip counts a shape that is not written.
func (d *drawing) skip(s *shape) {
	d.cut.Others++
	for i := range s.texts {
		d.leave(s.texts[i].units)
	}
	for i := range s.table {
		d.skip(&s.table[i])
	}
}

func (d *drawing) texts(flow *doctree.Flow, s *shape) {
	for i := range s.texts {
		if kind := s.texts[i].kind; d.notes && kind != textNotes && kind != textOther {
			continue // the picture of the slide repeats its texts
		}
		d.text(flow, &s.texts[i], 0)
	}
}

// title returns the heading tag for s, or 0 if it is not a title.
func (s *shape) title() atom.Atom {
	for _, t := range s.texts {
		switch t.kind {
		case textTitle:
			return atom.H2
		case textCenterTitle:
			return atom.H1
		}
	}
	return 0
}

// table writes the cells of a table by their boxes.
func (d *drawing) table(flow *doctree.Flow, all []shape) {
	cells := sorting.Without(slices.Clone(all), func(s shape) bool {
		return s.kind == shapeLine || s.box[2] <= s.box[0] || s.box[3] <= s.box[1]
	})
	edges := func(i int) []int {
		var e []int
		for _, c := range cells {
			e = append(e, c.box[i])
		}
		slices.Sort(e)
		return slices.Compact(e)
	}
	columns, rows := edges(0), edges(1)
	if len(columns) == 0 || len(columns)*len(rows) > 4*maxShapes {
		for i := range all {
			d.texts(flow, &all[i])
		}
		return
	}
	sort.SliceStable(cells, func(i, j int) bool {
		a, b := cells[i].box, cells[j].box
		return cmp.Or(a[1]-b[1], a[0]-b[0]) < 0
	})
	body := d.b.Append(flow.Append(atom.Table, "data-table", "source"), atom.Tbody)
	var tr *html.Node
	last := 0
	for i := range cells {
		c := &cells[i]
		if tr == nil || c.box[1] != last {
			tr, last = d.b.Append(body, atom.Tr), c.box[1]
		}
		var attrs []string
		for _, s := range []struct {
			key   string
			edges []int
			i     int
		}{{"colspan", columns, 0}, {"rowspan", rows, 1}} {
			from, _ := slices.BinarySearch(s.edges, c.box[s.i])
			to, _ := slices.BinarySearch(s.edges, c.box[s.i+2])
			if to-from > 1 {
				attrs = append(attrs, s.key, strconv.Itoa(to-from))
			}
		}
		td := d.b.Append(tr, atom.Td, attrs...)
		d.texts(&doctree.Flow{B: &d.b, Into: td}, c)
		doctree.Unwrap(td)
	}
	doctree.Tidy(body.Parent)
}
