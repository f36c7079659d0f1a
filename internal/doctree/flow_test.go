// SPDX-License-Identifier: Apache-2.0

package doctree_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
)

func render(t *testing.T, n *html.Node) string {
	t.Helper()
	var b strings.Builder
	if err := html.Render(&b, n); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestLineOfManyPieces checks that the text of a paragraph in very many pieces
// is not copied for each piece.
func TestLineOfManyPieces(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var b doctree.Builder
	var l doctree.Line
	for range 20_000 {
		l.Text("word ", doctree.Style{})
		l.Text(strings.Repeat("x", 9), doctree.Style{})
		if l.Blank() {
			t.Fatal("blank")
		}
	}
	p := b.Element(atom.P)
	l.Write(&b, p)
	runtime.ReadMemStats(&after)
	if got, want := p.FirstChild.Data, strings.Repeat("word xxxxxxxxx", 20_000); got != want || p.FirstChild.NextSibling != nil {
		t.Errorf("%d bytes of text, want %d in one piece", len(got), len(want))
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 20<<20 {
		t.Errorf("%d bytes were allocated for a line of %d", n, len(p.FirstChild.Data))
	}
}

func TestLine(t *testing.T) {
	bold, italic := doctree.Style{Bold: true}, doctree.Style{Italic: true}
	both := doctree.Style{Bold: true, Italic: true}
	link := doctree.Style{Href: "#x", Underline: true}
	type piece struct {
		text  string
		style doctree.Style
	}
	for _, c := range []struct {
		what   string
		pieces []piece
		want   string
	}{
		{"nothing", nil, ``},
		{"plain", []piece{{"a", doctree.Style{}}, {"b", doctree.Style{}}}, `ab`},
		{"ends", []piece{{" a ", doctree.Style{}}}, `a`},
		{"alike", []piece{{"a", bold}, {" ", bold}, {"b", bold}}, `<strong>a b</strong>`},
		{"space between alike", []piece{{"a", bold}, {" ", doctree.Style{}}, {"b", bold}}, `<strong>a b</strong>`},
		{"spaces move out", []piece{{"a ", bold}, {"b", doctree.Style{}}, {" c", italic}}, `<strong>a</strong> b <em>c</em>`},
		{"nested", []piece{{"a ", bold}, {"b", both}, {" c", bold}}, `<strong>a <em>b</em> c</strong>`},
		{"link", []piece{{"a", link}, {"b", doctree.Style{Href: "#x", Bold: true}}}, `<a href="#x">a<strong>b</strong></a>`},
		{"code keeps spaces", []piece{{"a", doctree.Style{}}, {" b ", doctree.Style{Code: true}}}, `a<code> b </code>`},
		{"breaks", []piece{{"a\nb", bold}}, `<strong>a<br/>b</strong>`},
		{"only spaces", []piece{{"  ", bold}}, ``},
		{"scripts", []piece{{"x", doctree.Style{Sup: true}}, {"y", doctree.Style{Sub: true}}}, `<sup>x</sup><sub>y</sub>`},
		{"change", []piece{{"x", doctree.Style{Change: "ins", Author: "A", Date: "D"}}}, `<ins data-author="A" datetime="D">x</ins>`},
		{"direction", []piece{{"x", doctree.Style{Dir: "rtl", Lang: "he"}}}, `<span dir="rtl" lang="he">x</span>`},
		{"all", []piece{{"x", doctree.Style{Bold: true, Italic: true, Underline: true, Strike: true, Mark: true}}}, `<strong><em><u><s><mark>x</mark></s></u></em></strong>`},
	} {
		var b doctree.Builder
		var l doctree.Line
		for _, p := range c.pieces {
			l.Text(p.text, p.style)
		}
		p := b.Element(atom.P)
		l.Write(&b, p)
		if got, want := render(t, p), "<p>"+c.want+"</p>"; got != want {
			t.Errorf("%s: %s, want %s", c.what, got, want)
		}
	}
}

func TestLineNodes(t *testing.T) {
	var b doctree.Builder
	var l, other doctree.Line
	if !l.Blank() || !l.Empty() || l.First() != nil {
		t.Error("an empty line has something")
	}
	anchor := b.Element(atom.Span, "id", "x")
	l.Node(anchor, doctree.Style{})
	if !l.Blank() || l.Empty() || l.First() != anchor || len(l.Nodes(atom.Span)) != 1 {
		t.Error("an anchor is to be seen")
	}
	other.Text(" word", doctree.Style{Bold: true})
	other.Node(b.Element(atom.Br), doctree.Style{})
	other.Node(b.Checkbox(true), doctree.Style{Bold: true})
	l.Append(&other)
	if l.Blank() || !other.Empty() || l.Content() != " word\n" {
		t.Errorf("Content() = %q", l.Content())
	}
	if !l.Every(func(s doctree.Style) bool { return s.Bold }) {
		t.Error("all of it is bold")
	}
	l.Prefix("1. ")
	p := b.Element(atom.P)
	l.Write(&b, p)
	if got, want := render(t, p), `<p>1. <span id="x"></span> <strong>word</strong><br/><input type="checkbox" disabled="" checked=""/></p>`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestBox(t *testing.T) {
	for _, c := range []struct {
		text, rest  string
		checked, ok bool
	}{
		{"☐ task", " task", false, true},
		{"☑\u00A0task", "\u00A0task", true, true},
		{"☒", "", true, true},
		{"☒task", "☒task", false, false},
		{"task ☐", "task ☐", false, false},
		{"", "", false, false},
	} {
		var l doctree.Line
		l.Text(c.text, doctree.Style{Bold: true})
		if checked, ok := l.Box(); checked != c.checked || ok != c.ok || l.Content() != c.rest {
			t.Errorf("%q: %v, %v and %q is left", c.text, checked, ok, l.Content())
		}
	}
}

func TestRest(t *testing.T) {
	var b doctree.Builder
	div := b.Element(atom.Div)
	f := &doctree.Flow{B: &b, Into: div}
	if f.Rest(0) != f {
		t.Error("without a list something else than the flow continues")
	}
	b.Text(f.Item(doctree.Item{}), "0")
	b.Text(f.Item(doctree.Item{Level: 2}), "2")
	b.Text(f.Rest(2).Append(atom.P), "in 2")
	f.Rest(1).Code("a")
	f.Rest(0).Code("b")
	b.Text(f.Item(doctree.Item{Level: 1}), "1")
	b.Text(f.Rest(0).Append(atom.P), "in 0")
	b.Text(f.Item(doctree.Item{}), "00")
	f.Rest(0).Code("c")
	want := `<div><ul><li>0<ul><li>2<p>in 2</p></li></ul><pre><code>a
b</code></pre><ul><li>1</li></ul><p>in 0</p></li><li>00<pre><code>c</code></pre></li></ul></div>`
	if got := render(t, div); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestFlow(t *testing.T) {
	ul := func(level int) doctree.Item { return doctree.Item{Level: level} }
	ol := func(level, n int) doctree.Item { return doctree.Item{Level: level, Ordered: true, Number: n} }
	at := func(left int, i doctree.Item) doctree.Item { i.Left = left; return i }
	for _, c := range []struct {
		what  string
		items []doctree.Item
		want  string
	}{
		{"levels", []doctree.Item{ul(0), ul(1), ul(0)}, `<ul><li>0<ul><li>1</li></ul></li><li>2</li></ul>`},
		{"begins deep", []doctree.Item{ul(2), ul(0)}, `<ul><li>0</li></ul><ul><li>1</li></ul>`},
		{"leaves out a level", []doctree.Item{ul(0), ul(3), ul(1)}, `<ul><li>0<ul><li>1</li></ul><ul><li>2</li></ul></li></ul>`},
		{"numbers", []doctree.Item{ol(0, 1), ol(0, 2), ol(0, 7), ol(0, 8)}, `<ol><li>0</li><li>1</li></ol><ol start="7"><li>2</li><li>3</li></ol>`},
		{"kinds", []doctree.Item{ul(0), ol(0, 1)}, `<ul><li>0</li></ul><ol><li>1</li></ol>`},
		{"types", []doctree.Item{{Ordered: true, Type: "a", Number: 1}}, `<ol type="a"><li>0</li></ol>`},
		{"keys", []doctree.Item{{Key: "a"}, {Key: "b"}}, `<ul><li>0</li></ul><ul><li>1</li></ul>`},
		{"indents of one level", []doctree.Item{at(360, ul(0)), at(720, ul(0)), at(1080, ul(0)), at(720, ul(0)), at(360, ul(0))}, `<ul><li>0<ul><li>1<ul><li>2</li></ul></li><li>3</li></ul></li><li>4</li></ul>`},
		{"indents of two lists", []doctree.Item{at(360, ol(0, 1)), at(643, ul(0)), at(643, ul(0)), at(360, ol(0, 2)), at(643, ol(0, 1)), at(360, ol(0, 3))}, `<ol><li>0<ul><li>1</li><li>2</li></ul></li><li>3<ol><li>4</li></ol></li><li>5</li></ol>`},
		{"indents and levels", []doctree.Item{at(360, ol(0, 1)), at(720, ul(0)), at(1080, ul(1)), at(720, ul(0)), at(720, ol(1, 1)), at(360, ol(0, 2))}, `<ol><li>0<ul><li>1<ul><li>2</li></ul></li><li>3</li></ul><ol><li>4</li></ol></li><li>5</li></ol>`},
		{"indents by a hair", []doctree.Item{at(360, ul(0)), at(400, ul(0)), at(350, ul(0))}, `<ul><li>0</li><li>1</li><li>2</li></ul>`},
		{"indents within one count", []doctree.Item{at(360, ol(0, 1)), at(720, ol(0, 2)), at(360, ol(0, 3))}, `<ol><li>0</li><li>1</li><li>2</li></ol>`},
		{"indents unknown", []doctree.Item{ul(0), at(720, ul(0)), ul(0)}, `<ul><li>0</li><li>1</li><li>2</li></ul>`},
		{"absurd levels", []doctree.Item{ul(-5), ul(1 << 30)}, `<ul><li>0<ul><li>1</li></ul></li></ul>`},
	} {
		var b doctree.Builder
		f := doctree.Flow{B: &b, Into: b.Element(atom.Body)}
		for i, item := range c.items {
			b.Text(f.Item(item), string(rune('0'+i)))
		}
		if got, want := render(t, f.Into), "<body>"+c.want+"</body>"; got != want {
			t.Errorf("%s: %s, want %s", c.what, got, want)
		}
	}
}

// TestFlowApart has an item that is separated by an empty paragraph from an
// item whose text begins farther left.
func TestFlowApart(t *testing.T) {
	var b doctree.Builder
	f := &doctree.Flow{B: &b, Into: b.Element(atom.Body)}
	b.Text(f.Item(doctree.Item{Ordered: true, Number: 1, Left: 360}), "0")
	f.Gap()
	b.Text(f.Item(doctree.Item{Left: 720}), "1")
	b.Text(f.Item(doctree.Item{Left: 1080}), "2")
	if got, want := render(t, f.Into), `<body><ol><li>0</li></ol><ul><li>1<ul><li>2</li></ul></li></ul></body>`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestFlowDeep has items, each of which begins farther right than the previous
// one. The depth of the tree must be limited.
func TestFlowDeep(t *testing.T) {
	var b doctree.Builder
	f := &doctree.Flow{B: &b, Into: b.Element(atom.Body)}
	for level := range 20 {
		for i := range 100 {
			f.Item(doctree.Item{Level: level, Left: 1000 * (100*level + i + 1)})
		}
	}
	deepest := 0
	for n := range f.Into.Descendants() {
		depth := 0
		for p := n.Parent; p != nil; p = p.Parent {
			depth++
		}
		deepest = max(deepest, depth)
	}
	if deepest > 50 {
		t.Errorf("%d elements in each other", deepest)
	}
}

// TestFlowUnder has paragraphs that continue items of one level.
func TestFlowUnder(t *testing.T) {
	var b doctree.Builder
	f := &doctree.Flow{B: &b, Into: b.Element(atom.Body)}
	b.Text(f.Item(doctree.Item{Left: 360}), "0")
	b.Text(f.Item(doctree.Item{Left: 720}), "1")
	b.Text(f.Under(720).Append(atom.P), "in 1")
	b.Text(f.Under(360).Append(atom.P), "in 0")
	if got, want := render(t, f.Into), `<body><ul><li>0<ul><li>1<p>in 1</p></li></ul><p>in 0</p></li></ul></body>`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestFlowBlocks(t *testing.T) {
	var b doctree.Builder
	f := doctree.Flow{B: &b, Into: b.Element(atom.Body)}
	f.Continue(atom.P)
	f.Item(doctree.Item{})
	f.Continue(atom.P)
	if !f.Listing() {
		t.Error("no list is open")
	}
	first, again := f.Joined(atom.Pre)
	if again || f.Listing() || f.Pre() != first {
		t.Error("the first of its kind joined another")
	}
	if second, again := f.Joined(atom.Pre); second != first || !again {
		t.Error("the second did not join it")
	}
	if _, again := f.Joined(atom.Blockquote); again || f.Pre() != nil {
		t.Error("a quote joined a program")
	}
	f.Node(b.Element(atom.Hr))
	f.Code("a  ")
	f.Code("\tb")
	if got, want := render(t, f.Into), "<body><p></p><ul><li><p></p></li></ul><pre></pre><blockquote></blockquote><hr/><pre><code>a\n\tb</code></pre></body>"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestNotes(t *testing.T) {
	var b doctree.Builder
	var n doctree.Notes
	body := b.Element(atom.Body)
	n.Write(&b, body)
	if body.FirstChild != nil {
		t.Error("no notes have a section")
	}
	comment, _ := n.Add(&b, "comment", "data-author", "A", "data-date", "2026-06-18T17:35:52.310Z")
	note, _ := n.Add(&b, "")
	for _, ref := range []*html.Node{comment, note, n.Again(&b, note)} {
		body.AppendChild(ref)
	}
	n.Write(&b, body)
	want := `<body><sup><a role="doc-noteref" href="#comment-1" data-note="comment">comment 1</a></sup>` +
		strings.Repeat(`<sup><a role="doc-noteref" href="#fn-1">1</a></sup>`, 2) +
		`<section role="doc-endnotes"><ol><li id="fn-1" role="doc-footnote"></li></ol>` +
		`<ol><li id="comment-1" role="doc-footnote" data-note="comment" data-author="A" data-date="2026-06-18T17:35:52.310Z"><strong>A</strong> (2026-06-18T17:35): </li></ol></section></body>`
	if got := render(t, body); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestDates tests the dates of comments in the forms of documents.
func TestDates(t *testing.T) {
	for date, want := range map[string]string{
		"":                    "<strong>A</strong>: ",
		"2026-06-18":          "<strong>A</strong> (2026-06-18): ",
		"2026-06-18T00:00:00": "<strong>A</strong> (2026-06-18): ",
		"2026-06-18T07:05":    "<strong>A</strong> (2026-06-18T07:05): ",
		"18 June 2026, 17:35": "<strong>A</strong> (18 June 2026, 17:35): ",
	} {
		var b doctree.Builder
		var n doctree.Notes
		body := b.Element(atom.Body)
		n.Add(&b, "comment", "data-author", "A", "data-date", date)
		n.Write(&b, body)
		if got := render(t, body); !strings.Contains(got, ">"+want+"</li>") {
			t.Errorf("%q: %s, want %s", date, got, want)
		}
	}
}

func TestAnchors(t *testing.T) {
	var b doctree.Builder
	body := b.Element(atom.Body)
	b.Append(body, atom.Span, "id", "used")
	b.Append(body, atom.Span, "id", "not")
	b.Append(body, atom.A, "href", "#used")
	doctree.Anchors(body)
	if got, want := render(t, body), `<body><span id="used"></span><a href="#used"></a></body>`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestDocumentMeta(t *testing.T) {
	var b doctree.Builder
	d := doctree.Document{Meta: doctree.Meta{Title: " a\n b ", Author: "A", Description: "D", Subject: "S", Keywords: "K", Created: time.Unix(0, 0), Modified: time.Unix(1, 0)}}
	d.Begin(&b, "odt")
	want := `<html data-kind="odt"><head><title>a b</title><meta name="author" content="A"/><meta name="description" content="D"/><meta name="subject" content="S"/>` +
		`<meta name="keywords" content="K"/><meta name="date" content="1970-01-01T00:00:00Z"/><meta name="last-modified" content="1970-01-01T00:00:01Z"/></head><body></body></html>`
	if got := render(t, d.Root); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	for range 300 {
		d.Warn("a", 1, "Same.")
		d.Warn("b", len(d.Warnings), "Other.")
	}
	if len(d.Warnings) != 101 || d.Warnings[1].Page != 1 {
		t.Errorf("%d warnings", len(d.Warnings))
	}
}

func TestTime(t *testing.T) {
	for s, want := range map[string]string{
		"2024-02-03T04:05:06Z": "2024-02-03T04:05:06Z", "2024-02-03T04:05:06.5": "2024-02-03T04:05:06Z", " 2024-02 ": "2024-02-01T00:00:00Z",
		"2024": "2024-01-01T00:00:00Z", "soon": "0001-01-01T00:00:00Z", "": "0001-01-01T00:00:00Z",
	} {
		if got := doctree.Time(s).UTC().Format(time.RFC3339); got != want {
			t.Errorf("Time(%q) = %s, want %s", s, got, want)
		}
	}
}

func TestHref(t *testing.T) {
	for in, want := range map[string]string{
		" https://a.example/ ": "https://a.example/", "#x": "#x", "../a": "../a", "JavaScript:x": "", "java\tscript:x": "", "vbscript:x": "", "data:text/html,x": "",
	} {
		if got := doctree.Href(in); got != want {
			t.Errorf("Href(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestIDs(t *testing.T) {
	var ids doctree.IDs
	for _, c := range []struct{ in, want string }{
		{"Über uns!", "über-uns"}, {"über  uns", "über-uns-1"}, {"?", "section"}, {"", "section-1"}, {"1.1 A", "1-1-a"}, {strings.Repeat("a b ", 50), strings.Repeat("a-b-", 15) + "a"},
	} {
		if got := ids.Make(c.in); got != c.want {
			t.Errorf("Make(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}
