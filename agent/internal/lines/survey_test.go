// SPDX-License-Identifier: Apache-2.0

package lines_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/journal"
)

// TestDated adds the days of attributes to texts without a year.
func TestDated(t *testing.T) {
	const day = `<time datetime="2026-03-14T19:30">Sat 14 Mar</time>`
	for _, test := range []struct{ name, in, line, want string }{
		{"without a year", day, "Gig, Sat 14 Mar at 7", "Gig, Sat 14 Mar (2026-03-14) at 7"},
		{"with a year", `<time datetime="2026-03-14">14 March 2026</time>`, "14 March 2026", "14 March 2026"},
		{"a year behind the element", day + " 2026", "Sat 14 Mar 2026", "Sat 14 Mar 2026"},
		{"two days with one text", day + `<time datetime="2027-03-14">Sat 14 Mar</time>`, "Sat 14 Mar", "Sat 14 Mar"},
		{"another day in the attribute", `<time datetime="2026-03-13">Sat 14 Mar</time>`, "Sat 14 Mar", "Sat 14 Mar"},
		{"no day in the attribute", `<time datetime="19:30">14 Mar</time>`, "14 Mar", "14 Mar"},
		{"part of a longer text", `<time datetime="2026-03-04">4 Mar</time>`, "14 Mar", "14 Mar"},
		{"two texts", day + `<time datetime="2026-04-02">2 Apr</time>`, "Sat 14 Mar – 2 Apr", "Sat 14 Mar (2026-03-14) – 2 Apr (2026-04-02)"},
	} {
		root, err := html.Parse(strings.NewReader(test.in))
		if err != nil {
			t.Fatal(err)
		}
		texts, _ := lines.Survey(root, lines.NewLinker("https://a.test/"))
		got := []string{test.line}
		if lines.Dated(got, texts); got[0] != test.want {
			t.Errorf("%s: %q, want %q", test.name, got[0], test.want)
		}
	}
}

