// SPDX-License-Identifier: Apache-2.0

package content_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/format/internal/content"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/test/golden"
)

// parsed is a parsed page with its index.
type parsed struct {
	root *html.Node
	ix   *content.Index
}

func parse(t testing.TB, src string) parsed {
	t.Helper()
	doc, err := dom.Parse(t.Context(), []byte(src), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	return parsed{doc.Root, content.MustRead(doc.Root)}
}

const (
	menu      = `<nav class="main-nav"><ul><li><a href="/">Home</a><li><a href="/news">News</a><li><a href="/about">About</a><li><a href="/contact">Contact</a></ul></nav>`
	footer    = `<footer class="site-footer"><p>Copyright of the makers</p><a href="/imprint">Imprint</a> <a href="/terms">Terms</a></footer>`
	paragraph = `<p>The harbour lay still in the morning, and the boats that had come in at night were being unloaded, crate by crate, onto the wet stones of the quay.</p>`
)

func page(title, body string) string {
	return "<!doctype html><html><head><title>" + title + "</title></head><body>" + menu + body + footer + "</body></html>"
}

func TestMainContent(t *testing.T) {
	prose := strings.Repeat(paragraph, 6)
	for _, test := range []struct {
		name, src    string
		with, unlike []string
	}{
		{
			"article",
			page("Morning", `<main><article><h1>Morning in the harbour</h1>`+prose+`<figure><img src=a.jpg><figcaption>The quay</figcaption></figure>`+prose+
				`</article><aside class="related-posts"><h3>Related</h3><ul><li><a href=/1>One thing</a><li><a href=/2>Another</a><li><a href=/3>A third</a></ul></aside></main>`),
			[]string{"The harbour lay still", "unloaded"},
			[]string{"Imprint", "Contact", "Another"},
		},
		{
			"comments",
			page("Morning", `<div class="post"><h1>Morning</h1><div class="entry-content">`+prose+prose+`</div></div><div id="comments" class="comments-area"><h2>2 comments</h2><ol class="comment-list"><li class="comment"><p class="comment-author">Ann</p><p>Lovely.</p></li></ol></div>`),
			[]string{"The harbour lay still"},
			[]string{"Imprint", "Lovely."},
		},
		{
			"documentation",
			page("Install", `<div class="sidebar"><ul><li><a href=/a>Start</a><li><a href=/b>Guides</a><li><a href=/c>Reference</a></ul></div><main class="markdown-body"><h1>Install</h1>`+prose+`<pre><code>go get example.com/x</code></pre>`+prose+`</main>`),
			[]string{"go get example.com/x", "The harbour"},
			[]string{"Guides", "Imprint"},
		},
		{
			"notice in the middle",
			page("Morning", `<main><article><h1>Morning in the harbour</h1>`+prose+`<div class="cookie-banner">We use cookies</div>`+prose+`</article></main>`),
			[]string{"The harbour lay still"},
			[]string{"We use cookies"},
		},
		{
			"script would show it",
			`<html><body><div id=app></div><div hidden id="S:0"><article><h1>Late</h1>` + prose + `</article></div></body></html>`,
			[]string{"The harbour"},
			nil,
		},
		{
			"noscript is the page",
			`<html><body><div id=app>Loading</div><noscript><div class="post"><h1>Forum</h1>` + prose + `</div></noscript></body></html>`,
			[]string{"The harbour"},
			nil,
		},
	} {
		p := parse(t, test.src)
		m := p.ix.MustMain(p.ix.NewSet(), "https://example.com/news/morning-in-the-harbour")
		got := kept(p.ix, m.Drop)
		for _, s := range test.with {
			if !strings.Contains(got, s) {
				t.Errorf("%s: %q is missing in %.300q", test.name, s, got)
			}
		}
		for _, s := range test.unlike {
			if strings.Contains(got, s) {
				t.Errorf("%s: %q is in %.300q", test.name, s, got)
			}
		}
		if m.Confidence < 0 || m.Confidence > 1 || m.Kind < 0 || m.Kind >= content.Kinds {
			t.Errorf("%s: confidence %v, kind %d", test.name, m.Confidence, m.Kind)
		}
	}
}

// TestRefuse checks which blocks are never content, whatever the model says of them. The
// class names of some content management systems begin with cmp, which is also the name of
// programs for consent.
func TestRefuse(t *testing.T) {
	for _, c := range []struct {
		name, block string
		kept        bool
	}{
		{"a notice", "<div class=cookie-banner>MARK we use some cookies</div>", false},
		{"a notice of a program for consent", "<div class='cmp-banner consent'>MARK we use some cookies</div>", false},
		{"a component", "<div class='cmp-teaser banner'>MARK our services for you</div>", true},
		{"a label in a menu", "<nav><a href=/a>MARK us</a></nav>", false},
		{"a text in a menu", "<nav><p>MARK our services for you</p></nav>", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPage(t, "<body><main>"+prose+prose+c.block+prose+"</main>")
			i := 0
			for !strings.Contains(p.Text(i), "MARK") {
				i++
			}
			if !p.Blocks[i].Stripped() {
				t.Fatal("Strip leaves the block, so that this case checks nothing: choose another one")
			}
			keep := slices.Repeat([]bool{true}, len(p.Blocks))
			p.Refuse(keep)
			if keep[i] != c.kept || !keep[0] {
				t.Errorf("the block is kept: %v, want %v; the first paragraph: %v", keep[i], c.kept, keep[0])
			}
		})
	}
}

