// SPDX-License-Identifier: Apache-2.0

package frontier

// progress counts the tasks that have not ended, by depth, and decides which
// depth is open. Invariant: each of these tasks is counted once, in current or
// in later. Pending suspects are in neither (see [endless]).
type progress struct {
	byDepth bool // by depth: a level opens when the levels before it have ended
	level   int  // greatest depth that may be leased
	current int  // tasks up to level that have not ended
	later   int  // tasks beyond level
	files   int  // tasks in current that all depths wait for: sitemaps and the start page
	begun   bool // the start page has ended
}

// enter counts a task with a depth, and reports whether the depth is open.
func (p *progress) enter(depth int) bool {
	if depth <= p.level {
		p.current++
		return true
	}
	p.later++
	return false
}

// leave uncounts a task with a depth.
func (p *progress) leave(depth int) {
	if depth <= p.level {
		p.current--
	} else {
		p.later--
	}
}

// add counts a link, and reports whether its depth is open.
func (p *progress) add(l *link) bool {
	if l.Sitemap || l.start {
		p.files++
	}
	return p.enter(l.waitsAt())
}

// end uncounts a task that has ended for good.
func (p *progress) end(rec *record) {
	depth := rec.depth
	if rec.task == SitemapTask {
		depth = 0 // see waitsAt
	}
	p.leave(depth)
	if rec.task == SitemapTask || rec.start {
		p.files--
	}
	p.begun = p.begun || rec.start
}

// withdraw uncounts a task that waits for the next level.
func (p *progress) withdraw() { p.later-- }

// raise opens a depth when no lesser one has tasks.
func (p *progress) raise(depth int) { p.level = max(p.level, depth) }

// left returns how many tasks have not ended.
func (p *progress) left() int { return p.current + p.later }

// settle opens the next level if the current one has ended, and reports whether
// it did. Without levels, all depths open after the start page and the
// sitemaps.
func (p *progress) settle() bool {
	switch {
	case p.level == noDepth || p.later == 0 && p.byDepth:
		return false
	case p.byDepth && p.current == 0:
		p.level++
	case !p.byDepth && p.files == 0:
		p.level = noDepth
	default:
		return false
	}
	p.current, p.later = p.current+p.later, 0
	return true
}
