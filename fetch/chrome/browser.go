// SPDX-License-Identifier: Apache-2.0

package chrome

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/egress"
	"example.com/curlew/fetch/render"
)

// ErrNotFound means that no browser is installed, or none at Options.Path.
var ErrNotFound = errors.New("no Chromium found")

const (
	startTimeout = time.Minute
	stopTimeout  = 5 * time.Second
	measureEvery = 5 * time.Second
)

// Options configures a [Browser]. The zero value uses an installed Chromium or
// Chrome, and reaches public addresses only.
type Options struct {
	Path  string // path of the program; empty means the first of chromium, chromium-browser, google-chrome, chrome, headless-shell
	Tabs  int    // how many pages are shown at the same time; zero means 4
	Pages int    // how many pages are shown before the browser is restarted; zero means 200

	// Memory is how many bytes the processes of the browser may use before it is restarted.
	// Its pages are shown to their end, unless it uses twice as much. Zero means 1.5 GB. It is
	// measured every 5 seconds, and only on Linux.
	Memory int64

	// Allow, Ports and Proxy mean the same as in fetch.Client.
	Allow []netip.Prefix
	Ports []int
	Proxy string

	// URL is the address of a browser that runs already, such as ws://host:9222/ or the
	// whole address of its DevTools. Header is sent to it, for example a token. Then Path,
	// NoSandbox and Command have no effect, and the browser is not restarted. Address is
	// the address of this machine at which that browser reaches the proxy of its pages.
	// The zero value means 127.0.0.1. Start fails if the traffic of a page does not come
	// through this proxy. The operator must start the browser with the flags of package
	// egress, because nothing else prevents it from connecting in other ways.
	URL     string
	Header  http.Header
	Address netip.Addr

	Script    bool // allow the step Script, which runs JavaScript of the request in the page
	NoSandbox bool // disable the sandbox, for machines whose kernel forbids user namespaces

	// Command, if not nil, may change how the program is run, for example the
	// user. dir is the directory of its profile. It is removed after the program
	// has ended.
	Command func(c *exec.Cmd, dir string)
}

// Browser is a running Chromium. It is safe for concurrent use.
type Browser struct {
	options  Options
	guard    *egress.Proxy
	tabs     chan struct{} // has an element for each page that is shown
	sessions chan struct{} // has an element for each session
	closing  sync.WaitGroup
	launch   func() (*process, error)
	again    chan struct{} // has an element while a page is tried again

	life context.Context //nolint:containedctx // ends with the ctx of Start, and when Close is called
	stop context.CancelCauseFunc

	mu      sync.Mutex // guards the rest
	current *process
	alone   *process          // shows only the page that is tried again
	running map[*process]bool // all that have not been ended, with those that take no new pages
	closed  bool
}

// process is one run of the program.
type process struct {
	ctx   context.Context //nolint:containedctx // chromedp keeps the connection in it
	stop  func()          // ends the program and waits for it
	kill  func()          // ends the program without waiting
	pid   int             // process id of the program
	agent string          // the User-Agent of the browser

	// Browser.mu guards these fields.
	shown  int  // pages since the start
	open   int  // pages that are being shown
	spare  *tab // opened ahead for the next page, or nil
	retire bool // takes no new pages
}

// Start starts a browser, which runs until Close is called or ctx ends. Nil
// means the zero Options. If no browser is installed, the error wraps
// [ErrNotFound].
func Start(ctx context.Context, o *Options) (*Browser, error) {
	b := &Browser{options: *cmp.Or(o, &Options{})}
	b.options.Tabs = max(1, cmp.Or(b.options.Tabs, 4))
	b.options.Pages = max(1, cmp.Or(b.options.Pages, 200))
	b.options.Memory = cmp.Or(b.options.Memory, 1_500_000_000)
	b.life, b.stop = context.WithCancelCause(ctx)
	var path string
	var err error
	if b.options.URL == "" {
		if path, err = find(b.options.Path); err != nil {
			return nil, err
		}
	}
	b.tabs, b.again = make(chan struct{}, b.options.Tabs), make(chan struct{}, 1)
	b.sessions = make(chan struct{}, max(1, b.options.Tabs/2))
	b.guard, err = egress.Listen(ctx, &egress.Options{Allow: b.options.Allow, Ports: b.options.Ports, Proxy: b.options.Proxy, Address: b.options.Address})
	if err != nil {
		return nil, err
	}
	b.launch = func() (*process, error) { return start(ctx, path, &b.options, b.guard.OwnAddress()) }
	if b.options.URL != "" {
		b.launch = func() (*process, error) { return attach(ctx, &b.options) }
	}
	b.running = map[*process]bool{}
	if b.current, err = b.launch(); err == nil {
		b.running[b.current] = true
		if b.options.URL != "" {
			err = b.prove(ctx)
		}
	}
	if err != nil {
		return nil, errors.Join(err, b.Close(context.WithoutCancel(ctx)))
	}
	if b.options.URL == "" {
		b.background(b.watch)
	}
	return b, nil
}

