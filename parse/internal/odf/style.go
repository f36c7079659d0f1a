// SPDX-License-Identifier: Apache-2.0

package odf

import (
	"math"
	"strconv"
	"strings"
	"time"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/numfmt"
)

const maxChain = 32 // length of a chain of styles based on each other

// styles are the styles of a document, including automatic ones.
type styles struct {
	byName  map[string]*style
	lists   map[string]*zipxml.Element // list styles
	outline map[int]*zipxml.Element    // numbering of headings by level
	masters []*zipxml.Element          // master pages
	layers  map[string]bool            // hidden drawing layers
	clocks  map[string]int             // for styles of full dates: the precision of the time
	formats map[string]bool            // styles of numbers that are not General
}

// The precision of a time in a date style.
const (
	noClock = iota
	minutes
	seconds
)

type style struct {
	name, parent string
	properties   map[string]string // only those that are used
}

func newStyles() *styles {
	return &styles{byName: map[string]*style{}, lists: map[string]*zipxml.Element{}, layers: map[string]bool{}, outline: map[int]*zipxml.Element{}, clocks: map[string]int{}, formats: map[string]bool{}}
}

// read reads the styles in office:styles and similar children of root.
func (s *styles) read(root *zipxml.Element) {
	for group := root.First(); group != nil; group = group.Next() {
		for e := group.First(); e != nil; e = e.Next() {
			s.enter(e)
		}
	}
}

// enter stores the definition in e, a child of office:styles or a similar element.
func (s *styles) enter(e *zipxml.Element) {
	switch e.Name {
	case "style:style":
		s.add(e)
	case "text:list-style":
		s.lists[e.Attr("style:name")] = e
	case "text:outline-style":
		for level := e.Named("text:outline-level-style"); level != nil; level = level.Same() {
			s.outline[level.Int("text:level", 0)] = level
		}
	case "draw:layer-set":
		for layer := e.Named("draw:layer"); layer != nil; layer = layer.Same() {
			if layer.Attr("draw:display") == "none" {
				s.layers[layer.Attr("draw:name")] = true
			}
		}
	case "number:date-style":
		if clock, full := clockOf(e); full {
			s.clocks[e.Attr("style:name")] = clock
		}
	case "style:master-page":
		if len(s.masters) < maxMasters {
			s.masters = append(s.masters, e)
		}
	}
	if strings.HasPrefix(e.Name, "number:") && !isGeneral(e) {
		s.formats[e.Attr("style:name")] = true
	}
}

// maxMasters is the maximum number of master pages whose headers are read.
const maxMasters = 1000

// isGeneral reports whether a style of numbers shows as many digits as fit.
func isGeneral(e *zipxml.Element) bool {
	if e.Name != "number:number-style" {
		return false
	}
	general := true
	for c := e.First(); c != nil; c = c.Next() {
		switch c.Name {
		case "number:number":
			for _, a := range []string{"number:decimal-places", "number:min-decimal-places", "number:grouping", "number:display-factor"} {
				general = general && c.Attr(a) == ""
			}
			general = general && c.Int("number:min-integer-digits", 1) <= 1
		case "":
		default:
			general = false
		}
	}
	return general
}

// general returns the number that a cell stores if its style is General and its
// text is that number rounded. Otherwise it returns the text. A decimal comma in
// the text is kept.
func (s *styles) general(style, text, value string) string {
	if value == "" || s.formats[s.get("table-cell", style, "style:data-style-name")] {
		return text
	}
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return text
	}
	shown, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	if err != nil || math.Abs(shown-v) > math.Abs(v)/10 {
		return text
	}
	exact := string(numfmt.General(nil, v))
	if strings.Contains(text, ",") {
		exact = strings.Replace(exact, ".", ",", 1)
	}
	return exact
}

// hides reports whether the format of a cell shows nothing of its number: it is not
// General, and the program that wrote the file has shown an empty text.
func (s *styles) hides(style string, cell *zipxml.Element) bool {
	p := cell.Get("text:p")
	if p == nil || !s.formats[s.get("table-cell", style, "style:data-style-name")] {
		return false
	}
	return p.First() == nil
}

// clockOf returns the precision of the time in a date style, and whether the
// style shows the full date.
func clockOf(e *zipxml.Element) (clock int, full bool) {
	switch {
	case e.Get("number:year") == nil || e.Get("number:month") == nil || e.Get("number:day") == nil:
		return noClock, false
	case e.Get("number:hours") == nil:
		return noClock, true
	case e.Get("number:seconds") == nil:
		return minutes, true
	}
	return seconds, true
}

func key(family, name string) string { return family + " " + name }