// TestMainDrop checks that nodes which the caller has dropped are not content, and that the
// caller's set does not change.
func TestMainDrop(t *testing.T) {
	p := parse(t, page("Morning", `<article>`+strings.Repeat(paragraph, 5)+`<p id=x>MARK is a word that stands in one paragraph and nowhere else.</p></article>`))
	drop := p.ix.NewSet()
	for id := range p.ix.Len() {
		if n := p.ix.Nodes[id]; n.Data == "p" && slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "id" }) {
			drop.AddRange(id, p.ix.End[id])
		}
	}
	before := drop.Clone()
	m := p.ix.MustMain(drop, "")
	if got := kept(p.ix, m.Drop); strings.Contains(got, "MARK") || !strings.Contains(got, "harbour") {
		t.Errorf("kept %.200q", got)
	}
	if !slices.Equal(drop, before) {
		t.Error("the caller's set is changed")
	}
}

func TestMainEmpty(t *testing.T) {
	for _, src := range []string{"", "<p>", "<img src=a.png>", "<nav>x</nav>", "<div><div></div></div>", "<table><tr><td></table>"} {
		p := parse(t, src)
		m := p.ix.MustMain(p.ix.NewSet(), "")
		strip := p.ix.NewSet()
		p.ix.Strip(0, strip)
		if m.Confidence < .5 && !slices.Equal(m.Drop, strip) {
			t.Errorf("%q: in doubt, and not the strip", src)
		}
	}
}

// TestRows checks that each row of a table is kept or dropped as a whole.
func TestRows(t *testing.T) {
	var rows strings.Builder
	for i := range 30 {
		fmt.Fprintf(&rows, "<tr><td>%d</td><td>A sentence about the number that stands at its left, and a comma.</td><td><a href=/%d>more</a></td></tr>", i, i)
	}
	p := parse(t, page("Numbers", "<main><h1>Numbers</h1>"+paragraph+"<table>"+rows.String()+"</table>"+paragraph+"</main>"))
	m := p.ix.MustMain(p.ix.NewSet(), "")
	for id := range p.ix.Len() {
		if p.ix.Nodes[id].Data != "tr" {
			continue
		}
		cells := 0
		for c := id; c < p.ix.End[id]; c++ {
			if p.ix.Nodes[c].Data == "td" && !m.Drop.Has(c) {
				cells++
			}
		}
		if cells != 0 && cells != 3 {
			t.Errorf("a row has %d cells", cells)
		}
	}
}

