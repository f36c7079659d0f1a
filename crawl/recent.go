// SPDX-License-Identifier: Apache-2.0

package crawl

// maxRecent is how many fingerprints a recent holds.
const maxRecent = 1 << 16

// recent holds what came first with each of the last 65,536 different
// fingerprints.
type recent[V any] struct {
	known map[uint64]V
	ring  []uint64
	next  int
}

// see enters v under f, or returns what is there.
func (r *recent[V]) see(f uint64, v V) (first V, known bool) {
	if first, known = r.known[f]; known {
		return first, true
	}
	if r.known == nil {
		r.known = map[uint64]V{}
	}
	if len(r.ring) < maxRecent {
		r.ring = append(r.ring, f)
	} else {
		delete(r.known, r.ring[r.next])
		r.ring[r.next] = f
		r.next = (r.next + 1) % maxRecent
	}
	r.known[f] = v
	return v, false
}
