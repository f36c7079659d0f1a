// SPDX-License-Identifier: Apache-2.0

package dom_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/internal/dom"
)

// TestShadow parses pages with shadow trees that the markup declares.
func TestShadow(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"tree", `<x-a><template shadowrootmode=open><h1>in</h1></template></x-a>`, `<x-a><h1>in</h1></x-a>`},
		{"closed, in upper case", `<div><template SHADOWROOTMODE=Closed>in</template></div>`, `<div>in</div>`},
		{"slots", `<x-a><template shadowrootmode=open><b><slot name=n>none</slot></b><slot></slot>!</template>one<i slot=n>two</i></x-a>`, `<x-a><b><i slot="n">two</i></b>one!</x-a>`},
		{"content of a slot", `<x-a><template shadowrootmode=open><slot name=n>none</slot></template></x-a>`, `<x-a>none</x-a>`},
		{"second slot of a name", `<x-a><template shadowrootmode=open><slot>1</slot><slot>2</slot></template>x</x-a>`, `<x-a>x2</x-a>`},
		{"without a slot", `<x-a><template shadowrootmode=open>in</template>out <i slot=z>side</i> </x-a>`, `<x-a>in<span hidden="">out </span><i slot="z" hidden="">side</i> </x-a>`},
		{"second template", `<x-a><template shadowrootmode=open>in</template><template shadowrootmode=open>no</template></x-a>`, `<x-a>in<template shadowrootmode="open" hidden="">no</template></x-a>`},
		{"no host", `<table><template shadowrootmode=open>in</template></table><ul><template shadowrootmode=open>in</template></ul>`, `<table><template shadowrootmode="open">in</template></table><ul><template shadowrootmode="open">in</template></ul>`},
		{"other mode", `<x-a><template shadowrootmode=none>in</template></x-a>`, `<x-a><template shadowrootmode="none">in</template></x-a>`},
		{"within", `<x-a><template shadowrootmode=open><x-b><template shadowrootmode=open>[<slot></slot>]</template><slot></slot></x-b></template>text</x-a>`, `<x-a><x-b>[text]</x-b></x-a>`},
		{"slot in the content of a slot", `<x-a><template shadowrootmode=open><slot><slot name=n></slot></slot></template>t<i slot=n>no</i></x-a>`, `<x-a>t<i slot="n" hidden="">no</i></x-a>`},
		{"moved by a wrong end tag", `<i><div><template shadowrootmode=open>in<slot></slot></template>a</i>b`, `<i></i><div>in<i>a</i>b</div>`},
		{"hidden slot", `<x-a><template shadowrootmode=open><x-b><template shadowrootmode=open>in</template><slot></slot></x-b></template>text</x-a>`, `<x-a><x-b>in<span hidden="">text</span></x-b></x-a>`},
	} {
		d, err := dom.Parse(t.Context(), []byte("<body>"+c.in), "text/html; charset=utf-8")
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := html.Render(&b, d.Root); err != nil {
			t.Fatal(err)
		}
		if got, want := b.String(), "<html><head></head><body>"+c.want+"</body></html>"; got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, want)
		}
	}
}

// TestShadowDepth nests hosts in the slots of others, so that the tree would be deeper than the markup.
func TestShadowDepth(t *testing.T) {
	const hosts, within = 40, 60
	var b strings.Builder
	for i := range hosts {
		fmt.Fprintf(&b, "<x-%d><template shadowrootmode=open>%s<slot></slot>%s</template>", i, strings.Repeat("<div>", within), strings.Repeat("</div>", within))
	}
	b.WriteString("<p>inmost</p>")
	d, err := dom.Parse(t.Context(), []byte(b.String()), "text/html")
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Lost) != 1 || d.Lost[dom.DeepNesting] == 0 {
		t.Errorf("lost %v, want %q", d.Lost, dom.DeepNesting)
	}
	deepest, depth := 0, 0
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		for c := range n.ChildNodes() {
			if c.Type == html.ElementNode {
				depth++
				deepest = max(deepest, depth)
				walk(c)
				depth--
			}
		}
	}
	walk(d.Root)
	if deepest != 512 || !strings.Contains(dom.Text(d.Root), "inmost") {
		t.Errorf("%d elements deep, want 512 with all of the text %.100q", deepest, dom.Text(d.Root))
	}
}
