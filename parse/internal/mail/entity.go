// SPDX-License-Identifier: Apache-2.0

package mail

import (
	"bytes"
	"strconv"
	"strings"

	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/weburl"
)

const (
	maxHeader = 1 << 20 // bytes
	maxParams = 64      // of one field

	maxPreamble = 100 // lines before the first boundary
)

// entity is a MIME entity: a header and a body.
type entity struct {
	fields []field
	body   []byte
	torn   int // lines of the body that may be fields, because a line that is none ended the head
}

type field struct{ name, value string } // name in lower case, value unfolded

// parseEntity parses a header and a body as leniently as mail programs. It
// accepts any line ends, ignores lines that are not fields, and accepts a
// body without an empty line before it.
func parseEntity(b []byte) (e entity) {
	b = bytes.TrimLeft(b, "\r\n")
	size := 0
	var folded []byte // value of the last field
	endField := func() {
		if n := len(e.fields); n > 0 {
			e.fields[n-1].value = string(folded)
		}
	}
	defer endField()
	for len(b) > 0 && size < maxHeader {
		line, rest := cutLine(b)
		switch {
		case len(line) == 0:
			e.body = rest
			return e
		case line[0] == ' ' || line[0] == '\t':
			folded = append(append(folded, ' '), bytes.TrimSpace(line)...)
		case len(e.fields) == 0 && (bytes.HasPrefix(line, []byte("From ")) || bytes.HasPrefix(line, []byte(">From "))):
		default:
			name, value, ok := bytes.Cut(line, []byte(":"))
			name = bytes.TrimRight(name, " \t")
			if !ok || len(name) == 0 || bytes.ContainsAny(name, " \t") {
				e.body, e.torn = b, fieldsIn(b)
				return e
			}
			endField()
			e.fields = append(e.fields, field{name: strings.ToLower(string(name))})
			folded = append(folded[:0], bytes.TrimSpace(value)...)
		}
		size += len(line) + 1
		b = rest
	}
	e.body = b
	return e
}

// cutLine returns the first line of b without its line end, and the rest.
func cutLine(b []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(b, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), rest
}

// raw returns the raw value of the first field with a name.
func (e entity) raw(name string) string {
	for _, f := range e.fields {
		if f.name == name {
			return f.value
		}
	}
	return ""
}

// text returns the decoded value of the first field with a name.
func (e entity) text(name string) string { return Words(e.raw(name)) }

// media returns the media type of e and its parameters.
func (e entity) media() (string, map[string]string) {
	value, params := parseParams(e.raw("content-type"))
	value = strings.ToLower(value)
	if !strings.Contains(value, "/") {
		switch value {
		case "html":
			value = "text/html"
		default:
			value = "text/plain"
		}
	}
	return value, params
}

// name returns the file name of e, or "" if it is not a file, and whether e
// is an attachment by its content disposition.
func (e entity) name() (name string, apart bool) {
	kind, params := parseParams(e.raw("content-disposition"))
	_, typed := e.media()
	name = params["filename"]
	if name == "" {
		name = typed["name"]
	}
	name = strings.Join(strings.Fields(name), " ")
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	return name, strings.EqualFold(kind, "attachment")
}

// parseParams parses a value with parameters (RFC 2045 5.1, RFC 2231). It
// also decodes encoded words in parameters, which no standard allows.
func parseParams(s string) (value string, params map[string]string) {
	all := splitParams(s)
	params = map[string]string{}
	if len(all) == 0 {
		return "", params
	}
	longs := map[string]*pieces{}
	for _, p := range all[1:] {
		key, v, ok := strings.Cut(p, "=")
		if !ok {
			continue
		}
		key, v = strings.ToLower(strings.TrimSpace(key)), unquote(strings.TrimSpace(v))
		name, index, star := strings.Cut(key, "*")
		if !star {
			if _, again := params[key]; !again {
				params[key] = Words(v)
			}
			continue
		}
		l := longs[name]
		if l == nil {
			l = &pieces{map[int]string{}, map[int]bool{}}
			longs[name] = l
		}
		index, coded := strings.CutSuffix(index, "*")
		if index == "" {
			coded = true // name*=
		}
		n, _ := strconv.Atoi(index)
		l.parts[n], l.encoded[n] = v, coded
	}
	for name, l := range longs {
		params[name] = l.text()
	}
	return strings.TrimSpace(all[0]), params
}

// pieces are the sections of a continued parameter, by number.
type pieces struct {
	parts   map[int]string
	encoded map[int]bool
}

// text joins the sections (RFC 2231 3 and 4).
func (l *pieces) text() string {
	var b []byte
	charset := ""
	for n := 0; ; n++ {
		v, ok := l.parts[n]
		if !ok {
			return decode(b, charset)
		}
		if l.encoded[n] {
			if n == 0 {
				if cs, rest, ok := strings.Cut(v, "'"); ok {
					charset = cs
					_, v, _ = strings.Cut(rest, "'")
				}
			}
			v = weburl.Unescape(v)
		}
		b = append(b, v...)
	}
}

