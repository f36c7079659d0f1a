// SPDX-License-Identifier: Apache-2.0

package dom_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/net/html"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/dom"
)

// parse parses body and fails the test on an error.
func parse(t testing.TB, body string) *dom.Document {
	t.Helper()
	d, err := dom.Parse(t.Context(), []byte(body), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func render(t testing.TB, n *html.Node) string {
	t.Helper()
	var b strings.Builder
	if err := html.Render(&b, n); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// measure returns the number of nodes below root and the greatest depth of a
// node.
func measure(root *html.Node) (nodes, depth int) {
	level := 0
	for n := root; n != nil; {
		nodes++
		depth = max(depth, level)
		switch {
		case n.FirstChild != nil:
			n = n.FirstChild
			level++
		default:
			for n != root && n.NextSibling == nil {
				n = n.Parent
				level--
			}
			if n == root {
				return nodes, depth
			}
			n = n.NextSibling
		}
	}
	return nodes, depth
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, body, want string
	}{
		{"empty", "", "<html><head></head><body></body></html>"},
		{"text", "a < b & c", "<html><head></head><body>a &lt; b &amp; c</body></html>"},
		{"page", "<!doctype html><title>T</title><p>one<p>two", "<!DOCTYPE html><html><head><title>T</title></head><body><p>one</p><p>two</p></body></html>"},
		{"no scripting", "<body><noscript><img src=a.png></noscript>", `<html><head></head><body><noscript><img src="a.png"/></noscript></body></html>`},
		{"controls by reference", `<p title="a&#7;b&#0;">x&#x1F;y&#8;z&#xB;</p>&#9;&#233;`, "<html><head></head><body><p title=\"ab\uFFFD\">xyz</p>\t\u00e9</body></html>"},
		{"no reference", "<p>&#8217; &#x2019; &#00000000000000000; &#x; &#;</p>", "<html><head></head><body><p>\u2019 \u2019 \uFFFD &amp;#x; &amp;#;</p></body></html>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := parse(t, c.body)
			if got := render(t, d.Root); got != c.want || d.Lost != nil {
				t.Errorf("Parse(%q) = %s, %v, want %s", c.body, got, d.Lost, c.want)
			}
		})
	}
}

func TestParseCharset(t *testing.T) {
	d, err := dom.Parse(t.Context(), []byte("<p>caf\xE9"), "text/html; charset=latin1")
	if err != nil {
		t.Fatal(err)
	}
	if d.Charset != "windows-1252" || d.Text != "<p>café" || dom.Text(d.Root) != "café" {
		t.Errorf("Parse = %+v with text %q", d, dom.Text(d.Root))
	}
}

// TestNesting parses documents that are nested too deeply. All text must be kept, and the tree must not be too deep.
func TestNesting(t *testing.T) {
	times := func(n int, open, text, closing string) string {
		return strings.Repeat(open, n) + text + strings.Repeat(closing, n)
	}
	numbered := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for _, c := range []struct {
		name, body string
		want       map[string]int // what is lost
	}{
		{"500 div", times(500, "<div>", "core", "</div>"), nil},
		{"600 div", times(600, "<div>", "core", "</div>") + "<p>after", map[string]int{dom.DeepNesting: 960}},
		{"600 font", times(600, "<font size=1>", "core", "</font>") + "<p>after", map[string]int{dom.DeepNesting: 960}},
		{"600 font, all different", numbered(600, "<font size=%d>") + "core<p>after", map[string]int{dom.DeepNesting: 480}},
		{"600 table", times(600, "<table><tr><td>", "core", "</td></tr></table>") + "<p>after", map[string]int{dom.DeepNesting: 960}},
		{"600 ul li", times(600, "<ul><li>", "core", "</li></ul>") + "<p>after", map[string]int{dom.DeepNesting: 960}},
		{"600 unclosed a", times(600, "<a href=x>", "core", ""), nil}, // an a closes the previous one
		{"600 unclosed a in div", times(600, "<div><a href=x>", "core", "") + "<p>after", map[string]int{dom.DeepNesting: 1080}},
		{"600 p b", times(600, "<p><b>", "core", ""), nil},
		{"600 custom", times(600, "<x-y>", "core <a href=u>link</a><img src=i>", "</x-y>") + "<p>after", map[string]int{dom.Flattened: 1}},
		{"600 svg g", "<svg>" + times(600, "<g>", "core", "</g>") + "</svg><p>after", map[string]int{dom.Flattened: 1}},
		{"100,000 div", times(100_000, "<div>", "core", "</div>") + "<p>after", map[string]int{dom.DeepNesting: 199760}},
		{"100,000 button p", times(100_000, "<button><p>", "core", ""), nil},
		{"100,000 object", times(100_000, "<object>", "core", "</object>") + "<p>after", map[string]int{dom.Flattened: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := parse(t, c.body)
			if diff := cmp.Diff(c.want, d.Lost); diff != "" {
				t.Errorf("lost (-want +got):\n%s", diff)
			}
			text := dom.Text(d.Root)
			if !strings.Contains(text, "core") || strings.Contains(c.body, "after") && !strings.Contains(text, "after") {
				t.Errorf("text is lost: %.80q", text)
			}
			if _, depth := measure(d.Root); depth > 513 {
				t.Errorf("the tree is %d deep", depth)
			}
		})
	}
}

func TestFlat(t *testing.T) {
	deep := strings.Repeat("<x-y>", 600)
	for _, c := range []struct{ name, body, want string }{
		{
			"blocks", "<h1>T</h1> \n <p>one <b>two</b> <i>three<div>four</div>five",
			"<p>T</p><p>one two three</p><p>four</p><p>five</p>",
		},
		{
			"links and images", `<div>see <a href="/x" class=c>this <img src="i.png"> <em>now</em></a> and that</div><img src="j.png">`,
			`<p>see <a href="/x" class="c">this <img src="i.png"/> now</a> and that</p><p><img src="j.png"/></p>`,
		},
		{"link over blocks", `<a href="/x"><h3>one</h3><p>two</p></a>`, `<p><a href="/x">one</a></p><p><a href="/x">two</a></p>`},
		{"raw text", "a<script>var x = '<p>'</script><style>p{}</style>b<textarea>c</textarea><!-- d --><iframe>e</iframe>", "<p>a</p><p>b</p><p>c</p>"},
		{"title", "<title>First &amp; best</title><title>Second</title>x", "<p>x</p>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := parse(t, deep+c.body)
			title := ""
			if c.name == "title" {
				title = "<title>First &amp; best</title>"
			}
			want := "<html><head>" + title + "</head><body>" + c.want + "</body></html>"
			if got := render(t, d.Root); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestBounds(t *testing.T) {
	for _, c := range []struct {
		name   string
		bounds dom.Parser
		body   string
		want   string // of the tree
		cut    bool
	}{
		{"bytes met", dom.Parser{Bytes: 6}, "abcdef", "abcdef", false},
		{"bytes", dom.Parser{Bytes: 6}, "abcdefg", "abcdef", true},
		{"bytes inside a character", dom.Parser{Bytes: 6}, "abcdeé", "abcde", true},
		{"tags met", dom.Parser{Tags: 3}, "<p>a<p>b<p>c", "abc", false},
		{"nodes", dom.Parser{Nodes: 6}, "<p>a</p><p>b</p><p>c</p><p>d", "abc", true},
		{"nodes of ends", dom.Parser{Nodes: 2}, "<div></div></p></p>a", "", true},
		{"tags", dom.Parser{Tags: 3}, "<p>a<p>b<p>c<p>d", "abc", true},
		{"attributes met", dom.Parser{Attributes: 2}, "<p a=1>a<p a=1>b", "ab", false},
		{"attributes", dom.Parser{Attributes: 2}, "<p a=1>a<p a=1>b<p a=1>c", "ab", true},
		{"attributes without value", dom.Parser{Attributes: 3}, "<p a b>a<p a>b<p a>c", "ab", true},
		{"unlimited", dom.Parser{Bytes: dom.Unlimited, Tags: dom.Unlimited, Attributes: dom.Unlimited}, "<p a=1>a<p a=1>b", "ab", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := c.bounds.Parse(t.Context(), []byte(c.body), "text/html; charset=utf-8")
			if err != nil {
				t.Fatal(err)
			}
			if got := dom.Text(d.Root); got != c.want {
				t.Errorf("text %q, want %q", got, c.want)
			}
			if got := d.Lost[dom.Truncated] > 0; got != c.cut {
				t.Errorf("lost %v, want truncated %v", d.Lost, c.cut)
			}
			if d.Text != c.body {
				t.Errorf("Document.Text is %q, want all of it", d.Text)
			}
		})
	}
}

// TestUnclosed parses pages that end in something without an end. Half of an end tag
// at the end of a page costs no text.
func TestUnclosed(t *testing.T) {
	const text = "more text of the page <p>and a paragraph</p>"
	for _, c := range []struct {
		body string
		cut  int
	}{
		{"<p>whole</p><!-- a --><script>1</script></body></htm", 0},
		{"<p>a <b>tag " + text + "</html", 0},
		{"<title>" + text, len(text)},
		{"<p>x</p><style>" + text + "</styl>", len(text) + len("</styl>")},
		{"<script>a</script><script>" + text, len(text)},
		{"<p>x</p><!-- " + text, len(text) + 1},
		{"<p>x</p><a href=\"" + text, len("a href=\"") + len(text)},
		{"<p>x</p></a href='" + text, len("a href='") + len(text)},
		{"<p>x</p><?xml " + text[:20], len("?xml ") + 20},
		{"<plaintext>" + text, 0},
	} {
		d := parse(t, c.body)
		if d.Lost[dom.Unclosed] != c.cut {
			t.Errorf("%s: lost %v, want %d bytes", c.body, d.Lost, c.cut)
		}
	}
}

func TestParseEndsWithContext(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	stop(iotest.ErrTimeout)
	if d, err := dom.Parse(ctx, []byte("<p>a"), ""); d != nil || !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("Parse = %v, %v, want the cause of the end", d, err)
	}
}

// hostile are documents of about n bytes that are very expensive for a naive
// parser.
var hostile = []struct {
	name string
	make func(n int) string
}{
	{"nested div", func(n int) string { return strings.Repeat("<div>", n/5) }},
	{"siblings", func(n int) string { return strings.Repeat("<p>x", n/4) }},
	{"siblings below 500", func(n int) string { return strings.Repeat("<div>", 500) + strings.Repeat("<p>x", n/4) }},
	{"spans below 500", func(n int) string { return strings.Repeat("<div>", 500) + strings.Repeat("<i></i>", n/7) }},
	{"open formats", func(n int) string {
		return strings.Repeat("<b><big><code><em><font><i><s><small><strike><strong><tt><u>", 3) + strings.Repeat("<p>x", n/4)
	}},
	{"open formats that differ", func(n int) string {
		var b strings.Builder
		b.WriteString("<p>")
		for i := range 400 {
			fmt.Fprintf(&b, "<b id=%d>", i)
		}
		return b.String() + strings.Repeat("</p><p>x", n/8)
	}},
	{"open formats, closed in comments", func(n int) string {
		var b strings.Builder
		b.WriteString("<p>")
		for i := range 400 {
			fmt.Fprintf(&b, "<b id=%d><!--</b></b>-->", i)
		}
		return b.String() + strings.Repeat("</p><p>x", n/8)
	}},
	{"open formats, closed in values", func(n int) string {
		var b strings.Builder
		b.WriteString("<p>")
		for i := range 400 {
			fmt.Fprintf(&b, "<b id=%d a='></b>'>", i)
		}
		return b.String() + strings.Repeat("</p><p>x", n/8)
	}},
	{"open formats, closed out of scope", func(n int) string {
		var b strings.Builder
		for i := range 400 {
			fmt.Fprintf(&b, "<p><b id=%d><object></b></object></p>", i)
		}
		return b.String() + strings.Repeat("</p><p>x", n/8)
	}},
	{"heavy link", func(n int) string {
		return "<p><a " + strings.Repeat("a ", n/4) + ">" + strings.Repeat("</p><p>x", n/16)
	}},
	{"distinct attributes", func(n int) string {
		var b strings.Builder
		b.WriteString("<p ")
		for i := range n / 8 {
			fmt.Fprintf(&b, "a%x=1 ", i)
		}
		return b.String() + ">x"
	}},
	{"body tags", func(n int) string {
		var b strings.Builder
		for i := range n / 14 {
			fmt.Fprintf(&b, "<body a%x=1>", i)
		}
		return b.String() + "x"
	}},
	{"ignored end tags", func(n int) string { return strings.Repeat("a</x>", n/5) }},
	{"tables in tables", func(n int) string { return strings.Repeat("<table><tr><td>", n/15) }},
	{"fostered text", func(n int) string { return "<table>" + strings.Repeat("x<tr>", n/5) }},
	{"misnested", func(n int) string { return strings.Repeat("<b><p></b></p>x", n/15) }},
	{"misnested deep", func(n int) string { return strings.Repeat("<b><i><u><s><p></b></i></u></s>", n/31) }},
	{"one attribute", func(n int) string { return "<a href='" + strings.Repeat("a", n) + "'>x" }},
	{"one comment", func(n int) string { return "<!--" + strings.Repeat("-", n) }},
	{"one script", func(n int) string { return "<script>" + strings.Repeat("<!--", n/4) }},
	{"brackets", func(n int) string { return strings.Repeat("<", n) }},
	{"references", func(n int) string { return strings.Repeat("&#", n/2) }},
	{"long references", func(n int) string { return strings.Repeat("&#00000000000001;", n/17) }},
	{"unclosed select", func(n int) string { return strings.Repeat("<select><option>x", n/17) }},
	{"templates", func(n int) string { return strings.Repeat("<template>", n/10) + "x" }},
	{"templates in svg", func(n int) string { return strings.Repeat("<svg><desc><template>", n/21) + "x" }},
	{"shadow trees", func(n int) string {
		return strings.Repeat("<x-a><template shadowrootmode=open><i><slot></slot></i></template>x</x-a>", n/74)
	}},
	{"shadow trees in slots", func(n int) string {
		return strings.Repeat("<x-a><template shadowrootmode=open><i><slot></slot></i></template>x", n/67)
	}},
	{"shadow trees within", func(n int) string {
		return strings.Repeat("<x-a><template shadowrootmode=open><slot><slot>x", n/48)
	}},
	{"framesets", func(n int) string { return strings.Repeat("<frameset>", n/10) }},
	{"nobr", func(n int) string { return strings.Repeat("<nobr>x", n/7) }},
	{"math", func(n int) string { return strings.Repeat("<math><mi>x", n/11) }},
}

// TestHostile checks that the size of the trees is proportional to that of the
// documents. BenchmarkHostile measures the time.
func TestHostile(t *testing.T) {
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			d := parse(t, h.make(96<<10))
			if nodes, depth := measure(d.Root); nodes > 3<<20 || depth > 513 {
				t.Errorf("%d nodes, %d deep", nodes, depth)
			}
		})
	}
}

