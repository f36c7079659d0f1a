// SPDX-License-Identifier: Apache-2.0

package egress

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.com/curlew/internal/weburl"
)

// Errors of [Failed], and reasons why a page has ended.
var (
	ErrRefused     = errors.New("blocked by network policy")
	ErrUnreachable = errors.New("target not reached")
	ErrLimit       = errors.New("limit of the page reached")
	ErrClosed      = errors.New("page closed")
)

// maxFailed limits the length of Stats.Failed.
const maxFailed = 100

// Rules limit the traffic of a page. A zero limit means its default. A page ends
// at the first three limits. At the others, it goes on, and the requests that
// exceed them are refused.
type Rules struct {
	Timeout time.Duration // how long the page may last; default 2 minutes
	MaxDown int64         // bytes received; default 100 MiB
	MaxUp   int64         // bytes sent; default 5 MiB

	MaxTotal int // requests and tunnels; default 500
	MaxOpen  int // requests and tunnels at the same time; default 64
	MaxHosts int // different hosts; default 200

	// Check is called before each request and each tunnel. The URL of a tunnel
	// has the scheme https and the path /, because the proxy sees only the host
	// and the port. If Check returns an error, the request is refused, and the
	// error is in Stats. Check is called concurrently. Nil admits everything
	// that the network policy admits.
	Check func(ctx context.Context, url string) error
}

// Page is the traffic of one page. It is safe for concurrent use.
type Page struct {
	User, Password string // the credentials for the proxy

	done  <-chan struct{}
	end   context.CancelCauseFunc    // ends the page with a cause
	ended func() error               // why the page ended, or nil
	onEnd func(f func()) func() bool // calls f when the page has ended; the result prevents the call
	rules Rules

	up, down atomic.Int64
	mu       sync.Mutex // guards the rest
	total    int
	running  int
	hosts    map[string]bool
	failed   []Failed
	failures int
}

// Stats counts what a page has requested.
type Stats struct {
	Requests int   // requests and tunnels that were admitted
	Hosts    int   // different hosts of these requests
	Down, Up int64 // bytes received and sent, without the headers of http pages
	Failures int   // requests that were refused or failed

	Failed []Failed // the first 100 failures
	Ended  error    // nil while the page is open, then ErrLimit, ErrClosed, context.DeadlineExceeded or the cause of its ctx
}

// Failed is a request that was refused or failed.
type Failed struct {
	URL string // without userinfo and query; for a tunnel, the origin and the path /
	Err error  // wraps ErrRefused, ErrUnreachable, ErrLimit, ErrClosed or the error of Check
}

// newPage returns an open page. It replaces zero limits by their defaults.
func newPage(ctx context.Context, r *Rules) *Page {
	p := &Page{User: rand.Text(), Password: rand.Text(), rules: *r, hosts: map[string]bool{}}
	p.rules.Timeout = cmp.Or(r.Timeout, 2*time.Minute)
	p.rules.MaxDown = cmp.Or(r.MaxDown, 100<<20)
	p.rules.MaxUp = cmp.Or(r.MaxUp, 5<<20)
	p.rules.MaxTotal = cmp.Or(r.MaxTotal, 500)
	p.rules.MaxOpen = cmp.Or(r.MaxOpen, 64)
	p.rules.MaxHosts = cmp.Or(r.MaxHosts, 200)
	ctx, stop := context.WithTimeout(ctx, p.rules.Timeout)
	ctx, p.end = context.WithCancelCause(ctx)
	context.AfterFunc(ctx, stop)
	p.done = ctx.Done()
	p.ended = func() error { return context.Cause(ctx) }
	p.onEnd = func(f func()) func() bool { return context.AfterFunc(ctx, f) }
	return p
}

// Close ends the page: its connections are closed, and its credentials are no
// longer valid. It may be called more than once.
func (p *Page) Close() { p.end(ErrClosed) }

// Done is closed when the page has ended.
func (p *Page) Done() <-chan struct{} { return p.done }

// Stats returns what the page has requested so far.
func (p *Page) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Stats{
		Requests: p.total, Hosts: len(p.hosts), Down: p.down.Load(), Up: p.up.Load(),
		Failures: p.failures, Failed: append([]Failed(nil), p.failed...), Ended: p.ended(),
	}
}

// target is where a request goes.
type target struct {
	url     weburl.URL // for a tunnel: https, the host, the port and the path /
	address string     // host:port of a tunnel; empty for an http request
}

// targetOf returns the target of r. It returns false if r is a request to the
// proxy itself, if its URL is not http or has userinfo, or if the host and port of
// a CONNECT are not valid.
func targetOf(r *http.Request) (target, bool) {
	if r.Method != http.MethodConnect {
		u, err := weburl.Parse(r.RequestURI)
		_, _, named := u.User()
		return target{url: u}, err == nil && u.Scheme() == "http" && !named
	}
	_, port, err := net.SplitHostPort(r.RequestURI)
	if err != nil || port == "" || strings.ContainsAny(r.RequestURI, "/?#@\\") {
		return target{}, false
	}
	u, err := weburl.Parse("https://" + r.RequestURI + "/")
	return target{u, r.RequestURI}, err == nil
}

// enter admits a request, or returns why it is refused. The caller calls leave
// when the request has ended.
func (p *Page) enter(ctx context.Context, t target) (leave func(), err error) {
	if p.rules.Check != nil {
		if err := p.rules.Check(ctx, t.url.String()); err != nil {
			return nil, err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	host := t.url.HostKey()
	switch {
	case p.ended() != nil:
		return nil, p.ended()
	case p.running >= p.rules.MaxOpen:
		return nil, ErrLimit // until another request ends
	case p.total >= p.rules.MaxTotal, !p.hosts[host] && len(p.hosts) >= p.rules.MaxHosts:
		return nil, ErrLimit
	}
	p.hosts[host] = true
	p.total++
	p.running++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.running--
	}, nil
}

// fail records a request that was refused or failed.
func (p *Page) fail(t target, err error) {
	if ended := p.ended(); ended != nil {
		err = ended
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failures++; len(p.failed) < maxFailed {
		p.failed = append(p.failed, Failed{t.url.Origin() + t.url.Path(), err})
	}
}

// sent returns a reader that counts the bytes of r as sent by the page. received
// counts them as received.
func (p *Page) sent(r io.Reader) io.Reader     { return &counted{r, p, &p.up, p.rules.MaxUp} }
func (p *Page) received(r io.Reader) io.Reader { return &counted{r, p, &p.down, p.rules.MaxDown} }

// counted counts the bytes that are read for a page, and ends the page when they
// exceed the limit.
type counted struct {
	r     io.Reader
	page  *Page
	sum   *atomic.Int64
	limit int64
}

// Read reads from r. It returns no bytes beyond the limit.
func (c *counted) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	over := c.sum.Add(int64(n)) - c.limit
	if over <= 0 {
		return n, err
	}
	c.sum.Add(-min(over, int64(n)))
	c.page.end(ErrLimit)
	return max(0, n-int(over)), ErrLimit
}
