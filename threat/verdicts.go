// SPDX-License-Identifier: Apache-2.0

package threat

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"sync"
	"time"
)

// DefaultVerdicts is the default size of a VerdictCache.
const DefaultVerdicts = 10_000

// VerdictCache stores verdicts across jobs until they expire. A verdict without
// an expiry time is not stored. The cache contains hashes of canonical URLs,
// not the URLs. Targets with [Target.NoStore] are neither looked up nor stored.
// A job is charged for a cached verdict as for any other.
//
// The zero value is ready to use. It is safe for concurrent use. Set it as
// [Scanner].Cache.
type VerdictCache struct {
	Size int // maximum number of verdicts; zero means 10,000

	mu   sync.Mutex
	kept map[[sha256.Size]byte]Verdict // guarded by mu
}

// get returns the cached verdict on t. A nil cache has none.
func (c *VerdictCache) get(t *Target, now time.Time) (Verdict, bool) {
	if c == nil || t.NoStore {
		return Verdict{}, false
	}
	key := sha256.Sum256([]byte(t.Canonical))
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.kept[key]
	if !ok {
		return Verdict{}, false
	}
	if !now.Before(v.Expires) {
		delete(c.kept, key)
		return Verdict{}, false
	}
	v.Categories = slices.Clone(v.Categories)
	return v, true
}

// put stores v for t if that is allowed.
func (c *VerdictCache) put(t *Target, v Verdict, now time.Time) {
	if c == nil || t.NoStore || !now.Before(v.Expires) {
		return
	}
	v.Categories = slices.Clone(v.Categories)
	key := sha256.Sum256([]byte(t.Canonical))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil {
		c.kept = make(map[[sha256.Size]byte]Verdict)
	}
	if _, ok := c.kept[key]; !ok && len(c.kept) >= max(1, cmp.Or(c.Size, DefaultVerdicts)) {
		c.makeRoom(now)
	}
	c.kept[key] = v
}

// makeRoom removes the expired verdicts and then arbitrary ones, until an
// eighth of the cache is free. The caller holds mu.
func (c *VerdictCache) makeRoom(now time.Time) {
	left := len(c.kept) - len(c.kept)/8 - 1
	for key, v := range c.kept {
		if !now.Before(v.Expires) {
			delete(c.kept, key)
		}
	}
	for key := range c.kept {
		if len(c.kept) <= left {
			return
		}
		delete(c.kept, key)
	}
}
