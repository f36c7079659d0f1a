// SPDX-License-Identifier: Apache-2.0

package pptx

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/embedded"
	"example.com/curlew/parse/internal/ooxml"
)

// Options control how a presentation is read.
type Options struct {
	Hidden doctree.Hidden // how hidden text, shapes, slides, sheets, rows and columns are handled
	Nodes  int            // nodes of the tree; zero means 2,000,000. The rest is left out, with a warning
	Budget *zipxml.Budget // bounds the decompressed bytes; nil means a budget of its own
	Child  embedded.Child // reads embedded documents; nil names them in a warning
}

const (
	maxSlides = 10_000
	maxGroups = 32   // nested groups
	maxData   = 8    // alternatives and objects in each other
	maxSpan   = 1000 // columns or rows
)

// Read reads the presentation in the first size bytes of r. The error wraps
// [zipxml.ErrMalformed], [zipxml.ErrEncrypted], [zipxml.ErrLimit] or the
// cause that ended ctx. If a slide cannot be read, there is a warning.
func Read(ctx context.Context, r io.ReaderAt, size int64, o Options) (*doctree.Document, error) {
	if o.Nodes == 0 {
		o.Nodes = 2_000_000
	}
	pkg, err := ooxml.Open(r, size, o.Budget)
	if err != nil {
		return nil, err
	}
	main, err := pkg.Main(ctx, "ppt/presentation.xml")
	if err != nil {
		return nil, err
	}
	root, err := pkg.XML(ctx, main)
	if root == nil {
		return nil, err
	}
	d := &reader{options: o, pkg: pkg, main: main, doc: &doctree.Document{Meta: pkg.Meta(ctx)}, parts: map[string]*zipxml.Element{}, models: map[*zipxml.Element]models{}}
	d.objects, d.metafiles = ooxml.Objects{Package: pkg, Objects: embedded.Objects{Child: o.Child, Budget: o.Budget}}, ooxml.Metafiles{Package: pkg}
	d.defaults = root.Get("p:defaultTextStyle")
	d.slides(ctx, root)
	d.sections(root)
	d.doc.Meta.TotalPages = len(d.order)
	body := d.doc.Begin(&d.b, "pptx")
	for i, part := range d.order {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		if !d.room() {
			d.doc.Warn("truncated", 0, fmt.Sprintf("%d of %d slides were not read.", len(d.order)-i, len(d.order)))
			break
		}
		if err := d.slide(ctx, body, part, i+1); err != nil {
			return nil, err
		}
	}
	d.running.Write(body)
	d.notes.Write(&d.b, body)
	d.objects.Warn(d.doc)
	d.charts.Warn(d.doc)
	d.pkg.Warn(ctx, d.doc)
	d.doc.WarnCount("part-unreadable", 0, "Texts that appear beside links and were left out", d.tips)
	d.doc.WarnCovered()
	d.doc.WarnHidden(d.hidden, "Shapes or text that the document hides were left out")
	d.doc.WarnNodes(d.options.Nodes, d.cut)
	d.doc.WarnCut("The presentation is nested too deeply", d.deep)
	return d.doc, nil
}

// reader is the state for reading one presentation.
type reader struct {
	options  Options
	pkg      *ooxml.Package
	main     string
	b        doctree.Builder
	doc      *doctree.Document
	notes    doctree.Notes
	ids      doctree.IDs
	order    []string                   // part names of the slides
	parts    map[string]*zipxml.Element // cached layouts, masters and authors
	models   map[*zipxml.Element]models // placeholders of layouts and masters
	defaults *zipxml.Element
	authors  map[string]string // by ID
	hidden   int               // hidden shapes and texts
	tips     int               // texts that appear beside links, which are not shown
	charts   ooxml.Charts
	objects  ooxml.Objects
	cut      doctree.Cut // what was left out because the tree is full
	deep     doctree.Cut // what was left out because it is nested too deeply

	metafiles ooxml.Metafiles

	running   doctree.Running // text of layouts and masters
	backdrops map[string]bool // layouts and masters whose text was read
}