// splitParams splits s at semicolons outside quotes and drops comments.
func splitParams(s string) []string {
	var pieces []string
	var b strings.Builder
	quoted, comment := false, 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && (quoted || comment > 0) && i+1 < len(s):
			if comment == 0 {
				b.WriteString(s[i : i+2])
			}
			i++
		case comment > 0:
			switch c {
			case '(':
				comment++
			case ')':
				comment--
			}
		case c == '"':
			quoted = !quoted
			b.WriteByte(c)
		case c == '(' && !quoted:
			comment++
		case c == ';' && !quoted:
			if pieces = append(pieces, b.String()); len(pieces) > maxParams {
				return pieces
			}
			b.Reset()
		default:
			b.WriteByte(c)
		}
	}
	return append(pieces, b.String())
}

func unquote(s string) string {
	s, ok := strings.CutPrefix(s, `"`)
	if !ok {
		return s
	}
	s = strings.TrimSuffix(s, `"`)
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		// Windows paths have backslashes that escape nothing.
		if s[i] == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\') {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// decode decodes b. Valid UTF-8 is decoded as UTF-8, whatever its declared
// charset.
//
//go:noinline // it has many callers
func decode(b []byte, charset string) string { return read(b, charset).Text }

// read is like decode, and says what is not certain.
func read(b []byte, charset string) *dom.Document {
	contentType := ""
	if charset != "" && !strings.ContainsAny(charset, "\";\\ ") {
		contentType = "text/plain; charset=" + charset
	}
	return dom.Read(b, contentType)
}

// Words decodes the encoded words of a field (RFC 2047). Adjacent words with
// the same charset are decoded together, because some senders split
// characters.
func Words(s string) string {
	if !strings.Contains(s, "=?") {
		return decode([]byte(s), "")
	}
	var out strings.Builder
	var held []byte
	charset := ""
	flush := func() {
		if held != nil {
			out.WriteString(decode(held, charset))
			held = nil
		}
	}
	for s != "" {
		i := strings.Index(s, "=?")
		if i < 0 {
			break
		}
		cs, b, length := word(s[i:])
		if length == 0 {
			flush()
			out.WriteString(decode([]byte(s[:i+2]), ""))
			s = s[i+2:]
			continue
		}
		if between := s[:i]; held == nil || strings.TrimSpace(between) != "" {
			flush()
			out.WriteString(decode([]byte(between), ""))
		}
		if !strings.EqualFold(cs, charset) {
			flush()
			charset = cs
		}
		held = append(held, b...)
		if held == nil {
			held = []byte{}
		}
		s = s[i+length:]
	}
	flush()
	out.WriteString(decode([]byte(s), ""))
	return out.String()
}

// word reads the encoded word at the start of s. If there is none, length is 0.
func word(s string) (charset string, b []byte, length int) {
	parts := strings.SplitN(s[2:], "?", 4)
	if len(parts) < 4 || len(parts[1]) != 1 || strings.ContainsAny(parts[0], " \t") {
		return "", nil, 0
	}
	if !strings.HasPrefix(parts[3], "=") {
		return "", nil, 0
	}
	charset, _, _ = strings.Cut(parts[0], "*") // RFC 2231 5: a language
	length = 2 + len(parts[0]) + 1 + 1 + 1 + len(parts[2]) + 2
	switch parts[1] {
	case "b", "B":
		b = unbase64([]byte(parts[2]))
	case "q", "Q":
		b = unquotePrintable([]byte(strings.ReplaceAll(parts[2], "_", " ")), true)
	default:
		return "", nil, 0
	}
	return charset, b, length
}

// content decodes the transfer encoding of e's body.
func (e entity) content() []byte {
	value, _ := parseParams(e.raw("content-transfer-encoding"))
	switch strings.ToLower(value) {
	case "base64":
		return unbase64(e.body)
	case "quoted-printable":
		return unquotePrintable(e.body, false)
	case "x-uuencode", "uuencode", "x-uue", "uue":
		return unuu(e.body)
	}
	return e.body
}

// isEncoded reports whether the body has a transfer encoding that is not known.
func (e entity) isEncoded() bool {
	value, _ := parseParams(e.raw("content-transfer-encoding"))
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "", "7bit", "8bit", "binary", "base64", "quoted-printable", "x-uuencode", "uuencode", "x-uue", "uue":
		return false
	}
	return len(bytes.TrimSpace(e.body)) > 0
}

// foreign counts the characters of a body in base64 that are neither base64 nor white
// space.
func (e entity) foreign() (n int) {
	if value, _ := parseParams(e.raw("content-transfer-encoding")); !strings.EqualFold(value, "base64") {
		return 0
	}
	for _, c := range e.body {
		switch {
		case 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z', '0' <= c && c <= '9', c <= ' ':
		case strings.IndexByte("+/-_=", c) >= 0:
		default:
			n++
		}
	}
	return n
}

