// SPDX-License-Identifier: Apache-2.0

package chrome

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"

	"example.com/curlew/fetch/render"
)

// How long a page must be quiet to count as ready, and how long that may take.
const (
	quietNetwork = 500 * time.Millisecond
	quietText    = 200 * time.Millisecond
	maxLoad      = 10 * time.Second // from the response until the page is loaded
	maxReady     = 10 * time.Second // from the loaded page until it is ready
	maxLoading   = 5 * time.Second  // how long to wait for more text if a loaded page has less than shortText
	shortText    = 200              // UTF-16 units
	streamAge    = 3 * time.Second  // a request that has been open longer does not keep a page busy
	lookEvery    = 100 * time.Millisecond
)

// activity records which requests of a page are open.
type activity struct {
	mu     sync.Mutex
	open   map[string]time.Time // when each request began
	asked  map[string]int       // how often each URL, without its query, was requested
	last   time.Time            // when the last request began or ended
	loaded time.Time            // when the page was loaded; zero means not yet
}

// begin records the begin of a request. It ignores kinds of requests that pages
// keep open or send all the time, and URLs that a page requests again and again.
func (a *activity) begin(id string, kind network.ResourceType, url string) {
	switch kind {
	case network.ResourceTypeWebSocket, network.ResourceTypeEventSource, network.ResourceTypeMedia,
		network.ResourceTypePing, network.ResourceTypePrefetch, network.ResourceTypeCSPViolationReport:
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == nil {
		a.open, a.asked = map[string]time.Time{}, map[string]int{}
	}
	url, _, _ = strings.Cut(url, "?")
	if a.asked[url]++; a.asked[url] > 2 { // the page polls this URL
		return
	}
	a.last = time.Now()
	a.open[id] = a.last
}

// end records the end of a request.
func (a *activity) end(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.open[id]; ok {
		delete(a.open, id)
		a.last = time.Now()
	}
}

// load records that the page is loaded.
func (a *activity) load() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.loaded.IsZero() {
		a.loaded = time.Now()
	}
}

// quiet reports whether no request is open, and none began or ended during the
// last while. It ignores requests that have been open for long.
func (a *activity) quiet(now time.Time, while time.Duration) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, began := range a.open {
		if now.Sub(began) < streamAge {
			return false
		}
	}
	return now.Sub(a.last) >= while
}

// settle waits until the page is ready: it is loaded, no request is open, and
// its text does not change. It waits longer for a page with hardly any text. After
// maxReady, it returns even if the page is still busy.
func (v *view) settle(ctx context.Context) error {
	begun := time.Now()
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	text, changed := -1, begun
	var loaded time.Time
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		now := time.Now()
		if loaded.IsZero() {
			v.busy.mu.Lock()
			loaded = v.busy.loaded
			v.busy.mu.Unlock()
			if loaded.IsZero() && now.Sub(begun) < maxLoad {
				continue
			}
			if loaded.IsZero() {
				loaded = now
			}
		}
		if now.Sub(loaded) >= maxReady {
			v.mu.Lock()
			v.page.Ready = render.ReadyCap
			v.mu.Unlock()
			v.warn("the page was still busy %v after it was loaded", maxReady)
			return nil
		}
		n, err := v.length(ctx)
		if err != nil {
			continue // probably a script is running
		}
		if n != text {
			text, changed = n, now
		}
		short := n < shortText && now.Sub(loaded) < maxLoading && v.scripted(ctx)
		if !short && now.Sub(changed) >= quietText && v.busy.quiet(now, quietNetwork) {
			v.mu.Lock()
			v.page.Ready = render.ReadyQuiet
			v.mu.Unlock()
			return nil
		}
	}
}

// length returns the length of the visible text of the page in UTF-16 units.
func (v *view) length(ctx context.Context) (int, error) {
	return evaluate[int](ctx, v, `document.body ? document.body.innerText.length : 0`, time.Second)
}

// scripted reports whether the page has scripts, which may still add text.
func (v *view) scripted(ctx context.Context) bool {
	yes, err := evaluate[bool](ctx, v, `document.scripts.length > 0`, time.Second)
	return err == nil && yes
}

// evaluate returns the value of a JavaScript expression.
func evaluate[T any](ctx context.Context, v *view, expression string, timeout time.Duration) (value T, err error) {
	yes := true
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r, err := call(ctx, v, runtime.Evaluate, runtime.EvaluateParams{Expression: expression, ReturnByValue: &yes, AwaitPromise: &yes, UserGesture: &yes})
	if err != nil {
		return value, err
	}
	if r.ExceptionDetails != nil {
		return value, &scriptError{exception(r.ExceptionDetails)}
	}
	return decode[T](r.Result)
}
