// SPDX-License-Identifier: Apache-2.0

package content

import (
	"example.com/curlew/parse/internal/pdf/font"
	"example.com/curlew/parse/internal/pdf/object"
)

// state has the parts of the graphics state that text and lines need.
type state struct {
	ctm    matrix
	clip   Box
	fill   paint
	stroke paint
	line   float64 // line width
	alpha  float64
	group  float64 // opacity of the groups around the content, which alpha includes
	blend  bool    // a blend mode other than Normal, or a soft mask
	ragged bool    // the clip path is smaller than its bounding box

	font    *font.Font
	size    float64
	charSp  float64
	wordSp  float64
	scale   float64 // horizontal scaling; 1 is normal
	leading float64
	rise    float64
	mode    int
}

// paint is a colour and the properties of its colour space.
type paint struct {
	color     Color
	patterned bool

	tints bool // Separation or DeviceN: 1 is full ink
	lab   bool
}

func newState(base matrix, clip Box) state {
	return state{ctm: base, clip: clip, scale: 1, line: 1, alpha: 1, group: 1}
}

func channel(v float64) Color {
	return Color(max(0, min(255, v*255+.5)))
}

func rgb(r, g, b float64) Color {
	return channel(r)<<16 | channel(g)<<8 | channel(b)
}

func cmyk(c, m, y, k float64) Color {
	return rgb(1-min(1, c+k), 1-min(1, m+k), 1-min(1, y+k))
}

// setSpace sets the colour space. Its initial colour is black.
func (in *interp) setSpace(p *paint, args []operand) {
	*p = paint{}
	if len(args) == 0 || args[0].kind != isName {
		return
	}
	name := object.Name(args[0].str)
	o := in.file.Resolve(in.sub("ColorSpace")[name])
	if o == nil {
		return
	}
	if a, ok := o.(object.Array); ok && len(a) > 0 {
		name = in.file.Name(a[0])
	}
	p.tints = name == "Separation" || name == "DeviceN"
	p.lab = name == "Lab"
}

// setColor runs sc and scn. The number of components determines the
// kind of colour.
func (in *interp) setColor(p *paint, args []operand) {
	var v [4]float64
	n := 0
	p.patterned = false
	for _, a := range args {
		switch {
		case a.kind == isName: // a pattern is visible
			p.color, p.patterned = 0x808080, true
			return
		case a.kind == isNumber && n < 4:
			v[n] = a.num
			n++
		}
	}
	switch {
	case p.lab && n >= 1:
		p.color = rgb(v[0]/100, v[0]/100, v[0]/100)
	case p.tints && n >= 1:
		ink := max(v[0], v[1], v[2], v[3])
		p.color = rgb(1-ink, 1-ink, 1-ink)
	case n == 1:
		p.color = rgb(v[0], v[0], v[0])
	case n == 3:
		p.color = rgb(v[0], v[1], v[2])
	case n == 4:
		p.color = cmyk(v[0], v[1], v[2], v[3])
	}
}

// extGState reads the relevant entries of a graphics state dictionary.
func (in *interp) extGState(d object.Dict) {
	if d["ca"] != nil {
		in.gs.alpha = in.gs.group * in.file.Float(d["ca"], 1)
	}
	in.gs.line = in.file.Float(d["LW"], in.gs.line)
	switch bm := in.file.Resolve(d["BM"]).(type) {
	case object.Name:
		in.gs.blend = bm != "Normal" && bm != "Compatible"
	case object.Array:
		in.gs.blend = len(bm) > 0 && in.file.Name(bm[0]) != "Normal"
	}
	if in.file.Dict(d["SMask"]) != nil {
		in.gs.blend = true
	}
	if f := in.file.Array(d["Font"]); len(f) == 2 {
		in.gs.font = in.loadFont(f[0])
		in.gs.size = in.file.Float(f[1], 0)
	}
}
