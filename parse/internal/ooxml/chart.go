// SPDX-License-Identifier: Apache-2.0

package ooxml

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/numfmt"
)

// Bounds on the table of a chart.
const (
	maxSeries = 256
	maxPoints = 10_000 // of one series
	maxCells  = 200_000
)

// Charts reads the charts of one document, and counts what it leaves out.
// The zero value is ready for use.
type Charts struct{ ChartLoss }

// Read returns a figure with the data that the chart in root has cached
// from its sheet. It has one row for each category and one column for each
// series, and a caption with the title and the type of the chart. It returns
// nil if root is nil, or if there is no series and no title.
func (c *Charts) Read(b *doctree.Builder, root *zipxml.Element) *html.Node {
	if root == nil {
		return nil
	}
	if root.Get("c:userShapes") != nil {
		c.Shapes++
	}
	ch := chart{loss: &c.ChartLoss}
	if root.Name == "cx:chartSpace" {
		ch.readExtended(root)
	} else {
		ch.read(root)
	}
	if len(ch.series) == 0 && ch.title == "" {
		c.Empty++
		return nil
	}
	figure := b.Element(atom.Figure, "data-role", "chart")
	rows := ch.table()
	isTable := len(rows) > 1 || len(rows) == 1 && slices.ContainsFunc(ch.series, func(s series) bool { return s.name != "" })
	if !isTable || rows[0][0] != "" {
		ch.mount(ch.across)
	}
	if text := ChartCaption(ch.title, ch.sorts, ch.up); text != "" {
		b.Text(b.Append(figure, atom.Figcaption), text)
	}
	for _, s := range ch.series {
		if s.values.most == 0 {
			c.Bare++
		}
	}
	if isTable {
		if rows[0][0] == "" {
			rows[0][0] = ch.across
		}
		b.Rows(b.Append(figure, atom.Table, "data-table", "source"), rows)
	}
	return figure
}

// chart has the content of a chart.
type chart struct {
	title      string
	sorts      []string // types such as "bar"
	across, up string   // titles of the category axis and of the other axes
	series     []series
	loss       *ChartLoss
}

// read reads a chart of ECMA-376 part 1, 21.2.
func (c *chart) read(root *zipxml.Element) {
	area := root.Get("c:chart", "c:plotArea")
	date1904 := On(root.Get("c:date1904"))
	for e := range area.Descendants() {
		switch {
		case e.Name != "c:ser":
		case len(c.series) >= maxSeries:
			c.loss.Series++
		default:
			c.series = append(c.series, c.readSeries(e, date1904))
		}
		c.sort(sortOf(e.Name))
	}
	for axis := area.First(); axis != nil; axis = axis.Next() {
		title, at := line(axis.Get("c:title", "c:tx")), Val(axis.Get("c:axPos"))
		across := axis.Name == "c:catAx" || axis.Name == "c:dateAx" ||
			axis.Name == "c:valAx" && (at == "b" || at == "t") && area.Get("c:catAx") == nil && area.Get("c:dateAx") == nil // a scatter chart
		if across && c.across == "" {
			c.across = title
		} else if title != c.across {
			c.mount(title)
		}
	}
	c.title = line(root.Get("c:chart", "c:title", "c:tx"))
}

// mount adds the title of an axis to those of the caption, unless the header of a column has the same text.
func (c *chart) mount(title string) {
	if !slices.ContainsFunc(c.series, func(s series) bool { return s.name == title }) {
		c.up = AxisTitles(c.up, title)
	}
}

// AxisTitles adds the title of another axis to the titles in up, unless it is one of them.
func AxisTitles(up, title string) string {
	if title == "" || strings.Contains(", "+up+", ", ", "+title+", ") {
		return up
	}
	return strings.TrimPrefix(up+", "+title, ", ")
}

// sort adds a chart type unless it is there already.
func (c *chart) sort(sort string) {
	if sort != "" && !slices.Contains(c.sorts, sort) {
		c.sorts = append(c.sorts, sort)
	}
}

// line returns the text of a title on one line.
func line(e *zipxml.Element) string { return strings.Join(strings.Fields(drawn(e)), " ") }

// sortOf returns the chart type that an element of a plot area stands for,
// or "" for other elements (ECMA-376 part 1, 21.2.2).
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

// ChartCaption returns the caption of a chart, such as "Sales (bar chart, in
// euros)" or "Bar and line chart". up is the title of the value axis. Each
// argument may be empty.
func ChartCaption(title string, sorts []string, up string) string {
	sort := ""
	if strings.Contains(title, up) {
		up = "" // the title includes it
	}
	if len(sorts) > 0 {
		sort = strings.Join(sorts, " and ") + " chart"
	}
	switch {
	case sort == "":
		return cmp.Or(title, up)
	case title != "" && up != "":
		return title + " (" + sort + ", " + up + ")"
	case title != "":
		return title + " (" + sort + ")"
	case up != "":
		sort += " (" + up + ")"
	}
	return strings.ToUpper(sort[:1]) + sort[1:]
}

