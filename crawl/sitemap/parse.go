// SPDX-License-Identifier: Apache-2.0

package sitemap

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"example.com/curlew/internal/weburl"
)

// Limits for the parts of a file.
const (
	maxText       = 8 << 10 // bytes of a reference
	maxOpen       = 64      // open elements that are tracked
	maxAlternates = 500
	sniffed       = 4 << 10 // bytes in which the first tag must occur
)

// parser reads one file.
type parser struct {
	window window
	base   weburl.URL
	left   int // number of entries that may still be yielded; negative means no limit
	yield  func(Entry, error) bool
	skip   func(string, error) // may be nil
	err    error               // why it stops before the end: a limit, or errStopped

	open []element // from the outermost one inwards
	over int       // number of open elements beyond maxOpen
	seen bool      // a root element or an entry was read

	capturing kind // the element whose text is being read
	text      []byte
	permalink bool // isPermaLink of a guid

	entry pending
}

// errStopped means that the caller has left the loop.
var errStopped = errors.New("stopped")

// kind is the meaning of an element.
type kind uint8

const (
	other kind = iota
	urlset
	index
	feed // Atom
	rss  // RSS or RDF
	url
	sitemap
	item // of RSS
	post // of Atom
	loc
	link
	guid
	date
)

// element is an open element.
type element struct {
	name   uint64 // hash of its name with its prefix
	prefix uint64 // hash of its prefix; zero if there is none
	kind   kind
}

// pending is the entry that is being read.
type pending struct {
	loc, guid  string // as written
	lastMod    time.Time
	alternates []string
	nested     bool
}

// parse reads the file to its end.
func (p *parser) parse() error {
	w := &p.window
	w.want(sniffed)
	if bytes.IndexByte(w.bytes()[:min(len(w.bytes()), sniffed)], '<') >= 0 {
		p.markup()
	} else {
		p.lines()
	}
	switch err := w.err; {
	case errors.Is(p.err, errStopped):
		return nil
	case p.err != nil:
		return p.err
	case err != nil && !errors.Is(err, io.EOF):
		return err
	case !p.seen:
		return ErrFormat
	case p.cutShort():
		return io.ErrUnexpectedEOF
	}
	return nil
}

// cutShort reports whether a root element is still open at the end of the file.
func (p *parser) cutShort() bool {
	for _, e := range p.open {
		if e.kind == urlset || e.kind == index || e.kind == feed || e.kind == rss {
			return true
		}
	}
	return false
}

// lines reads a text file with one URL on each line. It skips lines that are
// not absolute URLs.
func (p *parser) lines() {
	w := &p.window
	var line []byte
	visit := func(b []byte) { line = grown(line, b) }
	all := func(b []byte) int { return len(b) }
	for p.err == nil {
		line = line[:0]
		ended := w.each("\n", visit, all)
		if !ended && !errors.Is(w.err, io.EOF) {
			return // the line may be an incomplete URL
		}
		if text := strings.TrimSpace(decode(line)); hasScheme(text) {
			p.entry.loc = text
			p.flush()
		}
		if !ended {
			return
		}
	}
}

// hasScheme reports whether text begins like an http(s) URL.
func hasScheme(text string) bool {
	head := strings.ToLower(text[:min(len(text), len("https://"))])
	return strings.HasPrefix(head, "http://") || strings.HasPrefix(head, "https://")
}

// markup reads a file with tags.
func (p *parser) markup() {
	w := &p.window
	for p.err == nil {
		w.each("<", p.data, wholeReferences)
		w.want(len("![CDATA["))
		b := w.bytes()
		switch {
		case len(b) == 0:
			p.flush()
			return
		case bytes.HasPrefix(b, []byte("!--")):
			w.lo += len("!--")
			w.skip("-->")
		case bytes.HasPrefix(b, []byte("![CDATA[")):
			w.lo += len("![CDATA[")
			w.each("]]>", p.raw, func(b []byte) int { return max(0, len(b)-len("]]")) })
		case b[0] == '!':
			p.doctype()
		case b[0] == '?':
			w.skip(">")
		case b[0] == '/' || b[0] == '_' || 'a' <= b[0]|0x20 && b[0]|0x20 <= 'z':
			p.tag()
		default:
			p.raw([]byte{'<'})
		}
	}
}

// wholeReferences returns the length of b without an incomplete reference at
// its end.
func wholeReferences(b []byte) int {
	if i := bytes.LastIndexByte(b, '&'); i >= 0 && i > len(b)-maxReference {
		return i
	}
	return len(b)
}

