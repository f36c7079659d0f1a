// SPDX-License-Identifier: Apache-2.0

package vsdx

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/embedded"
	"example.com/curlew/parse/internal/ooxml"
)

// Options control how a drawing is read.
type Options struct {
	Child  embedded.Child // reads embedded documents; nil names them in a warning
	Budget *zipxml.Budget // bounds the decompressed bytes; nil means a budget of its own
	Hidden doctree.Hidden // how hidden texts and layers are handled
	Nodes  int            // nodes of the tree; zero means 2,000,000. The rest is left out, with a warning
}

const (
	maxPages  = 10_000
	maxGroups = 32 // nested groups
)

// Read reads the drawing in the first size bytes of r. The error wraps
// [zipxml.ErrMalformed], [zipxml.ErrEncrypted], [zipxml.ErrLimit] or the cause that
// ended ctx. If a page cannot be read, there is a warning.
func Read(ctx context.Context, r io.ReaderAt, size int64, o Options) (*doctree.Document, error) {
	o.Nodes = cmp.Or(o.Nodes, 2_000_000)
	pkg, err := ooxml.Open(r, size, o.Budget)
	if err != nil {
		return nil, err
	}
	main, err := pkg.Main(ctx, pkg.Relations(ctx, "").Part("document"), "visio/document.xml")
	if err != nil {
		return nil, err
	}
	d := &reader{options: o, pkg: pkg, doc: &doctree.Document{Meta: pkg.Meta(ctx)}, masters: map[string]*master{}, styles: map[string]*zipxml.Element{}}
	d.objects, d.metafiles = ooxml.Objects{Package: pkg, Objects: embedded.Objects{Child: o.Child, Budget: o.Budget}}, ooxml.Metafiles{Package: pkg}
	relations := pkg.Relations(ctx, main)
	document := d.part(ctx, main)
	for e := document.Get("vs:StyleSheets").Named("vs:StyleSheet"); e != nil; e = e.Same() {
		d.styles[e.Attr("ID")] = e
	}
	d.stencil(ctx, relations.Part("masters"))
	list := relations.Part("pages")
	if list == "" {
		return nil, fmt.Errorf("%w: no pages", zipxml.ErrMalformed)
	}
	root, err := pkg.XML(ctx, list)
	switch {
	case root == nil && err != nil:
		return nil, err
	case err != nil:
		d.doc.WarnPart(list)
	}
	body := d.doc.Begin(&d.b, "vsdx")
	d.comments(ctx, relations.Part("comments"))
	err = d.pages(ctx, body, list, root)
	if err != nil {
		return nil, err
	}
	d.running(body, document.Get("vs:HeaderFooter"))
	d.notes.Write(&d.b, body)
	d.objects.Warn(d.doc)
	d.pkg.Warn(ctx, d.doc)
	d.doc.WarnHidden(d.hidden, "Shapes, texts or data that the drawing hides were left out")
	return d.doc, nil
}

// reader is the state for reading one drawing.
type reader struct {
	options   Options
	pkg       *ooxml.Package
	b         doctree.Builder
	doc       *doctree.Document
	notes     doctree.Notes
	ids       doctree.IDs
	masters   map[string]*master         // by ID
	styles    map[string]*zipxml.Element // by ID
	said      map[string][]*zipxml.Element
	authors   map[string]string // of comments, by ID
	hidden    int               // shapes and texts that were left out
	deep      int               // shapes in too many groups
	loose     int               // connectors with an end that is at no shape
	lost      int               // links that lead nowhere
	anchors   map[string]string // IDs of the headings of pages, by the names of the pages
	objects   ooxml.Objects
	metafiles ooxml.Metafiles
}

// pages reads the pages that root lists.
func (d *reader) pages(ctx context.Context, body *html.Node, list string, root *zipxml.Element) error {
	relations := d.pkg.Relations(ctx, list)
	ids := d.anchor(root)
	total, read := 0, 0
	for page := root.Named("vs:Page"); page != nil; page = page.Same() {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if total++; total > maxPages || d.b.Count()+d.objects.Made >= d.options.Nodes {
			continue
		}
		read++
		part := relations.Get(page.Get("vs:Rel").Attr("r:id")).Target
		content := d.part(ctx, part)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case part == "": // its relationship is missing
			d.doc.WarnPart(list)
		}
		d.page(ctx, body, read, page, sheet{part: part, id: ids[total-1], content: content, layers: hiddenLayers(page.Get("vs:PageSheet"))})
	}
	d.doc.Meta.Pages, d.doc.Meta.TotalPages = read, total
	if read < total {
		d.doc.Warn("truncated", 0, fmt.Sprintf("%d of %d pages were not read.", total-read, total))
	}
	if d.deep > 0 {
		d.doc.Warn("truncated", 0, fmt.Sprintf("Shapes in more than %d groups were not read: %d.", maxGroups, d.deep))
	}
	d.doc.WarnCount("part-unreadable", 0, "Connectors with an end at no shape, or at one that was left out, whose relation is not given", d.loose)
	d.doc.WarnCount("part-unreadable", 0, "Links of shapes to a file or a place that is not known, which were left out", d.lost)
	return nil
}

