// SPDX-License-Identifier: Apache-2.0

package content_test

import (
	"strings"
	"testing"

	"example.com/curlew/format/internal/content"
)

// TestTurns checks which blocks only lead to other pages of a series.
func TestTurns(t *testing.T) {
	const head = "<title>Traits</title><link rel=home href=../index.html><link rel=up href=utilities.html><link rel=prev href=memory.html><link rel=next href=strings.html>"
	for _, c := range []struct {
		name, src string
		want      string // the texts of these blocks, with a line break after each
	}{
		{
			"a table of links that the head names, with the titles of those pages",
			"<table><tr><td><a href=memory.html>Prev</a><th>Chapter 6. Utilities<td><a href=strings.html>Next</a></table><h2>Traits</h2><p>prose",
			"Prev\nChapter 6. Utilities\nNext\n",
		},
		{
			"links whose names say it, around several blocks",
			"<h2>Traits</h2><p>prose<div><a class=left-prev href=a.html><div><p>previous<p>Memory</div></a><a class=next href=b.html><p>Strings</a></div>",
			"previous\nMemory\nStrings\n",
		},
		{"links whose rel says it", "<p>Next: <a rel=next href=a.html>Strings</a>, Up: <a rel=up href=b.html>Utilities</a>", "Next: Strings, Up: Utilities\n"},
		{
			"the same bar above the headings and below the text",
			"<div>Go to <a href=1.html>one</a> <a href=2.html>two</a> <a href=3.html>three</a></div><h2>Traits</h2><p>prose of a text that is long enough.<div>Go to <a href=1.html>one</a> <a href=2.html>two</a> <a href=3.html>three</a></div><p>made by <a href=x>one</a>",
			"Go to one two three\nGo to one two three\n",
		},
		{
			"the same links in a synopsis and below a heading",
			"<ul><li>type <a href=1.html>Int of Integers</a></ul><h2>Traits</h2><p>prose of a text that is long enough.<p>type <a href=1.html>Int of Integers</a><p>made by <a href=x>one</a>",
			"",
		},
		{
			"a line of which the head names half of the links",
			"<div><b>Next:</b> <a href=strings.html>Strings</a> <b>Up:</b> <a href=top.html>All</a> <b>Previous:</b> <a href=memory.html>Memory</a> <a href=idx.html>Index</a></div><h2>Traits</h2><p>prose",
			"Next: Strings Up: All Previous: Memory Index\n",
		},
		{"a chapter of one section leads to what follows", "<h2>Traits</h2><ul><li><a href=strings.html>Strings</a></ul>", ""},
		{"a list of chapters, among them the next one", "<ul><li><a href=strings.html>Strings</a><li><a href=utilities.html>Utilities</a><li><a href=io.html>Input</a></ul>", ""},
		{"code that mentions the page before and the next one", "<div><pre>use <a href=memory.html>memory</a>, <a href=strings.html>strings</a></pre></div>", ""},
		{"a page with nothing else than links and headings", "<div><h2>Traits</h2><p><a href=memory.html>Prev</a> <a href=strings.html>Next</a></div>", "Prev Next\n"},
		{"a text about the page before and the next one", "<div><p>" + strings.Repeat("a word ", 9) + "<a href=memory.html>memory</a> and <a href=strings.html>strings</a></div>", ""},
	} {
		ix := parse(t, head+"<body>"+c.src).ix
		p := content.NewPage(ix, ix.NewSet(), "https://docs.example/traits.html")
		var got strings.Builder
		for i := range p.Blocks {
			if p.Turns(i) {
				got.WriteString(p.Text(i) + "\n")
			}
		}
		if got.String() != c.want {
			t.Errorf("%s: %q", c.name, got.String())
		}
	}
}

// TestHandbook checks that a page of a program that makes nothing but documentation is
// documentation, whatever else it looks like.
func TestHandbook(t *testing.T) {
	prose := strings.Repeat(paragraph, 8)
	for generator, want := range map[string]content.Kind{
		"DocBook XSL Stylesheets V1.79": content.Documentation, "Docutils 0.19: https://docutils.sourceforge.io/": content.Documentation,
		"WordPress 6.1": content.Article, "Hugo 0.110": content.Article,
	} {
		p := parse(t, "<html><head><title>Morning</title><meta name=generator content='"+generator+"'></head><body><article><h1>Morning</h1>"+prose+"</article></body></html>")
		if got := p.ix.MustMain(p.ix.NewSet(), "https://example.com/news/2024/05/01/morning-in-the-old-harbour").Kind; got != want {
			t.Errorf("%s: %v", generator, got)
		}
	}
}

// TestLinkedTitle checks which headings with links are the title of a page.
func TestLinkedTitle(t *testing.T) {
	const title = "<title>2. Sieve filter files</title>"
	for _, c := range []struct {
		name, src string
		handbook  bool
		want      string // the headings that are kept
	}{
		{"a link to the page itself", "<h2><a href=sieve.html>Chapter 2 - Sieve filter files</a></h2><p>PROSE", false, "Chapter 2 - Sieve filter files\n"},
		{"a link to a part of the page", "<h2><a href=#top>Sieve filter files</a></h2><p>PROSE", false, "Sieve filter files\n"},
		{"a link to another page", "<h2><a href=filter.html>Sieve filter files</a></h2><p>PROSE", false, ""},
		{"the name of the site", "<h1><a href=https://mailer.example>The Mailer</a></h1><ul><li>Home</ul><h2><a href=sieve.html>Sieve filter files</a></h2><p>PROSE", false, "Sieve filter files\n"},
		{"the title, then a section", "<h2><a href=sieve.html>Chapter 2 - Sieve filter files</a></h2><h3>PROSE</h3>", false, "Chapter 2 - Sieve filter files\n"},
		{"something else, then a section", "<h2>Chapters of the manual</h2><h3>PROSE</h3>", false, ""},
		{"a list of links, among them the title", "<div><p><a href=o.html>mail</a><h1><a href=companion.html>Filter</a></h1><p><a href=c.html>class</a> <a href=d.html>package</a></div><p>PROSE", true, "Filter\n"},
		{"the same, leading to the start of the site", "<div><p><a href=o.html>mail</a><h1><a href=../index.html>Filter</a></h1><p><a href=c.html>class</a> <a href=d.html>package</a></div><p>PROSE", true, ""},
	} {
		ix := parse(t, title+"<body>"+c.src+strings.Repeat("<p>another text that is not short at all", 9)).ix
		p := content.NewPage(ix, ix.NewSet(), "https://docs.example/spec/sieve.html")
		keep := make([]bool, len(p.Blocks))
		for i := range keep {
			keep[i] = strings.Contains(p.Text(i), "PROSE")
		}
		p.KeepTitle(keep, c.handbook)
		if !c.handbook {
			p.Head(keep)
		}
		var got strings.Builder
		for i, k := range keep {
			if k && !strings.Contains(p.Text(i), "PROSE") {
				got.WriteString(p.Text(i) + "\n")
			}
		}
		if got.String() != c.want {
			t.Errorf("%s: %q", c.name, got.String())
		}
	}
}
