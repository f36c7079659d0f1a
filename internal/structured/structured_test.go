// SPDX-License-Identifier: Apache-2.0

package structured_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"example.com/curlew/internal/structured"
)

func tree(t testing.TB, src string) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(src))
	if err != nil {
		t.Skip(err)
	}
	return root
}

// show writes each node on a line, with the numbers of nested items.
func show(nodes []*structured.Node) string {
	number := map[*structured.Node]int{}
	for i, n := range nodes {
		number[n] = i + 1
	}
	var b strings.Builder
	for i, n := range nodes {
		fmt.Fprintf(&b, "%d %s", i+1, strings.Join(n.Types, "+"))
		if n.ID != "" {
			fmt.Fprintf(&b, " <%s>", n.ID)
		}
		for _, p := range n.Props {
			fmt.Fprintf(&b, " %s=", p.Name)
			for j, v := range p.Values {
				if j > 0 {
					b.WriteByte('|')
				}
				switch {
				case v.Node != nil && number[v.Node] == 0:
					fmt.Fprintf(&b, "<%s>", v.Node.ID)
				case v.Node != nil:
					fmt.Fprintf(&b, "#%d", number[v.Node])
				case v.Number:
					b.WriteString(v.Text)
				default:
					fmt.Fprintf(&b, "%q", v.Text)
				}
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestLinked(t *testing.T) {
	for _, test := range []struct{ name, src, want string }{
		{"plain", `{"@context":"https://schema.org","@type":"Product","@id":"#p","name":" A ","offers":{"@type":"Offer","price":1.50,"open":true,"none":null}}`, "1 Product <#p> name=\"A\" offers=#2\n2 Offer price=1.50 open=\"true\"\n"},
		{"array", `[{"@type":"A"},{"@type":["B","http://schema.org/C"]}]`, "1 A\n2 B+C\n"},
		{"graph and references", `{"@graph":[{"@type":"A","author":{"@id":"#x"},"next":{"@id":"#y"}},{"@id":"#x","@type":"Person","name":"N","of":{"@id":"#x"}}]}`, "1 A author=#2 next=<#y>\n2 Person <#x> name=\"N\" of=#2\n"},
		{"value objects", `{"@type":"A","p":{"@value":"v","@language":"en"},"q":{"@list":["1",{"@value":2}]}}`, "1 A p=\"v\" q=\"1\"|2\n"},
		{"prefixes", `{"@type":"schema:A","schema:name":"n","http://schema.org/url":"u"}`, "1 A name=\"n\" url=\"u\"\n"},
		{"trailing commas", `{"@type":"A","p":["x",],}`, "1 A p=\"x\"\n"},
		{"comments", "// one\n{/* two */\"@type\":\"A\", // three\n\"p\":\"http://x\"}", "1 A p=\"http://x\"\n"},
		{"raw newlines", "{\"@type\":\"A\",\"p\":\"x\ny\tz\"}", "1 A p=\"x\\ny\\tz\"\n"},
		{"entities", `{&quot;@type&quot;:&quot;A&quot;}`, "1 A\n"},
		{"entities in texts", `{"@type":"A","p":"x &amp; y"}`, "1 A p=\"x & y\"\n"},
		{"cdata", "//<![CDATA[\n{\"@type\":\"A\"}\n//]]>", "1 A\n"},
		{"two values", `{"@type":"A"};{"@type":"B"}`, "1 A\n2 B\n"},
		{"escapes", `{"@type":"A","p":"\u00e9\ud83d\ude00\/\'\ud83dx\u12"}`, "1 A p=\"é😀/'�x�12\"\n"},
		{"names without quotes", `{"@type":"A",p:"x"}`, "1 A p=\"x\"\n"},
		{"broken", `{"@type":"A","p":"x" "q"}`, ""},
		{"cut off", `{"@type":"A","p":"x`, ""},
		{"no JSON", `hello`, ""},
		{"empty", ``, ""},
		{"bom", "\ufeff{\"@type\":\"A\"}", "1 A\n"},
	} {
		g := structured.New(t.Context(), tree(t, `<script type="application/ld+json">`+test.src+`</script>`))
		if diff := cmp.Diff(test.want, show(g.Linked())); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

func TestMicro(t *testing.T) {
	for _, test := range []struct{ name, src, want string }{
		{
			"item", `<div itemscope itemtype="https://schema.org/Product" itemid=i><h1 itemprop=name>A <b>b</b></h1><a itemprop=url href=/x>y</a><img itemprop=image src=i.png>
<div itemprop=offers itemscope itemtype="http://schema.org/Offer"><meta itemprop=price content=1><span itemprop="price" content="2">9</span><link itemprop=availability href="http://schema.org/InStock"><time itemprop=until datetime=2020>x</time><data itemprop=d value=3>x</data></div></div>`,
			"1 Product <i> name=\"A b\" url=\"/x\" image=\"i.png\" offers=#2\n2 Offer price=\"1\"|\"2\" availability=\"http://schema.org/InStock\" until=\"2020\" d=\"3\"\n",
		},
		{"two names", `<p itemscope><b itemprop="a b">x</b>`, "1  a=\"x\" b=\"x\"\n"},
		{"itemref", `<p itemscope itemref="r nope"></p><div id=r><b itemprop=a>x</b><p itemscope><i itemprop=c>z</i></p></div>`, "1  a=\"x\"\n2  c=\"z\"\n"},
		{"itemref around itself", `<div id=r><p itemscope itemref=r><b itemprop=a>x</b></p></div>`, "1  a=\"x\"\n"},
		{"outside", `<b itemprop=a>x</b>`, ""},
		{"scripts", `<p itemscope><b itemprop=a>x<script>y</script></b>`, "1  a=\"x\"\n"},
		{
			"rdfa", `<div vocab="http://schema.org/" typeof=Product resource=r><b property=name>A</b><p property=offers typeof=schema:Offer><i property=schema:price content=1>x</i></p><i property="og:title" content=no></i></div>`,
			"1 Product <r> name=\"A\" offers=#2\n2 Offer price=\"1\"\n",
		},
	} {
		g := structured.New(t.Context(), tree(t, test.src))
		if diff := cmp.Diff(test.want, show(g.Micro())); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

func TestState(t *testing.T) {
	g := structured.New(t.Context(), tree(t, `<script id=__NEXT_DATA__ type="application/json">{"props":{"name":"A","type":"T","price":12,"list":[[1],[2]]}}</script>
<script type="application/json" data-product-json>{"id":1,"variants":[{"sku":"s"}]}</script><script type="application/json">{"not":1}</script>
<form data-product_variations='[{"sku":"w","attributes":{"a":"b"}}]'></form>`))
	const want = "1 next props=#2\n2 next name=\"A\" type=\"T\" price=12 list=1|2\n3 shopify id=1 variants=#4\n4 shopify sku=\"s\"\n5 woocommerce sku=\"w\" attributes=#6\n6 woocommerce a=\"b\"\n"
	if diff := cmp.Diff(want, show(g.State())); diff != "" {
		t.Error(diff)
	}
}

func TestMeta(t *testing.T) {
	g := structured.New(t.Context(), tree(t, `<meta property="og:Title" content=" a "><meta name="twitter:title" content=b><meta property=og:title content=c><meta name=title content=d><meta property=og:x content="">`))
	if got := g.Meta("og:none", "twitter:title", "og:title") + g.Meta("og:title") + g.Meta("og:x"); got != "ba" {
		t.Errorf("got %q", got)
	}
	if n := len(g.Metas()); n != 3 {
		t.Errorf("%d metas", n)
	}
}

func TestNode(t *testing.T) {
	g := structured.New(t.Context(), tree(t, `<script type="application/ld+json">{"@type":"Product","brand":{"@type":"Brand","name":"B"},"image":["a",{"@type":"ImageObject","url":"u"},{"@id":"i"}],"name":""}</script>`))
	n := g.Linked()[0]
	if !n.Is("thing", "product") || n.Is("Brand") || (*structured.Node)(nil).Is("Product") {
		t.Error("Is")
	}
	if got := n.Text("name", "brand"); got != "B" {
		t.Errorf("Text: %q", got)
	}
	if diff := cmp.Diff([]string{"a", "u", "i"}, n.Texts("image")); diff != "" {
		t.Error(diff)
	}
	if got := len(n.Nodes("brand", "image")); got != 3 {
		t.Errorf("%d nodes", got)
	}
	if (*structured.Node)(nil).Values("x") != nil || n.Values("x") != nil || n.Text() != "" {
		t.Error("values of nothing")
	}
}

// TestHostile reads expensive pages.
func TestHostile(t *testing.T) {
	deep := strings.Repeat("<div itemscope itemprop=a>", 400)
	for name, src := range map[string]string{
		"deep JSON":      `<script type="application/ld+json">` + strings.Repeat(`{"a":`, 1e6) + `</script>`,
		"wide JSON":      `<script type="application/ld+json">[` + strings.Repeat(`{"@id":"a"},`, 3e5) + `]</script>`,
		"many names":     `<script type="application/ld+json">{` + names(1e5) + `}</script>`,
		"many blocks":    strings.Repeat(`<script type="application/ld+json">{"@type":"A"}</script>`, 1e5),
		"large script":   `<script type="application/ld+json">["` + strings.Repeat("x", 9<<20) + `"]</script>`,
		"one text":       `<script type="application/ld+json">["` + strings.Repeat("&amp;", 1<<20) + `"]</script>`,
		"nested items":   deep + strings.Repeat("<b itemprop=x>x</b>", 1e5),
		"referring":      `<div id=r>` + strings.Repeat("<b itemprop=x>x</b>", 1e4) + `</div>` + strings.Repeat("<p itemscope itemref=r>", 1e4),
		"unclosed":       `<script type="application/ld+json">/*` + strings.Repeat("/*", 1e6),
		"nested text":    strings.Repeat("<b itemscope itemprop=y>", 200) + strings.Repeat("<i itemprop=x>", 200) + strings.Repeat("x", 1e6),
		"many metas":     strings.Repeat(`<meta property=og:x content=y>`, 1e5),
		"many reference": `<script type="application/ld+json">[` + strings.Repeat(`{"@type":"A","@id":"a","p":{"@id":"a"}},`, 1e5) + `]</script>`,
	} {
		root := tree(t, "<body>"+src)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		g := structured.New(t.Context(), root)
		nodes := len(g.Linked()) + len(g.Micro()) + len(g.State())
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		allocated := after.TotalAlloc - before.TotalAlloc
		t.Logf("%s: %v, %d bytes for each of the page", name, took, allocated/uint64(len(src)))
		if allocated > 100*uint64(len(src)) {
			t.Errorf("%s: %d bytes are allocated for a page of %d", name, allocated, len(src))
		}
		if nodes > 3*50_000 || len(g.Metas()) > 2000 {
			t.Errorf("%s: %d nodes, %d metas", name, nodes, len(g.Metas()))
		}
	}
	if g := structured.New(t.Context(), nil); g.Linked() != nil || g.Micro() != nil || g.State() != nil || g.Meta("og:x") != "" {
		t.Error("something of nothing")
	}
}

// names returns n members with different names.
func names(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"n%d":1,`, i)
	}
	return b.String()
}

// FuzzGraph checks that arbitrary pages cause no panic, give the same result
// twice, and stay within the limits.
func FuzzGraph(f *testing.F) {
	f.Add(`{"@graph":[{"@type":"A","p":[{"@id":"x"},]},/**/{"@id":"x",b:1e5}]}`, `<p itemscope itemref="a b" typeof=x><b itemprop=c property=d id=a>`)
	f.Add(`//<![CDATA[{"\ud83d`, `<i data-product_variations='[{'><meta property=og:a content=b>`)
	f.Fuzz(func(t *testing.T, json, page string) {
		src := `<script type="application/ld+json">` + json + `</script><script id=__NEXT_DATA__ type="application/json">` + json + "</script>" + page
		var shown [2]string
		for i := range shown {
			g := structured.New(t.Context(), tree(t, src))
			shown[i] = show(g.Linked()) + show(g.Micro()) + show(g.State())
		}
		if shown[0] != shown[1] {
			t.Error(cmp.Diff(shown[0], shown[1]))
		}
	})
}
