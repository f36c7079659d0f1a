// SPDX-License-Identifier: Apache-2.0

package content

import (
	"context"
	"math"

	"example.com/curlew/parse/internal/pdf/font"
	"example.com/curlew/parse/internal/pdf/object"
)

// text runs the text operators (ISO 32000-1, 9.3 and 9.4).
func (in *interp) text(l *lexer, op []byte) bool {
	a := l.args
	switch string(op) {
	case "BT":
		in.tm, in.tlm = identity, identity
	case "ET":
	case "Tf":
		in.setFont(a)
	case "Tc":
		in.gs.charSp = number(a, 0)
	case "Tw":
		in.gs.wordSp = number(a, 0)
	case "Tz":
		in.gs.scale = number(a, 0) / 100
	case "TL":
		in.gs.leading = number(a, 0)
	case "Ts":
		in.gs.rise = number(a, 0)
	case "Tr":
		in.gs.mode = int(number(a, 0))
	case "Td":
		in.move(number(a, 0), number(a, 1))
	case "TD":
		in.gs.leading = -number(a, 1)
		in.move(number(a, 0), number(a, 1))
	case "Tm":
		if m, ok := matrixOf(a); ok {
			in.tm, in.tlm = m, m
		}
	case "T*":
		in.move(0, -in.gs.leading)
	case "Tj":
		in.showLast(a)
	case "'":
		in.move(0, -in.gs.leading)
		in.showLast(a)
	case "\"":
		in.gs.wordSp, in.gs.charSp = number(a, 0), number(a, 1)
		in.move(0, -in.gs.leading)
		in.showLast(a)
	case "TJ":
		in.showArray(l)
	default:
		return false
	}
	return true
}

func (in *interp) move(x, y float64) {
	in.tlm = matrix{1, 0, 0, 1, x, y}.times(in.tlm)
	in.tm = in.tlm
}

func (in *interp) setFont(a []operand) {
	if len(a) < 2 {
		return
	}
	in.gs.size = a[len(a)-1].num
	key := a[len(a)-2].str
	f, ok := in.fonts[string(key)]
	if !ok {
		f = in.loadFont(in.sub("Font")[object.Name(key)])
		if in.fonts == nil {
			in.fonts = map[string]*font.Font{}
		}
		in.fonts[string(key)] = f
	}
	in.gs.font = f
}

// maxFaces bounds the fonts of a page, which its glyphs keep in memory. All
// further fonts are replaced by one default font.
const maxFaces = 1024

// maxFaceSize bounds the tables of those fonts, in bytes.
const maxFaceSize = 32 << 20

func (in *interp) loadFont(o object.Object) *font.Font {
	size := 0
	for f := range in.faces {
		size += f.Size()
	}
	if len(in.faces) >= maxFaces || size > maxFaceSize {
		in.page.Truncated = true
		return in.doc.Fonts.Load(nil)
	}
	f := in.doc.Fonts.Load(o)
	if in.faces == nil {
		in.faces = map[*font.Font]bool{}
	}
	if f.Damaged && !in.faces[f] {
		in.page.Damaged++
	}
	in.faces[f] = true
	return f
}

func (in *interp) showLast(a []operand) {
	if len(a) == 0 || a[len(a)-1].kind != isString {
		in.page.Garbled++
		return
	}
	in.show(a[len(a)-1].str)
}

func (in *interp) showArray(l *lexer) {
	if len(l.args) == 0 {
		in.page.Garbled++
		return
	}
	a := l.args[len(l.args)-1]
	if a.kind == isString {
		in.show(a.str)
	}
	if a.kind != isArray {
		return
	}
	var p pen
	for _, e := range l.items[a.lo:a.hi] {
		switch e.kind {
		case isString:
			if p.font == nil || p.font.Type3 != nil { // instructions of a glyph may change what holds for the next
				p.take(in)
			}
			in.write(&p, e.str)
		case isNumber:
			d := -e.num / 1000 * in.gs.size
			if in.gs.font != nil && in.gs.font.Vertical {
				in.advance(0, d)
			} else {
				in.advance(d*in.gs.scale, 0)
			}
		}
	}
}

func (in *interp) advance(x, y float64) {
	in.tm[4] += x*in.tm[0] + y*in.tm[2]
	in.tm[5] += x*in.tm[1] + y*in.tm[3]
}

// pen has what the strings of an array share.
type pen struct {
	font  *font.Font
	flags Flags
	color Color
	mcid  int
	line  baseline
}

// take makes p the pen of the strings that are shown next.
func (p *pen) take(in *interp) {
	f := in.gs.font
	if f == nil {
		f = in.doc.Fonts.Load(nil)
		in.gs.font = f
	}
	gs := &in.gs
	ascent, descent := f.Ascent, f.Descent
	if ascent == 0 {
		ascent, descent = .75, -.25
	}
	var flags Flags
	switch gs.mode {
	case 3, 7:
		flags |= Invisible
	case 2, 6:
		flags |= Stroked
	case 0, 4:
		if gs.alpha < faint {
			flags |= Invisible
		}
	}
	if in.offs > 0 {
		flags |= Off
	}
	if in.arts > 0 {
		flags |= Artifact
	}
	if in.field {
		flags |= Field
	}
	color := gs.fill.color
	if gs.mode == 1 || gs.mode == 5 {
		color = gs.stroke.color
	}
	p.font, p.flags, p.color, p.mcid = f, flags, color, in.mcid()
	p.line.take(in, ascent, descent)
}

