// SPDX-License-Identifier: Apache-2.0

package ppt

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/embedded"
	"example.com/curlew/parse/internal/odraw"
)

// Options control how a presentation is read.
type Options struct {
	Nodes  int            // nodes of the tree; zero means 2,000,000. The rest is left out, with a warning
	Hidden doctree.Hidden // how hidden text, shapes, slides, sheets, rows and columns are handled

	// Unlock decrypts presentations. If it is nil, encrypted ones are
	// refused.
	Unlock cfb.Unlock

	Objects embedded.Objects // reads embedded documents; the zero value names them in a warning
}

const (
	maxEdits   = 10_000
	maxPersist = 1 << 20
	maxSlides  = 10_000
	checkEvery = 4096
)

// Read reads the presentation in data. The error wraps [cfb.ErrMalformed] or
// [cfb.ErrEncrypted], or is the cause that ended ctx.
func Read(ctx context.Context, data []byte, o Options) (*doctree.Document, error) {
	if o.Nodes == 0 {
		o.Nodes = 2_000_000
	}
	c, err := cfb.Open(data)
	if err != nil {
		return nil, err
	}
	root := c.Root
	if newer := root.Storage("PP97_DUALSTORAGE"); newer != nil && newer.Has("PowerPoint Document") {
		root = newer // the same presentation for PowerPoint 97, beside that for 95
	}
	s := root.Summary()
	r := &reader{
		ctx: ctx, options: o, objects: o.Objects, stream: root.Stream("PowerPoint Document"), delayed: root.Stream("Pictures"), persist: map[int64]int64{}, targets: map[int64]string{},
		masterPlaces: map[int64]int64{}, masters: map[int64]*bullets{},
	}
	if len(r.stream) < 8 {
		return nil, fmt.Errorf("%w: no presentation", cfb.ErrMalformed)
	}
	r.doc = &doctree.Document{Meta: doctree.Meta{
		Title: s.Title, Author: s.Author, Subject: s.Subject, Keywords: s.Keywords, Description: s.Comments,
		Created: s.Created, Modified: s.Modified,
	}}
	if root.Has("PersistentStorage Directory") && root.Has("Text_Content") {
		r.old(cfb.Text(root.Stream("Text_Content"), s.Page))
		r.full()
		r.short(c)
		return r.doc, nil
	}
	document, err := r.open(root.Stream("Current User"))
	if err != nil {
		return nil, err
	}
	r.contents(document)
	r.doc.Meta.TotalPages = len(r.slides)
	body := r.doc.Begin(&r.b, "ppt")
	for i := range r.slides {
		if !r.room() {
			r.doc.Warn("truncated", 0, fmt.Sprintf("%d of %d slides were not read.", len(r.slides)-i, len(r.slides)))
			break
		}
		r.slide(body, i+1, &r.slides[i])
	}
	for _, id := range slices.Sorted(maps.Keys(r.embedded)) { // those that no slide shows
		if figure := r.object(id); figure != nil {
			body.AppendChild(figure)
		}
	}
	r.running.Write(body)
	r.said.Write(&r.b, body)
	r.objects.Warn(r.doc)
	if r.torn {
		r.doc.Warn("part-unreadable", 0, "Records of the presentation are longer than what contains them. It is damaged, and texts may be missing.")
	}
	r.full()
	r.short(c)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if len(r.slides) == 0 {
		return nil, fmt.Errorf("%w: no slides", cfb.ErrMalformed)
	}
	return r.doc, nil
}

// full adds warnings about what was left out because of a limit.
func (r *reader) full() {
	r.doc.WarnNodes(r.options.Nodes, r.cut)
	if r.unread > 0 {
		r.doc.Warn("truncated", 0, fmt.Sprintf("Slides have more than %d shapes, or groups in more than %d groups. Shapes and groups that were not read: %d.", maxShapes, maxDepth, r.unread))
	}
	if r.steps >= maxRecords {
		r.doc.Warn("truncated", 0, fmt.Sprintf("The presentation has more than %d records. The others were not read.", maxRecords))
	}
}

// short adds a warning for each stream that could not be read to its end.
func (r *reader) short(f *cfb.File) {
	for _, name := range f.Short() {
		r.doc.WarnPart(name)
	}
}

