// SPDX-License-Identifier: Apache-2.0

package chrome

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"example.com/curlew/fetch/render"
)

// tab is a tab of the browser in a browser context of its own. It shows one page.
type tab struct {
	process *process
	ctx     context.Context //nolint:containedctx // chromedp keeps the connection in it
	cancel  context.CancelFunc
	opened  chan struct{} // closed when the tab is open or could not be opened
	err     error         // why it could not be opened; set before opened is closed
	view    atomic.Pointer[view]
}

// newTab begins to open a tab. The caller holds mu, and the Browser is not closed.
func (b *Browser) newTab(p *process) *tab {
	t := &tab{process: p, opened: make(chan struct{})}
	t.ctx, t.cancel = chromedp.NewContext(p.ctx, chromedp.WithListener(t.event), chromedp.WithNewBrowserContext(func(c *target.CreateBrowserContextParams) {
		c.ProxyServer = "http://" + b.guard.Address()
		c.ProxyBypassList = "<-loopback>"
		c.DisposeOnDetach = new(true)
	}))
	b.spawn(func() {
		defer close(t.opened)
		t.err = chromedp.Do(t.ctx) // without a deadline, because the tab would end with the context of this call
	})
	return t
}

// event handles an event of the tab. It must not block.
func (t *tab) event(e any) {
	if v := t.view.Load(); v != nil {
		v.event(e)
	}
}

// failed reports whether the tab could not be opened.
func (t *tab) failed() bool {
	select {
	case <-t.opened:
		return t.err != nil
	default:
		return false
	}
}

// open waits until the tab is open.
func (v *view) open(ctx context.Context) error {
	timer := time.NewTimer(openTimeout)
	defer timer.Stop()
	select {
	case <-v.tab.opened:
		if v.tab.err != nil {
			v.browser.condemn(v.tab.process)
			return fmt.Errorf("%w: %w", render.ErrCrashed, v.tab.err)
		}
	case <-timer.C:
		v.browser.condemn(v.tab.process)
		return fmt.Errorf("%w: no tab opens", render.ErrCrashed)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.target = chromedp.FromContext(v.tab.ctx).Target //nolint:contextcheck // chromedp keeps the target in the context of the tab
	v.main = cdp.FrameID(v.target.TargetID)
	return nil
}

// close closes the tab and removes its stored data. It sends the command to the
// browser and not to the tab, because the process of the page may hang.
func (b *Browser) close(t *tab) {
	timer := time.NewTimer(openTimeout)
	defer timer.Stop()
	select {
	case <-t.opened:
	case <-timer.C:
		b.condemn(t.process)
		<-t.opened
	}
	c := chromedp.FromContext(t.ctx)
	if c.BrowserContextID != "" && c.Browser != nil {
		ctx, stop := context.WithTimeout(context.WithoutCancel(t.ctx), callTimeout)
		_, err := cdp.Call(ctx, c.Browser, target.DisposeBrowserContext, target.DisposeBrowserContextParams{BrowserContextID: c.BrowserContextID})
		stop()
		if errors.Is(err, context.DeadlineExceeded) {
			b.condemn(t.process)
		}
	}
	t.cancel()
}
