// SPDX-License-Identifier: Apache-2.0

package epub_test

import (
	"strings"
	"testing"

	"example.com/curlew/internal/test/doctreetest"
	"example.com/curlew/internal/test/zipxmltest"
)

const styleSheet = `@import "x.css"; @charset "utf-8";
/* .i { font-weight: bold } */
.i, p.i { font-style: italic !important }
span.b { FONT-WEIGHT : 700 }
.b .i, .i:first-letter { display: none }
.both { font-style: oblique; font-weight: bolder }
.plain { font-style: normal }
#gone, .gone { display: none }
.unseen { visibility: hidden; display: block }
@media print { .i { display: none } .b { display: none } }
@font-face { font-family: x; font-style: italic }
.last { font-weight: bold`

// TestStyles reads properties that style sheets set for classes.
func TestStyles(t *testing.T) {
	for in, want := range map[string]string{
		`<p>a <span class="i">b</span> c</p>`:                                       `<p>a <em class="i">b</em> c</p>`,
		`<p class="i">all of it</p>`:                                                `<p class="i">all of it</p>`,
		`<p><span class="b">b</span> <b class="b">b</b></p>`:                        `<p><strong class="b">b</strong> <b class="b">b</b></p>`,
		`<p><span class="x both">a<br/>b</span></p>`:                                `<p><strong class="x both"><em>a<br/>b</em></strong></p>`,
		`<h1><span class="both">a</span></h1>`:                                      `<h1><em class="both">a</em></h1>`,
		`<p><span class="i plain">a</span></p>`:                                     `<p><span class="i plain">a</span></p>`,
		`<p><span class="i" style="font-style:normal">a</span></p>`:                 `<p><span class="i">a</span></p>`,
		`<p><span style="font-style:italic">a</span></p>`:                           `<p><em>a</em></p>`,
		`<p><span class="last">O</span>nce</p><p><span class="last">O</span> x</p>`: `<p><span class="last">O</span>nce</p><p><strong class="last">O</strong> x</p>`,
		`<p><span class="i"></span>x</p>`:                                           `<p><span class="i"></span>x</p>`,
		`<p class="gone">x</p><div id="gone">y</div><p class="unseen">z</p>`:        `<p class="unseen">z</p>`,
		`<aside class="gone">a note</aside>`:                                        `<aside class="gone">a note</aside>`,
		`<p class="own">x</p>`:                                                      ``,
	} {
		chapter := `<html><head><link rel="stylesheet" href="a.css"/><style>.own{display:none}</style></head><body>` + in + `</body></html>`
		got := doctreetest.Show(t, read(t, build([]zipxmltest.Part{{Name: "a.xhtml", Text: chapter}, {Name: "a.css", Text: styleSheet}}), 0))
		got = strings.ReplaceAll(strings.TrimSuffix(got[strings.Index(got, `<section id="c1">`)+17:], "</section></body></html>\n"), "\n", "")
		if got != want {
			t.Errorf("%s = %s, want %s", in, got, want)
		}
	}
}

// TestStyledTitle reads a title that is a bold paragraph.
func TestStyledTitle(t *testing.T) {
	got := doctreetest.Show(t, read(t, build([]zipxmltest.Part{
		{Name: "nav.xhtml", Text: `<nav epub:type="toc"><ol><li><a href="a.xhtml">One</a></li></ol></nav>`},
		{Name: "a.xhtml", Text: `<p><span style="font-weight:bold">One</span></p><p>text</p>`},
	}), 0))
	if want := `<h2><span>One</span></h2>`; !strings.Contains(got, want) {
		t.Errorf("%s is not in %s", want, got)
	}
}

// TestStylesBounded reads a style sheet of comments, one with unclosed
// rules, and one over the limit.
func TestStylesBounded(t *testing.T) {
	for _, css := range []string{
		strings.Repeat("/**/", 200_000),
		strings.Repeat("@media{", 100_000),
		strings.Repeat(".i{display:none}", 100_000), // over the limit
	} {
		got := doctreetest.Show(t, read(t, build([]zipxmltest.Part{
			{Name: "a.xhtml", Text: `<html><head><link rel="stylesheet" href="a.css"/></head><body><p class="i">seen</p></body></html>`},
			{Name: "a.css", Text: css},
		}), 0))
		if !strings.Contains(got, "seen") {
			t.Errorf("%.20s: %s", css, got)
		}
	}
}
