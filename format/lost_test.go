// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/format"
	"example.com/curlew/format/internal/content"
)

// TestLostWarning checks the warnings about lists and tables of data that are not in the
// main content. It needs a list and a table that the extractor leaves out below a long
// article. If new weights of the extractor keep them, the test fails and needs others.
func TestLostWarning(t *testing.T) {
	const para = "<p>The old harbour was rebuilt in the last century, and the people who live there still remember how the boats came in every morning, laden with fish and salt, before the road was opened and the trade moved inland to the larger towns.</p>"
	article := func(list string) string {
		return "<html><head><title>The harbour - Site</title></head><body><nav><ul><li><a href=/>Home</a></li><li><a href=/a>About</a></li></ul></nav><article><h1>The harbour</h1>" +
			strings.Repeat(para, 30) + list + "</article><footer><p>Copyright 2024 Site</p></footer></body></html>"
	}
	list := func(n int, item string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, item, i+1)
		}
		return b.String()
	}
	const item = "<li><a href=/b/%d>Bolt number %[1]d</a> $%[1]d.50</li>"
	sold := "<div class=template><ul id=sold>" + list(8, item) + "</ul></div>"
	for _, c := range []struct {
		name, list string
		o          format.Options
		want       string
	}{
		{"prices", sold, format.Options{}, "A list of 8 items with 40 words was left out of the main content."},
		{
			"rows", "<div class=template><table>" + list(8, "<tr><td><a href=/b/%d>Bolt %[1]d</a></td><td>steel</td><td>$%[1]d.50</td></tr>") + "</table></div>",
			format.Options{},
			"A table of 8 rows with 40 words was left out of the main content.",
		},
		{
			"boxes within", "<div>" + list(8, "<div class=card><h3><a href=/b/%d>Bolt %[1]d</a></h3><span class=price>$%[1]d.50</span></div>") + "</div>" + para, format.Options{}, "",
		},
		{"the whole page", sold, format.Options{WholePage: true}, ""},
		{"excluded", sold, format.Options{Exclude: selectors(t, "#sold")}, ""},
		{"links", "<ul>" + list(8, "<li><a href=/b/%d>Report of the council</a></li>") + "</ul>", format.Options{}, ""},
		{"no list", "", format.Options{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := format.Build(t.Context(), &format.Input{Root: tree(t, article(c.list)), URL: "https://a.example/news/the-harbour"}, &c.o)
			if err != nil {
				t.Fatal(err)
			}
			if c.want != "" && strings.Contains(*d.Markdown, "Bolt") {
				t.Fatal("the main content has the list or table, so that this case checks nothing: choose another one")
			}
			if d.Warning != c.want {
				t.Errorf("warning %q, want %q; Markdown %s", d.Warning, c.want, *d.Markdown)
			}
		})
	}
}

// TestDoubtsWarning checks the warning about blocks that may belong to the main content. It
// needs a box about the author that the extractor leaves out below an article. If new weights
// of the extractor keep it, or are sure that it is not content, the test fails and needs
// another one.
func TestDoubtsWarning(t *testing.T) {
	const para = "<p>The old harbour was rebuilt in the last century, and the people who live there still remember how the boats came in every morning, laden with fish and salt, before the road was opened and the trade moved inland to the larger towns.</p>"
	const box = "<div class=bio><p>Ann Other writes about harbours and boats and has lived by the sea for many years with her two dogs. She likes salt, fish and long walks in the winter storms of the north.</p></div>"
	for _, c := range []struct {
		name  string
		paras int
		o     format.Options
		want  string
	}{
		{"a box", 6, format.Options{}, "Blocks of doubtful content (1) with 34 words were left out of the main content."},
		{"a small part of the page", 12, format.Options{}, ""},
		{"the whole page", 6, format.Options{WholePage: true}, ""},
		{"excluded", 6, format.Options{Exclude: selectors(t, ".bio")}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := "<html><head><title>The harbour - Site</title></head><body><nav><ul><li><a href=/>Home</a></li><li><a href=/a>About</a></li></ul></nav><article><h1>The harbour</h1>" +
				strings.Repeat(para, c.paras) + "</article>" + box + "<footer><p>Copyright 2024 Site</p></footer></body></html>"
			d, err := format.Build(t.Context(), &format.Input{Root: tree(t, src), URL: "https://a.example/news/the-harbour"}, &c.o)
			if err != nil {
				t.Fatal(err)
			}
			if !c.o.WholePage && strings.Contains(*d.Markdown, "Ann Other") {
				t.Fatal("the main content has the box, so that this case checks nothing: choose another one")
			}
			if d.Warning != c.want {
				t.Errorf("warning %q, want %q", d.Warning, c.want)
			}
		})
	}
}

