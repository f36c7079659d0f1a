// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"testing"

	"example.com/curlew/format"
	"example.com/curlew/internal/dom"
)

// TestUnlist checks that lists and tables of sections become sections, and that other lists and
// tables stay.
func TestUnlist(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{
			"sections", `<ul><li><section><h2>Methods</h2><ul><li><h3>open</h3><p>Opens.</p></li></ul></section></li></ul>`,
			"## Methods\n\n### open\n\nOpens.\n",
		},
		{"headings", `<ul><li><div><h3>One</h3></div><p>First.</p></li><li><h3>Two</h3></li></ul>`, "### One\n\nFirst.\n\n### Two\n"},
		{"a list", `<ul><li>One</li><li>Two</li><li><h3>Three</h3></li></ul>`, "- One\n- Two\n- ### Three\n"},
		{"steps keep their numbers", `<ol><li><h3>One</h3></li><li><h3>Two</h3></li></ol>`, "1. ### One\n2. ### Two\n"},
		{"links that are headings, one after the other", `<div><a href="#a"><h1>One</h1></a><a href="#b"><h2>Two</h2></a><a href="#c"><h2>Three</h2></a><p>Text.</p></div>`, "# [One](#a)\n\n## [Two](#b)\n\n## [Three](#c)\n\nText.\n"},
		{"links", `<ul><li><a href="https://a.example/"><h3>One</h3></a></li></ul>`, "- [**One**](https://a.example/)\n"},
		{
			"headings between rows", `<table><tr><td colspan=2><h2><a id=types></a>Types</h2></td></tr><tr><td>int</td><td>size</td></tr><tr><td>char</td><td>code</td></tr>` +
				`<tr><td colspan=2><a id=f></a><div><h2>Functions</h2>All of them.</div></td></tr><tr><td>void</td><td>stop()</td></tr><tr><td>int</td><td>get()</td></tr></table>`,
			"## Types\n\n| int | size |\n| --- | --- |\n| char | code |\n\n## Functions\n\nAll of them.\n\n| void | stop() |\n| --- | --- |\n| int | get() |\n",
		},
		{
			"a heading above the names of columns", `<table><thead><tr><th colspan=2><h3>Prices</h3></th></tr><tr><th>What</th><th>How much</th></tr></thead><tr><td>Tea</td><td>2</td></tr></table>`,
			"### Prices\n\n| What | How much |\n| --- | --- |\n| Tea | 2 |\n",
		},
		{
			"names of columns above the heading", `<table><tr><th>What</th><th>How much</th></tr><tr><td colspan=2><h3>Drinks</h3></td></tr><tr><td>Tea</td><td>2</td></tr></table>`,
			"| What | How much |\n| --- | --- |\n| **Drinks** | |\n| Tea | 2 |\n",
		},
		{
			"a heading beside rows", `<table><tr><td><h3>Drinks</h3></td><td>2</td></tr><tr><td>Tea</td><td>2</td></tr></table>`,
			"| **Drinks** | 2 |\n| --- | --- |\n| Tea | 2 |\n",
		},
		{
			"a cell over rows", `<table><tr><td colspan=2><h3>Drinks</h3></td></tr><tr><td rowspan=2>Tea</td><td>2</td></tr><tr><td><h3>Other</h3></td></tr></table>`,
			"| **Drinks** | |\n| --- | --- |\n| Tea | 2 |\n| | **Other** |\n",
		},
		{
			"a heading that opens a part", `<details><summary><section><a href="#x"></a><h4>fn next()</h4></section></summary><p>Moves on.</p></details>`,
			"#### fn next()\n\nMoves on.\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc, err := dom.Parse(t.Context(), []byte(c.src), "text/html")
			if err != nil {
				t.Fatal(err)
			}
			d, err := format.Build(t.Context(), &format.Input{Root: doc.Root}, &format.Options{WholePage: true})
			if err != nil {
				t.Fatal(err)
			}
			if *d.Markdown != c.want {
				t.Errorf("got %q, want %q", *d.Markdown, c.want)
			}
		})
	}
}
