// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"context"
	"encoding/binary"
	"math"
	"testing"
	"time"

	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/font"
)

// FuzzLayout lays out pages with glyphs, rules, fills and images at
// arbitrary places. Twelve bytes describe an object.
func FuzzLayout(f *testing.F) {
	grid := []byte{}
	for i := range 60 {
		grid = append(grid, byte(i%4), 0, byte(40+20*(i%6)), 0, byte(40+12*(i/6)), 20, 0, 10, 0, byte('a'+i%26), 0, byte(i))
	}
	f.Add(grid)
	f.Add([]byte("\x00\x00\x40\x00\x40\x20\x00\x0a\x00-\x00\x00\x01\x00\x40\x00\x41\xff\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 24_000 {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		var pages []*Page
		words := data
		glyphs, texts := 0, 0
		for n := 1; len(data) >= 12 && n < 8; n++ {
			c := &content.Page{Width: 612, Height: 792}
			for len(data) >= 12 {
				o := data[:12]
				data = data[12:]
				if o[0] == 0xff { // the page ends
					break
				}
				place(c, o)
			}
			glyphs += len(c.Glyphs)
			p := NewPage(ctx, n, c, Options{KeepHidden: n%2 == 0})
			pages = append(pages, p)
		}
		d, err := Build(ctx, pages, Outline{"a": 1}, elements(words))
		if err != nil {
			t.Fatalf("over 5 s with %d glyphs", glyphs)
		}
		if len(d.Lost) > 0 || len(d.Plain) > 0 || d.NoTags {
			t.Fatalf("words lost on pages %v, pages without structure %v, no tags %v", d.Lost, d.Plain, d.NoTags)
		}
		for i := range d.Blocks {
			texts += len(d.Blocks[i].Text())
			if b := d.Blocks[i].Box; math.IsNaN(b.X0 + b.Y0 + b.X1 + b.Y1) {
				t.Fatalf("a block at %v", b)
			}
		}
		if texts > 64*(glyphs+1)*8 {
			t.Fatalf("%d glyphs became %d bytes", glyphs, texts)
		}
	})
}

// place adds the object that o describes.
func place(c *content.Page, o []byte) {
	x, y := float64(int16(binary.BigEndian.Uint16(o[1:]))), float64(int16(binary.BigEndian.Uint16(o[3:])))
	w, h := float64(o[5]), float64(o[7])
	box := content.Box{X0: x, Y0: y - h, X1: x + w, Y1: y}
	seq := len(c.Glyphs) + len(c.Rules)
	switch o[0] % 6 {
	case 4:
		c.Rules = append(c.Rules, content.Rule{X0: x, Y0: y, X1: x + w*float64(o[6]%2), Y1: y + h*float64(1-o[6]%2), Width: 1, Seq: seq})
	case 5:
		if o[6]%2 == 0 {
			c.Fills = append(c.Fills, content.Fill{Box: box, Alpha: 1, Color: content.Color(o[8]), Seq: seq})
		} else {
			c.Images = append(c.Images, content.Image{Box: box, Seq: seq})
		}
	default:
		dx, dy := 1.0, 0.0
		switch o[11] % 16 {
		case 13:
			dx, dy = 0, 1
		case 14:
			dx, dy = -1, 0
		case 15:
			dx, dy = .7, .7
		}
		c.Glyphs = append(c.Glyphs, content.Glyph{
			Text: string(rune(binary.BigEndian.Uint16(o[8:]))), X: x, Y: y, Adv: w / 4, Size: h, DX: dx, DY: dy, Box: box,
			Font: fuzzFonts[o[10]%3], Seq: seq, MCID: int(o[2]%16) - 1, Flags: content.Flags(o[11] & 0x6f),
		})
	}
}

// elements returns a structure tree made from arbitrary bytes, two for each
// step: they open and close elements and add marks.
func elements(data []byte) *Element {
	root := &Element{}
	open := []*Element{root}
	for i := 0; i+1 < len(data) && i < 2000; i += 2 {
		top := open[len(open)-1]
		switch kind := data[i] % 32; {
		case kind <= uint8(TagCode) && len(open) < 32:
			e := &Element{Tag: Tag(kind), Level: int(data[i+1] % 7), ColSpan: int(data[i+1]), RowSpan: int(data[i+1] >> 4), Header: data[i+1]&1 == 1}
			if data[i+1] == 7 {
				e.Alt, e.Actual = "alt", "actual"
			}
			top.Kids = append(top.Kids, Kid{Element: e})
			open = append(open, e)
		case kind < 20:
			top.Kids = append(top.Kids, Kid{Page: 1 + int(data[i]>>6), MCID: int(data[i+1] % 16)})
		case len(open) > 1:
			open = open[:len(open)-1]
		}
	}
	return root
}

var fuzzFonts = [3]*font.Font{{Name: "a"}, {Name: "b", Bold: true}, {Name: "c", Fixed: true}}