// slides finds the slides in presentation order.
func (d *reader) slides(ctx context.Context, root *zipxml.Element) {
	relations := d.pkg.Relations(ctx, d.main)
	listed := map[string]bool{}
	missing, more := 0, 0
	for id := root.Get("p:sldIdLst").Named("p:sldId"); id != nil; id = id.Same() {
		r := relations.Get(id.Attr("r:id"))
		switch {
		case r.Target == "" || r.External:
			missing++
		case listed[r.Target]: // list each slide once
		case len(d.order) >= maxSlides:
			more++
		default:
			listed[r.Target] = true
			d.order = append(d.order, r.Target)
		}
	}
	var others []string
	for _, r := range relations.All() {
		if r.Type == "slide" && !r.External && !listed[r.Target] && d.pkg.Has(r.Target) && len(others) < maxSlides {
			listed[r.Target] = true
			others = append(others, r.Target)
		}
	}
	switch {
	case len(others) > 0 && len(d.order) == 0:
		d.order = others
		d.doc.Warn("part-unreadable", 0, fmt.Sprintf("The list of slides is missing or damaged. Slides that were read in the order of their relationships: %d.", len(others)))
	case len(others) > 0 && more == 0:
		d.doc.Warn("part-unreadable", 0, fmt.Sprintf("Slides that the file has but does not list; left out: %d.", len(others)))
	}
	d.doc.WarnCount("part-unreadable", 0, "Slides that the file lists but does not have; left out", missing)
	if more > 0 {
		d.doc.Warn("truncated", 0, fmt.Sprintf("The presentation has more than %d slides; left out: %d.", maxSlides, more))
	}
}

// sections counts the sections into which the presentation divides its slides, because the
// slides do not show their names. A single section divides nothing. It counts custom shows, too.
func (d *reader) sections(root *zipxml.Element) {
	n := 0
	for e := range root.Get("p:extLst").Descendants() {
		if e.Name == "p14:section" {
			n++
		}
	}
	if n > 1 {
		d.doc.WarnCount("part-unreadable", 0, "Names of sections of the presentation that were left out", n)
	}
	n = 0
	for c := root.Get("p:custShowLst").Named("p:custShow"); c != nil; c = c.Same() {
		n++
	}
	d.doc.WarnCount("part-unreadable", 0, "Custom shows, which name some of the slides, that were left out", n)
}

// room reports whether more nodes may be added to the tree. If it returns false,
// the caller must call leave with each element that it does not read.
func (d *reader) room() bool { return d.b.Count() < d.options.Nodes }

// leave counts the text of an element that is not read.
func (d *reader) leave(e *zipxml.Element) {
	if e.Name == "a:p" {
		d.cut.Paragraph(e.Content())
		return
	}
	for c := e.First(); c != nil; c = c.Next() {
		d.leave(c)
	}
}

// leaveDeep counts the text of an element that is nested too deeply to be read.
func (d *reader) leaveDeep(e *zipxml.Element) {
	cut := d.cut
	d.cut = d.deep
	d.cut.Others++
	d.leave(e)
	d.deep, d.cut = d.cut, cut
}

// part returns the root of a part, or nil if there is none. It caches the
// result.
func (d *reader) part(ctx context.Context, name string) *zipxml.Element {
	if name == "" {
		return nil
	}
	root, ok := d.parts[name]
	if !ok {
		var err error
		if root, err = d.pkg.XML(ctx, name); err != nil {
			d.doc.WarnPart(name)
		}
		d.parts[name] = root
	}
	return root
}

