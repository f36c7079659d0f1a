// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"fmt"
	"html/template"
	"path/filepath"
	"strings"

	"golang.org/x/net/html"

	"example.com/curlew/parse"
)

// document is the data of the template.
type document struct {
	Name     string
	Meta     parse.Meta
	Labels   []string        // kinds of the blocks, in the order of their first occurrence
	Warnings []parse.Warning // those that do not belong to a page
	Sheets   []*sheet
}

// sheet is one page of the drawing.
type sheet struct {
	parse.Page
	Warnings []parse.Warning
	Words    []word
	Boxes    []*box
	Arrows   []arrow
	Image    template.URL // data URL of the page as rendered by another program; may be empty
}

// word is a word at its position on the page.
type word struct {
	rect
	Text   string
	Turned bool // vertical
}

// box is a block, or the part of it on one page.
type box struct {
	rect
	ID         string // such as p1b0
	Number     int    // position in the reading order of the page
	Label      string // as in [parse.Block]
	Mark       string // Number and Label, as drawn
	Source     string
	Confidence string // empty if it was not measured
	Text       string
	From       int  // page on which the block begins; 0 for this page
	Placed     bool // rect is known
	Cells      []cell
	Items      []rect // items of a list
	Readings   string // of a table in two ways, with their scores; the kept one is the first
}

// cell is one cell of a table.
type cell struct {
	rect
	Header bool
	Span   string // such as 2×1, columns by rows; empty if the cell has no span
	Text   string
}

// rect is an area on a page, in points from the top left corner.
type rect struct{ X, Y, W, H float64 }

func rectOf(b parse.Box) rect { return rect{b.X0, b.Y0, b.X1 - b.X0, b.Y1 - b.Y0} }

// arrow leads from a block to the next one in reading order.
type arrow struct{ X0, Y0, X1, Y1 float64 }

// view converts tree to the data of the template.
func view(name string, tree *parse.Tree) *document {
	d := &document{Name: filepath.Base(name), Meta: tree.Meta}
	at := map[int]*sheet{}
	for _, p := range tree.Pages {
		s := &sheet{Page: p}
		at[p.Number] = s
		d.Sheets = append(d.Sheets, s)
	}
	for _, w := range tree.Warnings {
		if s := at[w.Page]; s != nil {
			s.Warnings = append(s.Warnings, w)
			continue
		}
		d.Warnings = append(d.Warnings, w)
	}
	for _, w := range tree.Words {
		if s := at[w.Page]; s != nil {
			r := rectOf(w.Box)
			s.Words = append(s.Words, word{r, w.Text, r.H > 1.5*r.W && len([]rune(w.Text)) > 2})
		}
	}
	seen := map[string]bool{}
	for b := range tree.Blocks() {
		if !seen[b.Label] {
			seen[b.Label] = true
			d.Labels = append(d.Labels, b.Label)
		}
		d.add(at, b)
	}
	for _, s := range d.Sheets {
		s.join()
	}
	return d
}

// add adds a block to the pages on which it appears.
func (d *document) add(at map[int]*sheet, b parse.Block) {
	places := b.Places()
	if len(places) == 0 {
		places = []parse.Place{{Page: b.Page}}
	}
	for _, p := range places {
		s := at[p.Page]
		if s == nil {
			continue
		}
		n := len(s.Boxes)
		v := &box{
			rect: rectOf(p.Box), Placed: p.Box != parse.Box{},
			ID: fmt.Sprintf("p%db%d", p.Page, n), Number: n, Label: b.Label,
			Source: b.Source, Text: textOf(b.Node), Readings: attr(b.Node, "data-readings"),
		}
		v.Mark = fmt.Sprint(n, " ", b.Label)
		if b.Conf >= 0 {
			v.Confidence = fmt.Sprintf("%.2f", b.Conf)
		}
		if p.Page != b.Page {
			v.From = b.Page
			v.Mark += " …"
		}
		for _, c := range b.Cells() {
			if c.Place.Page != p.Page {
				continue
			}
			drawn := cell{rect: rectOf(c.Place.Box), Header: c.Header, Text: textOf(c.Node)}
			if c.RowSpan > 1 || c.ColSpan > 1 {
				drawn.Span = fmt.Sprintf("%d×%d", c.ColSpan, c.RowSpan)
			}
			v.Cells = append(v.Cells, drawn)
		}
		for n := range b.Node.Descendants() {
			if q, ok := parse.PlaceOf(n); ok && n.Data == "li" && q.Page == p.Page {
				v.Items = append(v.Items, rectOf(q.Box))
			}
		}
		s.Boxes = append(s.Boxes, v)
	}
}

// join adds arrows from block to block.
func (s *sheet) join() {
	var last *box
	for _, b := range s.Boxes {
		if !b.Placed {
			continue
		}
		if last != nil {
			s.Arrows = append(s.Arrows, arrow{last.X, last.Y, b.X, b.Y})
		}
		last = b
	}
}

// attr returns an attribute of n, or "".
func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// textOf returns the text below n on a single line.
func textOf(n *html.Node) string {
	var text strings.Builder
	for c := range n.Descendants() {
		switch {
		case c.Type == html.TextNode:
			text.WriteString(c.Data)
		case c.Data == "td" || c.Data == "th" || c.Data == "li":
			text.WriteByte(' ')
		case c.Data == "img":
			for _, a := range c.Attr {
				if a.Key == "alt" {
					text.WriteString(a.Val)
				}
			}
		}
	}
	return strings.Join(strings.Fields(text.String()), " ")
}

//go:embed page.html
var source string

var page = template.Must(template.New("page").Parse(source))
