// SPDX-License-Identifier: Apache-2.0

package content_test

import (
	"strings"
	"testing"

	"example.com/curlew/format/internal/content"
)

// TestDropBare checks that a doubtful heading goes with the list below it, and that texts below a heading that stays are
// counted.
func TestDropBare(t *testing.T) {
	const (
		text = "<p>The birds flew over the hills and the lake.</p>"
		list = "<ul><li><a href=/a>Ten birds of the north</a><li><a href=/b>Eggs and nests in spring</a><li><a href=/c>A day at the lake</a></ul>"
		long = "<p>The keepers of the park have counted them in the first days of spring, and again when the lake froze in the winter of last year.</p>"
	)
	for _, c := range []struct {
		name, src string // the words that are kept are upper-case or in text
		kind      content.Kind
		score     float32 // of the headings
		want      bool    // whether the first heading with upper-case letters stays
		words     int     // below headings that stay
	}{
		{"links", "<h2>READ</h2>" + list, content.Article, .6, false, 0},
		{"links in a box beside the heading", "<div><div><h3>READ</h3></div><div>" + list + "</div></div>", content.Article, .6, false, 0},
		{"cards", "<h2>READ</h2><a href=/a><h3>Ten birds</h3></a><a href=/b><h3>Eggs</h3></a><a href=/c><h3>Nests</h3></a>", content.Product, .4, false, 0},
		{"two headings", "<h2>READ</h2><h3>NOW</h3>" + list, content.Article, .6, false, 0},
		{"a sure heading", "<h2>READ</h2>" + list + list, content.Article, .8, true, 30},
		{"a likely heading", "<h2>READ</h2>" + list + list, content.Product, .6, true, 30},
		{"services", "<h2>READ</h2>" + list + list, content.Service, .1, true, 30},
		{"one link", "<h2>READ</h2><p><a href=/a>Ten birds of the north</a></p>", content.Article, .1, true, 0},
		{"a paragraph", "<h2>READ</h2>" + long, content.Article, .1, true, 26},
		{"a list that is kept in part", "<h2>READ</h2>" + list + "<p>KEPT</p>" + list, content.Article, .1, true, 0},
		{"a part that is kept", "<h2>READ</h2>" + list + "<h3>PART</h3><p>KEPT</p>", content.Article, .6, true, 0},
		{"nothing", "<h2>READ</h2><h2>NEXT</h2><p>KEPT</p>", content.Article, .1, true, 0},
		{"the title of a record", "<h2><a href=/r>READ</a></h2>" + list + list, content.Article, .1, true, 0},
		{"the title of the page", "<h1>READ</h1>" + list + list, content.Article, .1, true, 0},
		{"a list elsewhere", "<section><div><div><div><div><h2>READ</h2></div></div></div></div></section><footer>" + list + list + "</footer>", content.Article, .1, true, 0},
	} {
		p := newPage(t, "<main>"+text+c.src+"</main>")
		keep, scores, first := make([]bool, len(p.Blocks)), make([]float32, len(p.Blocks)), -1
		for i := range keep {
			words := p.Text(i)
			keep[i], scores[i] = i == 0 || words == strings.ToUpper(words), c.score
			if first < 0 && i > 0 && keep[i] {
				first = i
			}
		}
		p.DropBare(c.kind, keep, scores)
		if words := p.Below(keep); keep[first] != c.want || words != c.words {
			t.Errorf("%s: the heading stays: %v, want %v; %d words below headings, want %d", c.name, keep[first], c.want, words, c.words)
		}
	}
}
