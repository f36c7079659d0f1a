// SPDX-License-Identifier: Apache-2.0

package object

import "slices"

// Page is one page with its inherited attributes.
type Page struct {
	Ref       Ref // zero if the page is not an indirect object
	Dict      Dict
	Resources Dict
	Box       Rect // crop box within the media box, in points
	Rotate    int  // clockwise: 0, 90, 180 or 270 degrees
	Unit      float64
}

// Rect is a rectangle with X0 <= X1 and Y0 <= Y1.
type Rect struct{ X0, Y0, X1, Y1 float64 }

// letter is the box of pages without a usable one.
var letter = Rect{0, 0, 612, 792}

// Pages returns the pages in order. It walks the page tree once and ignores
// repeated nodes and wrong counts. If the tree has no page, it returns all
// page objects of the document by number. limit bounds the returned pages;
// zero means all. total is the number of pages, up to Limits.Pages.
func (f *File) Pages(limit int) (pages []Page, total int) {
	w := pageWalk{f: f, limit: limit, most: f.limits.Pages, seen: map[int]bool{}}
	w.all()
	f.missing.Store(int64(w.missing))
	return w.pages, w.total
}

// MissingPages returns the number of pages, and of groups of pages, that the
// page tree names but that the file does not have. It is known after Pages.
func (f *File) MissingPages() int { return int(f.missing.Load()) }

// hasPages reports whether there is at least one page. With tree set, only
// pages in the page tree count.
func (f *File) hasPages(tree bool) bool {
	w := pageWalk{f: f, most: min(1, f.limits.Pages), seen: map[int]bool{}, tree: tree}
	w.all()
	return w.total > 0
}

// inherited has the attributes that page nodes inherit (ISO 32000-1,
// 7.7.3.4).
type inherited struct{ resources, media, crop, rotate Object }

// take replaces the attributes that d has itself.
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
	limit int // number of pages to keep; zero means all
	most  int // number of pages to count
	pages []Page
	total int
	seen  map[int]bool // object numbers of visited nodes
	nodes int          // number of visited nodes

	missing int  // nodes that the file does not have
	tree    bool // ignore pages outside the page tree
}

// maxNodes bounds the nodes of a page tree. The limit on pages is not
// enough, because nodes may share their lists of children.
const maxNodes = 1 << 20

// all walks the page tree. If it has no page, all walks over all page
// objects.
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

// maxAbove bounds the ancestors of a page outside the page tree.
const maxAbove = 10

// above returns the attributes that a page inherits from its ancestors.
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
		w.nodes = maxNodes // leave out all other nodes too
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
		w.missing++
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

// box returns o as a rectangle with sorted corners. It returns def if o is
// not a rectangle or has an unusable size.
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
