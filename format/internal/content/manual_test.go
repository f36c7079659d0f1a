// SPDX-License-Identifier: Apache-2.0

package content_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/curlew/format/internal/content"
)

func newPage(t *testing.T, src string) *content.Page {
	t.Helper()
	ix := parse(t, src).ix
	return content.NewPage(ix, ix.NewSet(), "")
}

// TestManual checks which blocks of a page of documentation are kept. The blocks whose text
// contains "prose" have good scores. If there are none, the scores are not sure.
func TestManual(t *testing.T) {
	prose := "<p>prose " + strings.Repeat("of a page that explains a function at length, ", 12) + "</p>"
	table := "<table><tr><td><a href=f.html#a>open_file</a></td></tr><tr><td><a href=f.html#b>close_file</a></td></tr><tr><td><a href=f.html#c>read_file</a></td></tr></table>"
	for _, c := range []struct {
		name, body string
		in, out    []string
	}{
		{
			"title, table of links, boxes",
			"<div class=navheader><table><tr><th>Files</th><td><a href=p>Prev</a></td></tr></table></div>" +
				"<div class=refentry><div class=titlepage><h2>Files</h2></div><h3>Functions</h3>" + table + prose +
				"<div class=sidebar><p>a box aside</p></div><div class=tip><p>a tip to use</p></div></div><div class=navfooter><a href=n>Next</a></div>",
			[]string{"Files", "Functions", "open_file", "a box aside", "a tip to use", "prose"},
			[]string{"Prev", "Next"},
		},
		{
			"a section about cookies, and a notice about them",
			"<div role=main><h1>Server</h1>" + prose + "<section id=cookie-objects><h2>Cookie objects</h2><p>an object of a cookie</p></section>" +
				"<section id=cookie-notice><p>we use some of them</p></section><section id=c class=cookie-notice><h2>Your choice</h2><p>accept or leave</p></section></div>",
			[]string{"Server", "prose", "Cookie objects", "an object of a cookie"},
			[]string{"we use some of them", "accept or leave"},
		},
		{
			"contents and pager of the page",
			"<nav>menu</nav><div role=main><ul><li><a href=#a>First part</a><li><a href=#b>Second part</a><li><a href=#c>Third part</a></ul><h1>Parts</h1>" + prose +
				"<h2 id=a>First</h2><p>short</p><div class=pager><a href=n>following page</a></div></div><footer>made by hand</footer>",
			[]string{"Parts", "First", "short", "prose"},
			[]string{"menu", "Second part", "following page", "made by hand"},
		},
		{
			"names in a list of literature",
			"<main><h1>Language</h1>" + prose + strings.Repeat("<div class=citation role=doc-biblioentry><span>[<a role=doc-backlink href=#id2>c-standard</a>]</span><p><a href=https://c.example/>its text</a></p></div>", 6) + "</main><footer>made by hand</footer>",
			[]string{"Language", "prose", "c-standard", "its text"},
			[]string{"made by hand"},
		},
		{
			"unsure, but the tag says it",
			"<div class=head><a href=/>Home</a> all of the manual</div><main><h1>Members</h1><ul><li><a href=a>one()</a><li><a href=b>two()</a><li><a href=c>three()</a></ul></main><div>copyright of a company</div>",
			[]string{"Members", "one()", "three()"},
			[]string{"Home", "copyright"},
		},
		{
			"lines that lead to the next page, and footnotes beside the content",
			"<body><div id=Plans><div><p>Next: <a href=n rel=next>Wisdom of plans</a>, Up: <a href=u rel=up>Library</a> [<a href=c rel='contents nofollow'>Contents</a>]</p></div><h3>Plans</h3>" +
				"<p>prose<a id=DOC1 href=#FOOT1>1</a> " + strings.Repeat("of a page that explains a function at length, ", 12) + "see <a rel=next href=n>Wisdom</a> too</p></div>" +
				"<div><p><a href=x>elsewhere</a></p></div><div class=notes><h4>Footnotes</h4><h5><a id=FOOT1 href=#DOC1>(1)</a></h5><p>the gist of the note</p></div>" +
				"<div><p><a rel=next href=n>Wisdom of plans</a></p></div>",
			[]string{"Plans", "explains", "see Wisdom too", "Footnotes", "the gist of the note"},
			[]string{"Up:", "Wisdom of plans"},
		},
		{
			"a long menu with scores as good as the content",
			"<nav><ul>" + strings.Repeat("<li><a href=x.html>prose_of_menu and other functions</a>", 30) + "</ul></nav><div id=main><h1>Files</h1><p>prose of it</p><p>one more</p></div>",
			[]string{"Files", "prose of it", "one more"},
			[]string{"prose_of_menu"},
		},
		{
			"links beside the entries that say the same, and names of entries",
			"<main><h1>Files</h1>" + prose + strings.Repeat("<div><a href=s.html>[source]</a></div><p>prose of an entry</p>", 6) +
				"<div><a href=b.html>Reader::open</a></div><p>prose of an entry</p></main>",
			[]string{"Reader::open", "prose of an entry"},
			[]string{"[source]"},
		},
		{
			"title before the content, without links",
			"<div id=header><h1>tool(1)</h1><h2>NAME</h2><div>tool - does it</div></div><div id=content><h2>SYNOPSIS</h2><pre>tool -a</pre>" + prose + "</div><div id=footer>Last updated</div>",
			[]string{"SYNOPSIS", "tool -a", "prose"},
			[]string{"Last updated"},
		},
		{
			"entries whose signatures are links, with descriptions",
			"<div id=content><p>prose of a module that has only a few functions.</p><div>" + strings.Repeat(prose, 4) + "</div><div><p>prose about a type that another module uses too.</p></div><div><table>" +
				strings.Repeat("<tr><td><a href=x.html>show_the_type_as_text</a></td></tr>", 25) + "</table><p>prose that says what is left of it.</p></div></div>",
			[]string{"only a few functions", "another module uses", "show_the_type_as_text"},
			nil,
		},
		{
			"a title that is said again",
			"<div class=topbar><h1>prose lists</h1></div><div id=content><h1>prose lists</h1>" + prose + "</div>",
			[]string{"prose lists", "explains"},
			nil,
		},
		{
			"a short text beside a long menu in the same element",
			"<div id=main><div id=navigation><h1>library</h1><ul>" + strings.Repeat("<li><a href=x.html>prose_of_menu</a>", 30) + "</ul></div><div id=content><h1>Files</h1><p>short prose</p></div></div>",
			[]string{"Files", "short prose"},
			[]string{"library", "prose_of_menu"},
		},
		{
			"a menu with which the content begins, longer than the rest",
			"<div class=bodycontent><div class=t-navbar><table>" + strings.Repeat("<tr><td><a href=x.html>other_functions_here</a>", 30) + "</table></div><h2>Files</h2>" + prose + "</div>",
			[]string{"Files", "explains"},
			[]string{"other_functions_here"},
		},
		{
			"a list of chapters after the title, which is named a menu",
			"<div class=bodycontent><h2>Files</h2><table class=menu>" + strings.Repeat("<tr><td><a href=x.html>other_functions_here</a>", 30) + "</table>" + prose + "</div>",
			[]string{"Files", "explains", "other_functions_here"},
			nil,
		},
		{
			"the numbers of a menu before the content",
			"<div><table>" + strings.Repeat("<tr><td>prose 3.9</td><td><a href=x.html>other_functions_here</a></td></tr>", 9) + "</table></div><div class=bodycontent><h2>Files</h2>" + prose + "</div>",
			[]string{"Files", "explains"},
			[]string{"other_functions_here", "3.9"},
		},
		{
			"the name of the site before the title",
			"<div class=top><h1>All manuals</h1></div><div id=content><h1>Files</h1>" + prose + "</div>",
			[]string{"Files", "prose"},
			[]string{"All manuals"},
		},
		{
			"the linked name of the site within a container that is not clear",
			"<div id=content><div class=nav><h1><a href=/>All manuals</a></h1></div><h1>Files</h1>" + prose + "</div>",
			[]string{"Files", "prose"},
			[]string{"All manuals"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPage(t, "<body>"+c.body)
			keep := make([]bool, len(p.Blocks))
			sure := false
			for i := range keep {
				keep[i] = strings.Contains(p.Text(i), "prose")
				sure = sure || keep[i]
			}
			if !p.Manual(keep, sure) {
				t.Fatal("no element holds the content")
			}
			var got strings.Builder
			for i, k := range keep {
				if k {
					got.WriteString(p.Text(i) + "\n")
				}
			}
			for _, s := range c.in {
				if !strings.Contains(got.String(), s) {
					t.Errorf("%q is missing in %q", s, got.String())
				}
			}
			for _, s := range c.out {
				if strings.Contains(got.String(), s) {
					t.Errorf("%q is in %q", s, got.String())
				}
			}
			if strings.Count(got.String(), "prose lists\n") > 1 {
				t.Errorf("the title is there twice: %q", got.String())
			}
		})
	}
}

