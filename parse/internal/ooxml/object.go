// SPDX-License-Identifier: Apache-2.0

package ooxml

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"strings"

	"golang.org/x/net/html"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/embedded"
)

// Objects reads the documents that are embedded in a package as objects of other
// programs, each part once.
type Objects struct {
	Package *Package
	embedded.Objects

	seen   map[string]bool
	linked int
}

// Read returns a figure with the name and, if it can be read, the content of the
// object that r leads to, made by program. It returns nil if the object was read
// before or is outside the package. The content has at most the given number of
// nodes.
func (o *Objects) Read(ctx context.Context, b *doctree.Builder, r Relation, program string, nodes int) *html.Node {
	switch {
	case r.External:
		o.linked++
		return nil
	case r.Target == "":
		o.Fail(cmp.Or(program, "an object without a part"))
		return nil
	case o.seen[r.Target]:
		return nil
	}
	if o.seen == nil {
		o.seen = map[string]bool{}
	}
	o.seen[r.Target] = true
	object := cfb.Object{Program: program}
	if o.Child != nil && nodes > 0 {
		object.Data, _ = o.Package.Read(r.Target) // an object without data counts as unread
	}
	return o.Figure(ctx, b, object, path.Base(r.Target), o.Package.ContentType(ctx, r.Target), nodes)
}

// Ink returns a guess at the handwriting in the part that r leads to, which the program
// that wrote the package may have stored. The strokes count as an object that was not read.
func (o *Objects) Ink(ctx context.Context, r Relation) doctree.Description {
	o.Fail("ink")
	root, _ := o.Package.brief(ctx, r.Target) // if it is damaged, words may be missing in the guess
	var words []string
	for e := range root.Descendants() {
		if e.Name == "?:one-of" { // of EMMA; the best guess is the first one
			words = append(words, strings.Fields(e.Find("?:literal").Content())...)
		}
	}
	return doctree.Description{Guess: strings.Join(words, " ")}
}

// IsInk reports whether an element of a drawing refers to ink. Each kind of document has a
// namespace of its own for it.
func IsInk(e *zipxml.Element) bool { return strings.HasSuffix(e.Name, ":contentPart") }

// Unread returns how many objects were not read.
func (o *Objects) Unread() int { return o.Objects.Unread() + o.linked }

// Warn adds warnings for the objects that were not read.
func (o *Objects) Warn(doc *doctree.Document) {
	o.Objects.Warn(doc)
	if o.linked > 0 {
		doc.Warn("external-part", 0, many(o.linked, "linked object is outside the file and was not fetched.", "linked objects are outside the file and were not fetched."))
	}
}

// many returns n with one, the text for the singular, or more, the text for the plural.
func many(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
