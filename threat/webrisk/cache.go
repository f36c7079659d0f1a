// SPDX-License-Identifier: Apache-2.0

package webrisk

import (
	"crypto/sha256"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxKept is how many prefixes and full hashes a cache keeps together.
const maxKept = 100_000

// cache remembers answers about prefixes for as long as they allow
// (cloud.google.com/web-risk/docs/caching). The zero value is ready.
type cache struct {
	mu      sync.Mutex
	answers map[string]*answer // guarded by mu; by prefix
	size    int                // guarded by mu; prefixes and hashes
}

// answer is what the provider said about a prefix. It does not change.
type answer struct {
	hashes []confirmed
	clean  time.Time // until when no other hash with the prefix is a threat
}

// confirmed is the full hash of a threat.
type confirmed struct {
	hash    [sha256.Size]byte
	types   []string
	expires time.Time
}

// answerOf reads what the provider said about prefix, of the threats those of
// one of types; what has another prefix does not belong here.
func answerOf(s *searchAnswer, prefix string, types []string) *answer {
	a := &answer{clean: s.NegativeExpireTime}
	for _, t := range s.Threats {
		if len(t.Hash) != sha256.Size || !strings.HasPrefix(string(t.Hash), prefix) {
			continue
		}
		c := confirmed{hash: [sha256.Size]byte(t.Hash), expires: t.ExpireTime}
		for _, known := range types { // these strings, not the answer's, which may be long and many
			if slices.Contains(t.ThreatTypes, known) {
				c.types = append(c.types, known)
			}
		}
		if len(c.types) > 0 {
			a.hashes = append(a.hashes, c)
		}
	}
	return a
}

// of returns what an answer says about a hash: the types of threat, none where
// it is clean, and until when that holds.
func (a *answer) of(hash *[sha256.Size]byte) (types []string, until time.Time) {
	until = a.clean
	for _, c := range a.hashes {
		if c.hash != *hash {
			continue
		}
		if len(types) == 0 || c.expires.Before(until) {
			until = c.expires
		}
		types = append(types, c.types...)
	}
	return types, until
}

// get returns the answer about a prefix that is kept; nil where there is none.
// What it says of a hash may have expired.
func (c *cache) get(prefix string) *answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.answers[prefix]
}

// put keeps an answer.
func (c *cache) put(prefix string, a *answer, now time.Time) {
	if a.expired(now) || 1+len(a.hashes) > maxKept {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answers == nil {
		c.answers = make(map[string]*answer)
	}
	c.remove(prefix)
	if c.size+1+len(a.hashes) > maxKept {
		for key, old := range c.answers {
			if old.expired(now) {
				c.remove(key)
			}
		}
		for key := range c.answers {
			if c.size+1+len(a.hashes) <= maxKept*7/8 {
				break
			}
			c.remove(key)
		}
	}
	c.answers[strings.Clone(prefix)] = a // a piece of a list would keep all of it
	c.size += 1 + len(a.hashes)
}

// remove forgets a prefix. The caller holds mu.
func (c *cache) remove(prefix string) {
	if old := c.answers[prefix]; old != nil {
		c.size -= 1 + len(old.hashes)
		delete(c.answers, prefix)
	}
}

// expired reports whether nothing that a says holds any more.
func (a *answer) expired(now time.Time) bool {
	if now.Before(a.clean) {
		return false
	}
	return !slices.ContainsFunc(a.hashes, func(c confirmed) bool { return now.Before(c.expires) })
}
