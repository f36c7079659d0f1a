// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"fmt"
	"hash/fnv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/format"
	"example.com/curlew/internal/dom"
)

// shape returns a hash of the nodes, attributes and structure of a tree.
func shape(root *html.Node) uint64 {
	h := fnv.New64a()
	for n := range root.Descendants() {
		fmt.Fprintf(h, "%p %p %p %p %p %d %q %q %q\n", n, n.Parent, n.FirstChild, n.PrevSibling, n.NextSibling, n.Type, n.Data, n.Namespace, n.Attr)
	}
	return h.Sum64()
}

// constructs is a page with most elements that views and the Markdown handle
// specially.
const constructs = `<html><head><title>T</title><base href="/b/"></head><body><nav><a href=/n>n</a></nav><main><h1>H</h1>
<p>Words of an article that go on for a while, with <b>bold</b><sup><a href="#fn1">1</a></sup> and <img src="data:image/gif;base64,R0" data-src=l.png alt=i>.</p>
<div role=tablist><button role=tab id=t>Go</button></div><div role=tabpanel aria-labelledby=t hidden><pre><code class="hljs go">x</code></pre></div>
<p>Mass: <span class="MathJax_Preview">m</span><script type="math/tex">E=mc^2</script> and <span class="mwe-math-element"><span class="mwe-math-mathml-inline" style="display: none;"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x_1</annotation></semantics></math></span><img aria-hidden=true class="mwe-math-fallback-image-inline" src=x.svg alt=x></span>.</p>
<table><tr><th colspan=2>a<tr><td><ul><li><input type=checkbox> x</ul><td>y</table>
<div class="admonition tip"><p class=admonition-title>Tip</p><p>Stand still.</p></div>
<section class=footnotes><ol><li id=fn1>Note <a href="#r">↩</a></ol></section></main></body></html>`

// TestBuildReadsOnly checks that Build does not change the page's tree and
// returns the same result each time.
func TestBuildReadsOnly(t *testing.T) {
	d, err := dom.Parse(t.Context(), []byte(constructs), "")
	if err != nil {
		t.Fatal(err)
	}
	before := shape(d.Root)
	var first string
	for range 2 {
		for _, o := range []format.Options{{}, {WholePage: true, KeepAds: true, KeepDataImages: true}} {
			o.Forms = []format.Form{format.Markdown, format.HTML, format.Links, format.Images, format.Summary, format.ProductForm, format.MenuForm, format.VideoForm}
			doc, err := format.Build(t.Context(), &format.Input{Root: d.Root, URL: "https://a.example/p"}, &o)
			if err != nil {
				t.Fatal(err)
			}
			if o.WholePage {
				continue
			}
			if first == "" {
				first = *doc.Markdown
			}
			if *doc.Markdown != first {
				t.Errorf("%q, and then %q", first, *doc.Markdown)
			}
		}
	}
	if shape(d.Root) != before {
		t.Error("the tree was changed")
	}
	for _, want := range []string{
		"**bold**[^1]", "![i](https://a.example/b/l.png)", "**Go**\n\n```go\nx\n```", "$E=mc^2$ and $x_1$.", "| a | |", "- [ ] x", "> [!TIP]\n> Stand still.", "[^1]: Note\n",
	} {
		if !strings.Contains(first, want) {
			t.Errorf("%q is not in\n%s", want, first)
		}
	}
}

// TestAddedNoise checks that elements that are not content do not change the
// Markdown.
func TestAddedNoise(t *testing.T) {
	build := func(page string) string {
		d, err := dom.Parse(t.Context(), []byte(page), "")
		if err != nil {
			t.Fatal(err)
		}
		doc, err := format.Build(t.Context(), &format.Input{Root: d.Root, URL: "https://a.example/p"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return *doc.Markdown
	}
	want := build(constructs)
	for _, noise := range []string{
		"<!-- a comment -->", `<nav><a href=/1>one</a> <a href=/2>two</a></nav>`, `<div hidden>nothing</div>`, `<p style="display:none">nothing</p>`,
		`<ins class="adsbygoogle">ad</ins>`, `<script>var nothing</script>`, `<template><p>nothing</p></template>`, `<style>p{}</style>`, `<noscript>nothing</noscript>`,
	} {
		for _, at := range []string{"<body>", "<main>", "</main>"} {
			page := strings.Replace(constructs, at, at+noise, 1)
			if strings.HasPrefix(at, "</") {
				page = strings.Replace(constructs, at, noise+at, 1)
			}
			if got := build(page); got != want {
				t.Errorf("%s at %s: got\n%s\nwant\n%s", noise, at, got, want)
			}
		}
	}
}

// TestOnlyRunning checks that a document whose only texts are running headers and footers, such
// as a form for letters, is not empty.
func TestOnlyRunning(t *testing.T) {
	for page, want := range map[string]string{
		`<header data-role=running><p>Letter head</p></header><p></p>`:                         "Letter head",
		`<header data-role=running><p>Letter head</p></header><p><img src=a.png alt=Seal></p>`: "![Seal](a.png)",
	} {
		d, err := dom.Parse(t.Context(), []byte(page), "")
		if err != nil {
			t.Fatal(err)
		}
		doc, err := format.Build(t.Context(), &format.Input{Root: d.Root, NotWeb: true}, &format.Options{Forms: []format.Form{format.Markdown}})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(*doc.Markdown); got != want || doc.Warning == "" {
			t.Errorf("got %q with the warning %q, want %q", got, doc.Warning, want)
		}
	}
}

// TestRunning checks that running headers and footers of documents are left out
// unless they are requested, and that those that are left out are counted.
func TestRunning(t *testing.T) {
	d, err := dom.Parse(t.Context(), []byte(`<section><header data-role=running><a href="https://a.example/h">Head of it</a></header><p>Text</p><aside>Note</aside><footer data-role=page-number>7</footer><footer data-role=running></footer><footer>Foot</footer></section>`), "")
	if err != nil {
		t.Fatal(err)
	}
	header, err := format.ParseSelector("header")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		o    format.Options
		want string
		left string
	}{
		{format.Options{}, "Text\n\nNote\n\nFoot\n", "Running headers, footers and page numbers that were left out: 2. Their words: 4."},
		{format.Options{WholePage: true}, "Text\n\nNote\n\nFoot\n", "Running headers, footers and page numbers that were left out: 2. Their words: 4."},
		{format.Options{Exclude: []format.Selector{header}}, "Text\n\nNote\n\nFoot\n", "Running headers, footers and page numbers that were left out: 1. Their words: 1."},
		{format.Options{Include: []format.Selector{header}}, "[Head of it](https://a.example/h)\n", ""},
	} {
		test.o.Forms = []format.Form{format.Markdown, format.HTML, format.Links}
		doc, err := format.Build(t.Context(), &format.Input{Root: d.Root, NotWeb: true}, &test.o)
		if err != nil {
			t.Fatal(err)
		}
		if *doc.Markdown != test.want {
			t.Errorf("got %q, want %q", *doc.Markdown, test.want)
		}
		if doc.Warning != test.left {
			t.Errorf("warning %q, want %q", doc.Warning, test.left)
		}
		if test.o.Include == nil && (strings.Contains(*doc.HTML, "Head") || len(doc.Links) > 0) {
			t.Errorf("html %q, links %q", *doc.HTML, doc.Links)
		}
	}
}
