// SPDX-License-Identifier: Apache-2.0

package chrome

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/render"
	"example.com/curlew/internal/sorting"
)

// ErrUnavailable means that a browser could not be started, or could not be reached. Another
// try may succeed, so it wraps [fetch.ErrBusy].
var ErrUnavailable = fmt.Errorf("the browser is not available: %w", fetch.ErrBusy)

// retryAfter is how long a [Pool] gives no pages to a browser that is not available.
const retryAfter = 5 * time.Second

// Pool shows pages in several browsers, local or at a URL. If one of them crashes, only the
// pages in it are tried again. If one is not available, its pages go to the others. A Pool is
// safe for concurrent use.
type Pool struct {
	all  []*Browser
	free chan *Browser // has each browser once for each page that it may show further

	mu   sync.Mutex
	down map[*Browser]time.Time // until when browsers that are not available get no pages
}

// NewPool returns a Pool of running browsers. Its Close closes them. It shows as many pages at
// the same time as the browsers together.
func NewPool(first *Browser, more ...*Browser) *Pool {
	p := &Pool{all: append([]*Browser{first}, more...), down: map[*Browser]time.Time{}}
	most, sum := 0, 0
	for _, b := range p.all {
		most, sum = max(most, cap(b.tabs)), sum+cap(b.tabs)
	}
	p.free = make(chan *Browser, sum)
	for i := range most { // in turn, so that the browsers have about the same number of pages
		for _, b := range p.all {
			if i < cap(b.tabs) {
				p.free <- b
			}
		}
	}
	return p
}

// Abilities returns what all browsers of the pool can do.
func (p *Pool) Abilities() render.Abilities {
	a := p.all[0].Abilities()
	for _, b := range p.all[1:] {
		other := b.Abilities()
		a.Steps = sorting.Without(a.Steps, func(k render.Kind) bool { return !other.Can(k) })
	}
	return a
}

// Render implements [render.Renderer].
func (p *Pool) Render(ctx context.Context, r *render.Request) (page *render.Page, err error) {
	timeout := cmp.Or(r.Timeout, defaultTimeout)
	err = p.try(ctx, r, func(b *Browser, r *render.Request, leave func(error)) error {
		if page, err = b.Render(ctx, r); err == nil {
			later(&page.Timing, timeout-r.Timeout)
		}
		leave(err)
		return err //nolint:wrapcheck // of this package
	})
	return page, err
}

// later adds the time d, which passed before the call of a browser, to all stages that a page
// has reached.
func later(t *render.Timing, d time.Duration) {
	for _, at := range []*time.Duration{&t.Queue, &t.FirstByte, &t.Load, &t.Ready, &t.Total} {
		if *at > 0 {
			*at += d
		}
	}
}

// Open implements [render.Opener].
func (p *Pool) Open(ctx context.Context, r *render.Request) (s render.Session, page *render.Page, err error) {
	err = p.try(ctx, r, func(b *Browser, r *render.Request, leave func(error)) error {
		s, page, err = b.open(ctx, r, leave)
		return err
	})
	return s, page, err
}

// try calls show with the next browser that is free, and with others while the browser is not
// available. show calls leave when it no longer needs the browser.
func (p *Pool) try(ctx context.Context, r *render.Request, show func(b *Browser, r *render.Request, leave func(error)) error) error {
	timeout := cmp.Or(r.Timeout, defaultTimeout)
	begun := time.Now()
	var failed []*Browser
	for {
		timer := time.NewTimer(timeout/2 - time.Since(begun))
		var b *Browser
		select {
		case b = <-p.free:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		switch {
		case ctx.Err() != nil:
			if b != nil {
				p.free <- b
			}
			return context.Cause(ctx)
		case b == nil:
			return render.ErrBusy
		}
		wait := p.rest(b)
		if slices.Contains(failed, b) {
			wait = retryAfter // leave it to other pages, and wait for another browser
		}
		if wait > 0 {
			time.AfterFunc(wait, func() { p.free <- b })
			continue
		}
		own := *r
		own.Timeout = timeout - time.Since(begun)
		err := show(b, &own, func(err error) {
			if errors.Is(err, ErrUnavailable) {
				p.avoid(b)
			}
			p.free <- b
		})
		if !errors.Is(err, ErrUnavailable) {
			return err
		}
		if failed = append(failed, b); len(failed) == len(p.all) {
			return err
		}
	}
}

// avoid makes the pool give no pages to a browser for retryAfter.
func (p *Pool) avoid(b *Browser) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down[b] = time.Now().Add(retryAfter)
}

// rest returns how long a browser gets no pages.
func (p *Pool) rest(b *Browser) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Until(p.down[b])
}

// Close closes all browsers of the pool.
func (p *Pool) Close(ctx context.Context) error {
	errs := make([]error, len(p.all))
	var all sync.WaitGroup
	for i, b := range p.all {
		all.Go(func() { errs[i] = b.Close(ctx) })
	}
	all.Wait()
	return errors.Join(errs...)
}
