// SPDX-License-Identifier: Apache-2.0

package markdown_test

import "testing"

func TestFootnotes(t *testing.T) {
	check(t, [][2]string{
		{ // Pandoc
			`<p>a<a href="#fn1" class="footnote-ref" id="fnref1" role="doc-noteref"><sup>1</sup></a></p><section class="footnotes" role="doc-endnotes"><hr><ol><li id="fn1"><p>note<a href="#fnref1" class="footnote-back" role="doc-backlink">↩︎</a></p></li></ol></section>`,
			"a[^1]\n\n[^1]: note",
		},
		{ // GitHub
			`<p>a<sup><a href="#user-content-fn-x" id="user-content-fnref-x" data-footnote-ref>1</a></sup> b</p><section data-footnotes class="footnotes"><h2 class="sr-only">Footnotes</h2><ol><li id="user-content-fn-x"><p>one</p><p>two <a href="#user-content-fnref-x" data-footnote-backref>↩</a></p></li></ol></section>`,
			"a[^1] b\n\n[^1]: one\n\n    two",
		},
		{ // MediaWiki
			`<p>a<sup id="cite_ref-1" class="reference"><a href="#cite_note-1"><span>[</span>1<span>]</span></a></sup>.</p><ol class="references"><li id="cite_note-1"><span class="mw-cite-backlink">^ <a href="#cite_ref-1">Jump up</a></span> <span class="reference-text">A book</span></li></ol>`,
			"a[^1].\n\n[^1]: A book",
		},
		{ // two references to one note; numbered by the first reference
			`<p>a<sup><a href="#n2">2</a></sup>b<sup><a href="#n1">1</a></sup>c<sup><a href="#n2">2</a></sup></p><ol class="footnotes"><li id="n1">one<li id="n2">two</ol>`,
			"a[^1]b[^2]c[^1]\n\n[^1]: two\n\n[^2]: one",
		},
		{ // Word
			`<p>a<a href="#_ftn1" name="_ftnref1">[1]</a></p><div id="ftn1"><p><a href="#_ftnref1" name="_ftn1">[1]</a> A note.</p></div>`,
			"a[^1]\n\n[^1]: A note.",
		},
		{ // Docutils
			`<p>a<a class="footnote-reference" href="#id2" id="id1" role="doc-noteref">1</a></p><aside class="footnote" id="id2" role="doc-footnote"><span class="label"><span class="fn-bracket">[</span><a href="#id1">1</a><span class="fn-bracket">]</span></span><p>A note</p></aside>`,
			"a[^1]\n\n[^1]: A note",
		},
		{ // Substack
			`<p>a<a class="footnote-anchor" id="footnote-anchor-1" href="#footnote-1">1</a></p><div class="footnote"><a id="footnote-1" href="#footnote-anchor-1" class="footnote-number">1</a><div class="footnote-content"><p>A note</p></div></div>`,
			"a[^1]\n\n[^1]: A note",
		},
		{ // older versions of Docutils
			`<p>a<a class="footnote-reference" href="#id2">1</a></p><dl class="footnote"><dt class="label" id="id2"><span>1</span></dt><dd><p>A note</p></dd></dl>`,
			"a[^1]\n\n[^1]: A note",
		},
		// A note that contains its number as text, and a reference in a cell.
		{`<table><tr><th>a<th>b<sup><a href="#fn">*</a></sup></table><p id="fn"><sup>*</sup> A note`, "| a | b[^1] |\n| --- | --- |\n\n[^1]: A note"},
		{ // brackets around a reference are not written twice
			`<p>a [<a href="#fn1">1</a>] b<sup>[<a href="#fn2">2</a>]</sup>, [<a href="#fn1">1</a> c]</p><ol class=footnotes><li id=fn1>one<li id=fn2>two</ol>`,
			"a [^1] b[^2], \\[[^1] c]\n\n[^1]: one\n\n[^2]: two",
		},
		// DocBook: both lead to each other, and the reference has an id.
		{
			`<p>Some running text<a href="#ftn.x" class="footnote"><sup class="footnote" id="x">[4]</sup></a> goes on.</p><p>More.</p><div class="footnotes"><div id="ftn.x" class="footnote"><p><a href="#x" class="para"><sup class="para">[4] </sup></a>The note.</p></div></div>`,
			"Some running text[^1] goes on.\n\nMore.\n\n[^1]: The note.",
		},
		{
			`<p><a href="#ftn.x" class="footnote"><sup class="footnote" id="x">[*]</sup></a> begins the text.</p><div id="ftn.x" class="footnote"><p><a href="#x"><sup>[*] </sup></a>The note.</p></div>`,
			"[^1] begins the text.\n\n[^1]: The note.",
		},
		// These are not footnotes: no target, a heading, the paragraph itself,
		// another page.
		{`<p>a<sup><a href="#fn1">1</a></sup>`, "a[1](#fn1)"},
		{`<p>a<sup><a href="#two">2</a></sup><h2 id="two">T</h2>`, "a[2](#two)\n\n## T"},
		{`<p id="fn1">a<sup><a href="#fn1">1</a></sup>`, "a[1](#fn1)"},
		{`<p>a<sup><a href="/x#fn1">1</a></sup><p id="fn1">b`, "a[1](/x#fn1)\n\nb"},
		{`<div id="comment-7"><div>Sara</div><p>Nice.</div><p>To <a href="#comment-7">Sara</a>: yes.`, "Sara\n\nNice.\n\nTo [Sara](#comment-7): yes."},
		{`<p>a <a href="#note-2">iv</a><p id="note-2">b`, "a [^1]\n\n[^1]: b"},
		{`<p><a href="#intro">see</a><p id="intro">b`, "[see](#intro)\n\nb"},
	})
}

