// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"strings"
	"testing"

	"example.com/curlew/format"
)

// TestUnread checks what the Markdown has of drawings, objects, image maps and buttons, and what the
// warning counts of the rest.
func TestUnread(t *testing.T) {
	const p = "<p>Birds sing.</p>"
	left := func(s string) string { return "Left out of the content: " + s + "." }
	for _, test := range []struct{ name, src, want, warning string }{
		{"a chart", `<svg><title>Birds</title><g><text>2019</text><text><tspan x=0>in</tspan><tspan x=0 dy=1>Spring</tspan></text><text>2019</text><text>2019</text></g></svg>`, "Birds: 2019, in Spring, 2019", ""},
		{"an icon", `<svg><title>Close</title><text>x</text></svg>`, "", ""},
		{"a picture object", `<object data=/a.svg title=Map><p>No pictures</p></object>`, "![Map](https://a.example/a.svg)", ""},
		{"a document object", `<object data=/a.pdf type=application/pdf title=Report><p>No documents</p></object>`, "[Report](https://a.example/a.pdf)", ""},
		{"a film object", `<object data=/a.swf type=application/x-shockwave-flash><p>The film shows birds.</p></object>`, "The film shows birds.", ""},
		{"an applet", `<applet code=a><p>The applet shows birds.</p></applet>`, "The applet shows birds.", ""},
		{"an image map", `<img src=/m.png usemap=#m alt=Map><map name=m><area href=/n alt=North><area href=/s title=South><area href=/w></map>`, "![Map](https://a.example/m.png) [North](https://a.example/n) [South](https://a.example/s \"South\")", ""},
		{"a card", `<button>Return within 365 days for a full refund of all</button>`, "", left("buttons with more than a label (1) with 10 words")},
		{"a question", `<button><h3>Returns?</h3></button>`, "", left("buttons with more than a label (1) with 1 words")},
		{"a label", `<button>Buy</button>`, "", ""},
		{"choices", `<select><option>Small size<option>Large size</select><select><option>x</select>`, "", left("lists of choices (1) with 4 words")},
		{"fields", `<input value="a b"><textarea>c</textarea><input type=hidden value=x><input type=submit value=Send>`, "", left("values of fields (2) with 3 words")},
		{"HTML in a drawing", `<svg><title>Flow</title><g><foreignObject><div><p>Take off</p><style>p {}</style></div></foreignObject></g><text>yes</text><foreignObject><p>Land</p><p>again</p></foreignObject></svg>`, "Flow: Take off, yes, Land again", ""},
		{"HTML in a drawing, or text", `<svg><switch><foreignObject><div>Long label</div></foreignObject><text>Long...</text></switch></svg>`, "Long label", ""},
		{"a page in a drawing", `<svg><g><foreignObject><p>` + strings.Repeat("bird ", 300) + `</p></foreignObject></g></svg>`, "", left("HTML in drawings (1) with 300 words")},
		{"a slide", `<svg data-marpit-svg><style>p {}</style><foreignObject><section><h2>Nests</h2><p>` + strings.Repeat("bird ", 300) + `</p></section></foreignObject></svg>`, "## Nests\n\n" + strings.TrimSpace(strings.Repeat("bird ", 300)), ""},
		{"a canvas", `<canvas></canvas>`, "", left("drawings that scripts make (1)")},
		{"a canvas with words", `<canvas>Ten birds</canvas>`, "", left("drawings that scripts make (1), and 2 words in place of them")},
		{"subtitles", `<video src=/v.mp4><track src=a.vtt><track kind=metadata src=b.vtt></video>`, "[a.example](https://a.example/v.mp4)", left("files of subtitles (1)")},
		{"a picture without scripts", `<div></div><noscript><img src=/p.jpg alt="Two birds"></noscript><noscript><img src=/count alt=""></noscript>`, "", left("pictures for browsers without scripts (1)")},
		{"a picture whose description only browsers without scripts show", `<img src="data:image/gif;base64,R0" alt=""><noscript><img src=/p.jpg alt="Two birds"></noscript>`, "![Two birds](https://a.example/p.jpg)", ""},
		{"a picture with scripts", `<img src=/q.gif data-src=/p.jpg alt="Two birds"><noscript><img src=/p.jpg?x alt="Two birds"></noscript>`, "![Two birds](https://a.example/p.jpg)", ""},
		{"words that are not read out", `<div aria-hidden=true>one two three four five six seven eight nine</div><div aria-hidden=true>few</div><div aria-hidden=true class=modal>one two three four five six seven eight nine</div><div aria-hidden=true style="display:none">one two three four five six seven eight nine</div>`, "", left("9 words that are hidden from screen readers")},
		{"navigation", `<nav><select><option>Small size<option>Large size</select></nav>`, "", ""},
	} {
		d, err := format.Build(t.Context(), &format.Input{Root: tree(t, "<main>"+strings.Repeat(p, 3)+"<div>"+test.src+"</div></main>"), URL: "https://a.example/"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.TrimSpace(strings.ReplaceAll(*d.Markdown, "Birds sing.", ""))
		if got != test.want || d.Warning != test.warning {
			t.Errorf("%s: got %q and %q, want %q", test.name, got, d.Warning, test.want)
		}
	}
}
