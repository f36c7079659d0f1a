// SPDX-License-Identifier: Apache-2.0

package xls

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/parse/internal/ooxml"
	"example.com/curlew/parse/internal/sheet"
)

// Record types of charts ([MS-XLS] 2.3 and 2.4).
const (
	rSeries     = 0x1003
	rSeriesText = 0x100D
	rBar        = 0x1017
	rLine       = 0x1018
	rPie        = 0x1019
	rArea       = 0x101A
	rScatter    = 0x101B
	rTextStart  = 0x1025
	rObjectLink = 0x1027
	rRadar      = 0x103E
	rSurface    = 0x103F
	rRadarArea  = 0x1040
	rCache      = 0x1065

	cacheValues     = 1
	cacheCategories = 2
	cacheSizes      = 3 // of bubbles

	chartSheet = 0x20 // substream type of a chart

	maxCharts = 1000 // in one workbook
	maxSeries = 256
	maxPoints = 10_000 // in one series
	maxCells  = 200_000
)

// chart has the cached data of a chart.
type chart struct {
	title, across, up string
	sorts             []string
	names             []string          // of the series, in order
	categories        map[int]string    // by index of the point
	values, sizes     map[[2]int]string // by point and series
	points            int
	object            int // index of the sheet's object, from 0; -1 for a chart sheet

	series bool   // the next text is the name of a series
	text   string // the last text that is not a name
	cache  int    // the meaning of the following cells
}

// record reads one record of a chart.
func (c *chart) record(r *reader, id uint16, b []byte) {
	sort := ""
	switch id {
	case rSeries:
		c.series = len(c.names) < maxSeries
		if c.series {
			c.names = append(c.names, "")
		} else {
			r.charts.Series++
		}
	case rTextStart:
		c.series, c.text = false, ""
	case rSeriesText:
		if len(b) < 3 {
			return
		}
		text := words(string(r.str(b[2:], 1)))
		if !c.series {
			c.text = text
		} else if n := len(c.names); c.names[n-1] == "" {
			c.names[n-1] = text
		}
	case rObjectLink:
		switch u16(b, 0) {
		case 1:
			c.title = c.text
		case 2, 7:
			c.up = ooxml.AxisTitles(c.up, c.text)
		case 3:
			c.across = c.text
		}
	case rBar:
		sort = "bar"
	case rLine:
		sort = "line"
	case rPie:
		sort = "pie"
		if u16(b, 2) > 0 { // size of the hole
			sort = "doughnut"
		}
	case rArea:
		sort = "area"
	case rScatter:
		sort = "scatter"
		if u16(b, 4)&1 != 0 {
			sort = "bubble"
		}
	case rRadar, rRadarArea:
		sort = "radar"
	case rSurface:
		sort = "surface"
	case rCache:
		c.cache = u16(b, 0)
	default:
		c.cell(r, id, b)
	}
	if sort != "" && !slices.Contains(c.sorts, sort) {
		c.sorts = append(c.sorts, sort)
	}
}

// words returns text with single spaces between its words.
func words(text string) string {
	if !strings.ContainsFunc(text, unicode.IsSpace) {
		return text
	}
	return strings.Join(strings.Fields(text), " ")
}

// cell reads a cell of the cache. A row is a point, a column a series.
func (c *chart) cell(r *reader, id uint16, b []byte) {
	text := ""
	switch {
	case len(b) < 7:
	case id == rNumber:
		text = string(r.book.Formats.Style(u16(b, 4)).Append(nil, f64(b, 6), r.book.Formats.Date1904))
	case id == rLabel:
		text = string(r.str(b[6:], 2))
	case id == rBoolErr && len(b) > 7 && b[7] != 0:
		text = sheet.ErrorText(b[6])
	}
	if text = words(text); text == "" {
		return
	}
	point, series := u16(b, 0), u16(b, 2)
	switch {
	case point >= maxPoints, len(c.values)+len(c.sizes) >= maxCells:
		r.charts.Points++
		return
	case series >= len(c.names):
		if series < maxSeries { // the others are counted as series
			r.charts.Loose++
		}
		return
	}
	switch c.cache {
	case cacheCategories:
		if _, again := c.categories[point]; !again {
			c.categories[point] = text
		}
	case cacheValues:
		c.values[[2]int{point, series}] = text
	case cacheSizes:
		c.sizes[[2]int{point, series}] = text
	default:
		return
	}
	c.points = max(c.points, point+1)
}

// figure returns the chart as a figure, or nil if it has neither a caption
// nor data.
func (c *chart) figure(r *reader) *html.Node {
	caption := ooxml.ChartCaption(c.title, c.sorts, c.up)
	if caption == "" && len(c.names) == 0 {
		r.charts.Empty++
		return nil
	}
	b := &r.book.B
	figure := b.Element(atom.Figure, "data-role", "chart")
	if caption != "" {
		b.Text(b.Append(figure, atom.Figcaption), caption)
	}
	full := map[int]bool{} // series with values
	for at := range c.values {
		full[at[1]] = true
	}
	r.charts.Bare += len(c.names) - len(full)
	if rows := c.table(r); len(rows) > 1 || strings.Join(c.names, "") != "" {
		b.Rows(b.Append(figure, atom.Table, "data-table", "source"), rows)
	}
	return figure
}

// table returns a row for each point, below the names of the series. In a
// bubble chart, the size follows each value.
func (c *chart) table(r *reader) [][]string {
	sizes := len(c.sizes) > 0 && slices.Contains(c.sorts, "bubble")
	var rows [][]string
	for point := -1; point < c.points; point++ {
		row := make([]string, 1, 1+2*len(c.names))
		if row[0] = c.categories[point]; point < 0 {
			row[0] = c.across
		}
		for series, name := range c.names {
			if point >= 0 {
				name = c.values[[2]int{point, series}]
			}
			row = append(row, name)
			if sizes {
				row = append(row, c.sizes[[2]int{point, series}])
			}
		}
		if point >= 0 && len(rows)*len(row) > maxCells {
			r.charts.Rows += c.points - point
			break
		}
		rows = append(rows, row)
	}
	return rows
}
