// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/font"
)

// anyLines returns random lines. Their words share some fields with their
// neighbours.
func anyLines(r *rand.Rand) []Line {
	numbers := []float64{0, math.Copysign(0, -1), 1, 72, 1.0 / 3, -1e7, 612.25}
	number := func() float64 { return numbers[r.IntN(len(numbers))] }
	texts := []string{"a", "of", "naïve", "漢字", "longer-than-most-words", "\xff", "3.14"}
	fonts := []*font.Font{nil, {Name: "a"}, {Name: "b", Bold: true, Fixed: true}}
	var lines []Line
	for range 1 + r.IntN(20) {
		l := Line{Turn: frame(r.IntN(5)), RTL: r.IntN(4) == 0}
		for range 1 + r.IntN(8) {
			l.Words = append(l.Words, Word{
				Text: texts[r.IntN(len(texts))],
				Box:  content.Box{X0: number(), Y0: number(), X1: number(), Y1: number()},
				X0:   number(), X1: number(), Y: number(), Size: number(),
				Font: fonts[r.IntN(len(fonts))], Color: content.Color(r.IntN(1 << 24)), Flags: content.Flags(r.IntN(256)),
				MCID: r.IntN(300) - 1, Seq: r.IntN(1 << 30), Glue: r.IntN(2) == 0, Space: r.IntN(2) == 0, Rise: int8(r.IntN(3) - 1),
			})
		}
		w := l.Words[r.IntN(len(l.Words))]
		l.Box, l.Y, l.Size = boxOf(l.Words), w.Y, w.Size
		if r.IntN(4) == 0 {
			l.Box.X1, l.Y = number(), number()
		}
		lines = append(lines, l)
	}
	return lines
}

var exactly = cmp.Options{
	cmp.Comparer(same),
	cmpopts.IgnoreUnexported(Line{}, font.Font{}),
}

// TestPack packs and unpacks lines. Nothing may be lost, and no word may
// take more space than its full form.
func TestPack(t *testing.T) {
	for seed := range uint64(200) {
		want := anyLines(rand.New(rand.NewPCG(seed, 1)))
		p := Page{Height: 792, Lines: append([]Line(nil), want...)}
		p.Pack()
		if p.Lines != nil {
			t.Fatal("lines are kept beside what is put away")
		}
		p.unpack()
		if diff := cmp.Diff(want, p.Lines, exactly); diff != "" {
			t.Fatalf("seed %d: unpacked (-want +got):\n%s", seed, diff)
		}
	}
}

// TestKeep keeps the lines of pages with few words and compares them with
// packed ones. A page with many words must be packed.
func TestKeep(t *testing.T) {
	for seed := range uint64(50) {
		lines := anyLines(rand.New(rand.NewPCG(seed, 3)))
		kept, packed := Page{Height: 792, Lines: slices.Clone(lines)}, Page{Height: 792, Lines: slices.Clone(lines)}
		for i := range lines {
			kept.Lines[i].Words = slices.Clone(lines[i].Words)
		}
		if !kept.Keep() {
			t.Fatalf("seed %d: a page of %d words was not kept", seed, kept.Words())
		}
		packed.Pack()
		if kept.Words() != packed.Words() || kept.Weight() <= packed.Weight() {
			t.Fatalf("seed %d: %d words of weight %d, packed %d of %d", seed, kept.Words(), kept.Weight(), packed.Words(), packed.Weight())
		}
		kept.unpack()
		packed.unpack()
		if diff := cmp.Diff(packed.Lines, kept.Lines, exactly); diff != "" {
			t.Fatalf("seed %d: (-packed +kept):\n%s", seed, diff)
		}
	}
	many := Page{Lines: []Line{{Words: make([]Word, maxKept+1)}}}
	if many.Keep() {
		t.Errorf("a page of %d words was kept", many.Words())
	}
}

// TestSettle compares settled records with the words that they replace.
func TestSettle(t *testing.T) {
	links := []content.Link{{Box: content.Box{X0: -10, Y0: -10, X1: 40, Y1: 40}, URI: "https://example.com/"}, {Box: content.Box{X0: 1, X1: 700, Y1: 900}, URI: "#page-2"}}
	for seed := range uint64(200) {
		for _, l := range anyLines(rand.New(rand.NewPCG(seed, 2))) {
			was := l
			l.settle(links, true)
			if l.Words != nil || l.settled == nil {
				t.Fatal("the words are kept")
			}
			if l.Text() != was.Text() || l.bold() != was.bold() || l.fixed() != was.fixed() || l.count() != was.count() {
				t.Fatalf("seed %d: %q, bold %v, fixed %v, %d words; want %q, %v, %v, %d", seed, l.Text(), l.bold(), l.fixed(), l.count(), was.Text(), was.bold(), was.fixed(), was.count())
			}
			if diff := cmp.Diff(was.tokens(nil, links), l.tokens(nil, nil), cmp.AllowUnexported(token{}), exactly); diff != "" {
				t.Fatalf("seed %d: tokens (-want +got):\n%s", seed, diff)
			}
		}
	}
}
