// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/format"
	"example.com/curlew/internal/dom"
	"example.com/curlew/markdown"
)

// pageOf returns a page with n sections whose texts contain name.
func pageOf(t testing.TB, name string, n int) *format.Input {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, `<html lang=en><title>%s</title><meta name=description content="all about %[1]s"><base href=/%[1]s/>`, name)
	for i := range n {
		fmt.Fprintf(&b, `<h2 id=h%d>%s %[1]d</h2><p>Some text of <em>%[2]s</em> and <a href="%[1]d?a=1&amp;b=2" title=t>a link</a>.
<ul><li>one<li><img src=i%[1]d.png alt="a picture"></ul><time class=published datetime=2024-01-02>then</time><div class=ad>buy</div>`, i, name)
	}
	d, err := dom.Parse(t.Context(), []byte(b.String()), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	return &format.Input{Root: d.Root, Raw: d.Text, URL: "http://site.test/" + name, SourceURL: "http://site.test/" + name, StatusCode: 200}
}

// TestArena checks that a Document does not change when other Documents reuse
// the memory it was built in.
func TestArena(t *testing.T) {
	o := &format.Options{WholePage: true, Forms: []format.Form{format.Markdown, format.HTML, format.Links, format.Images, format.MenuForm, format.ProductForm}}
	build := func(name string, n int) (*format.Document, string) {
		doc, err := format.Build(t.Context(), pageOf(t, name, n), o)
		if err != nil {
			t.Error(err)
			return nil, ""
		}
		data, err := json.Marshal(doc)
		if err != nil {
			t.Error(err)
		}
		return doc, string(data)
	}
	var wg sync.WaitGroup
	for k := range 4 {
		wg.Go(func() {
			var docs []*format.Document
			var was []string
			for i := range 8 {
				doc, data := build(fmt.Sprintf("page%d-%d", k, i), 1+i*i*8)
				docs, was = append(docs, doc), append(was, data)
			}
			for i, doc := range docs {
				if data, err := json.Marshal(doc); err != nil || string(data) != was[i] {
					t.Errorf("a document has changed to %.300s, %v", data, err)
				}
				if _, again := build(fmt.Sprintf("page%d-%d", k, i), 1+i*i*8); again != was[i] {
					t.Errorf("the second document is not the first: %.300s", again)
				}
			}
		})
	}
	wg.Wait()
}

// TestArenaOnNode checks that nodes passed to OnNode do not change later.
func TestArenaOnNode(t *testing.T) {
	var nodes []*html.Node
	o := &format.Options{WholePage: true, Markdown: markdown.Options{OnNode: func(n *html.Node, _, _ int) { nodes = append(nodes, n) }}}
	if _, err := format.Build(t.Context(), pageOf(t, "first", 10), o); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		if _, err := format.Build(t.Context(), pageOf(t, "second", 20), &format.Options{WholePage: true}); err != nil {
			t.Fatal(err)
		}
	}
	if len(nodes) == 0 {
		t.Fatal("no nodes")
	}
	for _, n := range nodes {
		if n.Type != html.ElementNode || n.Parent == nil || strings.Contains(dom.Text(n), "second") {
			t.Errorf("a node has changed: %+v", n)
		}
	}
}

// TestAllocations limits the allocations of a build: a few strings besides the
// Markdown, and no copy of the tree.
func TestAllocations(t *testing.T) {
	in := pageOf(t, "page", 100)
	nodes := 0
	for range in.Root.Descendants() {
		nodes++
	}
	allocs := testing.AllocsPerRun(20, func() {
		if _, err := format.Build(t.Context(), in, &format.Options{WholePage: true}); err != nil {
			t.Fatal(err)
		}
	})
	t.Logf("%.0f allocations for %d nodes", allocs, nodes)
	if most := float64(nodes) / 2; allocs > most { // the URLs of links and images are new
		t.Errorf("Build made %.0f allocations for %d nodes, want at most %.0f", allocs, nodes, most)
	}
}
