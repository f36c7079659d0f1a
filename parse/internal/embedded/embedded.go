// SPDX-License-Identifier: Apache-2.0

// Package embedded reads the documents of other programs that are embedded in
// office documents as objects. It also reads the text of pictures of type WMF and
// EMF.
//
// # Security
//
// Objects are nested documents. The reader that the caller passes bounds their
// depth, their nodes and their bytes. This package bounds the bytes that are
// extracted from containers.
package embedded

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/mathtex"
	"example.com/curlew/internal/sorting"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/picture"
)

// Child reads a document inside a document and returns its body, which has at most
// the given number of nodes. It returns nil if it cannot read the document. name
// and contentType are hints.
type Child func(ctx context.Context, name, contentType string, data []byte, nodes int) *html.Node

// Objects reads the objects of one document.
type Objects struct {
	Child  Child          // nil reads none
	Budget *zipxml.Budget // bounds the bytes extracted from containers, together with other bytes; nil means a bound of their own
	Made   int            // nodes made by Child

	taken  int64    // bytes extracted from containers
	unread []string // names of objects that were not read
}

// maxTaken is the maximum number of bytes extracted from containers for one document.
const maxTaken = 256 << 20

// Left returns how many bytes may still be extracted from containers.
func (o *Objects) Left() int64 {
	left := maxTaken - o.taken
	if o.Budget != nil {
		left = min(left, o.Budget.Left())
	}
	return left
}

// Take counts bytes that were extracted from a container.
func (o *Objects) Take(bytes int) {
	o.taken += int64(bytes)
	if o.Budget == nil {
		return
	}
	o.Budget.Spend(int64(bytes))
	if o.Budget.Grow != nil {
		o.Budget.Grow(int64(bytes))
	}
}

// Figure returns a figure with the name of an object and its content, which has at
// most the given number of nodes. fallback is the name of an object that has none.
// If the object cannot be read, the result has only the name, and the object counts
// as unread.
func (o *Objects) Figure(ctx context.Context, b *doctree.Builder, object cfb.Object, fallback, contentType string, nodes int) *html.Node {
	object = o.open(object)
	name := cmp.Or(object.Name, fallback, object.Program, "object")
	title := name
	if object.Program != "" && object.Program != name {
		title += " (" + object.Program + ")"
	}
	title = doctree.Clean(title)
	figure := b.Element(atom.Figure, "data-role", "object")
	b.Text(b.Append(figure, atom.Figcaption), "Embedded object: "+title)
	if tex := mathtex.MTEF(object.Formula); tex != "" {
		o.Made++ // callers see by it that the object was read
		p := b.Element(atom.P)
		p.AppendChild(b.Math(tex, true))
		return p
	}
	var body *html.Node
	if len(object.Data) > 0 && o.Child != nil && nodes > 0 {
		body = o.Child(ctx, name, contentType, object.Data, nodes)
	}
	if body == nil {
		o.unread = append(o.unread, title)
		return figure
	}
	for n := range body.Descendants() {
		o.Made++
		if n.DataAtom == atom.Section { // it is not a page of the outer document
			n.Data, n.DataAtom = "div", atom.Div
			n.Attr = sorting.Without(slices.Clone(n.Attr), func(a html.Attribute) bool {
				return a.Key == "data-slide" || a.Key == "data-page" || a.Key == "id" && strings.HasPrefix(a.Val, "slide-")
			})
		}
	}
	for c := body.FirstChild; c != nil; c = body.FirstChild {
		body.RemoveChild(c)
		figure.AppendChild(c)
	}
	return figure
}

// Formula returns the formula that an object is, so that it can stand within a line. It
// returns nil if figure is another object.
func Formula(figure *html.Node) *html.Node {
	if figure.DataAtom != atom.P {
		return nil
	}
	math := figure.FirstChild
	figure.RemoveChild(math)
	math.Attr = nil // it is not a block any more
	return math
}

// Storage reads the object that is a storage of a container. It returns nil if the
// object cannot be read.
func (o *Objects) Storage(ctx context.Context, b *doctree.Builder, s *cfb.Storage, nodes int) *html.Node {
	object := s.Object(o.Left())
	o.Take(len(object.Data))
	return o.Read(ctx, b, object, nodes)
}

// Read is like Figure, but returns nil if the object cannot be read.
func (o *Objects) Read(ctx context.Context, b *doctree.Builder, object cfb.Object, nodes int) *html.Node {
	before := len(o.unread)
	figure := o.Figure(ctx, b, object, "", "", nodes)
	if len(o.unread) > before {
		return nil
	}
	return figure
}

// open extracts the document from an object that is a container for it, such as a
// file that the program Packager has embedded.
func (o *Objects) open(object cfb.Object) cfb.Object {
	f, err := cfb.Open(object.Data)
	if err != nil || f.Root.IsDocument() {
		return object
	}
	inner := f.Root.Object(o.Left())
	o.Take(len(inner.Data))
	if inner.Data == nil && inner.Formula == nil {
		return object
	}
	inner.Program = cmp.Or(object.Program, inner.Program)
	inner.Name = cmp.Or(inner.Name, object.Name)
	return inner
}

// Fail counts an object that was not read. program is the program that made it.
func (o *Objects) Fail(program string) {
	o.unread = append(o.unread, cmp.Or(doctree.Clean(program), "object"))
}

// Unread returns how many objects were not read.
func (o *Objects) Unread() int { return len(o.unread) }

// Warn adds a warning for the objects that were not read.
func (o *Objects) Warn(doc *doctree.Document) { doc.WarnObjects(len(o.unread), o.unread) }

// maxMetafiles is the maximum number of bytes of metafiles that are read in one
// document. Pictures are most of the bytes of many documents, but few have text.
const maxMetafiles = 32 << 20

// Metafiles reads the text of pictures that are metafiles.
type Metafiles struct{ size int }

// Full reports whether no more metafiles are read.
func (m *Metafiles) Full() bool { return m.size > maxMetafiles }

// Left returns how many bytes the next metafile may have.
func (m *Metafiles) Left() int64 { return max(maxMetafiles-int64(m.size), 0) }

// Text returns a text box with the text that a picture draws. It returns nil if
// data is not a metafile or has no text.
func (m *Metafiles) Text(b *doctree.Builder, data []byte) *html.Node {
	if m.Full() {
		return nil
	}
	if m.size += len(data); !picture.IsMetafile(data) {
		return nil
	}
	lines := picture.MetafileText(data)
	if len(lines) == 0 {
		return nil
	}
	box := b.Element(atom.Aside, "data-role", "textbox")
	for _, line := range lines {
		b.Text(b.Append(box, atom.P), doctree.Clean(line))
	}
	return box
}
