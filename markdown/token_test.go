// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestWordsEnd compares the functions that read eight bytes at a time with
// simple ones.
func TestWordsEnd(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	pieces := []string{"a", "word", "longer", " ", " ", "  ", "\n", "\t", "\x00", "\x1f", "é", "\u00a0", "本", "!", "\x7f", "\xff", "another word of text"}
	for range 20_000 {
		var b strings.Builder
		for range r.IntN(12) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		s := b.String()
		from := r.IntN(len(s) + 1)
		want := from
		for want < len(s) && (s[want] > ' ' || s[want] == ' ' && want+1 < len(s) && s[want+1] > ' ') {
			want++
		}
		if got := wordsEnd(s, from); got != want {
			t.Fatalf("wordsEnd(%q, %d) = %d, want %d", s, from, got, want)
		}
		plainly := func(i int) int {
			for i < len(s) && isSpecial[s[i]] == 0 {
				i++
			}
			return i
		}
		if got, want := special([]byte(s), from), plainly(from); got != want {
			t.Fatalf("special(%q, %d) = %d, want %d", s, from, got, want)
		}
	}
}

// TestAllocations checks that a document needs no allocation for each of its
// nodes.
func TestAllocations(t *testing.T) {
	page := "<h1>A title</h1>" + strings.Repeat(`<p>Some <em>text</em> with <b>weight</b>, <code>code</code> and <a href="/x?a=1&amp;b=2" title="t">a link</a>.</p>
<ul><li>one<li><a href="/two">two</a><ol start=3><li>three</ol></ul><table><tr><th>a<th>b<tr><td>c<td><i>d</i></table><img src=/i.png alt=picture>`, 50)
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	allocs := testing.AllocsPerRun(20, func() {
		out.Reset()
		out.Grow(32 << 10)
		if err := Render(t.Context(), &out, root, nil); err != nil {
			t.Fatal(err)
		}
	})
	t.Logf("%.0f allocations for %d bytes", allocs, out.Len())
	// Tables store their cells as strings.
	if most := 50 * 30.0; allocs > most {
		t.Errorf("Render made %.0f allocations, want at most %.0f", allocs, most)
	}
}
