// SPDX-License-Identifier: Apache-2.0

package weburl

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxBytes is the maximum length of a text and of its URL, as in browsers. The
// type of offsets depends on it.
const maxBytes = 2 << 20

// mode says how a reference is parsed.
type mode struct {
	repair bool    // treat http:/x like http://x
	enc    Encoder // for the query; nil means UTF-8
}

// parse is the standard's basic URL parser (section 4.4) for http and https.
// These parts of the code implement its states:
//
//   - scheme start, scheme and no scheme: cutScheme and the first switch below
//   - relative and relative slash: the second switch
//   - the states of the slashes before an authority: absolute
//   - authority, host and port: authority
//   - path start and path: segments
//   - query and fragment: finish
func parse(raw string, base URL, m mode) (URL, error) {
	if len(raw) > maxBytes {
		return URL{}, errLength
	}
	scheme, s := cutScheme(clean(raw))
	switch {
	case scheme == "other" && startsWithPort(s):
		return URL{}, errHostPort
	case scheme == "other":
		return URL{}, errScheme
	case scheme == "" && s == "" && base.IsZero():
		return URL{}, errEmpty
	case scheme == "" && base.IsZero():
		return URL{}, errRelative
	}
	var stack [256]byte
	w := writer{buf: stack[:0], enc: m.enc}
	switch {
	case scheme == "":
		scheme = base.Scheme()
	case scheme != base.Scheme(), m.repair && oneSlash(s):
		return w.absolute(raw, scheme, s)
	}
	switch {
	case len(s) >= 2 && isSlash(s[0]) && isSlash(s[1]):
		return w.absolute(raw, scheme, s)
	case s != "" && isSlash(s[0]):
		w, s = w.adopt(base, int(base.path)).segments(s[1:])
	case s == "" || s[0] == '#':
		w = w.adopt(base, base.queryEnd())
	case s[0] == '?':
		w = w.adopt(base, base.pathEnd())
	default:
		w, s = w.adopt(base, int(base.path)+strings.LastIndexByte(base.Path(), '/')).segments(s)
	}
	return w.finish(raw, s)
}

// clean removes what the standard removes: C0 controls and spaces at both ends,
// tabs and line breaks anywhere.
func clean(s string) string {
	for s != "" && s[0] <= ' ' {
		s = s[1:]
	}
	for s != "" && s[len(s)-1] <= ' ' {
		s = s[:len(s)-1]
	}
	for i := range len(s) {
		if c := s[i]; c == '\t' || c == '\n' || c == '\r' {
			return strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(s)
		}
	}
	return s
}

// cutScheme returns the scheme of s, and the rest after the colon. The scheme
// is http, https or "other". If there is none, it is "" and the rest is s.
func cutScheme(s string) (scheme, rest string) {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && (('0' <= c && c <= '9') || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			for _, scheme := range []string{"http", "https"} {
				if strings.EqualFold(s[:i], scheme) {
					return scheme, s[i+1:]
				}
			}
			return "other", s[i+1:]
		default:
			return "", s
		}
	}
	return "", s
}

// oneSlash reports whether s, which follows a scheme, starts with one slash
// instead of two.
func oneSlash(s string) bool {
	return len(s) >= 2 && isSlash(s[0]) && !isSlash(s[1]) && s[1] != '?' && s[1] != '#'
}

// isSlash reports whether c separates segments. For http and https a backslash
// is a slash.
func isSlash(c byte) bool { return c == '/' || c == '\\' }

// writer builds an href. It is passed by value, because a pointer would move
// the buffer of parse to the heap.
type writer struct {
	buf []byte
	offsets
	enc Encoder
}

// adopt starts with the first n bytes of base.
func (w writer) adopt(base URL, n int) writer {
	w.buf = append(w.buf, base.href[:n]...)
	w.offsets = base.offsets
	w.frag = 0
	if n < base.queryEnd() {
		w.query = 0
	}
	return w
}