// find returns the path of the program, as in [Options].Path.
func find(path string) (string, error) {
	names := []string{path}
	if path == "" {
		names = []string{"chromium", "chromium-browser", "google-chrome", "chrome", "headless-shell"}
	}
	for _, name := range names {
		if p, err := exec.LookPath(name); err == nil {
			return p, nil
		}
	}
	if path != "" {
		return "", fmt.Errorf("chrome: %w at %s", ErrNotFound, path)
	}
	return "", fmt.Errorf("chrome: %w; install it, or name its path", ErrNotFound)
}

// Abilities implements the method that [render.AbilitiesOf] calls.
func (b *Browser) Abilities() render.Abilities {
	a := render.Abilities{
		Steps: []render.Kind{
			render.Wait, render.Click, render.Write, render.Press, render.Scroll, render.Screenshot, render.Scrape, render.PDF,
		},
		Screenshot: true, FullPage: true, PDF: true, Mobile: true, Languages: true, Block: true, Scroll: true, Styles: true, Guarded: true,
	}
	if b.options.Script {
		a.Steps = append(a.Steps, render.Script)
	}
	return a
}

// Close ends the browser and all pages that it shows. It returns when the
// program has ended, or with an error when ctx ends.
func (b *Browser) Close(ctx context.Context) error {
	b.mu.Lock()
	running := slices.Collect(maps.Keys(b.running))
	b.current, b.closed = nil, true
	b.stop(render.ErrClosed) // ends the pages
	b.mu.Unlock()
	ended := make(chan error, 1)
	go func() {
		for _, p := range running {
			p.stop()
		}
		b.closing.Wait()
		ended <- b.guard.Close()
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// take returns a tab to show one page. The caller returns it with give.
func (b *Browser) take() (*tab, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, fmt.Errorf("chrome: %w", render.ErrClosed)
	}
	p := b.current
	if p != nil && p.ctx.Err() != nil { // the process has ended by itself
		b.discard(p)
		p = nil
	}
	if p == nil || p.shown >= b.options.Pages {
		next, err := b.launch()
		if err != nil {
			return nil, fmt.Errorf("chrome: %w: %w", ErrUnavailable, err)
		}
		if p != nil {
			b.discard(p)
		}
		p, b.current = next, next
		b.running[p] = true
	}
	p.shown++
	p.open++
	t := p.spare
	p.spare = nil
	if t == nil || t.failed() {
		t = b.newTab(p)
	}
	return t, nil
}

// takeAlone starts a process for a page that is tried again after a crash. Only one page at a
// time is tried again, so that a page which crashes the browser cannot make another page
// fail. The caller returns the tab with give.
func (b *Browser) takeAlone(ctx context.Context) (*tab, error) {
	select {
	case b.again <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	p, err := b.launch()
	if err != nil {
		err = fmt.Errorf("chrome: %w: %w", ErrUnavailable, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err == nil && b.closed {
		b.end(p)
		err = fmt.Errorf("chrome: %w", render.ErrClosed)
	}
	if err != nil {
		<-b.again
		return nil, err
	}
	p.open++
	b.alone, b.running[p] = p, true
	return b.newTab(p), nil
}

// give returns a tab after it has been closed. It opens a tab for the next page, so that this
// page need not wait for it.
func (b *Browser) give(t *tab) {
	p := t.process
	b.mu.Lock()
	defer b.mu.Unlock()
	if p == b.alone {
		b.alone = nil
		b.end(p)
		<-b.again
		return
	}
	p.open--
	switch {
	case p.retire && p.open == 0:
		b.end(p)
	case !p.retire && !b.closed && p.spare == nil && p.shown < b.options.Pages && p.ctx.Err() == nil:
		p.spare = b.newTab(p)
	}
}

// discard ends a process after its last page has ended. The caller holds mu.
func (b *Browser) discard(p *process) {
	p.retire = true
	if b.current == p {
		b.current = nil
	}
	if p.open == 0 {
		b.end(p)
	}
}

// replace gives no further page to a process. It ends after its last page.
func (b *Browser) replace(p *process) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.discard(p)
}

// end ends a process without waiting for it. The caller holds mu.
func (b *Browser) end(p *process) {
	delete(b.running, p)
	b.spawn(p.stop)
}

// condemn ends a process that no longer answers.
func (b *Browser) condemn(p *process) {
	b.mu.Lock()
	if b.current == p {
		b.current = nil
	}
	p.retire = true
	delete(b.running, p)
	b.mu.Unlock()
	p.stop()
}

// background runs f in the background. Close waits for it, unless it begins after Close.
func (b *Browser) background(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spawn(f)
}

// spawn is background for a caller that holds mu.
func (b *Browser) spawn(f func()) {
	if b.closed {
		go f()
		return
	}
	b.closing.Go(f)
}

// watch measures the memory of the browser until it is closed.
func (b *Browser) watch() {
	ticker := time.NewTicker(measureEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			b.recycle(b.options.Memory)
		case <-b.life.Done():
			return
		}
	}
}

// recycle retires a browser that uses more memory than limit, and ends one that uses more than
// twice as much.
func (b *Browser) recycle(limit int64) {
	b.mu.Lock()
	running := slices.Collect(maps.Keys(b.running))
	b.mu.Unlock()
	for _, p := range running {
		used := memory(p.pid)
		if used > 2*limit {
			b.condemn(p)
			continue
		}
		b.mu.Lock()
		if used > limit && b.current == p {
			b.discard(p)
		}
		b.mu.Unlock()
	}
}

// start runs the program. Requests that it makes on its own behalf go to the
// proxy at refused.
func start(ctx context.Context, path string, o *Options, refused string) (*process, error) {
	dir, err := os.MkdirTemp("", "curlew-chrome-")
	if err != nil {
		return nil, fmt.Errorf("chrome: %w", err)
	}
	var command *exec.Cmd
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.UserDataDir(dir), chromedp.NoInheritEnv,
		chromedp.Env("PATH=/usr/local/bin:/usr/bin:/bin", "HOME="+dir, "LANG=C.UTF-8"),
		chromedp.WSURLReadTimeout(startTimeout),
		chromedp.ModifyCmdFunc(func(c *exec.Cmd) {
			command = c
			group(c)
			if o.Command != nil {
				o.Command(c, dir)
			}
		}),
	}
	for name, value := range flags(refused) {
		options = append(options, chromedp.Flag(name, value))
	}
	options = append(options, chromedp.Flag("no-sandbox", o.NoSandbox)) // always set, because chromedp adds the flag for root
	actx, acancel := chromedp.NewExecAllocator(ctx, options...)
	bctx, bcancel := quietContext(actx)
	var once sync.Once
	p := &process{ctx: bctx, kill: func() { killGroup(command) }, stop: func() {
		once.Do(func() {
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				bcancel()
				acancel()
			}()
			timer := time.NewTimer(stopTimeout)
			defer timer.Stop()
			select {
			case <-ended:
			case <-timer.C:
			}
			killGroup(command)
			<-ended
			remove(dir)
		})
	}}
	err = p.begin()
	if command != nil && command.Process != nil {
		p.pid = command.Process.Pid
	}
	if err != nil {
		p.stop()
		return nil, fmt.Errorf("chrome: %s did not start: %w", path, err)
	}
	return p, nil
}

