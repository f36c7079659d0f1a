// SPDX-License-Identifier: Apache-2.0

package ooxml

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
)

// Bounds of a chart's table.
const (
	maxSeries = 256
	maxPoints = 10_000 // of a series
	maxCells  = 200_000
)

// Chart returns a figure with the data that the chart in root keeps of its
// sheet: a row a category, a column a series, under its title and what sort of
// chart it is. It is nil where there is none.
func Chart(b *doctree.Builder, root *zipxml.Element) *html.Node {
	chart := root.Get("c:chart")
	if chart == nil {
		return nil
	}
	var all []series
	var sorts []string
	for e := range chart.Get("c:plotArea").Descendants() {
		if e.Name == "c:ser" && len(all) < maxSeries {
			all = append(all, readSeries(e))
		}
		if sort := sortOf(e.Name); sort != "" && !slices.Contains(sorts, sort) {
			sorts = append(sorts, sort)
		}
	}
	title := strings.Join(strings.Fields(drawn(chart.Get("c:title", "c:tx"))), " ")
	if len(all) == 0 && title == "" {
		return nil
	}
	figure := b.Element(atom.Figure, "data-role", "chart")
	if text := caption(title, sorts); text != "" {
		b.Text(b.Append(figure, atom.Figcaption), text)
	}
	if rows := table(all); len(rows) > 1 {
		b.Rows(b.Append(figure, atom.Table, "data-table", "source"), rows)
	}
	return figure
}

// sortOf returns what sort of chart an element of a plot area draws, "" for
// other elements (ECMA-376 part 1, 21.2.2).
func sortOf(name string) string {
	sort, ok := strings.CutSuffix(name, "Chart")
	if !ok {
		return ""
	}
	switch sort = strings.TrimSuffix(sort, "3D"); sort {
	case "c:bar", "c:line", "c:pie", "c:doughnut", "c:area", "c:scatter", "c:radar", "c:bubble", "c:stock", "c:surface":
		return strings.TrimPrefix(sort, "c:")
	case "c:ofPie":
		return "pie"
	}
	return ""
}

// caption says what a chart is: "Sales (bar chart)", "Bar and line chart".
func caption(title string, sorts []string) string {
	if len(sorts) == 0 {
		return title
	}
	sort := strings.Join(sorts, " and ") + " chart"
	if title != "" {
		return title + " (" + sort + ")"
	}
	return strings.ToUpper(sort[:1]) + sort[1:]
}

// series is one row of points.
type series struct {
	name                      string
	categories, values, sizes points
	scatter                   bool
}

type points struct {
	at   map[int]string
	most int // index after the last
}

func readSeries(e *zipxml.Element) series {
	s := series{name: drawn(e.Get("c:tx"))}
	s.categories = readPoints(e.Get("c:cat"))
	s.values = readPoints(e.Get("c:val"))
	if x := e.Get("c:xVal"); x != nil || e.Get("c:yVal") != nil {
		s.scatter = true
		s.categories, s.values = readPoints(x), readPoints(e.Get("c:yVal"))
		s.sizes = readPoints(e.Get("c:bubbleSize"))
	}
	return s
}

// drawn returns the text of a title or name: of its paragraphs, or of its
// cached cell.
func drawn(e *zipxml.Element) string {
	var b strings.Builder
	for d := range e.Descendants() {
		switch d.Name {
		case "a:t", "c:v":
			b.WriteString(d.Content())
		case "a:p", "a:br":
			b.WriteByte(' ')
		}
	}
	return strings.TrimSpace(b.String())
}

// readPoints reads a cache of strings or numbers. Of levels of categories the
// innermost comes last.
func readPoints(e *zipxml.Element) points {
	p := points{at: map[int]string{}}
	var levels []*zipxml.Element
	for d := range e.Descendants() {
		switch d.Name {
		case "c:strCache", "c:numCache", "c:strLit", "c:numLit", "c:lvl":
			levels = append(levels, d)
		}
	}
	for _, level := range slices.Backward(levels) {
		for pt := range level.All("c:pt") {
			at := pt.Int("idx", -1)
			if at < 0 || at >= maxPoints {
				continue
			}
			text := number(pt.Get("c:v").Content())
			if len(levels) > 1 && p.at[at] != "" {
				text = p.at[at] + " " + text
			}
			p.at[at] = strings.TrimSpace(text)
			p.most = max(p.most, at+1)
		}
	}
	return p
}

// number writes a cached number without the digits that binary fractions have
// too many.
func number(s string) string {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || len(s) < 16 {
		return s
	}
	return strconv.FormatFloat(f, 'g', 15, 64)
}

// table joins series by the index of their points. Points of a scatter have
// their own first coordinates unless all series share them, those of a bubble
// their sizes.
func table(all []series) [][]string {
	rows, scatter, sizes := 0, false, false
	for _, s := range all {
		rows = max(rows, s.values.most, s.categories.most)
		scatter = scatter || s.scatter
		sizes = sizes || s.sizes.most > 0
	}
	scatter = scatter && slices.ContainsFunc(all, func(s series) bool { return !maps.Equal(s.categories.at, all[0].categories.at) })
	if rows == 0 {
		return nil
	}
	out := make([][]string, 1, min(rows, 1000)+1)
	for at := -1; at < rows; at++ {
		var row []string
		for i, s := range all {
			if i == 0 || scatter {
				row = append(row, category(all[i:], at, scatter))
			}
			row = append(row, s.value(at, i, len(all)))
			if sizes {
				row = append(row, s.sizes.at[at])
			}
		}
		if at < 0 {
			out[0] = row
			continue
		}
		if len(out)*len(row) > maxCells {
			break
		}
		out = append(out, row)
	}
	return out
}

// category returns what a point belongs to, by the first series that says it;
// in a scatter only its own does.
func category(all []series, at int, scatter bool) string {
	for _, s := range all {
		if text := s.categories.at[at]; text != "" || scatter {
			return text
		}
	}
	return ""
}

// value returns the value of a point; before the first, the name of the
// series.
func (s series) value(at, i, of int) string {
	if at >= 0 {
		return s.values.at[at]
	}
	if s.name == "" && of > 1 {
		return "Series " + strconv.Itoa(i+1)
	}
	return s.name
}

// Diagram returns the texts of a SmartArt's data model, one a point, as it
// orders them.
func Diagram(root *zipxml.Element) []string {
	var texts []string
	for pt := range root.Get("dgm:ptLst").All("dgm:pt") {
		switch pt.Attr("type") {
		case "", "node", "asst":
		default:
			continue // of the layout
		}
		if text := strings.Join(strings.Fields(drawn(pt.Get("dgm:t"))), " "); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}
