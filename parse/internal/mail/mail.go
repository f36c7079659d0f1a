// SPDX-License-Identifier: Apache-2.0

package mail

import (
	"bytes"
	"context"
	"fmt"
	netmail "net/mail"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/sorting"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/parse/internal/mapi"
)

const (
	maxParts   = 100   // parts of a message, including nested messages
	maxFiles   = 2_000 // parts of a web archive, which has one for each picture
	maxDepth   = 10    // nested multiparts and messages
	maxRanking = 3     // nested multiparts that are searched for the best alternative
)

// Read reads the message in data. If kind is "mhtml" and the message has a
// page, it is read as a web archive. The error wraps [ErrMalformed] if data
// has neither a field nor text, or is the cause that ended ctx.
func Read(ctx context.Context, kind string, data []byte, o Options) (*doctree.Document, error) {
	if bytes.HasPrefix(data, []byte("\xFF\xFE")) || bytes.HasPrefix(data, []byte("\xFE\xFF")) {
		text, _ := dom.Decode(data, "")
		data = []byte(text)
	}
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	if all := mailbox(data); all != nil {
		w := &walker{limit: maxFiles, left: new(int64(MaxInflated)), texts: mapi.MaxText}
		l := &Message{}
		for i, m := range all {
			if w.parts >= w.limit {
				w.omitted += len(all) - i
				break
			}
			l.Parts = append(l.Parts, Part{Message: w.message(parseEntity(m), 1)})
		}
		w.report(l)
		return Build(ctx, kind, l, o)
	}
	e := parseEntity(data)
	if len(e.fields) == 0 && len(bytes.TrimSpace(e.body)) == 0 {
		return nil, fmt.Errorf("%w: empty message", ErrMalformed)
	}
	w := &walker{limit: maxParts, left: new(int64(MaxInflated)), texts: mapi.MaxText}
	if kind == "mhtml" {
		w.limit = maxFiles
	}
	l := w.message(e, 0)
	w.report(l)
	if kind == "mhtml" {
		if d, err := archive(ctx, e, l, o); d != nil || err != nil {
			return d, err
		}
	}
	return Build(ctx, kind, l, o)
}

// walker parses one message.
type walker struct {
	parts, limit int
	left         *int64 // bytes to which compressed content may still expand
	texts        int    // bytes to which texts in winmail.dat may still expand
	omitted      int    // parts that were left out
	deep         int    // those among them that are nested too deeply
	open         int    // multipart bodies without their last boundary
	encoded      int    // parts whose transfer encoding is not known
	strange      int    // parts with another boundary than their message
	foreign      int    // characters in base64 that do not belong to it
	pieces       int    // pieces of longer messages
	elsewhere    int    // parts whose content is not in the message
	guessed      int    // fields of headers whose encoding was guessed
}

// report warns in l how many parts were left out.
func (w *walker) report(l *Message) {
	if w.open > 0 {
		l.warn("part-unreadable", "The message lacks the boundary that ends its parts: it may have been cut, and its end may be missing.")
	}
	for _, c := range []struct {
		n          int
		code, text string
	}{
		{w.encoded, "part-unreadable", "Parts whose transfer encoding is not known, which are shown as they are: %d."},
		{w.strange, "part-unreadable", "The boundary of some parts is not that of the message, which may be damaged. Parts that were read all the same: %d."},
		{w.foreign, "part-unreadable", "The base64 of the message has %d characters that are not base64: parts of it may be damaged."},
		{w.pieces, "part-unreadable", "Parts of the message that are pieces of a longer message, whose other pieces are missing: %d."},
		{w.elsewhere, "part-unreadable", "Parts of the message whose content is elsewhere and was not read: %d."},
		{w.guessed, "code-page-guessed", "Fields of messages that do not say their encoding, which was guessed: %d."},
	} {
		if c.n > 0 {
			l.warn(c.code, fmt.Sprintf(c.text, c.n))
		}
	}
	if n := w.omitted - w.deep; n > 0 {
		l.warn("truncated", fmt.Sprintf("The message has more than %d parts; left out: %d.", w.limit, n))
	}
	if w.deep > 0 {
		l.warn("truncated", fmt.Sprintf("The message has parts in more than %d levels; left out: %d.", maxDepth, w.deep))
	}
}

