// SPDX-License-Identifier: Apache-2.0

package crawl

import "example.com/curlew/crawl/internal/shape"

// What the tests of the parts reach into.
var (
	TextOf     = textOf
	SketchOf   = func(p *Page) []uint32 { return sketchOf(p) }
	RetryAfter = retryAfter
)

// Novel returns how many shingles of a page others do not have, of how many.
func Novel(page []uint32, past ...[]uint32) (novel, of int) {
	var list []shape.Sketch
	for _, p := range past {
		list = append(list, p)
	}
	return shape.Sketch(page).Novel(list)
}

// BoundRules bounds what the rules of a crawl may weigh.
func (e *Engine) BoundRules(most int) { e.mostRules = most }
