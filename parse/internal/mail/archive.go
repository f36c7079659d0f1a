// SPDX-License-Identifier: Apache-2.0

package mail

import (
	"context"
	"slices"

	"example.com/curlew/internal/doctree"
)

// archive returns the tree of a web archive (RFC 2557): the page named as
// the start, or the first one, with the pages of its frames inserted. It
// returns nil if there is no page.
func archive(ctx context.Context, e entity, l *Message, o Options) (*doctree.Document, error) {
	root := slices.IndexFunc(l.Parts, func(p Part) bool { return p.Message == nil && isHTML(p.ContentType) })
	if root < 0 {
		return nil, context.Cause(ctx)
	}
	d := newBuilder(o)
	place := func(key string, r *resource) {
		if key != "" && d.files[key] == nil {
			d.files[key] = r
		}
	}
	for _, a := range l.Attachments {
		r := &resource{data: a.Data, contentType: a.ContentType, location: a.Location}
		place(a.Location, r)
		if a.ID != "" {
			place("cid:"+a.ID, r)
		}
	}
	var pages []*resource
	for i, p := range l.Parts {
		if i != root {
			r := &resource{data: p.Data, contentType: p.ContentType, location: p.Location}
			place(p.Location, r)
			pages = append(pages, r)
		}
	}
	page := l.Parts[root]
	if page.Location == "" {
		page.Location = e.text("snapshot-content-location")
	}
	if page.Location == "" {
		page.Location = location(e)
	}
	inner, title := d.page(ctx, page, 0)
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if inner == nil {
		return nil, nil
	}
	for _, w := range l.Warnings {
		d.doc.Warn(w.Code, w.Page, w.Text)
	}
	if title == "" {
		title = l.Subject
	}
	d.doc.Meta.Title, d.doc.Meta.Created = title, l.Sent
	d.move(d.doc.Begin(&d.b, "mhtml"), inner)
	unused := 0
	for _, r := range pages {
		if !r.used {
			unused++
		}
	}
	d.doc.WarnCount("part-unreadable", 0, "Pages and texts of the archive that its page does not show, and that were left out", unused)
	d.report()
	return d.doc, nil
}