// guess counts a field that does not say its encoding.
func (w *walker) guess(e entity, key string) {
	if !utf8.ValidString(e.raw(key)) {
		w.guessed++
	}
}

// message reads a whole message.
func (w *walker) message(e entity, depth int) *Message {
	l := &Message{Subject: e.text("subject"), Author: e.text("from")}
	w.guess(e, "subject")
	for _, f := range []struct{ name, key string }{{"From", "from"}, {"Sender", "sender"}, {"To", "to"}, {"Cc", "cc"}, {"Bcc", "bcc"}, {"Reply-To", "reply-to"}, {"Date", "date"}, {"Keywords", "keywords"}, {"Comments", "comments"}} {
		if (f.key == "reply-to" || f.key == "sender") && e.raw(f.key) == e.raw("from") {
			continue
		}
		w.guess(e, f.key)
		l.Fields = append(l.Fields, Field{f.name, e.text(f.key)})
	}
	if t, err := netmail.ParseDate(e.raw("date")); err == nil {
		l.Sent = t
	}
	l.checkHead(e)
	w.entity(e, l, depth)
	return l
}

func (l *Message) warn(code, text string) {
	l.Warnings = append(l.Warnings, doctree.Warning{Code: code, Text: text})
}

// entity adds the content of e to l.
func (w *walker) entity(e entity, l *Message, depth int) {
	if w.parts++; w.parts > w.limit || depth > maxDepth {
		w.omitted++
		if w.parts <= w.limit {
			w.deep++
		}
		return
	}
	media, params := e.media()
	if strings.HasPrefix(media, "multipart/") {
		for _, boundary := range []string{params["boundary"], guessBoundary(e.body)} {
			if boundary == "" {
				continue
			}
			if s := split(e.body, boundary, w.limit); len(s.parts) > 0 {
				w.omitted += s.more
				if s.after == nil {
					w.open++
				}
				first := w.before(s.before, boundary != params["boundary"])
				w.multipart(media, params, slices.Concat(first, s.parts, w.after(s.after)), l, depth)
				return
			}
		}
		if params["boundary"] != "" {
			w.open++
		}
		media = "text/plain"
	}
	w.leaf(e, media, params, l, depth)
}

// maxAside is the length of the text in front of the first boundary, and of that behind
// the last one, which mail programs do not show. Longer text must be a part whose
// boundary is damaged.
const maxAside = 500 // bytes

// before returns the parts in text, which is in front of the first boundary. There are
// none unless the boundary of the first part is damaged, or guessed is set: that of the
// head is wrong.
func (w *walker) before(text []byte, guessed bool) [][]byte {
	if other := guessBoundary(text); other != "" {
		parts := split(text, other, w.limit).parts
		w.strange += len(parts)
		return parts
	}
	return w.aside(text, guessed)
}

// after returns the text behind the last boundary as a part if it is no mere remark.
func (w *walker) after(text []byte) [][]byte { return w.aside(text, false) }

// structure matches a field of a part or of a message, and a line that may be a boundary.
var structure = regexp.MustCompile(`(?mi)^(?:content-t|mime-version:|from:|to:|subject:|date:|--\S{6})`)

// aside returns text outside the boundaries as a part if it is long, has a field or a line that may be a boundary, or if damaged is set.
func (w *walker) aside(text []byte, damaged bool) [][]byte {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || !damaged && len(text) <= maxAside && !structure.Match(text) {
		return nil
	}
	w.strange++
	return [][]byte{text}
}

// multipart adds the parts of a multipart body to l.
func (w *walker) multipart(media string, params map[string]string, raw [][]byte, l *Message, depth int) {
	parts := make([]entity, 0, len(raw))
	for _, r := range raw {
		e := parseEntity(r)
		if bytes.HasPrefix(r, []byte("\n")) || bytes.HasPrefix(r, []byte("\r\n")) {
			e = entity{body: r} // without a header
		}
		if media == "multipart/digest" && e.raw("content-type") == "" {
			e.fields = append(e.fields, field{"content-type", "message/rfc822"})
		}
		parts = append(parts, e)
	}
	switch media {
	case "multipart/alternative":
		w.alternative(parts, l, depth)
	case "multipart/related":
		root := slices.IndexFunc(parts, func(e entity) bool { return params["start"] != "" && id(e) == angles(params["start"]) })
		root = max(root, 0)
		w.entity(parts[root], l, depth+1)
		for i, e := range parts {
			if i != root {
				w.entity(e, l, depth+1)
			}
		}
	case "multipart/signed":
		for i, e := range parts {
			if i != 1 { // the signature
				w.entity(e, l, depth+1)
			}
		}
	case "multipart/encrypted":
		l.warn("part-unreadable", "The message is encrypted; only its head was read.")
	default:
		for _, e := range parts {
			w.entity(e, l, depth+1)
		}
	}
}

