// SPDX-License-Identifier: Apache-2.0

package value

import (
	"slices"
	"strings"
	"unicode"

	"example.com/curlew/internal/weburl"
)

// Canonical returns the form of a URL that identifies a page: without fragment and
// without parameters that only serve tracking. If raw is not a URL that an agent may
// request, it returns "". A URL with userinfo is not.
func Canonical(raw string) string {
	u, err := weburl.Parse(raw)
	if err != nil || u.HostKey() == "" {
		return ""
	}
	if _, _, ok := u.User(); ok {
		return ""
	}
	u = u.WithoutFragment()
	query, ok := u.Query()
	if !ok {
		return u.String()
	}
	base, _, _ := strings.Cut(u.String(), "?")
	var kept []string
	for part := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(part, "=")
		name = strings.ToLower(name)
		if part == "" || strings.HasPrefix(name, "utm_") || name == "gclid" || name == "fbclid" {
			continue
		}
		kept = append(kept, part)
	}
	if len(kept) == 0 {
		return base
	}
	return base + "?" + strings.Join(kept, "&")
}

// Shape returns the pattern of a canonical URL: the host and the path, with
// placeholders for numbers, identifiers and slugs, and the names of the query's keys.
func Shape(raw string) string {
	u, err := weburl.Parse(raw)
	if err != nil {
		return ""
	}
	var b strings.Builder
	b.WriteString(u.HostPort())
	for segment := range strings.SplitSeq(strings.TrimPrefix(u.Path(), "/"), "/") {
		b.WriteByte('/')
		b.WriteString(place(segment))
	}
	if query, ok := u.Query(); ok && query != "" {
		var names []string
		for part := range strings.SplitSeq(query, "&") {
			name, _, _ := strings.Cut(part, "=")
			names = append(names, name)
		}
		slices.Sort(names)
		b.WriteString("?" + strings.Join(slices.Compact(names), "&"))
	}
	return b.String()
}

// ShapeBy returns [Shape], adapted to what was learned about a site. slugs are shapes
// with {s} in a segment in which some addresses of the site have a single word.
func ShapeBy(raw string, slugs []string) string {
	shape := Shape(raw)
	own := strings.Split(shape, "/")
	for _, slug := range slugs {
		if matchesSlug(own, strings.Split(slug, "/")) {
			return slug
		}
	}
	return shape
}

// matchesSlug reports whether the segments of a shape match those of a slug. The
// segment {s} of a slug matches any segment.
func matchesSlug(own, slug []string) bool {
	if len(own) != len(slug) {
		return false
	}
	for i, s := range slug {
		if s != own[i] && (s != "{s}" || own[i] == "") {
			return false
		}
	}
	return true
}

// place returns the segment of a path as it appears in a shape.
func place(s string) string {
	base, ext := s, ""
	if i := strings.LastIndexByte(s, '.'); i > 0 && len(s)-i <= 6 && !DigitsOnly(s[i+1:]) {
		base, ext = s[:i], s[i:]
	}
	digit, letter, hex, dashes := 0, 0, 0, strings.Count(base, "-")
	for _, r := range base {
		switch {
		case unicode.IsDigit(r):
			digit++
			hex++
		case r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F':
			letter++
			hex++
		case unicode.IsLetter(r):
			letter++
		}
	}
	n := len(base)
	switch {
	case n == 0:
		return s
	case digit == n:
		return "{n}" + ext
	case n == 36 && hex == 32 && dashes == 4, n >= 8 && hex == n && digit > 0:
		return "{h}" + ext
	case dashes >= 2:
		return "{s}" + ext
	case digit > 0 && letter > 0:
		return "{x}" + ext
	}
	return s
}

// DigitsOnly reports whether s consists of ASCII digits.
func DigitsOnly(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// Host returns the host of a URL without www.
func Host(raw string) string {
	u, err := weburl.Parse(raw)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(u.HostKey(), "www.")
}

// HandleNumber returns the number of a handle such as L31.
func HandleNumber(s string, kind byte) (int, bool) {
	if len(s) < 2 || len(s) > 8 || s[0] != kind || !DigitsOnly(s[1:]) {
		return 0, false
	}
	n := 0
	for _, r := range s[1:] {
		n = n*10 + int(r-'0')
	}
	return n, n > 0
}
