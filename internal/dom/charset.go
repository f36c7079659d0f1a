// SPDX-License-Identifier: Apache-2.0

package dom

import (
	"bytes"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"example.com/curlew/internal/dom/internal/charset"
)

const (
	nulSample  = 4 << 10  // number of bytes in which NULs indicate UTF-16
	headSample = 4 << 10  // number of bytes in which a document may declare its encoding
	guessed    = 64 << 10 // number of bytes that a guess uses
)

// Decode returns body as UTF-8 text, without its byte order mark, and the
// WHATWG name of its encoding. contentType is the declared media type, or
// empty. The first of these decides:
//
//   - a byte order mark;
//   - NULs at every other byte, as in UTF-16 without a mark;
//   - body is valid UTF-8 and not pure ASCII; an incomplete sequence at the end of body is
//     dropped and counts as valid;
//   - the charset of contentType;
//   - an XML declaration or a meta element in the first 4,096 bytes;
//   - body is UTF-8 with few wrong bytes;
//   - a guess from 64 KiB, or windows-1252 if nothing indicates another encoding.
//
// A declaration of UTF-8 is ignored if most of the bytes are not UTF-8. NUL
// becomes U+FFFD. Other C0 controls except tab, LF, FF and CR are removed. If contentType
// is that of XHTML, empty elements such as <script/> get an end tag, because HTML has none.
func Decode(body []byte, contentType string) (text, name string) {
	d := Read(body, contentType)
	return d.Text, d.Charset
}

// Read is like [Decode]. It returns a document without a tree, whose Lost counts what is
// not certain.
func Read(body []byte, contentType string) *Document {
	whole, name, how := detect(body, contentType)
	d := &Document{Charset: name}
	wrong, ascii := 0, how != valid && isASCII(whole)
	switch {
	case how == valid:
		d.Text, wrong = string(whole), len(body)-len(whole)
	case ascii && name != "iso-2022-jp" && !strings.HasPrefix(name, "utf-16"):
		d.Text = string(whole)
	default:
		d.Text = charset.Decode(name, whole)
		wrong = strings.Count(d.Text, wrongBytes)
		if name == "utf-8" {
			wrong -= bytes.Count(whole, []byte(wrongBytes))
		}
	}
	if how == isGuess && !ascii {
		d.lose(Guessed, beyondASCII(whole))
	}
	text, controls := cleanText(d.Text)
	if isXHTML(contentType) {
		text = endEmpty(text)
	}
	d.lose(Wrong, wrong+controls)
	d.Text = text
	return d
}

// wrongBytes is the character in place of bytes that are none.
const wrongBytes = "\uFFFD"

func beyondASCII(body []byte) (n int) {
	for _, c := range body {
		if c >= utf8.RuneSelf {
			n++
		}
	}
	return n
}

// DecodeAs returns body, whose encoding has the WHATWG name that is given, as UTF-8. Wrong
// bytes become U+FFFD.
func DecodeAs(name string, body []byte) string { return charset.Decode(name, body) }

// Knows reports whether a label names an encoding, other than one that browsers do not
// decode for security.
func Knows(label string) bool {
	name := charset.Name(label)
	return name != "" && name != "replacement"
}

// Encoder returns a function that encodes text, which is needed for the queries
// of links. name is the WHATWG name of the encoding as [Decode] returns it. The
// function appends s to dst and returns how many bytes of s it has encoded. If
// n < len(s), the character at s[n:] is not in the encoding. Encoder returns
// nil for UTF-8, for encodings that write UTF-8 instead (UTF-16, replacement;
// Encoding Standard 4.3), and for an unknown name. The function is safe for
// concurrent use.
func Encoder(name string) func(dst []byte, s string) (out []byte, n int) {
	return charset.Encoder(name)
}

// certainty is how the encoding of a text is known.
type certainty int

const (
	declared certainty = iota
	valid              // the text is UTF-8
	isGuess
)

