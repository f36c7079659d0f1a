// SPDX-License-Identifier: Apache-2.0

package htmltree_test

import (
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/internal/dom/internal/htmltree"
	"example.com/curlew/internal/test/golden"
)

// agree fails the test unless Parse and package html build the same tree.
func agree(t testing.TB, text string) {
	t.Helper()
	text = withoutMixture(strings.ReplaceAll(text, "\x00", "\uFFFD"))
	want, err := html.ParseWithOptions(strings.NewReader(text), html.ParseOptionEnableScripting(false))
	got, _, _ := htmltree.Parse(text, strings.Count(text, "<"), nil)
	if err != nil || got == nil {
		if (err == nil) != (got != nil) {
			t.Fatalf("Parse(%q) = %v, html says %v", text, got, err)
		}
		return
	}
	if diff := differ(want, got); diff != "" {
		t.Fatalf("Parse(%q):\n%s", text, diff)
	}
}

// withoutMixture renames the templates of a text with SVG or MathML, because package html ignores everything
// after a template within them.
func withoutMixture(text string) string {
	if lower := strings.ToLower(text); strings.Contains(lower, "<svg") || strings.Contains(lower, "<math") {
		return strings.NewReplacer("<template", "<x-template", "</template", "</x-template").Replace(text)
	}
	return text
}

// TestTemplateInForeign parses templates within SVG and MathML. The expected trees are those of Chromium 156.
func TestTemplateInForeign(t *testing.T) {
	for text, want := range map[string]string{
		"<svg><foreignObject><template><p>a</template>b</foreignObject></svg>c": "<svg><foreignObject><template><p>a</p></template>b</foreignObject></svg>c",
		"<svg><title><template>a</template></title></svg>b":                     "<svg><title><template>a</template></title></svg>b",
		"<svg><desc><template><svg><template>a</svg></template>b":               "<svg><desc><template><svg><template>a</template></svg></template>b</desc></svg>",
		"<math><mi><template><td>a</template>b</mi></math>c":                    "<math><mi><template><td>a</td></template>b</mi></math>c",
		"<svg><template>a</svg>b":                                               "<svg><template>a</template></svg>b",
		"<svg><desc><template>a":                                                "<svg><desc><template>a</template></desc></svg>",
	} {
		root, _, _ := htmltree.Parse(text, 10, nil)
		var b strings.Builder
		if err := html.Render(&b, root); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); got != "<html><head></head><body>"+want+"</body></html>" {
			t.Errorf("%s\nis %s\nwant %s", text, got, want)
		}
	}
}

// differ describes the first difference of two trees, or an inconsistent link
// between nodes of the second one.
func differ(want, got *html.Node) string {
	if want.Type != got.Type || want.DataAtom != got.DataAtom || want.Data != got.Data || want.Namespace != got.Namespace || !slices.Equal(want.Attr, got.Attr) {
		return fmt.Sprintf("got %s, want %s", describe(got), describe(want))
	}
	w, g := want.FirstChild, got.FirstChild
	for last := (*html.Node)(nil); w != nil && g != nil; w, g = w.NextSibling, g.NextSibling {
		if g.Parent != got && w.Parent == want || g.PrevSibling != last && (w.PrevSibling == nil) == (last == nil) {
			return "the links of " + describe(g) + " are not sound"
		}
		if diff := differ(w, g); diff != "" {
			return diff + "\nin " + describe(want)
		}
		last = g
	}
	switch {
	case g != nil:
		return "too much: " + describe(g) + " in " + describe(got)
	case w != nil:
		return "missing: " + describe(w) + " in " + describe(got)
	}
	return ""
}

func describe(n *html.Node) string {
	return fmt.Sprintf("%d %q (%s) of %q %q", n.Type, n.Data, n.DataAtom, n.Namespace, n.Attr)
}

