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
	maxThread = 100 // depth of replies
)

// queued is a note whose content has not been read yet.
type queued struct {
	kind   string
	source *zipxml.Element
	node   *html.Node
}

// reference reads a reference to a note. The note itself is read at the end.
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
		if source == nil {
			d.noteless++
		}
		return
	}
	if ref := d.noted[source]; ref != nil {
		in.line.Node(d.notes.Again(&d.b, ref), in.change)
		return
	}
	if kind == "comments" && d.parent(ctx, source) != "" {
		return // replies are listed below the first comment
	}
	in.line.Node(d.enqueue(kind, source), in.change)
}

// enqueue queues a note and returns the node that refers to it.
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

// mention records which comments e refers to, even if e is left out: a
// comment on deleted or hidden text is left out with it.
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

// queueUnreferenced queues the comments without a reference. They come after all
// others.
func (d *reader) queueUnreferenced(ctx context.Context) {
	if !d.commented {
		return
	}
	_ = d.source(ctx, "comments", "") // reads the part
	for e := d.sources["comments"].Named("w:comment"); e != nil; e = e.Same() {
		if d.mentioned[e.Attr("w:id")] || d.parent(ctx, e) != "" {
			continue
		}
		if len(d.queue) >= maxNotes || !d.room() {
			d.cut.Others++
			d.leave(e)
			continue
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

// source returns the note with an ID, or nil if there is none. Notes with a
// type are separators and ignored.
func (d *reader) source(ctx context.Context, kind, id string) *zipxml.Element {
	if d.sources == nil {
		d.sources = map[string]*zipxml.Element{}
	}
	if _, read := d.sources[kind]; !read {
		root := d.xml(ctx, d.notePart(ctx, kind))
		d.sources[kind] = root
		for e := root.First(); e != nil; e = e.Next() {
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

// parent returns the paragraph ID of the first comment in the thread of a
// comment, or "" if the comment is the first. Replies to replies belong to
// the same thread.
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
	return "" // the comments reply to each other in a loop
}

// thread reads which comment replies to which. A reply to an unknown comment
// is a comment of its own.
func (d *reader) thread(ctx context.Context) {
	d.answers, d.threads = map[string]string{}, map[string][]*zipxml.Element{}
	known := map[string]bool{}
	for e := d.sources["comments"].Named("w:comment"); e != nil; e = e.Same() {
		known[paragraphID(e)] = true
	}
	for e := d.xml(ctx, d.notePart(ctx, "commentsExtended")).Named("w15:commentEx"); e != nil; e = e.Same() {
		if id, parent := e.Attr("w15:paraId"), e.Attr("w15:paraIdParent"); id != "" && parent != "" && known[parent] {
			d.answers[id] = parent
		}
	}
	for e := d.sources["comments"].Named("w:comment"); e != nil; e = e.Same() {
		if id := d.parent(ctx, e); id != "" {
			d.threads[id] = append(d.threads[id], e)
		}
	}
}

// paragraphID returns the ID of a comment's last paragraph, which replies
// refer to.
func paragraphID(comment *zipxml.Element) string {
	id := ""
	for p := comment.Named("w:p"); p != nil; p = p.Same() {
		id = p.Attr("w14:paraId")
	}
	return id
}

// writeNotes reads the notes in the order of their references, then the
// comments without a reference. Notes may refer to other notes.
func (d *reader) writeNotes(ctx context.Context) {
	d.writeQueue(ctx, 0)
	n := len(d.queue)
	d.queueUnreferenced(ctx)
	d.writeQueue(ctx, n)
	for _, kind := range [...]string{"footnotes", "endnotes"} {
		_ = d.source(ctx, kind, "") // reads the part
		for e := d.sources[kind].First(); e != nil; e = e.Next() {
			if t := e.Attr("w:type"); (t == "" || t == "normal") && d.noted[e] == nil && e.Says("w:t") {
				d.loose++
			}
		}
	}
}

// writeQueue reads the queued notes from index i on.
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

// replies adds the replies to a comment as a list.
func (d *reader) replies(ctx context.Context, part string, q queued) {
	id := paragraphID(q.source)
	f := doctree.Flow{B: &d.b, Into: q.node}
	for _, e := range d.threads[id] {
		li := f.Item(doctree.Item{Key: "reply"}, commentAttrs(e)...)
		d.within(ctx, part, li, e)
		doctree.Unwrap(li)
	}
	delete(d.threads, id) // another comment with the same ID gets no replies
}
