// SPDX-License-Identifier: Apache-2.0

package links_test

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"example.com/curlew/internal/links"
	"example.com/curlew/internal/weburl"
)

func ExampleSource_Scan() {
	u, _ := weburl.Parse("https://example.com/docs/")
	found := links.Source{URL: u}.Scan(`<p>See <a href="intro?a=1&amp;b" rel=NoFollow>the <b>intro</b></a>.<!-- <a href=no> -->`)
	for _, l := range found.Links {
		fmt.Println(l.URL, l.Rel, l.Text)
	}
	// Output: https://example.com/docs/intro?a=1&b nofollow the intro
}

// cases are documents with their links, as path or URL.
var cases = []struct{ text, want string }{
	// spellings
	{`<a href="x">`, "/dir/x"},
	{`<A HREF='x'>`, "/dir/x"},
	{`<a href=x>`, "/dir/x"},
	{"<a\nhref\t=\f'x'>", "/dir/x"},
	{`<a class="a>b" href="x">`, "/dir/x"},
	{`<a/href="x"/>`, "/dir/x"},
	{`<a href=x/>`, "/dir/x/"},
	{`<a href="x" href="y">`, "/dir/x"},
	{`<a =href=x href=y>`, "/dir/y"},
	{`<a href=x"y'z>`, "/dir/x%22y'z"},
	{`<a a"b'c href=x>`, "/dir/x"},
	{`<a href=>`, "/dir/page?q"},
	{`<a href>`, "/dir/page?q"},
	{`<a href="x`, ""},
	{`<a href="x"`, ""},
	{`<a`, ""},
	{`<ahref=x><abbr href=x>`, ""},
	{`<a name=x>`, ""},
	{`< a href=x>`, ""},
	{"<a href=' x\ny\tz\r\n '>", "/dir/xyz"},
	{`<a href="../x"><a href="//o.test/x"><a href="?x"><a href="#x">`, "/x|http://o.test/x|/dir/page?x|/dir/page?q#x"},
	{`<a href="http:/x.test/y"><a href="https:/x.test">`, "http://x.test/y|https://x.test/"},
	{`<a href="mailto:x@y.test"><a href="javascript:x"><a href="http://">`, ""},
	{`<a href="é?ö#ü">`, "/dir/%C3%A9?%C3%B6#%C3%BC"},

	// character references
	{`<a href="?a=1&amp;b=2&#38;c&#x26;d">`, "/dir/page?a=1&b=2&c&d"},
	{`<a href="?a&copy=1&copyx&copy;&copy">`, "/dir/page?a&copy=1&copyx%C2%A9%C2%A9"},
	{`<a href="?&notit;&notin;&unknown;&;&">`, "/dir/page?&notit;%E2%88%89&unknown;&;&"},
	{`<a href="&#47;x&#x2f;y&#47">`, "/x/y/"},
	{`<a href="?&#x80;&#0;&#x110000;&#xD800;&#8;">`, "/dir/page?%E2%82%AC%EF%BF%BD%EF%BF%BD%EF%BF%BD"},
	{`<a href="?&#;&#x;&#xg;&semi;&fjlig;">`, "/dir/page?&#;&#x;&#xg;;fj"},

	// elements
	{`<area href=x><iframe src=y></iframe>`, "/dir/x|/dir/y"},
	{`<link rel=next href=x><link rel="prev foo" href=y><link rel=stylesheet href=z><link href=z><link rel=next>`, "/dir/x|/dir/y"},
	{`<meta http-equiv=Refresh content="5; URL='x'">`, "/dir/x"},
	{`<meta http-equiv=refresh content="0;x">`, "/dir/x"},
	{`<meta http-equiv=refresh content="0,url=x">`, "/dir/x"},
	{`<meta http-equiv=refresh content=".5 url = x ">`, "/dir/x"},
	{`<meta http-equiv=refresh content="1; ur x">`, "/dir/ur%20x"},
	{`<meta http-equiv=refresh content="1; url x">`, "/dir/url%20x"},
	{`<meta http-equiv=refresh content="5">`, ""},
	{`<meta http-equiv=refresh content="x">`, ""},
	{`<meta http-equiv=refresh content="1x">`, ""},
	{`<svg><a href=x><a xlink:href=y><a href=z xlink:href=no></svg>`, "/dir/x|/dir/y|/dir/z"},
	{`<a xlink:href=x><svg><area href=x><link rel=next href=x><base href=/b/></svg><a href=y>`, "/dir/y"},
	{`<math><a href=x></a></math>`, ""},
	{`<img src=x><script src=x></script><form action=x><q cite=x><object data=x>`, ""},
	{`<frameset><frame src=x><frame src=y><a href=z></frameset><frame src=no>`, "/dir/x|/dir/y"},
	{`<body><frame src=x>`, ""},
	{`<noscript><a href=x></noscript>`, "/dir/x"},
	{`<select><option><a href=x></select><table><a href=y><tr><td><a href=z>`, "/dir/x|/dir/y|/dir/z"},

	// text that is not markup
	{`<!-- <a href=x> --><a href=y>`, "/dir/y"},
	{`<!--><a href=x>--><a href=y>`, "/dir/x|/dir/y"},
	{`<!-- --!><a href=x>`, "/dir/x"},
	{`<!-- -- ><a href=x>`, ""},
	{`<! <a href=x><? <a href=y></ <a href=z><a href=w>`, "/dir/w"},
	{`<script><a href=x></script><style><a href=x></style><textarea><a href=x></textarea><title><a href=x></title><a href=y>`, "/dir/y"},
	{`<xmp><a href=x></xmp><iframe><a href=x></iframe><noembed><a href=x></noembed><noframes><a href=x></noframes><a href=y>`, "/dir/y"},
	{`<script></scripty><a href=x></SCRIPT
 ><a href=y>`, "/dir/y"},
	{`<script><!-- <script> </script> <a href=x> --></script><a href=y>`, "/dir/y"},
	{`<script><!-- <script> <a href=x> </script></script><a href=y>`, "/dir/y"},
	{`<script><!-- </script><a href=y>`, "/dir/y"},
	{`<script/><a href=x></script><a href=y>`, "/dir/y"},
	{`<template><a href=x><template></template><a href=x></template><a href=y>`, "/dir/y"},
	{`<template><svg><a href=x></template><a href=y>`, "/dir/y"},
	{`<plaintext><a href=x></plaintext><a href=y>`, ""},
	{`<svg><![CDATA[<a href=x>]]><a href=y></svg><![CDATA[<a href=z>]]>`, "/dir/y"},
	{`<svg><style><a href=x></style><title><a href=y></title></svg>`, "/dir/x|/dir/y"}, // foreign: no raw text
	{`<svg><p><a href=x></svg><style><a href=no></style>`, "/dir/x"},
	{"<a href=x\x00y>", "/dir/x%EF%BF%BDy"},
	{"\uFEFF<frameset><frame src=x>", "/dir/x"},

	// base
	{`<a href=x><base href="/b/"><base href="/c/"><a href=y>`, "/b/x|/b/y"},
	{`<base target=x><base href="http://o.test/d/e"><a href=x>`, "http://o.test/d/x"},
	{`<base href="data:x"><a href=x>`, "/dir/x"},
	{`<template><base href=/b/></template><a href=x>`, "/dir/x"},

	// documents in documents
	{`<iframe srcdoc="<a href='x?a&amp;amp;b'>" src=y></iframe>`, "/dir/x?a&b"},
	{`<base href=/b/><iframe srcdoc="<base href=c/><a href=x>"></iframe><a href=y>`, "/b/c/x|/b/y"},
	{`<iframe src="data:text/html,<a href=x><a href=http://o.test/%20%22>"></iframe>`, "http://o.test/"},
	{`<iframe src=" DATA:text/html;charset=utf-8;base64,PGEgaHJlZj1odHRwOi8vby50ZXN0Lz4="></iframe>`, "http://o.test/"},
	{`<iframe src="data:text/plain,<a href=http://o.test/>"></iframe>`, ""},
	{`<iframe src="data:text/html;base64,%"></iframe>`, ""},
	{`<iframe srcdoc="<meta name=robots content=nofollow><link rel=canonical href=x>"></iframe>`, ""},
}