func TestRead(t *testing.T) {
	long := strings.Repeat("long text ", 200)
	for _, test := range []struct {
		name, src string
		shown     bool // the word MARK
	}{
		{"plain", "<p>MARK", true},
		{"hidden", "<p hidden>MARK</p>" + long, false},
		{"style", "<p style='color: red; display : NONE !important'>MARK</p>" + long, false},
		{"visibility", "<p style=visibility:hidden>MARK</p>" + long, false},
		{"found by search", "<p hidden=until-found>MARK</p>" + long, true},
		{"aria", "<p aria-hidden=TRUE>MARK</p>" + long, false},
		{"copy of a slide", "<div class='swiper-slide swiper-slide-duplicate'>MARK</div>" + long, false},
		{"copy of an owl's slide", "<div class='owl-item cloned'>MARK</div>" + long, false},
		{"other clones", "<div class='cloned swiper-slide-duplicate-prev'>MARK</div>" + long, true},
		{"tab panel", "<div hidden role=tabpanel>MARK</div>" + long, true},
		{"controlled", "<a aria-controls='x y'>go</a><div hidden id=y>MARK</div>" + long, true},
		{"menus", strings.Repeat("<div>Where?</div><div class=a style=display:none><a href=/x>MARK On the moor, beside the river.</a></div>", 3) + long, false},
		{"faults of a form", "<form>" + strings.Repeat("<b>Name</b><p style=display:none>MARK This name is too short for us.</p>", 3) + "</form>" + long, false},
		{"help of labels", strings.Repeat("<label>Name</label><p style=display:none>MARK This name is too short for us.</p>", 3) + long, false},
		{"bootstrap", "<div style=display:none class='tab-pane fade'>MARK</div>" + long, true},
		{"most of the page", "<div style=visibility:hidden>MARK " + long + "</div><p>x", true},
		{"most of the page, but a menu", "<div style=display:none id=search-help>MARK " + long + "</div><p>x", false},
		{"segment", "<div hidden id='S:1f'>MARK</div>" + long, true},
		{"no segment", "<div hidden id='S:menu'>MARK</div>" + long, false},
		{"noscript", "<noscript>MARK</noscript>" + long, false},
		{"short noscript", "<noscript>MARK Please switch on scripts.</noscript>", false},
		{"long noscript", "<p>Loading<noscript><p>MARK " + long + "</noscript>", true},
		{"button", "<button>MARK</button>", false},
		{"button of an accordion", "<h3><button>MARK</button></h3>", true},
		{"script", "<script>MARK</script>", false},
		{"checkbox", "<ul><li><input type=checkbox>MARK</ul>", true},
	} {
		p := parse(t, "<body>"+test.src)
		if got := strings.Contains(kept(p.ix, p.ix.NewSet()), "MARK"); got != test.shown {
			t.Errorf("%s: shown %v, want %v", test.name, got, test.shown)
		}
	}
}

// TestPageHolds checks that blocks do not overlap, are in order, and have the right texts.
func TestPageHolds(t *testing.T) {
	p := parse(t, page("T", "<p>One <b>two</b> three<div>four<br>five</div>six <svg><text>no</text></svg><pre>a\n b</pre>"))
	pg := content.NewPage(p.ix, p.ix.NewSet(), "")
	var texts []string
	end := int32(0)
	for i, b := range pg.Blocks {
		if b.First < end || b.End <= b.First {
			t.Errorf("block %d: nodes %d to %d after %d", i, b.First, b.End, end)
		}
		end = b.End
		texts = append(texts, strings.Join(strings.Fields(pg.Text(i)), " "))
	}
	for _, want := range []string{"Home", "One two three", "four five", "six", "a b"} {
		if !slices.Contains(texts, want) {
			t.Errorf("no block %q in %q", want, texts)
		}
	}
}

// TestMainHostile reads pages that are made to be slow. If the time were not linear in
// their size, the test would not end.
func TestMainHostile(t *testing.T) {
	const n = 20_000
	for name, src := range map[string]string{
		"siblings":    strings.Repeat("<p>a", n),
		"deep":        strings.Repeat("<div>a", n),
		"inline":      strings.Repeat("<b>a</b>", n),
		"classes":     "<p class='" + strings.Repeat("nav content ", n) + "'>a",
		"long word":   strings.Repeat("a", 50*n),
		"links":       strings.Repeat("<a href=/x>a</a> ", n),
		"headings":    strings.Repeat("<h1>a</h1>", n),
		"linked data": "<script type=application/ld+json>" + strings.Repeat(`{"@type":"`, n) + "</script><p>a",
		"cells":       "<table>" + strings.Repeat("<tr><td>a<td>b", n/2),
	} {
		p := parse(t, src)
		m := p.ix.MustMain(p.ix.NewSet(), "https://example.com/")
		if len(m.Drop) != len(p.ix.NewSet()) {
			t.Errorf("%s: a set of %d words", name, len(m.Drop))
		}
	}
}

func FuzzMain(f *testing.F) {
	f.Add(page("T", paragraph), "https://example.com/a")
	f.Add("<table><tr><td>a<tr><td><div>b</div>c", "//")
	f.Add("<noscript><div hidden>a</noscript><svg><a>x</a><title>y", "http://a/?b#c")
	f.Add(`<script type="application/ld+json">{"@type":["Article","x"],"description":"a\"b"}</script>`, "")
	f.Fuzz(func(t *testing.T, src, href string) {
		p := parse(t, src)
		drop := p.ix.NewSet()
		m := p.ix.MustMain(drop, href)
		again := p.ix.MustMain(drop, href)
		if !slices.Equal(m.Drop, again.Drop) || m.Confidence != again.Confidence || m.Kind != again.Kind {
			t.Error("two runs differ")
		}
		if m.Confidence < 0 || m.Confidence > 1 {
			t.Errorf("confidence %v", m.Confidence)
		}
	})
}

