// SPDX-License-Identifier: Apache-2.0

package markdown_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/markdown"
)

// check renders pairs of HTML and the expected Markdown, without its final
// newline.
func check(t *testing.T, pairs [][2]string) {
	t.Helper()
	for _, p := range pairs {
		if got := strings.TrimSuffix(render(t, p[0]), "\n"); got != p[1] {
			t.Errorf("%s\ngot  %q\nwant %q", p[0], got, p[1])
		}
	}
}

func TestBlocks(t *testing.T) {
	check(t, [][2]string{
		{"", ""},
		{"<p> </p><div>&nbsp;</div>", ""},
		{"<h1>A</h1><p>b\n  c</p>", "# A\n\nb c"},
		{"<h2>C# #</h2><h3>C#</h3>", "## C# \\#\n\n### C\\#"},
		{"<h2></h2><h2><svg></svg></h2>", "##"},
		{"<h2>A <a href='#a' class=anchor>#</a></h2>", "## A"},
		{"<h2><a href='#a'>¶</a>A<a href='/b'>B</a></h2>", "## A[B](/b)"},
		{"<h2>one<br>two</h2>", "## one two"},
		{"a<br>b", "a\\\nb"},
		{"a<br><br>b<br>", "a\n\nb"},
		{"<p>a</p><hr><p>b</p>", "a\n\n---\n\nb"},
		{"<ul><li>a<hr></li><li><hr></li></ul>", "- a\n  ___\n- ___"},
		{"<blockquote><p>a</p><blockquote>b</blockquote></blockquote>", "> a\n>\n> > b"},
		{"<blockquote></blockquote><blockquote><br></blockquote>", ">"},
		{"<div>a<div>b</div>c</div>", "a\n\nb\n\nc"},
		{"<dl><dt>T</dt><dd><div><div>\n<pre>x</pre></div></div><p>y</p></dd><dt>U</dt><dd><div>z</div></dd></dl>", "**T**\n\n```\nx\n```\n\ny\n\n**U**\n: z"},
		{"<dl><dt>T</dt><dd>one</dd><dd>two</dd><dt>U</dt><dd><ul><li>x</li></ul></dd></dl>", "**T**\n: one\n: two\n\n**U**\n\n- x"},
		{"<details><summary>More</summary><p>a</p></details>", "**More**\n\na"},
		{"<details><summary><h3>More</h3></summary>a</details>", "### More\n\na"},
		{"<p>a<!-- b -->c<script>d</script><style>e</style><template>f</template></p>", "ac"},
		{"<h3><button>Open</button></h3><button>Buy</button>", "### Open"},
	})
}

func TestLists(t *testing.T) {
	check(t, [][2]string{
		{"<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>", "- a\n- b\n  - c"},
		{"<ul><li><p>a</p></li><li>b</li></ul>", "- a\n\n- b"},
		{"<ol start=9><li>a</li><li>b<p>c</p></li></ol>", "9. a\n\n10. b\n\n    c"},
		{"<ol start=-3><li>a</li></ol><ol start=4000000000><li>b</li></ol>", "1. a\n\n1) b"},
		{"<ul><li>a</li></ul><ul><li>b</li></ul><ul><li>c</li></ul>", "- a\n\n* b\n\n- c"},
		{"<ul><li></li><li>a</li></ul>", "-\n- a"},
		{"<ul><li><svg></svg></li><li>a</li></ul>", "- a"},
		{"<ul><li><svg></svg></li></ul>b", "b"},
		{"<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b"},
		{"<ul><ul><li>b</li></ul></ul>", "- * b"},
		{"<li>a</li> <li>b</li>c", "- a\n- b\n\nc"},
		{"<ul><li>a<ol start=2><li>b</li></ol></li></ul>", "- a\n\n  2. b"},
		{"<ul><li>a<ul><li></li></ul></li></ul>", "- a\n\n  -"},
		{"<ul><li>a<blockquote>b</blockquote>c</li></ul>", "- a\n  > b\n\n  c"},
		{"<ul><li>a<pre>b</pre></li></ul>", "- a\n  ```\n  b\n  ```"},
		{"<ul><li><input type=checkbox checked> a</li><li><label><input type=checkbox>b</label></li></ul>", "- [x] a\n- [ ] b"},
		{"<ul><li>a <input type=checkbox></li></ul><input type=checkbox>", "- a"},
		{"<p>Sex: <input type=checkbox disabled checked> male <input type=checkbox disabled> female <input type=checkbox disabled id=x></p>", "Sex: ☒ male ☐ female"},
		{"<ul><li><input type=checkbox disabled> a <input type=checkbox disabled checked> b</li></ul>", "- [ ] a ☒ b"},
		{"<table><tr><th>a<tr><td>b <input type=checkbox disabled checked></table>", "| a |\n| --- |\n| b ☒ |"},
		{"<ul><li>- a</li><li>1. b</li><li>[ ] c</li></ul>", "- \\- a\n- 1\\. b\n- \\[ ] c"},
	})
}

