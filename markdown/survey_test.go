// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/internal/dom"
)

// surveyOf surveys the HTML text src and returns the writer, the first element
// that has the given ID, and the size.
func surveyOf(t *testing.T, src string, o Options) (w *writer, byID func(id string) *html.Node, size int) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	w = &writer{steps: dom.NewSteps(t.Context())}
	w.options = o
	size = w.survey(root)
	return w, func(id string) *html.Node {
		for n := range root.Descendants() {
			if dom.Attr(n, "id") == id {
				return n
			}
		}
		t.Fatalf("no element has the ID %s", id)
		return nil
	}, size
}

// TestSurveyTables counts the text of tables, without spaces, and that of the
// tables inside them.
func TestSurveyTables(t *testing.T) {
	w, byID, size := surveyOf(t, `<p>ab c</p><table id=outer><tr><td>de f<td><table id=inner><tr><td>g h</table></table>`, Options{})
	if got, want := w.tables[byID("outer")], (tableStat{text: 5, nested: 2}); got != want {
		t.Errorf("the outer table has %+v, want %+v", got, want)
	}
	if got, want := w.tables[byID("inner")], (tableStat{text: 2}); got != want {
		t.Errorf("the inner table has %+v, want %+v", got, want)
	}
	if size != 4+5 { // spaces count only outside of tables
		t.Errorf("size %d, want 9", size)
	}
}

// TestSurveyTablesInLinks counts a table in a link of a table as nested.
func TestSurveyTablesInLinks(t *testing.T) {
	table := func(inner ...*html.Node) *html.Node {
		return parent("table", parent("tr", parent("td", inner...)))
	}
	inner := table(&html.Node{Type: html.TextNode, Data: "abc"})
	link := parent("a", inner)
	outer := table(link)
	w := &writer{steps: dom.NewSteps(t.Context())}
	w.survey(outer)
	if got, want := w.tables[outer], (tableStat{text: 3, nested: 3}); got != want {
		t.Errorf("the outer table has %+v, want %+v", got, want)
	}
	if !w.anchors[link] {
		t.Error("the blocks of a link with a table do not remain blocks")
	}
}

// TestSurveyAnchors finds the links whose blocks remain blocks.
func TestSurveyAnchors(t *testing.T) {
	long := strings.Repeat("x", sectionText+1)
	w, byID, _ := surveyOf(t, `<a id=short href=/>short</a> <a id=long href=/>`+long+`</a> <a id=code href=/><pre>x</pre></a> <a id=edge href=/>`+long[1:]+`</a>`, Options{})
	for id, want := range map[string]bool{"short": false, "long": true, "code": true, "edge": false} {
		if got := w.anchors[byID(id)]; got != want {
			t.Errorf("%s: got %v", id, got)
		}
	}
}

// TestSurveyMath finds the pages that contain formulas, on which dollar signs
// need escapes.
func TestSurveyMath(t *testing.T) {
	for src, want := range map[string]bool{
		"<p>costs $5 and $6":                       false,
		"<math><mi>x</mi></math>":                  true,
		`<script type="math/tex">x</script>`:       true,
		`<script type="text/javascript">x`:         false,
		`<span class="katex">x</span>`:             true,
		`<span data-latex="x"></span>`:             true,
		`<span class="mathematician">Gauss</span>`: false,
	} {
		if w, _, _ := surveyOf(t, src, Options{}); w.scope.math != want {
			t.Errorf("%s: got %v", src, w.scope.math)
		}
	}
}

// TestSurveyNotes finds footnotes, but not in CommonMark, which has none.
func TestSurveyNotes(t *testing.T) {
	const src = `<p>a<sup><a id=ref href="#fn1">1</a></sup></p><ol><li id="fn1">note</li></ol>`
	w, byID, _ := surveyOf(t, src, Options{})
	if w.notes == nil || w.notes.refs[byID("ref")] == nil || w.notes.bodies[byID("fn1")] == nil {
		t.Error("the footnote was not found")
	}
	if w, _, _ := surveyOf(t, src, Options{Flavor: CommonMark}); w.notes != nil {
		t.Error("CommonMark has footnotes")
	}
	if w, _, _ := surveyOf(t, `<p>a <a href="#b">b</a><h2 id=b>b</h2>`, Options{}); w.notes != nil {
		t.Error("a link to a heading is a footnote")
	}
}

// TestSurveyTabs gives tab panels the names of their tabs.
func TestSurveyTabs(t *testing.T) {
	w, byID, _ := surveyOf(t, `<div role=tablist><button role=tab aria-controls=p2>Two</button><button role=tab aria-controls=p1>One</button></div>`+
		`<div role=tabpanel id=p1>a</div><div role=tabpanel id=p2>b</div><div role=tabpanel id=p3 aria-label=Three>c</div>`, Options{})
	for id, want := range map[string]string{"p1": "One", "p2": "Two", "p3": "Three"} {
		if got := w.labels[byID(id)]; got != want {
			t.Errorf("%s has the name %q, want %q", id, got, want)
		}
	}
}

// TestTextOf folds white space, separates blocks and stays within its limit.
func TestTextOf(t *testing.T) {
	_, byID, _ := surveyOf(t, `<div id=a> one <b>two</b>three<p>four</p></div><div id=b>`+strings.Repeat("word ", 100)+`</div>`, Options{})
	if got := textOf(byID("a"), 100); got != "one twothree four" {
		t.Errorf("got %q", got)
	}
	if got := textOf(byID("b"), 20); len(got) > 20 || !strings.HasPrefix(got, "word word") {
		t.Errorf("got %q for a limit of 20 bytes", got)
	}
}

// TestHasClass looks for whole class names.
func TestHasClass(t *testing.T) {
	_, byID, _ := surveyOf(t, `<p id=a class=" note  warning ">x`, Options{})
	n := byID("a")
	if !hasClass(n, "tip", "warning") || hasClass(n, "warn") || hasClass(n) {
		t.Error("class names do not match as whole words")
	}
}
