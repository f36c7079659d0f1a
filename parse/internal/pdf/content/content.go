// SPDX-License-Identifier: Apache-2.0

// Package content interprets the pages of a PDF: operators -> glyphs, rules,
// boxes, images.
//
// Nothing is drawn. All coordinates are in points, origin at the top left of
// the page as a reader sees it (crop box, turned by Rotate), y downwards.
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

// Box is a rectangle, X0 <= X1, Y0 <= Y1, y downwards.
type Box struct{ X0, Y0, X1, Y1 float64 }

// Page is what one page shows.
type Page struct {
	Width, Height float64
	Glyphs        []Glyph
	Rules         []Rule
	Fills         []Fill
	Images        []Image
	Links         []Link
	Notes         []Note
	Files         []object.Object // file specifications of attachments
	Curves        int             // curves and slanted lines drawn
	Dots          []Dot           // small round shapes
	Truncated     bool            // a limit cut the page short

	heavy chan []Glyph // where the space of Glyphs goes back; nil for most
}

// Glyph is one shown code.
type Glyph struct {
	Text   string
	X, Y   float64 // origin on the baseline
	Box    Box     // by advance and the font's ascent and descent
	Adv    float64 // length of the advance along the baseline
	Size   float64 // of the font, measured across the baseline
	Track  float64 // character spacing behind it, along the baseline
	DX, DY float64 // direction of the baseline, length 1
	Font   *font.Font
	Color  Color
	Seq    int // order of painting, shared with fills and images
	MCID   int // of marked content, -1 outside
	Flags  Flags
}

// Flags tell of a glyph what its text does not.
type Flags uint8

const (
	// Artifact marks what the document calls no part of its content.
	Artifact Flags = 1 << iota
	// Invisible marks render modes that paint nothing (3 and 7), and paint that
	// is transparent.
	Invisible
	// Off marks glyphs of a layer that is switched off.
	Off
	// Clipped marks glyphs wholly outside the clip path.
	Clipped
	// Vertical marks glyphs of vertical writing: the advance runs downwards.
	Vertical
	// Space marks codes that show nothing but a gap.
	Space
	// Stroked marks text that is stroked too: producers embolden so.
	Stroked
	// Field marks text of a form field's or annotation's appearance.
	Field
)

// Color is red, green, blue in 24 bits.
type Color uint32

// Dot is a shape as wide as high, drawn with so many curves, which Page.Curves
// counts too.
type Dot struct {
	Box    Box
	Curves int
}

// Rule is a line along an axis, drawn as a stroke or as a thin box.
type Rule struct {
	X0, Y0, X1, Y1 float64 // X0 <= X1, Y0 <= Y1; along its length
	Width          float64
	Color          Color
	Seq            int
}

// Horizontal says whether the rule runs from left to right.
func (r Rule) Horizontal() bool { return r.X1-r.X0 >= r.Y1-r.Y0 }

// Fill is a filled box that is no line.
type Fill struct {
	Box   Box
	Color Color
	Seq   int
	Alpha float64 // 1 is opaque
}

// Image is a painted image.
type Image struct {
	Box    Box        // of what the clip leaves of it
	Matrix [6]float64 // from the unit square, which the image fills from its bottom left, to the page (ISO 32000-1, 8.3.3)
	Seq    int
	MCID   int            // of marked content, -1 outside
	Mask   bool           // a stencil
	Color  Color          // of a stencil
	Stream *object.Stream // of inline images too, keys and colour space written out
}

// Link is a link annotation.
type Link struct {
	Box  Box
	URI  string        // empty for links inside the document
	Dest object.Object // a destination or its name; nil for URIs
}