// reader is the state for reading one presentation.
type reader struct {
	ctx     context.Context
	options Options
	stream  []byte
	b       doctree.Builder
	doc     *doctree.Document
	ids     doctree.IDs
	persist map[int64]int64  // offsets of persist objects by number
	targets map[int64]string // link targets by number
	slides  []slideOf
	said    doctree.Notes   // comments
	notes   map[int64]int64 // offsets of notes by the number that slides refer to
	seen    map[int64]bool  // offsets that have been read
	torn    bool            // a record is longer than what contains it
	cut     doctree.Cut     // what was left out because the tree is full
	unread  int             // shapes and groups beyond the limits of a slide

	pictures embedded.Metafiles
	store    odraw.Store
	delayed  []byte // pictures of the store
	objects  embedded.Objects
	embedded map[int64]objectOf // objects that have not been read, by the number that shapes refer to

	steps int

	masterPlaces map[int64]int64 // by the number that slides refer to
	masters      map[int64]*bullets
	fonts        map[int]string // by the number that texts refer to

	allSlides, allNotes furniture
	running             doctree.Running
	backdrops           map[int64]bool // masters whose text was read
}

// slideOf is an entry of the slide list.
type slideOf struct {
	at    int64
	id    int64
	texts []text
}

// count counts a record and reports whether more may be read.
func (r *reader) count() bool {
	r.steps++
	return r.steps < maxRecords && (r.steps%checkEvery != 0 || r.ctx.Err() == nil)
}

func (r *reader) room() bool {
	return r.b.Count()+r.objects.Made < r.options.Nodes && r.steps < maxRecords
}

// leave counts the paragraphs of a text that is not read.
func (r *reader) leave(units []uint16) {
	for len(units) > 0 {
		to := slices.Index(units, '\r')
		if to < 0 {
			to = len(units) - 1
		}
		r.cut.Paragraph(cfb.Decode(units[:to+1]))
		units = units[to+1:]
	}
}

// directory reads the offsets of objects. Entries of newer edits are kept.
func (r *reader) directory(b []byte) {
	for len(b) >= 4 {
		head := u32(b, 0)
		first, n := head&0xFFFFF, head>>20
		b = b[4:]
		for i := range n {
			if len(b) < 4 || len(r.persist) > maxPersist {
				return
			}
			if _, ok := r.persist[first+i]; !ok {
				r.persist[first+i] = u32(b, 0)
			}
			b = b[4:]
		}
	}
}

// scan finds the last document and all slides in the stream.
func (r *reader) scan() (document record, err error) {
	at := int64(0)
	r.slides = nil
	for {
		one, ok := recordAt(r.stream, at)
		if !ok || !r.count() {
			break
		}
		switch one.kind {
		case rDocument:
			document = one
		case rSlide:
			if len(r.slides) < maxSlides {
				r.slides = append(r.slides, slideOf{at: at})
			}
		}
		at += 8 + int64(len(one.data))
	}
	if document.data == nil && len(r.slides) == 0 {
		return document, fmt.Errorf("%w: no document", cfb.ErrMalformed)
	}
	return document, nil
}

// contents reads the lists of slides and notes, and the links.
func (r *reader) contents(document record) {
	r.notes, r.seen, r.fonts = map[int64]int64{}, map[int64]bool{}, map[int]string{}
	r.allSlides, _ = r.furniture(document.data, ofAllSlides)
	r.allNotes, _ = r.furniture(document.data, ofNotes)
	for one := range r.records(document.data) {
		switch {
		case one.kind == rSlideList && one.inst == 0:
			r.listed(r.list(one.data))
		case one.kind == rSlideList && one.inst == 1:
			for _, s := range r.list(one.data) {
				r.masterPlaces[s.id] = s.at
			}
		case one.kind == rSlideList && one.inst == 2:
			for _, s := range r.list(one.data) {
				r.notes[s.id] = s.at
			}
		case one.kind == rEnvironment:
			for font := range r.records(r.first(one.data, rFonts).data) {
				if font.kind == rFont && r.fonts[font.inst] == "" {
					r.fonts[font.inst] = cfb.UTF16(font.data[:min(64, len(font.data))])
				}
			}
		case one.kind == rDrawingGroup:
			r.store = odraw.ReadStore(r.first(one.data, aDrawingGroup).data)
		case one.kind == rLinks:
			for link := range r.records(one.data) {
				switch link.kind {
				case rLink:
					r.link(link.data)
				case rObject:
					r.embeds(link.data)
				}
			}
		}
	}
}

