// SPDX-License-Identifier: Apache-2.0

package ooxml

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
)

// Child reads a document inside a document and returns its body, which has at
// most the given number of nodes. It returns nil if it cannot read the document.
// name and contentType are hints.
type Child func(ctx context.Context, name, contentType string, data []byte, nodes int) *html.Node

// Objects reads the documents that are embedded in a package as objects of other
// programs, each part once.
type Objects struct {
	Package *Package
	Child   Child // nil reads none
	Made    int   // nodes made by Child

	seen   map[string]bool
	unread []string // names of objects that were not read
	linked int
}

// Read returns a figure with the name and, if it can be read, the content of the
// object that r leads to, made by program. It returns nil if the object was read
// before, or stands elsewhere. The content has at most the given number of nodes.
func (o *Objects) Read(ctx context.Context, b *doctree.Builder, r Relation, program string, nodes int) *html.Node {
	switch {
	case r.External:
		o.linked++
		return nil
	case r.Target == "":
		o.unread = append(o.unread, cmp.Or(program, "an object without a part"))
		return nil
	case o.seen[r.Target]:
		return nil
	}
	if o.seen == nil {
		o.seen = map[string]bool{}
	}
	o.seen[r.Target] = true
	name := path.Base(r.Target)
	if program != "" {
		name += " (" + program + ")"
	}
	figure := b.Element(atom.Figure, "data-role", "object")
	b.Text(b.Append(figure, atom.Figcaption), "Embedded object: "+doctree.Clean(name))
	body := o.body(ctx, r, nodes)
	if body == nil {
		o.unread = append(o.unread, name)
		return figure
	}
	for n := range body.Descendants() {
		o.Made++
		if n.DataAtom == atom.Section { // no page of the document that holds it
			n.Data, n.DataAtom = "div", atom.Div
			n.Attr = slices.DeleteFunc(slices.Clone(n.Attr), func(a html.Attribute) bool {
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

func (o *Objects) body(ctx context.Context, r Relation, nodes int) *html.Node {
	if o.Child == nil || nodes <= 0 {
		return nil
	}
	data, err := o.Package.Read(r.Target)
	if err != nil {
		return nil
	}
	return o.Child(ctx, path.Base(r.Target), o.Package.ContentType(ctx, r.Target), data, nodes)
}

// Unread returns how many objects were not read.
func (o *Objects) Unread() int { return len(o.unread) + o.linked }

// Warn adds warnings for the objects that were not read.
func (o *Objects) Warn(doc *doctree.Document) {
	doc.WarnObjects(len(o.unread), o.unread)
	if o.linked > 0 {
		doc.Warn("external-part", 0, many(o.linked, "linked object stands elsewhere and was not fetched.", "linked objects stand elsewhere and were not fetched."))
	}
}

// many returns n and the words for it.
func many(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