// TestAuditKeeps checks that large or malformed pages that are not hostile lose
// nothing.
func TestAuditKeeps(t *testing.T) {
	for _, c := range []struct{ name, body string }{
		{"unclosed fonts in cells", "<table>" + strings.Repeat("<tr><td><font color=red><b>x<td><font color=blue>y", 9000)},
		{"many tags", strings.Repeat("<p>one <b>two</b> <a href=x><i class=y>three</i></a></p>", 20_000)},
		{"links of many attributes", strings.Repeat(`<div><a href="x" class="a b c" data-a="1" data-b="2" title="some words that are long enough"><span>x</span></a></div>`, 10_000)},
		{"list items", "<ul>" + strings.Repeat("<li>x", 255_000)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := parse(t, c.body); d.Lost != nil {
				t.Errorf("lost %v", d.Lost)
			}
		})
	}
}

func TestAttr(t *testing.T) {
	n := &html.Node{Type: html.ElementNode, Data: "a", Attr: []html.Attribute{
		{Namespace: "xlink", Key: "href", Val: "other"},
		{Key: "href", Val: "/x"},
		{Key: "title"},
	}}
	for _, c := range []struct {
		key, want string
		ok        bool
	}{{"href", "/x", true}, {"title", "", true}, {"class", "", false}} {
		if got, ok := dom.LookupAttr(n, c.key); got != c.want || ok != c.ok {
			t.Errorf("LookupAttr(%q) = %q, %v, want %q, %v", c.key, got, ok, c.want, c.ok)
		}
		if got := dom.Attr(n, c.key); got != c.want {
			t.Errorf("Attr(%q) = %q, want %q", c.key, got, c.want)
		}
	}
}