func TestInline(t *testing.T) {
	check(t, [][2]string{
		{"<b>a</b> <i>b</i> <s>c</s> <u>d</u>", "**a** *b* ~~c~~ d"},
		{"<b> a </b>b", "**a** b"},
		{"<b></b><i> </i>a", "a"},
		{"<b>a</b><b>b</b>", "**ab**"},
		{"<em>a<em>b</em></em>", "_a*b*_"},
		{"<em><em>a</em></em>", "*_a_*"},
		{"<b>a<br>b</b>", "**a\\\nb**"},
		{"<b>a<p>b</p>c</b>", "**a**\n\n**b**\n\n**c**"},
		{"中文<b>「强调」</b>中文", "中文「**强调**」中文"},
		{"a<b>!</b>b", "a!b"},
		{"snake_case_name 2*3*4 * _a_", "snake_case_name 2\\*3\\*4 * \\_a_"},
		{"5* and *", "5* and *"},
		{"<i>5* a</i>", "*5\\* a*"},
		{"a ` b", "a ` b"},
		{"a ` b ``", "a \\` b \\`\\`"},
		{"[a] b] [", "\\[a] b] ["},
		{"&amp;copy; AT&amp;T &amp;#1; &amp;x;", "&amp;copy; AT&T &amp;#1; &x;"},
		{"a &lt; b &lt;b> 1&lt;2", "a < b \\<b> 1<2"},
		{"~5 ~~6~~ ~", "~5 \\~\\~6\\~\\~ ~"},
		{`a\b \* \\ `, `a\b \\* \\\`},
		{"# a<br># b", "\\# a\\\n\\# b"},
		{"<p>1) a</p><p>+ b</p><p>- c</p><p>> d</p><p>---</p><p>***</p>", "1\\) a\n\n\\+ b\n\n\\- c\n\n\\> d\n\n\\---\n\n\\***"},
		{"a<br>===", "a\\\n\\==="},
		{"a | b<br>--- | ---", "a | b\\\n\\--- | ---"},
		{"!<a href=/b>c</a>", "\\![c](/b)"},
		{"&nbsp;a", "&nbsp;a"},
		{"10<sup>6</sup> x<sup>2</sup> <sub>3</sub>", "10^6 x2 3"},
		{"10<sup>−3</sup> 10<sup>-3</sup> 5<sup>–x</sup>", "10^−3 10^-3 5–x"},
		{"<code>a</code><code>b</code> <kbd>Ctrl</kbd>", "`ab` `Ctrl`"},
		{"<code>`a``</code>", "``` `a`` ```"},
		{"<code> a </code><code> </code>", "`  a   `"},
		{"<code>\n  a\n  b\n</code>", "`a b`"},
		{"<code>a <a href=/b><b>c</b></a></code>", "`a `[`c`](/b)"},
		{"a\x07b\uF002c\uFFFCd", "ab\uF002c\uFFFCd"},
		{`<math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math> $5`, `$x^2$ \$5`},
		{"a<svg><title>t</title><text>u</text></svg>b", "ab"},
	})
}

func TestLinks(t *testing.T) {
	check(t, [][2]string{
		{"<a href='/?q=C++&b=*_~(c)'>C++</a>", "[C++](/?q=C++&b=*_~(c))"},
		{"<a href='/a b(c'>d</a>", "[d](</a%20b(c>)"},
		{"<a href='/' title='say \"hi\" &amp;amp;'>d</a>", "[d](/ \"say \\\"hi\\\" &amp;amp;\")"},
		{"<a href='' title=t>d</a>", "[d](<> \"t\")"},
		{"<a href='https://a.example/'>https://a.example/</a>", "<https://a.example/>"},
		{"<a href='https://a.example/b'>https://a.example/</a>", "[https://a.example/](https://a.example/b)"},
		{"<a href=/x></a>b<a href=/y> </a>", "b"},
		{"<a href=/x><img src=i.png alt='a [b] *c*'></a>", "[![a \\[b\\] \\*c*](i.png)](/x)"},
		{"<a href=/x><h3>T</h3><p>S</p></a>", "[**T** S](/x)"},
		{"<a href=/x>a<br>b]</a>", "[a b\\]](/x)"},
		{"<a href=/x>a<pre>b</pre>c</a>", "[a](/x)\n\n```\nb\n```\n\n[c](/x)"},
		{"<a href='javascript:x()'>a</a> <a href=' JAVA\tSCRIPT:x'>b</a> <a name=c>c</a>", "a b c"},
		{"<b><a href=/x>a</a></b> <a href=/x><b>a</b> b</a>", "**[a](/x)** [**a** b](/x)"},
		{"<iframe src='https://www.video.example/v' title='A film'></iframe><video><source src=/v.mp4></video>", "[A film](https://www.video.example/v) [video](/v.mp4)"},
		{"<img src=a.png alt='two\nlines'><img alt=b><img data-src=c.png><img>", "![two lines](a.png)![b]()![](c.png)"},
		{"<img src='data:image/png;base64,AA' alt=a>", "![a](<Base64-Image-Removed>)"},
	})
}

func TestCode(t *testing.T) {
	check(t, [][2]string{
		{"<pre><code class='language-go x'>a\n\n  b\n</code></pre>", "```go\na\n\n  b\n```"},
		{"<pre>a\n```\nb</pre>", "````\na\n```\nb\n````"},
		{"<pre class='brush: js; toolbar'>a</pre>", "```js\na\n```"},
		{"<div class='highlight highlight-source-rust'><pre>a</pre></div>", "```rust\na\n```"},
		{"<pre data-lang=x`y>a</pre>", "~~~x`y\na\n~~~"},
		{"<pre></pre>", "```\n```"},
		{"<pre>a<br>b<span>c</span><div>d</div><div>e</div>f</pre>", "```\na\nbc\nd\ne\nf\n```"},
		{"<pre><span class=lineno>1</span>a<button>Copy</button></pre>", "```\na\n```"},
		{"<table class=highlight><tr><td class=gutter><pre>1\n2</pre></td><td class=code><pre>a\nb</pre></td></tr></table>", "```\na\nb\n```"},
		{"<blockquote><pre>a\n\nb</pre></blockquote>", "> ```\n> a\n>\n> b\n> ```"},
	})
}

func TestTables(t *testing.T) {
	check(t, [][2]string{
		{"<table><tr><th>a<th>b<tr><td>1<td>2</table>", "| a | b |\n| --- | --- |\n| 1 | 2 |"},
		{"<table><tr><td>a<td>b<tr><td>1<td></table>", "| a | b |\n| --- | --- |\n| 1 | |"},
		{"<table><caption>C</caption><tr><td>a<td>b</table>", "C\n\n| a | b |\n| --- | --- |"},
		{"<table><thead><tr><th colspan=2>x<tr><th>a<th>b</thead><tr><td>1<td>2</table>", "| x a | x b |\n| --- | --- |\n| 1 | 2 |"},
		{"<table><tr><th>a<th>b<th>c<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5</table>", "| a | b | c |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n| | 4 | 5 |"},
		{"<table><tr><th>a<th>b<tr><td>1<td rowspan=0>2<tr><td>3</table>", "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | |"},
		{"<table><tr><th align=left>a<th style='text-align: RIGHT'>b<th align=center>c</table>", "| a | b | c |\n| :--- | ---: | :---: |"},
		{"<table><tr><th>x|y<th><code>x|y</code><tr><td>a<br>b<td><p>c</p><p>d</p></table>", "| x\\|y | `x\\|y` |\n| --- | --- |\n| a<br>b | c<br>d |"},
		{"<table><tr><th>a<tr><td><ul><li>x<ol><li>y<ul><li>z</ul></ol><li>w</ul></table>", "| a |\n| --- |\n| - x<br>  1. y<br>    - z<br>- w |"},
		{"<table><tr><th>a<th>b<tr><td><ul><li>x<li>y</ul><td><ol start=3><li>x<li>y</ol></table>", "| a | b |\n| --- | --- |\n| - x<br>- y | 3. x<br>4. y |"},
		{"<table><tr><th>a<th>b<tr><td><h3>x</h3>y<td><pre>p\nq</pre></table>", "| a | b |\n| --- | --- |\n| **x**<br>y | `p`<br>`q` |"},
		{"<table><tr><th>a<th>long text here<tr><td><table><tr><td>k<td>v<tr><td>l<td>w</table><td>and more of it</table>", "| a | long text here |\n| --- | --- |\n| k: v; l: w | and more of it |"},
		{"<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>", "a\n\nb\n\nc\n\nd"},
		{"<table><tr><td>a</table>", "a"},
		{"<table><tr><td><p>a<p>b<p>c<td><p>d<p>e<p>f<tr><td><p>a<p>b<p>c<td>e</table>", "a\n\nb\n\nc\n\nd\n\ne\n\nf\n\na\n\nb\n\nc\n\ne"},
		{"<b>x<table><tr><th>a<th>b</table>y</b>", "**x**\n\n| a | b |\n| --- | --- |\n\n**y**"},
		{"<table><tr><th></th><th></th></tr></table>a", "a"},
		{"<ul><li>a<table><tr><th>b<th>c</table></li></ul>", "- a\n\n  | b | c |\n  | --- | --- |"},
		{"<table><tr><th># a<th>- b</table>", "| # a | - b |\n| --- | --- |"},
	})
}

func TestOptions(t *testing.T) {
	const src = `<a href="b?q=C++">x</a> <a href="mailto:a@b.example">y</a> <img src="data:image/gif;base64,R0" alt="z">`
	for _, test := range []struct {
		options markdown.Options
		want    string
	}{
		{markdown.Options{}, "[x](b?q=C++) [y](mailto:a@b.example) ![z](<Base64-Image-Removed>)\n"},
		{markdown.Options{Base: "https://a.example/d/e"}, "[x](https://a.example/d/b?q=C++) [y](mailto:a@b.example) ![z](<Base64-Image-Removed>)\n"},
		{markdown.Options{DataImages: markdown.DataKeep}, "[x](b?q=C++) [y](mailto:a@b.example) ![z](data:image/gif;base64,R0)\n"},
		{markdown.Options{DataImages: markdown.DataDrop}, "[x](b?q=C++) [y](mailto:a@b.example)\n"},
	} {
		root, err := html.Parse(strings.NewReader(src))
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := markdown.Render(t.Context(), &b, root, &test.options); err != nil {
			t.Fatal(err)
		}
		if b.String() != test.want {
			t.Errorf("%+v: got %q, want %q", test.options, b.String(), test.want)
		}
	}
}

func TestRenderErrors(t *testing.T) {
	n := element(atom.P, textNode("a"))
	if err := markdown.Render(t.Context(), io.Discard, n, &markdown.Options{Base: "mailto:a"}); !errors.Is(err, weburl.ErrScheme) {
		t.Errorf("Base mailto: got %v", err)
	}
	if err := markdown.Render(t.Context(), fullWriter{}, n, nil); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("full writer: got %v", err)
	}
}

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// TestGolden renders the pages in testdata/markdown.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob(golden.Testdata("markdown/*.html"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		golden.Check(t, strings.TrimSuffix(file, "html")+"md", []byte(render(t, string(data))))
	}
}

// TestInvalid renders invalid characters.
func TestInvalid(t *testing.T) {
	n := element(atom.Div, element(atom.P, textNode("a\xffb")), element(atom.Pre, textNode("a\xffb\r\nc")), element(atom.Code, textNode("a\xff")))
	img := element(atom.Img)
	img.Attr = []html.Attribute{{Key: "alt", Val: "\xff"}, {Key: "src", Val: "\xff"}, {Key: "title", Val: "\xff"}}
	n.AppendChild(img)
	var b strings.Builder
	if err := markdown.Render(t.Context(), &b, n, nil); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !utf8.ValidString(got) {
		t.Errorf("not UTF-8: %q", got)
	}
}

// TestDeep renders trees deeper than any parser makes them. Below the limit
// only text is written, and no text is lost.
func TestDeep(t *testing.T) {
	for _, atoms := range [][]atom.Atom{
		{atom.Em}, {atom.Div}, {atom.Blockquote}, {atom.Li, atom.Ul}, {atom.Td, atom.Tr, atom.Tbody, atom.Table}, {atom.A}, {atom.Code}, {atom.Details}, {atom.Dd, atom.Dl},
	} {
		var b strings.Builder
		if err := markdown.Render(t.Context(), &b, nest(100_000, "deepest", atoms...), nil); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "deepest") {
			t.Errorf("%v: the text is lost: %q", atoms, b.String())
		}
	}
}

// TestDeterministic checks that copies of one tree give the same Markdown.
func TestDeterministic(t *testing.T) {
	const src = "<ul><li>a</ul><table><tr><th>b<th>c</table><em>d<em>e</em></em>"
	if diff := cmp.Diff(render(t, src), render(t, src)); diff != "" {
		t.Error(diff)
	}
}

// TestPageLinks writes links to the pages of a PDF document. Markdown has no place that they could
// lead to, so they lead to the page of the file, or are text if its address is not known or is the
// address of the document that has it as a part.
func TestPageLinks(t *testing.T) {
	const section = `<section id="page-1" data-page="1"><p>See <a href="#page-7">part 3</a> and <a href="https://b.example/#page-7">another</a>.</p></section>`
	const page = `<p>See <a href="#page-7">part 3</a>.</p>`
	for _, c := range []struct{ kind, content, base, want string }{
		{"pdf", section, "", "See part 3 and [another](https://b.example/#page-7).\n"},
		{"pdf", section, "https://a.example/d.pdf#x", "See [part 3](https://a.example/d.pdf#page=7) and [another](https://b.example/#page-7).\n"},
		{"docx", section, "https://a.example/d.docx", "See part 3 and [another](https://b.example/#page-7).\n"},
		{"docx", strings.ReplaceAll(section, `"#page`, `"#f1-page`), "", "See part 3 and [another](https://b.example/#page-7).\n"},
		{"html", page, "", "See [part 3](#page-7).\n"},
		{"pdf", strings.ReplaceAll(section, "-7", "-seven"), "", "See [part 3](#page-seven) and [another](https://b.example/#page-seven).\n"},
	} {
		n, err := html.Parse(strings.NewReader(`<html data-kind="` + c.kind + `">` + c.content))
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := markdown.Render(t.Context(), &b, n, &markdown.Options{Base: c.base}); err != nil || b.String() != c.want {
			t.Errorf("%s at %q: %q, %v, want %q", c.kind, c.base, b.String(), err, c.want)
		}
	}
}
