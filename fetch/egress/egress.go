// SPDX-License-Identifier: Apache-2.0

package egress

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"slices"
	"sync"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/internal/netguard"
)

// Limits of the proxy's own servers.
const (
	headerBytes   = 64 << 10
	headerTimeout = 30 * time.Second
	idleTimeout   = 2 * time.Minute
)

// Options configures a [Proxy]. The zero value admits public addresses on the
// ports 80, 443, 8080 and 8443 only.
type Options struct {
	// Allow, Ports and Proxy mean the same as in [fetch.Client]. If Proxy cannot
	// be used, Listen returns an error that wraps [fetch.ErrProxy].
	Allow []netip.Prefix
	Ports []int
	Proxy string

	// Address is the IP address that the proxy listens on, for a browser on another
	// machine. The zero value means 127.0.0.1.
	Address netip.Addr

	resolver netguard.Resolver // set only by the tests of this package
}

// Proxy is a running proxy. It is safe for concurrent use.
type Proxy struct {
	dial    func(ctx context.Context, network, address string) (net.Conn, error)
	client  *http.Client
	forward httputil.ReverseProxy

	pages, own net.Listener
	servers    [2]http.Server
	serving    sync.WaitGroup // the servers

	mu      sync.Mutex  // guards the rest
	stop    func() bool // detaches the proxy from the ctx of Listen
	open    map[string]*Page
	closed  bool
	running sync.WaitGroup // open requests of pages; none is added after closed is true
	refused int64          // requests to OwnAddress
}

// Listen starts a proxy on two free ports of its address. It runs until Close is
// called or ctx ends. Nil means the zero Options.
func Listen(ctx context.Context, o *Options) (*Proxy, error) {
	if o == nil {
		o = &Options{}
	}
	policy := netguard.Policy{Allow: o.Allow, Ports: o.Ports, Resolver: o.resolver}
	if o.Proxy != "" {
		var err error
		if policy.Dial, err = netguard.Tunnel(o.Proxy); err != nil {
			return nil, fmt.Errorf("egress: %w: %w", fetch.ErrProxy, err)
		}
	}
	p := &Proxy{dial: policy.Dialer(), client: policy.Client(netguard.ClientOptions{}), open: map[string]*Page{}}
	p.forward = httputil.ReverseProxy{
		Rewrite:        rewrite,
		Transport:      p.client.Transport,
		ModifyResponse: count,
		ErrorHandler:   fail,
		ErrorLog:       slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		FlushInterval:  -1, // forward each write at once, because a page may read a stream
	}
	at := net.JoinHostPort("127.0.0.1", "0")
	if o.Address.IsValid() {
		at = netip.AddrPortFrom(o.Address, 0).String()
	}
	var lc net.ListenConfig
	for i, l := range []*net.Listener{&p.pages, &p.own} {
		var err error
		if *l, err = lc.Listen(ctx, "tcp", at); err != nil {
			if i > 0 {
				_ = p.pages.Close()
			}
			return nil, fmt.Errorf("egress: %w", err)
		}
	}
	p.serve(&p.servers[0], p.pages, p.page)
	p.serve(&p.servers[1], p.own, p.refuse)
	p.mu.Lock() // if ctx has already ended, Close runs now and reads p.stop
	defer p.mu.Unlock()
	p.stop = context.AfterFunc(ctx, func() { _ = p.Close() })
	return p, nil
}

// serve answers the connections of l until the proxy is closed.
func (p *Proxy) serve(s *http.Server, l net.Listener, h http.HandlerFunc) {
	s.Handler = h
	s.MaxHeaderBytes = headerBytes
	s.ReadHeaderTimeout = headerTimeout
	s.IdleTimeout = idleTimeout
	s.ErrorLog = p.forward.ErrorLog
	p.serving.Go(func() { _ = s.Serve(l) }) // Serve always returns an error, after Close or if l fails
}

// Address returns the host and port of the proxy for pages.
func (p *Proxy) Address() string { return p.pages.Addr().String() }

// OwnAddress returns the host and port of the proxy that refuses everything,
// for requests that the browser makes on its own behalf.
func (p *Proxy) OwnAddress() string { return p.own.Addr().String() }

// Refused returns how many requests OwnAddress has refused.
func (p *Proxy) Refused() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refused
}

// Close ends all pages and stops listening. It returns when all connections
// are closed, and always returns nil.
func (p *Proxy) Close() error {
	p.mu.Lock()
	p.stop()
	p.closed = true
	pages := slices.Collect(maps.Values(p.open))
	p.mu.Unlock()
	for _, page := range pages {
		page.Close()
	}
	for i := range p.servers {
		_ = p.servers[i].Close()
	}
	p.serving.Wait()
	p.running.Wait()
	p.client.CloseIdleConnections()
	return nil
}

