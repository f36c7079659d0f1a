// SPDX-License-Identifier: Apache-2.0

package sheet

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
)

type comment struct {
	row, column int
	remark
	replies []remark
}

// remark is a comment or a reply.
type remark struct{ author, date, text string }

// Comment adds a comment to a cell. date is empty if unknown.
func (s *Sheet) Comment(row, column int, author, date, text string) {
	if thread := threadOf(text); thread != nil {
		for _, said := range thread {
			s.Reply(row, column, "", date, said)
		}
		return
	}
	if text == "" || s.remarks >= maxRanges {
		return
	}
	s.remarks++
	if s.latest == nil {
		s.latest = map[uint64]int{}
	}
	s.latest[place(row, column)] = len(s.comments)
	s.comments = append(s.comments, comment{row: row, column: column, remark: remark{strings.TrimSpace(author), date, text}})
}

// Reply adds a reply to the latest comment of a cell. If there is none, it
// adds a comment.
func (s *Sheet) Reply(row, column int, author, date, text string) {
	i, ok := s.latest[place(row, column)]
	if !ok {
		s.Comment(row, column, author, date, text)
		return
	}
	if text != "" && s.remarks < maxRanges {
		s.remarks++
		s.comments[i].replies = append(s.comments[i].replies, remark{author, date, text})
	}
}

// threadOf returns the texts of a comment thread from the copy that Excel
// writes for older programs: a notice with a link, then each text, indented
// below a label. It returns nil for other comments.
func threadOf(text string) []string {
	const link = "https://go.microsoft.com/fwlink/?linkid=870924"
	_, said, ok := strings.Cut(text, link)
	if !ok || !strings.HasPrefix(text, "[") {
		return nil
	}
	var thread []string
	for line := range strings.Lines(said) {
		line = strings.TrimRight(line, " \r\n")
		switch rest, indented := strings.CutPrefix(line, "    "); {
		case line == "":
		case !indented:
			thread = append(thread, "")
		case len(thread) > 0:
			thread[len(thread)-1] = strings.TrimSpace(thread[len(thread)-1] + "\n" + rest)
		}
	}
	return thread
}

// note adds a note for comment i and returns its reference.
func (l *layout) note(i int) *html.Node {
	c := l.comments[i]
	l.written[i] = true
	ref, li := l.book.notes.Add(&l.book.B, "comment", c.attrs()...)
	writeLines(&l.book.B, l.book.B.Append(li, atom.P), c.text)
	f := doctree.Flow{B: &l.book.B, Into: li}
	for _, r := range c.replies {
		writeLines(&l.book.B, f.Item(doctree.Item{Key: "reply"}, r.attrs()...), r.text)
	}
	return ref
}

// attrs returns the author and the date as attributes.
func (r remark) attrs() (attrs []string) {
	if r.author != "" {
		attrs = append(attrs, "data-author", r.author)
	}
	if r.date != "" {
		attrs = append(attrs, "data-date", r.date)
	}
	return attrs
}

// writeLines writes text line by line.
func writeLines(b *doctree.Builder, into *html.Node, text string) {
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if i > 0 {
			b.Append(into, atom.Br)
		}
		b.Text(into, strings.TrimSpace(line))
	}
}

// rest writes the comments of cells that show nothing or are in a grid.
func (l *layout) rest() {
	for i, c := range l.comments {
		if l.written[i] || !l.book.Room() {
			continue
		}
		p := l.book.B.Append(l.Node, atom.P)
		l.book.B.Text(p, Address(c.row, c.column))
		p.AppendChild(l.note(i))
	}
}