// pieces are the parts of random texts.
var pieces = strings.Split(`a¦ ¦b c¦
¦<¦>¦/¦"¦'¦=¦&¦;¦</¦</>¦<!¦<!->¦<!-->¦<!--->¦<!---->¦<!--¦-->¦--!>¦-¦!¦<?x?>¦<?¦]]>¦<![CDATA[¦<![CDATA[x<y]]>¦<!DOCTYPE html>¦<!doctype¦<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">¦
<html>¦<html a=1 b=2>¦<head>¦</head>¦<body>¦<body c=3>¦</body>¦</html>¦<title>¦</title>¦<base href=x>¦<link>¦<meta charset=utf-8>¦<style>¦</style>¦<script>¦</script>¦</SCRIPT >¦<!--<script>¦<script ¦</scrip>¦<noscript>¦</noscript>¦
<p>¦</p>¦<div>¦</div>¦<div class="a b" id=c>¦<span>¦</span>¦<a href="/x?a=1&amp;b=2&copy=3">¦<a>¦</a>¦<b>¦</b>¦<i>¦</i>¦<b z=1 a=2>¦<em>¦</em>¦<font color=red>¦<font>¦</font>¦<nobr>¦</nobr>¦<code>¦</code>¦<u>¦</u>¦<s>¦
<ul>¦</ul>¦<ol>¦<li>¦</li>¦<dl>¦<dt>¦<dd>¦</dd>¦<h1>¦</h1>¦<h2>¦</h2>¦<pre>¦<pre>
¦</pre>¦<listing>¦<textarea>
¦<textarea>¦</textarea>¦<xmp>¦</xmp>¦<plaintext>¦<iframe>¦</iframe>¦<noembed>¦</noembed>¦<noframes>¦</noframes>¦<br>¦</br>¦<br/>¦<hr>¦<img src=a>¦<image>¦<input>¦<input type=hidden>¦<button>¦</button>¦<object>¦</object>¦<applet>¦<marquee>¦
<form>¦</form>¦<select>¦</select>¦<option>¦</option>¦<optgroup>¦<table>¦</table>¦<caption>¦</caption>¦<colgroup>¦</colgroup>¦<col>¦<tbody>¦</tbody>¦<thead>¦<tfoot>¦<tr>¦</tr>¦<td>¦</td>¦<th>¦
<template>¦</template>¦<frameset>¦</frameset>¦<frame>¦<svg>¦</svg>¦<svg viewbox=0 xlink:href=x/>¦<foreignObject>¦</foreignobject>¦<desc>¦<math>¦</math>¦<mi>¦<mtext>¦<annotation-xml>¦<annotation-xml encoding=text/html>¦</annotation-xml>¦<mglyph>¦<g>¦</g>¦<circle/>¦<path d=1 />¦
<ruby>¦<rb>¦<rt>¦<rp>¦<rtc>¦</ruby>¦<details>¦<summary>¦<main>¦</main>¦<article>¦<section>¦</section>¦<x-y>¦</x-y>¦<É>¦<aÉ>¦<DIV ID=A>¦<p a a b a=1>¦<p/>¦<a b/c>¦<a b=/>¦<a b="/"/>¦<a ="x">¦<a b = 'c'd>¦<a
b>¦<param>¦<source>¦<wbr>¦<dialog>¦<search>¦<menu>¦<center>¦<address>¦</address>¦<tt>¦<big>¦<small>¦<strike>¦<strong>¦</strong>¦
&amp;¦&lt¦&nbsp;¦&copy¦&copy;¦&copyx¦&notin;¦&notit;¦&semi;¦&acE;¦&#x41;¦&#65¦&#150;¦&#0;¦&#xD800;¦&#1114112;¦&#x;¦&#;¦&#¦&unknown;¦&unknown¦&eacute;¦&#13;¦é¦本¦`+"\r¦\r\n¦\f¦\t¦\x00¦\uFFFD", "¦")

func random(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(strings.TrimPrefix(pieces[r.IntN(len(pieces))], "\n"))
	}
	return b.String()
}

// TestAgree compares random short and long texts.
func TestAgree(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range 5_000 {
		agree(t, random(r, 1+r.IntN(4+i%60)))
	}
	for range 10 {
		agree(t, random(r, 2_000))
	}
}

// TestAgreeDoctype tests doctypes, which determine whether a table ends a
// paragraph.
func TestAgreeDoctype(t *testing.T) {
	const transitional, ibm = `"-//W3C//DTD HTML 4.01 Transitional//EN"`, `"http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd"`
	for _, c := range []string{
		"", " ", "html", "HTML", " html ", "html x", "html public", "html PUBLIC ", `html PUBLIC"`, `html PUBLIC "x`, `html PUBLIC "x" y`, `html PUBLIC "x"`,
		`html PUBLIC ""`, `html PUBLIC 'html'`, "html PUBLIC " + transitional, "html PUBLIC " + transitional + " 'x'", "html PUBLIC " + transitional + " 'x' y",
		"html PUBLIC 'x' " + ibm, "html SYSTEM " + ibm, "html SYSTEM 'about:legacy-compat'", "html SYSTEM 'x' 'y'", `html PUBLIC "-//IETF//DTD HTML//EN" "x"`,
		`html PUBLIC "-//W3O//DTD W3 HTML Strict 3.0//EN//" "x"`, "svg", "hTmL SYSTEM",
	} {
		for _, mark := range []string{"<!DOCTYPE", "<!doctype ", "<!DocType\n"} {
			agree(t, mark+c+"><p><table><tr><td>x")
		}
	}
}

// everyPage compares all real pages, which takes a minute.
var everyPage = flag.Bool("every-page", false, "compare over every real page, not every twentieth")

// TestAgreePages compares real pages, and the same pages with a part removed.
func TestAgreePages(t *testing.T) {
	names, err := filepath.Glob(golden.Root("../shared/corpora/wcxb-dev/html") + "/*")
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		t.Skip("the shared corpora are absent: no real pages")
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for i, name := range names {
		if !*everyPage && i%20 != 0 {
			continue
		}
		text := strings.ToValidUTF8(page(t, name), "\uFFFD")
		agree(t, text)
		at := r.IntN(len(text) + 1)
		agree(t, text[at:])
		agree(t, text[:at]+text[min(len(text), at+r.IntN(100)):])
	}
}

// page reads and decompresses a file.
func page(t testing.TB, name string) string {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	body, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func FuzzAgree(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 0))
	for range 200 {
		f.Add(random(r, 1+r.IntN(20)))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 1<<14 {
			agree(t, text)
		}
	})
}
