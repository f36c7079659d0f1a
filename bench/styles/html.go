// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"html"
	"strings"
)

// html returns the document as a web page.
func (d *sample) html() string {
	var b strings.Builder
	v, h := d.padding()
	fmt.Fprintf(&b, `<!doctype html><html lang=en><meta charset=utf-8><title>Report</title><style>
@page{size:A4;margin:20mm}body{font:10.5pt/1.35 Liberation Serif,serif;margin:0}h1{font-size:18pt}
table{border-collapse:collapse;font:%spt/1.2 Liberation Sans,sans-serif;width:%.0f%%;table-layout:fixed;margin:12pt 0}
th,td{padding:%.1fpt %.1fpt;vertical-align:%s;text-align:left;font-weight:normal;overflow-wrap:break-word}
caption{font-style:italic;text-align:left;padding:3pt 0;caption-side:%s}tr{break-inside:avoid}sup{font-size:70%%;line-height:0}
</style><h1>Report on %s</h1><p>%s</p>`, d.style["size"], 100*d.width, v, h, d.stand(), d.captionSide(), d.name, d.before)
	b.WriteString("<table>")
	if d.style["caption"] != "none" {
		b.WriteString("<caption>" + caption + "</caption>")
	}
	b.WriteString("<colgroup>")
	sum := 0.0
	for _, s := range d.shares {
		sum += s
	}
	for _, s := range d.shares {
		fmt.Fprintf(&b, `<col style="width:%.2f%%">`, 100*s/sum)
	}
	b.WriteString("</colgroup>")
	for i := range len(d.head) + len(d.body) {
		switch {
		case i == 0 && len(d.head) > 0:
			b.WriteString("<thead>")
		case i == len(d.head):
			b.WriteString("<tbody>")
		}
		b.WriteString("<tr>")
		for j := range d.shares {
			d.cell(&b, i, j)
		}
		b.WriteString("</tr>\n")
		if i == len(d.head)-1 {
			b.WriteString("</thead>")
		}
	}
	b.WriteString("</table><p>" + d.after + "</p></html>")
	return b.String()
}

const caption = "Table 1. Figures of the year by kind"

func (d *sample) captionSide() string {
	if d.style["caption"] == "below" {
		return "bottom"
	}
	return "top"
}

func (d *sample) cell(b *strings.Builder, i, j int) {
	c := d.at(i, j)
	if c.covered {
		return
	}
	tag := "td"
	if i < len(d.head) {
		tag = "th"
	}
	l := d.lookOf(i, j)
	var css []string
	for _, side := range []struct {
		name string
		on   bool
	}{{"top", l.top}, {"bottom", l.bottom}, {"left", l.left}, {"right", l.right}} {
		if side.on {
			css = append(css, "border-"+side.name+":.75pt solid #000")
		}
	}
	if l.fill != "" {
		css = append(css, "background:"+l.fill)
	}
	if l.bold {
		css = append(css, "font-weight:bold")
	}
	if a := c.align(); a != "" {
		css = append(css, "text-align:"+a)
	}
	text := html.EscapeString(c.text)
	if c.note != "" {
		text += "<sup>" + c.note + "</sup>"
	}
	fmt.Fprintf(b, `<%s%s style="%s">%s</%s>`, tag, c.spanning("rowspan", "colspan"), strings.Join(css, ";"), text, tag)
}

func (c *cell) align() string {
	switch {
	case c.right:
		return "right"
	case c.middle:
		return "center"
	}
	return ""
}
