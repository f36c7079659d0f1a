// SPDX-License-Identifier: Apache-2.0

package frontiertest

import (
	"fmt"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/pace"
)

// suspects is the number of pages of endless spaces that the check allows.
const suspects = 3

// endless walks through endless pages of one family with the same text. After
// some pages, new ones are suspects. Only so many suspects are leased, and only
// when nothing else is left.
func (p *probe) endless() {
	p.end(p.lease(), targets(1, "n/0", "other")...)
	next, plain, taken, other := 1, 0, 0, false
	for plain+taken < 200 {
		s := p.stats()
		if s.Delivered == 2+plain+taken && s.Endless.Left == 1 && taken == suspects {
			break
		}
		l := p.lease()
		if l.URL == start+"other" {
			other = true
			p.end(l)
			continue
		}
		c := frontier.Commit{Lease: l, Outcome: frontier.Delivered, URL: l.URL, Status: 200, Answer: pace.Good, Body: l.Seq}
		if l.Sketch {
			c.Sketch = []uint32{7, 8, 9}
		}
		c.Targets = targets(l.Depth+1, fmt.Sprintf("n/%d", next))
		next++
		if l.Suspect {
			taken++
		} else {
			plain++
		}
		p.commit(c)
	}
	p.over()
	s := p.stats()
	if !other || plain < 30 || plain > 60 || taken != suspects || s.Endless.Taken != suspects || s.Endless.Left != 1 {
		p.Errorf("%d pages and %d suspects of an endless space, the other page: %t; %+v", plain, taken, other, s.Endless)
	}
	if space, ok := s.Endless.Of(fmt.Sprintf("%sn/%d", start, next)); !ok || space.Pattern != "/n/N" {
		p.Errorf("what is left is told of as %+v", s.Endless.Spaces)
	}
}
