// SPDX-License-Identifier: Apache-2.0

package links

import (
	"encoding/base64"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/curlew/internal/weburl"
)

// attributes gives access to the decoded attributes of an element. Of several
// with the same name, the first counts. Names are in lower case. xlink:href is
// the attribute in that namespace.
type attributes interface {
	attr(name string) (value string, ok bool)
}

// collector collects the results of both extractors. References are resolved at
// the end, because the base element may follow them.
type collector struct {
	source    Source
	refs      []ref
	frames    []frame // [0] is the page, [headerFrame] its HTTP header
	frame     int     // index of the current document
	canonical string  // as in the source
	noFollow  bool
	noIndex   bool
	doubtful  bool
	cut       int // number of references beyond maxLinks

	text   []byte // the link texts, one after the other
	anchor int    // index of the reference whose text is being read, or none
	space  bool   // white space was seen since the last byte of text
}

// none is the anchor if text does not belong to a link.
const none = -1

// ref is a reference as in the source.
type ref struct {
	raw, rel string
	frame    int
	from, to int // range of its text
}

// headerFrame is the frame of the HTTP header. The base element of the page
// does not apply to its references (RFC 8288 3.1).
const headerFrame = 1

// frame is a document: the page, or one in an attribute of an iframe.
type frame struct {
	base    string // first base href as in the source
	hasBase bool
	opaque  bool // a data: URL cannot be a base
	depth   int
}

// add adds a reference.
func (c *collector) add(raw, rel string) {
	if len(c.refs) == maxLinks {
		c.cut++
		return
	}
	n := len(c.text)
	c.refs = append(c.refs, ref{raw: raw, rel: lower(rel), frame: c.frame, from: n, to: n})
}

// open starts the text of the last reference.
func (c *collector) open() {
	c.anchor, c.space = none, false
	if c.cut == 0 {
		c.anchor = len(c.refs) - 1
	}
}

// close ends the link text.
func (c *collector) close() { c.anchor = none }

// say adds decoded text to the open link text.
func (c *collector) say(s string) {
	if c.anchor == none {
		return
	}
	r := &c.refs[c.anchor]
	for s != "" && c.anchor != none {
		if n := wordsEnd(s); n > 0 {
			c.words(r, s[:n])
			s = s[n:]
			continue
		}
		x, size := utf8.DecodeRuneInString(s)
		switch {
		case unicode.IsSpace(x) && !isControl(x):
			c.space = true
		case !isControl(x):
			c.words(r, s[:size])
		}
		s = s[size:]
	}
}

// wordsEnd returns the length of the prefix of s that consists of ASCII words
// separated by single spaces. It can be added to a link text unchanged.
func wordsEnd(s string) int {
	n := 0
	for n < len(s) && (isWord(s[n]) || s[n] == ' ' && 0 < n && n+1 < len(s) && isWord(s[n+1])) {
		n++
	}
	return n
}

func isWord(c byte) bool { return ' ' < c && c < utf8.RuneSelf }

// words adds text with collapsed white space. If there is not enough room, it
// ends the link text.
func (c *collector) words(r *ref, s string) {
	if c.space && len(c.text) > r.from {
		c.text = append(c.text, ' ')
	}
	c.space = false
	if room := maxText - (len(c.text) - r.from); len(s) > room {
		c.anchor = none
		if room <= 0 || s[0] >= utf8.RuneSelf {
			return // do not split a character
		}
		s = strings.TrimSuffix(s[:room], " ")
	}
	c.text = append(c.text, s...)
	r.to = len(c.text)
}

// element handles a start tag that may contain a link. Of svg elements only a
// can, and none of MathML.
func (c *collector) element(name string, svg bool, at attributes) {
	switch name {
	case "a":
		c.a(svg, at)
	case "area":
		if href, ok := at.attr("href"); ok {
			rel, _ := at.attr("rel")
			c.add(href, rel)
		}
	case "frame":
		if src, ok := at.attr("src"); ok {
			c.add(src, "")
		}
	case "iframe":
		c.iframe(at)
	case "link":
		c.link(at)
	case "meta":
		c.meta(at)
	case "base":
		f := &c.frames[c.frame]
		if href, ok := at.attr("href"); ok && !f.hasBase {
			f.base, f.hasBase = href, true
		}
	}
}

func (c *collector) a(svg bool, at attributes) {
	c.close()
	href, ok := at.attr("href")
	if !ok && svg {
		href, ok = at.attr("xlink:href")
	}
	if !ok {
		return
	}
	rel, _ := at.attr("rel")
	c.add(href, rel)
	c.open()
}

func (c *collector) iframe(at attributes) {
	if doc, ok := at.attr("srcdoc"); ok {
		c.document(doc, false)
		return // src is a fallback for old browsers
	}
	src, ok := at.attr("src")
	if !ok {
		return
	}
	if doc, ok := dataDocument(src); ok {
		c.document(doc, true)
		return
	}
	c.add(src, "")
}

// document reads a document in an attribute. Its links count as links of the
// page, but its metadata does not apply to the page.
func (c *collector) document(text string, opaque bool) {
	outer := c.frames[c.frame]
	if outer.depth == maxDepth {
		return
	}
	inner := *c // shares the slices, which only grow
	inner.anchor = none
	inner.frame = len(c.frames)
	inner.frames = append(c.frames, frame{opaque: opaque, depth: outer.depth + 1})
	if !opaque {
		inner.frames[inner.frame].opaque = outer.opaque
	}
	scan(&inner, text)
	c.refs, c.frames, c.text = inner.refs, inner.frames, inner.text
	c.cut, c.doubtful = inner.cut, inner.doubtful
}

