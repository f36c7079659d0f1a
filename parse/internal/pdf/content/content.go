// SPDX-License-Identifier: Apache-2.0

// Package content interprets the content streams of PDF pages. It returns
// the glyphs, rules, filled boxes and images of a page.
//
// It draws nothing. All coordinates are in points. The origin is the top
// left of the page as viewers show it (crop box, turned by Rotate), and y
// points down.
package content

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"example.com/curlew/parse/internal/pdf/font"
	"example.com/curlew/parse/internal/pdf/object"
)

// Box is a rectangle in points with X0 <= X1 and Y0 <= Y1; y points down.
type Box struct{ X0, Y0, X1, Y1 float64 }

// Page has the content of one page.
type Page struct {
	Width, Height float64
	Glyphs        []Glyph
	Rules         []Rule
	Fills         []Fill
	Images        []Image
	Links         []Link
	Notes         []Note
	Files         []object.Object // file specifications of attachments
	Curves        int             // number of curves and slanted lines
	Dots          []Dot           // small round shapes
	Truncated     bool            // a limit was reached, so content is missing
	Omitted       Omitted
	Damaged       int // streams, fonts and images that are missing, or of which only a part could be decoded
	Garbled       int // operators that PDF does not have or that lack their text, and strings and arrays without an end

	heavy chan []Glyph // the channel to which the memory of Glyphs returns; nil for most pages
}

// Omitted counts the annotations that a limit leaves out.
type Omitted struct {
	Annots int // annotations of all kinds that were not looked at
	Notes  int // comments
	Files  int // file attachments
}

// Glyph is one shown character code.
type Glyph struct {
	Text   string
	X, Y   float64 // origin on the baseline
	Box    Box     // from the advance and the font's ascent and descent
	Adv    float64 // length of the advance along the baseline
	Size   float64 // font size, measured across the baseline
	Track  float64 // character spacing after the glyph, along the baseline
	DX, DY float64 // direction of the baseline, of length 1
	Font   *font.Font
	Color  Color
	Flags  Flags
	Cut    bool // the next letter is to the right of the clip path of this one, so it belongs to the next cell
	Seq    int  // position in the order of painting, shared with fills and images
	MCID   int  // marked-content ID, -1 outside marked content
}

// Flags are properties of a glyph.
type Flags uint8

const (
	// Artifact marks content that the document declares as an artifact.
	Artifact Flags = 1 << iota
	// Invisible marks text render modes that paint nothing (3 and 7), and
	// transparent paint.
	Invisible
	// Off marks glyphs of an optional content group that is off.
	Off
	// Clipped marks glyphs wholly outside the clip path.
	Clipped
	// Vertical marks glyphs of vertical writing; the advance points down.
	Vertical
	// Space marks codes that show only a gap.
	Space
	// Stroked marks text that is filled and stroked. Producers make text
	// bold this way.
	Stroked
	// Field marks text from the appearance of a form field or annotation.
	Field
)

// Color is a colour with 8 bits each of red, green and blue.
type Color uint32

// Dot is a small round shape. Curves is the number of its curves, which
// Page.Curves includes.
type Dot struct {
	Box     Box
	Curves  int
	Outline bool // it is not filled
	Marked  bool // it has a tick, a cross or a smaller round shape in it, as the fields of forms have
}

// Rule is a horizontal or vertical line, drawn as a stroke or as a thin box.
type Rule struct {
	X0, Y0, X1, Y1 float64 // end points; X0 <= X1, Y0 <= Y1
	Width          float64
	Color          Color
	Seq            int
}

// Horizontal reports whether the rule is horizontal.
func (r Rule) Horizontal() bool { return r.X1-r.X0 >= r.Y1-r.Y0 }

// Fill is a filled box that is too thick for a rule.
type Fill struct {
	Box   Box
	Color Color
	Seq   int
	Alpha float64 // opacity, where 1 is opaque; at most .5 if the content below may be visible
}

// Image is a painted image.
type Image struct {
	Box    Box        // the part inside the clip path
	Matrix [6]float64 // from the unit square, which the image fills from its bottom left, to the page (ISO 32000-1, 8.3.3)
	Seq    int
	MCID   int            // marked-content ID, -1 outside marked content
	Mask   bool           // the image is a stencil mask
	Color  Color          // of a stencil mask
	Stream *object.Stream // also for inline images, whose abbreviated keys and colour space are written out
}

// Link is a link annotation.
type Link struct {
	Box  Box
	URI  string        // empty for links inside the document
	Dest object.Object // a destination or its name; nil if URI is set
}

// Limits bound one page. A zero field means its default, and a negative one
// means no bound.
type Limits struct {
	Glyphs   int // zero means 500,000
	Segments int // of one path, and of all rules and fills; zero means 200,000
	Forms    int // nesting depth of forms; zero means 16
}

