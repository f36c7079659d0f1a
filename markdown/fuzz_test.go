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
)

// FuzzRender holds for any HTML: the Markdown is UTF-8, the same twice, and
// has no raw HTML in it but breaks in cells.
func FuzzRender(f *testing.F) {
	files, _ := filepath.Glob("../testdata/markdown/*.html")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	for _, s := range []string{
		"<ul><li>a<li><ol start=3><li>b</ol></ul>", "<em>a<strong>*b*</strong></em>", "<pre><code class=language-x>`</code></pre>",
		"<table><tr><td colspan=3>a|<br>b<tr><td rowspan=9>c</table>", "<a href='<(' title='\n#'>&lt;b>]</a>", "<dl><dt>a<dd>b</dl>",
	} {
		f.Add(s)
	}
	gm := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(goldhtml.WithUnsafe()))
	f.Fuzz(func(t *testing.T, src string) {
		if _, err := html.Parse(strings.NewReader(src)); err != nil || len(src) > 1<<16 {
			t.Skip()
		}
		md := render(t, src)
		if !utf8.ValidString(md) {
			t.Errorf("not UTF-8: %q", md)
		}
		if again := render(t, src); again != md {
			t.Errorf("%q, and then %q", md, again)
		}
		if md != "" && !strings.HasSuffix(md, "\n") {
			t.Errorf("no line end: %q", md)
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

// written are the elements that Markdown makes.
const written = " html head body p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code hr br a img em strong del input table thead tbody tr th td "
