// SPDX-License-Identifier: Apache-2.0

package markdown_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	goldhtml "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"

	"example.com/curlew/internal/test/golden"
	"example.com/curlew/markdown"
)

// FuzzRender checks any HTML: the Markdown is UTF-8, a second run gives the
// same result, and breaks in cells are the only raw HTML.
func FuzzRender(f *testing.F) {
	files, _ := filepath.Glob(golden.Testdata("markdown/*.html"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data), uint16(0))
	}
	for _, s := range []string{
		"<ul><li>a<li><ol start=3><li>b</ol></ul>", "<em>a<strong>*b*</strong></em>", "<pre><code class=language-x>`</code></pre>",
		"<table><tr><td colspan=3>a|<br>b<tr><td rowspan=9>c</table>", "<a href='<(' title='\n#'>&lt;b>]</a>", "<dl><dt>a<dd>b</dl>",
		"<p>a [<a href='#fn1'>1</a>]<ol class=footnotes><li id=fn1>b<a href='#r'>↩</a></ol>", "<div class='admonition warning'><p class=admonition-title>W<p>x</div>",
		"<math><mfrac><mi>a</mi><mn>2</mn></mfrac></math> 3$ <script type='math/tex'>x_1</script>", "<a href=/x><h3>T</h3></a><details><summary>s</summary>d</details>",
		"<div role=tablist><a role=tab aria-controls=p>A</a></div><div role=tabpanel id=p>x</div>", "<table class=highlight><tr><td class=gutter>1<td><pre>a\nb</pre></table>",
		"<sup>2</sup>x<sub>2</sub><mark>m</mark><s>s</s><u>u</u><kbd>`</kbd>", "<ul><li><input type=checkbox checked>a</ul><ol start=7><li><p>b</ol>",
	} {
		for _, o := range []uint16{0, 1, 0xAAAA, 0x5555, 0xFFFF} {
			f.Add(s, o)
		}
	}
	gm := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(goldhtml.WithUnsafe()))
	f.Fuzz(func(t *testing.T, src string, bits uint16) {
		if _, err := html.Parse(strings.NewReader(src)); err != nil || len(src) > 1<<16 {
			t.Skip()
		}
		o := optionsOf(bits)
		md := renderWith(t, src, o)
		if !utf8.ValidString(md) {
			t.Errorf("not UTF-8: %q", md)
		}
		if again := renderWith(t, src, o); again != md {
			t.Errorf("%q, and then %q", md, again)
		}
		if md != "" && !strings.HasSuffix(md, "\n") {
			t.Errorf("no line end: %q", md)
		}
		if o.InlineHTML || o.Tables == markdown.TablesHTML || o.Tables == markdown.TablesAuto && strings.Contains(strings.ToLower(src), "data-table") {
			return // the options ask for HTML
		}
		var back bytes.Buffer
		if err := gm.Convert([]byte(md), &back); err != nil {
			t.Fatal(err)
		}
		root, err := html.Parse(&back)
		if err != nil {
			t.Skip() // too deep
		}
		for n := range root.Descendants() {
			if n.Type == html.ElementNode && !strings.Contains(written, " "+n.Data+" ") {
				t.Errorf("raw HTML, <%s>, in %q", n.Data, md)
			}
			if n.Type == html.CommentNode {
				t.Errorf("a comment in %q", md)
			}
		}
	})
}

// written lists the elements that Markdown can express.
const written = " html head body p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code hr br a img em strong del input table thead tbody tr th td "

// optionsOf returns the options that bits encode. Zero is the zero Options.
func optionsOf(bits uint16) (o markdown.Options) {
	take := func(n uint16) uint16 {
		v := bits % n
		bits /= n
		return v
	}
	o.Links = markdown.LinkStyle(take(4))
	o.Images = markdown.Images(take(3))
	o.DataImages = markdown.DataImages(take(3))
	o.Spans, o.TableStyle = markdown.Spans(take(3)), markdown.TableStyle(take(2))
	o.Break, o.Flavor = markdown.Break(take(2)), markdown.Flavor(take(2))
	o.LinkedHeadings, o.PlainDefinitions = take(2) == 1, take(2) == 1
	o.MaxHeading = int(take(3))
	o.Tables = markdown.Tables(take(2))
	o.InlineHTML = take(2) == 1
	if take(2) == 1 {
		o.FrontMatter = map[string]string{"a": "b"}
		o.Base, o.Page = "https://a.example/x", "https://a.example/x"
	}
	return o
}