func (c *collector) link(at attributes) {
	rel, _ := at.attr("rel")
	if rel == "" {
		return
	}
	href, ok := at.attr("href")
	if !ok {
		return
	}
	if hasToken(rel, "next") || hasToken(rel, "prev") {
		c.add(href, rel)
	}
	if c.frame == 0 && c.canonical == "" && hasToken(rel, "canonical") {
		c.canonical = href
	}
}

func (c *collector) meta(at attributes) {
	content, ok := at.attr("content")
	if !ok {
		return
	}
	if equiv, _ := at.attr("http-equiv"); strings.EqualFold(equiv, "refresh") {
		if target, ok := weburl.Refresh(content); ok {
			c.add(target, "")
		}
	}
	name, _ := at.attr("name")
	name = strings.TrimSpace(name)
	ours := c.source.Agent != "" && strings.EqualFold(name, c.source.Agent)
	if c.frame == 0 && (ours || strings.EqualFold(name, "robots")) {
		c.robots(content)
	}
}

// robots handles the directives of a meta element or an X-Robots-Tag.
func (c *collector) robots(content string) {
	for word := range strings.FieldsFuncSeq(content, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
		switch {
		case strings.EqualFold(word, "nofollow"):
			c.noFollow = true
		case strings.EqualFold(word, "noindex"):
			c.noIndex = true
		case strings.EqualFold(word, "none"):
			c.noFollow, c.noIndex = true, true
		}
	}
}

// found resolves all references.
func (c *collector) found() Found {
	f := Found{NoFollow: c.noFollow, NoIndex: c.noIndex, Cut: c.cut, Doubtful: c.doubtful}
	bases := make([]weburl.URL, len(c.frames))
	for i, frame := range c.frames {
		bases[i] = c.base(frame, c.source.URL, bases[0])
	}
	f.Base = bases[0]
	if len(c.refs) > 0 {
		f.Links = make([]Link, 0, len(c.refs))
	}
	text := string(c.text)
	for i := range c.refs {
		r := &c.refs[i]
		u, err := bases[r.frame].LinkIn(r.raw, c.source.Encoder)
		switch {
		case errors.Is(err, weburl.ErrScheme):
			f.Schemes++
			continue
		case err != nil:
			f.Refused++
			continue
		}
		f.Links = append(f.Links, Link{URL: u, Rel: r.rel, Text: text[r.from:r.to]})
	}
	if c.canonical != "" {
		if u, err := f.Base.LinkIn(c.canonical, c.source.Encoder); err == nil {
			f.Canonical = u.String()
		}
	}
	return f
}

// base returns the base URL of the references of a document. A base that is not
// an http(s) URL is ignored.
func (c *collector) base(f frame, page, outer weburl.URL) weburl.URL {
	fallback := page
	switch {
	case f.opaque:
		fallback = weburl.URL{}
	case f.depth > 0:
		fallback = outer
	}
	if f.hasBase {
		if u, err := fallback.LinkIn(f.base, c.source.Encoder); err == nil {
			return u
		}
	}
	return fallback
}

// dataDocument returns the HTML of a data: URL.
func dataDocument(src string) (string, bool) {
	src = strings.TrimLeft(src, "\x00 \t\r\n\f")
	if len(src) < len("data:,") || !strings.EqualFold(src[:len("data:")], "data:") {
		return "", false
	}
	kind, payload, ok := strings.Cut(src[len("data:"):], ",")
	essence, params, _ := strings.Cut(kind, ";")
	if !ok || !strings.EqualFold(strings.TrimSpace(essence), "text/html") {
		return "", false
	}
	payload, _, _ = strings.Cut(payload, "#")
	payload = unpercent(payload)
	last := params[strings.LastIndexByte(params, ';')+1:]
	if !strings.EqualFold(strings.TrimSpace(last), "base64") {
		return payload, true
	}
	payload = strings.Map(func(r rune) rune {
		if r == '=' || r <= ' ' {
			return -1
		}
		return r
	}, payload)
	text, err := base64.RawStdEncoding.DecodeString(payload)
	return string(text), err == nil
}

// unpercent decodes percent escapes, and removes the characters that a URL
// parser removes.
func unpercent(s string) string {
	if !strings.ContainsAny(s, "%\t\r\n") {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\t' || s[i] == '\r' || s[i] == '\n':
		case s[i] == '%' && i+2 < len(s) && unhex(s[i+1]) < 16 && unhex(s[i+2]) < 16:
			out = append(out, unhex(s[i+1])<<4|unhex(s[i+2]))
			i += 2
		default:
			out = append(out, s[i])
		}
	}
	return strings.ToValidUTF8(string(out), "\uFFFD")
}

// unhex returns the value of a hexadecimal digit, or 16.
func unhex(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 16
}

// space is the white space of HTML.
const space = " \t\r\n\f"

func isSpace(c byte) bool {
	const all = 1<<' ' | 1<<'\t' | 1<<'\n' | 1<<'\r' | 1<<'\f'
	return c <= ' ' && all>>c&1 != 0
}

// hasToken reports whether list, whose words are separated by white space,
// contains word in any letter case.
func hasToken(list, word string) bool {
	for {
		list = strings.TrimLeft(list, space)
		if list == "" {
			return false
		}
		end := strings.IndexAny(list, space)
		if end < 0 {
			end = len(list)
		}
		if strings.EqualFold(list[:end], word) {
			return true
		}
		list = list[end:]
	}
}

// lower converts ASCII letters to lower case. It allocates only if necessary.
func lower(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			return strings.Map(func(r rune) rune {
				if 'A' <= r && r <= 'Z' {
					return r + 'a' - 'A'
				}
				return r
			}, s)
		}
	}
	return s
}