// show adds the glyphs of one string.
func (in *interp) show(s []byte) {
	var p pen
	p.take(in)
	in.write(&p, s)
}

// write adds the glyphs of one string.
func (in *interp) write(p *pen, s []byte) {
	f := p.font
	for len(s) > 0 {
		if len(in.page.Glyphs) >= in.doc.Limits.Glyphs {
			in.page.Truncated = true
			return
		}
		if in.steps++; in.steps%(16*pollEvery) == 0 && in.ended() {
			return
		}
		g, n := f.Next(s)
		s = s[n:]
		out, ok := in.spare()
		if ok {
			out.Text, out.Font, out.Color, out.MCID, out.Flags, out.Cut = g.Text, f, p.color, p.mcid, p.flags, false
			if f.Vertical {
				in.placeVertical(out, g)
			} else {
				in.placeHorizontal(out, g, &p.line)
			}
			in.keep(out, g)
		}
		if f.Type3 != nil && g.Text == "" {
			in.type3(f.Type3, g)
		}
		in.step(g, f)
	}
}

// faint is an opacity that is too low to be visible: black on white has a contrast of less
// than 1.2 then, as white on black.
const faint = .08

// step advances the text position past a glyph.
func (in *interp) step(g *font.Glyph, f *font.Font) {
	gs := &in.gs
	sp := gs.charSp
	if g.Space {
		sp += gs.wordSp
	}
	if f.Vertical {
		in.advance(0, g.Width*gs.size+sp)
		return
	}
	in.advance((g.Width*gs.size+sp)*gs.scale, 0)
}

// baseline has what the glyphs of one string share, which is everything but
// their positions. The places are relative to the origin of a glyph, in page coordinates.
type baseline struct {
	ax, ay           float64 // the end of a vector of length 1 along the baseline of text space
	riseX, riseY     float64 // of the origin, relative to the text position
	topX, topY       float64 // one ascent up
	bottomX, bottomY float64 // one descent down
	size             float64
	track            float64
	dx, dy           float64
}

// take makes l the baseline of the string that is shown next, in a font with the ascent
// and the descent.
func (l *baseline) take(in *interp, ascent, descent float64) {
	gs := &in.gs
	*l = baseline{dx: 1}
	var bx, by float64 // the same across the baseline
	l.ax, l.ay, bx, by = in.tm.vectors(&gs.ctm)
	l.riseX, l.riseY = 0*l.ax+gs.rise*bx, 0*l.ay+gs.rise*by
	ux, uy := gs.size*bx, gs.size*by // one em up
	l.topX, l.topY, l.bottomX, l.bottomY = ux*ascent, uy*ascent, ux*descent, uy*descent
	l.size = length(ux, uy)
	if dl := length(l.ax, l.ay); dl > 0 {
		l.track = gs.charSp * gs.scale * dl
		sign := 1.0
		if gs.size*gs.scale < 0 {
			sign = -1
		}
		l.dx, l.dy = sign*l.ax/dl, sign*l.ay/dl
	}
}

// length returns the length of a vector. Most are along an axis.
func length(x, y float64) float64 {
	switch {
	case y == 0:
		return math.Abs(x)
	case x == 0:
		return math.Abs(y)
	}
	return math.Hypot(x, y)
}

// placeHorizontal sets the place of a glyph, its size and its direction.
func (in *interp) placeHorizontal(out *Glyph, g *font.Glyph, l *baseline) {
	gs := &in.gs
	x, y := gs.ctm.apply(in.tm[4], in.tm[5])
	x, y = l.riseX+x, l.riseY+y
	w := g.Width * gs.size * gs.scale
	ax, ay := w*l.ax, w*l.ay
	out.X, out.Y, out.Adv = x, y, length(ax, ay)
	out.Size, out.Track, out.DX, out.DY = l.size, l.track, l.dx, l.dy
	out.Box.X0, out.Box.X1 = spanned(x+l.topX, x+l.bottomX, ax)
	out.Box.Y0, out.Box.Y1 = spanned(y+l.topY, y+l.bottomY, ay)
}

// spanned returns the smallest and the largest of a, b, a+by and b+by. The builtin min
// and max cost more, because of signs of zero and values that are no numbers.
func spanned(a, b, by float64) (low, high float64) {
	if a > b {
		a, b = b, a
	}
	if by < 0 {
		return a + by, b
	}
	return a, b + by
}