func short(f links.Found) string {
	var all []string
	for _, l := range f.Links {
		all = append(all, strings.TrimPrefix(l.URL.String(), "http://h.test"))
	}
	return strings.Join(all, "|")
}

func TestLinks(t *testing.T) {
	s := page(t)
	for _, tt := range cases {
		scanned := s.Scan(tt.text)
		if got := short(scanned); got != tt.want {
			t.Errorf("Scan(%q) = %s, want %s", tt.text, got, tt.want)
		}
		root, err := parse(strings.ReplaceAll(strings.TrimPrefix(tt.text, "\uFEFF"), "\x00", "\uFFFD"))
		if err != nil {
			t.Fatal(err)
		}
		tree := s.Tree(root)
		if essence(tree) != essence(scanned) && !scanned.Doubtful {
			t.Errorf("Tree(%q) = %s, want %s", tt.text, short(tree), tt.want)
		}
		if tree.NoFollow || tree.Canonical != "" {
			t.Errorf("Tree(%q) says %+v", tt.text, tree)
		}
	}
}

func TestSource(t *testing.T) {
	s := page(t)
	text := `<a href=x>y</a><meta name=curlew content=noindex>`
	root, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	source := links.Source{URL: s.URL, Agent: "curlew"}
	for name, f := range map[string]links.Found{
		"Tree": source.Tree(root),
		"Scan": source.Scan(text),
	} {
		if short(f) != "/dir/x" || !f.NoIndex || f.NoFollow || f.Links[0].Text != "y" || f.Base != s.URL {
			t.Errorf("%s found %+v", name, f)
		}
	}
}

