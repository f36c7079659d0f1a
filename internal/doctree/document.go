// SPDX-License-Identifier: Apache-2.0

package doctree

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Document is what a reader of office documents makes.
type Document struct {
	Root     *html.Node // html > head, body
	Meta     Meta
	Warnings []Warning
}

// Meta is what a document says of itself.
type Meta struct {
	Title, Author, Subject, Keywords, Description, Language string

	Created, Modified time.Time // zero where unknown
	Pages, TotalPages int       // slides, sheets, chapters or the pages that the document claims, read and there; zero where the kind has none
}

// Warning is one thing that was lost or odd.
type Warning struct {
	Code string // of parse.md 4.1
	Page int    // from 1; zero where it is not of one page
	Text string // a sentence
}

// maxWarnings is how many warnings of a document are kept.
const maxWarnings = 100

// Warn appends a warning unless d has it already.
func (d *Document) Warn(code string, page int, text string) {
	if len(d.Warnings) >= maxWarnings {
		return
	}
	if w := (Warning{code, page, text}); !slices.Contains(d.Warnings, w) {
		d.Warnings = append(d.Warnings, w)
	}
}

// WarnPart says that a part of the document's container is lost, or its end.
func (d *Document) WarnPart(part string) {
	d.Warn("part-unreadable", 0, "The part "+part+" could not be read, or not to its end.")
}

// Begin makes the nodes that every tree has, with what d.Meta says in the
// head, and returns the body.
func (d *Document) Begin(b *Builder, kind string) (body *html.Node) {
	m := &d.Meta
	for _, s := range []*string{&m.Title, &m.Author, &m.Subject, &m.Keywords, &m.Description, &m.Language} {
		*s = strings.Join(strings.Fields(*s), " ")
	}
	doc, head, body := b.Document(kind, m.Language, m.Title)
	d.Root = doc
	meta := func(name, content string) {
		if content != "" {
			b.Append(head, atom.Meta, "name", name, "content", content)
		}
	}
	meta("author", m.Author)
	meta("description", m.Description)
	meta("subject", m.Subject)
	meta("keywords", m.Keywords)
	if !m.Created.IsZero() {
		meta("date", m.Created.UTC().Format(time.RFC3339))
	}
	if !m.Modified.IsZero() {
		meta("last-modified", m.Modified.UTC().Format(time.RFC3339))
	}
	return body
}

// Time reads a date as documents write it, zero where it is none.
func Time(s string) time.Time {
	s = strings.TrimSpace(s)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02", "2006-01", "2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	return time.Time{}
}

// Size returns the size of a file as it stands behind its name: KiB and MiB
// from 10 on.
func Size(bytes int) string {
	switch {
	case bytes >= 10<<20:
		return strconv.Itoa(bytes>>20) + " MiB"
	case bytes >= 10<<10:
		return strconv.Itoa(bytes>>10) + " KiB"
	}
	return strconv.Itoa(bytes) + " bytes"
}

// Math returns a formula given as TeX.
func (b *Builder) Math(tex string, display bool) *html.Node {
	named := func(name string, attrs ...html.Attribute) *html.Node {
		n := b.node()
		n.Type, n.Data, n.DataAtom, n.Namespace, n.Attr = html.ElementNode, name, atom.Lookup([]byte(name)), "math", attrs
		return n
	}
	var attrs []html.Attribute
	if display {
		attrs = append(attrs, html.Attribute{Key: "display", Val: "block"})
	}
	math, semantics, text := named("math", attrs...), named("semantics"), named("mtext")
	annotation := named("annotation", html.Attribute{Key: "encoding", Val: "application/x-tex"})
	math.AppendChild(semantics)
	semantics.AppendChild(text)
	semantics.AppendChild(annotation)
	b.Text(text, tex)
	b.Text(annotation, tex)
	return math
}

// Checkbox returns a box, checked or not.
func (b *Builder) Checkbox(checked bool) *html.Node {
	if checked {
		return b.Element(atom.Input, "type", "checkbox", "disabled", "", "checked", "")
	}
	return b.Element(atom.Input, "type", "checkbox", "disabled", "")
}

// Href returns target as a link may have it, "" where it would run something.
func Href(target string) string {
	target = strings.TrimSpace(target)
	bare := strings.ToLower(strings.Map(func(r rune) rune {
		if r <= ' ' {
			return -1
		}
		return r
	}, target))
	for _, scheme := range []string{"javascript:", "vbscript:", "data:"} {
		if strings.HasPrefix(bare, scheme) {
			return ""
		}
	}
	return target
}

// Rows appends rows of text to table; the first is its head.
func (b *Builder) Rows(table *html.Node, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	section, cell := b.Append(table, atom.Thead), atom.Th
	for i, row := range rows {
		if i == 1 {
			section, cell = b.Append(table, atom.Tbody), atom.Td
		}
		tr := b.Append(section, atom.Tr)
		for _, text := range row {
			b.Text(b.Append(tr, cell), text)
		}
	}
}

// Unwrap replaces the paragraph of n, such as a cell, by what stands in it, if
// n has nothing else and the paragraph no attributes.
func Unwrap(n *html.Node) {
	p := n.FirstChild
	if p == nil || p.NextSibling != nil || p.DataAtom != atom.P || len(p.Attr) > 0 {
		return
	}
	n.RemoveChild(p)
	for c := p.FirstChild; c != nil; c = p.FirstChild {
		p.RemoveChild(c)
		n.AppendChild(c)
	}
}