// anchor returns the IDs of the headings of the pages that root lists, to which links on
// other pages may lead.
func (d *reader) anchor(root *zipxml.Element) (ids []string) {
	d.anchors = map[string]string{}
	for page := root.Named("vs:Page"); page != nil; page = page.Same() {
		if len(ids) == maxPages {
			break
		}
		name := pageName(page)
		ids = append(ids, d.ids.Make(name))
		if d.anchors[name] == "" {
			d.anchors[name] = ids[len(ids)-1]
		}
	}
	return ids
}

// sheet is the content of a page.
type sheet struct {
	part    string
	id      string // of its heading
	content *zipxml.Element
	layers  map[string]bool      // that are hidden
	joins   map[string]connector // by ID
	names   map[string]string    // of shapes, by ID; only if there are connectors
}

// page reads page n.
func (d *reader) page(ctx context.Context, body *html.Node, n int, page *zipxml.Element, s sheet) {
	section := d.b.Append(body, atom.Section, "data-slide", fmt.Sprint(n))
	if name := pageName(page); name != "" {
		d.b.Text(d.b.Append(section, atom.H2, "id", s.id), name)
	}
	d.connect(&s)
	for shape := s.content.Get("vs:Shapes").Named("vs:Shape"); shape != nil; shape = shape.Same() {
		d.shape(ctx, section, s, shape, nil, 0)
	}
	for _, comment := range d.said[page.Attr("ID")] {
		var attrs []string
		if author := d.authors[comment.Attr("AuthorID")]; author != "" {
			attrs = append(attrs, "data-author", author)
		}
		ref, li := d.notes.Add(&d.b, "comment", attrs...)
		d.b.Append(section, atom.P).AppendChild(ref)
		d.paragraphs(li, comment.Content(), "")
	}
}

// pageName returns the name of a page.
func pageName(page *zipxml.Element) string {
	return doctree.Clean(cmp.Or(page.Attr("Name"), page.Attr("NameU")))
}

// running writes the headers and footers of printed pages, without their page numbers,
// names and dates. One that has such a field and only one word is left out.
func (d *reader) running(body *html.Node, all *zipxml.Element) {
	var r doctree.Running
	for e := all.First(); e != nil; e = e.Next() {
		var tag atom.Atom
		switch e.Name {
		case "vs:HeaderLeft", "vs:HeaderCenter", "vs:HeaderRight":
			tag = atom.Header
		case "vs:FooterLeft", "vs:FooterCenter", "vs:FooterRight":
			tag = atom.Footer
		default:
			continue
		}
		text, codes := e.Content(), 0
		for _, code := range []string{"&p", "&P", "&n", "&N", "&t", "&T", "&d", "&D", "&f", "&F", "&e"} {
			codes += strings.Count(text, code)
			text = strings.ReplaceAll(text, code, " ")
		}
		if codes == 0 || len(strings.Fields(text)) > 1 {
			n := r.Begin(&d.b, tag)
			d.paragraphs(n, strings.Join(strings.Fields(text), " "), "")
			r.Add(n)
		}
	}
	r.Write(body)
}

// part returns the root of a part, or nil if there is none. It adds a warning if the part
// cannot be read to its end.
func (d *reader) part(ctx context.Context, name string) *zipxml.Element {
	if name == "" {
		return nil
	}
	root, err := d.pkg.XML(ctx, name)
	if err != nil {
		d.doc.WarnPart(name)
	}
	return root
}

// comments reads the comments of all pages.
func (d *reader) comments(ctx context.Context, part string) {
	root := d.part(ctx, part)
	d.authors, d.said = map[string]string{}, map[string][]*zipxml.Element{}
	for e := root.Get("vs:AuthorList").Named("vs:AuthorEntry"); e != nil; e = e.Same() {
		d.authors[e.Attr("ID")] = e.Attr("Name")
	}
	for e := root.Get("vs:CommentList").Named("vs:CommentEntry"); e != nil; e = e.Same() {
		page := e.Attr("PageID")
		d.said[page] = append(d.said[page], e)
	}
}