// listed sets the slides of the document. If a scan has found slides, it
// only adds their texts.
func (r *reader) listed(all []slideOf) {
	if len(all) == 0 || len(r.slides) > 0 && len(all) != len(r.slides) {
		return
	}
	for i := range r.slides {
		if all[i].at < 0 {
			all[i].at = r.slides[i].at
		}
	}
	r.slides = all
}

func (r *reader) link(b []byte) {
	id, href, anchor := int64(-1), "", ""
	for one := range r.records(b) {
		switch {
		case one.kind == rLinkAtom:
			id = u32(one.data, 0)
		case one.kind == rCString && one.inst == 1:
			href = cfb.UTF16(one.data)
		case one.kind == rCString && one.inst == 3:
			anchor = cfb.UTF16(one.data)
		}
	}
	if href != "" && anchor != "" && !strings.Contains(href, "#") {
		href += "#" + anchor
	}
	if len(r.targets) < maxPersist {
		r.targets[id] = doctree.Href(href)
	}
}

// list reads a slide list with its texts.
func (r *reader) list(b []byte) (slides []slideOf) {
	for one := range r.records(b) {
		n := len(slides)
		if one.kind == rSlidePersist {
			if n >= maxSlides {
				return slides
			}
			at, ok := r.persist[u32(one.data, 0)]
			if !ok {
				at = -1
			}
			slides = append(slides, slideOf{at: at, id: u32(one.data, 12)})
			continue
		}
		if n > 0 {
			slides[n-1].texts = gather(slides[n-1].texts, one)
		}
	}
	return slides
}

// slide writes one slide.
func (r *reader) slide(body *html.Node, n int, s *slideOf) {
	one, ok := recordAt(r.stream, s.at)
	if s.at >= 0 && r.seen[s.at] {
		return
	}
	r.seen[s.at] = s.at >= 0
	d := &drawing{reader: r, number: n, outline: s.texts, used: map[int64]bool{}, bullets: &bullets{}}
	var notes int64
	unseen := false
	if ok && one.kind == rSlide {
		if u16(r.first(one.data, rSlideInfo).data, 10)&4 != 0 {
			if r.options.Hidden == doctree.HiddenDropped {
				r.doc.Warn("hidden-slide", n, "The slide is hidden and was left out.")
				r.hide(one.data)
				return
			}
			unseen = true
		}
		head := r.first(one.data, rSlideAtom).data
		notes = u32(head, 16)
		d.bullets = r.master(u32(head, 12))
		d.read(r.first(one.data, rDrawing).data)
		d.warn()
	} else {
		r.doc.Warn("part-unreadable", n, "The slide could not be read; its outline is shown instead.")
		for i := range s.texts {
			d.shapes = append(d.shapes, shape{texts: s.texts[i : i+1]})
		}
	}
	r.doc.Meta.Pages++
	section := r.b.Append(body, atom.Section, "data-slide", strconv.Itoa(n))
	if unseen {
		r.options.Hidden.Mark(section)
	}
	d.write(section)
	if ok && one.kind == rSlide {
		d.feet(section, one.data)
		if head := r.first(one.data, rSlideAtom).data; u16(head, 20)&1 != 0 { // it shows the objects of its master
			r.backdrop(u32(head, 12))
		}
	}
	if notes != 0 {
		r.speakerNotes(section, n, notes)
	}
	r.b.Untitled(section, n)
	if one.kind == rSlide {
		r.comments(section, one.data)
	}
}

// speakerNotes writes the notes with an ID that belong to slide n.
func (r *reader) speakerNotes(section *html.Node, n int, id int64) {
	at, ok := r.notes[id]
	if ok && r.seen[at] {
		return
	}
	one, whole := recordAt(r.stream, at)
	if !ok || !whole || one.kind != rNotes {
		r.doc.Warn("part-unreadable", n, "The notes of the slide could not be read.")
		return
	}
	r.seen[at] = true
	d := &drawing{reader: r, notes: true, bullets: &bullets{}}
	d.read(r.first(one.data, rDrawing).data)
	aside := r.b.Element(atom.Aside, "data-role", "notes")
	d.write(aside)
	r.b.SpeakerNotes(section, aside)
	r.notesFeet()
}
