// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"slices"
	"time"

	"example.com/curlew/crawl/internal/shape"
)

// levelPatience is how long a page keeps deeper ones of its site waiting.
const levelPatience = 5 * time.Second

// flights are the pages in flight, by site: hosts that differ in a leading www.
// alone are one. A page is not asked for while one of the same site and a lesser
// depth is, for so long as that is not slow. So depths, and which pages name a
// URL at its depth, do not depend on timing, and yet no page that hangs, comes
// again or must wait holds the others up.
type flights map[string][]*task

// add notes that a page is asked for.
func (f flights) add(t *task) {
	name := shape.Bare(t.host.name)
	f[name] = append(f[name], t)
}

// remove notes that it is no more.
func (f flights) remove(t *task) {
	name := shape.Bare(t.host.name)
	if list := slices.DeleteFunc(f[name], func(o *task) bool { return o == t }); len(list) > 0 {
		f[name] = list
	} else {
		delete(f, name)
	}
}

// bound returns the greatest depth at which h may be asked for a page, up to
// most, and when that changes by itself, if it is less.
func (f flights) bound(h *host, most int, now time.Time) (bound int, until time.Time) {
	bound = most
	for _, t := range f[shape.Bare(h.name)] {
		if end := t.began.Add(levelPatience); t.Depth < bound && end.After(now) {
			bound = t.Depth
			if until.IsZero() || end.Before(until) {
				until = end
			}
		}
	}
	return bound, until
}
