// SPDX-License-Identifier: Apache-2.0

package ooxml

import (
	"strings"

	"example.com/curlew/internal/doctree"
)

// ChartLoss counts what the charts of a document have and the tree does not.
type ChartLoss struct {
	Empty      int // charts without series and without a title
	Bare       int // series without values
	Loose      int // points without an index, or of a series that is not listed
	Dimensions int // data of a series beyond its categories and values
	Shapes     int // charts with shapes of their own, which may have texts
	Charts     int // charts beyond the limit of the reader
	Series     int // series beyond the limit
	Points     int // points beyond the limit
	Rows       int // rows beyond the limit on cells
}

// Warn adds warnings that say what was left out.
func (l *ChartLoss) Warn(doc *doctree.Document) {
	for _, w := range []struct {
		n         int
		one, many string
	}{
		{l.Empty, "chart has no title and no data that could be read.", "charts have no title and no data that could be read."},
		{l.Bare, "series of a chart has no values: the file does not store a copy of the cells that it shows.", "series of charts have no values: the file does not store copies of the cells that they show."},
		{l.Loose, "point of a chart has no valid place in it and was left out.", "points of charts have no valid place in them and were left out."},
		{l.Dimensions, "column of data of a chart was left out, because it is neither a category nor a value.", "columns of data of charts were left out, because they are neither categories nor values."},
		{l.Shapes, "chart has shapes drawn on it, whose texts were left out.", "charts have shapes drawn on them, whose texts were left out."},
	} {
		if w.n > 0 {
			doc.Warn("part-unreadable", 0, many(w.n, w.one, w.many))
		}
	}
	var over []string
	for _, w := range []struct {
		n         int
		one, many string
	}{{l.Charts, "chart", "charts"}, {l.Series, "series", "series"}, {l.Points, "point", "points"}, {l.Rows, "row", "rows"}} {
		if w.n > 0 {
			over = append(over, many(w.n, w.one, w.many))
		}
	}
	if len(over) > 0 {
		doc.Warn("truncated", 0, "The charts are too large; left out: "+strings.Join(over, ", ")+".")
	}
}
