// SPDX-License-Identifier: Apache-2.0

package pptx

import (
	"context"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/ooxml"
)

// comments adds references to the comments of a slide at its end.
func (d *reader) comments(ctx context.Context, section *html.Node, relations ooxml.Relations) {
	t := threads{d: d, byID: map[string]*doctree.Flow{}}
	for _, r := range relations.All() {
		if r.Type != "comments" || r.External {
			continue
		}
		for c := d.part(ctx, r.Target).First(); c != nil; c = c.Next() {
			if c.Name == "p:cm" || c.Name == "p188:cm" {
				t.comment(ctx, c)
			}
		}
	}
	if len(t.refs) == 0 {
		return
	}
	p := d.b.Append(section, atom.P)
	for _, ref := range t.refs {
		p.AppendChild(ref)
	}
}

// threads are the comments of a slide. A modern comment contains its
// replies. A reply to a legacy comment refers to it by author and index.
type threads struct {
	d    *reader
	refs []*html.Node
	byID map[string]*doctree.Flow // content of each comment
}

func (t *threads) comment(ctx context.Context, e *zipxml.Element) {
	parent := e.Get("p:extLst").Find("p15:parentCm")
	if f := t.byID[idOf(parent)]; parent != nil && f != nil {
		t.answer(ctx, f, e)
		t.byID[idOf(e)] = f
		return
	}
	ref, li := t.d.notes.Add(&t.d.b, "comment", t.d.said(ctx, e)...)
	t.refs = append(t.refs, ref)
	t.d.saying(ctx, li, e)
	f := &doctree.Flow{B: &t.d.b, Into: li}
	for reply := e.Get("p188:replyLst").Named("p188:reply"); reply != nil; reply = reply.Same() {
		t.answer(ctx, f, reply)
	}
	t.byID[idOf(e)] = f
}

// idOf returns the key of a legacy comment.
func idOf(e *zipxml.Element) string { return e.Attr("authorId") + " " + e.Attr("idx") }

// answer adds a reply to the thread f.
func (t *threads) answer(ctx context.Context, f *doctree.Flow, e *zipxml.Element) {
	t.d.saying(ctx, f.Item(doctree.Item{Key: "reply"}, t.d.said(ctx, e)...), e)
}

// saying writes the text of a comment.
func (d *reader) saying(ctx context.Context, li *html.Node, e *zipxml.Element) {
	if text := e.Get("p:text"); text != nil {
		d.b.Text(li, text.Content())
		return
	}
	s := &slide{d: d, flow: &doctree.Flow{B: &d.b, Into: li}}
	s.text(ctx, e.Get("p188:txBody"), styles{})
}

// said returns the author and the date of a comment as attributes.
func (d *reader) said(ctx context.Context, e *zipxml.Element) []string {
	if d.authors == nil {
		d.authors = map[string]string{}
		relations := d.pkg.Relations(ctx, d.main)
		for _, kind := range []string{"commentAuthors", "authors"} {
			for a := d.part(ctx, relations.Part(kind)).First(); a != nil; a = a.Next() {
				if a.Name != "" {
					d.authors[a.Attr("id")] = a.Attr("name")
				}
			}
		}
	}
	var attrs []string
	if name := d.authors[e.Attr("authorId")]; name != "" {
		attrs = append(attrs, "data-author", name)
	}
	for _, key := range []string{"dt", "created"} {
		if date := e.Attr(key); date != "" {
			attrs = append(attrs, "data-date", date)
		}
	}
	return attrs
}