func (l Limits) withDefaults() Limits {
	set := func(v *int, d int) {
		switch {
		case *v == 0:
			*v = d
		case *v < 0:
			*v = math.MaxInt32
		}
	}
	set(&l.Glyphs, 500_000)
	set(&l.Segments, 200_000)
	set(&l.Forms, 16)
	return l
}

// Document is the shared state of the pages of one document. It is safe for
// concurrent use.
type Document struct {
	File   *object.File
	Fonts  *font.Loader
	Limits Limits

	layers layers
	heavy  chan []Glyph // has the buffer of the one page that may have over maxSpace glyphs
	again  atomic.Int64 // how much of maxAgainAll the pages have used
	seen   sync.Map     // *object.Stream: the first *Page that ran it
	shared atomic.Int64 // cost of streams that another page ran before, minus the free share of each page
}

// NewDocument prepares the pages of f. It reads which optional content
// groups are off.
func NewDocument(f *object.File, limits Limits) *Document {
	d := &Document{File: f, Fonts: &font.Loader{File: f}, Limits: limits.withDefaults(), layers: readLayers(f), heavy: make(chan []Glyph, 1)}
	d.heavy <- nil
	return d
}

// glyphSpace is a pool of glyph buffers, which take most of the memory of a
// page.
var glyphSpace = sync.Pool{New: func() any { return new([]Glyph) }}

// maxSpace is the largest number of glyphs in a pooled buffer, about 2 MB. A
// page with more waits until no other such page is being read. The densest
// page of the development corpora has 11,378 glyphs.
const maxSpace = 1 << 14

// bytesPerGlyph is about the number of bytes of content that show one glyph.
const bytesPerGlyph = 6

// Release returns the memory of p's glyphs. They must not be used after it.
// Every page must be released, because pages with very many glyphs wait for
// each other.
func (p *Page) Release() {
	g := p.Glyphs
	p.Glyphs = nil
	clear(g[:min(len(g)+1, cap(g))]) // release texts and fonts, also those of a glyph that was not kept
	g = g[:0]
	if p.heavy != nil {
		p.heavy <- g
		p.heavy = nil
	} else if cap(g) > 0 && cap(g) <= maxSpace {
		glyphSpace.Put(&g)
	}
}

// Page interprets p. The caller must release the page. Any fault of the page
// only loses the faulty part; the error is the cause that ended ctx.
func (d *Document) Page(ctx context.Context, p object.Page) (page *Page, err error) {
	out := &Page{Glyphs: *glyphSpace.Get().(*[]Glyph)} //nolint:forcetypeassert // nothing else is put there
	defer func() {
		if page == nil { // an error, or a panic that the caller handles
			out.Release()
		}
	}()
	var base matrix
	b := p.Box
	switch p.Rotate {
	case 90:
		base = matrix{0, 1, 1, 0, -b.Y0, -b.X0}
		out.Width, out.Height = b.Y1-b.Y0, b.X1-b.X0
	case 180:
		base = matrix{-1, 0, 0, 1, b.X1, -b.Y0}
		out.Width, out.Height = b.X1-b.X0, b.Y1-b.Y0
	case 270:
		base = matrix{0, -1, -1, 0, b.Y1, b.X1}
		out.Width, out.Height = b.Y1-b.Y0, b.X1-b.X0
	default:
		base = matrix{1, 0, 0, -1, -b.X0, b.Y1}
		out.Width, out.Height = b.X1-b.X0, b.Y1-b.Y0
	}
	if p.Unit != 1 {
		base = base.times(matrix{p.Unit, 0, 0, p.Unit, 0, 0})
		out.Width *= p.Unit
		out.Height *= p.Unit
	}
	in := interp{doc: d, file: d.File, page: out, ctx: ctx, tm: identity, tlm: identity}
	in.gs = newState(base, Box{0, 0, out.Width, out.Height})
	d.shared.Add(-pageShare)
	content, shared, back := in.contents(p.Dict)
	defer back()
	in.likely = min(len(content)/bytesPerGlyph, maxSpace/2)
	in.run(content, p.Resources, 0)
	if shared {
		d.shared.Add(int64(len(content) + sharedGlyph*len(out.Glyphs)))
	}
	if in.err == nil {
		in.annotations(p, base)
	}
	if in.err != nil {
		return nil, in.err
	}
	return out, nil
}

// Bounds on the content of a page, in bytes.
const (
	maxJoined = 32 << 20 // of all content streams together
	maxLight  = 16 << 20 // of one stream; a page with a larger one waits for other such pages
)

// A small file can take long if many pages share their content or forms. All
// pages together may spend maxShared on content that another page ran
// before, and in addition each page pageShare. The cost is the bytes of the
// content plus sharedGlyph for each glyph, because glyphs are also laid out.
const (
	maxShared   = 32 << 20
	pageShare   = 128 << 10
	sharedGlyph = 256
)

