// SPDX-License-Identifier: Apache-2.0

package crawl

import "example.com/curlew/crawl/internal/shape"

// Internal functions for tests.
var (
	TextOf     = textOf
	SketchOf   = func(p *Page) []uint32 { return sketchOf(p) }
	RetryAfter = retryAfter
)

// Novel returns the number of shingles of a page that no past page has, and the
// number of its shingles.
func Novel(page []uint32, past ...[]uint32) (novel, of int) {
	var list []shape.Sketch
	for _, p := range past {
		list = append(list, p)
	}
	return shape.Sketch(page).Novel(list)
}

// BoundRules limits the memory of the rules of a crawl.
func (e *Engine) BoundRules(most int) { e.mostRules = most }
