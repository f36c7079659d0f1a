// SPDX-License-Identifier: Apache-2.0

package site_test

import (
	"bytes"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/bench/site"
)

// TestTruth finds the pages independently: it parses the generated HTML with a
// plain parser and follows the links in breadth-first order.
func TestTruth(t *testing.T) {
	s := site.New(site.Config{Seed: 7, Pages: 300, Bytes: 1 << 10})
	const host = "127.0.0.1:8080"
	got := map[string]int{"/": 0}
	for queue := []string{"/"}; len(queue) > 0; queue = queue[1:] {
		body, contentType, ok := s.Page(host, queue[0])
		if !ok {
			t.Fatalf("no page %s", queue[0])
		}
		if contentType == "text/html" { // it may be windows-1252
			var b strings.Builder
			for _, c := range body {
				b.WriteRune(rune(c))
			}
			body = []byte(b.String())
		}
		for _, u := range hrefs(t, "http://"+host+queue[0], body) {
			if u.Host != host || strings.HasPrefix(u.Path, "/private/") {
				continue
			}
			p := u.EscapedPath()
			if u.RawQuery != "" {
				p += "?" + u.RawQuery
			}
			if _, seen := got[p]; !seen {
				got[p] = got[queue[0]] + 1
				queue = append(queue, p)
			}
		}
	}
	want := s.Truth()
	if len(want) != 300 {
		t.Errorf("truth has %d pages, want 300", len(want))
	}
	for p, d := range want {
		if got[p] != d {
			t.Errorf("%s at depth %d, want %d", p, got[p], d)
		}
	}
	for p := range got {
		if _, ok := want[p]; !ok {
			t.Errorf("%s is linked and not in the truth", p)
		}
	}
}

// TestSame checks that a page depends only on seed and path.
func TestSame(t *testing.T) {
	a, b := site.New(site.Config{Seed: 1, Pages: 50}), site.New(site.Config{Seed: 1, Pages: 50})
	for p := range a.Truth() {
		x, _, _ := a.Page("h", p)
		y, _, _ := b.Page("h", p)
		if !bytes.Equal(x, y) {
			t.Errorf("%s differs between two equal sites", p)
		}
	}
}

func hrefs(t *testing.T, page string, body []byte) []*url.URL {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	base, _ := url.Parse(page)
	var found []*url.URL
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		for _, a := range n.Attr {
			if n.Data == "base" && a.Key == "href" {
				base, _ = base.Parse(a.Val)
				continue
			}
			// The parser does not do what browsers do: URLs of the standard
			// library cannot contain a backslash, tab or newline.
			ref := strings.NewReplacer("\n", "", "\t", "", "\\", "/", "%2e/", "./").Replace(strings.TrimSpace(a.Val))
			if a.Key != "href" && a.Key != "src" || n.Data == "img" {
				continue
			}
			if u, err := base.Parse(ref); err == nil && strings.EqualFold(u.Scheme, "http") {
				found = append(found, u)
			}
		}
		if n.Data == "template" {
			return
		}
		for c := range n.ChildNodes() {
			walk(c)
		}
	}
	walk(root)
	return found
}

// TestFaults checks that failing pages hide no others, and that pages that
// never respond are not in the truth.
func TestFaults(t *testing.T) {
	s := site.New(site.Config{Seed: 3, Pages: 300, Bytes: 1 << 10, Faults: true})
	truth, kinds := s.Truth(), map[site.Fault]int{}
	for p := range site.New(site.Config{Seed: 3, Pages: 300}).Truth() {
		kinds[s.Fault(p)]++
		if _, ok := truth[p]; ok == (s.Fault(p) == site.BrokenReset) {
			t.Errorf("%s, fault %d: in the truth %v", p, s.Fault(p), ok)
		}
	}
	for f := site.None; f <= site.BrokenReset; f++ {
		if kinds[f] == 0 {
			t.Errorf("no page has fault %d", f)
		}
	}
}

// TestTraps checks that each trap is reachable and endless.
func TestTraps(t *testing.T) {
	s := site.New(site.Config{Seed: 3, Pages: 20, Bytes: 1 << 10, Traps: true})
	const host = "127.0.0.1:8080"
	front, _, _ := s.Page(host, "/")
	doors := map[string]bool{}
	for _, u := range hrefs(t, "http://"+host+"/", front) {
		for name := range site.Traps {
			if !strings.HasPrefix(u.Path, name) {
				continue
			}
			doors[name] = true
			seen := map[string]bool{}
			for range 30 {
				seen[u.String()] = true
				body, _, ok := s.Page(host, u.RequestURI())
				next := hrefs(t, u.String(), body)
				if !ok || len(next) == 0 {
					t.Fatalf("%s ends", u)
				}
				u = next[len(next)-1]
			}
			if len(seen) != 30 {
				t.Errorf("%s has %d pages", name, len(seen))
			}
		}
	}
	if len(doors) != len(site.Traps) {
		t.Errorf("doors to %v", doors)
	}
	if _, _, ok := s.Page(host, "/trap/none"); ok {
		t.Error("a trap that is none")
	}
}
