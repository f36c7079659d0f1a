// SPDX-License-Identifier: Apache-2.0

package content

import "math"

// path is the current path in page coordinates.
type path struct {
	subs   []subpath
	points []point
	curves int
	clip   bool // a W operator was read
}

type point struct{ x, y float64 }

// subpath is points[lo:hi].
type subpath struct {
	lo, hi int
	closed bool
}

// pathOp runs the path operators (ISO 32000-1, 8.5).
func (in *interp) pathOp(op []byte, a []operand) {
	p := &in.path
	switch string(op) {
	case "m":
		if len(a) >= 2 {
			in.moveTo(a[0].num, a[1].num)
		}
	case "l":
		if len(a) >= 2 {
			in.lineTo(a[0].num, a[1].num)
		}
	case "c":
		if len(a) >= 6 {
			p.curves++
			in.lineTo(a[4].num, a[5].num)
		}
	case "v", "y":
		if len(a) >= 4 {
			p.curves++
			in.lineTo(a[2].num, a[3].num)
		}
	case "h":
		in.closePath()
	case "re":
		if len(a) >= 4 {
			in.rectangle(a[0].num, a[1].num, a[2].num, a[3].num)
		}
	case "S":
		in.paint(true, false)
	case "s":
		in.closePath()
		in.paint(true, false)
	case "f", "F", "f*":
		in.paint(false, true)
	case "B", "B*":
		in.paint(true, true)
	case "b", "b*":
		in.closePath()
		in.paint(true, true)
	case "n":
		in.paint(false, false)
	case "W", "W*":
		p.clip = true
	case "d", "i", "j", "J", "M", "ri", "MP", "DP", "d0", "d1", "EI": // they do not change what is read
	case "BX":
		in.lenient++
	case "EX":
		in.lenient--
	default:
		if in.lenient <= 0 { // operators of later versions are allowed between BX and EX
			in.page.Garbled++
		}
	}
}

func (in *interp) room() bool {
	if len(in.path.points)+in.held >= in.doc.Limits.Segments {
		in.page.Truncated = true
		return false
	}
	return true
}

func (in *interp) moveTo(x, y float64) {
	p := &in.path
	if !in.room() {
		return
	}
	x, y = in.gs.ctm.apply(x, y)
	p.subs = append(p.subs, subpath{lo: len(p.points), hi: len(p.points) + 1})
	p.points = append(p.points, point{x, y})
}

func (in *interp) lineTo(x, y float64) {
	p := &in.path
	if len(p.subs) == 0 {
		in.moveTo(x, y)
		return
	}
	if !in.room() {
		return
	}
	s := &p.subs[len(p.subs)-1]
	if s.closed { // a line after h begins at the start of the subpath
		first := p.points[s.lo]
		p.subs = append(p.subs, subpath{lo: len(p.points), hi: len(p.points) + 1})
		p.points = append(p.points, first)
		s = &p.subs[len(p.subs)-1]
	}
	x, y = in.gs.ctm.apply(x, y)
	p.points = append(p.points, point{x, y})
	s.hi = len(p.points)
}

func (in *interp) closePath() {
	p := &in.path
	if n := len(p.subs); n > 0 {
		p.subs[n-1].closed = true
	}
}

func (in *interp) rectangle(x, y, w, h float64) {
	in.moveTo(x, y)
	in.lineTo(x+w, y)
	in.lineTo(x+w, y+h)
	in.lineTo(x, y+h)
	in.closePath()
}

// thin is the thickness in points up to which a filled box counts as a line.
const thin = 2.5

func (in *interp) paint(stroke, fill bool) {
	p := &in.path
	in.page.Curves += p.curves
	visible := in.offs == 0 && len(in.page.Rules)+len(in.page.Fills) < in.doc.Limits.Segments
	in.seq++
	if visible && (stroke || fill) && p.curves == 0 || fill && len(p.subs) > 0 {
		for _, s := range p.subs {
			pts := p.points[s.lo:s.hi]
			if fill {
				in.fillSub(pts)
			}
			if stroke && visible {
				in.strokeSub(pts, s.closed)
			}
		}
	}
	if visible && (stroke || fill) {
		in.dot(fill)
	}
	if p.clip && len(p.points) > 0 {
		in.gs.ragged = in.gs.ragged || p.curves > 0 || len(p.subs) != 1 || !boxy(p.points)
		in.gs.clip = in.gs.clip.Intersect(bounds(p.points))
	}
	*p = path{subs: p.subs[:0], points: p.points[:0]}
}

// Bounds of dots: the extent in points, the number of curves of one dot, and
// the number of dots that are kept for a page. Plots have more dots.
const (
	leastDot   = 1
	mostDot    = 12
	leastRound = 4
	mostRound  = 32
	maxDots    = 1000
)

// dot records the painted path if it is a small circle.
func (in *interp) dot(fill bool) {
	p := &in.path
	b := bounds(p.points)
	if n := len(in.page.Dots); n > 0 && in.page.Dots[n-1].mark(p, b, fill) {
		return
	}
	if p.curves < leastRound || p.curves > mostRound || len(p.subs) != 1 || len(in.page.Dots) == maxDots || fill && in.gs.fill.color == 0xffffff {
		return
	}
	w, h := b.Width(), b.Height()
	if inside := b.Intersect(in.gs.clip); inside.Area() < .95*b.Area() || w < leastDot || w > mostDot || math.Abs(w-h) > .2*h {
		return
	}
	in.page.Dots = append(in.page.Dots, Dot{Box: b, Curves: p.curves, Outline: !fill})
}

