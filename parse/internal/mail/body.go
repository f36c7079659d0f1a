// SPDX-License-Identifier: Apache-2.0

package mail

import (
	"cmp"
	"context"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/weburl"
)

const (
	maxQuotes = 8  // nested quotes
	maxFrames = 3  // nested frames
	allFrames = 50 // in one archive
)

// html moves the content of a page's body into into.
func (d *builder) html(ctx context.Context, into *html.Node, p Part) {
	d.screen.Still = true
	body, _ := d.page(ctx, p, 0)
	if body == nil {
		return
	}
	d.move(into, body)
}

// lose adds warnings for what the text of a part lacks.
func (d *builder) lose(text *dom.Document) {
	for _, l := range text.Losses("The text of the message") {
		if l.Code == "damaged-text" {
			l.Code = "part-unreadable"
		}
		d.doc.Warn(l.Code, 0, l.Text)
	}
}

// page parses p, drops nodes that are not content, and resolves links and pictures.
// It returns the body and the title.
func (d *builder) page(ctx context.Context, p Part, depth int) (body *html.Node, title string) {
	parsed, err := dom.Parser{Nodes: max(1, d.options.Nodes-d.b.Count()-d.foreign)}.Parse(ctx, p.Data, p.ContentType)
	if err != nil {
		return nil, ""
	}
	d.lose(parsed)
	base := p.Location
	f := survey(parsed.Root)
	body, title = f.body, f.title
	if f.base != "" {
		base = f.base
	}
	if d.doc.Meta.Language == "" && depth == 0 {
		d.doc.Meta.Language = f.lang
	}
	if body == nil {
		return nil, title
	}
	url, err := weburl.Parse(base)
	if err != nil {
		url = weburl.URL{}
	}
	sheets := []dom.Sheet{f.sheet}
	for n := body.FirstChild; n != nil; {
		next, _, shown := d.screen.Step(n, body, sheets)
		switch {
		case !shown:
		case n.Namespace == "svg" && n.Data == "svg":
			next = dom.After(n, body)
			d.b.Drawing(n)
		default:
			d.resolveLinks(n, url)
		}
		n = next
	}
	for _, n := range f.frames {
		d.frame(ctx, n, url, depth)
	}
	d.lists(body)
	return body, title
}

// findings are the parts of a page that are used.
type findings struct {
	body              *html.Node
	title, base, lang string
	frames            []*html.Node
	sheet             dom.Sheet
}

// survey searches a page for its parts.
func survey(root *html.Node) (f findings) {
	f.sheet = dom.Sheet{}
	for n := range root.Descendants() {
		switch n.DataAtom {
		case atom.Body:
			if f.body == nil {
				f.body = n
			}
		case atom.Frameset:
			f.body = n
		case atom.Title:
			if f.title == "" && n.Namespace == "" {
				f.title = dom.Text(n)
			}
		case atom.Base:
			f.base = cmp.Or(dom.Attr(n, "href"), f.base)
		case atom.Html:
			f.lang = cmp.Or(f.lang, dom.Attr(n, "lang"))
		case atom.Style:
			f.sheet.Read(dom.Text(n))
		case atom.Iframe, atom.Frame:
			f.frames = append(f.frames, n)
		}
	}
	return f
}

// find returns the resource of the archive or message that a reference
// names, or nil.
func (d *builder) find(ref string, base weburl.URL) *resource {
	ref = strings.TrimSpace(ref)
	if id, ok := strings.CutPrefix(strings.ToLower(ref), "cid:"); ok {
		id = ref[len(ref)-len(id):]
		if r := d.files["cid:"+id]; r != nil {
			return r
		}
		return d.files["cid:"+weburl.Unescape(id)]
	}
	if r := d.files[ref]; r != nil {
		return r
	}
	if u, err := base.Resolve(ref); err == nil {
		return d.files[u.String()]
	}
	return nil
}

// frame inserts the page of a frame.
func (d *builder) frame(ctx context.Context, n *html.Node, base weburl.URL, depth int) {
	src := dom.Attr(n, "src")
	r := d.find(src, base)
	if r == nil {
		return
	}
	if depth >= maxFrames || r.depth >= allFrames || d.full(ctx) {
		d.omitted.frames++
		return
	}
	r.used = true
	r.depth++ // maxFrames stops a frame that contains itself; this count stops one that is used everywhere
	inner, _ := d.page(ctx, Part{ContentType: r.contentType, Data: r.data, Location: r.location}, depth+1)
	if inner == nil || n.Parent == nil {
		return
	}
	div := d.b.Element(atom.Div)
	d.move(div, inner)
	n.Parent.InsertBefore(div, n)
	n.Parent.RemoveChild(n)
}