// TestCrown checks that the heading before the content is kept on a page of documentation
// without an h1, and that nothing else before it is, such as the name of the site.
func TestCrown(t *testing.T) {
	for _, c := range []struct {
		src      string
		handbook bool
		want     []bool // of the blocks; the first and second are not kept before
	}{
		{"<title>4.2 Files</title><body><h3>Search</h3><h2>4.2 Files</h2><p>prose here</p>", true, []bool{false, true, true}},
		{"<title>4.2 Files</title><body><h3>Search</h3><h2>4.2 Files</h2><p>prose here</p>", false, []bool{false, false, true}},
		{"<title>Files - The Manual</title><body><p>Search</p><h4>The Manual</h4><h2>Files</h2>", true, []bool{false, false, true}},
	} {
		p := newPage(t, c.src)
		keep := []bool{false, false, true}
		p.KeepTitle(keep, c.handbook)
		for i := range keep {
			if keep[i] != c.want[i] {
				t.Errorf("handbook %v: %q of %q is kept: %v", c.handbook, p.Text(i), c.src, keep[i])
			}
		}
	}
}

// TestChapters checks that a table of contents stays if its links lead to other pages.
func TestChapters(t *testing.T) {
	for _, c := range []struct {
		src  string
		want bool // for the first item
	}{
		{"<ul class=mini-toc><li><a href=a>one</a><li><a href=b>two</a><li><a href=c>three</a></ul><h2>Data</h2>", true},
		{"<ul class=mini-toc><li><a href=#a>one</a><li><a href=b>two</a><li><a href=c>three</a></ul><h2>Data</h2>", false},
		{"<nav><ul class=mini-toc><li><a href=a>one</a><li><a href=b>two</a><li><a href=c>three</a></ul></nav><h2>Data</h2>", false},
		{"<ul class=menu-toc><li><a href=a>one</a><li><a href=b>two</a><li><a href=c>three</a></ul><h2>Data</h2>", false},
	} {
		p := newPage(t, "<body>"+c.src)
		keep := make([]bool, len(p.Blocks))
		p.Chapters(keep)
		if keep[0] != c.want || keep[3] {
			t.Errorf("%s: %v", c.src, keep)
		}
	}
}

