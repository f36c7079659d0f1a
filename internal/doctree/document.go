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

// Document is the result of a reader of documents.
type Document struct {
	Root     *html.Node // html with head and body
	Meta     Meta
	Warnings []Warning

	unsaid  Unsaid
	covered int
}

// Meta is the metadata of a document.
type Meta struct {
	Title, Author, Subject, Keywords, Description, Language string

	Created, Modified time.Time // zero if unknown
	// Pages is the number of slides, sheets, chapters or pages that were read,
	// and TotalPages the number in the document. Both are zero for kinds
	// without pages.
	Pages, TotalPages int
}

// Warning reports one thing that was lost or unusual.
type Warning struct {
	Code string // a word such as "truncated"
	Page int    // from 1; zero if the warning is not about a single page
	Text string // a sentence
}

// maxWarnings is the maximum number of warnings of a document. One more says
// how many others there are.
const maxWarnings = 100

// Warn appends a warning unless d already has it.
func (d *Document) Warn(code string, page int, text string) {
	w := Warning{code, page, text}
	switch {
	case slices.Contains(d.Warnings, w):
	case len(d.Warnings) < maxWarnings:
		d.Warnings = append(d.Warnings, w)
	default:
		d.unsaid.Add(code)
		d.Warnings = append(d.Warnings[:maxWarnings], Warning{d.unsaid.Code, 0, d.unsaid.Text()})
	}
}

// WarnCount warns of n things that text names, unless n is zero. The warning ends with a
// colon and n.
func (d *Document) WarnCount(code string, page int, text string, n int) {
	if n > 0 {
		d.Warn(code, page, text+": "+strconv.Itoa(n)+".")
	}
}

// Unsaid counts the warnings for which a document has no room.
type Unsaid struct {
	Count int
	Code  string // truncated if one of them has this code, otherwise the code of the first one
}

// Add counts a warning.
func (u *Unsaid) Add(code string) {
	if u.Count++; u.Code == "" || code == "truncated" {
		u.Code = code
	}
}

// Text returns the sentence that stands for the warnings.
func (u *Unsaid) Text() string {
	if u.Count == 1 {
		return "There is 1 more warning."
	}
	return "There are " + strconv.Itoa(u.Count) + " more warnings."
}

// WarnPart warns that a part of the document's container, or its end, could not
// be read, or that it was read although it is damaged.
// Its many callers would be larger if it were inlined.
//
//go:noinline
func (d *Document) WarnPart(part string) {
	d.Warn("part-unreadable", 0, "The part "+part+" was not read completely, or it is damaged.")
}

// WarnHidden says at how many places something was left out that the document
// hides. The text ends with what was done.
func (d *Document) WarnHidden(places int, text string) {
	switch {
	case places == 1:
		d.Warn("hidden-text", 0, text+" at 1 place.")
	case places > 1:
		d.Warn("hidden-text", 0, text+" at "+strconv.Itoa(places)+" places.")
	}
}

// WarnFields says how many fields show a text that the file does not have.
func (d *Document) WarnFields(fields int) {
	d.WarnCount("part-unreadable", 0, "Fields whose text the file does not have", fields)
}

// Cover counts a cell that is left out because a merged cell covers it, if it has text.
func (d *Document) Cover(text bool) {
	if text {
		d.covered++
	}
}

// CoverNode is [Document.Cover] for a cell that has been read.
func (d *Document) CoverNode(cell *html.Node) { d.Cover(textOf(cell) != "") }

// WarnCovered says how many cells were left out because a merged cell covers them.
func (d *Document) WarnCovered() {
	d.WarnHidden(d.covered, "Text of cells that merged cells cover was left out")
}

// WarnChanges says at how many places text of tracked changes was left out, because
// it is deleted, or because changes are read as rejected.
func (d *Document) WarnChanges(places int) {
	switch {
	case places == 1:
		d.Warn("tracked-changes", 0, "Text of tracked changes was left out at 1 place.")
	case places > 1:
		d.Warn("tracked-changes", 0, "Text of tracked changes was left out at "+strconv.Itoa(places)+" places.")
	}
}

// maxNamed is how many objects a warning names.
const maxNamed = 5

// WarnObjects says that so many embedded objects were not read, and names them
// as far as their names are known.
func (d *Document) WarnObjects(count int, names []string) {
	if count == 0 {
		return
	}
	text := "1 embedded object was not read"
	if count > 1 {
		text = strconv.Itoa(count) + " embedded objects were not read"
	}
	if len(names) > 0 {
		text += ": " + Clean(strings.Join(names[:min(len(names), maxNamed)], ", "))
		if len(names) > maxNamed {
			text += ", …"
		}
	}
	d.Warn("attachment-unread", 0, text+".")
}

// Begin creates the nodes that every tree has, adds d.Meta to the head, and
// returns the body.
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

// Time parses a date in the forms that documents use. It returns zero if the
// date is not valid.
func Time(s string) time.Time {
	s = strings.TrimSpace(s)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02", "2006-01", "2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	return time.Time{}
}

// Size returns the size of a file as text, in KiB or MiB from 10 on.
func Size(bytes int) string {
	switch {
	case bytes >= 10<<20:
		return strconv.Itoa(bytes>>20) + " MiB"
	case bytes >= 10<<10:
		return strconv.Itoa(bytes>>10) + " KiB"
	}
	return strconv.Itoa(bytes) + " bytes"
}

// Math returns the element for a formula in TeX.
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

// Checkbox returns a checkbox.
func (b *Builder) Checkbox(checked bool) *html.Node {
	if checked {
		return b.Element(atom.Input, "type", "checkbox", "disabled", "", "checked", "")
	}
	return b.Element(atom.Input, "type", "checkbox", "disabled", "")
}

// Href returns target if it is safe in a link, or "" if it would run a script.
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

// Rows appends rows of text to table. The first row becomes the head.
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

// Unwrap replaces the only child of n, such as a cell, by its content, if it is
// a paragraph without attributes.
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