// TestStated finds what only the structured data of a page states about its subject.
func TestStated(t *testing.T) {
	const product = `<script type="application/ld+json">{"@type":"Product","name":"Tom &#39;s Lamp","brand":{"@type":"Brand","name":"Lux"},"color":"deep red","url":"https://a.test/l","sku":"4"}</script>`
	for _, test := range []struct {
		name, in string
		shown    []string
		want     []string
	}{
		{"a product", product, []string{"# Tom 's Lamp", "It is deep red, and 4 are left."}, []string{"brand: Lux", "brand.name: Lux", "sku: 4"}},
		{"another subject", product, []string{"# Lamps"}, nil},
		{"no heading", product, []string{"Tom 's Lamp"}, nil},
		{"two things with the name", product + product, []string{"# Tom 's Lamp"}, nil},
		{"the site, too", product + `<script type="application/ld+json">{"@type":"Organization","name":"Lamp Shop","telephone":"12345678"}</script>`, []string{"# Tom 's Lamp", "deep red"}, []string{"brand: Lux", "brand.name: Lux", "sku: 4"}},
	} {
		root, err := html.Parse(strings.NewReader(test.in))
		if err != nil {
			t.Fatal(err)
		}
		facts, err := lines.Facts(t.Context(), root)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, text := range lines.Stated(facts, test.shown) {
			got = append(got, text.Label+": "+text.Value)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

// TestPieces finds the texts that stand in an element beside others.
func TestPieces(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     []journal.Text
	}{
		{"lines", `<p>Oil on panel<br>1843<br>12 × 9 cm</p>`, []journal.Text{
			{Value: "Oil on panel"}, {Label: "Oil on panel", Value: "1843"}, {Label: "1843", Value: "12 × 9 cm"},
		}},
		{"lines with heads", `<p>Beds: 12<br>Open: all year</p>`, []journal.Text{
			{Value: "Beds: 12"}, {Attr: ":", Label: "Beds", Value: "12"}, {Label: "Beds: 12", Value: "Open: all year"}, {Attr: ":", Label: "Open", Value: "all year"},
		}},
		{"a label in bold", `<p><b>Head:</b> Dr Lund</p>`, []journal.Text{{Label: "Head:", Value: "Dr Lund"}}},
		{"a colon behind the label", `<li><i>Length</i>: 7 m</li>`, []journal.Text{{Label: "Length", Value: "7 m"}}},
		{"a long text before it", `<p>` + strings.Repeat("word ", 20) + `<br>7 m</p>`, []journal.Text{{Value: strings.TrimSpace(strings.Repeat("word ", 20))}, {Value: "7 m"}}},
		{"the only text of its element", `<p>7 m</p><p><b>7 m</b></p>`, nil},
	} {
		root, err := html.Parse(strings.NewReader(test.in))
		if err != nil {
			t.Fatal(err)
		}
		texts, _ := lines.Survey(root, lines.NewLinker("https://a.test/"))
		var got []journal.Text
		for _, text := range texts {
			if kind, ok := strings.CutPrefix(text.Attr, "#"); ok {
				got = append(got, journal.Text{Attr: kind, Label: text.Label, Value: text.Value})
			}
		}
		if d := cmp.Diff(test.want, got); d != "" {
			t.Errorf("%s: %s", test.name, d)
		}
	}
}

// TestSurvey finds short texts with their labels, and images that stand for a text.
// TestSentences expects the sentences of a paragraph that is too long to be one text, and none of
// a short one, of one that is only a sentence, or of an element that contains others.
func TestSentences(t *testing.T) {
	long := "Built in 1895, <a href=/b>Hall B</a> has 162 m² and a kitchen. Cleaning costs 60 €, the deposit is 450 €. " + strings.Repeat("It is a quiet place. ", 6)
	for page, want := range map[string]int{
		"<p>" + long + "</p>":                                        8,
		"<p>Built in 1895. It has 162 m².</p>":                       0,
		"<p>" + strings.Repeat("quiet and ", 40) + "old.</p>":        0,
		"<div>" + long + "<ul><li>x</li></ul></div>":                 0,
		"<p>" + strings.Repeat("It is a quiet place. ", 20) + "</p>": 0,
		"<p>" + strings.Repeat("Quiet. ", 2000) + "</p>":             0,
	} {
		root, err := html.Parse(strings.NewReader(page))
		if err != nil {
			t.Fatal(err)
		}
		texts, _ := lines.Survey(root, lines.NewLinker("https://a.test/"))
		var got []string
		for _, text := range texts {
			if text.Attr == "." {
				got = append(got, text.Value)
			}
		}
		if len(got) != want || want > 0 && (got[0] != "Built in 1895, Hall B has 162 m² and a kitchen." || got[1] != "Cleaning costs 60 €, the deposit is 450 €.") {
			t.Errorf("%.40s: %q, want %d", page, got, want)
		}
	}
}

func TestSurvey(t *testing.T) {
	root, err := html.Parse(strings.NewReader(`<p>Grade: easy</p><table><tr><td>Dogs<td><img src=dog.svg alt=" Dogs  allowed "></table><p><img alt=a><img alt=b></p>` +
		`<p>Stars: <i role=img aria-label="4 of 5"></i><p>By <b>Ann</b> and <b>Bo</b><button aria-label=Close></button>`))
	if err != nil {
		t.Fatal(err)
	}
	var got []journal.Text
	texts, _ := lines.Survey(root, lines.NewLinker("https://a.test/"))
	for _, text := range texts {
		if strings.HasPrefix(text.Path, "html>body>p") || strings.HasSuffix(text.Path, "td") {
			got = append(got, text)
		}
	}
	want := []journal.Text{
		{Path: "html>body>p", Value: "Grade: easy"},
		{Path: "html>body>p", Attr: ":", Label: "Grade", Value: "easy"},
		{Path: "table>tbody>tr>td", Value: "Dogs"},
		{Path: "table>tbody>tr>td", Label: "Dogs", Value: "Dogs allowed"},
		{Path: "html>body>p>img", Attr: "alt", Value: "a"},
		{Path: "html>body>p>img", Attr: "alt", Value: "b"},
		{Path: "html>body>p", Value: "Stars:"},
		{Path: "html>body>p", Attr: "#", Value: "Stars:"},
		{Path: "html>body>p>i", Attr: "aria-label", Label: "Stars:", Value: "4 of 5"},
		{Path: "html>body>p", Label: "Stars:", Value: "By Ann and Bo"},
		{Path: "html>body>p", Attr: "#", Value: "By"},
		{Path: "html>body>p", Attr: "#", Label: "Ann", Value: "and"},
		{Path: "html>body>p>b", Label: "By", Value: "Ann"},
		{Path: "html>body>p>b", Value: "Bo"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestHeaded finds labels and questions at the beginning of texts.
func TestHeaded(t *testing.T) {
	root, err := html.Parse(strings.NewReader(`<p>Fee: none</p><p>Is there a fee? No</p><p>費用：無料</p><p>Why?</p>`))
	if err != nil {
		t.Fatal(err)
	}
	texts, _ := lines.Survey(root, lines.NewLinker("https://a.test/"))
	var got []string
	for _, text := range texts {
		if text.Attr == ":" && strings.HasSuffix(text.Path, ">p") {
			got = append(got, text.Label+": "+text.Value)
		}
	}
	if d := cmp.Diff([]string{"Fee: none", "Is there a fee: No", "費用: 無料"}, got); d != "" {
		t.Error(d)
	}
}