// TestKeepNotes checks that footnotes after the content are kept if they and their references
// lead to each other.
func TestKeepNotes(t *testing.T) {
	text := strings.Repeat("a text that explains a function at length, ", 12)
	for _, c := range []struct {
		name, ref, note string
		want            bool
	}{
		{"name on the link", "<a id=r1 href=#n1>1</a>", "<p><a id=n1 href=#r1>1</a> its text", true},
		{"name around the link", "<sup id=r1><a href=#n1>1</a></sup>", "<ol><li id=n1><p>its text <a href=#r1>back</a></ol>", true},
		{"no link back", "<a id=r1 href=#n1>1</a>", "<p><a id=n1 href=#r2>1</a> its text", false},
		{"comments with a link to the text", "<a href=#n1>3 comments</a><b id=r1>Text</b>", "<p id=n1>its text <a href=#r1>up</a>", false},
		{"in navigation", "<a id=r1 href=#n1>1</a>", "<nav><p><a id=n1 href=#r1>1</a> its text</nav>", false},
		{"in an aside", "<a id=r1 href=#n1>1</a>", "<aside role=doc-endnotes><p><a id=n1 href=#r1>1</a> its text</aside>", true},
		{"in a footer", "<a id=r1 href=#n1>1</a>", "<footer><ol><li id=n1><p>its text <a href=#r1>back</a></ol></footer>", true},
		{"a list of the headings in an aside", "<a id=r1 href=#n1>1</a>", "<aside><ol><li id=n1><a href=#r1>1</a></ol></aside>", false},
		{"no link back from an aside", "<a id=r1 href=#n1>1</a>", "<aside><p id=n1>its text <a href=#r2>back</a></aside>", false},
	} {
		p := newPage(t, "<body><div><p>"+text+c.ref+"</p></div><div>"+c.note+"</div>")
		keep := make([]bool, len(p.Blocks))
		keep[0] = true
		p.KeepNotes(keep)
		if keep[1] != c.want {
			t.Errorf("%s: %v", c.name, keep)
		}
	}
}