func TestCallouts(t *testing.T) {
	check(t, [][2]string{
		{`<div class="admonition note"><p class="admonition-title">Note</p><p>a</p><p>b</p></div>`, "> [!NOTE]\n> a\n>\n> b"},
		{`<div class="admonition warning"><p class="admonition-title">Mind the gap</p><p>a</p></div>`, "> [!WARNING]\n> **Mind the gap**\n>\n> a"},
		{`<div class="theme-admonition theme-admonition-tip alert alert--success"><div class="admonitionHeading_x">tip</div><div>a</div></div>`, "> [!TIP]\n> a"},
		{`<div class="markdown-alert markdown-alert-important"><p class="markdown-alert-title"><svg></svg>Important</p><p>a</p></div>`, "> [!IMPORTANT]\n> a"},
		{`<div class="alert alert-danger">a</div><div class="alert">b</div>`, "> [!CAUTION]\n> a\n\nb"},
		{`<div class="admonitionblock caution"><table><tr><td class="icon"><div class="title">Caution</div></td><td class="content">a</td></tr></table></div>`, "> [!CAUTION]\n> a"},
		{`<aside role="note"><ul><li>a</ul></aside>`, "> [!NOTE]\n>\n> - a"},
		{`<div data-callout="tip" class="callout"><div class="callout-title">Tip</div>a</div>`, "> [!TIP]\n> a"},
		{`<div class="hint style-info">a</div><div class="custom-block danger">b</div>`, "> [!NOTE]\n> a\n\n> [!CAUTION]\n> b"},
		{`<div class="admonition note"></div>a`, "a"},
		{`<div class="alertbox note">a</div>`, "a"},
		{`<blockquote class="callout">a</blockquote>`, "> [!NOTE]\n> a"},
	})
}

