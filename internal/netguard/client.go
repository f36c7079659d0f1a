// SPDX-License-Identifier: Apache-2.0

package netguard

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"time"

	"example.com/curlew/internal/weburl"
)

// streamWindow is how much an HTTP/2 server may send on one stream without an
// update of the window.
const streamWindow = 512 << 10

// ClientOptions configures a client. The zero value verifies certificates with
// the system's authorities.
type ClientOptions struct {
	InsecureTLS bool           // do not verify certificates
	Roots       *x509.CertPool // nil means the system's

	HeaderTimeout time.Duration // maximum wait for the header of a response; zero means that only the request's ctx limits it
}

// Client returns a client that enforces the policy. It checks each request by
// CheckURL and each connection by Check. It follows no redirects, uses no
// proxy, stores no cookies, decodes no bodies, and refuses headers over 256
// KiB. It caches connections and DNS results; CloseIdleConnections closes the
// connections.
func (p Policy) Client(o ClientOptions) *http.Client {
	g := &guard{policy: p, names: names{resolver: p.Resolver}}
	return client(g, o, p.CheckURL)
}

// Dialer returns a function that connects to a host and port, such as
// example.com:443, for protocols other than HTTP and for tunnels. It checks the
// host and port like CheckURL, and each address like Check. The connection is
// closed when ctx ends. Network must be tcp, tcp4 or tcp6.
func (p Policy) Dialer() func(ctx context.Context, network, address string) (net.Conn, error) {
	g := &guard{policy: p, names: names{resolver: p.Resolver}}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if strings.ContainsAny(address, "/?#@\\") { // they would be other parts of a URL
			return nil, &Error{Address: address, Reason: "invalid host"}
		}
		u, err := weburl.Parse("https://" + address + "/")
		if err == nil {
			err = p.CheckURL(u)
		}
		if err != nil {
			return nil, err
		}
		host := strings.Trim(u.HostKey(), "[]")
		return g.dial(ctx, network, net.JoinHostPort(host, strconv.Itoa(u.Port())))
	}
}

// Fixed returns a client for requests to a single origin, whatever its address
// is. It is for providers that the operator has configured. Otherwise it is
// like [Policy.Client]. Only the scheme, host and port of origin matter. Errors
// wrap those of weburl.
func Fixed(origin string) (*http.Client, error) {
	u, err := weburl.Parse(origin)
	if err != nil {
		return nil, err
	}
	only := u.Origin()
	return client(&guard{open: true}, ClientOptions{}, func(u weburl.URL) error {
		if u.Origin() != only {
			return &Error{Address: u.Host(), Reason: "not the configured origin"}
		}
		return nil
	}), nil
}

// client returns a client that dials by g and checks URLs by check.
func client(g *guard, o ClientOptions, check func(weburl.URL) error) *http.Client {
	return &http.Client{
		Transport: &transport{check: check, base: &http.Transport{
			DialContext: g.dial,
			TLSClientConfig: &tls.Config{
				MinVersion:         tls.VersionTLS12,
				RootCAs:            o.Roots,
				InsecureSkipVerify: o.InsecureTLS, //nolint:gosec // the caller asked for it, and never sends credentials
			},
			TLSHandshakeTimeout:    10 * time.Second,
			ForceAttemptHTTP2:      true,
			DisableCompression:     true,
			MaxIdleConns:           512,
			MaxIdleConnsPerHost:    64,
			IdleConnTimeout:        90 * time.Second,
			ResponseHeaderTimeout:  o.HeaderTimeout,
			MaxResponseHeaderBytes: 256 << 10,
			ReadBufferSize:         32 << 10,
			HTTP2: &http.HTTP2Config{
				MaxReceiveBufferPerStream: streamWindow,
				SendPingTimeout:           30 * time.Second,
				PingTimeout:               15 * time.Second,
			},
		}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// exchangeKey is the context key for the context of the exchange that a dial is
// made for. net/http passes a context that has its values but does not end with
// it, so a dial would continue when nobody waits for it.
type exchangeKey struct{}

// settle tells a connection that an exchange uses it.
func settle(info httptrace.GotConnInfo) { ConnOf(info.Conn).settle() }

// transport checks requests before a connection is made.
type transport struct {
	check func(weburl.URL) error
	base  *http.Transport
}

// RoundTrip makes one exchange.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	u, err := weburl.Parse(r.URL.Scheme + "://" + r.URL.Host + "/")
	if err == nil {
		err = t.check(u)
	}
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, err
	}
	ctx := context.WithValue(r.Context(), exchangeKey{}, r.Context())
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: settle}) // settle is called in addition to the existing trace
	return t.base.RoundTrip(r.WithContext(ctx))
}

// CloseIdleConnections is called by http.Client.
func (t *transport) CloseIdleConnections() { t.base.CloseIdleConnections() }
