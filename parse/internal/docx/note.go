// SPDX-License-Identifier: Apache-2.0

package docx

import (
	"context"

	"golang.org/x/net/html"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
)

const (
	maxNotes  = 50_000
	maxThread = 100 // answers to answers
)

// queued is a note whose content is still to be read.
type queued struct {
	kind   string
	source *zipxml.Element
	node   *html.Node
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
	if kind == "comments" && d.parent(ctx, source) != "" {
		return // stands with what it answers
	}
	in.line.Node(d.enqueue(kind, source), in.change)
}

// enqueue makes a note that is read later, and returns what refers to it.
func (d *reader) enqueue(kind string, source *zipxml.Element) *html.Node {
	label, attrs := "", []string(nil)
	if kind == "comments" {
		label, attrs = "comment", commentAttrs(source)
	}
	ref, node := d.notes.Add(&d.b, label, attrs...)
	if d.noted == nil {
		d.noted = map[*zipxml.Element]*html.Node{}
	}
	d.noted[source] = ref
	d.queue = append(d.queue, queued{kind, source, node})
	return ref
}

// mention keeps which comments e refers to, whether that is read or not: a
// comment on what was deleted or is hidden goes with it.
func (d *reader) mention(e *zipxml.Element) {
	if !d.commented {
		return
	}
	for c := range e.Descendants() {
		if c.Name == "w:commentReference" {
			if d.mentioned == nil {
				d.mentioned = map[string]bool{}
			}
			d.mentioned[c.Attr("w:id")] = true
		}
	}
}

// strays makes notes of the comments that nothing refers to. They stand behind
// the others, without a place in the text.
func (d *reader) strays(ctx context.Context) {
	if !d.commented {
		return
	}
	_ = d.source(ctx, "comments", "") // reads the part
	for e := range d.sources["comments"].All("w:comment") {
		if d.mentioned[e.Attr("w:id")] || d.parent(ctx, e) != "" {
			continue
		}
		if len(d.queue) >= maxNotes || !d.room() {
			return
		}
		d.enqueue("comments", e)
	}
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

// parent returns the paragraph id of the comment that began the thread of a
// comment, "" if it did itself. Answers to answers stand with the others.
func (d *reader) parent(ctx context.Context, comment *zipxml.Element) string {
	if d.answers == nil {
		d.thread(ctx)
	}
	id := d.answers[paragraphID(comment)]
	for range maxThread {
		up := d.answers[id]
		if up == "" {
			return id
		}
		id = up
	}
	return "" // they answer each other
}

// thread reads which comment answers which. An answer to nothing is a comment
// of its own.
func (d *reader) thread(ctx context.Context) {
	d.answers, d.threads = map[string]string{}, map[string][]*zipxml.Element{}
	known := map[string]bool{}
	for e := range d.sources["comments"].All("w:comment") {
		known[paragraphID(e)] = true
	}
	for e := range d.xml(ctx, d.notePart(ctx, "commentsExtended")).All("w15:commentEx") {
		if id, parent := e.Attr("w15:paraId"), e.Attr("w15:paraIdParent"); id != "" && parent != "" && known[parent] {
			d.answers[id] = parent
		}
	}
	for e := range d.sources["comments"].All("w:comment") {
		if id := d.parent(ctx, e); id != "" {
			d.threads[id] = append(d.threads[id], e)
		}
	}
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

// writeNotes reads the notes that were referred to, in that order, then the
// comments that were not. Notes may refer to others.
func (d *reader) writeNotes(ctx context.Context) {
	d.writeQueue(ctx, 0)
	n := len(d.queue)
	d.strays(ctx)
	d.writeQueue(ctx, n)
}

// writeQueue reads the notes from number i on.
func (d *reader) writeQueue(ctx context.Context, i int) {
	for ; i < len(d.queue) && ctx.Err() == nil; i++ {
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
	f := doctree.Flow{B: &d.b, Into: q.node}
	for _, e := range d.threads[id] {
		li := f.Item(doctree.Item{Key: "reply"}, commentAttrs(e)...)
		d.within(ctx, part, li, e)
		doctree.Unwrap(li)
	}
	delete(d.threads, id) // another comment of that id has none
}