// alternative reads the richest of several alternatives, or the next one if
// it is blank. Files among the alternatives are kept.
func (w *walker) alternative(parts []entity, l *Message, depth int) {
	order := make([]int, len(parts))
	for i := range order {
		order[i] = len(parts) - 1 - i // the last is the sender's preferred one
	}
	ranks := make([]int, len(parts))
	for i, p := range parts {
		ranks[i] = richness(p, 0)
	}
	sorting.Stable(order, func(a, b int) int { return ranks[b] - ranks[a] })
	done := false
	form := &Message{}
	for _, i := range order {
		if done {
			if _, apart := parts[i].name(); apart || isCalendar(parts[i]) {
				w.entity(parts[i], l, depth+1)
			} else if n := lacks(form.Parts, parts[i]); n > 0 {
				l.warn("part-unreadable", fmt.Sprintf("The plain text of the message has %d words that the page shown in its place lacks.", n))
			}
			continue
		}
		form = &Message{}
		w.entity(parts[i], form, depth+1)
		l.Warnings = append(l.Warnings, form.Warnings...)
		if done = !form.blank(); done || len(form.Attachments) > 0 {
			l.Parts = append(l.Parts, form.Parts...)
			l.Attachments = append(l.Attachments, form.Attachments...)
		}
	}
}

