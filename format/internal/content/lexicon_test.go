// SPDX-License-Identifier: Apache-2.0

package content_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/format/internal/content"
)

func TestWordsIn(t *testing.T) {
	for s, want := range map[string]string{
		"":                                     "",
		"a":                                    "",
		"entry-content":                        "entry content",
		"sideBar_left  navTop2":                "side bar left nav top2",
		"HTML":                                 "html",
		"x  pages":                             "pages",
		"abcdefghijklmnop abcdefghijklmnopq z": "abcdefghijklmnop",
		"größe-m2 -- h1":                       "gr m2 h1",
	} {
		if got := strings.Join(content.WordsIn(s), " "); !strings.EqualFold(got, want) || got != strings.ToLower(got) {
			t.Errorf("words of %q: %q, want %q", s, got, want)
		}
	}
}

// TestLexicon checks that reading a page sums up the same words for each block as Names
// yields, because training uses Names.
func TestLexicon(t *testing.T) {
	lexicon := content.Lexicon{{"body", 1, 2, 3}, {"card", 5, -7, 11}, {"deep", 13, 17, -19}, {"list", 23, 29, 31}, {"mark", 37, -41, 43}}
	if !slices.IsSortedFunc(lexicon, func(a, b content.Word) int { return strings.Compare(a.Name, b.Name) }) {
		t.Fatal("words out of order")
	}
	said := 0
	for _, src := range []string{
		page("T", `<div id=body class="card list"><p class=mark>One <b class=deep>two <i id=card>three</i></b></div>`),
		`<body class=body>bare<ul class=list><li class="card mark card">a<li>b <span class=mark>c</span></ul>`,
		`<div class=list><a class=mark href=/><div itemprop=card>in a link</div></a><div role=list data-component=deep>x</div></div>`,
		strings.Repeat(`<div class="card deep"><span class=list>`, 30) + "far down",
		`<table class=list><tr class=mark><td class=card>1<td>2</table><svg class=card><text>no</text></svg>`,
	} {
		p := parse(t, src)
		pg := content.NewPageWith(p.ix, lexicon)
		for i := range pg.Blocks {
			var want content.Votes
			pg.Names(i, func(near int, word string) {
				if at := slices.IndexFunc(lexicon, func(w content.Word) bool { return w.Name == word }); at >= 0 {
					want[near] += int32([]int8{lexicon[at].Own, lexicon[at].Close, lexicon[at].Far}[near])
					said++
				}
			})
			if got := pg.Said(i); got != want {
				t.Errorf("%.60q: block %d %q hears %v, want %v", src, i, pg.Text(i), got, want)
			}
		}
	}
	if said < 100 {
		t.Errorf("%d words are heard", said)
	}
}

// TestWeightsLexicon checks that the words are sorted and can be looked up.
func TestWeightsLexicon(t *testing.T) {
	words := content.Weights().Lexicon
	if len(words) == 0 {
		t.Error("no words")
	}
	for i, w := range words {
		if i > 0 && words[i-1].Name >= w.Name {
			t.Errorf("%q after %q", w.Name, words[i-1].Name)
		}
		if got := content.WordsIn(w.Name); fmt.Sprint(got) != fmt.Sprint([]string{w.Name}) {
			t.Errorf("%q is no word", w.Name)
		}
		want := []content.Votes{{int32(w.Own), int32(w.Close), int32(w.Far)}, {}, {}}
		if got := words.Says(w.Name, w.Name+"q", "q"+w.Name); !slices.Equal(got, want) {
			t.Errorf("%q says %v, want %v", w.Name, got, want)
		}
	}
}
