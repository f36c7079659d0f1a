// SPDX-License-Identifier: Apache-2.0

package robots

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

// kind is the meaning of a line.
type kind uint8

const (
	unknown kind = iota
	userAgent
	allow
	disallow
	sitemap
	crawlDelay
	requestRate
)

// directive is one line with a known key.
type directive struct {
	kind  kind
	line  int    // line number, from 1
	value string // trimmed; rules are escaped
	delay time.Duration
}

// cut limits the size of a file and removes an incomplete last line. It keeps a
// file that is one long line, because lines have their own limit.
func cut(body []byte) []byte {
	if len(body) <= maxBytes {
		return body
	}
	whole := body[maxBytes] == '\n' || body[maxBytes] == '\r'
	body = body[:maxBytes]
	if i := bytes.LastIndexAny(body, "\r\n"); i >= 0 && !whole {
		body = body[:i+1]
	}
	return body
}

// decoded returns a file in UTF-16 as UTF-8, and any other file as it is. The standard
// demands UTF-8, but some editors save text files in UTF-16, and none of their rules could
// be read otherwise.
func decoded(body []byte) []byte {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case bytes.HasPrefix(body, []byte("\xFF\xFE")):
	case bytes.HasPrefix(body, []byte("\xFE\xFF")):
		order = binary.BigEndian
	default:
		return body
	}
	var units []uint16
	for body = body[2:]; len(body) > 1; body = body[2:] {
		units = append(units, order.Uint16(body))
	}
	return []byte(string(utf16.Decode(units)))
}

// trimBOM removes a UTF-8 byte order mark, also an incomplete one, like
// Google's parser.
func trimBOM(text string) string {
	const bom = "\xEF\xBB\xBF"
	for i := range len(bom) {
		if i == len(text) || text[i] != bom[i] {
			return text[i:]
		}
	}
	return text[len(bom):]
}

// nextLine splits off the first line and removes its line end: LF, CR or CRLF.
func nextLine(text string) (line, rest string) {
	i := strings.IndexAny(text, "\r\n")
	if i < 0 {
		return text, ""
	}
	line, rest = text[:i], text[i+1:]
	if text[i] == '\r' && rest != "" && rest[0] == '\n' {
		rest = rest[1:]
	}
	return line, rest
}

// split reads "key : value". A line without a colon is accepted if white space
// divides it into exactly two words, because the colon is often forgotten. A
// NUL ends the line like a number sign, because Google's parser reads C
// strings.
func split(line string) (key, value string, ok bool) {
	line = line[:min(len(line), maxLine)]
	if i := strings.IndexAny(line, "#\x00"); i >= 0 {
		line = line[:i]
	}
	line = trimSpace(line)
	key, value, ok = strings.Cut(line, ":")
	if !ok {
		i := strings.IndexAny(line, " \t")
		if i < 0 {
			return "", "", false
		}
		key, value = line[:i], strings.TrimLeft(line[i:], " \t")
		if strings.ContainsAny(value, " \t") {
			return "", "", false
		}
	}
	key, value = trimSpace(key), trimSpace(value)
	return key, value, key != ""
}

// keys are the known keys and their common misspellings. Only the beginning of
// a key is compared.
var keys = [...]struct {
	prefix string
	kind   kind
}{
	{"user-agent", userAgent},
	{"useragent", userAgent},
	{"user agent", userAgent},
	{"allow", allow},
	{"disallow", disallow},
	{"dissallow", disallow},
	{"dissalow", disallow},
	{"disalow", disallow},
	{"diasllow", disallow},
	{"disallaw", disallow},
	{"sitemap", sitemap},
	{"site-map", sitemap},
	{"crawl-delay", crawlDelay},
	{"request-rate", requestRate},
}

// kindOf returns the kind of the key with a known prefix, in any letter case.
func kindOf(key string) kind {
	for _, k := range keys {
		if len(key) >= len(k.prefix) && strings.EqualFold(key[:len(k.prefix)], k.prefix) {
			return k.kind
		}
	}
	return unknown
}

// escape converts a rule to the form of the paths it is compared with: percent
// escapes in upper case, and bytes over 0x7F escaped. It decodes nothing.
func escape(value string) string {
	n := 0 // number of bytes to change
	for i := range len(value) {
		if value[i] >= 0x80 || isEscape(value[i:]) {
			n++
		}
	}
	if n == 0 {
		return value
	}
	const digits = "0123456789ABCDEF"
	out := make([]byte, 0, len(value)+2*n)
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c >= 0x80:
			out = append(out, '%', digits[c>>4], digits[c&15])
		case isEscape(value[i:]):
			out = append(out, '%', upper(value[i+1]), upper(value[i+2]))
			i += 2
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

// isEscape reports whether s begins with a percent escape.
func isEscape(s string) bool {
	return len(s) >= 3 && s[0] == '%' && isHex(s[1]) && isHex(s[2])
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 0x20
	}
	return c
}

func isSpace(c byte) bool {
	return c == ' ' || '\t' <= c && c <= '\r'
}

// trimSpace removes the characters that C calls white space. It keeps other
// white space of Unicode.
func trimSpace(s string) string {
	for s != "" && isSpace(s[0]) {
		s = s[1:]
	}
	for s != "" && isSpace(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// maxDelay limits the delay that a file can ask for. Package crawl has a much
// lower limit.
const maxDelay = 24 * time.Hour

// parseSeconds parses seconds with optional decimals, up to maxDelay. It
// rejects signs, exponents and names such as Inf.
func parseSeconds(s string) (time.Duration, bool) {
	if s == "" || strings.Trim(s, "0123456789.") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil && v == 0 { // an overflow gives infinity, which is limited below
		return 0, false
	}
	// Round, because 1.053 s must not become a nanosecond less.
	return time.Duration(math.Round(min(v, maxDelay.Seconds()) * float64(time.Second))), true
}

// parseDelay parses the value of a Crawl-delay line: seconds, optionally with a
// unit ("1.5", "10s", "5 sec").
func parseDelay(value string) (time.Duration, bool) {
	i := strings.IndexFunc(value, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if i < 0 {
		return parseSeconds(value)
	}
	switch strings.ToLower(trimSpace(value[i:])) {
	case "s", "sec", "secs", "second", "seconds":
		return parseSeconds(value[:i])
	}
	return 0, false
}

// parseRate parses the value of a Request-rate line, "pages/seconds", and
// returns the time for one page. The seconds may have a unit (s, m, h, d). A
// time of day after them is ignored, so the rate applies all day.
func parseRate(value string) (time.Duration, bool) {
	pages, per, ok := strings.Cut(value, "/")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(trimSpace(pages), 10, 32)
	if err != nil || n == 0 {
		return 0, false
	}
	per = trimSpace(per)
	if i := strings.IndexAny(per, " \t"); i >= 0 {
		per = per[:i]
	}
	unit := 1.0
	if per != "" {
		switch per[len(per)-1] | 0x20 {
		case 's':
			per = per[:len(per)-1]
		case 'm':
			unit, per = 60, per[:len(per)-1]
		case 'h':
			unit, per = 3600, per[:len(per)-1]
		case 'd':
			unit, per = 86400, per[:len(per)-1]
		}
	}
	d, ok := parseSeconds(per)
	if !ok {
		return 0, false
	}
	return time.Duration(min(d.Seconds()*unit/float64(n), maxDelay.Seconds()) * float64(time.Second)), true
}
