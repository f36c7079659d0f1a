// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"bytes"
	"container/list"
	"sync"
)

// maxRules is what the rules of all origins may weigh, in bytes. What has not
// been asked for longest goes first, and its robots.txt is fetched again when a
// page of its origin is due.
const maxRules = 64 << 20

// ruleCache keeps what robots.txt files say, by origin. It is safe for
// concurrent use; the zero value is ready.
type ruleCache struct {
	mu     sync.Mutex
	byName map[string]*list.Element // guarded by mu; of *kept
	order  list.List                // guarded by mu; what was asked for last comes first
	weight int                      // guarded by mu
	most   int                      // zero means maxRules
}

// kept are the rules of one origin.
type kept struct {
	origin string
	rules  *rules
	weight int
}

// get returns what is known of an origin, nil where nothing is.
func (c *ruleCache) get(origin string) *rules {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byName[origin]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*kept).rules //nolint:forcetypeassert // the list holds nothing else
}

// put keeps the rules of a robots.txt and returns them, or where that could not
// be reached what it said before. New reports which.
func (c *ruleCache) put(origin string, k *rules, body []byte) (now *rules, fresh bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byName[origin]; e != nil {
		c.order.MoveToFront(e)
		old := e.Value.(*kept) //nolint:forcetypeassert // the list holds nothing else
		if k.err != nil {
			return old.rules, false
		}
		c.drop(e)
	}
	if c.byName == nil {
		c.byName = map[string]*list.Element{}
	}
	n := &kept{origin, k, weigh(origin, body)}
	c.byName[origin] = c.order.PushFront(n)
	c.weight += n.weight
	most := c.most
	if most == 0 {
		most = maxRules
	}
	for c.weight > most && c.order.Len() > 1 {
		c.drop(c.order.Back())
	}
	return k, true
}

func (c *ruleCache) drop(e *list.Element) {
	old := c.order.Remove(e).(*kept) //nolint:forcetypeassert // the list holds nothing else
	delete(c.byName, old.origin)
	c.weight -= old.weight
}

// weigh returns what the rules of a file may take in memory, in bytes: its text
// and a rule for each line.
func weigh(origin string, body []byte) int {
	const own, line = 512, 128
	return own + len(origin) + len(body) + line*bytes.Count(body, []byte{'\n'})
}
