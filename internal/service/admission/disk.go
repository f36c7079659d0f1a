// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"sync"
	"time"
)

// probed is how long the result for a disk is reused.
const probed = time.Second

// Disk reports whether directories have free space.
type Disk struct {
	Low  int64    // bytes that must be free; [Unlimited] means none
	Dirs []string // may be empty

	mu    sync.Mutex
	at    time.Time // guarded by mu; when the disks were last checked
	short bool      // guarded by mu
}

// Short reports whether one of the directories has less than Low bytes free. A
// disk whose free space is unknown does not count as short.
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