// mark marks a dot if the painted path is what a form draws in a field that is on: a tick or a
// cross of slanted lines, or a round shape in an outline. It reports whether it is.
func (d *Dot) mark(p *path, b Box, fill bool) bool {
	w := d.Box.Width()
	if edge := .08 * w; b.Width() < .3*w || b.X0 < d.Box.X0+edge || b.X1 > d.Box.X1-edge || b.Y0 < d.Box.Y0+edge || b.Y1 > d.Box.Y1-edge {
		return false
	}
	n := len(p.points)
	tick := !fill && p.curves == 0 && n > 2 && n < 5 && math.Abs(p.points[0].x-p.points[1].x) > .3 && math.Abs(p.points[0].y-p.points[1].y) > .3
	if !tick && (!fill || !d.Outline || p.curves < leastRound || math.Abs(b.Width()-b.Height()) > .2*w) {
		return false
	}
	d.Curves += p.curves
	d.Marked = true
	return true
}

func bounds(pts []point) Box {
	b := Box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, q := range pts {
		b = Box{min(b.X0, q.x), min(b.Y0, q.y), max(b.X1, q.x), max(b.Y1, q.y)}
	}
	return b
}

// fillSub records a filled subpath if it is a box. Other shapes are counted
// as curves.
func (in *interp) fillSub(pts []point) {
	if len(pts) < 3 {
		return
	}
	if !boxy(pts) {
		in.page.Curves++
		return
	}
	b := bounds(pts).Intersect(in.gs.clip)
	if b.X1 < b.X0 || b.Y1 < b.Y0 {
		return
	}
	if b.Width() <= thin || b.Height() <= thin {
		in.addRule(b.X0, b.Y0, b.X1, b.Y1, in.gs.fill.color)
		return
	}
	alpha := in.gs.alpha
	if in.gs.blend || in.gs.ragged || in.gs.fill.patterned || in.field { // the content below may be visible
		alpha = min(alpha, .5)
	}
	if len(in.page.Fills) >= in.doc.Limits.Segments {
		in.page.Truncated = true
		return
	}
	in.page.Fills = append(in.page.Fills, Fill{Box: b, Color: in.gs.fill.color, Seq: in.seq, Alpha: alpha})
}

// boxy reports whether the points form a rectangle along the axes.
func boxy(pts []point) bool {
	if n := len(pts); n > 4 && near(pts[0], pts[n-1]) {
		pts = pts[:n-1]
	}
	if len(pts) != 4 {
		return false
	}
	for i, a := range pts {
		b := pts[(i+1)%4]
		if math.Abs(a.x-b.x) > .3 && math.Abs(a.y-b.y) > .3 {
			return false
		}
	}
	return true
}

func near(a, b point) bool { return math.Abs(a.x-b.x) < .1 && math.Abs(a.y-b.y) < .1 }

// strokeSub records the horizontal and vertical lines of a stroked subpath,
// with a tolerance of one degree or .3 points. Other lines are counted as
// curves.
func (in *interp) strokeSub(pts []point, closed bool) {
	n := len(pts) - 1
	if closed && len(pts) > 2 {
		n = len(pts)
	}
	for i := range n {
		a, b := pts[i], pts[(i+1)%len(pts)]
		dx, dy := math.Abs(a.x-b.x), math.Abs(a.y-b.y)
		if dx < .01 && dy < .01 {
			continue
		}
		if min(dx, dy) > .0175*max(dx, dy) && min(dx, dy) > .3 {
			in.page.Curves++
			continue
		}
		box := Box{min(a.x, b.x), min(a.y, b.y), max(a.x, b.x), max(a.y, b.y)}
		c := in.gs.clip
		box = Box{max(box.X0, c.X0), max(box.Y0, c.Y0), min(box.X1, c.X1), min(box.Y1, c.Y1)}
		if box.X1 < box.X0 || box.Y1 < box.Y0 {
			continue
		}
		in.addLine(box, in.gs.line*in.scale(), in.gs.stroke.color)
	}
}

// scale returns the scale factor of the current matrix.
func (in *interp) scale() float64 {
	m := in.gs.ctm
	return math.Sqrt(math.Abs(m[0]*m[3] - m[1]*m[2]))
}

// addRule records a thin box as a line through its middle.
func (in *interp) addRule(x0, y0, x1, y1 float64, c Color) {
	if x1-x0 >= y1-y0 {
		y := (y0 + y1) / 2
		in.addLine(Box{x0, y, x1, y}, y1-y0, c)
		return
	}
	x := (x0 + x1) / 2
	in.addLine(Box{x, y0, x, y1}, x1-x0, c)
}

func (in *interp) addLine(b Box, width float64, c Color) {
	if math.IsNaN(b.X0 + b.X1 + b.Y0 + b.Y1) {
		return
	}
	if b.Width() >= b.Height() {
		b.Y0 = (b.Y0 + b.Y1) / 2
		b.Y1 = b.Y0
	} else {
		b.X0 = (b.X0 + b.X1) / 2
		b.X1 = b.X0
	}
	if len(in.page.Rules) >= in.doc.Limits.Segments {
		in.page.Truncated = true
		return
	}
	in.page.Rules = append(in.page.Rules, Rule{b.X0, b.Y0, b.X1, b.Y1, width, c, in.seq})
}