func TestText(t *testing.T) {
	tests := []struct{ in, want string }{
		{"one", "one"},
		{" one\n\t two  ", "one two"},
		{"<b>one</b> <i>two</i>", "one two"},
		{"<b>o</b>ne", "one"},
		{"a&amp;b&nbsp;&lt;c&copyd", "a&b <c©d"},
		{"one<!-- x -->two", "onetwo"},
		{"<script>x</script><style>x</style><svg><style>x</style><title>icon</title></svg><template>x</template>y", "icony"},
		{"one<a name=x>two", "one"},
		{"a < b <3", "a < b <3"},
		{"<svg><![CDATA[<x>]]></svg>", "<x>"},
		{strings.Repeat("é", 200), strings.Repeat("é", 128)},
		{strings.Repeat("x", 300), strings.Repeat("x", 256)},
		{strings.Repeat("x ", 300), strings.TrimSpace(strings.Repeat("x ", 128))},
	}
	for _, tt := range tests {
		text := "before <a href=x>" + tt.in + "</a> behind"
		root, err := parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for name, f := range map[string]links.Found{"Scan": page(t).Scan(text), "Tree": page(t).Tree(root)} {
			if got := strings.TrimSpace(f.Links[0].Text); got != tt.want {
				t.Errorf("%s: text of %.60q = %q, want %q", name, tt.in, got, tt.want)
			}
		}
	}
}

