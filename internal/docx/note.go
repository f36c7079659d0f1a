// SPDX-License-Identifier: Apache-2.0

package docx

import (
	"context"

	"golang.org/x/net/html"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
)

const maxNotes = 50_000

// queued is a note whose content is still to be read.
type queued struct {
	kind, id string
	source   *zipxml.Element
	node     *html.Node
}

// reference reads a reference to a note: the note itself is read at the end.
func (in *inline) reference(ctx context.Context, e *zipxml.Element) {
	d := in.d
	kind, id := "footnotes", e.Attr("w:id")
	switch e.Name {
	case "w:endnoteReference":
		kind = "endnotes"
	case "w:commentReference":
		kind = "comments"
	}
	source := d.source(ctx, kind, id)
	if source == nil || len(d.queue) >= maxNotes {
		return
	}
	if ref := d.noted[source]; ref != nil {
		in.line.Node(d.notes.Again(&d.b, ref), in.change)
		return
	}
	label, attrs := "", []string(nil)
	if kind == "comments" {
		if d.parent(ctx, source) != "" {
			return // stands with what it answers
		}
		label, attrs = "comment", commentAttrs(source)
	}
	ref, node := d.notes.Add(&d.b, label, attrs...)
	if d.noted == nil {
		d.noted = map[*zipxml.Element]*html.Node{}
	}
	d.noted[source] = ref
	d.queue = append(d.queue, queued{kind, id, source, node})
	in.line.Node(ref, in.change)
}

func commentAttrs(e *zipxml.Element) []string {
	var attrs []string
	if author := e.Attr("w:author"); author != "" {
		attrs = append(attrs, "data-author", author)
	}
	if date := e.Attr("w:date"); date != "" {
		attrs = append(attrs, "data-date", date)
	}
	return attrs
}

// source returns the note of that id, nil where there is none. Notes with a
// type are separators.
func (d *reader) source(ctx context.Context, kind, id string) *zipxml.Element {
	if d.sources == nil {
		d.sources = map[string]*zipxml.Element{}
	}
	if _, read := d.sources[kind]; !read {
		root := d.xml(ctx, d.notePart(ctx, kind))
		d.sources[kind] = root
		for e := range root.Children() {
			key := kind + " " + e.Attr("w:id")
			if t := e.Attr("w:type"); e.Name != "" && d.sources[key] == nil && (t == "" || t == "normal") {
				d.sources[key] = e
			}
		}
	}
	return d.sources[kind+" "+id]
}

func (d *reader) notePart(ctx context.Context, kind string) string {
	return d.pkg.Relations(ctx, d.mainPart).Part(kind)
}

// parent returns the paragraph id of the comment that a comment answers, "" if
// it answers none.
func (d *reader) parent(ctx context.Context, comment *zipxml.Element) string {
	if d.answers == nil {
		d.answers = map[string]string{}
		for e := range d.xml(ctx, d.notePart(ctx, "commentsExtended")).All("w15:commentEx") {
			if parent := e.Attr("w15:paraIdParent"); parent != "" {
				d.answers[e.Attr("w15:paraId")] = parent
			}
		}
	}
	return d.answers[paragraphID(comment)]
}

// paragraphID returns the id of a comment's last paragraph, by which answers
// know it.
func paragraphID(comment *zipxml.Element) string {
	id := ""
	for p := range comment.All("w:p") {
		id = p.Attr("w14:paraId")
	}
	return id
}

// writeNotes reads the notes that were referred to, in that order. Notes may
// refer to others.
func (d *reader) writeNotes(ctx context.Context) {
	for i := 0; i < len(d.queue) && ctx.Err() == nil; i++ {
		q := d.queue[i]
		part := d.notePart(ctx, q.kind)
		d.within(ctx, part, q.node, q.source)
		doctree.Unwrap(q.node)
		if q.kind == "comments" {
			d.replies(ctx, part, q)
		}
	}
}

// replies puts the answers to a comment into a list below it.
func (d *reader) replies(ctx context.Context, part string, q queued) {
	id := paragraphID(q.source)
	if id == "" {
		return
	}
	f := doctree.Flow{B: &d.b, Into: q.node}
	for e := range d.sources["comments"].All("w:comment") {
		if d.parent(ctx, e) != id {
			continue
		}
		li := f.Item(doctree.Item{Key: "reply"}, commentAttrs(e)...)
		d.within(ctx, part, li, e)
		doctree.Unwrap(li)
	}
}
