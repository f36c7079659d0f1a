// SPDX-License-Identifier: Apache-2.0

package doctree_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/dom"
)

// paged is a document of three pages. A paragraph, a list and a table continue
// on the next page, and all content of page 3 began before.
const paged = `<section data-page=1 data-w=612 data-h=792>
<header data-role=running data-page=1 data-bbox="1 2 3 4">head</header>
<h1 data-page=1 data-bbox="10 20 30 40" data-conf=1 data-src=native_text>Title</h1>
<p data-page=1 data-bbox="10 50 30 60" data-src=native_text>one <b>two<wbr data-page=2 data-bbox="10 5 30 9"> three</b> four</p></section>
<section data-page=2 data-w=612 data-h=792><ul><li data-page=2 data-bbox="1 1 2 2" data-src=tagged data-conf=.5>a</li><li data-page=2 data-bbox="1 3 9 4">b</li><li data-page=3 data-bbox="0 0 99 99">c</li></ul>
<table data-page=2><thead><tr><th>H</th></tr></thead><tbody><tr data-page=2><td>x</td></tr><tr data-page=3><td>y</td></tr></tbody></table></section>
<section data-page=3 data-w=612 data-h=792><footer data-role=page-number data-page=3>3</footer></section>
<section role=doc-endnotes><ol><li data-page=2 data-bbox="5 5 6 6" role=doc-footnote>note</li></ol></section>`

func tree(t *testing.T, src string) *html.Node {
	t.Helper()
	d, err := dom.Parse(t.Context(), []byte(strings.ReplaceAll(src, "\n", "")), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	return d.Root
}

func TestBlocks(t *testing.T) {
	var got []string
	for b := range doctree.Blocks(tree(t, paged)) {
		got = append(got, fmt.Sprint(b.Page, " ", b.Order, " ", b.Node.Data, " ", b.Box, " ", b.Conf, " ", b.Source))
	}
	want := []string{
		"1 0 header {1 2 3 4} -1 ",
		"1 1 h1 {10 20 30 40} 1 native_text",
		"1 2 p {10 50 30 60} -1 native_text",
		"2 0 ul {1 1 9 4} 0.5 tagged", // of its items on the page
		"2 1 table {0 0 0 0} -1 ",
		"3 0 footer {0 0 0 0} -1 ",
		"2 2 li {5 5 6 6} -1 ",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for range doctree.Blocks(tree(t, paged)) {
		break // the iterator must not call yield again
	}
	for b := range doctree.Blocks(tree(t, "<p>no pages</p>")) {
		t.Errorf("a block without a page: %v", b)
	}
}

func TestPage(t *testing.T) {
	root := tree(t, paged)
	before := render(t, root)
	for n, want := range []string{
		"",
		`<header>head</header><h1>Title</h1><p>one <b>two</b></p>`,
		`<p><b> three</b> four</p><ul><li>a</li><li>b</li></ul><table><thead><tr><th>H</th></tr></thead><tbody><tr><td>x</td></tr></tbody></table></section><section><ol><li>note</li></ol>`,
		`<ul><li>c</li></ul><table><thead><tr><th>H</th></tr></thead><tbody><tr><td>y</td></tr></tbody></table><footer>3</footer>`,
		"",
	} {
		page := doctree.Page(root, n)
		if page == nil {
			if want != "" {
				t.Errorf("there is no page %d", n)
			}
			continue
		}
		for c := range page.Descendants() {
			c.Attr = nil
		}
		if got := render(t, page); got != "<section>"+want+"</section>" {
			t.Errorf("page %d is\n%s, want\n%s", n, got, want)
		}
	}
	if after := render(t, root); after != before {
		t.Error("the tree was changed")
	}
	pages := doctree.NewPages(root)
	if d := cmp.Diff([]int{1, 2, 3}, pages.Numbers()); d != "" {
		t.Error(d)
	}
	for n, want := range []bool{false, false, false, true, false} {
		if got := pages.Joined(n); got != want {
			t.Errorf("Joined(%d) = %v", n, got)
		}
	}
}

func TestParseBox(t *testing.T) {
	for s, want := range map[string]doctree.Box{
		"": {}, "1 2 3": {}, "1 2 3 x": {}, "1 2.5 3 4": {X0: 1, Y0: 2.5, X1: 3, Y1: 4},
	} {
		if got := doctree.ParseBox(s); got != want {
			t.Errorf("ParseBox(%q) = %v, want %v", s, got, want)
		}
	}
}
