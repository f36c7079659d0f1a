// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"context"
	"fmt"
	"strconv"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/pdf/content"
	"example.com/curlew/internal/pdf/layout"
)

// finish lays the pages out and builds the tree.
func (d *reader) finish(ctx context.Context) (*Document, error) {
	l := layout.Build(d.laid)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	t := tree{pages: map[int]*html.Node{}}
	t.build(d, l)
	return d.doc, nil
}

// tree builds the nodes of a document.
type tree struct {
	doctree.Builder
	body  *html.Node
	pages map[int]*html.Node // sections
}

func (t *tree) build(d *reader, l *layout.Document) {
	var root *html.Node
	root, _, t.body = t.Document("pdf", d.doc.Meta.Language, d.doc.Meta.Title)
	d.doc.Root = root
	for _, p := range d.doc.Pages {
		t.pages[p.Number] = t.Append(t.body, atom.Section, "data-page", strconv.Itoa(p.Number), "data-w", number(p.Width), "data-h", number(p.Height))
	}
	for i := range l.Blocks {
		t.block(&l.Blocks[i])
	}
}

// number writes points with at most two decimals.
func number(v float64) string {
	s := strconv.FormatFloat(v, 'f', 2, 64)
	for s[len(s)-1] == '0' {
		s = s[:len(s)-1]
	}
	if s[len(s)-1] == '.' {
		s = s[:len(s)-1]
	}
	if s == "-0" {
		return "0"
	}
	return s
}

func bbox(b content.Box) string {
	return fmt.Sprintf("%s %s %s %s", number(b.X0), number(b.Y0), number(b.X1), number(b.Y1))
}

func (t *tree) block(b *layout.Block) {
	section := t.pages[b.Page]
	attrs := []string{"data-page", strconv.Itoa(b.Page), "data-bbox", bbox(b.Box)}
	switch b.Kind {
	case layout.Heading:
		tags := [...]atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}
		t.Text(t.Append(section, tags[min(max(b.Level, 1), 6)-1], attrs...), b.Text())
	case layout.TableBlock:
		t.table(t.Append(section, atom.Table, attrs...), b.Table)
	default:
		t.Text(t.Append(section, atom.P, attrs...), b.Text())
	}
}

// table writes the rows of a table.
func (t *tree) table(n *html.Node, tab *layout.Table) {
	kind := "unruled"
	if tab.Ruled {
		kind = "ruled"
	}
	n.Attr = append(n.Attr, html.Attribute{Key: "data-table", Val: kind})
	body := atom.Thead
	if tab.Header == 0 {
		body = atom.Tbody
	}
	part := t.Append(n, body)
	for i := range tab.Rows {
		if i == tab.Header && i > 0 {
			part = t.Append(n, atom.Tbody)
		}
		tr := t.Append(part, atom.Tr)
		for j := range tab.Rows[i] {
			c := &tab.Rows[i][j]
			if c.Covered {
				continue
			}
			tag := atom.Td
			if i < tab.Header {
				tag = atom.Th
			}
			cell := t.Append(tr, tag)
			if c.ColSpan > 1 {
				cell.Attr = append(cell.Attr, html.Attribute{Key: "colspan", Val: strconv.Itoa(c.ColSpan)})
			}
			if c.RowSpan > 1 {
				cell.Attr = append(cell.Attr, html.Attribute{Key: "rowspan", Val: strconv.Itoa(c.RowSpan)})
			}
			t.Text(cell, c.Text())
		}
	}
}
