// SPDX-License-Identifier: Apache-2.0

package threat

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"
)

// cached is the maximum number of policies in a Cache.
const cached = 256

// Cache compiles policies and returns the same [Rules] for equal policies. It
// stores up to 256 of them. The zero value is ready to use. It is safe for
// concurrent use.
type Cache struct {
	mu    sync.Mutex
	rules map[[sha256.Size]byte]*Rules // guarded by mu
}

// Compile is like [Compile]. Two policies are equal if their entries have the
// same order and spelling. [Resolve] returns normalized entries.
func (c *Cache) Compile(p Policy) (*Rules, error) {
	key := p.sum()
	c.mu.Lock()
	r := c.rules[key]
	c.mu.Unlock()
	if r != nil {
		return r, nil
	}
	r, err := Compile(p)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if first := c.rules[key]; first != nil {
		return first, nil
	}
	if c.rules == nil || len(c.rules) >= cached {
		// Clear the whole cache. Callers keep the rules that they already have.
		c.rules = make(map[[sha256.Size]byte]*Rules)
	}
	c.rules[key] = r
	return r, nil
}

// sum returns the SHA-256 of p.
func (p Policy) sum() (key [sha256.Size]byte) {
	stars := byte(0)
	if p.Stars {
		stars = 1
	}
	b := []byte{byte(p.Mode), byte(p.Failure), stars}
	b = binary.AppendVarint(b, int64(p.threshold()))
	for _, list := range [][]string{p.Blacklist, p.Whitelist, p.BlockedTLDs} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, e := range list {
			b = binary.AppendUvarint(b, uint64(len(e)))
			b = append(b, e...)
		}
	}
	return sha256.Sum256(b)
}
