// SPDX-License-Identifier: Apache-2.0

package markdown_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"example.com/curlew/markdown"
)

// renderWith renders src with options.
func renderWith(t testing.TB, src string, o markdown.Options) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := markdown.Render(t.Context(), &b, root, &o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestStyles(t *testing.T) {
	const (
		links = `<p><a href="/a" title=t>one</a>(x) <a href=/b>two</a> <a href="/a" title=t>three</a> <b><a href=/c>four</a></b>`
		table = `<table><tr><th>a<th align=right>long head<tr><td colspan=2>x</table>`

		document = `<table data-table=sheet><caption>C</caption><thead><tr><th rowspan=2>a<th colspan=2>n<tr><th>o<th>p</thead><tr><td rowspan=2>x &amp;<td colspan=2>y<tr><td>1<td>2</table>`
		asHTML   = "<table>\n<thead>\n<tr><th rowspan=\"2\">a</th><th colspan=\"2\">n</th></tr>\n<tr><th>o</th><th>p</th></tr>\n</thead>\n" +
			"<tbody>\n<tr><td rowspan=\"2\">x &amp;</td><td colspan=\"2\">y</td></tr>\n<tr><td>1</td><td>2</td></tr>\n</tbody>\n</table>\n"
	)
	for _, test := range []struct {
		src  string
		o    markdown.Options
		want string
	}{
		{links, markdown.Options{Links: markdown.LinksReference}, "[one][1](x) [two][2] [three][1] **[four][3]**\n\n[1]: /a \"t\"\n[2]: /b\n[3]: /c\n"},
		{links, markdown.Options{Links: markdown.LinksCitation}, "one[1]\\(x) two[2] three[1] **four[3]**\n\n[1]: /a \"t\"\n[2]: /b\n[3]: /c\n"},
		{links, markdown.Options{Links: markdown.LinksNone}, "one(x) two three **four**\n"},
		{`<a href="">a</a>`, markdown.Options{Links: markdown.LinksReference}, "[a][1]\n\n[1]: <>\n"},
		{`a<img src=i.png alt="x*y*">b`, markdown.Options{Images: markdown.ImagesAlt}, "ax\\*y\\*b\n"},
		{`a<img src=i.png alt=x>b`, markdown.Options{Images: markdown.ImagesDrop}, "ab\n"},
		{table, markdown.Options{}, "| a | long head |\n| --- | ---: |\n| x | |\n"},
		{table, markdown.Options{Spans: markdown.SpansMirror}, "| a | long head |\n| --- | ---: |\n| x | x |\n"},
		{table, markdown.Options{TableStyle: markdown.TablePadded}, "| a     | long head |\n| ----- | --------: |\n| x     |           |\n"},
		{document, markdown.Options{}, "C\n\n" + asHTML},
		{document, markdown.Options{Tables: markdown.TablesGFM}, "C\n\n| a | n o | n p |\n| --- | --- | --- |\n| x & | y | |\n| | 1 | 2 |\n"},
		{document, markdown.Options{Tables: markdown.TablesGFM, Spans: markdown.SpansMirror}, "C\n\n| a | n o | n p |\n| --- | --- | --- |\n| x & | y | y |\n| x & | 1 | 2 |\n"},
		{"<ul><li>i" + document + "</ul>", markdown.Options{}, "- i\n\n  C\n\n  " + strings.ReplaceAll(strings.TrimSuffix(asHTML, "\n"), "\n", "\n  ") + "\n"},
		{`<table data-table=source><thead><tr><th colspan=2>n</thead><tr><td rowspan=2>1<td>2</table>`, markdown.Options{}, "| n | |\n| --- | --- |\n| 1 | 2 |\n"},
		{
			`<table data-table=source><thead><tr><th colspan=2>n<tr><th>a<th>b</thead><tr><td>1<td>2</table>`,
			markdown.Options{},
			"<table>\n<thead>\n<tr><th colspan=\"2\">n</th></tr>\n<tr><th>a</th><th>b</th></tr>\n</thead>\n<tbody>\n<tr><td>1</td><td>2</td></tr>\n</tbody>\n</table>\n",
		},
		{`<table><thead><tr><th colspan=2>n<tr><th>a<th>b</thead><tr><td>1<td>2</table>`, markdown.Options{}, "| n a | n b |\n| --- | --- |\n| 1 | 2 |\n"},
		{
			`<table data-table=source><tr><th>a<th>b<tr><td colspan=2><input type=checkbox checked>box<sup><a role=doc-noteref href="#fn-1">1</a></sup> <math><mi>x</mi><mo>&lt;</mo><mn>2</mn></math></table><section role=doc-endnotes><ol><li id=fn-1 role=doc-footnote>N</ol></section>`,
			markdown.Options{},
			"<table>\n<tbody>\n<tr><th>a</th><th>b</th></tr>\n<tr><td colspan=\"2\">[x] box<sup>[^1]</sup> $x&lt;2$</td></tr>\n</tbody>\n</table>\n\n[^1]: N\n",
		},
		{table, markdown.Options{Tables: markdown.TablesHTML}, "<table><tbody><tr><th>a</th><th align=\"right\">long head</th></tr><tr><td colspan=\"2\">x</td></tr></tbody></table>\n"},
		{`<table><tr><th>a<script>b</script><th><a href="javascript:c" onclick=d>e</a><tr><td><pre>f

g</pre><td>&lt;b></table>`, markdown.Options{Tables: markdown.TablesHTML}, "<table><tbody><tr><th>a</th><th><a>e</a></th></tr><tr><td><pre>f&#10;&#10;g</pre></td><td>&lt;b&gt;</td></tr></tbody></table>\n"},
		{"<table><tr><td><p>a</p> <td><p>b</p>c<tr><td><p>d</p><p>e</p><td><ul><li><p>f</p></ul></table>", markdown.Options{Tables: markdown.TablesHTML}, "<table><tbody><tr><td>a</td><td><p>b</p>c</td></tr><tr><td><p>d</p><p>e</p></td><td><ul><li>f</li></ul></td></tr></tbody></table>\n"},
		{table, markdown.Options{Flavor: markdown.CommonMark}, "a | long head\\\nx\n"},
		{`<ol type=a start=3><li data-item-label="(c)">x<ol type=i><li data-item-label="i.">y</ol><li data-item-label="(d)">z</ol>`, markdown.Options{}, "- (c) x\n  - i. y\n- (d) z\n"},
		{`<ol><li data-item-label="01.">x<li>y</ol>`, markdown.Options{}, "- 01\\. x\n- 2\\. y\n"},
		{`<ol type=a start=26><li>x<li>y</ol>`, markdown.Options{}, "- z. x\n- aa. y\n"},
		{`<ol type=I><li>x<li>y</ol>`, markdown.Options{}, "- I. x\n- II. y\n"},
		{`<ol><li>x<li value=7>y<li>z</ol>`, markdown.Options{}, "- 1\\. x\n- 7\\. y\n- 8\\. z\n"},
		{`<ol reversed><li>x<li>y</ol>`, markdown.Options{}, "- 2\\. x\n- 1\\. y\n"},
		{`<ol type=1><li value=1>x<li value=2>y</ol>`, markdown.Options{}, "1. x\n2. y\n"},
		{`<table><tr><th>a<th>b<tr><td><ol type=A><li>x<li>y</ol><td>c</table>`, markdown.Options{}, "| a | b |\n| --- | --- |\n| A. x<br>B. y | c |\n"},
		{`<table><tr><th>a<th>b<tr><td><ol><li data-item-label="A)">x<li data-item-label="B)">y</ol><td>c</table>`, markdown.Options{}, "| a | b |\n| --- | --- |\n| A) x<br>B) y | c |\n"},
		{`<ol start=3><li>x</ol>`, markdown.Options{}, "3. x\n"},
		{`<nav role=doc-toc><ol><li><a href="#a">2.1 Aims</a><ol><li>2.1.1 More</ol><li>Annex</ol></nav>`, markdown.Options{}, "- [2.1 Aims](#a)\n  - 2.1.1 More\n- Annex\n"},
		{`<nav role=doc-toc><ul><li>Notes</ul><ol start=1><li>Aims<li>Ends</ol></nav>`, markdown.Options{}, "- Notes\n\n1. Aims\n2. Ends\n"},
		{`<s>a</s><aside role=note>b</aside>`, markdown.Options{Flavor: markdown.CommonMark}, "a\n\n> **Note**\n>\n> b\n"},
		{`<s>a</s>`, markdown.Options{Flavor: markdown.CommonMark, InlineHTML: true}, "<del>a</del>\n"},
		{`a<sup>2</sup> H<sub>2</sub>O <mark>m</mark> <u>u</u>`, markdown.Options{InlineHTML: true}, "a<sup>2</sup> H<sub>2</sub>O <mark>m</mark> <u>u</u>\n"},
		{`a<b>!</b>b`, markdown.Options{InlineHTML: true}, "a<strong>!</strong>b\n"},
		{`a<br>b`, markdown.Options{Break: markdown.BreakSpaces}, "a  \nb\n"},
		{`<h1>a</h1><h4>b</h4>`, markdown.Options{MaxHeading: 2}, "# a\n\n## b\n"},
		{`<a href=/x title=t> <h3>T <b>b</b></h3>
</a><a href=/y><h4>U</h4>v</a><a href=/z><h2></h2></a>`, markdown.Options{LinkedHeadings: true}, "### [T **b**](/x \"t\")\n\n[**U** v](/y)\n"},
		{`<ul><li><a href=/x><h3>T</h3></a></ul>`, markdown.Options{LinkedHeadings: true}, "- ### [T](/x)\n"},
		{`<a href=#x><h2>#</h2></a><a href=/x><h2>a</h2></a><h2>b</h2>`, markdown.Options{LinkedHeadings: true}, "## [a](/x)\n\n## b\n"},
		{`<header data-role=running>a</header><p>b</p><footer data-role=page-number>1</footer><header>c</header>`, markdown.Options{SkipRunning: true}, "b\n\nc\n"},
		{`<header data-role=running>a</header><p>b</p>`, markdown.Options{}, "a\n\nb\n"},
		{`<dl><dt>T<dd>one<dd>two<dt>U<dd><p>a<p>b</dl>`, markdown.Options{PlainDefinitions: true}, "**T**\n\none\n\ntwo\n\n**U**\n\na\n\nb\n"},
		{`a`, markdown.Options{FrontMatter: map[string]string{"title": "A \"b\"\n\x00", "b c": "", "yes": "é"}}, "---\n\"b c\": \"\"\ntitle: \"A \\\"b\\\"\\n\\x00\"\n\"yes\": \"é\"\n---\n\na\n"},
		{``, markdown.Options{FrontMatter: map[string]string{"a": "b"}}, "---\na: \"b\"\n---\n"},
		{`<p>a<sup><a href="https://a.example/p#fn1">1</a></sup><p id=fn1>b`, markdown.Options{Page: "https://a.example/p"}, "a[^1]\n\n[^1]: b\n"},
	} {
		if got := renderWith(t, test.src, test.o); got != test.want {
			t.Errorf("%s\n%+v\ngot  %q\nwant %q", test.src, test.o, got, test.want)
		}
	}
}

// TestOnNode checks the range of bytes that is reported for each block.
func TestOnNode(t *testing.T) {
	const src = `<h1 id=h>T</h1><div id=d><p id=p>a <b id=b>b</b></p><ul id=u><li id=l>x<li id=m><p id=q>y</ul></div><blockquote id=k><p id=r>q<p id=s>r</blockquote><p id=e></p><table id=t><tr><th>c</table>`
	root, err := html.Parse(strings.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	type span struct {
		id         string
		start, end int
	}
	var spans []span
	o := markdown.Options{FrontMatter: map[string]string{"a": "b"}, OnNode: func(n *html.Node, start, end int) {
		for _, a := range n.Attr {
			if a.Key == "id" {
				spans = append(spans, span{a.Val, start, end})
			}
		}
	}}
	var b strings.Builder
	if err := markdown.Render(t.Context(), &b, root, &o); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range spans {
		got = append(got, s.id+" "+b.String()[s.start:s.end])
	}
	want := []string{
		"h # T", "p a **b**", "l - x", "q y", "m - y", "u - x\n\n- y", "d a **b**\n\n- x\n\n- y",
		"r q", "s r", "k > q\n>\n> r", "t | c |\n| --- |",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if plain := renderWith(t, src, markdown.Options{FrontMatter: o.FrontMatter}); plain != b.String() {
		t.Errorf("with OnNode %q, without %q", b.String(), plain)
	}
}

func ExampleOptions() {
	const page = `<h1>Birds</h1>
<p>The <a href="/curlew">curlew</a> eats H<sub>2</sub>O<sup><a href="#fn1">1</a></sup>.</p>
<p id="fn1">Drinks it.</p>`
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		fmt.Println(err)
		return
	}
	o := markdown.Options{
		FrontMatter: map[string]string{"title": "Birds"},
		Links:       markdown.LinksReference,
		InlineHTML:  true,
	}
	if err := markdown.Render(context.Background(), os.Stdout, root, &o); err != nil {
		fmt.Println(err)
	}
	// Output:
	// ---
	// title: "Birds"
	// ---
	//
	// # Birds
	//
	// The [curlew][1] eats H<sub>2</sub>O[^1].
	//
	// [^1]: Drinks it.
	//
	// [1]: /curlew
}

// TestRenderLeavesTree renders one tree with all combinations of options from
// several goroutines and checks that it does not change. The race detector
// finds writes that are undone again.
func TestRenderLeavesTree(t *testing.T) {
	root, err := html.Parse(strings.NewReader(`<a href=/x><h2>T <b>b</b></h2></a><p>a<sup><a href="#fn1">1</a></sup><p id=fn1>n
		<table><tr><td rowspan=2>a<td>b<tr><td>c</table><ul><li><p>a<li><input type=checkbox checked> b</ul><dl><dt>t<dd>d</dl><img src="data:image/png,x">`))
	if err != nil {
		t.Fatal(err)
	}
	shown := func() string {
		var b strings.Builder
		if err := html.Render(&b, root); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	before := shown()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for bits := 0; bits < 1<<16; bits += 29 {
				o := optionsOf(uint16(bits)) // #nosec G115 -- below 1<<16
				if err := markdown.Render(t.Context(), io.Discard, root, &o); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if after := shown(); after != before {
		t.Errorf("the tree was %s\nand is %s", before, after)
	}
}

func TestRenderNil(t *testing.T) {
	var b strings.Builder
	if err := markdown.Render(t.Context(), &b, nil, nil); err == nil || b.Len() > 0 {
		t.Errorf("Render of no node writes %q, error %v", b.String(), err)
	}
}