// resolveLinks makes links absolute. It removes the source of a picture inside the
// message, because no reader of the tree could fetch it.
func (d *builder) resolveLinks(n *html.Node, base weburl.URL) {
	attrs := n.Attr[:0]
	for _, a := range n.Attr {
		switch {
		case strings.HasPrefix(a.Key, "on"), a.Key == "srcset" && n.DataAtom == atom.Img:
			continue
		case a.Key == "src" && (n.DataAtom == atom.Img || n.DataAtom == atom.Input):
			lower := strings.ToLower(strings.TrimSpace(a.Val))
			if r := d.find(a.Val, base); r != nil {
				r.used = true
				if !strings.HasPrefix(lower, "http:") && !strings.HasPrefix(lower, "https:") {
					continue
				}
			}
			if strings.HasPrefix(lower, "cid:") || strings.HasPrefix(lower, "data:") || strings.HasPrefix(lower, "file:") {
				continue
			}
			a.Val = absolute(a.Val, base)
		case a.Key == "href":
			if a.Val = doctree.Href(a.Val); a.Val == "" {
				continue
			}
			a.Val = absolute(a.Val, base)
		}
		attrs = append(attrs, a)
	}
	n.Attr = attrs
}

func absolute(ref string, base weburl.URL) string {
	if base.IsZero() || strings.HasPrefix(ref, "#") {
		return ref
	}
	if u, err := base.Link(ref); err == nil {
		return u.String()
	}
	return ref
}

// quoted is one line of text and its quote depth.
type quoted struct {
	depth int
	text  string
	more  []string // soft-wrapped lines that continue text
}

// texter writes plain text.
type texter struct {
	d    *builder
	para []quoted
	open []*html.Node // the block and the open quotes in it
}

// flush writes the current paragraph.
func (t *texter) flush() {
	if len(t.para) == 0 {
		return
	}
	b := &t.d.b
	depth := min(t.para[0].depth, maxQuotes)
	t.open = t.open[:min(len(t.open), depth+1)]
	for len(t.open) <= depth {
		t.open = append(t.open, b.Append(t.open[len(t.open)-1], atom.Blockquote))
	}
	p := b.Append(t.open[depth], atom.P)
	for i, l := range t.para {
		if i > 0 {
			b.Append(p, atom.Br)
		}
		b.Text(p, l.text+strings.Join(l.more, ""))
	}
	t.para = t.para[:0]
}

// text writes plain text. Empty lines separate paragraphs and quote marks
// make quotes. Line breaks are kept, except soft ones of format=flowed (RFC
// 3676 4.1).
func (d *builder) text(ctx context.Context, into *html.Node, text string, flowed, delsp bool) {
	t := texter{d: d, open: []*html.Node{into}}
	soft := false       // the previous line continues in this one
	lines, done := 0, 0 // done counts bytes
	for line := range strings.Lines(text) {
		if lines++; lines%256 == 0 && (d.b.Count()+d.foreign+2*len(t.para) >= d.options.Nodes || ctx.Err() != nil) {
			t.flush()
			d.omitted.bytes += len(text) - done
			return
		}
		done += len(line)
		l := unquoteLine(strings.TrimRight(line, "\r\n"), flowed)
		if len(t.para) > 0 && t.para[0].depth != l.depth {
			t.flush()
			soft = false
		}
		if strings.TrimSpace(l.text) == "" {
			t.flush()
			soft = false
			continue
		}
		ends := flowed && strings.HasSuffix(l.text, " ") && l.text != "-- "
		switch {
		case !ends:
			l.text = strings.TrimRight(l.text, " \t")
		case delsp:
			l.text = l.text[:len(l.text)-1]
		}
		if n := len(t.para); soft && n > 0 {
			t.para[n-1].more = append(t.para[n-1].more, l.text)
		} else {
			t.para = append(t.para, l)
		}
		soft = ends
	}
	t.flush()
}

// unquoteLine removes the quote marks from a line.
func unquoteLine(line string, flowed bool) quoted {
	q := quoted{text: line}
	for {
		rest := q.text
		if q.depth > 0 && !flowed {
			rest = strings.TrimPrefix(rest, " ") // "> > text"
		}
		rest, ok := strings.CutPrefix(rest, ">")
		if !ok {
			break
		}
		q.depth++
		q.text = rest
	}
	if flowed || q.depth > 0 {
		q.text = strings.TrimPrefix(q.text, " ")
	}
	return q
}
