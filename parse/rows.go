// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/dom"
	"example.com/curlew/parse/internal/csv"
)

// checkRows is how many rows are read between two checks of the context.
const checkRows = 4096

var errNoTable = errors.New("parse: not a table")

// Rows yields the rows of a table of the tree as tr elements with td or th
// elements, those of its head first. Rows of large tables and of CSV that was read
// with Options.Stream are made one by one and are valid until the next step; other
// rows are part of the tree. None may be changed. Rows of tables within cells are
// not included.
//
// If the document was read with Options.Stream, Rows reads its Source again, so
// Source.Data must still be open. It keeps only a part of the text in memory. An
// error, which comes with a nil row, ends the rows: the cause of ctx, an error of
// Source.Data, or a record of more than 64 MiB. After the last row, it adds to
// Warnings what may be read wrongly in the rows, so goroutines must not read the
// rows of such a tree at the same time.
func (t *Tree) Rows(ctx context.Context, table *html.Node) iter.Seq2[*html.Node, error] {
	return func(yield func(*html.Node, error) bool) {
		if table == nil || table.DataAtom != atom.Table {
			yield(nil, errNoTable)
			return
		}
		if t.rows != nil {
			t.doubt(t.rows(ctx, yield))
			return
		}
		if g, ok := doctree.GridOf(table); ok {
			gridRows(ctx, g, yield)
			return
		}
		n := 0
		for section := range table.ChildNodes() {
			if section.DataAtom == atom.Tr && !yield(section, nil) {
				return
			}
			if section.DataAtom != atom.Thead && section.DataAtom != atom.Tbody && section.DataAtom != atom.Tfoot {
				continue
			}
			for tr := range section.ChildNodes() {
				if n++; n%checkRows == 0 && ctx.Err() != nil {
					yield(nil, context.Cause(ctx))
					return
				}
				if tr.DataAtom == atom.Tr && !yield(tr, nil) {
					return
				}
			}
		}
	}
}

// doubt adds warnings about a table, unless the tree has them.
func (t *Tree) doubt(texts []string) {
	for _, text := range texts {
		if w := (Warning{Code: WarnTable, Text: text}); !slices.Contains(t.Warnings, w) {
			t.Warnings = append(t.Warnings, w)
		}
	}
}

// gridRows yields the rows of a grid.
func gridRows(ctx context.Context, g doctree.Grid, yield func(*html.Node, error) bool) {
	var b rowBuilder
	n := 0
	var cells []string
	for row := range g.Rows() {
		if n++; n%checkRows == 0 && ctx.Err() != nil {
			yield(nil, context.Cause(ctx))
			return
		}
		cells = cells[:0]
		for cell := range doctree.Cells(row) {
			cells = append(cells, cell)
		}
		if !yield(b.row(cells, n == 1 && g.Head), nil) {
			return
		}
	}
}

// rowBuilder makes rows from nodes that it reuses.
type rowBuilder struct {
	nodes []html.Node
}

// row returns a row of texts, in which line breaks are br elements.
func (b *rowBuilder) row(cells []string, head bool) *html.Node {
	need := 1
	for _, cell := range cells {
		need += 2
		for _, c := range []byte(cell) {
			if c == '\n' {
				need += 2
			}
		}
	}
	if cap(b.nodes) < need {
		b.nodes = make([]html.Node, need)
	}
	free := b.nodes[:need]
	node := func(kind html.NodeType, a atom.Atom, data string) *html.Node {
		n := &free[0]
		free = free[1:]
		*n = html.Node{Type: kind, DataAtom: a, Data: data}
		return n
	}
	tr := node(html.ElementNode, atom.Tr, "tr")
	tag := atom.Td
	if head {
		tag = atom.Th
	}
	for _, cell := range cells {
		td := node(html.ElementNode, tag, tag.String())
		tr.AppendChild(td)
		from := 0
		for i := 0; i <= len(cell); i++ {
			if i < len(cell) && cell[i] != '\n' {
				continue
			}
			if from > 0 {
				td.AppendChild(node(html.ElementNode, atom.Br, "br"))
			}
			if i > from {
				td.AppendChild(node(html.TextNode, 0, cell[from:i]))
			}
			from = i + 1
		}
	}
	return tr
}

// streams reports whether the rows of a document of a kind are left in its source.
func (o *Options) streams(kind Kind) bool { return o.Stream && (kind == CSV || kind == TSV) }

// sampled is how many bytes of a table decide on its encoding.
const sampled = 1 << 20

// streamTable returns the tree of CSV or TSV whose rows stay in the source.
func streamTable(in *input) (*Tree, error) {
	sample := make([]byte, min(in.Size, sampled))
	n, err := in.Data.ReadAt(sample, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	sample = sample[:n]
	var b doctree.Builder
	doc, _, body := b.Document(string(in.kind), "", "")
	b.Append(b.Append(body, atom.Table, "data-table", "sheet", "data-stream", ""), atom.Tbody)
	comma := byte(0)
	if in.kind == TSV {
		comma = '\t'
	}
	src := in.Source
	d := dom.Read(sample, src.ContentType)
	delete(d.Lost, dom.Wrong) // the sample may end within a character, and Rows counts them
	t := &Tree{Root: doc, Warnings: append(warningsOf(d), Warning{Code: WarnStreamed, Text: fmt.Sprintf("The rows of the table, %d bytes, are not in the tree.", src.Size)})}
	t.rows = func(ctx context.Context, yield func(*html.Node, error) bool) (doubts []string) {
		var b rowBuilder
		n := 0
		text := dom.Reader(io.NewSectionReader(src.Data, 0, src.Size), sample, src.ContentType)
		for record, err := range csv.Stream(text, comma, dom.Clean, &doubts) {
			if n++; n%checkRows == 0 && err == nil {
				err = context.Cause(ctx)
			}
			if err != nil {
				yield(nil, err)
				return nil
			}
			if !yield(b.row(record, n == 1 && !csv.Numeric(record)), nil) {
				return nil
			}
		}
		return doubts
	}
	return t, nil
}
