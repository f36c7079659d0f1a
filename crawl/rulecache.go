// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"container/list"
	"sync"
	"time"
)

const (
	// maxRules bounds the rules of all origins, in bytes. If rules were dropped,
	// robots.txt is fetched again when a page of its origin is due.
	maxRules = 64 << 20

	// unusedRules is how long rules are kept that no page was checked against yet. It
	// is longer than a host may ask the crawl to pause.
	unusedRules = maxWait + 5*time.Minute
)

// ruleCache keeps what robots.txt files say, by origin. It is safe for
// concurrent use; its zero value but for most is ready.
//
// Rules stay at least until a page of their origin was checked against them. Of
// those that were used, the least recently used are dropped first. If all wait for
// their first page, new rules are not kept: otherwise hosts that ask for long pauses
// could replace each other's rules for ever, and no page would be requested.
type ruleCache struct {
	mu     sync.Mutex
	byName map[string]*list.Element // guarded by mu; of *kept
	used   list.List                // guarded by mu; rules that a page was checked against, the latest first
	unused list.List                // guarded by mu; the others, the newest first
	weight int                      // guarded by mu
	most   int                      // that they may weigh
}

// kept are the rules of one origin.
type kept struct {
	origin string
	rules  *rules
	weight int
	came   time.Time
	list   *list.List // that it is in
}

// get returns what is known of an origin, or nil if nothing is known. Binds says
// that a page of the origin is due.
func (c *ruleCache) get(origin string, binds bool) *rules {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byName[origin]
	if e == nil {
		return nil
	}
	k := e.Value.(*kept) //nolint:forcetypeassert // the lists hold nothing else
	if binds && k.list == &c.unused {
		c.unused.Remove(e)
		k.list = &c.used
		c.byName[origin] = c.used.PushFront(k)
	} else if binds {
		c.used.MoveToFront(e)
	}
	return k.rules
}

// put keeps the rules of a robots.txt and returns them. If the file could not be
// reached, it returns its earlier rules, if there are any, and fresh is false.
func (c *ruleCache) put(origin string, r *rules) (now *rules, fresh bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byName[origin]; e != nil {
		old := e.Value.(*kept) //nolint:forcetypeassert // the lists hold nothing else
		if r.err != nil {
			return old.rules, false
		}
		c.drop(e)
	}
	if c.byName == nil {
		c.byName = map[string]*list.Element{}
	}
	k := &kept{origin, r, len(origin) + r.size(), time.Now(), &c.unused}
	c.byName[origin] = c.unused.PushFront(k)
	c.weight += k.weight
	c.shrink(k.came)
	return r, true
}

// shrink drops rules until the rest is within the bound; the new ones, if there are
// no others to drop.
func (c *ruleCache) shrink(now time.Time) {
	for c.weight > c.most && len(c.byName) > 1 {
		e := c.used.Back()
		if e == nil {
			e = c.unused.Back()
			if k := e.Value.(*kept); now.Sub(k.came) < unusedRules { //nolint:forcetypeassert // the lists hold nothing else
				e = c.unused.Front()
			}
		}
		c.drop(e)
	}
}

func (c *ruleCache) drop(e *list.Element) {
	k := e.Value.(*kept) //nolint:forcetypeassert // the lists hold nothing else
	k.list.Remove(e)
	delete(c.byName, k.origin)
	c.weight -= k.weight
}