// TestPreamble checks that the title in a header and the text after it are kept, and that the
// name of the site is not.
func TestPreamble(t *testing.T) {
	for _, c := range []struct {
		src  string
		want []bool // for the blocks
	}{
		{"<title>Files (library)</title><header><h1>Module <a href=x>Files</a></h1><p>Reads them.<p><a href=y>All of it</a></header><p>prose", []bool{true, true, false, false}},
		{"<title>Files (library)</title><header><h1><a href=x>Files</a></h1><p>Reads them.</header><p>prose", []bool{false, false, false}},
		{"<title>Files (library)</title><header><h1>Manual of the system</h1><p>Reads them.</header><p>prose", []bool{false, false, false}},
		{"<title>Files (library)</title><nav><header><h1>Files</h1><p>Reads them.</header></nav><p>prose", []bool{false, false, false}},
	} {
		p := newPage(t, "<body>"+c.src)
		keep := make([]bool, len(p.Blocks))
		p.Preamble(keep)
		if !slices.Equal(keep, c.want) {
			t.Errorf("%s: %v", c.src, keep)
		}
	}
}

// TestHead checks that the heading directly before the content is kept.
func TestHead(t *testing.T) {
	for _, c := range []struct {
		src  string
		want bool // for the block before the content
	}{
		{"<p>a</p><h2>Files</h2><p>prose</p>", true},
		{"<p>a</p><h2><a href=/>Files</a></h2><p>prose</p>", false},
		{"<p>a</p><p>Files</p><p>prose</p>", false},
		{"<p>a</p><h2>Files</h2><h3>prose</h3>", false},
		{"<p>a</p><nav><h2>Files</h2></nav><p>prose</p>", false},
	} {
		p := newPage(t, c.src)
		keep := []bool{false, false, true}
		p.Head(keep)
		if keep[0] || keep[1] != c.want {
			t.Errorf("%s: %v", c.src, keep)
		}
	}
	newPage(t, "<p>a</p>").Head([]bool{false})
}