// TestEmptyParagraphInItem checks that only paragraphs that are written part the items of a list.
func TestEmptyParagraphInItem(t *testing.T) {
	for src, want := range map[string]string{
		"<ul><li>a<p></p></li><li>b</li></ul>":         "- a\n- b\n",
		"<ul><li>a<p> <br></p></li><li>b</li></ul>":    "- a\n- b\n",
		"<ul><li>a<p>c</p></li><li>b</li></ul>":        "- a\n\n  c\n\n- b\n",
		"<ul><li><p>a</p></li><li><p>b</p></li></ul>":  "- a\n\n- b\n",
		"<ul><li>a<p><img src=/x></p></li><li>b</ul>":  "- a\n\n  ![](/x)\n\n- b\n",
		"<ul><li>a<p><b>c</b></p></li><li>b</li></ul>": "- a\n\n  **c**\n\n- b\n",
	} {
		if got := render(t, src); got != want {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
}

// TestSigns writes the labels of what shows a number by its looks, and not those of icons.
func TestSigns(t *testing.T) {
	check(t, [][2]string{
		{`<p>Lazy Cache <span role="img" aria-label="4.5 out of 5 stars"><i></i><i></i></span>(8,496)`, "Lazy Cache 4.5 out of 5 stars (8,496)"},
		{`<div role="img" aria-label="4 of 5">★★★★☆</div>`, "4 of 5"},
		{`<p>a <svg role="img" aria-label="Rated 3"><path d="M0 0"/></svg> b`, "a Rated 3 b"},
		{`<p>a <span role="img" aria-label="Facebook"></span> b`, "a b"},
		{`<p><span role="img" aria-label="4 of 5">four</span>`, "four"},
	})
}

func TestTabs(t *testing.T) {
	check(t, [][2]string{
		{`<div role=tablist><button role=tab id=t1 aria-controls=p1>Go</button></div><div role=tabpanel id=p1 aria-labelledby=t1><p>a</div>`, "**Go**\n\na"},
		{`<ul role=tablist><li role=tab>Go<li role=tab>Rust</ul><div role=tabpanel>a</div><div role=tabpanel>b</div>`, "**Go**\n\na\n\n**Rust**\n\nb"},
		{`<ul role=tablist><li><a href=/o>All</a><li role=tab>Go</ul><div role=tabpanel>a</div>`, "- [All](/o)\n- Go\n\n**Go**\n\na"},
		{`<div role=tablist><div role=tab><h2>Go</h2><div role=tabpanel>a</div></div></div>`, "## Go\n\na"},
		{`<div role=tabpanel aria-label="Go *">a</div>`, "**Go \\***\n\na"},
	})
}

func TestMath(t *testing.T) {
	check(t, [][2]string{
		{`a <math><mfrac><mn>1</mn><mi>x</mi></mfrac></math> b $1`, `a $\frac{1}{x}$ b \$1`},
		{`a<math display=block><mi>x</mi></math>b`, "a\n\n$$x$$\n\nb"},
		{`<p>a <span class="MathJax_Preview">x2</span><span class="MathJax"><span>x</span></span><script type="math/tex">x^2 % why
		 + 1</script> b`, `a $x^2 + 1$ b`},
		{`a<script type="math/tex; mode=display">x</script>`, "a\n\n$$x$$"},
		{`<span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x_1</annotation></semantics></math></span><span class="katex-html"><span>x1</span></span></span>`, `$x_1$`},
		{`<span class="katex-display"><span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x</annotation></semantics></math></span><span class="katex-html">x</span></span></span>`, `$$x$$`},
		{`<mjx-container class="MathJax" display="true"><mjx-math>x</mjx-math><mjx-assistive-mml><math><msup><mi>x</mi><mn>2</mn></msup></math></mjx-assistive-mml></mjx-container>`, `$$x^{2}$$`},
		{`<span class="mwe-math-element"><span class="mwe-math-mathml-inline"><math alttext="{\displaystyle x}"><semantics><mi>x</mi><annotation encoding="application/x-tex">{\displaystyle x}</annotation></semantics></math></span><img class="mwe-math-fallback-image-inline" src="x.svg" alt="{\displaystyle x}"></span>`, `$x$`},
		{`<span class="math inline">\(a|b\)</span> <div class="math notranslate">\[ y \]</div>`, "$a|b$\n\n$$y$$"},
		{`<img class="latex" src=x.png alt="x^2"> <span data-latex="\alpha">α</span>`, `$x^2$ $\alpha$`},
		{`<table><tr><th><span class="math">\(|a|\)</span><th>b</table>`, "| $\\vert a\\vert$ | b |\n| --- | --- |"},
		{`<script>x</script><div class="math">plain</div>`, "plain"},
	})
}

func TestCodeOfHighlighters(t *testing.T) {
	check(t, [][2]string{
		{`<pre><code class="hljs python">a</code></pre>`, "```python\na\n```"},
		{`<pre class="shiki" data-language="ts"><code><span class="line">a</span>
<span class="line"></span>
<span class="line">b</span></code></pre>`, "```ts\na\n\nb\n```"},
		{`<pre><code><span class="line">a</span><span class="line"></span><span class="line">b</span></code></pre>`, "```\na\n\nb\n```"},
		{`<pre class="prism-code language-js"><code><span class="token-line">a<br></span><span class="token-line">b<br></span></code></pre>`, "```js\na\nb\n```"},
		{`<pre class="language-js"><code>a<span class="gatsby-highlight-code-line">b <i>c</i></span><span class="gatsby-highlight-code-line">d</span>e
f</code></pre>`, "```js\na\nb c\nd\ne\nf\n```"},
		{`<div class="highlight-python3 notranslate"><div class="highlight"><pre>a</pre></div></div>`, "```python3\na\n```"},
		{`<div class="language-ruby highlighter-rouge"><div class="highlight"><pre class="highlight"><code>a</code></pre></div></div>`, "```ruby\na\n```"},
		{`<pre class="sourceCode bash"><code class="sourceCode bash">a</code></pre>`, "```bash\na\n```"},
		{`<pre class="line-numbers language-c"><code>a</code></pre>`, "```c\na\n```"},
		{`<div class="chroma"><table class="lntable"><tr><td class="lntd"><pre><code><span class="lnt">1
</span><span class="lnt">2
</span></code></pre></td><td class="lntd"><pre><code class="language-go" data-lang="go">a
b</code></pre></td></tr></table></div>`, "```go\na\nb\n```"},
		{`<table><tr><td><pre>1
2
3</pre></td><td><pre>a
b
c</pre></td></tr></table>`, "```\na\nb\nc\n```"},
		{`<div class="syntaxhighlighter java"><table><tr><td class="gutter"><div class="line">1</div><div class="line">2</div></td><td class="code"><div><div class="line">a</div><div class="line">b</div></div></td></tr></table></div>`, "```java\na\nb\n```"},
		{`<table><tr><td class="blob-num">1</td><td class="blob-code">a</td></tr><tr><td class="blob-num">2</td><td class="blob-code">  b</td></tr></table>`, "```\na\n  b\n```"},
		{`<table><tr><td>1<td>a<tr><td>2<td>b<tr><td>3<td>c</table>`, "| 1 | a |\n| --- | --- |\n| 2 | b |\n| 3 | c |"},
	})
}

func TestPictures(t *testing.T) {
	check(t, [][2]string{
		{`<img src="data:image/gif;base64,R0" data-src=a.png>`, "![](a.png)"},
		{`<img src=s.png srcset="m.png 400w, l,1.png 800w">`, "![](l,1.png)"},
		{`<picture><source srcset="a.webp 2x"><img src=a.png alt=x></picture>`, "![x](a.webp)"},
	})
}

func TestCells(t *testing.T) {
	check(t, [][2]string{
		{"<table><tr><th>a<th>b<tr><td><ul><li><input type=checkbox checked> x<li><input type=checkbox>y</ul><td><input type=checkbox></table>", "| a | b |\n| --- | --- |\n| - [x] x<br>- [ ] y | [ ] |"},
		{"<table data-table=sheet><tr><td>a</table>", "| a |\n| --- |"},
		{"<table data-table=source role=presentation><tr><td>a<td>b</table>", "| a | b |\n| --- | --- |"},
		{"<p>He said <q>no</q>.", "He said \"no\"."},
	})
}
