// SPDX-License-Identifier: Apache-2.0

package ooxml_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/ooxml"
)

const drawing = `xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ` +
	`xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex" xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"`

// figure renders the result of read for a part. The word DRAWING in the part
// stands for its namespaces.
func figure(t *testing.T, part string, read func(*doctree.Builder, *zipxml.Element) *html.Node) string {
	t.Helper()
	root, err := zipxml.Parse(t.Context(), []byte(strings.Replace(part, "DRAWING", drawing, 1)), ooxml.Words)
	if err != nil {
		t.Fatal(err)
	}
	n := read(&doctree.Builder{}, root)
	if n == nil {
		return ""
	}
	var b strings.Builder
	if err := html.Render(&b, n); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestChart(t *testing.T) {
	cache := func(code string, values ...string) string {
		var s strings.Builder
		s.WriteString("<c:formatCode>" + code + "</c:formatCode>")
		for i, v := range values {
			fmt.Fprintf(&s, `<c:pt idx="%d"><c:v>%s</c:v></c:pt>`, i, v)
		}
		return "<c:numRef><c:numCache>" + s.String() + "</c:numCache></c:numRef>"
	}
	title := func(s string) string {
		return "<c:title><c:tx><c:rich><a:p><a:r><a:t>" + s + "</a:t></a:r></a:p></c:rich></c:tx></c:title>"
	}
	const table = `<table data-table="source"><thead><tr><th>%s</th><th>%s</th></tr></thead><tbody><tr><td>%s</td><td>%s</td></tr></tbody></table>`
	for _, c := range []struct{ what, part, want string }{
		{"nothing", `<c:chartSpace DRAWING><c:chart><c:plotArea/></c:chart></c:chartSpace>`, ""},
		{
			"dates and shares",
			`<c:chartSpace DRAWING><c:chart>` + title("Sales") + `<c:plotArea><c:lineChart><c:ser><c:tx><c:v>S</c:v></c:tx><c:cat>` + cache("m/d/yyyy", "45000") + `</c:cat><c:val>` + cache("0%", "0.25") +
				`</c:val></c:ser></c:lineChart><c:dateAx>` + title("Day") + `</c:dateAx><c:valAx>` + title("of all") + `</c:valAx></c:plotArea></c:chart></c:chartSpace>`,
			`<figcaption>Sales (line chart, of all)</figcaption>` + fmt.Sprintf(table, "Day", "S", "2023-03-15", "25%"),
		},
		{
			"labels that somebody wrote",
			`<c:chartSpace DRAWING><c:chart><c:plotArea><c:pieChart><c:ser><c:tx><c:v>S</c:v></c:tx><c:dLbls><c:dLbl><c:idx val="0"/><c:tx><c:rich><a:p><a:r><a:t>the best</a:t></a:r><a:fld><a:t>[VALUE]</a:t></a:fld></a:p></c:rich></c:tx></c:dLbl><c:dLbl><c:idx val="9"/><c:tx><c:rich><a:p><a:r><a:t>none</a:t></a:r></a:p></c:rich></c:tx></c:dLbl></c:dLbls><c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>A</c:v></c:pt></c:strCache></c:strRef></c:cat><c:val>` + cache("General", "1") + `</c:val></c:ser></c:pieChart></c:plotArea></c:chart></c:chartSpace>`,
			`<figcaption>Pie chart</figcaption>` + fmt.Sprintf(table, "", "S", "A", "1 (the best)"),
		},
		{
			"days from 1904",
			`<c:chartSpace DRAWING><c:date1904 val="1"/><c:chart><c:plotArea><c:barChart><c:ser><c:cat>` + cache("yyyy-mm-dd", "43538") + `</c:cat><c:val>` + cache("General", "1.1000000000000001") + `</c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>`,
			`<figcaption>Bar chart</figcaption>` + fmt.Sprintf(table, "", "", "2023-03-15", "1.1"),
		},
		{
			"axes of a scatter",
			`<c:chartSpace DRAWING><c:chart><c:plotArea><c:scatterChart><c:ser><c:xVal>` + cache("General", "1") + `</c:xVal><c:yVal>` + cache("General", "2") + `</c:yVal></c:ser></c:scatterChart>` +
				`<c:valAx><c:axPos val="b"/>` + title("Time") + `</c:valAx><c:valAx><c:axPos val="l"/>` + title("Place") + `</c:valAx></c:plotArea></c:chart></c:chartSpace>`,
			`<figcaption>Scatter chart (Place)</figcaption>` + fmt.Sprintf(table, "Time", "", "1", "2"),
		},
		{
			"two value axes",
			`<c:chartSpace DRAWING><c:chart><c:plotArea><c:barChart><c:ser><c:val>` + cache("General", "2") + `</c:val></c:ser></c:barChart><c:catAx>` + title("Year") + `</c:catAx><c:valAx><c:axPos val="l"/>` + title("EUR") +
				`</c:valAx><c:catAx/><c:valAx><c:axPos val="r"/>` + title("Margin") + `</c:valAx></c:plotArea></c:chart></c:chartSpace>`,
			`<figcaption>Bar chart (EUR, Margin)</figcaption>` + fmt.Sprintf(table, "Year", "", "", "2"),
		},
		{
			"axes without data",
			`<c:chartSpace DRAWING><c:chart><c:plotArea><c:barChart><c:ser/></c:barChart><c:catAx>` + title("Year") + `</c:catAx></c:plotArea></c:chart></c:chartSpace>`,
			`<figcaption>Bar chart (Year)</figcaption>`,
		},
		{
			"waterfall",
			`<cx:chartSpace DRAWING><cx:chartData><cx:data id="0"><cx:strDim type="cat"><cx:f>A</cx:f><cx:lvl ptCount="1"><cx:pt idx="0">North</cx:pt></cx:lvl></cx:strDim>` +
				`<cx:numDim type="val"><cx:f>B</cx:f><cx:lvl ptCount="1" formatCode="0.0"><cx:pt idx="0">7</cx:pt></cx:lvl></cx:numDim></cx:data></cx:chartData>` +
				`<cx:chart><cx:title><cx:tx><cx:txData><cx:f>x</cx:f><cx:v>Flow</cx:v></cx:txData></cx:tx></cx:title><cx:plotArea><cx:plotAreaRegion>` +
				`<cx:series layoutId="waterfall"><cx:tx><cx:txData><cx:v>Sum</cx:v></cx:txData></cx:tx><cx:dataId val="0"/></cx:series><cx:series layoutId="funnel"><cx:dataId val="9"/></cx:series></cx:plotAreaRegion><cx:axis id="0"><cx:title><cx:tx><cx:rich><a:p><a:r><a:t>Tons</a:t></a:r></a:p></cx:rich></cx:tx></cx:title></cx:axis></cx:plotArea></cx:chart></cx:chartSpace>`,
			`<figcaption>Flow (waterfall and funnel chart, Tons)</figcaption>` + fmt.Sprintf(table, "", "Sum", "North", "7.0"),
		},
		{
			"levels of categories",
			`<cx:chartSpace DRAWING><cx:chartData><cx:data id="0"><cx:strDim type="cat"><cx:lvl><cx:pt idx="0">leaf</cx:pt></cx:lvl><cx:lvl><cx:pt idx="0">stem</cx:pt></cx:lvl></cx:strDim><cx:numDim type="size"><cx:lvl><cx:pt idx="0">3</cx:pt></cx:lvl></cx:numDim></cx:data></cx:chartData>` +
				`<cx:chart><cx:plotArea><cx:plotAreaRegion><cx:series layoutId="sunburst"><cx:dataId val="0"/></cx:series></cx:plotAreaRegion></cx:plotArea></cx:chart></cx:chartSpace>`,
			`<figcaption>Sunburst chart</figcaption>` + fmt.Sprintf(table, "", "", "stem leaf", "3"),
		},
	} {
		want := c.want
		if want != "" {
			want = `<figure data-role="chart">` + want + `</figure>`
		}
		if got := figure(t, c.part, new(ooxml.Charts).Read); got != want {
			t.Errorf("%s: %s\nwant %s", c.what, got, want)
		}
	}
}

// TestChartLoss says what charts have and the tree does not.
func TestChartLoss(t *testing.T) {
	of := func(inner string) string {
		return `<c:chartSpace DRAWING><c:chart><c:plotArea><c:barChart>` + inner + `</c:barChart></c:plotArea></c:chart></c:chartSpace>`
	}
	values := func(points string) string {
		return "<c:val><c:numRef><c:numCache>" + points + "</c:numCache></c:numRef></c:val>"
	}
	point := func(at int) string { return fmt.Sprintf(`<c:pt idx="%d"><c:v>5</c:v></c:pt>`, at) }
	series := "<c:ser>" + values(point(0)) + "</c:ser>"
	dimension := `<cx:numDim type="%s"><cx:lvl><cx:pt idx="0">3</cx:pt></cx:lvl></cx:numDim>`
	for _, c := range []struct {
		what, part string
		want       []string // warnings
		shows      string
	}{
		{"whole", of(series), nil, "<td>5</td>"},
		{"nothing", of(""), []string{"part-unreadable: 1 chart has no title and no data that could be read."}, ""},
		{"shapes of its own", strings.Replace(of(series), "</c:chartSpace>", `<c:userShapes id="u"/></c:chartSpace>`, 1), []string{"part-unreadable: 1 chart has shapes drawn on it, whose texts were left out."}, "<td>5</td>"},
		{
			"only references to cells", of(`<c:ser><c:tx><c:v>Fees</c:v></c:tx><c:val><c:numRef><c:f>S!A1</c:f></c:numRef></c:val></c:ser>` + series),
			[]string{"part-unreadable: 1 series of a chart has no values: the file does not store a copy of the cells that it shows."},
			"<th>Fees</th>",
		},
		{
			"no values at all", of(`<c:ser><c:tx><c:v>Fees</c:v></c:tx></c:ser><c:ser><c:tx><c:v>Fines</c:v></c:tx></c:ser>`),
			[]string{"part-unreadable: 2 series of charts have no values: the file does not store copies of the cells that they show."},
			"<th>Fees</th><th>Fines</th>",
		},
		{
			"points without an index", of("<c:ser>" + values(`<c:pt><c:v>1</c:v></c:pt><c:pt idx="-2"><c:v>1</c:v></c:pt>`+point(0)) + "</c:ser>"),
			[]string{"part-unreadable: 2 points of charts have no valid place in them and were left out."},
			"<td>5</td>",
		},
		{"points beyond the limit", of("<c:ser>" + values(point(0)+point(10_000)) + "</c:ser>"), []string{"truncated: The charts are too large; left out: 1 point."}, "<td>5</td>"},
		{
			"series and rows beyond the limits", of(strings.Repeat(series, 257) + "<c:ser>" + values(point(9)) + "</c:ser>" + strings.Repeat("<c:ser>"+values(point(9))+"</c:ser>", 3)),
			[]string{"truncated: The charts are too large; left out: 5 series."},
			"<td>5</td>",
		},
		{
			"rows beyond the limit", of("<c:ser>" + values(point(999)) + "</c:ser>" + strings.Repeat(series, 255)),
			[]string{"truncated: The charts are too large; left out: 222 rows."},
			"<td>5</td>",
		},
		{
			"colours of a map", `<cx:chartSpace DRAWING><cx:chartData><cx:data id="0">` + fmt.Sprintf(dimension, "val") + fmt.Sprintf(dimension, "colorVal") + `</cx:data></cx:chartData>` +
				`<cx:chart><cx:plotArea><cx:plotAreaRegion><cx:series layoutId="regionMap"><cx:dataId val="0"/></cx:series></cx:plotAreaRegion></cx:plotArea></cx:chart></cx:chartSpace>`,
			[]string{"part-unreadable: 1 column of data of a chart was left out, because it is neither a category nor a value."},
			"<td>3</td>",
		},
	} {
		var charts ooxml.Charts
		if got := figure(t, c.part, charts.Read); !strings.Contains(got, c.shows) {
			t.Errorf("%s: %.300s\nwant %s", c.what, got, c.shows)
		}
		var doc doctree.Document
		charts.Warn(&doc)
		var got []string
		for _, w := range doc.Warnings {
			got = append(got, w.Code+": "+w.Text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q\nwant %q", c.what, got, c.want)
		}
	}
}

func TestDiagram(t *testing.T) {
	point := func(id, kind, text string) string {
		return fmt.Sprintf(`<dgm:pt modelId="%s" type="%s"><dgm:t><a:p><a:r><a:t>%s</a:t></a:r></a:p></dgm:t></dgm:pt>`, id, kind, text)
	}
	below := func(pairs ...string) string {
		var s strings.Builder
		for i, p := range pairs {
			fmt.Fprintf(&s, `<dgm:cxn srcId="%c" destId="%c" srcOrd="%d"/>`, p[0], p[1], i)
		}
		return s.String()
	}
	points := point("0", "doc", "") + point("3", "node", "three") + point("1", "", "one") + point("2", "asst", "two") + point("4", "pres", "no") + point("5", "parTrans", "no")
	for _, c := range []struct{ what, connections, want string }{
		{"a tree", below("01", "12", "03"), `<ul><li>one<ul><li>two</li></ul></li><li>three</li></ul>`},
		{"the order of connections", `<dgm:cxn srcId="0" destId="3" srcOrd="1"/><dgm:cxn srcId="0" destId="1" srcOrd="0"/><dgm:cxn type="presOf" srcId="1" destId="2"/>`, `<ul><li>one</li><li>three</li><li>two</li></ul>`},
		{"none", "", `<ul><li>three</li><li>one</li><li>two</li></ul>`},
		{"a loop", below("12", "21", "33"), `<ul><li>three</li><li>one<ul><li>two</li></ul></li></ul>`},
	} {
		part := `<dgm:dataModel DRAWING><dgm:ptLst>` + points + `</dgm:ptLst><dgm:cxnLst>` + c.connections + `</dgm:cxnLst></dgm:dataModel>`
		if got, want := figure(t, part, smartArt), `<figure data-role="diagram">`+c.want+`</figure>`; got != want {
			t.Errorf("%s: %s\nwant %s", c.what, got, want)
		}
	}
	if got := figure(t, `<dgm:dataModel DRAWING/>`, smartArt); got != "" {
		t.Errorf("nothing: %s", got)
	}
}

// smartArt reads a diagram without a drawing.
func smartArt(b *doctree.Builder, root *zipxml.Element) *html.Node {
	return ooxml.Diagram(b, root, func(string) *zipxml.Element { return nil })
}