// slide reads slide number n into a section of body. The error is a limit or
// the error of ctx.
func (d *reader) slide(ctx context.Context, body *html.Node, part string, n int) error {
	root, err := d.pkg.XML(ctx, part)
	if err != nil {
		if errors.Is(err, zipxml.ErrLimit) || errors.Is(err, zipxml.ErrEncrypted) || ctx.Err() != nil {
			return err
		}
		d.doc.Warn("part-unreadable", n, "The slide was not read completely, or it is damaged.")
		if root == nil {
			return nil
		}
	}
	unseen := !ooxml.Bool(root.Attr("show"), true)
	if unseen && d.options.Hidden == doctree.HiddenDropped {
		d.doc.Warn("hidden-slide", n, "The slide is hidden and was left out.")
		return nil
	}
	d.doc.Meta.Pages++
	section := d.b.Append(body, atom.Section, "id", "slide-"+strconv.Itoa(n), "data-slide", strconv.Itoa(n))
	if unseen {
		d.options.Hidden.Mark(section)
	}
	relations := d.pkg.Relations(ctx, part)
	for _, r := range relations.All() {
		switch r.Type {
		case "control":
			d.objects.Fail("control")
		case "audio", "video":
			d.objects.Fail(cmp.Or(r.Source(), path.Base(r.Target)))
		}
	}
	s := &slide{d: d, relations: relations, number: n, flow: &doctree.Flow{B: &d.b, Into: section}}
	layout := relations.Part("slideLayout")
	s.layout = d.part(ctx, layout)
	master := d.pkg.Relations(ctx, layout).Part("slideMaster")
	s.master = d.part(ctx, master)
	s.read(ctx, root)
	if ooxml.Bool(root.Attr("showMasterSp"), true) {
		d.backdrop(ctx, layout, s.layout)
		if ooxml.Bool(s.layout.Attr("showMasterSp"), true) {
			d.backdrop(ctx, master, s.master)
		}
	}
	d.speaker(ctx, section, relations.Part("notesSlide"))
	d.b.Untitled(section, n)
	d.comments(ctx, section, relations)
	return nil
}

// speaker reads the notes of a slide.
func (d *reader) speaker(ctx context.Context, section *html.Node, part string) {
	if part == "" {
		return
	}
	root := d.part(ctx, part)
	delete(d.parts, part)
	aside := d.b.Element(atom.Aside, "data-role", "notes")
	s := &slide{d: d, relations: d.pkg.Relations(ctx, part), flow: &doctree.Flow{B: &d.b, Into: aside}}
	s.gather(root.Get("p:cSld", "p:spTree"), place{sx: 1, sy: 1}, 0)
	for _, sh := range s.shapes {
		switch sh.holder.Attr("type") {
		case "sldImg", "sldNum":
		case "hdr", "ftr", "dt":
			n := d.running.Begin(&d.b, atom.Footer)
			running := &slide{d: d, relations: s.relations, flow: &doctree.Flow{B: &d.b, Into: n}}
			running.text(ctx, sh.e.Get("p:txBody"), styles{})
			d.running.AddText(n)
		case "body":
			s.text(ctx, sh.e.Get("p:txBody"), styles{})
		default:
			s.shape(ctx, sh)
		}
	}
	d.b.SpeakerNotes(section, aside)
}

// backdrop keeps the text that a layout or a master shows on its slides besides its
// placeholders. Each is read once.
func (d *reader) backdrop(ctx context.Context, part string, root *zipxml.Element) {
	if root == nil || d.backdrops[part] {
		return
	}
	if d.backdrops == nil {
		d.backdrops = map[string]bool{}
	}
	d.backdrops[part] = true
	n := d.running.Begin(&d.b, atom.Footer)
	s := &slide{d: d, relations: d.pkg.Relations(ctx, part), flow: &doctree.Flow{B: &d.b, Into: n}}
	s.gather(root.Get("p:cSld", "p:spTree"), place{sx: 1, sy: 1}, 0)
	for _, sh := range s.shapes {
		if sh.holder == nil && sh.e.Name != "p:pic" {
			s.shape(ctx, sh)
		}
	}
	d.running.AddText(n)
}