// Limits bound a page. Zero fields are the defaults.
type Limits struct {
	Glyphs   int // zero means 500,000
	Segments int // of a path, rules and fills alike; zero means 200,000
	Forms    int // depth of forms; zero means 16
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

// Document is what the pages of one document share. It is safe for concurrent
// use.
type Document struct {
	File   *object.File
	Fonts  *font.Loader
	Limits Limits

	layers layers
	heavy  chan []Glyph // the space of the one page that may have over maxSpace glyphs
	again  atomic.Int64 // what pages have spent of maxAgainAll
	seen   sync.Map     // *object.Stream: the first *Page that ran it
	shared atomic.Int64 // what streams cost that another page ran before, less what the pages may spend on them
}

// NewDocument prepares f's pages: it reads which layers are switched off.
func NewDocument(f *object.File, limits Limits) *Document {
	d := &Document{File: f, Fonts: &font.Loader{File: f}, Limits: limits.withDefaults(), layers: readLayers(f), heavy: make(chan []Glyph, 1)}
	d.heavy <- nil
	return d
}

// glyphSpace keeps the space of glyphs, most of what a page needs, for the next
// page.
var glyphSpace = sync.Pool{New: func() any { return new([]Glyph) }}

// maxSpace is how many glyphs the space that is kept may hold, some 2 MB. A page
// that has more waits until no other such page is being read. The densest page of
// the development corpora has 11,378.
const maxSpace = 1 << 14

// Release gives the glyphs of p back: neither they nor what points to them may
// be used after it. Whoever gets a page calls it, for pages of very many glyphs
// wait for each other.
func (p *Page) Release() {
	g := p.Glyphs
	p.Glyphs = nil
	clear(g) // their texts and fonts are not to live on
	g = g[:0]
	if p.heavy != nil {
		p.heavy <- g
		p.heavy = nil
	} else if cap(g) > 0 && cap(g) <= maxSpace {
		glyphSpace.Put(&g)
	}
}

// Page interprets p. The error is the cause that ended ctx; whatever else is
// wrong with the page costs only the part that is wrong. The page is to be
// released.
func (d *Document) Page(ctx context.Context, p object.Page) (page *Page, err error) {
	out := &Page{Glyphs: *glyphSpace.Get().(*[]Glyph)} //nolint:forcetypeassert // nothing else is put there
	defer func() {
		if page == nil { // an error, or a panic that the caller deals with
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
	content, shared := in.contents(p.Dict)
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

// Bounds of the content of a page, in bytes.
const (
	maxJoined = 32 << 20 // that several streams give
	maxLight  = 16 << 20 // of one stream; a page that has more waits for the others
)

// Pages that share their content or their forms make a small file take long. All
// together they may spend maxShared on what another page ran before, and
// pageShare each: the bytes, and sharedGlyph for each glyph, which also is laid
// out.
const (
	maxShared   = 32 << 20
	pageShare   = 128 << 10
	sharedGlyph = 256
)

// share reports whether the page may run s, its content or a form, and whether
// another page ran it before.
func (in *interp) share(s *object.Stream) (may, shared bool) {
	if first, _ := in.doc.seen.LoadOrStore(s, in.page); first == any(in.page) {
		return true, false
	}
	may = in.doc.shared.Load() <= maxShared
	in.page.Truncated = in.page.Truncated || !may
	return may, true
}

// data returns the decoded bytes of s, up to limit. What a damaged stream gave
// may do.
func (in *interp) data(s *object.Stream, limit int64) []byte {
	b, err := in.file.DataWithin(s, min(limit, maxLight))
	if errors.Is(err, object.ErrLimit) && limit > maxLight && in.claim() {
		b, err = in.file.DataWithin(s, limit)
	}
	if errors.Is(err, object.ErrLimit) {
		in.page.Truncated = true
	}
	return b
}

// contents joins the content streams of a page by spaces. It reports whether
// another page had one of them before.
func (in *interp) contents(page object.Dict) (all []byte, shared bool) {
	var parts object.Array
	switch v := in.file.Resolve(page["Contents"]).(type) {
	case *object.Stream:
		parts = object.Array{v}
	case object.Array:
		parts = v
	}
	for _, o := range parts {
		if len(all) >= maxJoined {
			in.page.Truncated = true
			break
		}
		s := in.file.Stream(o)
		if s == nil {
			continue
		}
		may, before := in.share(s)
		shared = shared || before
		if !may {
			continue
		}
		if len(parts) == 1 {
			return in.data(s, in.file.Limits().Stream), shared
		}
		b := in.data(s, int64(maxJoined-len(all)))
		all = append(append(slices.Grow(all, len(b)+1), b...), ' ')
	}
	return all, shared
}

// matrix is a b c d e f of ISO 32000-1, 8.3.3.
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

// times returns the matrix that does m, then n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

func (m matrix) apply(x, y float64) (float64, float64) {
	return x*m[0] + y*m[2] + m[4], x*m[1] + y*m[3] + m[5]
}

// box returns the box around a transformed box.
func (m matrix) box(b Box) Box {
	x0, y0 := m.apply(b.X0, b.Y0)
	x1, y1 := m.apply(b.X1, b.Y1)
	x2, y2 := m.apply(b.X0, b.Y1)
	x3, y3 := m.apply(b.X1, b.Y0)
	return Box{min(x0, x1, x2, x3), min(y0, y1, y2, y3), max(x0, x1, x2, x3), max(y0, y1, y2, y3)}
}

// Intersect returns what a and b share; it may be empty.
func (b Box) Intersect(o Box) Box {
	return Box{max(b.X0, o.X0), max(b.Y0, o.Y0), min(b.X1, o.X1), min(b.Y1, o.Y1)}
}

// Union returns the box around both.
func (b Box) Union(o Box) Box {
	return Box{min(b.X0, o.X0), min(b.Y0, o.Y0), max(b.X1, o.X1), max(b.Y1, o.Y1)}
}

// Empty says whether b has no area.
func (b Box) Empty() bool { return b.X1 <= b.X0 || b.Y1 <= b.Y0 }

// Width returns the extent along x.
func (b Box) Width() float64 { return b.X1 - b.X0 }

// Height returns the extent along y.
func (b Box) Height() float64 { return b.Y1 - b.Y0 }

// Area returns the area, 0 where b is empty.
func (b Box) Area() float64 {
	if b.Empty() {
		return 0
	}
	return b.Width() * b.Height()
}