// absolute parses what follows the scheme, whatever the number of slashes is.
func (w writer) absolute(raw, scheme, s string) (URL, error) {
	s = strings.TrimLeft(s, `/\`)
	w.buf = append(append(w.buf, scheme...), "://"...)
	end := strings.IndexAny(s, `/\?#`)
	if end < 0 {
		end = len(s)
	}
	w, err := w.authority(scheme, s[:end])
	if err != nil {
		return URL{}, err
	}
	if s = s[end:]; s != "" && isSlash(s[0]) {
		s = s[1:]
	}
	w, s = w.segments(s)
	return w.finish(raw, s)
}

// authority parses userinfo, host and port. The last @ ends the userinfo.
func (w writer) authority(scheme, s string) (writer, error) {
	if at := strings.LastIndexByte(s, '@'); at >= 0 {
		name, password, _ := strings.Cut(s[:at], ":")
		s = s[at+1:]
		w.buf = appendEscaped(w.buf, name, escUser)
		if password != "" {
			w.buf = appendEscaped(append(w.buf, ':'), password, escUser)
		}
		if name != "" || password != "" {
			w.buf = append(w.buf, '@')
		}
	}
	host, port := cutPort(s)
	w.host = w.at()
	buf, err := appendHost(w.buf, host)
	if err != nil {
		return w, err
	}
	w.buf = buf
	w.port = w.at()
	w.badName = !validName(buf[w.host:])
	n, ok := portNumber(port)
	if !ok {
		return w, errPort
	}
	if port != "" && n != defaultPort(scheme) {
		w.buf = strconv.AppendInt(append(w.buf, ':'), int64(n), 10)
	}
	w.path = w.at()
	return w, nil
}

// at returns the offset of the next byte. finish refuses a result over
// maxBytes, and a text of maxBytes cannot grow beyond a uint32.
func (w writer) at() uint32 {
	return uint32(len(w.buf)) //nolint:gosec // G115: at most 12 * maxBytes
}

// cutPort returns s before and after its first colon outside brackets.
func cutPort(s string) (host, port string) {
	inside := false
	for i := range len(s) {
		switch s[i] {
		case '[':
			inside = true
		case ']':
			inside = false
		case ':':
			if !inside {
				return s[:i], s[i+1:]
			}
		}
	}
	return s, ""
}

// portNumber parses decimal digits up to 65535. No digits mean zero.
func portNumber(s string) (n int, ok bool) {
	for i := range len(s) {
		if s[i] < '0' || '9' < s[i] {
			return 0, false
		}
		if n = n*10 + int(s[i]-'0'); n > 65535 {
			return 0, false
		}
	}
	return n, true
}

// segments appends the path s, which lacks its first slash, and returns what
// follows it: a query, a fragment or nothing.
func (w writer) segments(s string) (_ writer, rest string) {
	if end := strings.IndexAny(s, "?#"); end >= 0 {
		s, rest = s[:end], s[end:]
	}
	for more := true; more; {
		segment := s
		i := 0
		for i < len(s) && class[s[i]]&separates == 0 {
			i++
		}
		if more = i < len(s); more {
			segment, s = s[:i], s[i+1:]
		}
		switch dots(segment) {
		case 0:
			w.buf = appendEscaped(append(w.buf, '/'), segment, escPath)
			continue
		case 2:
			path := w.buf[w.path:]
			for len(path) > 0 && path[len(path)-1] != '/' {
				path = path[:len(path)-1]
			}
			w.buf = w.buf[:int(w.path)+max(len(path)-1, 0)]
		}
		if !more {
			w.buf = append(w.buf, '/')
		}
	}
	return w, rest
}

// dots returns 1 for the segment "." and 2 for "..", in any escaped form, and
// otherwise 0.
func dots(segment string) int {
	n := 0
	for ; segment != "" && n < 3; n++ {
		switch {
		case segment[0] == '.':
			segment = segment[1:]
		case len(segment) >= 3 && segment[:2] == "%2" && segment[2]|0x20 == 'e':
			segment = segment[3:]
		default:
			return 0
		}
	}
	return n % 3
}

// finish appends query and fragment, and returns the URL. If its href equals
// raw, it is raw itself.
func (w writer) finish(raw, s string) (URL, error) {
	query, fragment, ok := strings.Cut(s, "#")
	if query != "" {
		w.query = w.at()
		w = w.appendQuery(query[1:])
	}
	if ok {
		w.frag = w.at()
		w.buf = appendEscaped(append(w.buf, '#'), fragment, escFragment)
	}
	if len(w.buf) > maxBytes {
		return URL{}, errLength
	}
	href := raw
	if string(w.buf) != raw {
		href = string(w.buf)
	}
	return URL{href, w.offsets}, nil
}

// appendQuery appends a question mark and s, encoded and escaped (section 1.3,
// percent-encode after encoding).
func (w writer) appendQuery(s string) writer {
	w.buf = append(w.buf, '?')
	if w.enc == nil || !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) {
		w.buf = appendEscaped(w.buf, s, escQuery)
		return w
	}
	var encoded []byte
	for s != "" {
		var n int
		encoded, n = w.enc(encoded[:0], s)
		for _, c := range encoded {
			if class[c]&escQuery == 0 {
				w.buf = append(w.buf, c)
			} else {
				w.buf = appendByte(w.buf, c)
			}
		}
		if s = s[min(max(n, 0), len(s)):]; s != "" {
			r, size := utf8.DecodeRuneInString(s)
			w.buf = strconv.AppendInt(append(w.buf, "%26%23"...), int64(r), 10)
			w.buf = append(w.buf, "%3B"...)
			s = s[size:]
		}
	}
	return w
}