// TestTopHeading checks that the h1 of the page is kept wherever it is, and that the name of
// the site is not.
func TestTopHeading(t *testing.T) {
	const title = "<title>Birds of the wood | The Site</title>"
	for _, c := range []struct {
		src  string
		want bool // for the first h1
	}{
		{"<header><h1>Birds of the wood</h1></header><p>prose</p>", true},
		{"<p>prose</p><div class=banner><h1>The birds of the wood</h1></div>", true},
		{"<h1>Birds</h1><h1>Birds of the wood</h1>", true},
		{"<header><h1><a href=/>The Site</a></h1></header><p>prose</p>", false},
		{"<h1>Something else entirely</h1><p>prose</p>", false},
		{"<nav><h1>Birds of the wood</h1></nav><p>prose</p>", false},
		{"<div role=dialog><h1>The site</h1></div><p>prose</p>", false},
		{"<h2>Birds of the wood</h2><p>prose</p>", false},
	} {
		p := newPage(t, title+c.src)
		keep := make([]bool, len(p.Blocks))
		p.TopHeading(keep)
		if slices.Contains(keep, true) != c.want {
			t.Errorf("%s: %v", c.src, keep)
		}
	}
	p := newPage(t, title+"<h1>Birds of the wood</h1><h1>Birds of the wood</h1>")
	keep := []bool{false, true}
	if p.TopHeading(keep); keep[0] {
		t.Error("the heading is kept twice")
	}
}

// TestNamedHeading checks which heading is kept on a page whose title is not an h1.
func TestNamedHeading(t *testing.T) {
	const title = "<title>Birds of the wood | The Site</title>"
	for _, c := range []struct {
		name, src, want string
	}{
		{"an h2", "<h2>Birds of the wood</h2><div>by Jo</div><p>PROSE</p>", "Birds of the wood"},
		{"the last one before the content", "<h3>Birds of the wood</h3><h3>Birds of the Wood</h3><p>PROSE</p>", "Birds of the Wood"},
		{"in the header of the page", "<header><h4>Birds of the wood</h4></header><p>PROSE</p>", "Birds of the wood"},
		{"no heading at all", "<div>News</div><div class=headline>Birds of the wood</div><p>PROSE</p>", "Birds of the wood"},
		{"the words of the title, but not its beginning", "<div>The birds of wood</div><p>PROSE</p>", ""},
		{"no heading, after the content", "<p>PROSE</p><div>Birds of the wood</div>", ""},
		{"kept already", "<h3>Birds of the wood</h3><h2>Birds of the wood: PROSE</h2>", ""},
		{"after the content", "<p>PROSE</p><h2>Birds of the wood</h2>", ""},
		{"beside an h1", "<h1>News</h1><h2>Birds of the wood</h2><p>PROSE</p>", ""},
		{"a link", "<h2><a href=/>Birds of the wood</a></h2><p>PROSE</p>", ""},
		{"other words", "<h2>Birds of the wood and the moor</h2><p>PROSE</p>", ""},
		{"few words", "<h2>The Site</h2><p>PROSE</p>", ""},
		{"in a menu", "<nav><h2>Birds of the wood</h2></nav><p>PROSE</p>", ""},
		{"beside the content", "<aside><h2>Birds of the wood</h2></aside><p>PROSE</p>", ""},
	} {
		p := newPage(t, title+"<meta name=description content=PROSE><meta property=og:title content=PROSE>"+c.src)
		keep := make([]bool, len(p.Blocks))
		for i := range keep {
			keep[i] = strings.Contains(p.Text(i), "PROSE")
		}
		p.TopHeading(keep)
		var got strings.Builder
		for i, k := range keep {
			if k && !strings.Contains(p.Text(i), "PROSE") {
				got.WriteString(p.Text(i))
			}
		}
		if got.String() != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got.String(), c.want)
		}
	}
	newPage(t, "<h2>a b c</h2>").TopHeading([]bool{false})
}

