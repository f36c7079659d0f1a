// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"sync"
	"time"
)

// probed is how long an answer about a disk is good.
const probed = time.Second

// Disk says whether directories have room left.
type Disk struct {
	Low  int64    // bytes that must be free; [Unlimited]: none
	Dirs []string // empty: no disk is asked

	mu    sync.Mutex
	at    time.Time // guarded by mu; of the last question
	short bool      // guarded by mu
}

// Short reports whether less than Low bytes are free in one of the directories.
// A disk that does not say how much is free is not short.
func (d *Disk) Short() bool {
	if d.Low < 0 || len(d.Dirs) == 0 {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if now := time.Now(); d.at.IsZero() || now.Sub(d.at) >= probed {
		d.at, d.short = now, false
		for _, dir := range d.Dirs {
			if free, ok := Free(dir); ok && free < d.Low {
				d.short = true
			}
		}
	}
	return d.short
}