// Page admits the traffic of one page until the page is closed, ctx ends, or its
// limit of time or bytes is reached. Nil means the zero Rules. If the Proxy is
// closed, Page returns a closed page.
func (p *Proxy) Page(ctx context.Context, r *Rules) *Page {
	page := newPage(ctx, cmp.Or(r, &Rules{}))
	p.mu.Lock()
	p.open[page.User] = page
	closed := p.closed
	p.mu.Unlock()
	page.onEnd(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.open, page.User)
	})
	if closed {
		page.Close()
	}
	return page
}

// refuse answers and counts a request that the browser makes on its own behalf.
func (p *Proxy) refuse(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	p.refused++
	p.mu.Unlock()
	w.WriteHeader(http.StatusForbidden)
}

// page answers a request to Address: it forwards the request, opens a tunnel, or
// refuses.
func (p *Proxy) page(w http.ResponseWriter, r *http.Request) {
	page := p.begin(r)
	if page == nil {
		w.Header().Set("Proxy-Authenticate", `Basic realm="page"`)
		w.WriteHeader(http.StatusProxyAuthRequired)
		return
	}
	defer p.running.Done()
	target, ok := targetOf(r)
	if !ok {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	defer page.onEnd(func() { cancel(page.ended()) })()
	leave, err := page.enter(ctx, target)
	if err != nil {
		page.fail(target, err)
		w.WriteHeader(http.StatusForbidden)
		return
	}
	defer leave()
	r = r.WithContext(context.WithValue(ctx, exchangeKey{}, exchange{page, target}))
	if r.Method == http.MethodConnect {
		p.tunnel(w, r, page, target)
		return
	}
	r.Header.Del("Upgrade") // browsers open WebSockets with CONNECT
	r.Body = struct {
		io.Reader
		io.Closer
	}{page.sent(r.Body), r.Body}
	p.forward.ServeHTTP(w, r)
}

// begin returns the open page whose credentials r has, or nil if there is none.
// If it returns a page, the caller calls p.running.Done when the request ends.
func (p *Proxy) begin(r *http.Request) *Page {
	credentials := http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}
	user, password, _ := credentials.BasicAuth()
	p.mu.Lock()
	defer p.mu.Unlock()
	page := p.open[user]
	if page == nil || p.closed || subtle.ConstantTimeCompare([]byte(page.Password), []byte(password)) == 0 {
		return nil
	}
	p.running.Add(1)
	return page
}

// exchangeKey is the context key for the exchange of a request.
type exchangeKey struct{}

// exchange is a request that is forwarded for a page.
type exchange struct {
	page   *Page
	target target
}

// rewrite sets the URL and host of a forwarded request to those that were checked,
// because net/url may parse the same text differently. ReverseProxy has already
// removed the headers for the proxy.
func rewrite(r *httputil.ProxyRequest) {
	if x, ok := r.In.Context().Value(exchangeKey{}).(exchange); ok {
		r.Out.URL, r.Out.Host = x.target.url.HTTP(), x.target.url.HostPort()
	}
}

// tunnel connects the client to the target, and copies bytes in both directions
// until both sides have finished or the page ends.
func (p *Proxy) tunnel(w http.ResponseWriter, r *http.Request, page *Page, target target) {
	far, err := p.dial(r.Context(), "tcp", target.address)
	if err != nil {
		page.fail(target, reason(err))
		w.WriteHeader(status(err))
		return
	}
	defer far.Close()
	near, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		page.fail(target, ErrUnreachable)
		return
	}
	defer near.Close()
	defer page.onEnd(func() { _, _ = near.Close(), far.Close() })()
	if _, err := io.WriteString(near, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	var up sync.WaitGroup
	up.Go(func() {
		_, _ = io.Copy(far, page.sent(buffered))
		closeWrite(far)
	})
	_, _ = io.Copy(near, page.received(far))
	closeWrite(near)
	up.Wait()
}

// closeWrite closes the sending side of c. If c does not support that, it closes c.
func closeWrite(c net.Conn) {
	if guarded := netguard.ConnOf(c); guarded != nil {
		c = guarded.Conn
	}
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
		return
	}
	_ = c.Close()
}

// status returns the HTTP status of a response if err prevented the request.
func status(err error) int {
	if errors.Is(err, netguard.ErrDenied) {
		return http.StatusForbidden
	}
	return http.StatusBadGateway
}

// reason returns the error for Stats. It does not wrap err, whose text may contain
// addresses.
func reason(err error) error {
	if errors.Is(err, netguard.ErrDenied) {
		return ErrRefused
	}
	return ErrUnreachable
}

// fail answers and records a request that could not be forwarded.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	if x, ok := r.Context().Value(exchangeKey{}).(exchange); ok {
		x.page.fail(x.target, reason(err))
	}
	w.WriteHeader(status(err))
}

// count wraps the body of a response, so that its bytes count for the page.
func count(r *http.Response) error {
	if x, ok := r.Request.Context().Value(exchangeKey{}).(exchange); ok {
		r.Body = struct {
			io.Reader
			io.Closer
		}{x.page.received(r.Body), r.Body}
	}
	return nil
}
