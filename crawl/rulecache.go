// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"container/list"
	"sync"
	"time"
)

const (
	// maxRules limits the rules of all origins, in bytes. If the rules of an
	// origin were dropped, its robots.txt is fetched again when one of its
	// pages is about to be requested.
	maxRules = 64 << 20

	// unusedRules is how long rules are kept that no page has been checked
	// against yet. It is longer than the longest pause that a host may ask for.
	unusedRules = maxWait + 5*time.Minute
)

// ruleCache keeps the rules of robots.txt files by origin. It is safe for
// concurrent use. Its zero value is ready for use once most is set.
//
// Rules are kept at least until a page of their origin has been checked against
// them. The least recently used rules are dropped first. If all rules still
// wait for their first page, new rules are not kept. Otherwise hosts that ask
// for long pauses could replace each other's rules for ever, and no page would
// be requested.
type ruleCache struct {
	mu     sync.Mutex
	byName map[string]*list.Element // guarded by mu; of *kept
	used   list.List                // guarded by mu; rules that a page was checked against, most recently used first
	unused list.List                // guarded by mu; the other rules, newest first
	weight int                      // guarded by mu
	most   int                      // limit of weight
}

// kept are the rules of one origin.
type kept struct {
	origin string
	rules  *rules
	weight int
	came   time.Time
	list   *list.List // the list that contains it
}

// get returns the rules of an origin, or nil. binds is set if a page of the
// origin is about to be requested.
func (c *ruleCache) get(origin string, binds bool) *rules {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byName[origin]
	if e == nil {
		return nil
	}
	k := e.Value.(*kept) //nolint:forcetypeassert // the lists contain only *kept
	if binds && k.list == &c.unused {
		c.unused.Remove(e)
		k.list = &c.used
		c.byName[origin] = c.used.PushFront(k)
	} else if binds {
		c.used.MoveToFront(e)
	}
	return k.rules
}

// put stores the rules of a robots.txt and returns them. If the file could not
// be reached but earlier rules are stored, it returns those, and fresh is
// false.
func (c *ruleCache) put(origin string, r *rules) (now *rules, fresh bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byName[origin]; e != nil {
		old := e.Value.(*kept) //nolint:forcetypeassert // the lists contain only *kept
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

// shrink drops rules until the rest is within the limit. If no others can be
// dropped, it drops the new ones.
func (c *ruleCache) shrink(now time.Time) {
	for c.weight > c.most && len(c.byName) > 1 {
		e := c.used.Back()
		if e == nil {
			e = c.unused.Back()
			if k := e.Value.(*kept); now.Sub(k.came) < unusedRules { //nolint:forcetypeassert // the lists contain only *kept
				e = c.unused.Front()
			}
		}
		c.drop(e)
	}
}

func (c *ruleCache) drop(e *list.Element) {
	k := e.Value.(*kept) //nolint:forcetypeassert // the lists contain only *kept
	k.list.Remove(e)
	delete(c.byName, k.origin)
	c.weight -= k.weight
}
