// SPDX-License-Identifier: Apache-2.0

package mail

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/sorting"
)

// ErrMalformed means that the data is neither a message nor a web archive.
var ErrMalformed = errors.New("malformed")

// Options control how a message is read.
type Options struct {
	Hidden doctree.Hidden // what becomes of text that a page hides

	Nodes int // nodes of the tree; zero means 2,000,000. The rest is left out, with a warning

	// Child reads a document inside the message and returns its body, which
	// has at most the given number of nodes. It returns nil if it cannot
	// read the document. name and contentType are hints. If Child is nil,
	// such documents are not read.
	Child func(ctx context.Context, name, contentType string, data []byte, nodes int) *html.Node
}

// Message is a parsed message.
type Message struct {
	Subject     string
	Fields      []Field // From, To, Cc, Date; empty ones are ignored
	Author      string
	Sent        time.Time // zero if unknown
	Parts       []Part    // body parts, in order
	Attachments []Attachment
	Warnings    []doctree.Warning

	calendars map[string]bool // entries of the calendars among Parts
}

// Field is one header field to show.
type Field struct{ Name, Value string }

// Part is one part of the body.
type Part struct {
	ContentType   string // text/plain or text/html with charset; other types are passed to Options.Child
	Data          []byte
	Flowed, DelSp bool     // parameters of RFC 3676
	Location      string   // base URL of its links
	Message       *Message // a message inside this one; all other fields are empty then
}

// Attachment is an attached file.
type Attachment struct {
	Name, ContentType string
	ID, Location      string // names by which the body refers to it
	Data              []byte
	Message           *Message // an attached message; Data is empty then
}

// builder makes the tree of one message.
type builder struct {
	options Options
	b       doctree.Builder
	doc     *doctree.Document
	ids     doctree.IDs
	foreign int // number of nodes made by other packages
	files   map[string]*resource
	screen  dom.Screen // of pages
	omitted omitted
}

// omitted counts what was left out because the tree has reached its limit.
type omitted struct {
	parts, attachments int
	events             int // events of calendars
	bytes              int // bytes of texts that were read only in part
	frames             int // includes frames that are nested too deeply or used too often
}

// report adds the warnings about what was left out. nodes is the
// maximum number of nodes of the tree, which a warning names.
func (o *omitted) report(d *doctree.Document, nodes int) {
	var list []string
	for _, c := range []struct {
		n    int
		name string
	}{{o.parts, "parts"}, {o.attachments, "attachments"}, {o.events, "events"}, {o.bytes, "bytes of text"}} {
		if c.n > 0 {
			list = append(list, fmt.Sprintf("%d %s", c.n, c.name))
		}
	}
	if len(list) > 0 {
		d.Warn("truncated", 0, fmt.Sprintf("The message needs more than %d nodes: left out: %s.", nodes, strings.Join(list, ", ")))
	}
	d.WarnCount("truncated", 0, "Frames that were left out, because they are nested too deeply or the message is too large", o.frames)
}

// resource is a file that a body may refer to.
type resource struct {
	data        []byte
	contentType string
	location    string // base URL of its links
	used        bool
	depth       int // number of times it was used as a frame
}

// Build makes the tree of l with the given data-kind attribute. The error is
// the cause that ended ctx.
func Build(ctx context.Context, kind string, l *Message, o Options) (*doctree.Document, error) {
	d := newBuilder(o)
	d.doc.Meta = doctree.Meta{Title: l.Subject, Author: l.Author, Created: l.Sent}
	body := d.doc.Begin(&d.b, kind)
	d.message(ctx, body, l, 1)
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	d.report()
	return d.doc, nil
}

func newBuilder(o Options) *builder {
	if o.Nodes == 0 {
		o.Nodes = 2_000_000
	}
	d := &builder{options: o, doc: &doctree.Document{}, files: map[string]*resource{}}
	if o.Hidden != doctree.HiddenDropped {
		d.screen.Reveal = d.reveal
	}
	return d
}

// reveal keeps an element that a page hides.
func (d *builder) reveal(n *html.Node) {
	n.Attr = sorting.Without(n.Attr, func(a html.Attribute) bool { return a.Key == "style" || a.Key == "hidden" })
	d.options.Hidden.Mark(n)
}

// report says what was left out.
func (d *builder) report() {
	d.omitted.report(d.doc, d.options.Nodes)
	d.doc.WarnHidden(d.screen.Hidden, "Text that the message hides was left out")
	d.doc.WarnCount("part-unreadable", 0, "Media and embedded objects of pages that were left out", d.screen.Embeds)
	d.doc.WarnCount("part-unreadable", 0, "Fields and buttons of forms that were left out", d.screen.Fields)
}

// full reports whether no more nodes may be added to the tree. The caller
// counts what it leaves out.
func (d *builder) full(ctx context.Context) bool {
	return d.b.Count()+d.foreign >= d.options.Nodes || ctx.Err() != nil
}

func (d *builder) heading(into *html.Node, level int, text string) {
	if text = strings.Join(strings.Fields(text), " "); text == "" {
		return
	}
	tags := [...]atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}
	d.b.Text(d.b.Append(into, tags[min(level, len(tags))-1], "id", d.ids.Make(text)), text)
}

