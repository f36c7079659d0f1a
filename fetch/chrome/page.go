// SPDX-License-Identifier: Apache-2.0

package chrome

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/egress"
	"example.com/curlew/fetch/render"
)

const (
	callTimeout    = 10 * time.Second // for one command
	defaultTimeout = 30 * time.Second // default of Request.Timeout
	openTimeout    = 30 * time.Second // for a new tab
	stoppingTime   = 30 * time.Second // for the commands that stop a script and read its page, because the machine may be busy
	maxSteps       = 50
	maxConsole     = 100      // messages
	maxFailed      = 100      // requests
	maxMessage     = 1 << 10  // bytes of a message
	defaultBytes   = 50 << 20 // default of Request.MaxBytes
)

// view is a page that is being shown.
type view struct {
	request *render.Request
	browser *Browser
	tab     *tab
	traffic *egress.Page
	life    context.Context         //nolint:containedctx // ends with the tab; for the handling of events, which have no context
	end     context.CancelCauseFunc // ends life
	leave   func()                  // called when the tab is closed
	unlink  func() bool             // life no longer ends with the browser
	begun   time.Time
	calls   sync.WaitGroup // goroutines that handle events
	busy    activity
	acted   bool // a step may have changed something at the site
	window  render.Viewport
	agent   emulation.SetUserAgentOverrideParams // the User-Agent and the languages
	closed  func() <-chan struct{}               // closes the tab

	mu     sync.Mutex              // guards the rest
	fail   context.CancelCauseFunc // ends the current call with an error
	target *chromedp.Target
	over   bool // the tab is being closed
	page   render.Page
	others map[target.SessionID]*frame    // the frames of other sites
	halted map[target.SessionID]target.ID // those that may not load anything, because there are too many or they could not be configured
	main   cdp.FrameID
	own    string // the origin that gets the headers of the request
	caused bool   // a step was done since the last document of the page was requested
}

// Render implements [render.Renderer]. If the browser crashes, the page is tried
// once more, unless a step may have changed something at the site.
func (b *Browser) Render(ctx context.Context, r *render.Request) (*render.Page, error) {
	own, err := b.check(r)
	if err != nil {
		return nil, err
	}
	begun, timeout := time.Now(), cmp.Or(r.Timeout, defaultTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fetch.ErrTimeout)
	defer cancel()
	if err := enter(ctx, b.tabs, timeout/2); err != nil {
		return nil, err
	}
	v, page, err := b.show(ctx, ctx, &view{request: r, browser: b, own: own, begun: begun}, func() { <-b.tabs })
	if err != nil {
		return nil, err
	}
	v.finish() // in the background, so that the caller does not wait until the tab is closed
	return page, nil
}

// enter waits for a free place. The wait takes at most the time most, so that there is enough
// time left to show the page.
func enter(ctx context.Context, places chan struct{}, most time.Duration) error {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case places <- struct{}{}:
		return nil
	case <-timer.C:
		return render.ErrBusy
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// check returns the origin of the URL of a request. It returns an error if the
// request is not valid or not supported.
func (b *Browser) check(r *render.Request) (origin string, err error) {
	scheme, rest, _ := strings.Cut(r.URL, "://")
	host, _, _ := strings.Cut(rest, "/")
	switch {
	case !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https"):
		return "", fmt.Errorf("chrome: %w", fetch.ErrScheme)
	case host == "" || strings.ContainsAny(host, "@\\"):
		return "", fmt.Errorf("chrome: %w", fetch.ErrURL)
	}
	return originOf(r.URL), b.checkSteps(r.Steps)
}

// checkSteps returns an error if the steps are not valid or not supported.
func (b *Browser) checkSteps(steps []render.Step) error {
	if len(steps) > maxSteps {
		return fmt.Errorf("chrome: %w: more than %d steps", render.ErrUnsupported, maxSteps)
	}
	for i, s := range steps {
		if reason := b.cannot(s); reason != "" {
			return fmt.Errorf("chrome: %w: %w", render.ErrUnsupported, &render.StepError{Index: i, Kind: s.Kind, Reason: reason})
		}
	}
	return nil
}

// originOf returns the scheme, host and port of a URL that Chromium has written.
func originOf(url string) string {
	scheme, rest, _ := strings.Cut(url, "://")
	host := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host = rest[:i]
	}
	return strings.ToLower(scheme + "://" + host)
}

