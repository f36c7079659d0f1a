// SPDX-License-Identifier: Apache-2.0

package webrisk

import (
	"crypto/sha256"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxKept is the maximum number of prefixes and full hashes in a cache.
const maxKept = 100_000

// cache stores answers about prefixes until they expire
// (cloud.google.com/web-risk/docs/caching). The zero value is ready to use.
type cache struct {
	mu      sync.Mutex
	answers map[string]*answer // guarded by mu; by prefix
	size    int                // guarded by mu; number of prefixes and hashes
}

// answer is the provider's answer about a prefix. It is immutable.
type answer struct {
	hashes []confirmed
	clean  time.Time // until then, no other hash with the prefix is a threat
}

// confirmed is the full hash of a threat.
type confirmed struct {
	hash    [sha256.Size]byte
	types   []string
	expires time.Time
}

// answerOf converts the provider's answer about prefix. It keeps only threats
// of the given types, and ignores hashes with another prefix.
func answerOf(s *searchAnswer, prefix string, types []string) *answer {
	a := &answer{clean: s.NegativeExpireTime}
	for _, t := range s.Threats {
		if len(t.Hash) != sha256.Size || !strings.HasPrefix(string(t.Hash), prefix) {
			continue
		}
		c := confirmed{hash: [sha256.Size]byte(t.Hash), expires: t.ExpireTime}
		for _, known := range types { // do not keep the strings of the answer, which may be long and many
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

// of returns what an answer says about a hash: its threat types, which are
// empty if it is clean, and until when that is valid.
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

// get returns the cached answer about a prefix, or nil. What it says about a
// hash may have expired.
func (c *cache) get(prefix string) *answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.answers[prefix]
}

// put stores an answer.
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
	c.answers[strings.Clone(prefix)] = a // a substring of a list would keep the whole list in memory
	c.size += 1 + len(a.hashes)
}

// remove deletes a prefix. The caller holds mu.
func (c *cache) remove(prefix string) {
	if old := c.answers[prefix]; old != nil {
		c.size -= 1 + len(old.hashes)
		delete(c.answers, prefix)
	}
}

// expired reports whether everything that a says has expired.
func (a *answer) expired(now time.Time) bool {
	if now.Before(a.clean) {
		return false
	}
	return !slices.ContainsFunc(a.hashes, func(c confirmed) bool { return now.Before(c.expires) })
}
