// SPDX-License-Identifier: Apache-2.0

package sitemap

import (
	"bytes"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// decode converts text to UTF-8. Valid UTF-8 stays unchanged, whatever the file
// declares. Other text is decoded as windows-1252, which includes ISO 8859-1.
// Sitemaps in other charsets escape their URLs.
func decode(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	out := make([]byte, 0, 2*len(text))
	for _, c := range text {
		switch {
		case c < 0x80 || c >= 0xA0:
			out = utf8.AppendRune(out, rune(c))
		default:
			out = utf8.AppendRune(out, windows1252[c-0x80])
		}
	}
	return string(out)
}

// windows1252 maps 0x80 to 0x9F as the Encoding Standard does.
var windows1252 = [...]rune{
	0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D, 0x017D, 0x8F,
	0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
}

// maxReference is the maximal length of a reference.
const maxReference = 12

// reference decodes the reference at the start of b and returns the number of
// bytes it takes. If it is not a number and not one of XML's five, or is not
// closed, only the ampersand is returned, unchanged.
func reference(b []byte) (text []byte, n int) {
	end := bytes.IndexByte(b[:min(len(b), maxReference)], ';')
	if end < 0 {
		return b[:1], 1
	}
	switch name := string(b[1:end]); {
	case name == "amp":
		return []byte("&"), end + 1
	case name == "lt":
		return []byte("<"), end + 1
	case name == "gt":
		return []byte(">"), end + 1
	case name == "quot":
		return []byte(`"`), end + 1
	case name == "apos":
		return []byte("'"), end + 1
	case strings.HasPrefix(name, "#"):
		digits, base := name[1:], 10
		if strings.HasPrefix(digits, "x") || strings.HasPrefix(digits, "X") {
			digits, base = digits[1:], 16
		}
		if x, err := strconv.ParseUint(digits, base, 32); err == nil && x > 0 && x <= utf8.MaxRune {
			return utf8.AppendRune(nil, rune(x)), end + 1
		}
	}
	return b[:1], 1
}

// attribute returns the value of an attribute whose name has any letter case
// and no prefix. Its quotes may be missing.
func attribute(b []byte, name string) (string, bool) {
	for len(b) > 0 {
		b = bytes.TrimLeft(b, " \t\r\n\f\v/")
		end := bytes.IndexAny(b, "= \t\r\n\f\v")
		if end < 0 {
			return "", false
		}
		key := b[:end]
		b = bytes.TrimLeft(b[end:], " \t\r\n\f\v")
		if len(b) == 0 || b[0] != '=' {
			continue
		}
		b = bytes.TrimLeft(b[1:], " \t\r\n\f\v")
		var value []byte
		if len(b) > 0 && (b[0] == '"' || b[0] == '\'') {
			end = bytes.IndexByte(b[1:], b[0])
			if end < 0 {
				end = len(b) - 1
			}
			value, b = b[1:1+end], b[min(len(b), end+2):]
		} else {
			end = bytes.IndexAny(b, " \t\r\n\f\v")
			if end < 0 {
				end = len(b)
			}
			value, b = b[:end], b[end:]
		}
		if len(key) == len(name) && strings.EqualFold(string(key), name) {
			return unescape(value), true
		}
	}
	return "", false
}

// unescape decodes an attribute value.
func unescape(value []byte) string {
	var out []byte
	for {
		i := bytes.IndexByte(value, '&')
		if i < 0 {
			return strings.TrimSpace(decode(append(out, value...)))
		}
		text, n := reference(value[i:])
		out = append(append(out, value[:i]...), text...)
		value = value[i+n:]
	}
}

// layouts are the date formats of W3C (sitemaps.org) and of RFC 822 (RSS), and
// common variants.
var layouts = [...]string{
	time.RFC3339,
	"2006-01-02",
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04:05",
	"2006-01-02T15:04",
	"2006-01-02T15:04:05Z0700",
	"2006-01-02 15:04:05",
	"2006-01-02 15:04:05 Z0700",
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04",
	"2006-01",
	"2006",
	time.RFC1123Z,
	time.RFC1123,
	"Mon, 2 Jan 2006 15:04:05 -0700",
	"Mon, 2 Jan 2006 15:04:05 MST",
	"2 Jan 2006 15:04:05 -0700",
	"2 Jan 2006 15:04:05 MST",
	"2006/01/02",
}

// parseDate parses a date of a sitemap or feed. Without a time zone it is UTC.
func parseDate(text string) (time.Time, bool) {
	if len(text) > 64 {
		return time.Time{}, false
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
