// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"bytes"
	"context"
	"sync"
)

// valueShare limits one value to this fraction of the budget, so that a single
// document does not empty the cache.
const valueShare = 4

// MemoryCache is a [Cache] in memory that evicts the least recently used
// values. The zero value is ready to use. It must not be copied.
type MemoryCache struct {
	// MaxBytes limits the size of all values. Zero means 256 MiB, -1 means no
	// limit. A value over a quarter of it is not stored.
	MaxBytes int64

	mu   sync.Mutex
	held lru // guarded by mu
}

// heldOverhead is the approximate memory for a value besides its bytes.
const heldOverhead = 256

// Get implements [Cache].
func (c *MemoryCache) Get(ctx context.Context, k Key) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	c.mu.Lock()
	h := c.held.get(k)
	c.mu.Unlock()
	if h == nil {
		return nil, ErrNotCached
	}
	return bytes.Clone(h.value), nil // stored values never change, so the lock is not needed
}

// Put implements [Cache].
func (c *MemoryCache) Put(ctx context.Context, k Key, value []byte) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	budget := budget(c.MaxBytes, 256<<20)
	cost := int64(len(value)) + heldOverhead
	c.mu.Lock()
	defer c.mu.Unlock()
	if cost > budget/valueShare {
		c.held.remove(k) // the old value is outdated, even if the new one is not stored
		return nil
	}
	c.held.put(&held{key: k, cost: cost, value: bytes.Clone(value)})
	c.held.evict(budget, func(Key) {})
	return nil
}

// Delete implements [Cache].
func (c *MemoryCache) Delete(ctx context.Context, k Key) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held.remove(k)
	return nil
}

// budget returns the limit of a cache: given, or absent if given is zero.
func budget(given, absent int64) int64 {
	switch {
	case given == 0:
		return absent
	case given < 0:
		return unlimited
	}
	return given
}
