// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/pdf/content"
)

// Bounds of the comments of a document.
const (
	maxComments    = 10_000
	maxCommentText = 16 << 20 // bytes
	maxTried       = 1 << 22  // blocks that are tried for the comments of a page
)

// comments are those of all pages, in threads.
type comments struct {
	threads []thread
	byHead  map[int]int // index by the object number of the annotation that began it
	count   int
	bytes   int
	cut     bool // there are more
}

// thread is a comment and its answers, in the order of the document.
type thread struct {
	page  int
	notes []content.Note
}

// add takes up what was written beside a page. An answer to what is no comment,
// such as a bare mark, begins a thread.
func (c *comments) add(page int, n content.Note) {
	if c.count >= maxComments || c.bytes > maxCommentText {
		c.cut = true
		return
	}
	c.count++
	c.bytes += len(n.Text)
	if n.Thread != 0 {
		i, ok := c.byHead[n.Thread]
		if ok && n.Answer {
			c.threads[i].notes = append(c.threads[i].notes, n)
			return
		}
		if ok { // its answers stand before it
			c.threads[i].notes = slices.Insert(c.threads[i].notes, 0, n)
			c.threads[i].page = page
			return
		}
		if c.byHead == nil {
			c.byHead = map[int]int{}
		}
		c.byHead[n.Thread] = len(c.threads)
	}
	c.threads = append(c.threads, thread{page, []content.Note{n}})
}

// annotate writes the comments as notes at the end of body, referred to from the
// blocks that they are on, or stand next to.
func (d *reader) annotate(ctx context.Context, t *tree, body *html.Node) {
	c := &d.comments
	if c.cut {
		d.warn("truncated", 0, "The document has more comments than are read.")
	}
	var notes doctree.Notes
	for len(c.threads) > 0 && ctx.Err() == nil {
		page := c.threads[0].page
		n := 1
		for n < len(c.threads) && c.threads[n].page == page {
			n++
		}
		t.refer(&notes, page, c.threads[:n])
		c.threads = c.threads[n:]
		if t.Count() > t.limit {
			d.warn("truncated", 0, "The document has more comments than its tree may hold.")
			break
		}
	}
	notes.Write(&t.Builder, body)
}

// refer makes notes of the threads of a page, in the order of what they are on.
func (t *tree) refer(notes *doctree.Notes, page int, threads []thread) {
	var spots []commented
	if section := t.pages[page]; section != nil {
		spots = commentable(section, page)
	}
	if len(spots)*len(threads) > maxTried {
		spots = nil
	}
	type placed struct {
		thread *thread
		at     int // index in spots; their number where there is none
	}
	order := make([]placed, len(threads))
	for i := range threads {
		order[i] = placed{&threads[i], nearest(spots, threads[i].notes[0].Box)}
	}
	slices.SortStableFunc(order, func(a, b placed) int {
		return cmp.Or(a.at-b.at, cmp.Compare(a.thread.notes[0].Box.Y0, b.thread.notes[0].Box.Y0))
	})
	for _, p := range order {
		head := &p.thread.notes[0]
		attrs := append(credits(head), "data-page", strconv.Itoa(page))
		if !head.Box.Empty() {
			attrs = append(attrs, "data-bbox", bbox(head.Box))
		}
		ref, li := notes.Add(&t.Builder, "comment", attrs...)
		if p.at < len(spots) {
			insert(spots[p.at].node, ref)
		}
		t.said(li, head.Text)
		f := doctree.Flow{B: &t.Builder, Into: li}
		for i := range p.thread.notes[1:] {
			answer := &p.thread.notes[i+1]
			t.said(f.Item(doctree.Item{Key: "reply"}, credits(answer)...), answer.Text)
		}
	}
}

// credits are the attributes that say who wrote a comment, and when.
func credits(n *content.Note) []string {
	var attrs []string
	if author := line(n.Author); author != "" {
		attrs = append(attrs, "data-author", author)
	}
	if at := date(parseDate(n.Date)); at != "" {
		attrs = append(attrs, "data-date", at)
	}
	return attrs
}

// said writes the text of a comment: a line is a paragraph.
func (t *tree) said(li *html.Node, text string) {
	var lines []string
	for l := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\r' || r == '\n' }) {
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, l)
		}
	}
	if len(lines) == 1 {
		t.Text(li, lines[0])
		return
	}
	for _, l := range lines {
		t.Text(t.Append(li, atom.P), l)
	}
}

// commented is a block that comments may be on.
type commented struct {
	node *html.Node
	box  content.Box
}

// commentable returns the texts of a page: paragraphs, headings, items, cells.
func commentable(section *html.Node, page int) []commented {
	var out []commented
	for n := range section.Descendants() {
		switch n.DataAtom {
		case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Li, atom.Td, atom.Th:
		default:
			continue
		}
		if b := doctree.ParseBox(doctree.Attr(n, "data-bbox")); !b.IsZero() {
			if at := doctree.Attr(n, "data-page"); at == "" || at == strconv.Itoa(page) {
				out = append(out, commented{n, content.Box(b)})
			}
		}
	}
	return out
}

// nearest returns the index of what b is on, the most of it; else what is next
// to it, on the same lines before others. It is the number of spots where there
// are none.
func nearest(spots []commented, b content.Box) int {
	best, at := 0.0, len(spots)
	for i := range spots {
		s := spots[i].box
		score := 1 + max(0, s.Intersect(b).Area())
		if s.Intersect(b).Empty() {
			dx := max(0, s.X0-b.X1, b.X0-s.X1)
			dy := max(0, s.Y0-b.Y1, b.Y0-s.Y1)
			score = 1 / (1 + dx + 8*dy)
		}
		if score > best {
			best, at = score, i
		}
	}
	return at
}

// insert puts a reference behind the text of n, before lists in it.
func insert(n, ref *html.Node) {
	for c := range n.ChildNodes() {
		if c.DataAtom == atom.Ul || c.DataAtom == atom.Ol {
			n.InsertBefore(ref, c)
			return
		}
	}
	n.AppendChild(ref)
}
