// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"runtime"
	"testing"
)

// TestJoinGrows joins a paragraph across many pages. The allocated bytes
// must not grow with the square of the number of pages.
func TestJoinGrows(t *testing.T) {
	cost := func(n int) uint64 {
		var pages []Block
		for i := range n {
			l := Line{Words: []Word{{Text: "and so it goes on"}, {Text: "and"}, {Text: "on"}}, Size: 10, Y: 100}
			pages = append(pages, Block{Page: i + 1, Lines: []Line{l, l}})
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		joined := join(pages)
		if len(joined) != 1 || len(joined[0].Lines) != 2*n {
			t.Fatalf("%d pages are %d blocks", n, len(joined))
		}
		d := Document{Vocabulary: Vocabulary{}}
		d.Runs(&joined[0])
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := cost(200), cost(6400); many > 3*32*few {
		t.Errorf("%d bytes for 200 pages, %d for 6400", few, many)
	}
}

// TestLinkRuns keeps a link over several words in one run.
func TestLinkRuns(t *testing.T) {
	in := inliner{}
	for _, w := range []struct{ text, link string }{{"see", ""}, {"this", "u"}, {"page", "u"}, {"or", ""}, {"that", "v"}} {
		if in.begun {
			in.space()
		}
		in.put(Run{Text: w.text, Link: w.link})
		in.begun = true
	}
	in.close()
	want := []Run{{Text: "see "}, {Text: "this page", Link: "u"}, {Text: " or "}, {Text: "that", Link: "v"}}
	if len(in.runs) != len(want) {
		t.Fatalf("got %+v", in.runs)
	}
	for i := range want {
		if in.runs[i] != want[i] {
			t.Errorf("run %d: %+v, want %+v", i, in.runs[i], want[i])
		}
	}
}