func TestText(t *testing.T) {
	d := parse(t, "<p>one <b>two</b><!-- no --></p><script>three</script>")
	if got, want := dom.Text(d.Root), "one twothree"; got != want {
		t.Errorf("Text = %q, want %q", got, want)
	}
	if got, want := dom.Text(&html.Node{Type: html.TextNode, Data: "x"}), "x"; got != want {
		t.Errorf("Text of a text = %q, want %q", got, want)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"<!doctype html><title>T</title><p>one<p>two", "<table><b id=1><tr><td></b>x<table>", "<svg><![CDATA[ > ]]></svg>",
		"<b a='></b>'>x</b><p>y", "<select><option><div>", "<template><td></template>", "&#7;&#x1F;&#0",
		"<frameset><frame>", "<body a=1><body b=2>", "\xFF\xFE<\x00p\x00>\x00", "<plaintext>x", "<a <a <a", "<math><mi><p>",
		"<x-a><template shadowrootmode=open><p>a<slot>b</slot></template>c", "<svg><desc><template>a",
	} {
		f.Add([]byte(s))
	}
	for _, h := range hostile {
		f.Add([]byte(h.make(300)))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		// Small limits are reached by small documents.
		for _, p := range []dom.Parser{{}, {Bytes: 200, Tags: 20, Attributes: 10}} {
			d, err := p.Parse(t.Context(), body, "")
			if err != nil {
				t.Fatal(err)
			}
			if d.Root == nil || d.Root.Type != html.DocumentNode {
				t.Fatalf("root is %v", d.Root)
			}
			if _, depth := measure(d.Root); depth > 513 {
				t.Errorf("the tree is %d deep", depth)
			}
			for n := range d.Root.Descendants() {
				if n.Type == html.TextNode && strings.ContainsAny(n.Data, "\x00\x01\x07\x08\x0B\x1F") {
					t.Errorf("text %q has a control", n.Data)
				}
			}
		}
	})
}

