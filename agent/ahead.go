// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"sync"
)

// aheadPages is how many pages a run fetches before the first of them is read, for
// each page that it fetches at once. More would be paid for in vain if the model
// failed.
const aheadPages = 2

// ahead bounds the pages that are fetched and not read yet. If the last replies of
// the model could not be used, the next page waits until all others are read.
type ahead struct {
	payer *payer
	most  int

	mu     sync.Mutex // guards all below
	pages  int
	change chan struct{} // closed when a page has been read; nil: nobody waits
}

// newAhead returns the bound of a run that fetches so many pages at once.
func newAhead(p *payer, fetches int) *ahead { return &ahead{payer: p, most: aheadPages * fetches} }

// enter waits until one more page may be fetched. It reports false if the search
// or ctx ended.
func (a *ahead) enter(ctx context.Context) bool {
	for {
		most := a.most
		if a.payer.muted() {
			most = 1
		}
		a.mu.Lock()
		if a.pages < most {
			a.pages++
			a.mu.Unlock()
			return true
		}
		if a.change == nil {
			a.change = make(chan struct{})
		}
		change := a.change
		a.mu.Unlock()
		select {
		case <-change:
		case <-a.payer.halted:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// leave says that a page has been read, or will not be.
func (a *ahead) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pages--
	if a.change != nil {
		close(a.change)
		a.change = nil
	}
}