// share reports whether the page may run s, which is page content or a form,
// and whether another page ran it before.
func (in *interp) share(s *object.Stream) (may, shared bool) {
	if first, _ := in.doc.seen.LoadOrStore(s, in.page); first == any(in.page) {
		return true, false
	}
	may = in.doc.shared.Load() <= maxShared
	in.page.Truncated = in.page.Truncated || !may
	return may, true
}

// data returns the decoded bytes of s, up to limit. From a damaged stream it
// returns what could be decoded.
func (in *interp) data(s *object.Stream, limit int64) []byte {
	b, err := in.file.DataWithin(s, min(limit, maxLight))
	if errors.Is(err, object.ErrLimit) && limit > maxLight && in.claim() {
		b, err = in.file.DataWithin(s, limit)
	}
	in.fault(err)
	return b
}

// borrow is like data, but the bytes are only valid until back is called.
func (in *interp) borrow(s *object.Stream, limit int64) (b []byte, back func()) {
	b, back, err := in.file.Borrow(s, min(limit, maxLight))
	if errors.Is(err, object.ErrLimit) && limit > maxLight && in.claim() {
		back()
		b, back, err = in.file.Borrow(s, limit)
	}
	in.fault(err)
	return b, back
}

// fault records an error of decoding.
func (in *interp) fault(err error) {
	if errors.Is(err, object.ErrLimit) {
		in.page.Truncated = true
	} else if err != nil && in.err == nil {
		in.page.Damaged++
	}
}

// contents joins the content streams of a page with spaces. It reports
// whether another page had one of them before. The bytes are only valid until back
// is called.
func (in *interp) contents(page object.Dict) (all []byte, shared bool, back func()) {
	var parts object.Array
	switch v := in.file.Resolve(page["Contents"]).(type) {
	case *object.Stream:
		parts = object.Array{v}
	case object.Array:
		parts = v
	default:
		if in.file.Missing(page["Contents"]) {
			in.page.Damaged++
		}
	}
	for _, o := range parts {
		if len(all) >= maxJoined {
			in.page.Truncated = true
			break
		}
		s := in.file.Stream(o)
		if s == nil {
			if in.file.Missing(o) {
				in.page.Damaged++
			}
			continue
		}
		may, before := in.share(s)
		shared = shared || before
		if !may {
			continue
		}
		if len(parts) == 1 {
			all, back = in.borrow(s, in.file.Limits().Stream)
			return all, shared, back
		}
		b, back := in.borrow(s, int64(maxJoined-len(all)))
		all = append(append(slices.Grow(all, len(b)+1), b...), ' ')
		back()
	}
	return all, shared, func() {}
}

// matrix has the numbers a b c d e f of ISO 32000-1, 8.3.3.
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

// times returns the matrix that applies m, then n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// vectors returns the first four numbers of m.times(n).
func (m *matrix) vectors(n *matrix) (a, b, c, d float64) {
	return m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3], m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3]
}

func (m matrix) apply(x, y float64) (float64, float64) {
	return x*m[0] + y*m[2] + m[4], x*m[1] + y*m[3] + m[5]
}

// box returns the bounding box of a transformed box.
func (m matrix) box(b Box) Box {
	x0, y0 := m.apply(b.X0, b.Y0)
	x1, y1 := m.apply(b.X1, b.Y1)
	x2, y2 := m.apply(b.X0, b.Y1)
	x3, y3 := m.apply(b.X1, b.Y0)
	return Box{min(x0, x1, x2, x3), min(y0, y1, y2, y3), max(x0, x1, x2, x3), max(y0, y1, y2, y3)}
}

// Intersect returns the intersection of b and o, which may be empty.
func (b Box) Intersect(o Box) Box {
	return Box{max(b.X0, o.X0), max(b.Y0, o.Y0), min(b.X1, o.X1), min(b.Y1, o.Y1)}
}

// Union returns the smallest box that contains b and o.
//
//go:noinline
func (b Box) Union(o Box) Box {
	if o.X0 < b.X0 { // the builtin min and max cost more, see spanned
		b.X0 = o.X0
	}
	if o.Y0 < b.Y0 {
		b.Y0 = o.Y0
	}
	if o.X1 > b.X1 {
		b.X1 = o.X1
	}
	if o.Y1 > b.Y1 {
		b.Y1 = o.Y1
	}
	return b
}

// Empty reports whether b has no area.
func (b Box) Empty() bool { return b.X1 <= b.X0 || b.Y1 <= b.Y0 }

// Width returns the extent along x.
func (b Box) Width() float64 { return b.X1 - b.X0 }

// Height returns the extent along y.
func (b Box) Height() float64 { return b.Y1 - b.Y0 }

// Area returns the area, which is 0 for an empty box.
func (b Box) Area() float64 {
	if b.Empty() {
		return 0
	}
	return b.Width() * b.Height()
}