// series is one data series.
type series struct {
	name                      string
	categories, values, sizes points
	scatter                   bool
}

type points struct {
	at   map[int]string
	most int // highest index + 1
}

func (c *chart) readSeries(e *zipxml.Element, date1904 bool) series {
	read := func(name string) points { return c.readPoints(e.Get(name), date1904) }
	s := series{name: drawn(e.Get("c:tx")), categories: read("c:cat"), values: read("c:val")}
	if e.Get("c:xVal") != nil || e.Get("c:yVal") != nil {
		s.scatter = true
		s.categories, s.values, s.sizes = read("c:xVal"), read("c:yVal"), read("c:bubbleSize")
	}
	for of := e.Get("c:dLbls").Named("c:dLbl"); of != nil; of = of.Same() {
		s.label(of)
	}
	return s
}

// label adds the text that somebody wrote beside a point to its value. Fields of the text
// are left out, because they repeat what the table has.
func (s series) label(of *zipxml.Element) {
	at, err := strconv.Atoi(Val(of.Get("c:idx")))
	text := ""
	for r := range of.Get("c:tx").Descendants() {
		if r.Name == "a:r" {
			text = strings.TrimSpace(text + " " + line(r))
		}
	}
	switch value := s.values.at[at]; {
	case err != nil || text == "" || at >= s.values.most || text == value:
	case value == "":
		s.values.at[at] = text
	default:
		s.values.at[at] = value + " (" + text + ")"
	}
}

// drawn returns the text of a title or name, from its paragraphs or its
// cached cell.
func drawn(e *zipxml.Element) string {
	var b strings.Builder
	for d := range e.Descendants() {
		switch d.Name {
		case "a:t", "c:v", "cx:v":
			b.WriteString(d.Content())
		case "a:p", "a:br":
			b.WriteByte(' ')
		}
	}
	return strings.TrimSpace(b.String())
}

// readPoints reads a cache of strings or numbers. If categories have several
// levels, the innermost comes first.
func (c *chart) readPoints(e *zipxml.Element, date1904 bool) points {
	p := points{at: map[int]string{}}
	var levels []*zipxml.Element
	for d := range e.Descendants() {
		switch d.Name {
		case "c:strCache", "c:numCache", "c:strLit", "c:numLit", "c:lvl", "cx:lvl":
			levels = append(levels, d)
		}
	}
	for _, level := range slices.Backward(levels) {
		shown := shownBy(cmp.Or(level.Get("c:formatCode").Content(), level.Attr("formatCode")), date1904)
		for pt := level.First(); pt != nil; pt = pt.Next() {
			if pt.Name != "c:pt" && pt.Name != "cx:pt" {
				continue
			}
			at := pt.Int("idx", -1)
			if at < 0 {
				c.loss.Loose++
				continue
			}
			if at >= maxPoints {
				c.loss.Points++
				continue
			}
			text := shown(strings.TrimSpace(pt.Content()))
			if len(levels) > 1 && p.at[at] != "" {
				text = p.at[at] + " " + text
			}
			p.at[at] = strings.TrimSpace(text)
			p.most = max(p.most, at+1)
		}
	}
	return p
}

// shownBy returns a function that formats a cached number by a format code.
// Without a code, the function only rounds away the digits that come from
// binary fractions.
func shownBy(code string, date1904 bool) func(string) string {
	format := numfmt.Parse(code)
	plain := code == "" || format.IsGeneral()
	return func(s string) string {
		f, err := strconv.ParseFloat(s, 64)
		switch {
		case err != nil:
			return s
		case !plain:
			return format.Number(f, date1904)
		case len(s) < 16 && !strings.ContainsAny(s, "eE"):
			return s
		}
		return string(numfmt.General(nil, f))
	}
}

// table combines series by the index of their points. In a scatter chart,
// points have x values of their own unless all series share them. In a
// bubble chart they also have sizes. The first row has the names of the
// series. If there is no series, there is no row.
func (c *chart) table() [][]string {
	all := c.series
	if len(all) == 0 {
		return nil
	}
	rows, scatter, sizes := 0, false, false
	for _, s := range all {
		rows = max(rows, s.values.most, s.categories.most)
		scatter = scatter || s.scatter
		sizes = sizes || s.sizes.most > 0
	}
	scatter = scatter && slices.ContainsFunc(all, func(s series) bool { return !maps.Equal(s.categories.at, all[0].categories.at) })
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
			c.loss.Rows += rows - at
			break
		}
		out = append(out, row)
	}
	return out
}

// category returns the category of a point from the first series that has
// one. In a scatter chart only the first series counts.
func category(all []series, at int, scatter bool) string {
	for _, s := range all {
		if text := s.categories.at[at]; text != "" || scatter {
			return text
		}
	}
	return ""
}

// value returns the value of a point or, for index -1, the name of the
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
