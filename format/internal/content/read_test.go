// SPDX-License-Identifier: Apache-2.0

package content_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/format/internal/content"
)

// randomTree returns HTML with words in elements of many kinds, some of them hidden.
func randomTree(rng *rand.Rand) string {
	tags := []string{
		"div", "p", "a href=/", "span hidden", "div style=display:none", "noscript", "script", "div hidden id=S:1", "button", "h2", "li",
		"b aria-hidden=true", "div role=tabpanel hidden", "table><tr><td", "select", "div hidden id=x", "i aria-controls=x", "svg", "template", "object", "applet",
	}
	var b strings.Builder
	for range 5 + rng.IntN(60) {
		switch tag := tags[rng.IntN(len(tags))]; rng.IntN(3) {
		case 0:
			fmt.Fprintf(&b, "<%s>", tag)
		case 1:
			name, _, _ := strings.Cut(tag, " ")
			fmt.Fprintf(&b, "</%s>", name)
		default:
			b.WriteString(strings.Repeat("é word ", 1+rng.IntN(40)))
		}
	}
	return b.String()
}

// TestReadHolds compares the counts of an index with counts of the tree, and checks that
// nodes are in document order, each inside its parent.
func TestReadHolds(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		src := randomTree(rng)
		ix := parse(t, src).ix
		number := map[*html.Node]int32{}
		for id := range ix.Len() {
			n := ix.Nodes[id]
			number[n] = id
			if up, ok := number[n.Parent]; id > 0 && (!ok || up >= id || ix.End[id] > ix.End[up]) {
				t.Fatalf("%s\nnode %d is not inside of its parent", src, id)
			}
			runes, linked, links := 0, 0, 0
			for k := id; k < ix.End[id]; k++ {
				switch m := ix.Nodes[k]; {
				case standsIn(m):
				case m.Type == html.TextNode:
					size := len([]rune(strings.Join(strings.Fields(m.Data), "")))
					runes += size
					for up := m.Parent; up != nil; up = up.Parent {
						if up.Data == "a" {
							linked += size
							break
						}
					}
				case m.Data == "a":
					links++
				}
			}
			if ix.Runes(id) != runes || ix.LinkRunes(id) != linked || ix.Links(id) != links {
				t.Fatalf("%s\nnode %d, %s: %d runes, %d linked, %d links, want %d, %d, %d",
					src, id, n.Data, ix.Runes(id), ix.LinkRunes(id), ix.Links(id), runes, linked, links)
			}
		}
	}
}

// standsIn reports whether n is in an object or applet, of which the size does not count.
func standsIn(n *html.Node) bool {
	for up := n.Parent; up != nil; up = up.Parent {
		if up.Data == "object" || up.Data == "applet" {
			return true
		}
	}
	return false
}

// TestStandsIn checks that what is in an object goes with the text before it, and that the main content
// does not depend on it otherwise.
func TestStandsIn(t *testing.T) {
	text := strings.Repeat(paragraph, 3)
	const film = "<object><img src=a><form><p>The film shows <a href=/birds>birds</a>.</p></form></object>"
	for _, test := range []struct {
		name, with, without string
		stays               bool
	}{
		{"in the content", page("T", text+film+text), page("T", text+"<object></object>"+text), true},
		{"in a menu", "<nav><a href=/>Home</a>" + film + "</nav>" + page("T", text+text), "<nav><a href=/>Home</a><object></object></nav>" + page("T", text+text), false},
	} {
		with, without := parse(t, test.with), parse(t, test.without)
		m, want := with.ix.MustMain(with.ix.NewSet(), ""), without.ix.MustMain(without.ix.NewSet(), "")
		if got := strings.Contains(kept(with.ix, m.Drop), "The film shows birds ."); got != test.stays {
			t.Errorf("%s: the text of the object stays: %v, want %v", test.name, got, test.stays)
		}
		if m.Kind != want.Kind || m.Confidence != want.Confidence {
			t.Errorf("%s: %v with %v, without the text %v with %v", test.name, m.Kind, m.Confidence, want.Kind, want.Confidence)
		}
	}
}

// TestReadAgain reads many trees at once, and checks that reused memory does not affect the
// results.
func TestReadAgain(t *testing.T) {
	sources := make([]string, 8)
	want := make([]string, len(sources))
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range sources {
		sources[i] = page("T", strings.Repeat(randomTree(rng)+paragraph, 1+i))
		want[i] = content.Print(parse(t, sources[i]).ix)
	}
	for range 4 {
		for i := range sources {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				if got := content.Print(parse(t, sources[i]).ix); got != want[i] {
					t.Errorf("page %d: %s, at first %s", i, got, want[i])
				}
			})
		}
	}
}

// TestFold checks that answers which a click opens go with their questions, and that the main content does not depend on
// them otherwise.
func TestFold(t *testing.T) {
	item := func(q, a string, nested bool) string {
		if nested {
			return "<div class=item><h3>" + q + "</h3><span>+</span><div class=wrap><div class=answer style='display:none'>" + a + "</div></div></div>"
		}
		return "<div class=item><div class=q onclick='toggle(this)'>" + q + "</div><div class=answer hidden>" + a + "</div></div>"
	}
	text := strings.Repeat(paragraph, 3)
	questions := func(nested bool, answers ...string) (s string) {
		for i, a := range answers {
			s += item(fmt.Sprint("What is the rule number ", i+1, "?"), a, nested)
		}
		return s
	}
	const secret = "<p>Only this token stays away.</p>"
	three := []string{"<p>Bring a card of <b>your</b> own.</p><img src=a.png>", "<p>Pay at the desk, please.</p><ul><li>Deposit: 50</li></ul>", "<p>See <a href=/north>the north door</a>.</p><div hidden>" + secret + "</div>"}
	for _, test := range []struct {
		name, with string
		stays      bool
	}{
		{"questions", questions(false, three...), true},
		{"in an element of their own", questions(true, three...), true},
		{"two questions", questions(false, three[:2]...), false},
		{"the same text each time", questions(false, three[0], three[0], three[0]), false},
		{"no sentences", questions(false, "<ul><li>Red</ul>", "<ul><li>Blue</ul>", "<ul><li>Green</ul>"), false},
		{"a form", "<form>" + questions(false, three...) + "</form>", false},
		{"fields", strings.ReplaceAll(questions(false, three...), "<div class=q", "<label>Name <input></label><div class=q hidden"), false},
		{"tooltips", strings.ReplaceAll(questions(false, three...), "class=answer", "class=tooltip"), false},
	} {
		with, without := parse(t, page("T", text+test.with+text)), parse(t, page("T", text+strings.NewReplacer(three[0], "", three[1], "", three[2], "").Replace(test.with)+text))
		m, want := with.ix.MustMain(with.ix.NewSet(), ""), without.ix.MustMain(without.ix.NewSet(), "")
		got := kept(with.ix, m.Drop)
		if stays := strings.Contains(got, "your own") || strings.Contains(got, "Deposit") || strings.Contains(got, "Red"); stays != test.stays {
			t.Errorf("%s: the answers stay: %v, want %v, in %s", test.name, stays, test.stays, got)
		}
		if strings.Contains(got, "token") {
			t.Errorf("%s: what is hidden in an answer is not: %s", test.name, got)
		}
		if m.Kind != want.Kind || m.Confidence != want.Confidence {
			t.Errorf("%s: %v with %v, without the answers %v with %v", test.name, m.Kind, m.Confidence, want.Kind, want.Confidence)
		}
	}
}
