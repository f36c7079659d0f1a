// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"testing"

	"example.com/curlew/format"
	"example.com/curlew/internal/dom"
)

// TestUnlist checks that lists of sections become sections, and that other lists stay.
func TestUnlist(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{
			"sections", `<ul><li><section><h2>Methods</h2><ul><li><h3>open</h3><p>Opens.</p></li></ul></section></li></ul>`,
			"## Methods\n\n### open\n\nOpens.\n",
		},
		{"headings", `<ul><li><div><h3>One</h3></div><p>First.</p></li><li><h3>Two</h3></li></ul>`, "### One\n\nFirst.\n\n### Two\n"},
		{"a list", `<ul><li>One</li><li>Two</li><li><h3>Three</h3></li></ul>`, "- One\n- Two\n- ### Three\n"},
		{"steps keep their numbers", `<ol><li><h3>One</h3></li><li><h3>Two</h3></li></ol>`, "1. ### One\n2. ### Two\n"},
		{"links", `<ul><li><a href="https://a.example/"><h3>One</h3></a></li></ul>`, "- [**One**](https://a.example/)\n"},
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
