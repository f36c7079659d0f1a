// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/curlew/format"
	"example.com/curlew/internal/test/cputest"
)

// birds is a page of sentences.
const birds = `<h1>The curlew</h1><p>The curlew is a large wader. Its bill is long and curved! Dr. Smith of Leeds wrote e.g. about it.
It nests in <b>open moors</b>, where it "calls at dawn." Numbers fell by 3.5 percent.</p><ul><li>Nests are scrapes in the ground<li>Eggs are green</ul>
<p>Curlews eat worms? Yes. Curlews eat crabs and curlews eat worms.</p>`

func TestHighlights(t *testing.T) {
	const ranked = "No model is configured: for the highlights, sentences of the page were ranked by the words of the query."
	for _, test := range []struct{ name, src, query, want, warning string }{
		{"a word", birds, "bill", "Its bill is long and curved!", ranked},
		{"over markup", birds, "open moors", `It nests in open moors, where it "calls at dawn."`, ranked},
		{"an abbreviation ends nothing", birds, "Leeds", "Dr. Smith of Leeds wrote e.g. about it.", ranked},
		{"a number neither", birds, "percent", "Numbers fell by 3.5 percent.", ranked},
		{"items", birds, "EGGS", "Eggs are green", ranked},
		{"in document order", birds, "curlews eat crabs worms", "Curlews eat worms?\nCurlews eat crabs and curlews eat worms.", ranked},
		{"nothing", birds, "penguin", "", "For the highlights, nothing on the page fits the words of the query."},
		{"no words", birds, " ?! ", "", "For the highlights, nothing on the page fits the words of the query."},
		{"no page", "", "bill", "", "For the highlights, nothing on the page fits the words of the query. The page has no content: neither text nor images."},
		{"no spaces", "<p>鳥は海辺に住む。巣は地面にある。", "巣は", "巣は地面にある。", ranked},
		{"each once", "<p>A bird.<p>A bird.", "bird", "A bird.", ranked},
	} {
		d := build(t, test.src, format.Options{Forms: []format.Form{format.Highlights, format.Markdown}, Query: test.query})
		if *d.Highlights != test.want || d.Warning != test.warning {
			t.Errorf("%s: got %q and %q, want %q and %q", test.name, *d.Highlights, d.Warning, test.want, test.warning)
		}
	}
	var many strings.Builder
	for i := range 20 {
		fmt.Fprintf(&many, "<p>Bird number %d.", i)
	}
	d := build(t, many.String(), format.Options{Forms: []format.Form{format.Highlights}, Query: "bird"})
	if n := strings.Count(*d.Highlights, "\n") + 1; n != 8 {
		t.Errorf("%d highlights", n)
	}
}

func TestAnswer(t *testing.T) {
	d := build(t, birds, format.Options{Forms: []format.Form{format.Answer}, Question: "What do curlews eat: worms?"})
	if want := "Curlews eat worms?"; *d.Answer != want {
		t.Errorf("got %q, want %q", *d.Answer, want)
	}
	d = build(t, birds, format.Options{Forms: []format.Form{format.Answer}, Question: "curlews eat worms", Quotes: true})
	if want := "Curlews eat worms?\nCurlews eat crabs and curlews eat worms."; *d.Answer != want {
		t.Errorf("quotes: got %q, want %q", *d.Answer, want)
	}
	in := &format.Input{Raw: "One line.\nA second line. It is of text.", Verbatim: true}
	d, err := format.Build(t.Context(), in, &format.Options{Forms: []format.Form{format.Answer}, Question: "second"})
	if err != nil || *d.Answer != "A second line." {
		t.Errorf("of text: %v, %v", d, err)
	}
}

func TestSummary(t *testing.T) {
	const extractive = "No model is configured: the summary is extractive."
	const given = "The curlew is a large wader with a long curved bill that nests in open moors of the ground."
	filler := "<p>Curlews nest on the moors in spring. Farmers see curlews nest on their fields. Snow is cold. The moors of spring belong to curlews that nest. Trains run late. Curlews of the moors leave in spring. A curlew will nest on wet moors.</p>"
	for _, test := range []struct{ name, src, want, warning string }{
		{"description", `<meta name=description content="` + given + `">` + birds + "<p>With that, of the bill a large wader.", given, extractive},
		{
			"description of the site", `<meta name=description content="We sell shoes, boots, laces and all that feet may want in any season of the year.">` + filler,
			"Curlews nest on the moors in spring. Farmers see curlews nest on their fields. The moors of spring belong to curlews that nest. Curlews of the moors leave in spring. A curlew will nest on wet moors.", extractive,
		},
		{"few sentences", "<h1>Not this</h1><p>The bird is quite large. And it can sing well.", "The bird is quite large. And it can sing well.", extractive},
		{"nothing", "<h1>Bird</h1>", "", "The page has no sentences to sum up."},
	} {
		d := build(t, test.src, format.Options{Forms: []format.Form{format.Summary}})
		if *d.Summary != test.want || d.Warning != test.warning {
			t.Errorf("%s: got %q and %q, want %q and %q", test.name, *d.Summary, d.Warning, test.want, test.warning)
		}
	}
}

// TestLongProse checks that the time for long texts is not quadratic in their length.
func TestLongProse(t *testing.T) {
	start := cputest.Used(t)
	for _, unit := range []string{"The bird number one sings in the early morning. ", "a", "鳥。", ". ", "<b>x</b>. Y "} {
		src := "<p>" + strings.Repeat(unit, 3<<20/len(unit)/4)
		o := format.Options{Forms: []format.Form{format.Summary, format.Highlights, format.Answer}, Query: unit, Question: unit}
		build(t, src, o)
	}
	if d := cputest.Used(t) - start; d > time.Minute { // many times what it takes
		t.Errorf("took %v", d)
	}
}
