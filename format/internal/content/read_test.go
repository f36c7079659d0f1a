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
		"b aria-hidden=true", "div role=tabpanel hidden", "table><tr><td", "select", "div hidden id=x", "i aria-controls=x", "svg", "template",
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