// show shows a page in a tab of its own, and once more after a crash. The page is that of
// asked, which is a view that is not shown yet. ctx limits the time
// until it is shown. The tab stays open until finish is called, life ends, or show returns an
// error. leave is called when it is closed.
func (b *Browser) show(ctx, life context.Context, asked *view, leave func()) (*view, *render.Page, error) {
	for try := 1; ; try++ {
		v := &view{request: asked.request, browser: b, own: asked.own, begun: asked.begun, leave: func() {}, others: map[target.SessionID]*frame{}, halted: map[target.SessionID]target.ID{}}
		v.life, v.end = context.WithCancelCause(life) //nolint:fatcontext // of another view in each round
		v.closed = sync.OnceValue(v.close)
		v.unlink = context.AfterFunc(b.life, func() { v.end(render.ErrClosed) }) //nolint:contextcheck // the context of the browser
		page, err := v.first(ctx, try > 1)
		if err == nil {
			v.leave = leave
			return v, page, nil
		}
		again := errors.Is(err, render.ErrCrashed) && try == 1 && !v.acted && ctx.Err() == nil
		if !again {
			v.leave = leave
		}
		ended := v.finish()
		if !again {
			return nil, nil, err
		}
		<-ended
	}
}

// first shows the page, in a browser of its own if it is tried again.
//
//nolint:contextcheck // chromedp keeps the connection in the context of the browser
func (v *view) first(ctx context.Context, again bool) (*render.Page, error) {
	ctx, done := v.work(ctx)
	defer done()
	take := v.browser.take
	if again {
		take = func() (*tab, error) { return v.browser.takeAlone(ctx) }
	}
	var err error
	if v.tab, err = take(); err != nil {
		return nil, err
	}
	limit := cmp.Or(v.request.Timeout, defaultTimeout) + callTimeout
	if end, ok := v.life.Deadline(); ok {
		limit = time.Until(end) + callTimeout
	}
	v.traffic = v.browser.guard.Page(v.life, &egress.Rules{Timeout: limit, Check: v.blocked})
	if err := v.open(ctx); err != nil {
		return nil, v.blame(ctx, err)
	}
	v.reach(func(t *render.Timing) *time.Duration { return &t.Queue })
	v.tab.view.Store(v)
	messages, stop := v.target.Subscribe(received)
	v.answer(func(ctx context.Context) {
		defer stop()
		v.listen(ctx, messages)
	})
	if err := v.visit(ctx); err != nil {
		return nil, v.blame(ctx, err)
	}
	return v.result(), nil
}