func TestHeader(t *testing.T) {
	tests := []struct {
		name, value, want string
		noFollow, noIndex bool
	}{
		{name: "Refresh", value: "5; url=x", want: "/dir/x"},
		{name: "Refresh", value: "5"},
		{name: "Link", value: `<x>; rel=next`, want: "/dir/x"},
		{name: "Link", value: `<x>; rel="foo Next"; title="a, <b>; rel=prev", <y>; title*=utf-8''z; rel=next , <z>;rel=preload`, want: "/dir/x|/dir/y"},
		{name: "Link", value: `<x>; rel=prev; rel=next`},
		{name: "Link", value: `<x>`},
		{name: "Link", value: `<x; rel=next`},
		{name: "Link", value: `x; rel=next`},
		{name: "Link", value: `<x,y>; title="\"; rel=no"; rel=next`, want: "/dir/x,y"},
		{name: "Link", value: `<x>; rel="next`, want: "/dir/x"},
		{name: "X-Robots-Tag", value: "nofollow", noFollow: true},
		{name: "X-Robots-Tag", value: "NOINDEX, nofollow", noFollow: true, noIndex: true},
		{name: "X-Robots-Tag", value: "none", noFollow: true, noIndex: true},
		{name: "X-Robots-Tag", value: "Curlew: noindex", noIndex: true},
		{name: "X-Robots-Tag", value: "*: noindex", noIndex: true},
		{name: "X-Robots-Tag", value: "other: noindex, nofollow"},
		{name: "X-Robots-Tag", value: "other: noindex, curlew: nofollow", noFollow: true},
		{name: "X-Robots-Tag", value: "noindex, other: nofollow", noIndex: true},
		{name: "X-Robots-Tag", value: "unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow", noFollow: true},
		{name: "X-Robots-Tag", value: "unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, nofollow", noFollow: true},
		{name: "X-Robots-Tag", value: "other: unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, nofollow"},
		{name: "X-Robots-Tag", value: "max-snippet: 5"},
	}
	for _, tt := range tests {
		s := page(t)
		s.Header = http.Header{tt.name: {tt.value}}
		f := s.Scan("")
		if short(f) != tt.want || f.NoFollow != tt.noFollow || f.NoIndex != tt.noIndex {
			t.Errorf("%s: %s = %s, nofollow %v, noindex %v; want %s, %v, %v", tt.name, tt.value, short(f), f.NoFollow, f.NoIndex, tt.want, tt.noFollow, tt.noIndex)
		}
	}
}

// TestHeaderBase checks that the base element applies to references of the
// document, but not to those of the HTTP header, which are relative to the
// page's own URL (RFC 8288 3.1).
func TestHeaderBase(t *testing.T) {
	const text = `<base href=/other/><a href=z>z</a><iframe srcdoc="<a href=w>w</a>"></iframe>`
	root, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	s := page(t)
	s.Header = http.Header{"Refresh": {"5; url=x"}, "Link": {"<y>; rel=next"}}
	for name, f := range map[string]links.Found{"Scan": s.Scan(text), "Tree": s.Tree(root)} {
		if got, want := short(f), "/dir/x|/dir/y|/other/z|/other/w"; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if got, want := f.Base.Path(), "/other/"; got != want {
			t.Errorf("%s: base %s, want %s", name, got, want)
		}
	}
}

func TestRobots(t *testing.T) {
	tests := []struct {
		text, agent       string
		noFollow, noIndex bool
	}{
		{`<meta name=robots content=nofollow>`, "curlew", true, false},
		{`<META NAME=" Robots " CONTENT="index,NoFollow">`, "", true, false},
		{`<meta name=robots content="all"><meta name=curlew content=none>`, "Curlew", true, true},
		{`<meta name=other content=none>`, "curlew", false, false},
		{`<meta name="" content=none>`, "", false, false},
		{`<meta name=robots content="noindex nofollow">`, "curlew", true, true},
		{`<template><meta name=robots content=none></template>`, "curlew", false, false},
		{`<meta name=robots>`, "curlew", false, false},
	}
	for _, tt := range tests {
		s := page(t)
		s.Agent = tt.agent
		if f := s.Scan(tt.text); f.NoFollow != tt.noFollow || f.NoIndex != tt.noIndex {
			t.Errorf("%s for %q: nofollow %v, noindex %v, want %v, %v", tt.text, tt.agent, f.NoFollow, f.NoIndex, tt.noFollow, tt.noIndex)
		}
	}
}

func TestCanonical(t *testing.T) {
	for text, want := range map[string]string{
		`<link rel=canonical href=x><link rel=canonical href=y>`: "http://h.test/dir/x",
		`<base href=/b/><link rel="Canonical foo" href=x>`:       "http://h.test/b/x",
		`<link rel=canonical href="mailto:x">`:                   "",
		`<link rel=canonical>`:                                   "",
	} {
		f := page(t).Scan(text)
		if f.Canonical != want || len(f.Links) != 0 {
			t.Errorf("canonical of %s = %q and %d links, want %q", text, f.Canonical, len(f.Links), want)
		}
	}
}

