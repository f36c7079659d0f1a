// SPDX-License-Identifier: Apache-2.0

package layout

// Document is the blocks of all pages, in reading order.
type Document struct {
	Blocks []Block
	Styles Styles
}

// Build finds the blocks of pages, which are in order.
func Build(pages []*Page) *Document {
	d := &Document{Styles: stylesOf(pages)}
	for _, p := range pages {
		bs := blocksOf(p, nil)
		headings(bs, &d.Styles)
		d.Blocks = append(d.Blocks, bs...)
	}
	levelled(d.Blocks, &d.Styles)
	return d
}
