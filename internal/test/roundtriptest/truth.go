// SPDX-License-Identifier: Apache-2.0

package roundtriptest

import (
	"fmt"
	"html"
	"strings"
)

// Markdown returns the expected result. Tables with spans are HTML on one line
// each. Running headers and page numbers are omitted.
func (d *Document) Markdown() string {
	w := truth{}
	for _, b := range d.Blocks {
		switch b := b.(type) {
		case Heading:
			w.line(strings.Repeat("#", b.Level) + " " + b.Text + "\n")
		case Paragraph:
			w.line(w.spans(b.Text) + "\n")
		case List:
			w.list(b, "")
			w.line("")
		case Table:
			w.table(b)
		case Code:
			w.line("```\n" + strings.Join(b.Lines, "\n") + "\n```\n")
		case Math:
			w.line("$$" + b.Formula.TeX + "$$\n")
		}
	}
	for i, n := range w.notes {
		w.line(fmt.Sprintf("[^%d]: %s\n", i+1, n))
	}
	return strings.TrimRight(w.b.String(), "\n") + "\n"
}

type truth struct {
	b     strings.Builder
	notes []string
}

func (w *truth) line(s string) { w.b.WriteString(s + "\n") }

func (w *truth) spans(all []Span) string {
	var b strings.Builder
	for _, s := range all {
		text := s.Text
		switch {
		case s.Formula != nil:
			text = "$" + s.Formula.TeX + "$"
		case s.Style == Strong:
			text = "**" + text + "**"
		case s.Style == Emphasis:
			text = "*" + text + "*"
		case s.Style == Mono:
			text = "`" + text + "`"
		}
		if s.Link != "" {
			text = "[" + text + "](" + s.Link + ")"
		}
		b.WriteString(text)
		if s.Note != "" {
			w.notes = append(w.notes, s.Note)
			fmt.Fprintf(&b, "[^%d]", len(w.notes))
		}
	}
	return b.String()
}

func (w *truth) list(l List, indent string) {
	for i, item := range l.Items {
		mark := "- "
		if l.Ordered {
			mark = fmt.Sprint(i+1, ". ")
		}
		w.line(indent + mark + w.spans(item.Text))
		if item.Sub != nil {
			w.list(*item.Sub, indent+strings.Repeat(" ", len(mark)))
		}
	}
}

func (w *truth) table(t Table) {
	spanned := false
	for _, row := range t.slots() {
		for _, s := range row {
			spanned = spanned || !s.begins
		}
	}
	if spanned {
		w.line("<table>" + t.rows() + "</table>\n")
		return
	}
	for i, row := range t.Rows {
		for _, c := range row {
			w.b.WriteString("| " + c.Text + " ")
		}
		w.line("|")
		if i == 0 {
			w.line(strings.Repeat("| --- ", len(row)) + "|")
		}
	}
	w.line("")
}

// rows writes the rows of a table as HTML.
func (t Table) rows() string {
	var b strings.Builder
	for i, row := range t.Rows {
		tag := "td"
		if i == 0 {
			tag = "th"
		}
		b.WriteString("<tr>")
		for _, c := range row {
			b.WriteString("<" + tag)
			if c.Across > 1 {
				fmt.Fprintf(&b, ` colspan="%d"`, c.Across)
			}
			if c.Down > 1 {
				fmt.Fprintf(&b, ` rowspan="%d"`, c.Down)
			}
			b.WriteString(">" + html.EscapeString(c.Text) + "</" + tag + ">")
		}
		b.WriteString("</tr>")
	}
	return b.String()
}