// lacks returns how many different words of a plain text its page lacks, or zero if they are few, such as names of links, or
// one of them is another kind of part.
func lacks(page []Part, plain entity) (missing int) {
	media, params := plain.media()
	if media != "text/plain" || len(page) == 0 || !isHTML(page[0].ContentType) {
		return 0
	}
	known := map[string]bool{}
	words := func(text string) []string {
		const unspaced = 0x2E80 // languages from here on have no blanks between words, and lines end anywhere
		return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r >= unspaced || !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	_, ofPage := parseParams(page[0].ContentType)
	for _, s := range words(html.UnescapeString(read(page[0].Data, ofPage["charset"]).Text)) {
		known[s] = true
	}
	all := words(read(plain.content(), params["charset"]).Text)
	for _, s := range all {
		if !known[s] {
			known[s] = true
			missing++
		}
	}
	const few = 5
	if missing < few || missing*few < len(all) {
		return 0
	}
	return missing
}

// richness ranks the alternatives of a text.
func richness(e entity, depth int) int {
	media, params := e.media()
	switch {
	case media == "text/html" || media == "application/xhtml+xml":
		return 4
	case media == "text/plain":
		return 3
	case strings.HasPrefix(media, "multipart/") && depth < maxRanking:
		best := 0
		for _, p := range split(e.body, params["boundary"], maxParts).parts {
			best = max(best, richness(parseEntity(p), depth+1))
		}
		return best
	case media == "application/rtf" || media == "text/rtf" || media == "text/richtext":
		return 2
	}
	return 1
}

// blank reports whether a body has no content.
func (l *Message) blank() bool {
	for _, p := range l.Parts {
		if p.Message != nil || !isHTML(p.ContentType) && len(bytes.TrimSpace(p.Data)) > 0 {
			return false
		}
		if isHTML(p.ContentType) && hasText(p.Data) {
			return false
		}
	}
	return true
}

func isHTML(contentType string) bool {
	return strings.HasPrefix(contentType, "text/html")
}

// hasText reports whether a page has text or a picture.
func hasText(page []byte) bool {
	low := lower(page)
	if bytes.Contains(low, []byte("<img")) {
		return true
	}
	if i := bytes.Index(low, []byte("<body")); i >= 0 {
		page = page[i:]
	}
	in := false
	for _, c := range bytes.ReplaceAll(page, []byte("&nbsp;"), nil) {
		switch {
		case c == '<':
			in = true
		case c == '>':
			in = false
		case !in && c > ' ':
			return true
		}
	}
	return false
}

// lower returns a copy of b with ASCII letters in lower case. Unlike
// [bytes.ToLower], it keeps the length.
func lower(b []byte) []byte {
	out := bytes.Clone(b)
	for i, c := range out {
		if c >= 'A' && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}
	return out
}

func id(e entity) string { return angles(e.raw("content-id")) }

func angles(s string) string { return strings.Trim(strings.TrimSpace(s), "<>") }

// leaf adds a part that is not a multipart to l.
func (w *walker) leaf(e entity, media string, params map[string]string, l *Message, depth int) {
	name, apart := e.name()
	w.foreign += e.foreign()
	if e.isEncoded() {
		w.encoded++
	}
	contentType := media
	if cs := params["charset"]; cs != "" && !strings.ContainsAny(cs, "\";\\ ") {
		contentType += "; charset=" + cs
	}
	switch media {
	case "application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature":
		return
	case "application/pkcs7-mime", "application/x-pkcs7-mime":
		w.sealed(e, l, depth)
		return
	case "application/ms-tnef", "application/vnd.ms-tnef":
		if w.tnef(e.content(), l) {
			return
		}
	case "text/calendar", "application/ics":
		data := e.content()
		if l.schedules(string(data)) {
			l.Parts = append(l.Parts, Part{ContentType: strings.Replace(contentType, "application/ics", "text/calendar", 1), Data: data})
		}
		if name != "" && apart {
			l.Attachments = append(l.Attachments, Attachment{Name: name, ContentType: contentType, Data: data})
		}
		return
	case "message/partial":
		w.pieces++
	case "message/external-body":
		w.elsewhere++
	case "message/rfc822", "message/global":
		w.nested(e, name, apart, l, depth)
		return
	case "message/delivery-status", "message/disposition-notification", "message/feedback-report", "text/rfc822-headers":
		l.Parts = append(l.Parts, Part{ContentType: "text/plain", Data: e.content()})
		return
	}
	text := media == "text/plain" || media == "text/html" || media == "application/xhtml+xml"
	if text && !apart && (name == "" || len(l.Parts) == 0) && (id(e) == "" || len(l.Parts) == 0) {
		p := Part{ContentType: strings.Replace(contentType, "application/xhtml+xml", "text/html", 1), Data: e.content(), Location: location(e)}
		p.Flowed = strings.EqualFold(params["format"], "flowed")
		p.DelSp = strings.EqualFold(params["delsp"], "yes")
		if bytes.HasPrefix(bytes.TrimSpace(p.Data), []byte("-----BEGIN PGP MESSAGE-----")) {
			l.warn("part-unreadable", "A text of the message is encrypted.")
		}
		l.Parts = append(l.Parts, p)
		return
	}
	data := e.content()
	switch {
	case strings.HasSuffix(strings.ToLower(name), ".p7m") && media == "application/octet-stream":
		w.sealed(e, l, depth)
		return
	case mapi.IsTNEF(data) && w.tnef(data, l):
		return
	}
	l.Attachments = append(l.Attachments, Attachment{Name: name, ContentType: contentType, ID: id(e), Location: location(e), Data: data})
}

// isCalendar reports whether e is a calendar, which is shown in addition to
// the text.
func isCalendar(e entity) bool {
	media, _ := e.media()
	return media == "text/calendar"
}

// sealed reads opaque signed or compressed content (RFC 8551 3.5 and 3.6).
func (w *walker) sealed(e entity, l *Message, depth int) {
	data := e.content()
	if content, ok := sealed(data, w.left); ok {
		w.entity(parseEntity(content), l, depth+1)
		return
	}
	l.warn("part-unreadable", WhySealed(data))
}

// nested reads a message inside a message.
func (w *walker) nested(e entity, name string, apart bool, l *Message, depth int) {
	if depth >= maxDepth {
		w.omitted, w.deep = w.omitted+1, w.deep+1
		return
	}
	inner := w.message(parseEntity(e.content()), depth+1)
	if apart {
		l.Attachments = append(l.Attachments, Attachment{Name: name, ContentType: "message/rfc822", Message: inner})
		return
	}
	l.Parts = append(l.Parts, Part{Message: inner})
}

// location returns the URL of a part, normalized if it is valid.
func location(e entity) string {
	loc := e.text("content-location")
	if loc == "" {
		return ""
	}
	if u, err := weburl.Parse(loc); err == nil {
		return u.String()
	}
	return loc
}
