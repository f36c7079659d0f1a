// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/internal/shape"
	"example.com/curlew/internal/test/webtest"
)

// textPage returns an HTML page.
func textPage(url, body string, links ...string) *crawl.Page {
	p := &crawl.Page{URL: url, Body: []byte(body), Header: http.Header{"Content-Type": {"text/html"}}}
	for _, l := range links {
		p.Links = append(p.Links, crawl.Link{URL: l})
	}
	return p
}

// TestNovelty checks which differences between pages of one family count as
// new.
func TestNovelty(t *testing.T) {
	const one, two = "http://a.test/day/16", "http://a.test/day/17"
	template := strings.Repeat("The same words on each of them. ", 3)
	for _, tt := range []struct {
		name string
		a, b *crawl.Page
		same bool
	}{
		{"the same", textPage(one, template), textPage(two, template), true},
		{"its own number", textPage(one, template+"Day 16"), textPage(two, template+"Day 017"), true},
		{"a number", textPage(one, template+"Price 16"), textPage(two, template+"Price 99"), false},
		{"a word", textPage(one, template+"north"), textPage(two, template+"south"), false},
		{"script", textPage(one, template+"<script>a('<b>')</script>"), textPage(two, template+"<SCRIPT x>other</Script >"), true},
		{"style", textPage(one, template+"<style>a{}</style>"), textPage(two, template+"<style>b{}</style>"), true},
		{"comment", textPage(one, template+"<!-- a > b -->"), textPage(two, template+"<!-- c -->"), true},
		{"attributes", textPage(one, template+"<p class=a>"), textPage(two, template+"<p class=b>"), true},
		{"image", textPage(one, template+"<img alt='x' src=a.jpg>"), textPage(two, template+"<IMG src = \"b.jpg\">"), false},
		{"the same image", textPage(one, template+"<img src=a.jpg>"), textPage(two, template+"<img id=7 src='a.jpg'>"), true},
		{"a lazy image", textPage(one, template+"<img data-src=a.jpg src=x>"), textPage(two, template+"<img data-src=b.jpg src=x>"), true},
		{"link outside", textPage(one, template, "http://a.test/item/1"), textPage(two, template, "http://a.test/item/2"), false},
		{"link inside", textPage(one, template+"17", "http://a.test/day/17"), textPage(two, template+"18", "http://a.test/day/18"), true},
		{"white space", textPage(one, template), textPage(two, strings.ReplaceAll(template, " ", "\n<br>")), true},
		{"nothing", textPage(one, ""), textPage(two, "<p>"), true},
		{"one word", textPage(one, "a"), textPage(two, "b"), false},
		{"text", textPage(one, "a<b c"), textPage(two, "a < b c"), false}, // the first one is a tag
		{"open tag", textPage(one, template+"<a href='"), textPage(two, template), true},
	} {
		a, b := crawl.SketchOf(tt.a), crawl.SketchOf(tt.b)
		if novel, of := crawl.Novel(b, a); (novel == 0) != tt.same || of == 0 {
			t.Errorf("%s: %d of %d shingles are new, want none: %t", tt.name, novel, of, tt.same)
		}
		if novel, of := crawl.Novel(b); novel != of {
			t.Errorf("%s: %d of %d shingles of the first page are new", tt.name, novel, of)
		}
	}
}

// TestSketch checks that the share of new shingles in long pages is about
// right, and never uncertain for equal pages.
func TestSketch(t *testing.T) {
	body := webtest.Prose(3000, "long")
	page := func(s string) []uint32 { return crawl.SketchOf(textPage("http://a.test/x", s)) }
	old := page(body)
	if len(old) != 64 || !slices.IsSorted(old) {
		t.Fatalf("a sketch of %d shingles", len(old))
	}
	if novel, of := crawl.Novel(page(body+webtest.Prose(30, "more")), old); of < 50 || novel*100 > 10*of {
		t.Errorf("1 %% more gives %d of %d", novel, of)
	}
	if novel, of := crawl.Novel(page(body+webtest.Prose(3000, "other")), old); of < 20 || novel*100 < 25*of {
		t.Errorf("twice as much gives %d of %d", novel, of)
	}
	// A short page has too few shingles to compare with the sample of a long
	// page.
	if novel, of := crawl.Novel(page("three short words, and more of them here"), old); novel != of {
		t.Errorf("a short page of other words: %d of %d are new", novel, of)
	}
}

func TestTextOf(t *testing.T) {
	const url = "http://a.test/list?sid=77&color=red"
	text := func(url, body string, links ...string) uint64 { return crawl.TextOf(textPage(url, body, links...)) }
	same := text(url, "Red things, for 77", "http://a.test/item?sid=77&id=1")
	if got := text("http://a.test/list?sid=78&color=blue", "Blue things, for <b>78", "http://a.test/item?sid=78&id=1"); got == same {
		t.Error("what a page says of another colour is the same")
	}
	if got := text("http://a.test/list?sid=78&color=Red", "things, for <b>78", "http://a.test/item?sid=78&id=1"); got == 0 {
		t.Error("no fingerprint")
	}
	if got := text("http://a.test/list?sid=78&color=red", "Red things, for <b>78", "http://a.test/item?sid=78&id=1"); got != same {
		t.Error("another session gives another text")
	}
	if got := text("http://a.test/list?sid=78&color=red", "Red things, for <b>78", "http://a.test/item?sid=78&id=2"); got == same {
		t.Error("a list of other things is the same text")
	}
}

func FuzzSketch(f *testing.F) {
	f.Add("http://a.test/1?a=2", "<p>a b c<img src=x><!-- --><script>x</script>")
	f.Add("http://a.test/#/x", "<script><style></")
	f.Add("x", "<img =src=")
	f.Fuzz(func(t *testing.T, url, body string) {
		p := textPage(url, body, url, "http://a.test/"+body)
		s := crawl.SketchOf(p)
		if len(s) == 0 || len(s) > 64 || !slices.IsSorted(s) {
			t.Fatalf("sketch %v", s)
		}
		if novel, _ := crawl.Novel(s, s); novel != 0 {
			t.Fatalf("%d shingles of a page are not its own", novel)
		}
		crawl.TextOf(p)
		shape.Pattern(url)
	})
}
