// SPDX-License-Identifier: Apache-2.0

package frontier

import (
	"slices"
	"strings"

	"example.com/curlew/crawl/internal/shape"
)

const (
	maxVoidPaths = 1 << 14 // paths whose keys are watched
	maxVoidTexts = 1 << 18 // texts and queries that are stored for all paths
	maxVoidKeys  = 32      // keys of one URL, and watched keys of one path
)

// voids finds the keys of a query that change nothing, such as session IDs,
// filters and sort orders. A key of a path becomes void when enough pages have
// the text of another page that differs only in this key. At least least pages
// are necessary, and at least a third of the path's pages with the key.
//
// A key becomes void only between two depths. So the void keys for the URLs of
// one depth do not depend on the order in which pages arrive.
type voids struct {
	least int // number of pages; MaxInt disables void keys
	paths map[uint64]*voidPath
	texts int // number in all paths
	any   bool
}

// voidPath is one path of one site.
type voidPath struct {
	depth   int                 // depth of the last page
	keys    map[string]*voidKey // at most maxVoidKeys
	texts   map[uint64][]string // by text and query without one key: the removed keys; "" means the whole query
	queries [][]shape.Part      // queries of the pages
	classes map[uint64]struct{} // fingerprints of queries without void keys; nil while there are no void keys
}

// voidKey counts the pages of a path that have a key.
type voidKey struct {
	name           string
	pages, repeats int
	void           bool
}

// class returns a fingerprint of the parts without the keys for which skip
// returns true.
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

// add records the text of a page.
func (v *voids) add(url string, text uint64, depth int) {
	parts := shape.Parts(url)
	if parts == nil {
		return
	}
	id := shape.PathSum(url)
	p := v.paths[id]
	if p == nil {
		if len(v.paths) >= maxVoidPaths {
			return // there are too many paths
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
		return // the same page with its query in another order, or too many texts
	}
	for i := range parts {
		parts[i].Key = p.intern(parts[i].Key)
	}
	v.texts++
	p.queries = append(p.queries, parts)
	if p.classes != nil {
		p.classes[class(parts, p.isVoid)] = struct{}{}
	}
	for _, key := range p.texts[whole] { // pages with this query and one additional key
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

// intern returns the path's copy of key, and starts to watch the key if there
// are not too many.
func (p *voidPath) intern(key string) string {
	if k := p.keys[key]; k != nil {
		return k.name
	}
	key = strings.Clone(key) // a substring would keep the whole URL in memory
	if len(p.keys) < maxVoidKeys {
		p.keys[key] = &voidKey{name: key}
	}
	return key
}

// note records that a page has this text and query without key.
func (v *voids) note(p *voidPath, sum uint64, key string) {
	if known := p.texts[sum]; !slices.Contains(known, key) {
		v.texts++
		p.texts[sum] = append(known, key)
	}
}

// turn decides on the keys of a path when its pages reach a new depth.
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

// has reports whether a URL at this depth has void keys.
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

// claim reports whether no known page differs from url only in void keys. If
// so, url becomes that page.
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