func TestRefused(t *testing.T) {
	f := page(t).Scan(`<a href="mailto:x"><a href="http://[x"><a href=x>`)
	if f.Refused != 1 || f.Schemes != 1 || len(f.Links) != 1 {
		t.Errorf("%d refused, %d of other schemes, %d links; want 1, 1, 1", f.Refused, f.Schemes, len(f.Links))
	}
}

// TestEncoder checks that queries are encoded in the charset of the page, and
// paths in UTF-8.
func TestEncoder(t *testing.T) {
	s := page(t)
	s.Encoder = func(dst []byte, text string) ([]byte, int) {
		for i, r := range text {
			if r > 0xFF {
				return dst, i
			}
			dst = append(dst, byte(r)) // ISO 8859-1
		}
		return dst, len(text)
	}
	f := s.Scan(`<a href="é?é&#x2603;">`)
	if got, want := short(f), "/dir/%C3%A9?%E9%26%239731%3B"; got != want {
		t.Errorf("links %s, want %s", got, want)
	}
}

func TestDoubtful(t *testing.T) {
	tests := []struct {
		text string
		want bool
	}{
		{`<svg><path/><g></g><title>x</title><a href=x></a></svg>`, false},
		{`<svg><foreignObject><div><div></div></div></foreignObject><a href=x></svg>`, false},
		{`<svg><foreignObject><a href=x></a></foreignObject></svg>`, true},
		{`<div><svg></div><a href=x>`, true},
		{`<p><svg></p><a href=x>`, false},
		{`<body>text<frameset>`, true},
		{`<head><title>x</title></head><frameset>`, false},
		{`<math><mi>x</mi><mo>+</mo></math>`, false},
		{`<table><base href=/x/><td><base href=/y/></table>`, true},
		{"<svg>" + strings.Repeat("<g>", 200), true},
		{"<a" + strings.Repeat(" b", 2000) + " href=x>", true},
	}
	for _, tt := range tests {
		if got := page(t).Scan(tt.text).Doubtful; got != tt.want {
			t.Errorf("Scan(%.60q) doubtful: %v, want %v", tt.text, got, tt.want)
		}
	}
}

func TestCut(t *testing.T) {
	f := page(t).Scan(strings.Repeat("<a href=x>y</a>", 99_999) + `<iframe srcdoc="<a href=x><a href=x>"></iframe><a href=x>`)
	if len(f.Links) != 100_000 || f.Cut != 2 {
		t.Errorf("%d links and %d more, want 100,000 and 2", len(f.Links), f.Cut)
	}
	f = page(t).Scan(strings.Repeat("<a href=x>", 100_000))
	if len(f.Links) != 100_000 || f.Cut != 0 {
		t.Errorf("%d links and %d more, want 100,000 and none", len(f.Links), f.Cut)
	}
}

// TestHostile checks that time and memory are linear. Otherwise it would take
// hours.
func TestHostile(t *testing.T) {
	const size = 1 << 20
	for _, piece := range []string{
		"<", "<a ", "<a href=", "<a href=x>", "<a href='", "</", "<!--", "<!-- -- ", "<script>", "<script><!--", "<script><!--<script>",
		"<svg>", "<svg><g>", "<svg><g></x>", "<![CDATA[", "<svg><![CDATA[", "<template>", "<iframe srcdoc='", "<iframe srcdoc=&lt;a>",
		"<iframe src=data:text/html,%3Ca>", "<title>", "</title ", "&", "&amp", "<a href=&amp&amp>", "<base href=x>", "<frameset>", "<a b c d e f>",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		page(t).Scan(strings.Repeat(piece, size/len(piece)))
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 64*size {
			t.Errorf("%q allocated %d MiB for 1 MiB", piece, n>>20)
		}
	}
	// A document in a document in a document, escaped at each level.
	text := "<a href=x>"
	for range 8 {
		text = `<iframe srcdoc="` + strings.NewReplacer("&", "&amp;", `"`, "&quot;").Replace(text) + `"></iframe><a href=y>`
	}
	if got, want := short(page(t).Scan(text)), "/dir/y|/dir/y|/dir/y|/dir/y"; got != want {
		t.Errorf("nested documents: %s, want %s", got, want)
	}
}
