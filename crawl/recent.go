// SPDX-License-Identifier: Apache-2.0

package crawl

// maxRecent is the number of fingerprints in a recent.
const maxRecent = 1 << 16

// recent keeps the first value for each of the last 65,536 different
// fingerprints.
type recent[V any] struct {
	known map[uint64]V
	ring  []uint64
	next  int
}

// see adds v for f, or returns the value that is already there.
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