// page returns a page similar to a news page: 174 KB, a tag every 45 bytes.
func page() []byte {
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page</title></head><body>`)
	for b.Len() < 174_000 {
		b.WriteString(`<div class="story card"><h2 id="s1"><a href="https://example.org/story/one?x=1" class="link">A headline of some length</a></h2>` +
			`<p>Some text with <b>weight</b> and <a href="/x">a link</a>, then rather more of it – with a dash – to the end of the line.</p>` +
			`<i class="icon star"></i><ul><li>one<li>two</ul><img src="/i/1.png" alt="picture"></div>` + "\n")
	}
	return []byte(b.String())
}

// TestAllocations checks the number of allocations of a tree: nodes and
// attributes are allocated in groups, and unchanged text is not copied.
func TestAllocations(t *testing.T) {
	body := page()
	nodes, _ := measure(parse(t, string(body)).Root)
	allocs := testing.AllocsPerRun(10, func() {
		if _, err := dom.Parse(t.Context(), body, ""); err != nil {
			t.Fatal(err)
		}
	})
	t.Logf("%.0f allocations for %d nodes", allocs, nodes)
	if most := float64(nodes) / 50; allocs > most {
		t.Errorf("Parse made %.0f allocations for %d nodes, want at most %.0f", allocs, nodes, most)
	}
}

func BenchmarkParse(b *testing.B) {
	body := page()
	b.Run("dom", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := dom.Parse(b.Context(), body, ""); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("html", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := html.Parse(strings.NewReader(string(body))); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkHostile(b *testing.B) {
	for _, h := range hostile {
		for _, size := range []int{1 << 20, 10 << 20} {
			b.Run(fmt.Sprintf("%s/%dMB", h.name, size>>20), func(b *testing.B) {
				body := []byte(h.make(size))
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := dom.Parse(b.Context(), body, ""); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
