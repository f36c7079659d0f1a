// SPDX-License-Identifier: Apache-2.0

package paging_test

import (
	"strings"
	"testing"

	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/internal/paging"
)

// TestNext finds the page behind one of a listing by its relation, its text, its number, its
// offset and its cursor.
func TestNext(t *testing.T) {
	const list = "https://a.test/list"
	for _, test := range []struct {
		name, here string
		links      []paging.Link
		want       string
	}{
		{"a relation", list, []paging.Link{{URL: "/x", Text: "x"}, {URL: "/y", Text: "y", Rel: "nofollow NEXT"}}, "https://a.test/y"},
		{"a relation that leads here", list, []paging.Link{{URL: "/list", Rel: "next"}}, ""},
		{"a relation to another host, and a word", list, []paging.Link{{URL: "https://b.test/y", Rel: "next"}, {URL: "/z", Text: "Siguiente"}}, "https://a.test/z"},
		{"a word that leads to another port", list, []paging.Link{{URL: "https://a.test:8443/y", Text: "Next"}}, ""},
		{"an arrow to an opaque address", list, []paging.Link{{URL: "?t=Zm9v", Text: "→"}}, "https://a.test/list?t=Zm9v"},
		{"more of something", list, []paging.Link{{URL: "/y", Text: "Load more recipes"}}, "https://a.test/y"},
		{"more beside each thing", list, []paging.Link{{URL: "/a", Text: "More"}, {URL: "/b", Text: "More"}, {URL: "/c", Text: "More"}}, ""},
		{"the next number", list + "?page=2", []paging.Link{{URL: "?page=1", Text: "a"}, {URL: "?page=4", Text: "c"}, {URL: "?page=3", Text: "b"}}, list + "?page=3"},
		{"the nearest offset", list + "?start=20", []paging.Link{{URL: "?start=0"}, {URL: "?start=60"}, {URL: "?start=40"}}, list + "?start=40"},
		{"opaque addresses of numbered pages", list + "?t=bb", []paging.Link{{URL: "?t=aa", Text: "1"}, {URL: "?t=bb", Text: "2"}, {URL: "?t=cc", Text: "3"}}, list + "?t=cc"},
		{"the last of numbered pages", list + "?t=cc", []paging.Link{{URL: "?t=aa", Text: "1"}, {URL: "?t=bb", Text: "2"}, {URL: "?t=cc", Text: "3"}}, ""},
		{"a cursor behind one that leads back", list + "?cursor=bb", []paging.Link{{URL: "?cursor=aa", Text: "x"}, {URL: "?cursor=cc", Text: "y"}}, list + "?cursor=cc"},
		{"an opaque value of any name", list + "?sort=name", []paging.Link{{URL: "?sort=price", Text: "Price"}, {URL: "?sort=name&w=Zm9vYmFyMQ", Text: "Áfram"}}, list + "?sort=name&w=Zm9vYmFyMQ"},
		{"links that sort the list", list, []paging.Link{{URL: "?sort=priceDesc", Text: "Price"}, {URL: "?order=PriceHighToLow", Text: "Dearest"}}, ""},
		{"a link that sorts the list, and one that goes on", list, []paging.Link{{URL: "?k=qVxbTRwz", Text: "Áfram"}, {URL: "?sort=priceDesc", Text: "Price"}}, list + "?k=qVxbTRwz"},
		{"a digit among capitals", list + "?c=Zm9vYmFyMQ", []paging.Link{{URL: "?c=WQSBWE3R", Text: "Áfram"}}, list + "?c=WQSBWE3R"},
		{"a value of letters in place of an opaque one", list + "?c=Zm9vYmFyMQ", []paging.Link{{URL: "", Text: "Home"}, {URL: "?c=qwkzjtrv", Text: "Áfram"}}, list + "?c=qwkzjtrv"},
		{"opaque values of many links", list, []paging.Link{{URL: "?v=a1b2c3", Text: "Red"}, {URL: "?v=a1b2c4", Text: "Blue"}, {URL: "?v=a1b2c5", Text: "Green"}}, ""},
		{"a word and a number as values", list, []paging.Link{{URL: "?view=gallery", Text: "Gallery"}, {URL: "?lang=de-CH", Text: "Deutsch"}, {URL: "?year=2019", Text: "2019"}}, ""},
		{"the current page is no link", list + "?t=bb", []paging.Link{{URL: "?t=aa", Text: "1"}, {URL: "?t=cc", Text: "3"}, {URL: "?t=dd", Text: "4"}, {URL: "?t=zz", Text: "20"}}, list + "?t=cc"},
		{"the first page is no link", list, []paging.Link{{URL: "/bb", Text: "[2]"}, {URL: "/cc", Text: "[3]"}}, "https://a.test/bb"},
		{"digits of Arabic", list + "?t=bb", []paging.Link{{URL: "?t=aa", Text: "١"}, {URL: "?t=cc", Text: "٣"}, {URL: "?t=dd", Text: "٤"}}, list + "?t=cc"},
		{"numbers of different things", list, []paging.Link{{URL: "/a/x", Text: "2"}, {URL: "/b/y/z", Text: "3"}}, ""},
		{"the last page is no link", list + "?t=dd", []paging.Link{{URL: "?t=aa", Text: "1"}, {URL: "?t=bb", Text: "2"}, {URL: "?t=cc", Text: "3"}}, ""},
		{"years", list, []paging.Link{{URL: "/2024", Text: "2024"}, {URL: "/2025", Text: "2025"}}, ""},
		{"no address", list, []paging.Link{{URL: "javascript:next()", Text: "Next"}, {URL: "mailto:a@a.test", Text: "Next"}, {URL: "https://%zz/", Text: "Next"}}, ""},
	} {
		if got := paging.Next(test.here, test.links, lines.NewLinker(test.here)); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// TestBeyond goes on behind a page that could not be read.
func TestBeyond(t *testing.T) {
	for _, test := range []struct {
		name, before, failed string
		linked               []string
		want                 string
		known                bool
	}{
		{"a linked page", "https://a.test/l?page=2", "https://a.test/l?page=3", []string{"https://a.test/l?page=9", "https://a.test/l?page=4"}, "https://a.test/l?page=4", true},
		{"the next number", "https://a.test/l?page=2", "https://a.test/l?page=3", []string{"https://a.test/x"}, "https://a.test/l?page=4", false},
		{"the first page has no number", "https://a.test/l", "https://a.test/l?page=2", nil, "https://a.test/l?page=3", false},
		{"an offset", "https://a.test/l", "https://a.test/l?start=20", nil, "https://a.test/l?start=40", false},
		{"a step of the path", "https://a.test/l/p2", "https://a.test/l/p4", nil, "https://a.test/l/p6", false},
		{"backwards", "https://a.test/l?page=3", "https://a.test/l?page=2", nil, "", false},
		{"an opaque address", "https://a.test/l?t=ab", "https://a.test/l?t=cd", nil, "", false},
	} {
		if got, known := paging.Beyond(test.before, test.failed, test.linked); got != test.want || known != test.known {
			t.Errorf("%s: got %q, %v, want %q, %v", test.name, got, known, test.want, test.known)
		}
	}
}

// TestNumber splits addresses into the number of the page, or of its first thing, and the rest.
func TestNumber(t *testing.T) {
	for raw, want := range map[string]struct {
		base string
		n    int
	}{
		"https://a.test/l?page=3&q=x":                {"https://a.test/l?q=x", 3},
		"https://a.test/l/page/7/":                   {"https://a.test/l?", 7},
		"https://a.test/l/page-2.html":               {"https://a.test/l?", 2},
		"https://a.test/l?page=0":                    {"https://a.test/l?page=0", 1},
		"https://a.test/l?page=99999999999999999999": {"https://a.test/l?page=99999999999999999999", 1},
		"https://a.test/l":                           {"https://a.test/l?", 1},
	} {
		if base, n := paging.Number(raw); base != want.base || n != want.n {
			t.Errorf("%s: got %s, %d", raw, base, n)
		}
	}
	if base, n := paging.Offset("https://a.test/l?q=x&Offset=40"); base != "https://a.test/l?q=x" || n != 40 {
		t.Errorf("got %s, %d", base, n)
	}
}

// FuzzNext finds the next page among links from outside. It is never the page itself, and it is on
// the same host unless a relation names another one.
func FuzzNext(f *testing.F) {
	f.Add("https://a.test/list", "?t=Zm9v\n→\n\n/y\nNext\nnext")
	f.Add("https://a.test/list?page=2", "?page=1\n1\n\n?page=3\n3\n\nhttps://b.test/\nNext\n")
	f.Add("https://a.test/l?start=20", "?start=99999999999999999999\n\n\n?start=40\n3\n")
	f.Add("http://[::1]:80/", "//a.test\n2\n\n%zz\n3\n")
	f.Add("https://a.test/l?t=bb", "?t=aa\n1\n\n?t=cc\n٣\n\n?t=dd\n[4]\n")
	f.Add("https://a.test/l", "?w=Zm9vYmFyMQ\nÁfram\n\n?w=a1b2c3&x\n\n")
	f.Fuzz(func(t *testing.T, here, raw string) {
		parts := strings.Split(raw, "\n")
		var links []paging.Link
		var linked []string
		for i := 0; i+2 < len(parts) && len(links) < 200; i += 3 {
			links = append(links, paging.Link{URL: parts[i], Text: parts[i+1], Rel: parts[i+2]})
			linked = append(linked, parts[i])
		}
		l := lines.NewLinker(here)
		next := paging.Next(here, links, l)
		if next != "" {
			if next == here {
				t.Errorf("%q follows itself", here)
			}
			related := false
			for _, link := range links {
				related = related || strings.Contains(strings.ToLower(link.Rel), "next")
			}
			host := func(s string) string { return strings.Join(strings.SplitN(s, "/", 4)[:3], "/") }
			if base, err := l.Base.Link(here); err == nil && !related && host(base.String()) != host(next) {
				t.Errorf("%q leads from %q to another host without a relation", next, here)
			}
		}
		for _, failed := range linked {
			if beyond, _ := paging.Beyond(here, failed, linked); beyond != "" && beyond == failed {
				t.Errorf("%q follows itself", failed)
			}
		}
	})
}
