// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"strconv"
	"strings"

	"example.com/curlew/internal/weburl"
	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/object"
)

// dests maps destinations (ISO 32000-1, 12.3.2) to page numbers.
type dests struct {
	file  *object.File
	pages map[int]int // page numbers by object number
	names map[string]object.Object
	base  weburl.URL // base URL of relative references, or zero if the document sets none
}

// Limits of a name tree.
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
	names := nameTree{file: f, yield: func(name string, o object.Object) { d.names[name] = o }}
	names.walk(f.Dict(f.Catalog()["Names"])["Dests"])
	return d
}

// nameTree reads a name tree (ISO 32000-1, 7.9.6).
type nameTree struct {
	file  *object.File
	yield func(name string, o object.Object)

	seen  map[object.Ref]bool
	nodes int // number of nodes and names visited so far
}

// walk calls yield for each entry of the tree.
func (t *nameTree) walk(root object.Object) {
	t.seen = map[object.Ref]bool{}
	t.node(root, 0)
}

// node is walk for a node of the tree and its descendants.
func (t *nameTree) node(o object.Object, depth int) {
	if r, ok := o.(object.Ref); ok {
		if t.seen[r] {
			return
		}
		t.seen[r] = true
	}
	if t.nodes++; depth > maxNameDepth || t.nodes > maxNames {
		return
	}
	node := t.file.Dict(o)
	names := t.file.Array(node["Names"])
	for i := 0; i+1 < len(names) && t.nodes <= maxNames; i += 2 {
		t.nodes++
		if name, ok := t.file.Resolve(names[i]).(object.String); ok {
			t.yield(string(name), names[i+1])
		}
	}
	for _, k := range t.file.Array(node["Kids"]) {
		t.node(k, depth+1)
	}
}

// page returns the number of the page that a destination points to, or 0 if
// it points to no page that was read.
func (d *dests) page(o object.Object) int {
	for range 4 { // a name can lead to a dictionary, and that to an array
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

// resolve sets the addresses of links: a link inside the document gets the
// fragment of its page, a relative reference is resolved against the base
// URL of the document (ISO 32000-1, 12.6.4.7). An address that begins with
// "www." gets the scheme http, as PDF viewers do.
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
