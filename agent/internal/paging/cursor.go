// SPDX-License-Identifier: Apache-2.0

package paging

import (
	"slices"
	"strings"
)

// cursors are the members of a query that say where a page of a listing begins, in a way
// that only the site understands.
var cursors = map[string]bool{
	"after": true, "cursor": true, "next": true, "next_cursor": true, "page_token": true, "pagetoken": true, "continue": true, "continuation": true, "marker": true, "starting_after": true, "startkey": true, "start_key": true, "max_id": true,
}

// nextCursor returns the URL of the page whose query has another cursor than this one, and
// otherwise the same path and query. The last link counts, because the one before it may
// lead back. Without the name of a cursor, an opaque value is one if at most two links have such a
// value: those to the page before and after this one.
func nextCursor(here string, links []Link, resolve func(ref string) string) string {
	base, own := cursorOf(here)
	next := ""
	var opaque []string
	for _, link := range links {
		c := resolve(link.URL)
		if c == "" || c == here {
			continue
		}
		if other, cursor := cursorOf(c); other == base && cursor != own && cursor != "" {
			next = c
		}
		v := odd(here, c)
		if len(opaque) <= 2 && !slices.Contains(opaque, c) && (isOpaque(v) || len(v) >= leastOpaque && isOpaque(odd(c, here))) {
			opaque = append(opaque, c)
		}
	}
	if next == "" && len(opaque) > 0 && len(opaque) <= 2 {
		return opaque[len(opaque)-1]
	}
	return next
}

// cursorOf returns the cursor in the query of a canonical URL, and the URL without it.
func cursorOf(canonical string) (base, cursor string) {
	path, query, _ := strings.Cut(canonical, "?")
	var rest []string
	for part := range strings.SplitSeq(query, "&") {
		name, v, _ := strings.Cut(part, "=")
		if cursors[strings.ToLower(name)] && v != "" && cursor == "" {
			cursor = part
		} else if part != "" {
			rest = append(rest, part)
		}
	}
	return strings.TrimRight(path, "/") + "?" + strings.Join(rest, "&"), cursor
}

// odd returns the only value in the query of a URL that another one with the same path does not
// have.
func odd(here, there string) string {
	path, query, _ := strings.Cut(there, "?")
	if own, _, _ := strings.Cut(here, "?"); own != path || !differsOnce(here, there) {
		return ""
	}
	_, ownQuery, _ := strings.Cut(here, "?")
	own := parameters(ownQuery)
	for name, v := range parameters(query) {
		if w, ok := own[name]; !ok || w != v {
			return v
		}
	}
	return ""
}

// leastOpaque is the number of characters of a value that only the site understands.
const leastOpaque = 6

// isOpaque reports whether a value of a query is no word and no number: it has digits among letters, or
// capitals behind small letters. Several words in one, as in priceDesc, say how a list is sorted.
func isOpaque(v string) bool {
	digits, letters, parts := 0, 0, 1
	inside, run := false, false // a digit stands between letters; a capital follows another one
	before := ' '
	for i, r := range v {
		switch {
		case r >= '0' && r <= '9':
			digits++
			inside = inside || isLetter(before) && i+1 < len(v) && isLetter(rune(v[i+1]))
		case isLetter(r):
			letters++
			run = run || r <= 'Z' && before >= 'A' && before <= 'Z'
			if r <= 'Z' && before >= 'a' && before <= 'z' {
				parts++
			}
		case !strings.ContainsRune("-_.=%+", r):
			return false
		}
		before = r
	}
	words := digits == 0 && !run && letters >= leastWord*parts
	return digits+letters >= leastOpaque && letters > 0 && (digits > 1 || inside || parts > 1 && !words)
}

// leastWord is the mean number of letters from which on parts of a value with a capital each are words.
const leastWord = 3

// isLetter reports whether a character is a letter of ASCII.
func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// differsOnce reports whether two URLs have the same path and differ in one value of their queries,
// or have it and lack it.
func differsOnce(a, b string) bool {
	pathA, queryA, _ := strings.Cut(a, "?")
	pathB, queryB, _ := strings.Cut(b, "?")
	if pathA != pathB || queryA == queryB {
		return false
	}
	ofA, ofB := parameters(queryA), parameters(queryB)
	differing := 0
	for name, v := range ofA {
		if w, ok := ofB[name]; !ok || w != v {
			differing++
		}
	}
	for name := range ofB {
		if _, ok := ofA[name]; !ok {
			differing++
		}
	}
	return differing == 1
}

// parameters returns the values of a query by their names.
func parameters(query string) map[string]string {
	all := map[string]string{}
	for part := range strings.SplitSeq(query, "&") {
		if name, v, _ := strings.Cut(part, "="); part != "" {
			all[name] = v
		}
	}
	return all
}

// siblings reports whether two URLs differ in one segment of their paths, or in one value of their
// queries.
func siblings(a, b string) bool {
	if a == b || differsOnce(a, b) {
		return true
	}
	pathA, queryA, _ := strings.Cut(a, "?")
	pathB, queryB, _ := strings.Cut(b, "?")
	x, y := strings.Split(pathA, "/"), strings.Split(pathB, "/")
	if queryA != queryB || len(x) != len(y) {
		return false
	}
	differing := 0
	for i := range x {
		if x[i] != y[i] {
			differing++
		}
	}
	return differing == 1
}