// unbase64 decodes base64 and ignores other characters. After padding in the
// middle, a new sequence begins.
func unbase64(b []byte) []byte {
	out := make([]byte, 0, len(b)/4*3+3)
	bits, n := uint32(0), 0 // bits that do not make a whole byte yet
	for _, c := range b {
		var v uint32
		switch {
		case 'A' <= c && c <= 'Z':
			v = uint32(c - 'A')
		case 'a' <= c && c <= 'z':
			v = uint32(c-'a') + 26
		case '0' <= c && c <= '9':
			v = uint32(c-'0') + 52
		case c == '+' || c == '-':
			v = 62
		case c == '/' || c == '_':
			v = 63
		case c == '=':
			n = 0
			continue
		default:
			continue
		}
		bits = bits<<6 | v
		if n += 6; n >= 8 {
			n -= 8
			out = append(out, byte(bits>>n)) //nolint:gosec // its low byte
		}
	}
	return out
}

// unquotePrintable decodes quoted-printable (RFC 2045 6.7) and keeps invalid
// escapes. header is set for encoded words, which have no line ends.
func unquotePrintable(b []byte, header bool) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		c := b[i]
		if c != '=' {
			if !header && (c == ' ' || c == '\t') {
				end := skipBlank(b, i)
				if end < len(b) && b[end] != '\r' && b[end] != '\n' { // otherwise it was added in transit
					out = append(out, b[i:end]...)
				}
				i = end - 1
				continue
			}
			out = append(out, c)
			continue
		}
		if i+2 < len(b) {
			if n, err := strconv.ParseUint(string(b[i+1:i+3]), 16, 8); err == nil {
				out = append(out, byte(n))
				i += 2
				continue
			}
		}
		end := skipBlank(b, i+1)
		switch {
		case end == len(b):
			i = end
		case b[end] == '\n':
			i = end
		case b[end] == '\r':
			i = end
			if end+1 < len(b) && b[end+1] == '\n' {
				i++
			}
		default:
			out = append(out, c)
		}
	}
	return out
}

// skipBlank returns the index after the spaces and tabs from i on.
func skipBlank(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t') {
		i++
	}
	return i
}

// unuu decodes uuencoded data.
func unuu(b []byte) []byte {
	var out []byte
	began := false
	for len(b) > 0 {
		var line []byte
		line, b = cutLine(b)
		switch {
		case bytes.HasPrefix(line, []byte("begin ")):
			began = true
			continue
		case !began || len(line) == 0:
			continue
		case bytes.Equal(line, []byte("end")):
			return out
		}
		n := int(line[0]-' ') & 63
		six := func(i int) byte {
			if i < len(line) {
				return (line[i] - ' ') & 63
			}
			return 0
		}
		for i := 1; n > 0 && i < len(line); i += 4 {
			three := [3]byte{six(i)<<2 | six(i+1)>>4, six(i+1)<<4 | six(i+2)>>2, six(i+2)<<6 | six(i+3)}
			out = append(out, three[:min(n, 3)]...)
			n -= 3
		}
	}
	return out
}

// guessBoundary finds the boundary of a multipart body whose header names none or a
// wrong one. It returns the text of a line that begins with -- and is
// followed by a header field of a part, or "" if there is none.
func guessBoundary(body []byte) string {
	for range maxPreamble {
		var line []byte
		if line, body = cutLine(body); len(body) == 0 {
			return ""
		}
		boundary, ok := bytes.CutPrefix(bytes.TrimRight(line, " \t"), []byte("--"))
		if ok && len(boundary) > 0 && len(boundary) <= 200 && bytes.HasPrefix(lower(body[:min(len(body), 8)]), []byte("content-")) {
			return string(boundary)
		}
	}
	return ""
}

// division is what a boundary divides a multipart body into.
type division struct {
	parts         [][]byte // at most limit+1
	more          int      // number of parts that follow them
	before, after []byte   // text outside the boundaries; after is nil if the last boundary is missing
}

// split splits a multipart body at its boundary.
func split(body []byte, boundary string, limit int) (s division) {
	add := func(part []byte) {
		if len(s.parts) > limit {
			s.more++
			return
		}
		s.parts = append(s.parts, part)
	}
	mark := []byte("--" + boundary)
	from := -1
	for at := 0; ; {
		i := bytes.Index(body[at:], mark)
		if i < 0 {
			break
		}
		i += at
		at = i + len(mark)
		if i > 0 && body[i-1] != '\n' {
			continue
		}
		line, next := cutLine(body[at:])
		rest := bytes.TrimSpace(line)
		if len(rest) > 0 && !bytes.HasPrefix(rest, []byte("--")) {
			continue
		}
		end := len(body) - len(next)
		if from < 0 {
			s.before = body[:i]
		} else {
			add(bytes.TrimSuffix(bytes.TrimSuffix(body[min(from, i):i], []byte("\n")), []byte("\r")))
		}
		from = end
		if len(rest) > 0 {
			s.after = body[end:]
			return s
		}
	}
	if from >= 0 && from <= len(body) {
		add(body[from:]) // the closing boundary is missing
	}
	return s
}