// work returns a context for one call of the caller of Render or of a session. It ends with
// ctx, with the tab, and when an event shows that the call has failed.
func (v *view) work(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	v.mu.Lock()
	v.fail = cancel
	v.mu.Unlock()
	stop := context.AfterFunc(v.life, func() { cancel(context.Cause(v.life)) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// failed ends the current call with an error.
func (v *view) failed(err error) {
	v.mu.Lock()
	fail := v.fail
	v.mu.Unlock()
	fail(err)
}

// finish closes the tab. The channel is closed when that is done.
func (v *view) finish() <-chan struct{} { return v.closed() }

// close closes the tab in the background.
func (v *view) close() <-chan struct{} {
	v.unlink()
	v.end(render.ErrClosed)
	ended := make(chan struct{})
	if v.tab == nil {
		v.leave()
		close(ended)
		return ended
	}
	v.traffic.Close()
	b, leave := v.browser, v.leave
	b.background(func() {
		defer close(ended)
		b.close(v.tab)
		v.mu.Lock()
		v.over = true
		v.mu.Unlock()
		v.calls.Wait()
		b.give(v.tab)
		leave()
	})
	return ended
}

// result returns the page as it is now.
func (v *view) result() *render.Page {
	v.mu.Lock()
	defer v.mu.Unlock()
	shown := v.page // a copy, because events may still change the page
	shown.Console, shown.Failed, shown.Warnings = slices.Clone(shown.Console), slices.Clone(shown.Failed), slices.Clone(shown.Warnings)
	shown.Timing.Total = time.Since(v.begun)
	stats := v.traffic.Stats()
	shown.Requests, shown.Bytes = stats.Requests, stats.Down
	for _, f := range stats.Failed[:min(len(stats.Failed), max(maxFailed-len(shown.Failed), 0))] {
		shown.Failed = append(shown.Failed, render.Failed{URL: f.URL, Reason: f.Err.Error()})
	}
	return &shown
}

// errBlocked is the reason of requests that [render.Block] forbids.
var errBlocked = errors.New("blocked by the request")

// blocked returns an error if a request of the page is for an advertisement or a tracker.
// The documents of the page itself are not blocked.
func (v *view) blocked(_ context.Context, url string) error {
	ads := v.request.Block.Ads
	if ads == nil {
		return nil
	}
	tunnel := strings.HasPrefix(url, "https:") // the rest of its URL is not known
	v.mu.Lock()
	own := slices.ContainsFunc(v.page.Hops, func(hop string) bool { return hop == url || tunnel && originOf(hop) == originOf(url) })
	v.mu.Unlock()
	if own || !ads(url, "") {
		return nil
	}
	return errBlocked
}

// blame returns the error that Render returns for the error of a command.
func (v *view) blame(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	switch {
	case errors.Is(err, chromedp.ErrTargetDetached):
		return fmt.Errorf("%w: %w", render.ErrCrashed, err)
	case v.tab.process.ctx.Err() != nil, isLost(err):
		v.browser.condemn(v.tab.process)
		return fmt.Errorf("%w: %w", render.ErrCrashed, err)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w: the page does not answer", fetch.ErrTimeout)
	}
	return err
}

// isLost reports whether a command failed because the tab or the connection to the
// browser is lost. The context of the command has not ended.
func isLost(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, chromedp.ErrChannelClosed) || errors.Is(err, chromedp.ErrTargetDetached)
}

// call runs a command in the tab.
func call[P, R any](ctx context.Context, v *view, c cdp.Command[P, R], params P) (R, error) {
	return callFor(ctx, callTimeout, v, c, params)
}

// callFor is call with a limit of time of its own.
func callFor[P, R any](ctx context.Context, limit time.Duration, v *view, c cdp.Command[P, R], params P) (R, error) {
	return callIn(ctx, limit, v.target, c, params)
}

// callIn runs a command in the session of a tab, or of a frame of another site.
func callIn[P, R any](ctx context.Context, limit time.Duration, s cdp.Session, c cdp.Command[P, R], params P) (R, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return cdp.Call(ctx, s, c, params)
}

// visit loads the page, does its steps and collects the results.
func (v *view) visit(ctx context.Context) error {
	if err := v.prepare(ctx); err != nil {
		return err
	}
	v.busy.restart()
	limit := 10 * time.Minute // ends with ctx
	nctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	result, err := cdp.Call(nctx, v.target, page.Navigate, page.NavigateParams{URL: v.request.URL})
	switch cause := context.Cause(ctx); {
	case cause != nil:
		if errors.Is(cause, fetch.ErrTimeout) && v.unsent() {
			v.browser.replace(v.tab.process)
		}
		return cause
	case err != nil:
		return err
	case v.document(): // the document is not HTML and has been read
		return nil
	case result.ErrorText != "":
		return v.unreached(result.ErrorText)
	}
	if err := v.answered(); err != nil {
		return err
	}
	if err := v.settle(ctx); err != nil {
		return err
	}
	if err := pause(ctx, v.request.Wait); err != nil {
		return err
	}
	if err := v.answerBanners(ctx); err != nil {
		return err
	}
	if u := v.request.Scroll; u != nil {
		if err := v.scrollAll(ctx, u); err != nil {
			return err
		}
	}
	return v.follow(ctx, v.request.Steps)
}

// unsent reports whether the browser has sent no request for the page although it may. Then its
// network process probably hangs, and would for all further pages.
func (v *view) unsent() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.page.Hops) > 0 && v.traffic.Stats().Requests == 0
}

