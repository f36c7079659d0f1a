// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"bytes"
	"context"
	"sync"
)

// valueShare is the part of its budget that one value of a cache may have:
// a single document does not empty it.
const valueShare = 4

// MemoryCache is a [Cache] in memory, that forgets the least recently used. The
// zero value is ready. It is not copied.
type MemoryCache struct {
	MaxBytes int64 // of all values; zero means 256 MiB, -1 no bound. A value over a quarter of it is not kept

	mu   sync.Mutex
	held lru // guarded by mu
}

// heldOverhead is about what a value costs in memory besides its bytes.
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
	return bytes.Clone(h.value), nil // nobody changes a value that is held
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
		c.held.remove(k) // what was there is not true any more
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

// budget resolves the bound of a cache.
func budget(given, absent int64) int64 {
	switch {
	case given == 0:
		return absent
	case given < 0:
		return unlimited
	}
	return given
}