// TestLossTexts checks that the warnings describe the first lists and tables, and count the
// others.
func TestLossTexts(t *testing.T) {
	all := []content.Loss{{Records: 8, Words: 40}, {Table: true, Records: 6, Words: 43, Part: true}, {Records: 4, Words: 9}, {Records: 5, Words: 10}, {Table: true, Records: 7, Words: 12}}
	texts := []string{
		"A list of 8 items with 40 words was left out of the main content.",
		"Of a table of 6 rows, 43 words were left out of the main content.",
		"A list of 4 items with 9 words was left out of the main content.",
		"Other lists and tables (2) with 22 words were left out of the main content too.",
	}
	for n, want := range [][]string{nil, texts[:1], texts[:2], texts[:3], {texts[0], texts[1], texts[2], "Other lists and tables (1) with 10 words were left out of the main content too."}, texts} {
		if got := format.LossTexts(all[:n]); !slices.Equal(got, want) {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

// TestHiddenWarning checks the warning about a text within the content that shows only after a click.
func TestHiddenWarning(t *testing.T) {
	const para = "<p>The old harbour was rebuilt in the last century, and the people who live there still remember how the boats came in every morning, laden with fish and salt.</p>"
	const text = "Before the road was opened, the trade went by sea, and the larger towns of the north got their salt from the harbour in winter."
	const want = "Texts within the content that the page hides until a click (1) with 25 words were left out of the main content."
	for name, c := range map[string]struct{ in, after, want string }{
		"style":                {"<p style='display: none'>" + text + "</p>", "", want},
		"attribute":            {"<div hidden><p>" + text + "</p></div>", "", want},
		"a price":              {"<p>It costs $15<b hidden>$12</b> a month.</p>", "", "Texts within the content that the page hides until a click (1) with 1 words were left out of the main content."},
		"a few words":          {"<p hidden>Before the road was opened</p>", "", ""},
		"no text":              {"<div hidden><script>" + text + "</script></div>", "", ""},
		"a dialog":             {"<div class=popup hidden>" + text + "</div>", "", ""},
		"from screen readers":  {"<div aria-hidden=true>" + text + "</div>", "", "Left out of the content: 25 words that are hidden from screen readers."},
		"from all, said twice": {"<div aria-hidden=true hidden>" + text + "</div>", "", want},
		"without a script":     {"<noscript>" + text + "</noscript>", "", ""},
		"after the content":    {"", "<p hidden>" + text + "</p>", ""},
		"excluded by a filter": {"<div class=x>" + para + "<p hidden>" + text + "</p>" + para + "</div>", "", ""},
	} {
		src := "<title>The harbour</title><article><h1>The harbour</h1>" + strings.Repeat(para, 6) + c.in + strings.Repeat(para, 6) + "</article>" + c.after
		d, err := format.Build(t.Context(), &format.Input{Root: tree(t, src), URL: "https://a.example/news/the-harbour"}, &format.Options{Exclude: selectors(t, ".x")})
		if err != nil {
			t.Fatal(err)
		}
		if d.Warning != c.want {
			t.Errorf("%s: warning %q, want %q", name, d.Warning, c.want)
		}
	}
}

// TestBoxesWarning checks the warning about an element among the content that is left out because of its tag. It needs a
// footer that the extractor leaves out.
func TestBoxesWarning(t *testing.T) {
	const para = "<p>The old harbour was rebuilt in the last century, and the people who live there still remember how the boats came in every morning, laden with fish and salt, before the road was opened.</p>"
	const footer = "<footer class=newsletter><p>Our letter about ships comes each Friday morning, with news of all the ports and the people in them</p><p>Write to us</p></footer>"
	src := "<html><head><title>The harbour - Site</title></head><body><article><h1>The harbour</h1>" + strings.Repeat(para, 3) + footer + strings.Repeat(para, 3) + "</article></body></html>"
	d, err := format.Build(t.Context(), &format.Input{Root: tree(t, src), URL: "https://a.example/news/the-harbour"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(*d.Markdown, "Friday") {
		t.Fatal("the main content has the footer, so that this test checks nothing: choose another one")
	}
	if want := "Asides, footers and the like among the content (1) with 22 words were left out of the main content."; d.Warning != want {
		t.Errorf("warning %q, want %q", d.Warning, want)
	}
}

// TestPricesWarning checks the warning about a price that is left out because of the name of its box. It needs a box that
// the extractor leaves out.
func TestPricesWarning(t *testing.T) {
	const src = `<title>Statistics | Campus</title><div><h1>Statistics</h1><p>Learn to read your own data in six weeks.</p><p>4.7 (1,312 ratings) · 24,880 enrolled · Last updated 06/2024</p><p>Created by <a href=/i/1>Amara Field</a></p></div>
<div class="sidebar-purchase %s">%s<ul><li>11 hours of video<li>24 exercises<li>Certificate</ul></div><section><h2>What you will learn</h2><ul><li>Choose a test<li>Read a p-value</ul></section>
<section><h2>Course content</h2><p>3 sections, 7 lectures, 2 h 10 m</p><h3>Describing data, 3 lectures</h3><ul><li>Mean and median 12:10<li>Spread 15:02<li>Quiz 1 with 5 questions</ul><h3>Testing, 2 lectures</h3><ul><li>t-test 25:00<li>Chi-squared 25:12</ul></section>
<section><h2>Instructor</h2><h3>Amara Field</h3><p>Amara has taught statistics for fourteen years. She has counted more snails than anyone she knows. She lives by the sea, where she counts the boats each morning, and writes down all that she has counted in a book with a blue cover.</p></section>`
	for _, c := range []struct{ class, price, want string }{
		{"", "<b>€49.00</b>", "Prices among the content (1) with 2 words were left out of the main content."},
		{"related", "<b>€49.00</b>", ""},
		{"", "<a href=/b>€49.00</a>", ""},
		{"", "<b>€</b>", ""},
	} {
		d := build(t, fmt.Sprintf(src, c.class, c.price), format.Options{Forms: []format.Form{format.Markdown}})
		if strings.Contains(*d.Markdown, "€") {
			t.Fatal("the main content has the price, so that this test checks nothing: choose another box")
		}
		if d.Warning != c.want {
			t.Errorf("%q in %q: warning %q, want %q", c.price, c.class, d.Warning, c.want)
		}
	}
}

// TestIconLabel writes the names of icons that are all that a cell has.
func TestIconLabel(t *testing.T) {
	const src = `<title>Plans</title><h1>Plans</h1><table><tr><th>Plan<th>Free<th>Team<th>Club<th>School<th>Old<tr><td>Sign-on<td><svg aria-label="No"><path/></svg><td><svg><title>Yes</title></svg>
<td><i class=x title="On request"></i><td><svg aria-hidden=true><title>tick</title></svg><td>Yes <svg><title>tick</title></svg></table>`
	d := build(t, src, format.Options{Forms: []format.Form{format.Markdown}, WholePage: true})
	if want := "| Sign-on | No | Yes | On request | | Yes |"; !strings.Contains(*d.Markdown, want) {
		t.Errorf("no %q in\n%s", want, *d.Markdown)
	}
}
