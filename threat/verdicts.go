// SPDX-License-Identifier: Apache-2.0

package threat

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"sync"
	"time"
)

// DefaultVerdicts is how many verdicts a VerdictCache keeps by default.
const DefaultVerdicts = 10_000

// VerdictCache keeps verdicts from one job to the next, each until its provider
// says that it expires, and none without such a time. It holds hashes of
// canonical URLs, no URLs. What a job may not leave behind ([Target.NoStore])
// is neither looked up nor kept. A job is charged for a kept verdict as for any.
//
// The zero value is ready; it is safe for concurrent use. Give it to a
// [Scanner].
type VerdictCache struct {
	Size int // verdicts; zero means 10,000

	mu   sync.Mutex
	kept map[[sha256.Size]byte]Verdict // guarded by mu
}

// get returns the verdict that is kept for t. A nil cache keeps none.
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

// put keeps v for t, if it may be kept.
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

// makeRoom drops what has expired and, until an eighth is free, whatever comes.
// The caller holds mu.
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
