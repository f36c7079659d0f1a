// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"strconv"
	"strings"

	"example.com/curlew/internal/weburl"
	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/object"
)

// dests resolves destinations to pages (ISO 32000-1, 12.3.2).
type dests struct {
	file  *object.File
	pages map[int]int // numbers by object number
	names map[string]object.Object
	base  weburl.URL // of relative references; zero where the document has none
}

// Bounds of a tree of names.
const (
	maxNames     = 100_000
	maxNameDepth = 32
)

func newDests(f *object.File, pages []object.Page) *dests {
	d := &dests{file: f, pages: map[int]int{}, names: map[string]object.Object{}}
	if base, ok := f.Resolve(f.Dict(f.Catalog()["URI"])["Base"]).(object.String); ok {
		d.base, _ = weburl.Parse(string(base))
	}
	for i, p := range pages {
		if p.Ref.Num > 0 {
			d.pages[p.Ref.Num] = i + 1
		}
	}
	for name, o := range f.Dict(f.Catalog()["Dests"]) {
		d.names[string(name)] = o
	}
	names := nameTree{file: f, yield: func(name string, o object.Object) bool {
		d.names[name] = o
		return true
	}}
	names.walk(f.Dict(f.Catalog()["Names"])["Dests"])
	return d
}

// nameTree reads a tree of names (ISO 32000-1, 7.9.6).
type nameTree struct {
	file  *object.File
	yield func(name string, o object.Object) bool // false ends it

	seen  map[object.Ref]bool
	nodes int // on the way, names among them
}

// walk yields the entries of a tree; false where yield ended it.
func (t *nameTree) walk(root object.Object) bool {
	t.seen = map[object.Ref]bool{}
	return t.node(root, 0)
}

// node is walk for a node of the tree, and those below it.
func (t *nameTree) node(o object.Object, depth int) bool {
	if r, ok := o.(object.Ref); ok {
		if t.seen[r] {
			return true
		}
		t.seen[r] = true
	}
	if t.nodes++; depth > maxNameDepth || t.nodes > maxNames {
		return true
	}
	node := t.file.Dict(o)
	names := t.file.Array(node["Names"])
	for i := 0; i+1 < len(names) && t.nodes <= maxNames; i += 2 {
		t.nodes++
		if name, ok := t.file.Resolve(names[i]).(object.String); ok && !t.yield(string(name), names[i+1]) {
			return false
		}
	}
	for _, k := range t.file.Array(node["Kids"]) {
		if !t.node(k, depth+1) {
			return false
		}
	}
	return true
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

// resolve gives links inside the document the address of their page, and relative
// references that of the document's base (ISO 32000-1, 12.6.4.7). An address that
// begins with www. lacks its scheme, as readers take it.
func (d *dests) resolve(links []content.Link) {
	for i := range links {
		switch l := &links[i]; {
		case l.URI == "":
			if n := d.page(l.Dest); n > 0 {
				l.URI = "#page-" + strconv.Itoa(n)
			}
		case len(l.URI) > 4 && strings.EqualFold(l.URI[:4], "www."):
			l.URI = "http://" + l.URI
		case !d.base.IsZero() && !strings.HasPrefix(l.URI, "#"):
			if u, err := d.base.Resolve(l.URI); err == nil {
				l.URI = u.String()
			}
		}
	}
}
