// SPDX-License-Identifier: Apache-2.0

package dom_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/curlew/internal/dom"
)

// TestIsShell tells pages that scripts fill from short pages.
func TestIsShell(t *testing.T) {
	script := `<script src=a.js></script>`
	for page, want := range map[string]bool{
		`<div id=root></div>` + script: true,
		// Frames are content.
		script + `<frameset><frame src=a.html><noframes>Needs JavaScript.</noframes></frameset>`: false,
		// Space between elements is no text.
		`<div id=root></div>` + strings.Repeat("<div>          </div>\n", 400) + script: true,
		`<my-page></my-page><p>Shop</p>` + script:                                       true,
		`<link rel=modulepreload href=a.js><div id=root></div>`:                         true,
		`<link rel=preload as=script href=a.js><div id=root></div>`:                     true,
		`<link rel=preload as=style href=a.css><div id=root></div>`:                     false,
		// An empty main element between menus is a place, unless it shows something else.
		`<header><a href=/>Shop</a></header><main><div class=spinner></div></main><footer>2024</footer>` + script: true,
		`<header><a href=/>Shop</a></header><main><img src=a.png></main><footer>2024</footer>` + script:           false,
		`<header><a href=/>Shop</a></header><main></main><footer>2024</footer>`:                                   false,
		// A form is content.
		`<form><input type=hidden></form><my-page></my-page>` + script:    true,
		`<h1>Log in</h1><my-icon></my-icon><form><input></form>` + script: false,
		`<p>Ask us</p><my-icon></my-icon><textarea></textarea>` + script:  false,
		// Forums have hidden forms in front of the place that they fill.
		`<form style="display:none"><input name=user></form><my-page></my-page>` + script:                                      true,
		`<div id=root></div><input placeholder=Search>` + script:                                                               true,
		`<div id=root></div>` + strings.Repeat("<p>words</p>", 100) + script:                                                   false,
		`<p>The office is closed.</p>` + script:                                                                                false,
		`<noscript>This site needs JAVASCRIPT.</noscript><p>Shop</p>` + script:                                                 true,
		`<noscript><p>Please switch on JavaScript.</p>` + strings.Repeat("<p>All of the page. ", 100) + `</noscript>` + script: false,
		`<noscript><style>` + strings.Repeat("p { color: red } ", 200) + `</style></noscript><div id=root></div>` + script:     true,
		`<div id=root>` + strings.Repeat("<i></i>", 2000) + `</div><p>Shop</p>` + script:                                       false,
	} {
		doc, err := dom.Parse(t.Context(), []byte(page), "text/html")
		if err != nil {
			t.Fatal(err)
		}
		if got := dom.IsShell(doc.Root); got != want {
			t.Errorf("%.200s: got %v, want %v", page, got, want)
		}
	}
}

// TestEmbedded names the data in scripts, each kind once.
func TestEmbedded(t *testing.T) {
	page := `<script type="application/LD+json">{}</script><script id="__NEXT_DATA__" type="application/json">{}</script>` +
		`<script>self.__next_f.push([1]);self.__next_f.push([2])</script><script>window.__NUXT__={}</script>` +
		`<script>window.__APOLLO_STATE__={};window.__INITIAL_STATE__={};window.__PRELOADED_STATE__={};__sveltekit_1={}</script>` +
		`<script>window.__remixContext={}</script><script id=ng-state>{}</script><script id=serverApp-state>{}</script>` +
		`<p>application/ld+json</p>`
	want := []string{"__NEXT_DATA__", "__next_f", "__NUXT__", "__APOLLO_STATE__", "__INITIAL_STATE__", "__PRELOADED_STATE__", "__remixContext", "ng-state", "__sveltekit", "JSON-LD"}
	for src, want := range map[string][]string{
		page: want,
		`<link rel=preload as=fetch href="/page-data/birds/page-data.json"><div id=___gatsby></div>`: {"page-data.json"},
		`<div id=app data-page='{"component":"Birds"}'></div><div data-page=2></div>`:                {"data-page"},
		`<div data-page=2></div><a href="/page-data.json">x</a>`:                                     nil,
		`<script>start("loading-state")</script><p>__NEXT_DATA__</p>`:                                nil,
	} {
		doc, err := dom.Parse(t.Context(), []byte(src), "text/html")
		if err != nil {
			t.Fatal(err)
		}
		if got := dom.Embedded(doc.Root); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", src, got, want)
		}
	}
}