// corpusPages returns one of every `every` pages of the development corpus.
func corpusPages(t testing.TB, every int) []parsed {
	t.Helper()
	names, err := filepath.Glob(golden.Root("..", "shared", "corpora", "wcxb-dev", "html", "*.gz"))
	if err != nil || len(names) == 0 {
		t.Skip("the corpus wcxb-dev of ../shared is absent")
	}
	var all []parsed
	for i := 0; i < len(names); i += every {
		packed, err := os.ReadFile(names[i])
		if err != nil {
			t.Fatal(err)
		}
		r, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, parse(t, string(body)))
	}
	return all
}

// TestCorpus checks on real pages that the main content is not empty if Strip leaves text.
func TestCorpus(t *testing.T) {
	for i, p := range corpusPages(t, 40) {
		m := p.ix.MustMain(p.ix.NewSet(), "")
		strip := p.ix.NewSet()
		p.ix.Strip(0, strip)
		if kept(p.ix, m.Drop) == "" && kept(p.ix, strip) != "" {
			t.Errorf("page %d: nothing is left", i)
		}
	}
}

func BenchmarkMain(b *testing.B) {
	pages := corpusPages(b, 15)
	b.ReportAllocs()
	for b.Loop() {
		for _, p := range pages {
			p.ix.MustMain(p.ix.NewSet(), "https://example.com/a")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(pages)), "µs/page")
}

func BenchmarkIndex(b *testing.B) {
	pages := corpusPages(b, 15)
	b.ReportAllocs()
	for b.Loop() {
		for _, p := range pages {
			content.MustRead(p.root).Release()
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(pages)), "µs/page")
}

// TestFill checks that gaps in lists, lists of definitions and texts are filled, also with
// code and quotations.
func TestFill(t *testing.T) {
	p := parse(t, "<dl><dt>a</dt><dd>b</dd><dt>c</dt><dd>d</dd></dl><ul><li>e</li><li>f</li></ul><h2>g</h2><p>h</p>"+
		"<pre>i</pre><blockquote>j</blockquote><p>k</p>")
	got := content.NewPage(p.ix, p.ix.NewSet(), "").Filled([]bool{true, false, false, true, false, true, false, true, false, false, true})
	if want := []bool{true, true, true, true, true, true, false, true, true, true, true}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestFillInsertions checks which gaps in a text are insertions that stay out.
func TestFillInsertions(t *testing.T) {
	const prose = "<p>The birds flew over the hills and the lake.</p>"
	for _, test := range []struct {
		gap    string
		filled bool
	}{
		{"<p>A sentence that the scorer has missed, with enough words.</p>", true},
		{"<p>Short but whole.</p>", true},
		{"<p><b>The second day</b></p>", true},
		{"<p>Read more</p>", false},
		{"<p>Read more: <a href=/x>Ten birds that nobody has ever seen fly over a lake.</a></p>", false},
		{"<ul><li><a href=/x>Ten birds that nobody has ever seen fly over a lake.</a></ul>", false},
		{"<p>Read more</p><p>A sentence that the scorer has missed, with enough words.</p>", false},
	} {
		p := parse(t, prose+test.gap+prose)
		pg := content.NewPage(p.ix, p.ix.NewSet(), "")
		keep := make([]bool, len(pg.Blocks))
		keep[0], keep[len(keep)-1] = true, true
		if got := !slices.Contains(pg.Filled(keep), false); got != test.filled {
			t.Errorf("%s: filled %v, want %v", test.gap, got, test.filled)
		}
	}
	p := parse(t, "<ul><li>One of the birds<li><a href=/x>another</a><li>A third one</ul>")
	if got := content.NewPage(p.ix, p.ix.NewSet(), "").Filled([]bool{true, false, true}); slices.Contains(got, false) {
		t.Errorf("a list has a gap: %v", got)
	}
}

// TestCut checks that doubtful blocks are left out of articles, but not of other pages.
func TestCut(t *testing.T) {
	const prose = "<p>One two three four five six seven eight nine ten.</p>"
	p := parse(t, prose+prose)
	pg := content.NewPage(p.ix, p.ix.NewSet(), "")
	for _, test := range []struct {
		article float32
		kept    bool
	}{{0, true}, {.49, true}, {.5, false}, {1, false}} {
		if cut := pg.Cut(test.article, []float32{.9, .41}); (cut <= .41) != test.kept || cut > .9 {
			t.Errorf("an article with a probability of %v: cut %v", test.article, cut)
		}
	}
}
