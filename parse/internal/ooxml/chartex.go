// SPDX-License-Identifier: Apache-2.0

package ooxml

import (
	"strings"

	"example.com/curlew/internal/zipxml"
)

// readExtended reads a chart of a type that Office 2016 added (namespace
// chartex of MS-ODRAWXML). Its data is stored separately from the series, in
// dimensions.
func readExtended(root *zipxml.Element) (c chart) {
	data := map[string]*zipxml.Element{}
	for e := range root.Get("cx:chartData").All("cx:data") {
		data[e.Attr("id")] = e
	}
	region := root.Get("cx:chart", "cx:plotArea", "cx:plotAreaRegion")
	for e := range region.All("cx:series") {
		layout := e.Attr("layoutId")
		c.sort(extendedSort(layout))
		of := data[Val(e.Get("cx:dataId"))]
		if of == nil || layout == "paretoLine" || len(c.series) >= maxSeries {
			continue // the line repeats the data of the columns
		}
		s := series{name: drawn(e.Get("cx:tx")), categories: points{at: map[int]string{}}, values: points{at: map[int]string{}}}
		for dimension := range of.Children() {
			switch p := readPoints(dimension, false); {
			case dimension.Name == "cx:strDim" && s.categories.most == 0:
				s.categories = p
			case dimension.Name == "cx:numDim" && s.values.most == 0:
				s.values = p
			}
		}
		c.series = append(c.series, s)
	}
	c.title = line(root.Get("cx:chart", "cx:title", "cx:tx"))
	return c
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
