// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/object"
)

var dump = flag.String("dump", "", "print the lines, rules and tables of this PDF")

// TestDump prints the lines, rules and tables of the first page of a
// document.
func TestDump(t *testing.T) {
	if *dump == "" {
		return
	}
	data, err := os.ReadFile(*dump)
	if err != nil {
		t.Fatal(err)
	}
	f, err := object.Open(t.Context(), bytes.NewReader(data), int64(len(data)), object.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pages, _ := f.Pages(1)
	c, err := content.NewDocument(f, content.Limits{}).Page(t.Context(), pages[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("glyphs %d rules %d fills %d images %d curves %d", len(c.Glyphs), len(c.Rules), len(c.Fills), len(c.Images), c.Curves)
	g := newGuard(c, Options{})
	for i := range c.Glyphs {
		if x := &c.Glyphs[i]; x.Text != "" && g.hides(x) {
			t.Logf("hidden %q at %.1f %.1f size %.2f color %06x flags %d unseen %v", x.Text, x.X, x.Y, x.Size, x.Color, x.Flags, g.unseen(x))
		}
	}
	p := NewPage(t.Context(), 1, c, Options{})
	for i := range p.Lines {
		l := &p.Lines[i]
		t.Logf("%6.1f %6.1f %6.1f size %.1f bold %v turn %d seq %d %q", l.Box.X0, l.Box.X1, l.Y, l.Size, l.bold(), l.Turn, l.Words[0].Seq, l.Text())
	}
	hs, vs := edges(p)
	t.Logf("hs %.0f", hs)
	t.Logf("vs %.0f", vs)
	for _, g := range grids(hs, vs) {
		t.Logf("grid %.0f %.0f", g.hs, g.vs)
		g.close()
		l := newLattice(&g)
		if l == nil {
			continue
		}
		t.Logf("grid %d hs %d vs xs %.0f ys %.0f", len(g.hs), len(g.vs), l.xs, l.ys)
	}
}
