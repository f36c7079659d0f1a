// SPDX-License-Identifier: Apache-2.0

package ppt

import (
	"fmt"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/parse/internal/cfb"
)

// comments adds references to the comments of a slide at its end. Comments
// are stored in the extension records for newer programs ([MS-PPT] 2.5.23).
func (r *reader) comments(section *html.Node, slide []byte) {
	var refs []*html.Node
	for tags := range r.records(slide) {
		if tags.kind != rTags {
			continue
		}
		for tag := range r.records(tags.data) {
			for one := range r.records(r.first(tag.data, rBlob).data) {
				switch {
				case one.kind != rComment:
				case r.room():
					refs = append(refs, r.comment(one.data))
				default:
					r.cut.Others++
				}
			}
		}
	}
	if len(refs) == 0 {
		return
	}
	p := r.b.Append(section, atom.P)
	for _, ref := range refs {
		p.AppendChild(ref)
	}
}

// comment reads one comment and returns its reference.
func (r *reader) comment(b []byte) *html.Node {
	var author, text, date string
	for one := range r.records(b) {
		switch {
		case one.kind == rCString && one.inst == 0:
			author = cfb.UTF16(one.data)
		case one.kind == rCString && one.inst == 1:
			text = cfb.UTF16(one.data)
		case one.kind == rCommentAtom && len(one.data) >= 20 && u16(one.data, 4) > 0: // a SYSTEMTIME
			t := one.data[4:]
			date = fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d", u16(t, 0), u16(t, 2), u16(t, 6), u16(t, 8), u16(t, 10), u16(t, 12))
		}
	}
	var attrs []string
	if author != "" {
		attrs = append(attrs, "data-author", author)
	}
	if date != "" {
		attrs = append(attrs, "data-date", date)
	}
	ref, li := r.said.Add(&r.b, "comment", attrs...)
	r.b.Text(li, text)
	return ref
}
