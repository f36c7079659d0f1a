// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"example.com/curlew/internal/netguard"
)

// wire counts the bytes of a body as they arrive, ends the body at a limit, and
// measures its rate.
type wire struct {
	r    io.Reader
	conn *netguard.Conn // the connection that r reads from; may be nil
	left int64          // bytes that may still arrive
	err  error          // of the last Read
	n    atomic.Int64

	mu    sync.Mutex // guards timer
	timer *time.Timer
}

// Read reads from the connection. One byte over the limit returns ErrTooLarge.
func (w *wire) Read(p []byte) (int, error) {
	if int64(len(p)) > w.left && w.left < unlimited {
		p = p[:w.left+1]
	}
	n, err := w.r.Read(p)
	w.n.Add(int64(n))
	w.conn.Account(n)
	if w.left -= int64(n); w.left < 0 {
		n, err = n-1, ErrTooLarge
	}
	w.err = err
	return n, err
}

// watch calls cancel with errSlow if the body arrives too slowly, until stop.
func (w *wire) watch(cancel context.CancelCauseFunc) {
	seen := int64(0)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(rateSpan, func() {
		n := w.n.Load()
		if n-seen < rateBytes {
			cancel(errSlow)
			return
		}
		seen = n
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.timer != nil {
			w.timer.Reset(rateSpan)
		}
	})
}

// stop ends the rate check.
func (w *wire) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Stop()
	w.timer = nil
}
