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
		bs := blocksOf(p, tables(p))
		headings(bs, &d.Styles)
		d.Blocks = append(d.Blocks, bs...)
	}
	levelled(d.Blocks, &d.Styles)
	return d
}

// tables finds the tables of a page and takes their words from its lines.
func tables(p *Page) []Block {
	var out []Block
	for _, t := range ruledTables(p) {
		out = append(out, Block{Kind: TableBlock, Page: p.Number, Box: t.Box, Table: &t, Conf: t.Conf})
	}
	for _, t := range unruledTables(p) {
		out = append(out, Block{Kind: TableBlock, Page: p.Number, Box: t.Box, Table: &t, Conf: t.Conf})
	}
	return out
}