// detect returns body without its byte order mark and without an incomplete
// last character, the name of its encoding, and how that is known.
func detect(body []byte, contentType string) (rest []byte, name string, how certainty) {
	for _, bom := range []struct{ mark, name string }{
		{"\xEF\xBB\xBF", "utf-8"}, {"\xFE\xFF", "utf-16be"}, {"\xFF\xFE", "utf-16le"},
	} {
		if rest, ok := bytes.CutPrefix(body, []byte(bom.mark)); ok {
			return rest, bom.name, declared
		}
	}
	if name := unmarked16(body); name != "" {
		return body, name, declared
	}
	whole := body[:len(body)-cutTail(body)]
	ascii := isASCII(whole)
	isUTF8 := ascii || utf8.Valid(whole)
	if isUTF8 && !ascii {
		return whole, "utf-8", valid
	}

	head := body[:min(len(body), headSample)]
	for i := range 2 {
		label := headerLabel(contentType)
		if i == 1 { // most headers are enough
			label = prescan(head)
		}
		if strings.HasPrefix(label, "utf-16") && ascii {
			label = "utf-8" // UTF-16 cannot be right, because there are no NULs
		}
		switch {
		case label == "" || label == "replacement":
		case label != "utf-8":
			return body, label, declared
		case isUTF8:
			return whole, label, valid
		case mostlyUTF8(body, 1):
			return body, label, declared
		}
	}
	switch {
	case isUTF8 && len(whole) < len(body) && !endsInLetter(body):
		return whole, "utf-8", valid
	case !ascii && mostlyUTF8(body, 2):
		return body, "utf-8", declared // text in other encodings has fewer sequences that look like it
	}
	return body, guess(body[:min(len(body), guessed)], language(head)), isGuess
}

// unmarked16 returns the name of UTF-16 if more than 30 % of the bytes at even
// or at odd positions are NUL.
func unmarked16(body []byte) string {
	body = body[:min(len(body), nulSample)]
	var nul [2]int
	for i, c := range body {
		if c == 0 {
			nul[i%2]++
		}
	}
	half := len(body) / 2
	switch {
	case max(nul[0], nul[1])*10 <= half*3 || nul[0] == nul[1]:
		return ""
	case nul[0] > nul[1]:
		return "utf-16be"
	default:
		return "utf-16le"
	}
}

// cutTail returns the length of the incomplete UTF-8 sequence at the end of
// body.
func cutTail(body []byte) int {
	for n := 1; n <= 3 && n <= len(body); n++ {
		switch tail := body[len(body)-n:]; {
		case tail[0] < utf8.RuneSelf:
			return 0
		case !utf8.RuneStart(tail[0]):
		case utf8.FullRune(tail):
			return 0
		default:
			return n
		}
	}
	return 0
}

// endsInLetter reports whether the last byte of body, which could start a UTF-8
// sequence, is rather a letter à..ÿ of windows-1252 after another letter.
func endsInLetter(body []byte) bool {
	last := len(body) - 1
	return body[last] >= 0xE0 && latinBeside(body, last)
}

