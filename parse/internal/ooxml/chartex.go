// SPDX-License-Identifier: Apache-2.0

package ooxml

import (
	"strings"

	"example.com/curlew/internal/zipxml"
)

// readExtended reads a chart of a type that Office 2016 added (namespace
// chartex of MS-ODRAWXML). Its data is stored separately from the series, in
// dimensions.
func (c *chart) readExtended(root *zipxml.Element) {
	data := map[string]*zipxml.Element{}
	for e := root.Get("cx:chartData").Named("cx:data"); e != nil; e = e.Same() {
		data[e.Attr("id")] = e
	}
	region := root.Get("cx:chart", "cx:plotArea", "cx:plotAreaRegion")
	for e := region.Named("cx:series"); e != nil; e = e.Same() {
		layout := e.Attr("layoutId")
		c.sort(extendedSort(layout))
		of := data[Val(e.Get("cx:dataId"))]
		if layout == "paretoLine" {
			continue // the line repeats the data of the columns
		}
		if len(c.series) >= maxSeries {
			c.loss.Series++
			continue
		}
		s := series{name: drawn(e.Get("cx:tx")), categories: points{at: map[int]string{}}, values: points{at: map[int]string{}}}
		for dimension := of.First(); dimension != nil; dimension = dimension.Next() {
			into := &s.values
			switch dimension.Name {
			case "cx:numDim":
			case "cx:strDim":
				into = &s.categories
			default:
				continue
			}
			if into.most > 0 {
				c.loss.Dimensions++ // such as the colours of a map
				continue
			}
			*into = c.readPoints(dimension, false)
		}
		if of == nil && s.name == "" {
			c.loss.Bare++
			continue
		}
		c.series = append(c.series, s)
	}
	c.title = line(root.Get("cx:chart", "cx:title", "cx:tx"))
	for axis := root.Get("cx:chart", "cx:plotArea").Named("cx:axis"); axis != nil; axis = axis.Same() {
		c.mount(line(axis.Get("cx:title", "cx:tx")))
	}
}

// extendedSort returns the usual name for the chart type of a layout.
func extendedSort(layout string) string {
	switch layout {
	case "clusteredColumn":
		return "histogram"
	case "boxWhisker":
		return "box and whisker"
	case "paretoLine":
		return "pareto"
	case "regionMap":
		return "map"
	}
	return strings.ToLower(layout) // waterfall, treemap, sunburst, funnel
}
