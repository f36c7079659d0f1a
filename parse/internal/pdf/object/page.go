// SPDX-License-Identifier: Apache-2.0

package object

import "slices"

// Page is one page with what it inherits.
type Page struct {
	Ref       Ref // zero where the page is no indirect object
	Dict      Dict
	Resources Dict
	Box       Rect // crop box within the media box, corners in order; points
	Rotate    int  // 0, 90, 180 or 270 degrees clockwise
	Unit      float64
}

// Rect is a box; X0 <= X1 and Y0 <= Y1.
type Rect struct{ X0, Y0, X1, Y1 float64 }

// letter is the box of pages that have none that can be used.
var letter = Rect{0, 0, 612, 792}

// Pages returns the pages in order. The tree is walked once; nodes seen before
// and counts that lie are ignored. Where the tree gives no page, all page
// objects of the document count, by number. limit bounds the pages that are
// returned, zero means all; total is how many there are, up to Limits.Pages.
func (f *File) Pages(limit int) (pages []Page, total int) {
	w := pageWalk{f: f, limit: limit, most: f.limits.Pages, seen: map[int]bool{}}
	w.all()
	return w.pages, w.total
}

// hasPages reports whether there is a page at all; with tree, whether there is
// one in the page tree.
func (f *File) hasPages(tree bool) bool {
	w := pageWalk{f: f, most: min(1, f.limits.Pages), seen: map[int]bool{}, tree: tree}
	w.all()
	return w.total > 0
}

// inherited is what page nodes hand down (ISO 32000-1, 7.7.3.4).
type inherited struct{ resources, media, crop, rotate Object }

// take replaces what d says itself.
func (in *inherited) take(f *File, d Dict) {
	pick := func(slot *Object, key Name) {
		if v, ok := d[key]; ok && f.Resolve(v) != nil {
			*slot = v
		}
	}
	pick(&in.resources, "Resources")
	pick(&in.media, "MediaBox")
	pick(&in.crop, "CropBox")
	pick(&in.rotate, "Rotate")
}

type pageWalk struct {
	f     *File
	limit int // pages kept; zero means all
	most  int // pages counted
	pages []Page
	total int
	seen  map[int]bool // numbers of nodes on the way
	nodes int          // so far
	tree  bool         // pages that are in no tree do not count
}

// maxNodes bounds the nodes of a page tree: lists of those that stand in the
// lists themselves may be shared.
const maxNodes = 1 << 20

// all walks the tree or, where that gives no page, over all objects.
func (w *pageWalk) all() {
	w.walk(w.f.Catalog()["Pages"], inherited{}, 0)
	if w.total > 0 || w.tree {
		return
	}
	for num, d := range w.f.source.find("Page") {
		w.add(Ref{Num: num}, d, w.above(d))
		if w.total >= w.most {
			return
		}
	}
}

// maxAbove bounds the nodes above a page that is in no tree.
const maxAbove = 10

// above returns what the nodes above a page hand down.
func (w *pageWalk) above(d Dict) inherited {
	chain := []Dict{d}
	for p := w.f.Dict(d["Parent"]); p != nil && len(chain) < maxAbove; p = w.f.Dict(p["Parent"]) {
		chain = append(chain, p)
	}
	var in inherited
	for _, d := range slices.Backward(chain) {
		in.take(w.f, d)
	}
	return in
}

func (w *pageWalk) walk(o Object, in inherited, depth int) {
	if w.nodes++; depth > maxDepth || w.nodes > maxNodes || w.total >= w.most {
		return
	}
	if w.nodes%pollSteps == 0 && w.f.ctx.Err() != nil {
		w.nodes = maxNodes // the others are left out, too
		return
	}
	if r, ok := o.(Ref); ok {
		if w.seen[r.Num] {
			return
		}
		w.seen[r.Num] = true
	}
	d := w.f.Dict(o)
	if d == nil {
		return
	}
	in.take(w.f, d)
	kids := w.f.Array(d["Kids"])
	if kids == nil || w.f.Name(d["Type"]) == "Page" {
		r, _ := o.(Ref)
		w.add(r, d, in)
		return
	}
	for _, k := range kids {
		w.walk(k, in, depth+1)
	}
}

func (w *pageWalk) add(r Ref, d Dict, in inherited) {
	if w.total >= w.most {
		return
	}
	w.total++
	if w.limit > 0 && len(w.pages) >= w.limit {
		return
	}
	p := Page{Ref: r, Dict: d, Resources: w.f.Dict(in.resources), Unit: 1}
	p.Box = w.f.box(in.media, letter)
	if crop := intersect(w.f.box(in.crop, p.Box), p.Box); crop.X1-crop.X0 > 1 && crop.Y1-crop.Y0 > 1 {
		p.Box = crop
	}
	turn := w.f.Int(in.rotate, 0) % 360
	p.Rotate = (turn + 360) % 360 / 90 * 90
	if u := w.f.Float(d["UserUnit"], 1); u > 0 && u < 1e5 {
		p.Unit = u
	}
	w.pages = append(w.pages, p)
}

// box returns o as a box with its corners in order, or def where it is none or
// has no area.
func (f *File) box(o Object, def Rect) Rect {
	v, ok := f.Floats(o, 4)
	if !ok {
		return def
	}
	r := Rect{min(v[0], v[2]), min(v[1], v[3]), max(v[0], v[2]), max(v[1], v[3])}
	if r.X1-r.X0 < 1 || r.Y1-r.Y0 < 1 || r.X1-r.X0 > 1e6 || r.Y1-r.Y0 > 1e6 {
		return def
	}
	return r
}

func intersect(a, b Rect) Rect {
	return Rect{max(a.X0, b.X0), max(a.Y0, b.Y0), min(a.X1, b.X1), min(a.Y1, b.Y1)}
}