// TestLead checks what is kept before the first heading: a line beside it, and no menu.
func TestLead(t *testing.T) {
	menu := "<table><tr><td>[<a href=a>Overview</a>][<a href=b>Constants</a>][<a href=c>Types</a>][<a href=d>Classes</a>][<a href=e>Index</a>]</td><td>Unit Files</td></tr></table>"
	for _, c := range []struct {
		src  string
		want string
	}{
		{menu + "<h1>open</h1><p>Opens a file.</p>", "open\nOpens a file.\n"},
		{"<p>A file is open until it is closed or the program ends, as <a href=a>we say</a>.</p>" + menu + "<h1>open</h1>", "A file is open until it is closed or the program ends, as we say.\n[Overview][Constants][Types][Classes][Index]\nUnit Files\nopen\n"},
		{"<h1>open</h1>" + menu, "open\n[Overview][Constants][Types][Classes][Index]\nUnit Files\n"},
	} {
		p := newPage(t, "<title>x</title><body>"+c.src)
		keep := make([]bool, len(p.Blocks))
		for i := range keep {
			keep[i] = true
		}
		p.Lead(keep)
		if got := chosen(p, keep); got != c.want {
			t.Errorf("%s: %q, want %q", c.src, got, c.want)
		}
	}
	p := newPage(t, "<body><p>Top</p><div><div>Package: files</div><h2>Class File</h2></div><div><p>It is a file.</p></div>")
	keep := []bool{false, false, true, true}
	p.Lead(keep)
	if got, want := chosen(p, keep), "Package: files\nClass File\nIt is a file.\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// chosen returns the texts of the blocks of keep.
func chosen(p *content.Page, keep []bool) string {
	var b strings.Builder
	for i, k := range keep {
		if k {
			b.WriteString(p.Text(i) + "\n")
		}
	}
	return b.String()
}

// TestSigned checks what says that a generator of documentation has made a page.
func TestSigned(t *testing.T) {
	for src, want := range map[string]bool{
		"<meta name=generator content='Javadoc/17'>":                                           true,
		"<meta name=generator content=GAPDoc2HTML>":                                            true,
		"<meta name=generator content='Google Docs'>":                                          false,
		"<meta name=generator content='docx4j 3'>":                                             false,
		"<!-- Generated by groovydoc (2.4) on Mon May 15 -->":                                  true,
		"<!doctype html><!--Converted with LaTeX2HTML 2022 --><html><head><title>x</title>":    true,
		"<body><div><p><!-- Generated by groovydoc --></p></div>":                              false,
		"<!-- document generated by hand -->":                                                  false,
		"<!-- Page generated by a cache on 2019-11-20 -->":                                     false,
		"<!-- generated by groovydoc " + strings.Repeat("and under this license ", 10) + "-->": false,
	} {
		if got := newPage(t, src).IsHandbook(); got != want {
			t.Errorf("%s: %v, want %v", src, got, want)
		}
	}
}

// TestChapter checks that the parts of a page of a known generator are kept although no name says
// that they are its content, and that menus beside them are not.
func TestChapter(t *testing.T) {
	prose := "<p>prose " + strings.Repeat("of a page that explains a function at length, ", 12) + "</p>"
	src := "<!-- Generated by groovydoc --><body><div><ul>" + strings.Repeat("<li><a href=x.html>Overview of all</a>", 9) + "</ul></div>" +
		"<div class=box><div>" + prose + "</div><div><h3>Details</h3><table><tr><td>name</td><td>" + strings.Repeat("says it all again ", 60) + "</td></tr></table></div></div>"
	p := newPage(t, src)
	keep := make([]bool, len(p.Blocks))
	for i := range keep {
		keep[i] = strings.Contains(p.Text(i), "prose")
	}
	if !p.Manual(keep, true) {
		t.Fatal("no element holds the content")
	}
	if got := chosen(p, keep); strings.Contains(got, "Overview") || !strings.Contains(got, "Details") || !strings.Contains(got, "says it all") {
		t.Errorf("%q", got)
	}
}