func isASCII(body []byte) bool {
	for len(body) >= 8 {
		if (body[0]|body[1]|body[2]|body[3]|body[4]|body[5]|body[6]|body[7])&0x80 != 0 {
			return false
		}
		body = body[8:]
	}
	for _, c := range body {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// mostlyUTF8 reports whether body has more valid multi-byte sequences than
// invalid bytes, times the given number.
func mostlyUTF8(body []byte, times int) bool {
	valid, invalid := 0, 0
	for i := 0; i < len(body); {
		size := 1
		if body[i] < utf8.RuneSelf {
			i++
			continue
		}
		if i+1 < len(body) && !utf8.RuneStart(body[i+1]) {
			_, size = utf8.DecodeRune(body[i:])
		}
		if i += size; size > 1 {
			valid++
			continue
		}
		if invalid++; valid+(len(body)-i)/2 <= times*invalid { // the rest cannot have enough sequences
			return false
		}
	}
	return valid > times*invalid
}

func headerLabel(contentType string) string {
	if contentType == "" {
		return ""
	}
	if _, params, err := mime.ParseMediaType(contentType); err == nil {
		return charset.Name(params["charset"])
	}
	return charset.Name(contentLabel(contentType)) // for malformed types such as "text/html; charset=utf-8; charset=utf-8"
}

// contentLabel finds the label in a Content-Type by the WHATWG algorithm for
// extracting a character encoding from a meta element.
func contentLabel(s string) string {
	s = lower(s)
	for {
		i := strings.Index(s, "charset")
		if i < 0 {
			return ""
		}
		s = strings.TrimLeft(s[i+len("charset"):], " \t\r\n\f")
		value, ok := strings.CutPrefix(s, "=")
		if !ok {
			continue
		}
		value = strings.TrimLeft(value, " \t\r\n\f")
		if value != "" && (value[0] == '"' || value[0] == '\'') {
			label, _, ok := strings.Cut(value[1:], value[:1])
			if !ok {
				return ""
			}
			return label
		}
		if end := strings.IndexAny(value, "; \t\r\n\f"); end >= 0 {
			value = value[:end]
		}
		return value
	}
}

// lower converts only ASCII letters to lower case, byte by byte.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}

// prescan returns the canonical name of the encoding that head declares, or "".
func prescan(head []byte) string {
	name := xmlLabel(head)
	if name != "" || !mayHave(head, "<meta") {
		return name
	}
	z := html.NewTokenizer(bytes.NewReader(head))
	for name == "" {
		tag, more, ok := nextTag(z)
		if !ok {
			break
		}
		if string(tag) == "meta" {
			name = metaLabel(z, more)
		}
	}
	return name
}

// language returns the language of the first html element in head that has one, or "".
func language(head []byte) (lang string) {
	if !mayHave(head, "<html") {
		return ""
	}
	z := html.NewTokenizer(bytes.NewReader(head))
	for lang == "" {
		tag, more, ok := nextTag(z)
		if !ok {
			break
		}
		for string(tag) == "html" && more {
			var k, v []byte
			k, v, more = z.TagAttr()
			if string(k) == "lang" || string(k) == "xml:lang" && lang == "" {
				lang = string(v)
			}
		}
	}
	return lang
}

// mayHave reports whether the start of a tag is anywhere in head. A tokenizer costs
// more, and most texts need none.
func mayHave(head []byte, start string) bool {
	for {
		i := bytes.IndexByte(head, start[0])
		if i < 0 || len(head)-i < len(start) {
			return false
		}
		if head = head[i:]; strings.EqualFold(string(head[:len(start)]), start) {
			return true
		}
		head = head[1:]
	}
}

// nextTag returns the name of the next start tag of z, and whether it has attributes.
// At the end ok is false.
func nextTag(z *html.Tokenizer) (tag []byte, more, ok bool) {
	for {
		switch z.Next() {
		case html.ErrorToken:
			return nil, false, false
		case html.StartTagToken, html.SelfClosingTagToken:
			tag, more = z.TagName()
			return tag, more, true
		}
	}
}

// metaLabel returns the encoding that the meta tag at z declares, or "".
func metaLabel(z *html.Tokenizer, more bool) string {
	var label, content, equiv string
	for more {
		var k, v []byte
		k, v, more = z.TagAttr()
		switch string(k) {
		case "charset":
			label = string(v)
		case "content":
			content = contentLabel(string(v))
		case "http-equiv":
			equiv = string(v)
		}
	}
	if label == "" && strings.EqualFold(equiv, "content-type") {
		label = content
	}
	return asRead(charset.Name(label))
}

// asRead returns the encoding for a label that was readable as ASCII.
func asRead(name string) string {
	switch name {
	case "utf-16be", "utf-16le":
		return "utf-8"
	case "x-user-defined":
		return "windows-1252"
	}
	return name
}

// xmlLabel returns the encoding of an XML declaration, or "".
func xmlLabel(head []byte) string {
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(head, " \t\r\n\f"), []byte("<?xml"))
	if !ok {
		return ""
	}
	decl, _, ok := bytes.Cut(rest, []byte(">"))
	if !ok {
		return ""
	}
	_, value, ok := bytes.Cut(decl, []byte("encoding"))
	if !ok {
		return ""
	}
	value, ok = bytes.CutPrefix(bytes.TrimLeft(value, " \t\r\n"), []byte("="))
	value = bytes.TrimLeft(value, " \t\r\n")
	if !ok || len(value) == 0 || value[0] != '"' && value[0] != '\'' {
		return ""
	}
	label, _, ok := bytes.Cut(value[1:], value[:1])
	if !ok {
		return ""
	}
	return asRead(charset.Name(string(label)))
}

func isControl(c byte) bool {
	return c < 0x20 && c != '\t' && c != '\n' && c != '\f' && c != '\r'
}

func hasControl(s string) bool {
	// Check eight bytes at a time: the high bit remains set for each byte below
	// 0x20, and sometimes for one above it.
	const low, high = 0x2020202020202020, 0x8080808080808080
	for len(s) >= 8 {
		word := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		if (word-low)&^word&high != 0 && hasControlIn(s[:8]) {
			return true
		}
		s = s[8:]
	}
	return hasControlIn(s)
}

func hasControlIn(s string) bool {
	for i := range len(s) {
		if isControl(s[i]) {
			return true
		}
	}
	return false
}

// cleanText replaces NUL by U+FFFD and removes other C0 controls from s. It returns their
// number.
func cleanText(s string) (text string, controls int) {
	if !hasControl(s) {
		return s, 0
	}
	var b strings.Builder
	b.Grow(len(s))
	from := 0
	for i := range len(s) {
		if !isControl(s[i]) {
			continue
		}
		b.WriteString(s[from:i])
		if s[i] == 0 {
			b.WriteString(wrongBytes)
		}
		controls++
		from = i + 1
	}
	b.WriteString(s[from:])
	return b.String(), controls
}
