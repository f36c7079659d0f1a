// SPDX-License-Identifier: Apache-2.0

package paging

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.com/curlew/agent/internal/value"
	"example.com/curlew/internal/weburl"
)

// maxNumber is the greatest number of a page of a listing that its links may have as
// their text. Greater numbers are years and the like.
const maxNumber = 1000

// nextNumber returns the URL of the page after this one, if links with the numbers of
// pages as their texts say which one it is.
func nextNumber(here string, links []Link, resolve func(ref string) string) string {
	byNumber := map[int]string{}
	own := 0
	for _, link := range links {
		n := numberOf(link.Text)
		if n < 1 || n >= maxNumber || byNumber[n] != "" {
			continue
		}
		c := resolve(link.URL)
		if c == "" || origin(c) != origin(here) {
			continue
		}
		byNumber[n] = c
		if c == here && own == 0 {
			own = n
		}
	}
	if own > 0 {
		if next := byNumber[own+1]; next != here {
			return next
		}
		return ""
	}
	for _, n := range slices.Sorted(maps.Keys(byNumber)) {
		c := byNumber[n]
		if was, is, ok := counts(here, c); ok && is == n && was == n-1 {
			return c
		}
	}
	if _, _, ok := counts(byNumber[2], byNumber[3]); ok && byNumber[1] == "" && strings.HasPrefix(byNumber[2], strings.TrimRight(here, "/")) {
		return byNumber[2] // this is the first page, which has no number
	}
	return byNumber[unlinked(byNumber)+1]
}

// numberOf returns the number that is the whole text of a link, in the digits of any language and
// perhaps in brackets. If there is none, it returns zero.
func numberOf(text string) int {
	n, err := strconv.Atoi(strings.Trim(value.Normal(text), "[]() "))
	if err != nil {
		return 0
	}
	return n
}

// unlinked returns the number of the current page in a row of links to numbered pages, if it is the
// only one between others, or before them, that is no link. Their addresses must have one form; that of the first
// page may be shorter. If there is no such number, it returns -1.
func unlinked(byNumber map[int]string) int {
	all := slices.Sorted(maps.Keys(byNumber))
	own := -1
	for i, n := range all {
		if k := n - 1; k > 0 && byNumber[k] == "" && (k == 1 || byNumber[k-1] != "") {
			if own > 0 {
				return -1
			}
			own = k
		}
		if i > 0 && all[i-1] > 1 && !siblings(byNumber[all[i-1]], byNumber[n]) {
			return -1
		}
	}
	if len(all) < 2 {
		return -1
	}
	return own
}

// counts returns the numbers in which two URLs differ. If they differ in anything but one
// number, ok is false.
func counts(a, b string) (x, y int, ok bool) {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	for i > 0 && a[i-1] >= '0' && a[i-1] <= '9' {
		i--
	}
	digits := func(s string) (n int, rest string, ok bool) {
		rest = strings.TrimLeft(s[i:], "0123456789")
		n, err := strconv.Atoi(s[i : len(s)-len(rest)])
		return n, rest, err == nil && n < 1e6
	}
	x, restA, okA := digits(a)
	y, restB, okB := digits(b)
	return x, y, okA && okB && restA == restB && x != y
}

// Beyond returns the page of a listing after one that could not be read. That is the
// nearest of the linked pages whose URL differs from that of the failed page only in a
// greater number. If there is none, it is the page with the next number, because only
// the failed page would link it. before is the URL of the page before the failed one.
func Beyond(before, failed string, linked []string) (next string, known bool) {
	least := 0
	for _, u := range linked {
		if x, y, ok := counts(failed, u); ok && y > x && (next == "" || y < least) {
			next, least = u, y
		}
	}
	if next != "" {
		return next, true
	}
	step := 0
	if x, y, ok := counts(before, failed); ok {
		step = y - x
	} else if base, n := Number(failed); n == 2 {
		if first, one := Number(before); first == base && one == 1 {
			step = 1
		}
	} else if base, n := Offset(failed); n > 0 {
		if first, at := Offset(before); first == base && at == 0 {
			step = n
		}
	}
	if step <= 0 {
		return "", false
	}
	return advanced(before, failed, step), false
}

// advanced returns a URL with its number increased by step. The number is what differs
// from the URL before it.
func advanced(before, failed string, step int) string {
	i := 0
	for i < min(len(before), len(failed)) && before[i] == failed[i] {
		i++
	}
	for i > 0 && failed[i-1] >= '0' && failed[i-1] <= '9' {
		i--
	}
	from := strings.IndexAny(failed[i:], "0123456789")
	if from < 0 {
		return ""
	}
	from += i
	to := from
	for to < len(failed) && failed[to] >= '0' && failed[to] <= '9' {
		to++
	}
	n, err := strconv.Atoi(failed[from:to])
	if err != nil {
		return ""
	}
	return failed[:from] + strconv.Itoa(n+step) + failed[to:]
}

// Offset splits a URL into the number of the first thing that it lists, and the rest.
// If it has no such number, n is 0.
func Offset(raw string) (base string, n int) {
	u, err := weburl.Parse(raw)
	if err != nil {
		return "", 0
	}
	query, _ := u.Query()
	var kept []string
	for part := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(part, "=")
		switch strings.ToLower(name) {
		case "start", "offset", "from", "skip", "first", "startindex":
			if k, err := strconv.Atoi(value); err == nil && k >= 0 {
				n = k
				continue
			}
		}
		if part != "" {
			kept = append(kept, part)
		}
	}
	return u.Origin() + u.Path() + "?" + strings.Join(kept, "&"), n
}

// Number splits a URL into the number of its page and the rest. If it has no such
// number, n is 1.
func Number(raw string) (base string, n int) {
	u, err := weburl.Parse(raw)
	if err != nil {
		return "", 0
	}
	query, _ := u.Query()
	n = 1
	var kept []string
	for part := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "page", "p", "pg", "paged", "pagina", "seite":
			if k, err := strconv.Atoi(value); err == nil && k > 0 {
				n = k
				continue
			}
		}
		if part != "" {
			kept = append(kept, part)
		}
	}
	path := strings.TrimSuffix(strings.TrimSuffix(u.Path(), "/"), ".html")
	for _, mark := range []string{"/page/", "/page-", "/page"} {
		i := strings.LastIndex(path, mark)
		if i < 0 || !value.DigitsOnly(path[i+len(mark):]) {
			continue
		}
		if k, err := strconv.Atoi(path[i+len(mark):]); err == nil {
			n, path = k, path[:i]
			break
		}
	}
	return u.Origin() + path + "?" + strings.Join(kept, "&"), n
}
