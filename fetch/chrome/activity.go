// SPDX-License-Identifier: Apache-2.0

package chrome

import (
	"context"
	"fmt"
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
	maxLoad      = 10 * time.Second       // from the response until the page is loaded
	maxReady     = 10 * time.Second       // from the loaded page until it is ready
	maxLoading   = 5 * time.Second        // how long to wait for more text if a loaded page has less than shortText
	shortText    = 200                    // UTF-16 units
	streamAge    = 3 * time.Second        // a request that has been open longer does not keep a page busy
	pollPause    = 100 * time.Millisecond // a request that begins later after the one before for the same URL may be a poll
	maxChain     = 20                     // requests for the same URL in a row that are not taken for polls
	lookEvery    = 100 * time.Millisecond // how often the text of a page is measured
	lookLoad     = 10 * time.Millisecond  // how often it is looked whether the page is loaded
)

// activity records which requests of a page are open.
type activity struct {
	mu     sync.Mutex
	open   map[string]exchange // the open requests
	seen   map[string]*history // of each URL, without its query
	last   time.Time           // when the last request began or ended
	loaded time.Time           // when the page was loaded; zero means not yet
}

// history is what is known about the requests for a URL.
type history struct {
	ended  int       // requests that have ended
	last   time.Time // when the last one ended
	paused int       // requests that began a while after the one before had ended, as polls do
}

// exchange is an open request.
type exchange struct {
	url   string // without the query
	began time.Time
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
		a.open, a.seen = map[string]exchange{}, map[string]*history{}
	}
	url, _, _ = strings.Cut(url, "?")
	h := a.seen[url]
	if h == nil {
		h = new(history)
		a.seen[url] = h
	}
	now := time.Now()
	if h.ended > 0 && now.Sub(h.last) > pollPause {
		h.paused++
	}
	if h.paused > 1 || h.ended >= maxChain { // the page polls this URL
		return
	}
	a.last = now
	a.open[id] = exchange{url, a.last}
}

// end records the end of a request.
func (a *activity) end(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if x, ok := a.open[id]; ok {
		delete(a.open, id)
		a.last = time.Now()
		if h := a.seen[x.url]; h != nil {
			h.ended++
			h.last = a.last
		}
	}
}

// grow records that the page has more text than before. Its requests are then not taken for
// polls: one URL may answer many parts of a page, one after the other.
func (a *activity) grow() {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.seen)
}

// load records that the page is loaded.
func (a *activity) load() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.loaded.IsZero() {
		a.loaded = time.Now()
	}
}

// restart forgets that a document was loaded, which was the empty one of a new tab.
func (a *activity) restart() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.loaded = time.Time{}
}

// quiet reports whether no request is open, and none began or ended during the
// last while. It ignores requests that have been open for long.
func (a *activity) quiet(now time.Time, while time.Duration) bool {
	busy, last := a.state(now)
	return !busy && now.Sub(last) >= while
}

// state reports whether a request is open, without those that have been open for long, and when
// the last request began or ended.
func (a *activity) state(now time.Time) (busy bool, last time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, x := range a.open {
		if now.Sub(x.began) < streamAge {
			return true, a.last
		}
	}
	return false, a.last
}

// isLoaded returns when the page was loaded; zero means not yet.
func (a *activity) isLoaded() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.loaded
}

// settle waits until the page is ready: it is loaded, no request is open, and
// its text does not change. It waits longer for a page with hardly any text. After
// maxReady, it returns even if the page is still busy.
func (v *view) settle(ctx context.Context) error {
	defer v.reach(func(t *render.Timing) *time.Duration { return &t.Ready })
	begun := time.Now()
	var loaded time.Time
	for loaded.IsZero() {
		if loaded = v.busy.isLoaded(); loaded.IsZero() && time.Since(begun) >= maxLoad {
			loaded = time.Now()
		}
		if loaded.IsZero() {
			if err := pause(ctx, lookLoad); err != nil {
				return err
			}
		}
	}
	var calm calm
	most, wait := 0, time.Duration(0)
	for time.Since(loaded) < maxReady {
		is, err := v.content(ctx, wait)
		if err != nil { // probably a script is running
			calm.network, calm.text, wait = 0, 0, lookEvery
			if err := pause(ctx, wait); err != nil {
				return err
			}
			continue
		}
		if is.Text > most {
			most = is.Text
			v.busy.grow()
		}
		now := time.Now()
		busy, last := v.busy.state(now)
		calm.look(is.Text, busy, last, wait)
		if wait = min(calm.left(), lookEvery); wait > 0 {
			continue
		}
		if is.Text >= shortText || !is.Scripts || now.Sub(loaded) >= maxLoading {
			v.ready(render.ReadyQuiet)
			return nil
		}
		wait = lookEvery
	}
	v.ready(render.ReadyCap)
	v.warn("the page was still busy %v after it was loaded", maxReady)
	return nil
}

// calm is how long a page has been quiet, counted by the timers of the page itself. On a busy
// machine these are late, and so are those by which the page will load more: measured by the clock,
// the page would seem quiet before its own next step had a chance to run.
type calm struct {
	network, text time.Duration // since the last request began or ended, and since the text has changed
	last          time.Time     // when the last request began or ended
	length        int           // of the text
}

// look records a look at the page after waiting.
func (c *calm) look(length int, busy bool, last time.Time, waited time.Duration) {
	c.network += waited
	c.text += waited
	if busy || !last.Equal(c.last) {
		c.network, c.last = 0, last
	}
	if length != c.length {
		c.text, c.length = 0, length
	}
}

// left returns how long the page must still be quiet.
func (c *calm) left() time.Duration { return max(quietNetwork-c.network, quietText-c.text) }

// ready records how the page became ready.
func (v *view) ready(how render.Ready) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.page.Ready = how
}

// content is how much text a page has in UTF-16 units, and whether it has scripts, which may
// still add text.
type content struct {
	Text    int
	Scripts bool
}

// content returns how much text the page has after a timer of the page has waited.
func (v *view) content(ctx context.Context, wait time.Duration) (content, error) {
	const measure = `({Text: document.body ? document.body.innerText.length : 0, Scripts: document.scripts.length > 0})`
	if wait <= 0 {
		return evaluate[content](ctx, v, measure, time.Second)
	}
	return evaluate[content](ctx, v, fmt.Sprintf(`new Promise(done => setTimeout(() => done(%s), %d))`, measure, wait.Milliseconds()), wait+time.Second)
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
