// SPDX-License-Identifier: Apache-2.0

package dom

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// paint is a colour as 0xRRGGBB with a bit that says that it is set, or one of the values below.
type paint uint32

const (
	unset   paint = 0
	set     paint = 1 << 24
	clear   paint = 2 << 24 // transparent
	unknown paint = 3 << 24 // a picture, or a colour that is not read
	white         = set | 0xFFFFFF
)

// paintOf reads a colour of CSS or of an attribute. Of names it knows only black and white.
func paintOf(value string) paint {
	value = strings.ToLower(strings.TrimSpace(value))
	if inner, ok := strings.CutPrefix(value, "rgb("); ok {
		parts := strings.Split(strings.TrimSuffix(inner, ")"), ",")
		value = ""
		for _, part := range parts {
			n, err := strconv.ParseUint(strings.TrimSpace(part), 10, 8)
			if err != nil || len(parts) != 3 {
				return unknown
			}
			value += string("0123456789abcdef"[n>>4]) + string("0123456789abcdef"[n&15])
		}
	}
	switch value = strings.TrimPrefix(value, "#"); value {
	case "", "inherit", "initial", "unset", "none", "currentcolor":
		return unset
	case "transparent":
		return clear
	case "white":
		return white
	case "black":
		return set
	}
	if len(value) == 3 {
		value = value[:1] + value[:1] + value[1:2] + value[1:2] + value[2:] + value[2:]
	}
	n, err := strconv.ParseUint(value, 16, 24)
	if err != nil || len(value) != 6 {
		return unknown
	}
	return set | paint(n)
}

// near reports whether two colours are hard to distinguish.
func (p paint) near(q paint) bool {
	difference := 0
	for shift := 0; shift < 24; shift += 8 {
		d := int(p>>shift&0xFF) - int(q>>shift&0xFF)
		difference += max(d, -d)
	}
	return p>>24 == set>>24 && q>>24 == set>>24 && difference < 24
}

// cover sets the property of a declaration that may make text invisible.
func (l *Look) cover(name, value string) {
	size, err := strconv.ParseFloat(strings.TrimRight(value, "ptx"), 64)
	switch name {
	case "color":
		l.color = paintOf(value)
	case "background", "background-color":
		if l.ground = paintOf(value); strings.Contains(value, " ") {
			l.ground = unknown
		}
	case "background-image":
		if value != "none" {
			l.ground = unknown
		}
	case "position":
		if value == "absolute" || value == "fixed" {
			l.ground = unknown // that of what is below
		}
	case "height", "max-height":
		if err == nil && size == 0 {
			l.flat = Yes
		}
	case "overflow":
		if value == "hidden" {
			l.clipped = Yes
		}
	case "opacity", "text-indent", "left", "top":
		if err == nil && (name == "opacity" && size == 0 || size <= -999) {
			l.gone = Yes
		}
	}
}

// painted has the inherited properties of the text in an element.
type painted struct {
	of            *html.Node
	color, ground paint
	tiny          Said
}

// inherit records the properties of n, of which l are its own. Elements come in the order of the document.
func (s *Screen) inherit(n, root *html.Node, l Look, sheets []Sheet) {
	for len(s.open) > 0 && s.open[len(s.open)-1].of != n.Parent {
		s.open = s.open[:len(s.open)-1]
	}
	p := painted{nil, unset, white, open}
	if len(s.open) > 0 {
		p = s.open[len(s.open)-1]
	} else {
		p.add(root, s.look(root, sheets))
		for _, sheet := range sheets {
			if sheet[""].ground != unset {
				p.ground = unknown
			}
		}
	}
	p.add(n, l)
	s.open = append(s.open, p)
}

// add replaces the properties that an element sets.
func (p *painted) add(n *html.Node, l Look) {
	p.of = n
	for _, color := range [...]paint{paintOf(Attr(n, "text")), paintOf(Attr(n, "color")), l.color} {
		if color != unset {
			p.color = color
		}
	}
	for _, ground := range [...]paint{paintOf(Attr(n, "bgcolor")), l.ground} {
		if ground != unset && ground != clear {
			p.ground = ground
		}
	}
	if Attr(n, "background") != "" {
		p.ground = unknown
	}
	if l.tiny != open {
		p.tiny = l.tiny
	}
}

// unseen reports whether people cannot see a text: it is at most one point high, or it has the colour of its background.
func (s *Screen) unseen(n *html.Node) bool {
	if n.Type != html.TextNode || len(s.open) == 0 || strings.TrimSpace(n.Data) == "" {
		return false
	}
	for len(s.open) > 1 && s.open[len(s.open)-1].of != n.Parent {
		s.open = s.open[:len(s.open)-1]
	}
	p := s.open[len(s.open)-1]
	return p.of == n.Parent && (p.tiny == Yes || p.color == clear || p.color.near(p.ground))
}
