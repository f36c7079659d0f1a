// SPDX-License-Identifier: Apache-2.0

package epub_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/internal/test/zipxmltest"
)

// TestDamagedMarkup reads chapters in which a tag, a comment or a quotation mark
// lacks its end. The words after it are kept, or a warning says that the chapter
// is damaged. Intact twins have no warning.
func TestDamagedMarkup(t *testing.T) {
	const chapter = `<html><head><title>One</title><style>p{}</style><script>if (1) {}</script></head><body><p>first</p>` +
		`<textarea>area</textarea><iframe src="x"><b>frame</b></iframe><p>1 < 2, it's</p><template>t</template><object data="x">o</object>` +
		`<!-- one --><p><a href="x">middle</a></p><!-- two --><p title="b"><![CDATA[R&D <3]]></p><p>last</p></body></html>`
	const xhtml = `<html xmlns="http://www.w3.org/1999/xhtml">`
	const whole = "first area frame 1 < 2, it's o middle R&D <3 last"
	for _, c := range []struct {
		name, cut string
		with      string // replaces the part that is cut
		want      string
		damaged   bool
	}{
		{"intact", "", "", whole, false},
		{"title", "</title>", "", whole, true},
		{"upper-case title", "<title>One</title>", "<TITLE>One", whole, true},
		{"empty title", "<title>One</title>", "<title/>", whole, false},
		{"style", "</style>", "", whole, true},
		{"script", "</script>", "", whole, true},
		{"text area", "</textarea>", "", whole, true},
		{"frame", "</iframe>", "", whole, false}, // what follows is in the frame, and is read
		{"frame of XHTML", "</iframe>", "<!-- " + xhtml + " -->", whole, true},
		{"frame without content", "<b>frame</b></iframe>", "</iframe>", strings.Replace(whole, "frame ", "", 1), false},
		{"short frame", "><b>frame</b></iframe>", "/>", strings.Replace(whole, "frame ", "", 1), false},
		{"paragraph", "</p>", "", whole, false},
		{"body", "</body>", "", whole, false},
		{"template", "</template>", "", "first area frame 1 < 2, it's", true},
		{"object", "</object>", "", whole, false},
		{"comment", " one -->", "", "first area frame 1 < 2, it's o R&D <3 last", true},
		{"last comment", " two -->", "", "first area frame 1 < 2, it's o middle", true},
		{"quotation mark", `"x">middle`, `"x>middle`, "first area frame 1 < 2, it's o last", true},
		{"CDATA section", "]]>", "", "first area frame 1 < 2, it's o middle R&D <3</p><p>last</p></body></html>", true},
		{"XHTML", "<html>", xhtml, whole, false},
		{"swallowed tags of XHTML", "<html>", xhtml + `<p><i epub:ef="z">two</a></p>`, "two " + whole, true},
		{"paragraph of XHTML", "<p>last</p>", `<p>last<!-- ` + xhtml + ` -->`, whole, true},
	} {
		text := strings.Replace(chapter, c.cut, c.with, 1)
		d := read(t, build([]zipxmltest.Part{{Name: "a.xhtml", Text: text}}), 0)
		var words []string
		for n := range d.Root.Descendants() {
			if n.Type == html.TextNode {
				words = append(words, strings.Fields(n.Data)...)
			}
		}
		said, left := 0, "" // warnings about damage, and the one that counts the frame and the object
		for _, w := range d.Warnings {
			switch {
			case strings.HasPrefix(w.Text, "Frames, "):
				left = w.Text
			case !strings.HasPrefix(w.Text, "Fields "):
				said++
			}
		}
		if got := strings.Join(words, " "); got != c.want || said > 0 != c.damaged {
			t.Errorf("%s: %q with the warnings %+v, want %q and a warning: %v", c.name, got, d.Warnings, c.want, c.damaged)
		}
		if want := "Frames, media and embedded objects of pages that were left out: 2."; c.name == "intact" && left != want {
			t.Errorf("warning %q, want %q", left, want)
		}
	}
}

// TestManyOpenTitles reads a chapter of titles without end tags, which must take
// time in proportion to its length.
func TestManyOpenTitles(t *testing.T) {
	text := "<html><body>" + strings.Repeat("<title>a", 100_000) + "</body></html>"
	if d := read(t, build([]zipxmltest.Part{{Name: "a.xhtml", Text: text}}), 0); len(d.Warnings) == 0 {
		t.Error("no warning")
	}
}
