// SPDX-License-Identifier: Apache-2.0

package shape

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// A pattern is the common form of many URLs of one site. Digits become N,
// hexadecimal words and UUIDs become X, and only the sorted keys of the query
// remain. The family of a URL is its pattern with the host and without those
// keys. In a family, runs of repeated segments are folded, so that paths that
// grow by the same segments are in one family.

const (
	maxKeys     = 8  // keys of a query in a pattern
	maxFold     = 3  // maximal number of segments in the repeated part of a run
	maxSegments = 64 // segments of a path that are considered
)

// Pattern returns the pattern of a URL for display: the folded path and the
// keys of the query.
func Pattern(url string) string {
	path, query := Split(url)
	var buf [512]byte
	b := appendFolded(buf[:0], path)
	if query == "" {
		return string(b)
	}
	var keys []string
	for part := range strings.SplitSeq(query, "&") {
		key, _, _ := strings.Cut(part, "=")
		keys = append(keys, string(appendPattern(nil, key)))
	}
	slices.Sort(keys)
	if len(keys) > maxKeys {
		return string(b) + "?…"
	}
	return string(b) + "?" + strings.Join(slices.Compact(keys), "&")
}

// Family returns a fingerprint of the family of a URL.
func Family(url string) uint64 {
	path, _ := Split(url)
	var buf [512]byte
	return Nonzero(xxhash.Sum64(appendFolded(append(buf[:0], Bare(Authority(url))...), path)))
}

// Authority returns the host and port of a URL without userinfo.
func Authority(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	return rest
}

// Split returns the path of a URL, including its route if it has one, and the
// query.
func Split(url string) (path, query string) {
	_, rest, _ := strings.Cut(url, "://")
	rest, fragment, _ := strings.Cut(rest, "#")
	rest, query, _ = strings.Cut(rest, "?")
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		path = rest[i:]
	}
	if strings.HasPrefix(fragment, "/") || strings.HasPrefix(fragment, "!/") {
		path += "#" + fragment
	}
	return path, query
}

// appendFolded appends the pattern of a path.
func appendFolded(b []byte, path string) []byte {
	var starts [maxSegments]int // starts of the segments in b
	n := 0
	segment := func(i int) []byte { // returns the i-th segment, from the last
		end := len(b)
		if i > 0 {
			end = starts[n-i]
		}
		return b[starts[n-i-1]:end]
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if n == maxSegments {
			break
		}
		starts[n] = len(b)
		n++
		b = appendPattern(append(b, '/'), part)
		for run := 1; run <= maxFold && 2*run <= n; run++ {
			same := true
			for i := range run {
				same = same && bytes.Equal(segment(i), segment(i+run))
			}
			if same {
				n -= run
				b = b[:starts[n]]
				break
			}
		}
	}
	return b
}

// appendPattern appends the pattern of one segment or key.
func appendPattern(b []byte, w string) []byte {
	digits, hex, dashes := 0, 0, 0
	for i := range len(w) {
		switch c := w[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F':
			hex++
		case c == '-':
			dashes++
		}
	}
	switch {
	case digits == 0:
		return append(b, w...)
	case digits+hex+dashes == len(w) && hex > 0 && digits+hex >= 8:
		return append(b, 'X')
	}
	for i := range len(w) {
		switch {
		case w[i] < '0' || w[i] > '9':
			b = append(b, w[i])
		case i == 0 || w[i-1] < '0' || w[i-1] > '9':
			b = append(b, 'N')
		}
	}
	return b
}

// AddressWords calls f for each word of a URL that can occur on a page without
// being new: words with a digit, and words of the query's values.
func AddressWords(address string, f func(word string)) {
	path, query := Split(address)
	each := func(s string, all bool) {
		start, digit := -1, false
		for i := 0; i <= len(s); i++ {
			if i < len(s) && IsWord(s[i]) {
				if start < 0 {
					start, digit = i, false
				}
				digit = digit || s[i] >= '0' && s[i] <= '9'
				continue
			}
			if start >= 0 && (all || digit) {
				f(s[start:i])
			}
			start = -1
		}
	}
	each(path, false)
	for part := range strings.SplitSeq(query, "&") {
		_, value, _ := strings.Cut(part, "=")
		if plain, err := url.QueryUnescape(value); err == nil {
			value = plain
		}
		each(value, true)
	}
}

// IsWord reports whether c is part of a word: a letter, a digit, or a byte that
// is not ASCII.
func IsWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}