func (s *styles) add(e *zipxml.Element) {
	st := &style{
		name: strings.ToLower(decodeName(e.Attr("style:name"))), parent: e.Attr("style:parent-style-name"),
		properties: map[string]string{},
	}
	if display := e.Attr("style:display-name"); display != "" {
		st.name = strings.ToLower(display)
	}
	if data := e.Attr("style:data-style-name"); data != "" {
		st.properties["style:data-style-name"] = data
	}
	for group := e.First(); group != nil; group = group.Next() {
		if !strings.HasSuffix(group.Name, "-properties") {
			continue
		}
		for _, a := range group.Attrs {
			switch a.Name {
			case "fo:font-weight", "fo:font-style", "style:text-underline-style", "style:text-line-through-style", "style:text-position",
				"text:display", "fo:background-color", "fo:color", "fo:font-size", "fo:text-align", "fo:border-top", "fo:border-bottom", "fo:border-left", "fo:border-right", "style:writing-mode", "presentation:visibility", "presentation:display-header", "presentation:display-footer", "presentation:display-date-time", "table:display", "text:enable-numbering", "fo:margin-left", "style:font-name", "fo:font-family":
				if group.Name != "style:text-properties" && a.Name == "fo:background-color" {
					continue
				}
				st.properties[a.Name] = a.Value
			}
		}
	}
	s.byName[key(e.Attr("style:family"), e.Attr("style:name"))] = st
}

// decodeName decodes the escape of a space in style names, _20_.
func decodeName(name string) string { return strings.ReplaceAll(name, "_20_", " ") }

// get returns a property of a style, possibly inherited.
//
//go:noinline // it has many callers
func (s *styles) get(family, name, property string) string {
	for range maxChain {
		st := s.byName[key(family, name)]
		if st == nil {
			return ""
		}
		if v, ok := st.properties[property]; ok {
			return v
		}
		name = st.parent
	}
	return ""
}

// date returns a full date in ISO 8601, with the time as precise as the
// style of the cell shows it. It returns "" if the style does not show the
// full date.
func (s *styles) date(style, value string) string {
	clock, full := s.clocks[s.get("table-cell", style, "style:data-style-name")]
	if !full {
		return ""
	}
	at, err := time.Parse("2006-01-02T15:04:05", value)
	if err != nil {
		at, err = time.Parse(time.DateOnly, value)
	}
	if err != nil {
		return ""
	}
	return at.Format([...]string{noClock: time.DateOnly, minutes: "2006-01-02 15:04", seconds: time.DateTime}[clock])
}

// veils reports whether a shape is neither displayed nor printed, because of
// itself or its layer. LibreOffice writes the layer attribute (ODF 1.3 part
// 3, 19.143) also for shapes, in its own namespace.
func (s *styles) veils(e *zipxml.Element) bool {
	return e.Attr("draw:display") == "none" || s.layers[e.Attr("draw:layer")]
}

// invisible reports whether people cannot see text of a style: it is not
// displayed, it is at most one point high, or it has the colour of its
// background.
func (s *styles) invisible(family, name string) bool {
	if name == "" {
		return false
	}
	if s.get(family, name, "text:display") == "none" {
		return true
	}
	if size, ok := strings.CutSuffix(s.get(family, name, "fo:font-size"), "pt"); ok {
		if points, err := strconv.ParseFloat(size, 64); err == nil && points <= 1 {
			return true
		}
	}
	color := s.get(family, name, "fo:color")
	return color != "" && strings.EqualFold(color, s.get(family, name, "fo:background-color"))
}

// role returns the role of a style, from its name or from those of its
// ancestors.
func (s *styles) role(family, name string) (role doctree.Role, depth int) {
	for range maxChain {
		st := s.byName[key(family, name)]
		known := decodeName(name)
		if st != nil {
			known = st.name
		}
		if role, depth = doctree.RoleOf(strings.ReplaceAll(known, "_", " ")); role != doctree.Plain || st == nil {
			return role, depth
		}
		name = st.parent
	}
	return doctree.Plain, 0
}

// ruled reports whether a paragraph style has a border above or below and
// none at the sides.
func (s *styles) ruled(name string) bool {
	drawn := func(side string) bool {
		v := s.get("paragraph", name, "fo:border-"+side)
		return v != "" && v != "none" && v != "hidden"
	}
	return (drawn("top") || drawn("bottom")) && !drawn("left") && !drawn("right")
}

// side returns the alignment of a paragraph style.
func (s *styles) side(name string) string {
	if strings.HasPrefix(s.get("paragraph", name, "style:writing-mode"), "rl") {
		return ""
	}
	side := s.get("paragraph", name, "fo:text-align")
	if side == "end" {
		return "right"
	}
	return side
}

// apply returns look with the properties of the style name.
func (s *styles) apply(look doctree.Style, family, name string) doctree.Style {
	if name == "" {
		return look
	}
	say := func(property string, to *bool, on func(string) bool) {
		if v := s.get(family, name, property); v != "" {
			*to = on(v)
		}
	}
	not := func(off string) func(string) bool { return func(v string) bool { return v != off } }
	say("fo:font-weight", &look.Bold, func(v string) bool { return v == "bold" || v >= "600" && v <= "900" })
	say("fo:font-style", &look.Italic, not("normal"))
	say("style:text-underline-style", &look.Underline, not("none"))
	say("style:text-line-through-style", &look.Strike, not("none"))
	if v := s.get(family, name, "style:text-position"); v != "" {
		look.Sup = strings.HasPrefix(v, "super") || v[0] >= '1' && v[0] <= '9'
		look.Sub = strings.HasPrefix(v, "sub") || v[0] == '-'
	}
	if family == "text" {
		say("fo:background-color", &look.Mark, not("transparent"))
	}
	if font := s.get(family, name, "style:font-name") + " " + s.get(family, name, "fo:font-family"); font != " " {
		look.Code = doctree.Monospaced(font)
	}
	return look
}
