// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/format"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/test/golden"
)

const pageURL = "https://birds.example/a/page?x=1"

func tree(t testing.TB, src string) *html.Node {
	t.Helper()
	d, err := dom.Parse(t.Context(), []byte(src), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	return d.Root
}

// build makes all forms of the page src.
func build(t testing.TB, src string, o format.Options) *format.Document {
	t.Helper()
	if o.Forms == nil {
		o.Forms = []format.Form{format.Markdown, format.HTML, format.RawHTML, format.Links, format.Images}
	}
	d, err := format.Build(t.Context(), &format.Input{Root: tree(t, src), Raw: src, URL: pageURL}, &o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func selectors(t testing.TB, texts ...string) []format.Selector {
	t.Helper()
	var all []format.Selector
	for _, s := range texts {
		sel, err := format.ParseSelector(s)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, sel)
	}
	return all
}

func encode(t testing.TB, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// long is a text that is much longer than the other elements in tests.
var long = "<p>" + strings.Repeat("Curlews call at dawn over the moor. ", 20) + "</p>"

// TestRefresh names the page to which a page with hardly any text sends browsers.
func TestRefresh(t *testing.T) {
	const nothing = "The page has no content: neither text nor images."
	const other = "The page sends its readers on to https://birds.example/a/new, which was not read."
	for _, test := range []struct{ head, body, want string }{
		{`<meta http-equiv=Refresh content="0; URL='new'">`, "", other + " " + nothing},
		{`<base href="/b/"><meta http-equiv=refresh content="5;/a/new">`, "", other + " " + nothing},
		{`<meta http-equiv=refresh content="30">`, "", nothing},
		{`<meta http-equiv=refresh content="30;url=">`, "", nothing},
		{`<meta http-equiv=refresh content="0;url=javascript:x()">`, "", nothing},
		{`<noscript><meta http-equiv=refresh content="0;url=new"></noscript>`, "", nothing},
		{`<meta http-equiv=refresh content="300;url=new">`, long, ""},
		{`<meta http-equiv=refresh content="3;url=new">`, "<p>You will be there soon.</p>", other},
		{`<meta http-equiv=refresh content="3;url=new">`, "<div id=root></div><script src=a.js></script>", other + " The page seems to need JavaScript: its HTML has hardly any text."},
	} {
		in := &format.Input{Root: tree(t, "<head>"+test.head+"</head>"+test.body), URL: pageURL}
		d, err := format.Build(t.Context(), in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if d.Warning != test.want {
			t.Errorf("%s: %q, want %q", test.head, d.Warning, test.want)
		}
	}
}

func TestMembers(t *testing.T) {
	in := &format.Input{Root: tree(t, ""), URL: pageURL}
	for _, test := range []struct {
		forms []format.Form
		want  string
	}{
		{nil, `{"markdown":"","metadata":{"url":"https://birds.example/a/page?x=1"},"warning":"The page has no content: neither text nor images."}`},
		{[]format.Form{}, `{"metadata":{"url":"https://birds.example/a/page?x=1"}}`},
		{[]format.Form{format.Links, format.Images, format.RawHTML}, `{"rawHtml":"","links":[],"images":[],"metadata":{"url":"https://birds.example/a/page?x=1"}}`},
	} {
		d, err := format.Build(t.Context(), in, &format.Options{Forms: test.forms})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(encode(t, d)); got != test.want {
			t.Errorf("%v: got %s, want %s", test.forms, got, test.want)
		}
	}
}

func TestErrors(t *testing.T) {
	in := &format.Input{Root: tree(t, long), URL: pageURL}
	if _, err := format.Build(t.Context(), in, &format.Options{Forms: []format.Form{"screenshot"}}); !errors.Is(err, format.ErrForm) {
		t.Errorf("screenshot: got %v, want ErrForm", err)
	} else if got, want := err.Error(), "format screenshot: form is not supported"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	stop(cause)
	if _, err := format.Build(ctx, in, nil); !errors.Is(err, cause) {
		t.Errorf("cancelled: got %v, want %v", err, cause)
	}
	if d, err := format.Build(t.Context(), &format.Input{}, nil); err != nil || *d.Markdown != "" {
		t.Errorf("no tree: got %v, %v", d, err)
	}
}

func TestSelectors(t *testing.T) {
	for _, s := range []string{"", "p >", "[", "p::before", ":nope", strings.Repeat("a", 1025), "\xff("} {
		_, err := format.ParseSelector(s)
		if e, ok := errors.AsType[*format.Error](err); !ok || !errors.Is(err, format.ErrSelector) || e.Selector != s {
			t.Errorf("ParseSelector(%q) = %v, want an *Error that wraps ErrSelector", s, err)
		}
	}
	if got := selectors(t, "p > a, .b")[0].String(); got != "p > a, .b" {
		t.Errorf("String() = %q", got)
	}
}

// TestBrokenForm builds from a tree that no parser makes and that HTML cannot
// express. The form that fails is empty and a warning names it. The other forms
// are made.
func TestBrokenForm(t *testing.T) {
	br := &html.Node{Type: html.ElementNode, Data: "br", DataAtom: atom.Br}
	br.AppendChild(&html.Node{Type: html.TextNode, Data: "in a break"})
	root := tree(t, "<p>a</p>")
	root.LastChild.LastChild.AppendChild(br)
	d, err := format.Build(t.Context(), &format.Input{Root: root}, &format.Options{Forms: []format.Form{format.HTML, format.Markdown}})
	if err != nil {
		t.Fatal(err)
	}
	if *d.HTML != "" || *d.Markdown != "a\n" || d.Warning != "The html could not be made." {
		t.Errorf("got %q, %q, %q", *d.HTML, *d.Markdown, d.Warning)
	}
}

// TestPanic builds from a tree with invalid parts.
func TestPanic(t *testing.T) {
	loose := &html.Node{Type: html.ElementNode, Data: "p", DataAtom: atom.P}
	root := &html.Node{Type: html.DocumentNode, FirstChild: loose, LastChild: loose}
	d, err := format.Build(t.Context(), &format.Input{Root: root, Raw: "raw"}, &format.Options{Forms: []format.Form{format.RawHTML, format.Markdown}})
	if err != nil {
		t.Fatal(err)
	}
	if *d.RawHTML != "raw" || d.Markdown == nil || !strings.Contains(d.Warning, "could not be made.") {
		t.Errorf("got %q and %q", *d.RawHTML, d.Warning)
	}
}

// TestView checks the visible content by the words of the Markdown.
func TestView(t *testing.T) {
	for _, test := range []struct {
		name, src string
		o         format.Options
		in, ex    []string
		want      string
		warning   string
	}{
		{name: "silent", src: "<p>a<script>b</script><style>c</style><template>d</template><select><option>e</select><textarea>f</textarea><input value=g><button>h</button><noscript>i</noscript><object>j</object><!-- k -->", want: "a\n\nj", warning: "Left out of the content: values of fields (2) with 2 words."},
		{name: "hidden", src: "<p>a<span hidden>b</span><span aria-hidden=true>c</span><span style='color:red;DISPLAY : none !important'>d</span><span style='visibility:hidden'>e</span>", want: "a"},
		{name: "not hidden", src: "<div role=tabpanel hidden>a</div><div class='x tab-pane' style='display:none'>b</div><button aria-controls=p></button><div id=p hidden>c</div><p hidden=until-found>d</p><p style='x-display:none'>e</p>", want: "a\n\nb\n\nc\n\nd\n\ne"},
		{name: "noscript that is the page", src: "<div id=app></div><noscript><h1>a</h1>" + strings.Repeat("<p>b c d e f g h</p>", 60) + "</noscript>", in: []string{"h1"}, want: "# a"},
		{name: "accordion", src: "<h3><span><button>a</button></span></h3>", want: "### a"},
		{name: "ads", src: long + "<div class='ad-slot'>AD</div><ins class=adsbygoogle>AD</ins><div id=div-gpt-ad-1>AD</div><p class=add>a</p><a href='https://x.doubleclick.net/'>AD</a>", o: format.Options{WholePage: true}, ex: []string{"p:not(.add)"}, want: "a"},
		{name: "ads kept", src: "<div class='ad-slot'>AD</div>" + long, o: format.Options{WholePage: true, KeepAds: true}, ex: []string{"p"}, want: "AD"},
		{name: "an ad that is the whole page stays", src: "<div class=ad>a</div>", want: "a"},
		{name: "main content", src: "<nav>b</nav><main>" + long + "<p id=p>a</p></main><footer>c</footer>", ex: []string{"p:not(#p)"}, want: "a"},
		{name: "whole page", src: "<nav>b</nav><p>a</p>", o: format.Options{WholePage: true}, want: "b\n\na"},
		{name: "never empty", src: "<nav>b</nav>", want: "b", warning: "The main content is empty: the whole page is returned."},
		{name: "exclude wins over never empty", src: "<nav>b</nav><footer>c</footer>", ex: []string{"nav"}, want: "c", warning: "The main content is empty: the whole page is returned."},
		{name: "exclude everything", src: "<p>b", ex: []string{"p"}, want: "", warning: "Nothing is left of the page with the tags that are included and excluded."},
		{name: "an image is not empty", src: "<nav>b</nav><img src=a.png>", want: "![](https://birds.example/a/a.png)"},
		{name: "include", src: long + "<p class=a>a</p><b>b</b>", in: []string{".a", "b"}, want: "a\n\n**b**"},
		{name: "include in include", src: "<div><p>a<b>b</b></div>", in: []string{"b", "div"}, want: "a**b**"},
		{name: "include beats the filter", src: long + "<nav>a</nav>", in: []string{"nav"}, want: "a"},
		{name: "the filter below include", src: long + "<footer>a<nav>b</nav></footer>", in: []string{"footer"}, want: "a"},
		{name: "include of hidden", src: "<p hidden class=a>a</p>", in: []string{".a"}, want: "", warning: "Nothing matches includeTags."},
		{name: "exclude wins", src: "<p class=a>a</p><p class='a b'>b</p>", in: []string{".a"}, ex: []string{".b"}, want: "a"},
		{name: "exclude in include", src: "<div>a<b>b</b></div>", in: []string{"div"}, ex: []string{"b"}, want: "a"},
		{name: "include nothing", src: long, in: []string{"h9"}, want: "", warning: "Nothing matches includeTags."},
		{name: "include images", src: "<p><img src=a><img src=b>", in: []string{"img"}, want: "![](https://birds.example/a/a) ![](https://birds.example/a/b)"},
		{name: "include items", src: "<ol><li>a<li>b</ol><ul><li>c</ul>", in: []string{"li"}, want: "1. a\n2. b\n\n- c"},
		{name: "include rows", src: "<table><tr><th>a<th>b<tr><td>c<td>d</table>", in: []string{"tr"}, want: "| a | b |\n| --- | --- |\n| c | d |"},
		{name: "include cells", src: "<table><tr><th>a<th>b<tr><td>c<td>d</table>", in: []string{"th"}, want: "| a | b |\n| --- | --- |"},
	} {
		test.o.Include, test.o.Exclude = selectors(t, test.in...), selectors(t, test.ex...)
		d := build(t, test.src, test.o)
		if got := strings.TrimSuffix(*d.Markdown, "\n"); got != test.want || d.Warning != test.warning {
			t.Errorf("%s: got %q and %q, want %q and %q", test.name, got, d.Warning, test.want, test.warning)
		}
	}
}

func TestNotWeb(t *testing.T) {
	in := &format.Input{Root: tree(t, "<footer>a</footer><p>b"), NotWeb: true, SourceURL: "a.pdf", Title: "T", Author: "A", Subject: "S", Keywords: "K", Language: "en", Pages: 2, TotalPages: 3}
	d, err := format.Build(t.Context(), in, nil)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"markdown":"a\n\nb\n","metadata":{"title":"T","description":"S","language":"en","keywords":"K","sourceURL":"a.pdf","numPages":2,"totalPages":3,"author":"A"}}`
	if got := strings.TrimSpace(encode(t, d)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestVerbatim(t *testing.T) {
	for _, test := range []struct {
		in   format.Input
		want string
	}{
		{format.Input{Raw: "# a *b\n", Verbatim: true}, "# a *b\n"},
		{format.Input{Raw: `{"b":1,"a":[1.0,{}]}`, Lang: "json"}, "```json\n{\n  \"b\": 1,\n  \"a\": [\n    1.0,\n    {}\n  ]\n}\n```\n"},
		{format.Input{Raw: "{nope\n", Lang: "json"}, "```json\n{nope\n```\n"},
		{format.Input{Raw: "<a>```</a>", Lang: "xml"}, "````xml\n<a>```</a>\n````\n"},
	} {
		d, err := format.Build(t.Context(), &test.in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if *d.Markdown != test.want {
			t.Errorf("got %q, want %q", *d.Markdown, test.want)
		}
	}
	// Indented, this would have a size of gigabytes.
	deep := strings.Repeat("[", 9000) + strings.Repeat("1,", 100_000) + "1" + strings.Repeat("]", 9000)
	d, err := format.Build(t.Context(), &format.Input{Raw: deep, Lang: "json"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(*d.Markdown) > 2*len(deep) {
		t.Errorf("%d bytes became %d", len(deep), len(*d.Markdown))
	}
}

func TestHTML(t *testing.T) {
	for _, pair := range [][2]string{
		{`<p class=c id=i data-x=y style="color:red" onclick="x()" ONLOAD=x nonce=n>a`, `<p class="c" id="i" data-x="y">a</p>`},
		{`<a href="../b?q=a+b&amp;c">x</a><a href=" java&#9;script:x()">y</a><a href="data:text/html,x">z</a>`, `<a href="https://birds.example/b?q=a+b&amp;c">x</a><a>y</a><a>z</a>`},
		{`<iframe src="/f" srcdoc="<script>"><p>x</p></iframe>`, `<div></div>`}, // browsers show srcdoc instead of src
		{`<form action="javascript:x"><input type=text><label>a</label></form>`, `<form><label>a</label></form>`},
		{`<picture><source srcset="/l.webp 2x"><img src=s.png sizes=1 srcset="m.png 1.5x" data-src=l alt=a></picture>`, `<picture><img src="https://birds.example/l.webp" alt="a"/></picture>`},
		{`<img src="data:image/gif;base64,R0" alt=a>`, `<img src="" alt="a"/>`},
		{`<img src="data:image/gif;base64,R0" data-src="/a.png">`, `<img src="https://birds.example/a.png"/>`},
		{`<img src=p width=1 height=1><img src=q width=1>`, `<img src="https://birds.example/a/q" width="1"/>`},
		{`<table><tr><td style="text-align: Right; x">a<td align=left style="text-align:right">b</table>`, `<table><tbody><tr><td align="right">a</td><td align="left">b</td></tr></tbody></table>`},
		{`<xmp><script>x</script></xmp>`, `<pre>&lt;script&gt;x&lt;/script&gt;</pre>`},
		{`<svg><a xlink:href="javascript:x"><set attributeName=href to="javascript:x"/><text onclick=x>a</text></a></svg>`, `<svg><a><text>a</text></a></svg>`},
	} {
		d := build(t, pair[0], format.Options{WholePage: true})
		if got, want := *d.HTML, "<html><body>"+pair[1]+"</body></html>"; got != want {
			t.Errorf("%s\ngot  %s\nwant %s", pair[0], got, want)
		}
		if *d.RawHTML != pair[0] {
			t.Errorf("rawHtml is %q", *d.RawHTML)
		}
	}
}

func TestLinks(t *testing.T) {
	const src = `<base href="/b/"><main><a href="c">1</a><a href="#x">2</a><a href="c">3</a><a href="">4</a><a href="javascript:x">5</a>
<a href="mailto:a@b.example">6</a><a href="tel:+44">7</a><map><area href="http:/d.example/e f"></map><a href="https://f.example/50%off?a=[b]">8</a><a href="blob:x">9</a></main>
<nav><a href="/nav">10</a></nav>` + "<main>"
	d := build(t, src+long, format.Options{Include: selectors(t, "main")}) // a list of links is not main content
	want := []string{"https://birds.example/b/c", "mailto:a@b.example", "tel:+44", "http://d.example/e%20f", "https://f.example/50%off?a=[b]"}
	if diff := cmp.Diff(want, d.Links); diff != "" {
		t.Error(diff)
	}
	in := &format.Input{Root: tree(t, `<a href="rel">a</a><a href="https://a.example">b</a>`), SourceURL: "x.html"}
	d, err := format.Build(t.Context(), in, &format.Options{Forms: []format.Form{format.Links, format.Markdown}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"https://a.example"}, d.Links); diff != "" {
		t.Errorf("without a base: %s", diff)
	}
	if got, want := *d.Markdown, "[a](rel) [b](https://a.example)\n"; got != want {
		t.Errorf("without a base: %q, want %q", got, want)
	}
}

func TestImages(t *testing.T) {
	const src = `<head><meta property="og:image" content="/og.png"><meta name="twitter:image" content="/tw.png"><meta itemprop=image content="/it.png">
<link rel="shortcut icon" href="/i.ico"><link rel=apple-touch-icon href="/t.png"><link rel=image_src href="/src.png"></head><body>
<img src="/a.png" srcset="/a,b.png 100w, /a2.png 200w,"><img data-src="/lazy.png" src="data:image/gif;base64,R0"><img src=/a2.png>
<img src="data:image/png;base64,AA"><noscript><img src="/no.png"></noscript><img src="data:image/png;base64,BB">
<video poster="/p.png"></video><div style="background: #fff url( '/bg.png' )">x</div>`
	for _, test := range []struct {
		o    format.Options
		want []string
	}{
		{format.Options{}, []string{"/a2.png", "/lazy.png", "/no.png", "/p.png", "/bg.png", "/og.png", "/tw.png", "/it.png", "/src.png"}},
		{format.Options{WholePage: true}, []string{"/a2.png", "/lazy.png", "/no.png", "/p.png", "/bg.png", "/og.png", "/tw.png", "/it.png", "/src.png", "/i.ico", "/t.png"}},
		{format.Options{KeepDataImages: true}, []string{"/a2.png", "/lazy.png", "/no.png", "data:image/png;base64,BB", "/p.png", "/bg.png", "/og.png", "/tw.png", "/it.png", "/src.png"}},
	} {
		d := build(t, src, test.o)
		for i, s := range test.want {
			if s[0] == '/' {
				test.want[i] = "https://birds.example" + s
			}
		}
		if diff := cmp.Diff(test.want, d.Images); diff != "" {
			t.Errorf("%+v: %s", test.o, diff)
		}
		placeholder := strings.Contains(*d.Markdown, "![](<Base64-Image-Removed>)")
		if placeholder == test.o.KeepDataImages {
			t.Errorf("%+v: placeholder: %v in %s", test.o, placeholder, *d.Markdown)
		}
	}
}

// TestShared builds from one tree concurrently and checks that the tree does
// not change. Run it with the race detector.
func TestShared(t *testing.T) {
	data, err := os.ReadFile(golden.Testdata("format/page.html"))
	if err != nil {
		t.Fatal(err)
	}
	root := tree(t, string(data))
	serialise := func() string {
		var b strings.Builder
		if err := html.Render(&b, root); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	before := serialise()
	in := &format.Input{Root: root, Raw: string(data), URL: pageURL}
	o := &format.Options{Forms: []format.Form{format.Markdown, format.HTML, format.Links, format.Images}, Exclude: selectors(t, ".x", "p:has(b)")}
	var results [8]string
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			d, err := format.Build(t.Context(), in, o)
			if err != nil {
				t.Error(err)
				return
			}
			results[i] = encode(t, d)
		})
	}
	wg.Wait()
	for _, r := range results {
		if r != results[0] {
			t.Errorf("%s\nand\n%s", r, results[0])
		}
	}
	if serialise() != before {
		t.Error("the tree was changed")
	}
}

// TestNoise checks that irrelevant changes of a page do not change its
// Markdown.
func TestNoise(t *testing.T) {
	page := func(noise string) string {
		return "<body><main><h1>T</h1>" + long + noise + "<ul><li>a<li>b</ul>" + noise + long + "</main>" + noise
	}
	want := *build(t, page(""), format.Options{}).Markdown
	for _, noise := range []string{
		"<nav><a href=/>Home</a></nav>", "<!-- c -->", "<div hidden>x</div>", "<div style='display:none'><p>x</p></div>",
		"<ins class=adsbygoogle>x</ins>", "<script>x</script>", "<div class=cookie-banner>We use cookies</div>", "<footer>x</footer>", " \n ",
		"<img src=x width=1 height=1>", "<div></div>", "<form><input><button>Go</button></form>",
	} {
		if got := *build(t, page(noise), format.Options{}).Markdown; got != want {
			t.Errorf("%s: %s", noise, cmp.Diff(want, got))
		}
	}
	a := *build(t, page("<i class=a>a</i><i class=b>b</i>"), format.Options{Exclude: selectors(t, ".a", ".b")}).Markdown
	b := *build(t, page("<i class=a>a</i><i class=b>b</i>"), format.Options{Exclude: selectors(t, ".b", ".a")}).Markdown
	if a != b {
		t.Errorf("the order of selectors: %s", cmp.Diff(a, b))
	}
}

// TestGolden makes every form of the pages in testdata/format.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob(golden.Testdata("format/page*.html"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for suffix, o := range map[string]format.Options{"json": {}, "whole.json": {WholePage: true, KeepAds: true}} {
			o.Forms = []format.Form{format.Markdown, format.HTML, format.Links, format.Images}
			var b bytes.Buffer
			e := json.NewEncoder(&b)
			e.SetEscapeHTML(false)
			e.SetIndent("", "  ")
			if err := e.Encode(build(t, string(data), o)); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, strings.TrimSuffix(file, "html")+suffix, b.Bytes())
		}
	}
}
