// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"strings"
	"testing"

	"example.com/curlew/format"
	"example.com/curlew/markdown"
)

// TestDetails checks that details for which Markdown has no markup are written as text, and
// that details which only fill the layout of a page are left out.
func TestDetails(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"no-break space in a text", `<p>a&nbsp;b</p>`, "a\u00a0b"},
		{"a document in an attribute of a frame", `<p>a</p><iframe src="old" srcdoc="<p>b <a href='/c'>c</a></p>" sandbox>old</iframe><iframe srcdoc="">old</iframe>`, "a\n\nb [c](https://birds.example/c)"},
		{"no-break spaces at the edges", `<p>&nbsp; a <b>b</b>&nbsp;</p><p>&nbsp;</p><p>c</p>`, "a **b**\n\nc"},
		{"no-break space in an inline element", `<p><span>&nbsp;</span><span>&nbsp;a</span>&nbsp;<b>b</b></p>`, "a\u00a0**b**"},
		{"no-break space beside a line break", `<p>a&nbsp;<br>&nbsp;b</p>`, "a\\\nb"},
		{"no-break space after a picture", `<p><img src="https://birds.example/x.png">&nbsp;a</p>`, "![](https://birds.example/x.png)\u00a0a"},
		{"no-break space and an acronym", `<h2>Chapter 3.&nbsp;About <acronym>SQL</acronym>&nbsp;<nobr>&nbsp;x</nobr> y&nbsp;<my-mark>z</my-mark></h2>`, "## Chapter 3.\u00a0About SQL\u00a0\u00a0x y\u00a0z"},
		{"written entity", `<p>Write &amp;nbsp; here</p>`, "Write &amp;nbsp; here"},
		{"exponents", `<p>10<sup>6</sup>, 10<sup>-6</sup>, m<sup>2</sup>, <i>x</i><sup>n</sup>, x<sup>n+1</sup>, (a+b)<sup>n-1</sup></p>`, "10^6, 10^-6, m^2, *x*^n, x^(n+1), (a+b)^(n-1)"},
		{"powers of parentheses", `<p>(a+b)<sup>2</sup>, (2+3)<sup>2</sup>, (x−y)<sup>-1</sup>, (a remark + more)<sup>2</sup>, (1990–95)<sup>3</sup>, (see a)<sup>4</sup></p>`, "(a+b)^2, (2+3)^2, (x−y)^-1, (a remark + more)2, (1990–95)3, (see a)4"},
		{"prices", `<p>$19<sup>99</sup>, 5<sup>00</sup> €, 5<sup>99</sup>, € 1.299<sup>50</sup>, $10<sup>6</sup></p>`, "$19.99, 5.00 €, 5^99, € 1.299.50, $10^6"},
		{"ordinals and marks", `<p>1<sup>st</sup>, 22<sup>nd</sup>, 1<sup>er</sup>, Birds<sup>TM</sup>, Birds<sup>®</sup>, Birds<sup>*</sup></p>`, "1st, 22nd, 1er, BirdsTM, Birds®, Birds*"},
		{"references", `<p>as shown<sup>3</sup>, elsewhere<sup>1-3</sup>, there<sup>1,2</sup>, here<sup>[2]</sup>, now<sup><a href="https://birds.example/n">4</a></sup></p>`, "as shown3, elsewhere1-3, there1,2, here\\[2], now[4](https://birds.example/n)"},
		{"not text", `<p>x<sup></sup> <sup>2</sup>x x<sup> </sup></p>`, "x 2x x"},
		{"times for scripts", `<p><time datetime=2024-03-12></time><a href="https://a.example/1">News</a> <time datetime="2024-03-12T09:30:00+01:00"><i></i></time> <time datetime="2024-03-12T00:00Z"></time> <time datetime=PT30M></time> <time datetime="x"></time></p>`, "2024-03-12 [News](https://a.example/1) 2024-03-12 09:30 2024-03-12"},
		{"readings", `<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby></p>`, "漢(かん)字(じ)"},
		{"readings without parentheses", `<p><ruby>東京<rt>とうきょう</rt></ruby><ruby>x<rt></rt></ruby></p>`, "東京(とうきょう)x"},
		{"empty items", `<ul><li></li><li>a</li><li>&nbsp;</li><li><span> </span></li><li><img src="https://birds.example/x.png" alt=b></li></ul>`, "- a\n- ![b](https://birds.example/x.png)"},
		{"numbers of items", `<ol><li>a</li><li></li><li>c</li><li></li></ol>`, "1. a\n2.\n3. c"},
		{"list of nothing", `<p>a</p><ul><li></li></ul>`, "a"},
		{"shortcodes", `<p>[vc_row][vc_column width="1/2"]Text[/vc_column][/vc_row] [gallery ids="1,2"] [caption id="x"]Birds[/caption]</p>`, "Text Birds"},
		{"brackets", `<p>See [1], a[i], [gallery], [vc_], [sic] and [open</p>`, "See \\[1], a\\[i], \\[gallery], \\[vc_], \\[sic] and [open"},
		{"links without a space", `<p><a href="https://a.example/1">About</a><a href="https://a.example/2">Contact</a><span><a href="https://a.example/3">help</a></span></p>`, "[About](https://a.example/1) [Contact](https://a.example/2) [help](https://a.example/3)"},
		{"links of a script without spaces", `<p><a href="https://a.example/1">東</a><a href="https://a.example/2">京</a></p>`, "[東](https://a.example/1)[京](https://a.example/2)"},
		{"a link and its mark", `<p><a href="https://a.example/1">Birds</a><sup><a href="https://a.example/2">4</a></sup>, <a href="https://a.example/3">bird</a><b>s</b></p>`, "[Birds](https://a.example/1)[4](https://a.example/2), [bird](https://a.example/3)**s**"},
		{"links that a style sheet joins", `<h1><a href="https://a.example/1">Gdk</a><span class=sep></span><a href="https://a.example/2">Device</a></h1>`, "# [Gdk](https://a.example/1)[Device](https://a.example/2)"},
		{"labels without a space", `<a href="https://a.example/1"><label>Director</label><label>advice</label></a>`, "[Director advice](https://a.example/1)"},
		{"a tag and its count", `<p><span class=tag>birds</span><span class=count>3</span><span class=name>Ann Lee</span><time>2026</time><span class=date>May 1</span></p>`, "birds 3 Ann Lee 2026 May 1"},
		{"a name and its badges", `<p><code>to_address</code><span class=param-type>object</span><span class="req">required</span></p><p><b>flight</b><i class=x>less</i>, <b>a</b><i class=type>b</i></p>`, "`to_address` object required\n\n**flight***less*, **a***b*"},
		{"what a separator keeps apart", `<p><span class=q>1d ago</span><span class=q aria-hidden=true><i>·</i></span><span class=q>3 min</span><i aria-hidden=true></i><b>x</b></p>`, "1d ago 3 min**x**"},
		{"a rating and its number", `<p><i>4 of 5 stars</i><span>187</span><i>CO</i><b>2</b></p>`, "*4 of 5 stars* 187*CO***2**"},
		{"prices and other amounts", `<p><b>€12.00</b><i class=stars>4.5</i> <span>$98.00</span><span>$130.00</span> <span>€61</span><span>€67</span><span>8%</span> <i>$98</i><i class=cents>50</i> <i>1</i><i>2%</i></p>`, "**€12.00** *4.5* $98.00 $130.00 €61 €67 8% *$98* *50* *12%*"},
		{"parts of a word", `<p><span class=a>Java</span><span class=a>Script</span> <span class=b>H</span><span class=c>2</span> <span class=b>co</span><span class=c>operate</span> so <span class=b>Cur</span><span class=c>Lew</span></p>`, "JavaScript H2 cooperate so CurLew"},
		{"heading in a link", `<a href="https://birds.example/n"> <h2 id=x>Birds <i>here</i></h2> </a><p>a</p>`, "## [Birds *here*](https://birds.example/n)\n\na"},
		{"heading in a link in an item", `<ul><li><a href="https://birds.example/n"><h3>Birds</h3></a></li></ul>`, "- [**Birds**](https://birds.example/n)"},
		{"heading and text in a link", `<a href="https://birds.example/n"><h2>Birds</h2><p>a</p></a>`, "[**Birds** a](https://birds.example/n)"},
		{"a link over a card", `<article><a href="https://birds.example/n" aria-label="More about Birds" title=Birds><i></i></a><div><h3>Birds</h3><p>a</p></div></article>`, "### [Birds](https://birds.example/n)\n\na"},
		{"an empty link beside a linked heading", `<div><a href="https://birds.example/i"></a><h3><a href="https://birds.example/n">Birds</a></h3></div>`, "### [Birds](https://birds.example/n)"},
		{"an empty link about something else", `<div><a href="https://birds.example/i" aria-label=Share></a><h3>Birds</h3></div>`, "### Birds"},
		{"an empty link beside many headings", `<div><a href="https://birds.example/i"></a><h3>Birds</h3><p>a</p><h3>Trees</h3></div>`, "### Birds\n\na\n\n### Trees"},
		{"an empty link to a part", `<div><a href="#birds"></a><h3>Birds</h3></div>`, "### Birds"},
		{"code", "<pre>[vc_row]&nbsp;x</pre><p><code>[vc_row]</code></p>", "```\n[vc_row]\u00a0x\n```\n\n`[vc_row]`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := build(t, c.src, format.Options{WholePage: true, Forms: []format.Form{format.Markdown, format.HTML}})
			if got := strings.TrimSuffix(*d.Markdown, "\n"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	d := build(t, `<p>x<sup>n+1</sup></p>`, format.Options{WholePage: true, Markdown: markdown.Options{InlineHTML: true}, Forms: []format.Form{format.Markdown, format.HTML}})
	if got := strings.TrimSpace(*d.Markdown); got != "x<sup>n+1</sup>" {
		t.Errorf("with HTML in lines: %q", got)
	}
	if !strings.Contains(*d.HTML, "<sup>n+1</sup>") {
		t.Errorf("HTML: %q", *d.HTML)
	}
}

// TestDetailsHostile builds pages that repeat one construct many times. The test would not
// end if the time were not linear in the number of nodes.
func TestDetailsHostile(t *testing.T) {
	for _, part := range []string{"<b>&nbsp;</b>", "[", "[vc_row", "[]", "<li></li>", "<sup>2</sup>", "<ruby><rt>", "<i>x</i><sup>n+1</sup>", "<ol><li>", "<a><h2>", "<a href=x></a>", "<div><a href=x></a><h2>"} {
		d := build(t, strings.Repeat(part, 20000), format.Options{WholePage: true})
		if d.Markdown == nil {
			t.Errorf("%s: no Markdown", part)
		}
	}
	for _, part := range []string{"<li></li>", "<li>&nbsp;</li><br>"} {
		if d := build(t, "<ol>"+strings.Repeat(part, 100000)+"</ol>", format.Options{WholePage: true}); d.Markdown == nil {
			t.Errorf("%s: no Markdown", part)
		}
	}
}
