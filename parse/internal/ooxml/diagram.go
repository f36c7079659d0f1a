// SPDX-License-Identifier: Apache-2.0

package ooxml

import (
	"sort"
	"strconv"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
)

// Bounds on a diagram.
const (
	maxDiagramPoints = 10_000
	maxDiagramDepth  = 16
)

// Diagram returns a figure with the texts of a SmartArt diagram as a nested
// list. The data model in root defines the nesting (ECMA-376 part 1,
// 21.4.2). If it has no texts, they are those of the drawing that other programs
// show, whose relationship has the ID for which drawing is called. It returns nil
// if there are no texts.
func Diagram(b *doctree.Builder, root *zipxml.Element, drawing func(id string) *zipxml.Element) *html.Node {
	d := diagram{b: b, texts: map[string]string{}, below: map[string][]connection{}}
	var order []string
	top := ""
	for pt := root.Get("dgm:ptLst").Named("dgm:pt"); pt != nil; pt = pt.Same() {
		id := pt.Attr("modelId")
		switch pt.Attr("type") {
		case "doc":
			top = id
		case "", "node", "asst":
			if _, taken := d.texts[id]; taken || id == "" {
				id = "no id " + strconv.Itoa(len(order))
			}
			if len(order) < maxDiagramPoints {
				order = append(order, id)
				d.texts[id] = line(pt.Get("dgm:t"))
			}
		}
	}
	for cxn := root.Get("dgm:cxnLst").Named("dgm:cxn"); cxn != nil; cxn = cxn.Same() {
		if kind := cxn.Attr("type"); kind == "" || kind == "parOf" {
			from := cxn.Attr("srcId")
			d.below[from] = append(d.below[from], connection{cxn.Attr("destId"), cxn.Int("srcOrd", 0)})
		}
	}
	figure := b.Element(atom.Figure, "data-role", "diagram")
	d.flow = doctree.Flow{B: b, Into: figure}
	d.list(top, 0)
	for _, id := range order { // points without a parent
		d.point(id, 0)
	}
	if figure.FirstChild == nil {
		d.drawn(root, drawing)
	}
	if figure.FirstChild == nil {
		return nil
	}
	return figure
}

// diagram is the state for writing one diagram.
type diagram struct {
	b     *doctree.Builder
	flow  doctree.Flow
	texts map[string]string // texts of points that have not been written
	below map[string][]connection
}

// connection leads from a point to one below it.
type connection struct {
	to    string
	order int
}

// drawn writes the texts of the shapes in the drawing of a diagram.
func (d *diagram) drawn(root *zipxml.Element, drawing func(id string) *zipxml.Element) {
	for ext := root.Get("dgm:extLst").Named("a:ext"); ext != nil; ext = ext.Same() {
		id := ext.Get("dsp:dataModelExt").Attr("relId")
		if id == "" {
			continue
		}
		shapes := 0
		for body := range drawing(id).Descendants() {
			if body.Name != "dsp:txBody" {
				continue
			}
			if text := line(body); text != "" && shapes < maxDiagramPoints {
				d.b.Text(d.flow.Item(doctree.Item{}), text)
				shapes++
			}
		}
	}
}

// list writes the points below a point.
func (d *diagram) list(id string, level int) {
	below := d.below[id]
	delete(d.below, id)
	sort.SliceStable(below, func(i, j int) bool { return below[i].order < below[j].order })
	for _, c := range below {
		d.point(c.to, level)
	}
}

// point writes a point, unless it has been written, and the points below it.
// A point without text adds no level.
func (d *diagram) point(id string, level int) {
	text, ok := d.texts[id]
	if !ok || level >= maxDiagramDepth {
		return
	}
	delete(d.texts, id)
	if text != "" {
		d.b.Text(d.flow.Item(doctree.Item{Level: level}), text)
		level++
	}
	d.list(id, level)
}
