// SPDX-License-Identifier: Apache-2.0

package content_test

import (
	"strings"
	"testing"
)

// TestTitles checks which headings of a page of documentation are kept, and what after the content is not.
func TestTitles(t *testing.T) {
	prose := "<p>" + strings.Repeat("This text of a page explains a function at length. ", 40) + "</p>"
	for _, c := range []struct{ name, src, in, out string }{
		{
			"a title before sections with an h1 each",
			"<title>std/iterators</title><body><div class=container><h1>std/iterators</h1><div><ul><li><a href=a>one</a><li><a href=b>two</a></ul></div><div id=content>" + prose + "<h1>Iterators</h1>" + prose + "</div></div>",
			"std/iterators", "",
		},
		{
			"the name of the site in a header, before a heading that names the page",
			"<title>Tool 10 - How to use it</title><body><header><h1>Tool 10</h1><div>Version of today</div></header><div id=content><h2>How to use it</h2>" + prose + "</div>",
			"How to use it", "Tool 10",
		},
		{
			"the title in a header, before a section that repeats it",
			"<title>Opening files</title><body><header><h1>Opening files</h1><div>Version of today</div></header><div id=content><h2>files</h2>" + prose + "</div>",
			"Opening files", "",
		},
		{
			"the name of the site as a linked h1",
			"<title>Files and folders</title><body><div class=document><div id=hd><h1><a href=/index.html>Tool 10 Manual</a></h1></div><div class=body><h1>Files</h1><p>This page explains files.</div></div>",
			"Files", "Tool 10 Manual",
		},
		{
			"a license after the content",
			"<title>Files</title><body><div id=container><h1>Files</h1><p>This page explains files.</p><table><tr><td><div class=copyright-footer>" + strings.Repeat("<p>This license of the makers is longer than the page.</p>", 20) + "</div></td></tr></table></div>",
			"explains", "license",
		},
		{
			"the motto of the site before a menu, on a short page",
			"<title>Files</title><body><div class=top><div>Small and fast.</div><nav><ul>" + strings.Repeat("<li><a href=a>Home</a>", 20) + "</ul></nav></div><h1>Files</h1><p>Used by <a href=b>folders</a> and <a href=c>links</a> of all systems.</p>",
			"Used by", "Small",
		},
		{
			"the end of a column beside a short text",
			"<title>Files</title><body><div class=document><div id=bd><div><h1>Files</h1><p>This page explains files.</p></div><div id=sidebar><div role=navigation>" + strings.Repeat("<p><a href=a>Files</a>", 9) + "</div><h3>Last update</h3><p>Nov 11, 2026</p></div></div></div>",
			"explains", "Last update",
		},
		{
			"a sentence after a menu within a short text",
			"<title>Files</title><body><div id=content><h1>Files</h1><div><div role=navigation>" + strings.Repeat("<a href=a>Files</a> ", 9) + "</div><p>This page explains files.</p></div></div>",
			"explains", "",
		},
		{
			"the name of the makers after a rule",
			"<title>Files</title><body><div id=container><h1>Files</h1>" + prose + "<hr><p><a href=a>Main index</a> | <a href=b>Topics</a><p>© 2023 <a href=c>The makers</a>, manual of files</div>",
			"explains", "Topics",
		},
		{
			"a last section after a rule",
			"<title>Files</title><body><div id=container><h1>Files</h1>" + prose + "<hr><h2>License</h2><p>© 2023 <a href=c>The makers</a></div>",
			"© 2023", "",
		},
	} {
		p := parse(t, "<head><meta name=generator content='Docutils 0.19'>"+c.src)
		got := kept(p.ix, p.ix.MustMain(p.ix.NewSet(), "").Drop)
		if !strings.Contains(got, c.in) || c.out != "" && strings.Contains(got, c.out) {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}
