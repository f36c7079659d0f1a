// SPDX-License-Identifier: Apache-2.0

package threat

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"
)

// cached is how many policies a Cache keeps.
const cached = 256

// Cache compiles policies, and equal ones to the same [Rules]. It keeps the
// rules of some hundreds. The zero value is ready; it is safe for concurrent
// use.
type Cache struct {
	mu    sync.Mutex
	rules map[[sha256.Size]byte]*Rules // guarded by mu
}

// Compile is [Compile]. Policies are equal where their entries are, in their
// order and spelling; what [Resolve] returns has one spelling.
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
		// All at once: who had them goes on with them.
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