// placeVertical is placeHorizontal for a vertical font.
func (in *interp) placeVertical(out *Glyph, g *font.Glyph) {
	gs := &in.gs
	m := in.tm.times(gs.ctm)
	out.Flags |= Vertical
	out.X, out.Y = m.apply(0, gs.rise)
	x0, y0 := m.apply(-g.VX*gs.size, 0)
	x1, y1 := m.apply((-g.VX+1)*gs.size, g.Width*gs.size)
	out.Box = Box{min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)}
	out.Size = math.Hypot(gs.size*m[2], gs.size*m[3])
	ax, ay := g.Width*gs.size*m[2], g.Width*gs.size*m[3]
	out.Adv, out.Track = math.Hypot(ax, ay), 0
	out.DX, out.DY = 0, 1
	if out.Adv > 0 {
		out.DX, out.DY = ax/out.Adv, ay/out.Adv
	}
}

// spare returns the space behind the last glyph of the page, which keep adds to
// the page. It returns false if ctx ends first.
func (in *interp) spare() (*Glyph, bool) {
	p := in.page
	if len(p.Glyphs) == cap(p.Glyphs) && !in.grow() {
		return nil, false
	}
	return &p.Glyphs[:len(p.Glyphs)+1][len(p.Glyphs)], true
}

// keep adds the glyph that was written to the space that spare has returned, if
// its position is valid.
func (in *interp) keep(out *Glyph, g *font.Glyph) {
	if !(math.Abs(out.X) <= 1e7 && math.Abs(out.Y) <= 1e7 && out.Adv <= 1e6 && out.Size <= math.MaxFloat64) { // also if one is no number
		return
	}
	switch g.Text {
	case " ", "\u00a0", "\u3000", "\t":
		out.Flags |= Space
		out.Text = " "
	}
	b, clip := &out.Box, &in.gs.clip
	switch {
	case b.X1 < clip.X0 || b.X0 > clip.X1 || b.Y1 < clip.Y0 || b.Y0 > clip.Y1 || clip.X1 < clip.X0 || clip.Y1 < clip.Y0:
		out.Flags |= Clipped
	case out.DX == 1 && b.X1 > clip.X1:
		b.X1 = clip.X1
	}
	if !in.letter(out.Text) {
		return
	}
	in.seq++
	out.Seq = in.seq
	if out.Flags&(Space|Clipped) == 0 {
		if in.seen > 0 && out.X >= in.edge {
			in.page.Glyphs[in.seen-1].Cut = true
		}
		in.seen, in.edge = len(in.page.Glyphs)+1, in.gs.clip.X1
	}
	in.page.Glyphs = in.page.Glyphs[:len(in.page.Glyphs)+1]
}

// grow doubles the space for glyphs, up to the limit. It returns false if
// ctx ends first.
func (in *interp) grow() bool {
	p := in.page
	n := max(1024, in.likely, 2*cap(p.Glyphs))
	if cap(p.Glyphs) < maxSpace {
		n = min(n, maxSpace) // more would have to wait and could not be used again
	}
	n = min(n, in.doc.Limits.Glyphs)
	if n > maxSpace && p.heavy == nil {
		if !in.claim() {
			return false
		}
		if len(p.Glyphs) < cap(p.Glyphs) {
			return true
		}
	}
	p.Glyphs = append(make([]Glyph, 0, n), p.Glyphs...)
	return true
}

// claim waits until no other page of the document needs much memory. It
// returns false if ctx ends first.
func (in *interp) claim() bool {
	p := in.page
	if p.heavy != nil {
		return true
	}
	select {
	case space := <-in.doc.heavy:
		p.heavy = in.doc.heavy
		if cap(space) > cap(p.Glyphs) {
			p.Glyphs = append(space, p.Glyphs...)
		}
		return true
	case <-in.ctx.Done():
		in.err = context.Cause(in.ctx)
		return false
	}
}

// maxType3 bounds the nesting of glyph streams.
const maxType3 = 4

// type3 runs the stream of a glyph without text of its own, because the
// stream may show text in other fonts.
func (in *interp) type3(t *font.Type3, g *font.Glyph) {
	proc := t.Proc(byte(g.Code)) //nolint:gosec // simple fonts have codes of a byte
	if proc == nil || in.open[proc] || len(in.open) >= maxType3 {
		return
	}
	if !in.mayRun(proc) {
		return
	}
	data := in.code(proc)
	if len(data) == 0 || len(data) > maxCode {
		return
	}
	in.enter(proc)
	saved, tm, tlm := in.gs, in.tm, in.tlm
	m := matrix{in.gs.size * in.gs.scale, 0, 0, in.gs.size, 0, in.gs.rise}
	in.gs.ctm = matrix(t.Matrix).times(m).times(in.tm).times(in.gs.ctm)
	res := t.Resources
	if res == nil {
		res = in.res
	}
	in.runStream(proc, data, res)
	in.gs, in.tm, in.tlm = saved, tm, tlm
	delete(in.open, proc)
}

func (in *interp) enter(s *object.Stream) {
	if in.open == nil {
		in.open = map[*object.Stream]bool{}
	}
	in.open[s] = true
}