// quietContext returns a context of chromedp that logs nothing.
func quietContext(allocator context.Context) (context.Context, context.CancelFunc) {
	quiet := func(string, ...any) {}
	return chromedp.NewContext(allocator, chromedp.WithLogf(quiet), chromedp.WithErrorf(quiet), chromedp.WithDebugf(quiet))
}

// begin connects to the browser, and starts it if that is necessary.
func (p *process) begin() error {
	begun := make(chan error, 1)
	go func() {
		err := chromedp.Do(p.ctx) // the first call starts the browser, which ends with bctx
		if err == nil {
			var v browser.GetVersionResult
			v, err = chromedp.CallBrowser(p.ctx, browser.GetVersion, cdp.Empty{})
			p.agent = v.UserAgent
		}
		begun <- err
	}()
	timer := time.NewTimer(startTimeout)
	defer timer.Stop()
	select {
	case err := <-begun:
		return err
	case <-timer.C:
		return fmt.Errorf("%w: it does not answer", fetch.ErrBusy) // the machine is too busy to start it
	}
}

// remove removes the directory of the profile. It tries several times, because a
// process of the browser may still write to the directory while it ends.
func remove(dir string) {
	timer := time.NewTicker(50 * time.Millisecond)
	defer timer.Stop()
	for range 40 {
		if os.RemoveAll(dir) == nil {
			return
		}
		<-timer.C
	}
}

// flags returns the flags of the program. They disable what pages do not need. Without the two
// features WebUIOmnibox…, recent versions load hidden pages of the address bar for each
// window, in a process of their own.
func flags(refused string) map[string]any {
	f := map[string]any{
		"headless":                  "new",
		"proxy-server":              "http://" + refused,
		"proxy-bypass-list":         "<-loopback>", // else Chromium bypasses the proxy for loopback addresses
		"host-resolver-rules":       "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
		"webrtc-ip-handling-policy": "disable_non_proxied_udp",
		"disable-features":          "MediaRouter,DialMediaRouteProvider,OptimizationHints,Translate,AutofillServerCommunication,Prerender2,WebUIOmniboxPopup,WebUIOmniboxAimPopup",
		"password-store":            "basic",
		"js-flags":                  "--max-old-space-size=512",
		"force-color-profile":       "srgb",
	}
	for _, name := range []string{
		"force-webrtc-ip-handling-policy", "no-first-run", "no-default-browser-check", "no-pings", "metrics-recording-only",
		"mute-audio", "hide-scrollbars", "block-new-web-contents", "disable-quic", "disable-background-networking",
		"disable-component-update", "disable-domain-reliability", "disable-sync", "disable-extensions", "disable-default-apps",
		"disable-breakpad", "disable-client-side-phishing-detection", "disable-field-trial-config", "disable-gpu",
		"disable-dev-shm-usage", "disable-renderer-backgrounding", "disable-background-timer-throttling",
		"disable-backgrounding-occluded-windows",
	} {
		f[name] = true
	}
	return f
}