// doctype skips a document type declaration with its subset.
func (p *parser) doctype() {
	w := &p.window
	for subset := false; ; {
		i := bytes.IndexAny(w.bytes(), "[]>")
		if i < 0 {
			w.lo = w.hi
			if !w.more() {
				return
			}
			continue
		}
		switch w.bytes()[i] {
		case '[':
			subset = true
		case ']':
			subset = false
		case '>':
			if !subset {
				w.lo += i + 1
				return
			}
		}
		w.lo += i + 1
	}
}

// tag reads a tag whose "<" was just read.
func (p *parser) tag() {
	w := &p.window
	end := tagEnd(w.bytes())
	for end == unfinished {
		if !w.more() {
			break
		}
		end = tagEnd(w.bytes())
	}
	if end < 0 {
		p.raw([]byte{'<'}) // no tag ends here, so "<" is text
		return
	}
	b := w.bytes()[:end]
	w.lo += end + 1
	if b[0] == '/' {
		p.end(nameOf(b[1:]))
		return
	}
	closed := len(b) > 1 && b[len(b)-1] == '/'
	if closed {
		b = b[:len(b)-1]
	}
	name := nameOf(b)
	p.start(name, b[len(name):], closed)
}

// Results of tagEnd that are not offsets.
const (
	unfinished = -1
	noTag      = -2
)

// tagEnd returns the offset of the ">" that ends the tag in b. It ignores a ">"
// inside quotes, unless the quote is not closed. XML allows no "<" inside
// quotes.
func tagEnd(b []byte) int {
	first, quote := noTag, byte(0)
	for i, c := range b {
		switch {
		case c == '<':
			return first
		case c == '>' && quote == 0:
			return i
		case c == '>' && first < 0:
			first = i
		case c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\'') && i > 0 && (b[i-1] == '=' || isSpace(b[i-1])):
			quote = c
		}
	}
	return unfinished
}

