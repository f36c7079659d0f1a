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
	enc weburl.Encoder // encodes queries; nil means UTF-8
}

// findMarks finds the elements with metadata.
func (pg *page) findMarks() {
	m := &pg.arena.marks
	for n := pg.in.Root; n != nil; n = dom.Next(n, pg.in.Root) {
		pg.steps.Take(1)
		if n.Type != html.ElementNode {
			continue
		}
		if (n.DataAtom == atom.H1 || bylineKind(n)) && len(m.bylines) < maxBylines {
			m.bylines = append(m.bylines, n)
		}
		switch n.DataAtom {
		case atom.Base:
			m.bases = append(m.bases, n)
		case atom.Html, atom.Title, atom.H1, atom.Link, atom.Meta:
			m.about = append(m.about, n)
		case atom.H2:
			if len(m.second) < maxHeadings {
				m.second = append(m.second, n)
			}
		case atom.Time:
			m.times = append(m.times, n)
		}
	}
}

// findBase returns the base for references: the href of the first base element that has
// one, resolved against the URL of the page. If there is none, or if it is invalid, it
// is the URL of the page, which may be empty.
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
		break // only the first one counts, even if it is invalid
	}
	return base{page, enc}
}

// page returns the base URL without its fragment, with which references into the page
// itself begin. It returns "" if there is no base.
func (b base) page() string {
	if b.url.IsZero() {
		return ""
	}
	page, _, _ := strings.Cut(b.url.String(), "#")
	return page
}

// resolve returns ref as an absolute URL in WHATWG form. If ref has another scheme
// than http and https, or cannot be resolved, it returns ref without the white
// space around it.
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

// scheme returns the scheme of ref in lower case, at most twelve characters of
// it. Like browsers, it ignores control characters and white space. It is empty
// if ref has no scheme.
func scheme(ref string) string {
	var b [12]byte
	n := 0
	for i := range len(ref) {
		c := ref[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		switch {
		case c <= ' ':
		case c == ':':
			switch string(b[:n]) { // constants need no allocation
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
