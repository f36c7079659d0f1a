// SPDX-License-Identifier: Apache-2.0

package format

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/weburl"
)

// spaces is HTML's ASCII white space.
const spaces = " \t\n\r\f"

// A base resolves the references of a page.
type base struct {
	url weburl.URL
	enc weburl.Encoder // of queries; nil is UTF-8
}

// findMarks finds the elements that tell of the page.
func (pg *page) findMarks() {
	m := &pg.arena.marks
	for n := pg.in.Root; n != nil; n = dom.Next(n, pg.in.Root) {
		pg.steps.Take(1)
		if n.Type != html.ElementNode {
			continue
		}
		switch n.DataAtom {
		case atom.Base:
			m.bases = append(m.bases, n)
		case atom.Html, atom.Title, atom.H1, atom.Link, atom.Meta:
			m.about = append(m.about, n)
		case atom.Time:
			m.times = append(m.times, n)
		}
	}
}

// findBase returns the first base element's URL, resolved against the page's;
// without one, the page's. It is empty where the page has no URL.
func (pg *page) findBase() base {
	page, err := weburl.Parse(pg.in.URL)
	if err != nil {
		page = weburl.URL{}
	}
	var enc weburl.Encoder
	if pg.in.Charset != "" {
		enc = dom.Encoder(pg.in.Charset)
	}
	if pg.in.Root == nil || pg.in.NotWeb {
		return base{page, enc}
	}
	for _, n := range pg.arena.marks.bases {
		href := strings.Trim(dom.Attr(n, "href"), spaces)
		if href == "" {
			continue
		}
		u, err := weburl.Parse(href)
		if !page.IsZero() {
			u, err = page.Resolve(href)
		}
		if err == nil {
			return base{u, enc}
		}
		break // the first one counts, right or wrong
	}
	return base{page, enc}
}

// page returns what references within the page begin with once they are
// resolved, up to their fragment; "" where there is no base.
func (b base) page() string {
	if b.url.IsZero() {
		return ""
	}
	page, _, _ := strings.Cut(b.url.String(), "#")
	return page
}

// resolve returns ref as an absolute URL in WHATWG form. What is no http or
// https URL, or cannot be resolved, stays as it is but for white space around.
func (b base) resolve(ref string) string {
	ref = strings.Trim(ref, spaces)
	switch scheme(ref) {
	case "", "http", "https":
	default:
		return ref
	}
	if b.url.IsZero() || ref == "" {
		return ref
	}
	u, err := b.url.LinkIn(ref, b.enc)
	if err != nil {
		return ref
	}
	return u.String()
}

// scheme returns the scheme of ref in lower case, at most its first twelve
// characters, as browsers read it: they ignore controls and white space in it.
// It is empty where ref has none.
func scheme(ref string) string {
	var b [12]byte
	n := 0
	for i := range len(ref) {
		c := ref[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		switch {
		case c <= ' ':
		case c == ':':
			switch string(b[:n]) { // these two without memory of their own
			case "http":
				return "http"
			case "https":
				return "https"
			}
			return string(b[:n])
		case !letter && (n == 0 || c != '+' && c != '-' && c != '.' && (c < '0' || c > '9')):
			return ""
		case n < len(b):
			b[n] = c | 0x20
			n++
		}
	}
	return ""
}
