// SPDX-License-Identifier: Apache-2.0

package frontier

import (
	"slices"
	"strings"

	"example.com/curlew/crawl/internal/shape"
)

const (
	maxVoidPaths = 1 << 14 // paths whose keys are watched
	maxVoidTexts = 1 << 18 // texts, and queries, that are remembered of all paths
	maxVoidKeys  = 32      // keys of one URL, and keys watched of one path
)

// voids knows the keys of a query that change nothing: session ids, filters,
// sort orders. A key of a path is void once as many pages as least, each of which
// differs from another page in this key alone, have that page's text, and they
// are at least a third of the path's pages that have the key.
//
// A key becomes void only between two depths. So what is void for the URLs of
// one depth does not depend on the order in which pages come.
type voids struct {
	least int // pages; MaxInt switches it off
	paths map[uint64]*voidPath
	texts int // in all paths
	any   bool
}

// voidPath is one path of one site.
type voidPath struct {
	depth   int                 // of the last page
	keys    map[string]*voidKey // at most maxVoidKeys
	texts   map[uint64][]string // of a text and a query without one key: which keys that were; "" for the whole query
	queries [][]shape.Part      // of the pages
	classes map[uint64]struct{} // of queries, without the keys that are void; nil while none is
}

// voidKey counts the pages of a path that have a key.
type voidKey struct {
	name           string
	pages, repeats int
	void           bool
}

// class returns a fingerprint of the parts but for those that skip names.
func class(parts []shape.Part, skip func(key string) bool) uint64 {
	sum := uint64(len("class"))
	for _, p := range parts {
		if !skip(p.Key) {
			sum = (sum ^ p.Sum) * 0x9e3779b97f4a7c15
			sum ^= sum >> 31
		}
	}
	return sum
}

// add notes the text of a page.
func (v *voids) add(url string, text uint64, depth int) {
	parts := shape.Parts(url)
	if parts == nil {
		return
	}
	id := shape.PathSum(url)
	p := v.paths[id]
	if p == nil {
		if len(v.paths) >= maxVoidPaths {
			return // the limit bounds what is left
		}
		if v.paths == nil {
			v.paths = map[uint64]*voidPath{}
		}
		p = &voidPath{depth: depth, texts: map[uint64][]string{}, keys: map[string]*voidKey{}}
		v.paths[id] = p
	}
	v.turn(p, depth)
	whole := class(parts, func(string) bool { return false }) ^ text
	if slices.Contains(p.texts[whole], "") || v.texts+len(parts)+2 > maxVoidTexts {
		return // the same query, in another order
	}
	for i := range parts {
		parts[i].Key = p.intern(parts[i].Key)
	}
	v.texts++
	p.queries = append(p.queries, parts)
	if p.classes != nil {
		p.classes[class(parts, p.isVoid)] = struct{}{}
	}
	for _, key := range p.texts[whole] { // of pages with this query and one key more
		p.keys[key].repeats++
	}
	v.note(p, whole, "")
	for i, one := range parts {
		k := p.keys[one.Key]
		if k == nil || i > 0 && parts[i-1].Key == one.Key {
			continue
		}
		k.pages++
		rest := class(parts, func(key string) bool { return key == one.Key }) ^ text
		if known := p.texts[rest]; slices.Contains(known, one.Key) || slices.Contains(known, "") {
			k.repeats++
		}
		v.note(p, rest, one.Key)
	}
}

// intern returns key as the path holds it, and watches it from now on if there
// is room.
func (p *voidPath) intern(key string) string {
	if k := p.keys[key]; k != nil {
		return k.name
	}
	key = strings.Clone(key) // else it would keep the whole URL
	if len(p.keys) < maxVoidKeys {
		p.keys[key] = &voidKey{name: key}
	}
	return key
}

// note remembers that a page has this text and query without key.
func (v *voids) note(p *voidPath, sum uint64, key string) {
	if known := p.texts[sum]; !slices.Contains(known, key) {
		v.texts++
		p.texts[sum] = append(known, key)
	}
}

// turn decides about the keys of a path once its pages are deeper than before.
func (v *voids) turn(p *voidPath, depth int) {
	if depth <= p.depth {
		return
	}
	p.depth = depth
	changed := false
	for _, k := range p.keys {
		if !k.void && k.repeats >= v.least && 3*k.repeats >= k.pages {
			k.void, changed, v.any = true, true, true
		}
	}
	if !changed {
		return
	}
	p.classes = make(map[uint64]struct{}, len(p.queries))
	for _, parts := range p.queries {
		p.classes[class(parts, p.isVoid)] = struct{}{}
	}
}

func (p *voidPath) isVoid(key string) bool {
	k := p.keys[key]
	return k != nil && k.void
}

// has reports whether a URL of a depth has void keys.
func (v *voids) has(url string, depth int) bool {
	if len(v.paths) == 0 || !strings.Contains(url, "?") {
		return false
	}
	p := v.paths[shape.PathSum(url)]
	if p == nil {
		return false
	}
	v.turn(p, depth)
	return p.classes != nil && slices.ContainsFunc(shape.Parts(url), func(one shape.Part) bool { return p.isVoid(one.Key) })
}

// claim reports whether no page is known that differs from url in void keys
// alone, and takes url for that page.
func (v *voids) claim(url string) bool {
	p := v.paths[shape.PathSum(url)]
	if p == nil || p.classes == nil {
		return true
	}
	c := class(shape.Parts(url), p.isVoid)
	_, known := p.classes[c]
	p.classes[c] = struct{}{}
	return !known
}
