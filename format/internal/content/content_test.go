// SPDX-License-Identifier: Apache-2.0

package content_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/format/internal/content"
)

func index(t testing.TB, src string) *content.Index {
	t.Helper()
	root, err := html.Parse(strings.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	return content.MustRead(root)
}

// kept returns the text of ix that is not in drop.
func kept(ix *content.Index, drop content.Set) string {
	var words []string
	for id := int32(0); id < ix.Len(); {
		if drop.Has(id) {
			id = ix.End[id]
			continue
		}
		if n := ix.Nodes[id]; n.Type == html.TextNode {
			words = append(words, strings.Fields(n.Data)...)
		}
		id++
	}
	return strings.Join(words, " ")
}

func TestIndex(t *testing.T) {
	ix := index(t, "<p>ab <a href=/>cé</a></p><script>x</script><div>d</div>")
	for id := range ix.Len() {
		n := ix.Nodes[id]
		count := int32(0)
		for range n.Descendants() {
			count++
		}
		switch n.Data {
		case "p":
			if ix.Runes(id) != 4 || ix.LinkRunes(id) != 2 || ix.Links(id) != 1 || ix.End[id]-id != count+1 {
				t.Errorf("p: %d runes, %d linked, %d links, %d nodes", ix.Runes(id), ix.LinkRunes(id), ix.Links(id), ix.End[id]-id)
			}
		case "div":
			if ix.Runes(id) != 1 || ix.Links(id) != 0 {
				t.Errorf("div: %d runes, %d links", ix.Runes(id), ix.Links(id))
			}
		case "script":
			t.Error("a skipped node has a number")
		}
	}
	if ix.Runes(0) != 5 || ix.End[0] != ix.Len() {
		t.Errorf("root: %d runes, ends at %d of %d", ix.Runes(0), ix.End[0], ix.Len())
	}
}

func TestSet(t *testing.T) {
	ix := index(t, strings.Repeat("<p>a</p>", 200))
	for _, r := range [][2]int32{{0, 0}, {0, 1}, {3, 64}, {5, 200}, {64, 128}, {63, 65}, {100, 403}} {
		s := ix.NewSet()
		s.AddRange(r[0], r[1])
		for id := range ix.Len() {
			if want := id >= r[0] && id < r[1]; s.Has(id) != want {
				t.Fatalf("%v: %d is in: %v", r, id, s.Has(id))
			}
		}
		c := s.Clone()
		c.AddRange(0, ix.Len())
		if got, want := s.Len(), int(r[1]-r[0]); got != want {
			t.Errorf("%v: %d members after a change of the clone, want %d", r, got, want)
		}
	}
}

func TestStrip(t *testing.T) {
	body := "<p>" + strings.Repeat("text ", 100) + "</p>"
	for _, test := range []struct {
		name, src string
		stays     bool // the word MARK
	}{
		{"nav", "<nav>MARK</nav>", false},
		{"aside", "<main><aside>MARK</aside></main>", false},
		{"note", "<aside role=note>MARK</aside>", true},
		{"header", "<header>MARK</header>", false},
		{"header of the article", "<article><header>MARK</header></article>", true},
		{"header after the article", "<article></article><header>MARK</header>", false},
		{"role", "<div role=navigation>MARK</div>", false},
		{"class", "<div class='site-footer x'>MARK</div>", false},
		{"camel case", "<div id=cookieBanner>MARK</div>", false},
		{"part of a word", "<div class='adventure shared menus'>MARK</div>", true},
		{"content too", "<div class='sidebar-content'>MARK</div>", true},
		{"content too, but links", "<div class='sidebar-content'><a href=/>MARK</a></div>", false},
		{"main", "<main class=sidebar>MARK</main>", true},
		{"large", "<div class=sidebar>MARK" + strings.Repeat(" more", 100) + "</div>", true},
		{"list of links", "<ul><li><a href=1>MARK</a><li><a href=2>b</a><li><a href=3>c</a></ul>", false},
		{"two links", "<ul><li><a href=1>MARK</a><li><a href=2>b</a></ul>", true},
		{"list of sentences", "<ul><li><a href=1>MARK " + strings.Repeat("long ", 10) + "</a><li><a href=1>" + strings.Repeat("long ", 10) + "</a><li><a href=1>" + strings.Repeat("long ", 10) + "</a></ul>", true},
	} {
		ix := index(t, body+test.src)
		drop := ix.NewSet()
		ix.Strip(0, drop)
		got := kept(ix, drop)
		if strings.Contains(got, "MARK") != test.stays {
			t.Errorf("%s: kept %v, want %v", test.name, !test.stays, test.stays)
		}
		if !strings.Contains(got, "text text") {
			t.Errorf("%s: the text is gone", test.name)
		}
	}
}

// TestStripBelow checks that Strip strips below a node, but not the node itself.
func TestStripBelow(t *testing.T) {
	ix := index(t, "<nav>a<nav>b</nav></nav><nav>c</nav>")
	drop := ix.NewSet()
	for id := range ix.Len() {
		if ix.Nodes[id].Data == "nav" {
			ix.Strip(id, drop)
			break
		}
	}
	if got := kept(ix, drop); got != "a c" {
		t.Errorf("kept %q, want %q", got, "a c")
	}
}

// TestDeep indexes a tree that is too deep for recursion.
func TestDeep(t *testing.T) {
	root := &html.Node{Type: html.DocumentNode}
	n := root
	for range 2_000_000 {
		c := &html.Node{Type: html.ElementNode, Data: "a", DataAtom: atom.A}
		n.AppendChild(c)
		n = c
	}
	n.AppendChild(&html.Node{Type: html.TextNode, Data: "x"})
	ix := content.MustRead(root)
	if ix.LinkRunes(0) != 1 || ix.Links(0) != 2_000_000 {
		t.Errorf("%d runes in %d links", ix.LinkRunes(0), ix.Links(0))
	}
}
