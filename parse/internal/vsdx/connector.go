// SPDX-License-Identifier: Apache-2.0

package vsdx

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
)

// connector holds the IDs of the shapes that a connector joins.
type connector struct{ begin, end string }

// Bounds on what connectors repeat.
const (
	maxName   = 100 // characters of the name of a shape
	maxStyles = 32  // styles that inherit from each other
)

// connect reads which shapes the connectors of a page join, and names these shapes.
func (d *reader) connect(s *sheet) {
	s.joins, s.names = map[string]connector{}, map[string]string{}
	for e := s.content.Get("vs:Connects").Named("vs:Connect"); e != nil; e = e.Same() {
		c, cell := s.joins[e.Attr("FromSheet")], e.Attr("FromCell")
		switch {
		case strings.HasPrefix(cell, "Begin"):
			c.begin = e.Attr("ToSheet")
		case strings.HasPrefix(cell, "End"):
			c.end = e.Attr("ToSheet")
		default:
			continue // such as the tail of a callout
		}
		s.joins[e.Attr("FromSheet")] = c
	}
	if len(s.joins) > 0 {
		d.name(*s, s.content, nil, 0)
	}
}

// name names the shapes in e that are not left out, and returns the first text in them.
func (d *reader) name(s sheet, e *zipxml.Element, group *master, depth int) (first string) {
	if depth > maxGroups {
		return ""
	}
	for shape := e.Get("vs:Shapes").Named("vs:Shape"); shape != nil; shape = shape.Same() {
		if shape.Attr("Del") == "1" || s.isHidden(shape) && d.options.Hidden == doctree.HiddenDropped {
			continue
		}
		from, group := d.inherit(shape, group)
		said := title(shape, from)
		if cell(shape, "HideText") == "1" && d.options.Hidden == doctree.HiddenDropped {
			said = ""
		}
		said = cmp.Or(said, d.name(s, shape, group, depth+1))
		first = cmp.Or(first, said)
		id := shape.Attr("ID")
		s.names[id] = cmp.Or(said, short(shape.Attr("Name")), short(shape.Attr("NameU")), "Sheet."+short(id))
	}
	return first
}

// title returns the first line of the text of a shape.
func title(e, from *zipxml.Element) string {
	for line := range strings.Lines(lines(content(e, from))) {
		if line = short(line); line != "" {
			return line
		}
	}
	return ""
}

// short returns a text of at most maxName characters.
func short(text string) string {
	text = strings.Join(strings.Fields(doctree.Clean(text)), " ")
	if utf8.RuneCountInString(text) > maxName {
		text = string([]rune(text)[:maxName]) + "…"
	}
	return text
}

// relation returns which shapes a connector joins, or "" if e is none. An arrow leads from
// the beginning of the connector to its end, unless the file says how the line ends. It
// counts connectors with an end that is at no shape of the page.
func (d *reader) relation(s sheet, e, from *zipxml.Element) string {
	c, ok := s.joins[e.Attr("ID")]
	if !ok {
		return ""
	}
	begin, end := s.names[c.begin], s.names[c.end]
	if begin == "" || end == "" {
		d.loose++
		return ""
	}
	sign := "→"
	switch first, last := d.line(e, from, "BeginArrow"), d.line(e, from, "EndArrow"); {
	case first == "0" && last == "0":
		sign = "–"
	case last == "0":
		sign = "←"
	case first != "0" && first != "" && first != "Themed":
		sign = "↔"
	}
	return begin + " " + sign + " " + end
}

// line returns the value of a cell that says how a line looks, of the shape, of what it
// inherits or of their styles, or "".
func (d *reader) line(e, from *zipxml.Element, name string) string {
	value := cmp.Or(cell(e, name), cell(from, name))
	style := cmp.Or(e.Attr("LineStyle"), from.Attr("LineStyle"))
	for range maxStyles {
		if value != "" || style == "" {
			break
		}
		value, style = cell(d.styles[style], name), d.styles[style].Attr("LineStyle")
	}
	return value
}
