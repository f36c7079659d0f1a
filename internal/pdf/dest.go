// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"strconv"

	"example.com/curlew/internal/pdf/content"
	"example.com/curlew/internal/pdf/object"
)

// dests resolves destinations to pages (ISO 32000-1, 12.3.2).
type dests struct {
	file  *object.File
	pages map[int]int // numbers by object number
	names map[string]object.Object
	nodes int // of the tree of names, on the way
}

// Bounds of the tree of names.
const (
	maxNames     = 100_000
	maxNameDepth = 32
)

func newDests(f *object.File, pages []object.Page) *dests {
	d := &dests{file: f, pages: map[int]int{}, names: map[string]object.Object{}}
	for i, p := range pages {
		if p.Ref.Num > 0 {
			d.pages[p.Ref.Num] = i + 1
		}
	}
	for name, o := range f.Dict(f.Catalog()["Dests"]) {
		d.names[string(name)] = o
	}
	d.tree(f.Dict(f.Catalog()["Names"])["Dests"], map[object.Ref]bool{}, 0)
	return d
}

// tree reads a node of the tree of names, and those below it.
func (d *dests) tree(o object.Object, seen map[object.Ref]bool, depth int) {
	if r, ok := o.(object.Ref); ok {
		if seen[r] {
			return
		}
		seen[r] = true
	}
	if d.nodes++; depth > maxNameDepth || max(d.nodes, len(d.names)) > maxNames {
		return
	}
	node := d.file.Dict(o)
	names := d.file.Array(node["Names"])
	for i := 0; i+1 < len(names); i += 2 {
		if name, ok := d.file.Resolve(names[i]).(object.String); ok && len(d.names) <= maxNames {
			d.names[string(name)] = names[i+1]
		}
	}
	for _, k := range d.file.Array(node["Kids"]) {
		d.tree(k, seen, depth+1)
	}
}

// page returns the number of the page that a destination is on, 0 where it is
// on none that was read.
func (d *dests) page(o object.Object) int {
	for range 4 { // names lead to dictionaries lead to arrays
		switch v := d.file.Resolve(o).(type) {
		case object.Name:
			o = d.names[string(v)]
		case object.String:
			o = d.names[string(v)]
		case object.Dict:
			o = v["D"]
		case object.Array:
			if len(v) == 0 {
				return 0
			}
			if r, ok := v[0].(object.Ref); ok {
				return d.pages[r.Num]
			}
			return 0
		default:
			return 0
		}
	}
	return 0
}

// resolve gives links inside the document the address of their page.
func (d *dests) resolve(links []content.Link) {
	for i := range links {
		if l := &links[i]; l.URI == "" {
			if n := d.page(l.Dest); n > 0 {
				l.URI = "#page-" + strconv.Itoa(n)
			}
		}
	}
}
