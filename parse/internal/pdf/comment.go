// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
)

// Limits of the comments of a document.
const (
	maxComments    = 10_000
	maxCommentText = 16 << 20 // bytes
	maxTried       = 1 << 22  // pairs of a block and a comment that are compared on one page
)

// comments are the comments of all pages, grouped into threads.
type comments struct {
	threads []thread
	byHead  map[int]int // index in threads by the object number of the first annotation of the thread
	count   int
	bytes   int
	lost    int // comments that a limit left out
	first   int // first page with such a comment
}

// thread is a comment with its replies, in document order.
type thread struct {
	page  int
	notes []content.Note
}

// add adds the annotation n of a page. A reply to an annotation that is not
// a comment, such as a highlight without text, begins a thread of its own.
func (c *comments) add(page int, n content.Note) {
	if c.count >= maxComments || c.bytes > maxCommentText {
		c.lose(page, 1)
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
		if ok { // the replies came before the comment
			c.threads[i].notes = sorting.Insert(c.threads[i].notes, 0, n)
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

// lose counts n comments of a page that a limit leaves out.
func (c *comments) lose(page, n int) {
	if c.lost == 0 || n > 0 && page < c.first {
		c.first = page
	}
	c.lost += n
}

// annotate writes the comments as notes at the end of body. Each note is
// referenced from the block that the comment covers or from the nearest
// block.
func (d *reader) annotate(ctx context.Context, t *tree, body *html.Node) {
	c := &d.comments
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
			for _, left := range c.threads {
				c.lose(left.page, len(left.notes))
			}
			break
		}
	}
	if c.lost > 0 {
		d.warn("truncated", c.first, fmt.Sprintf("The document has more comments than are read: from this page on, %d were left out.", c.lost))
	}
	notes.Write(&t.Builder, body)
}

// refer adds notes for the threads of a page, in the order of the blocks
// that they belong to.
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
		at     int // index in spots, or len(spots) if no block fits
	}
	order := make([]placed, len(threads))
	for i := range threads {
		order[i] = placed{&threads[i], nearest(spots, threads[i].notes[0].Box)}
	}
	sorting.Stable(order, func(a, b placed) int {
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

// credits returns the attributes for the author and the date of a comment.
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

// said writes the text of a comment. A comment of several lines becomes one
// paragraph per line.
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

// commented is a block to which comments can belong.
type commented struct {
	node *html.Node
	box  content.Box
}

// commentable returns the blocks of text of a page: paragraphs, headings,
// list items and table cells.
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

// nearest returns the index of the spot with the largest overlap with b. If
// none overlaps, it returns the spot with the smallest distance, where
// vertical distance counts eight times as much as horizontal distance. The
// result is len(spots) if there are no spots.
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

// insert inserts a reference after the text of n and before the lists in n.
func insert(n, ref *html.Node) {
	for c := range n.ChildNodes() {
		if c.DataAtom == atom.Ul || c.DataAtom == atom.Ol {
			n.InsertBefore(ref, c)
			return
		}
	}
	n.AppendChild(ref)
}
