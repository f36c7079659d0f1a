// SPDX-License-Identifier: Apache-2.0

package layout

import "example.com/curlew/parse/internal/pdf/content"

// maxPictures bounds the pictures of a page that are examined. Pages drawn
// from many boxes are charts.
const maxPictures = 64

// pictured marks the blocks that stand inside a picture. A picture is an
// image or a large filled box without running text, on a page that has
// running text elsewhere. Bars behind titles and page backgrounds do not
// count.
func pictured(p *Page, blocks []Block) {
	pictures := picturesOf(p)
	if len(pictures) == 0 {
		return
	}
	within := func(in content.Box, b *Block) bool {
		x, y := (b.Box.X0+b.Box.X1)/2, (b.Box.Y0+b.Box.Y1)/2
		return x > in.X0 && x < in.X1 && y > in.Y0 && y < in.Y1
	}
	var running []*Block
	for i := range blocks {
		if blocks[i].runs() {
			running = append(running, &blocks[i])
		}
	}
	for _, box := range pictures {
		inside := 0
		for _, b := range running {
			if within(box, b) {
				inside++
			}
		}
		if inside > 0 || len(running) == 0 {
			continue
		}
		for i := range blocks {
			if b := &blocks[i]; within(box, b) && box.Height() > 4*b.Size() {
				b.label = true
			}
		}
	}
}

// smallest is the minimum area of a picture as a share of the page.
const smallest = .02

// picturesOf returns the boxes of the pictures on a page.
func picturesOf(p *Page) []content.Box {
	var out []content.Box
	area := p.Width * p.Height
	add := func(b content.Box) {
		if share := b.Area() / area; share > smallest && share < .6 && b.Width() < .85*p.Width && len(out) < maxPictures {
			out = append(out, b)
		}
	}
	for i := range p.Images {
		add(p.Images[i].Box)
	}
	for i := range p.Fills {
		if f := &p.Fills[i]; f.Alpha > .05 && f.Color != 0xffffff {
			add(f.Box)
		}
	}
	return out
}

// runs reports whether a block has a line of running text.
func (b *Block) runs() bool {
	for i := range b.Lines {
		if len(b.Lines[i].Words) >= 8 {
			return true
		}
	}
	return false
}