// follow does steps and collects the results.
func (v *view) follow(ctx context.Context, steps []render.Step) error {
	for i, s := range steps {
		if err := v.do(ctx, i, s); err != nil {
			return err
		}
	}
	return v.take(ctx)
}

// document reports whether the document was read into Page.Body, because it is
// not HTML.
func (v *view) document() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.page.Body != nil
}

// answered returns an error if the response came from the proxy and not from the
// site.
func (v *view) answered() error {
	v.mu.Lock()
	status := v.page.Status
	v.mu.Unlock()
	if status == http.StatusForbidden || status == http.StatusBadGateway {
		return v.refusal("")
	}
	return nil
}

// unreached returns the error for a page that could not be loaded. text is the
// error text of Chromium.
func (v *view) unreached(text string) error {
	if err := v.refusal(text); err != nil {
		return err
	}
	switch {
	case strings.Contains(text, "ERR_NAME_NOT_RESOLVED"):
		return fetch.ErrDNS
	case strings.Contains(text, "CERT"), strings.Contains(text, "SSL"):
		return fetch.ErrTLS
	case strings.Contains(text, "TOO_MANY_REDIRECTS"):
		return fetch.ErrRedirects
	case strings.Contains(text, "TIMED_OUT"):
		return fetch.ErrTimeout
	}
	return fmt.Errorf("%w: %s", fetch.ErrConnect, text)
}

// refusal returns why the proxy did not forward the request for the page, or
// nil if it did.
func (v *view) refusal(string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	at := v.request.URL
	if n := len(v.page.Hops); n > 0 {
		at = v.page.Hops[n-1]
	}
	for _, f := range v.traffic.Stats().Failed {
		if !strings.HasPrefix(originOf(f.URL), originOf(at)) && !strings.HasPrefix(originOf(f.URL), originOf(at)+":") {
			continue
		}
		switch {
		case errors.Is(f.Err, egress.ErrRefused):
			return fetch.ErrAddress
		case errors.Is(f.Err, egress.ErrUnreachable):
			return fetch.ErrConnect
		}
		return f.Err
	}
	return nil
}

// take collects the document, the screenshot and the PDF of the page.
func (v *view) take(ctx context.Context) error {
	code, frames, err := v.html(ctx)
	if err != nil {
		return err
	}
	if frames.missing > 0 {
		v.warn("%d frames of other sites are not in the document", frames.missing)
	}
	if frames.short > 0 {
		v.warn("%d frames of other sites with hardly any text are not in the document", frames.short)
	}
	if frames.cut > 0 {
		v.warn("%d elements are nested so deeply that frames and shadow trees in them are not in the document", frames.cut)
	}
	if frames.failed > 0 {
		v.warn("%d frames were refused or could not be loaded", frames.failed)
	}
	v.mu.Lock()
	v.page.HTML = code
	v.mu.Unlock()
	if v.request.Styles {
		if err := v.styles(ctx); err != nil {
			return err
		}
	}
	if s := v.request.Screenshot; s != nil {
		picture, err := v.picture(ctx, *s)
		if err != nil {
			return err
		}
		v.mu.Lock()
		v.page.Screenshot = picture
		v.mu.Unlock()
	}
	if p := v.request.PDF; p != nil {
		data, err := v.print(ctx, *p)
		if err != nil {
			return err
		}
		v.mu.Lock()
		v.page.PDF = data
		v.mu.Unlock()
	}
	return nil
}

// warn adds a warning.
func (v *view) warn(format string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.page.Warnings = append(v.page.Warnings, fmt.Sprintf(format, args...))
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