// nameOf returns the name at the start of a tag.
func nameOf(b []byte) []byte {
	for i, c := range b {
		if isSpace(c) || c == '/' {
			return b[:i]
		}
	}
	return b
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// hash returns FNV-1a of name in lower case. It is never zero.
func hash(name []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range name {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h | 1
}

// kindOf returns the kind for a name without prefix, in any letter case.
func kindOf(local []byte) kind {
	var lower [len("sitemapindex")]byte
	if len(local) > len(lower) {
		return other
	}
	for i, c := range local {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		lower[i] = c
	}
	switch string(lower[:len(local)]) {
	case "urlset":
		return urlset
	case "sitemapindex":
		return index
	case "feed":
		return feed
	case "rss", "rdf":
		return rss
	case "url":
		return url
	case "sitemap":
		return sitemap
	case "item":
		return item
	case "entry":
		return post
	case "loc":
		return loc
	case "link":
		return link
	case "guid":
		return guid
	case "lastmod", "pubdate", "date", "updated", "published":
		return date
	}
	return other
}

// start processes a start tag. attributes are the bytes after its name.
func (p *parser) start(name, attributes []byte, closed bool) {
	e := element{name: hash(name)}
	local := name
	if prefix, rest, ok := bytes.Cut(name, []byte{':'}); ok {
		e.prefix, local = hash(prefix), rest
	}
	e.kind = kindOf(local)
	if e.kind != other {
		p.finish()
		for len(p.open) > 0 && p.open[len(p.open)-1].kind >= loc {
			p.open = p.open[:len(p.open)-1] // left open; known elements do not occur inside it
		}
	}
	var parent element
	if len(p.open) > 0 {
		parent = p.open[len(p.open)-1]
	}
	switch e.kind {
	case urlset, index, feed, rss:
		p.seen = true
	case url, sitemap, item, post:
		p.flush()
		p.entry.nested = e.kind == sitemap
	case loc:
		p.loc(e, parent)
	case date:
		if parent.holds(e) || parent.kind == item {
			p.capture(date)
		}
	case link:
		p.link(e, parent, attributes)
	case guid:
		if parent.kind == item && parent.holds(e) {
			value, ok := attribute(attributes, "isPermaLink")
			p.permalink = !ok || strings.EqualFold(strings.TrimSpace(value), "true")
			p.capture(guid)
		}
	case other:
	}
	switch {
	case closed:
		p.finish()
	case len(p.open) < maxOpen:
		p.open = append(p.open, e)
	default:
		p.over++
	}
}

// holds reports whether e belongs to the vocabulary of its parent, which is an
// entry or a root. Elements of image, news and video extensions do not.
func (parent element) holds(e element) bool {
	return parent.kind != other && parent.kind < loc && (e.prefix == 0 || e.prefix == parent.prefix)
}

// loc starts a location. A location outside an entry is an entry itself.
func (p *parser) loc(e, parent element) {
	if !parent.holds(e) {
		return
	}
	switch parent.kind {
	case url, sitemap, urlset, index:
	default:
		return
	}
	if p.entry.loc != "" {
		p.flush()
	}
	p.entry.nested = parent.kind == sitemap || parent.kind == index
	p.capture(loc)
}

// link reads the alternates of a sitemap, the text of RSS and the attributes of
// Atom. All have the same name.
func (p *parser) link(e, parent element, attributes []byte) {
	href, hasHref := attribute(attributes, "href")
	rel, hasRel := attribute(attributes, "rel")
	alternate := strings.EqualFold(strings.TrimSpace(rel), "alternate")
	switch parent.kind {
	case url:
		if alternate && hasHref {
			p.alternate(href)
		}
	case item:
		if parent.holds(e) && p.entry.loc == "" {
			p.entry.loc = href // used in the same way as in Atom
			p.capture(link)
		}
	case post:
		switch {
		case !parent.holds(e) || !hasHref || hasRel && !alternate:
		case p.entry.loc == "":
			p.entry.loc = href
		default:
			p.alternate(href)
		}
	default: // in a channel, a feed or an HTML page
	}
}

func (p *parser) alternate(href string) {
	if len(p.entry.alternates) < maxAlternates {
		p.entry.alternates = append(p.entry.alternates, href)
	}
}

// end processes an end tag. It closes elements that were left open inside. An
// end tag without a start tag is skipped.
func (p *parser) end(name []byte) {
	if p.over > 0 {
		p.over--
		return
	}
	h := hash(name)
	for i, e := range slices.Backward(p.open) {
		if e.name != h {
			continue
		}
		p.finish()
		for _, e := range p.open[i:] {
			switch e.kind {
			case url, sitemap, item, post:
				p.flush()
			default:
			}
		}
		p.open = p.open[:i]
		return
	}
}

// capture starts to collect the text of an element.
func (p *parser) capture(k kind) {
	p.capturing, p.text = k, p.text[:0]
}

// raw adds text without references.
func (p *parser) raw(b []byte) {
	if p.capturing == other {
		return
	}
	p.text = grown(p.text, b)
}

// grown appends b to the text of an element or to a line, without leading space. It keeps
// one byte more than a reference may have, so that flush finds out that it is too long.
func grown(text, b []byte) []byte {
	if len(text) == 0 {
		b = bytes.TrimLeft(b, " \t\r\n\f\v")
	}
	return append(text, b[:min(len(b), maxText+1-len(text))]...)
}

// data adds text with references.
func (p *parser) data(b []byte) {
	if p.capturing == other {
		return
	}
	for {
		i := bytes.IndexByte(b, '&')
		if i < 0 {
			p.raw(b)
			return
		}
		p.raw(b[:i])
		text, n := reference(b[i:])
		p.raw(text)
		b = b[i+n:]
	}
}

// finish ends the text of an element.
func (p *parser) finish() {
	k := p.capturing
	if k == other {
		return
	}
	p.capturing = other
	text := strings.TrimSpace(decode(p.text))
	if text == "" {
		return
	}
	switch k {
	case loc, link:
		p.entry.loc = text
	case guid:
		if p.permalink {
			p.entry.guid = text
		}
	case date:
		if t, ok := parseDate(text); ok && p.entry.lastMod.Before(t) {
			p.entry.lastMod = t
		}
	default:
	}
}

// flush yields the entry that was read, if it is complete, and starts another.
func (p *parser) flush() {
	if p.err != nil {
		return
	}
	e := p.entry
	p.entry = pending{}
	if e.loc == "" {
		e.loc = e.guid
	}
	if e.loc == "" {
		return
	}
	p.seen = true
	u, err := p.base.Link(e.loc)
	if len(e.loc) > maxText {
		err = ErrLong
	}
	if err != nil {
		if p.skip != nil {
			p.skip(e.loc, err)
		}
		return
	}
	out := Entry{Loc: u.String(), LastMod: e.lastMod, Nested: e.nested || p.namesSitemap(u)}
	for _, a := range e.alternates {
		if u, err := p.base.Link(a); err == nil && len(a) <= maxText {
			out.Alternates = append(out.Alternates, u.String())
		}
	}
	switch {
	case p.left == 0:
		p.err = ErrTooMany
	case !p.yield(out, nil):
		p.err = errStopped
	}
	p.left--
}

// namesSitemap reports whether a URL in a urlset is that of a sitemap.
func (p *parser) namesSitemap(u weburl.URL) bool {
	if !p.inside(urlset) && !p.inside(url) {
		return false
	}
	s := strings.ToLower(u.WithoutFragment().String())
	return strings.HasSuffix(s, ".xml") || strings.HasSuffix(s, ".xml.gz")
}

// inside reports whether an element of kind k is open.
func (p *parser) inside(k kind) bool {
	for _, e := range p.open {
		if e.kind == k {
			return true
		}
	}
	return false
}
