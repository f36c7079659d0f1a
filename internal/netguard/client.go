// SPDX-License-Identifier: Apache-2.0

package netguard

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptrace"
	"time"

	"example.com/curlew/internal/weburl"
)

// streamWindow is what an HTTP/2 server may send ahead on one stream.
const streamWindow = 512 << 10

// ClientOptions say how a client speaks. The zero value verifies certificates
// by the system's authorities.
type ClientOptions struct {
	InsecureTLS bool           // skip certificate checks
	Roots       *x509.CertPool // nil: the system's

	HeaderTimeout time.Duration // until an answer's header; zero means none but the request's ctx
}

// Client returns a client under the policy. It judges each request by
// CheckURL and each connection by Check, follows no redirect, uses no proxy,
// keeps no cookies, decodes no body, and refuses headers over 256 KiB. It
// keeps connections and names; CloseIdleConnections lets the connections go.
func (p Policy) Client(o ClientOptions) *http.Client {
	g := &guard{policy: p, names: names{resolver: p.Resolver}}
	return client(g, o, p.CheckURL)
}

// Fixed returns a client for requests to one origin and no other, wherever it
// is: for providers that the operator has configured. It is otherwise as
// [Policy.Client]. Of origin, scheme, host and port count. Errors wrap weburl's.
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

// client returns a client that dials by g and judges URLs by check.
func client(g *guard, o ClientOptions, check func(weburl.URL) error) *http.Client {
	return &http.Client{
		Transport: &transport{check: check, base: &http.Transport{
			DialContext: g.dial,
			TLSClientConfig: &tls.Config{
				MinVersion:         tls.VersionTLS12,
				RootCAs:            o.Roots,
				InsecureSkipVerify: o.InsecureTLS, //nolint:gosec // G402: asked for by the caller, never with credentials
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

// exchangeKey is under which a dial finds the context of the exchange that it
// is for. Of what net/http gives it, only the values are the exchange's: dials
// would go on when nobody waits for them.
type exchangeKey struct{}

// settle tells a connection that it serves an exchange.
func settle(info httptrace.GotConnInfo) { ConnOf(info.Conn).settle() }

// transport judges requests before the connection is.
type transport struct {
	check func(weburl.URL) error
	base  *http.Transport
}

// RoundTrip does one exchange.
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
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: settle}) // which changes the trace it is given
	return t.base.RoundTrip(r.WithContext(ctx))
}

// CloseIdleConnections is found by http.Client.
func (t *transport) CloseIdleConnections() { t.base.CloseIdleConnections() }