// message writes one message: subject, fields, body and attachments.
func (d *builder) message(ctx context.Context, into *html.Node, l *Message, level int) {
	for _, w := range l.Warnings {
		d.doc.Warn(w.Code, w.Page, w.Text)
	}
	d.heading(into, level, l.Subject)
	var list *html.Node
	for _, f := range l.Fields {
		value := strings.Join(strings.Fields(f.Value), " ")
		if value == "" {
			continue
		}
		if list == nil {
			list = d.b.Append(into, atom.Dl)
		}
		d.b.Text(d.b.Append(list, atom.Dt), f.Name)
		d.b.Text(d.b.Append(list, atom.Dd), value)
	}
	outer := d.files
	d.files = map[string]*resource{}
	resources := make([]*resource, len(l.Attachments))
	for i, a := range l.Attachments {
		r := &resource{data: a.Data, contentType: a.ContentType, location: a.Location}
		resources[i] = r
		if a.ID != "" {
			d.files["cid:"+a.ID] = r
		}
		if a.Location != "" {
			d.files[a.Location] = r
		}
	}
	for i, p := range l.Parts {
		if d.full(ctx) {
			d.omitted.parts += len(l.Parts) - i
			d.omitted.attachments += len(l.Attachments)
			return
		}
		d.part(ctx, into, p, level)
	}
	d.attachments(ctx, into, l.Attachments, resources, level)
	d.files = outer
}

func (d *builder) part(ctx context.Context, into *html.Node, p Part, level int) {
	media, params := parseParams(p.ContentType)
	switch {
	case p.Message != nil:
		d.message(ctx, d.b.Append(into, atom.Section, "data-role", "message"), p.Message, level+1)
	case strings.EqualFold(media, "text/html"):
		d.html(ctx, into, p)
	case strings.EqualFold(media, "text/plain"):
		text := read(p.Data, params["charset"])
		d.lose(text)
		if label := params["charset"]; label != "" && !dom.Knows(label) {
			d.doc.Warn("code-page-guessed", 0, "A part of the message declares an encoding that is not known, "+strconv.Quote(label[:min(len(label), maxName)])+". It was read as "+text.Charset+".")
		}
		d.text(ctx, into, text.Text, p.Flowed, p.DelSp)
	case strings.EqualFold(media, "text/calendar") && d.calendar(ctx, into, decode(p.Data, params["charset"])):
	default:
		if body := d.child(ctx, "", p.ContentType, p.Data); body != nil {
			d.move(into, body)
			return
		}
		d.doc.Warn("part-unreadable", 0, "A part of the message could not be read: "+media+".")
	}
}

// child reads a document inside the message.
func (d *builder) child(ctx context.Context, name, contentType string, data []byte) *html.Node {
	if d.options.Child == nil || len(data) == 0 {
		return nil
	}
	return d.options.Child(ctx, name, contentType, data, d.options.Nodes-d.b.Count()-d.foreign)
}

// move moves the children of from into into.
func (d *builder) move(into, from *html.Node) {
	for range from.Descendants() {
		d.foreign++
	}
	for c := from.FirstChild; c != nil; c = from.FirstChild {
		from.RemoveChild(c)
		into.AppendChild(c)
	}
}

// attachments lists the files that the body does not show, and reads them.
func (d *builder) attachments(ctx context.Context, into *html.Node, files []Attachment, resources []*resource, level int) {
	var list *html.Node
	var rest []Attachment
	for i, a := range files {
		if resources[i].used {
			continue
		}
		rest = append(rest, a)
		if list == nil {
			d.heading(into, level+1, "Attachments")
			list = d.b.Append(into, atom.Ul)
		}
		d.b.Text(d.b.Append(list, atom.Li), a.describe())
	}
	for i, a := range rest {
		if d.full(ctx) {
			d.omitted.attachments += len(rest) - i
			return
		}
		if a.Message != nil {
			d.message(ctx, d.b.Append(into, atom.Section, "data-role", "attachment"), a.Message, level+1)
			continue
		}
		media, _ := parseParams(a.ContentType)
		if media = strings.ToLower(media); strings.HasPrefix(media, "image/") || media == "text/calendar" || media == "application/ics" {
			continue // only listed: it has no text, or the text has been shown
		}
		body := d.child(ctx, a.Name, a.ContentType, a.Data)
		if body == nil {
			d.doc.Warn("attachment-unread", 0, "The attachment "+strconv.Quote(a.title())+" was not read.")
			continue
		}
		section := d.b.Append(into, atom.Section, "data-role", "attachment", "data-name", a.title())
		d.heading(section, level+1, a.title())
		d.move(section, body)
	}
}

func (a Attachment) title() string {
	switch {
	case a.Name != "":
		return a.Name
	case a.Message != nil && a.Message.Subject != "":
		return a.Message.Subject
	}
	return "unnamed"
}

// describe returns "name (type, size)".
func (a Attachment) describe() string {
	media, _ := parseParams(a.ContentType)
	var about []string
	if media != "" {
		about = append(about, strings.ToLower(media))
	}
	if a.Message == nil {
		about = append(about, doctree.Size(len(a.Data)))
	}
	if len(about) == 0 {
		return a.title()
	}
	return a.title() + " (" + strings.Join(about, ", ") + ")"
}
