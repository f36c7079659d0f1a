// SPDX-License-Identifier: Apache-2.0

package netguard

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"example.com/curlew/internal/weburl"
)

// ProxyError says why a proxy cannot be used, or why it did not connect. It
// never contains the proxy's URL, which may contain a password.
type ProxyError struct {
	Reason string

	// Target says that the proxy works, but does not connect to this address.
	Target bool

	// Err is the error of the connection to the proxy; nil if the proxy has answered.
	Err error
}

// Unwrap returns Err.
func (e *ProxyError) Unwrap() error { return e.Err }

// Error returns the reason.
func (e *ProxyError) Error() string { return "proxy: " + e.Reason }

// maxProxyAnswer is the maximum size of a proxy's response header in bytes.
const maxProxyAnswer = 64 << 10

// Tunnel returns a [Policy.Dial] that uses the operator's proxy: an HTTP proxy
// by CONNECT (RFC 9110 section 9.3.6), or a SOCKS 5 proxy (RFC 1928). The proxy
// gets the address that was resolved and checked here, and never a name,
// because its resolver could return another address.
//
// proxy must be an http, https or socks5 URL. Otherwise the error is a
// [*ProxyError]. Its userinfo is sent as Basic credentials, or as name and
// password of RFC 1929. The proxy may have any address, because no request can
// choose it. If the proxy refuses, the error is a *net.OpError, like that of a
// refused connection.
func Tunnel(proxy string) (func(ctx context.Context, network, address string) (net.Conn, error), error) {
	t, err := newTunnel(proxy)
	if err != nil {
		return nil, err
	}
	return t.dial, nil
}

// newTunnel parses the URL of a proxy.
func newTunnel(proxy string) (*tunnel, error) {
	scheme, rest, ok := strings.Cut(proxy, "://")
	if !ok {
		return nil, &ProxyError{Reason: "it has no scheme; write http://, https:// or socks5:// before it"}
	}
	scheme = strings.ToLower(scheme)
	form := scheme // a form that weburl can parse
	switch scheme {
	case "http", "https":
	case "socks5":
		form = "http"
	case "socks5h":
		return nil, &ProxyError{Reason: "socks5h lets the proxy look names up, and their addresses could not be checked; write socks5 to look them up here"}
	case "socks", "socks4", "socks4a":
		return nil, &ProxyError{Reason: "of SOCKS only version 5 is supported; write socks5://"}
	default:
		return nil, &ProxyError{Reason: "the scheme is none of http, https and socks5"}
	}
	u, err := weburl.Parse(form + "://" + rest)
	if err != nil || u.HostKey() == "" {
		return nil, &ProxyError{Reason: "it is not a URL"} // the error of the parser could quote the password
	}
	host, port := strings.Trim(u.HostKey(), "[]"), u.Port()
	name, password, named := u.User()
	var t tunnel
	switch {
	case scheme == "socks5":
		if len(name) > 255 || len(password) > 255 {
			return nil, &ProxyError{Reason: "its name or password is over 255 bytes"}
		}
		if bare, err := weburl.Parse("https://" + rest); err == nil && bare.Port() != port {
			port = socksPort // no port is given: each scheme has its own default
		}
		t.connect = (&socks{name, password, named}).connect
	case named:
		t.connect = connector("Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(name+":"+password)) + "\r\n").connect
	default:
		t.connect = connector("").connect
	}
	t.address = net.JoinHostPort(host, strconv.Itoa(port))
	if scheme == "https" {
		t.tls = &tls.Config{MinVersion: tls.VersionTLS12, ServerName: host}
	}
	return &t, nil
}

// tunnel is a configured proxy.
type tunnel struct {
	address string
	tls     *tls.Config // nil means that the connection to the proxy is not encrypted

	// connect asks the proxy at the other end of c to connect to an address.
	connect func(c net.Conn, address string) error
}

// reachIn is the time in which a proxy must accept a connection. It is shorter than the time
// that a fetch waits for a site, so that the proxy is blamed and not the site.
const reachIn = 5 * time.Second

// dial connects to an address through the proxy.
func (t *tunnel) dial(ctx context.Context, network, address string) (net.Conn, error) {
	reaching, cancel := context.WithTimeout(ctx, reachIn)
	defer cancel()
	c, err := Dial(reaching, "tcp", t.address)
	if err != nil { // the error is about the proxy, not about the requested host
		return nil, &net.OpError{Op: "proxyconnect", Net: network, Err: &ProxyError{Reason: "it cannot be reached"}}
	}
	// Until the tunnel is established, the end of ctx ends the connection.
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	through := c
	if t.tls != nil {
		through = tls.Client(c, t.tls)
	}
	err = t.connect(through, address)
	if !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = c.Close()
		if _, ok := errors.AsType[*ProxyError](err); !ok && ctx.Err() == nil {
			err = &ProxyError{Reason: "it breaks off", Err: err}
		}
		return nil, &net.OpError{Op: "proxyconnect", Net: network, Err: err}
	}
	return through, nil
}

// connector implements the protocol of HTTP proxies. Its value is a header line
// with credentials, or empty.
type connector string

// connect asks the proxy to connect to an address.
func (authorization connector) connect(c net.Conn, address string) error {
	if _, err := io.WriteString(c, "CONNECT "+address+" HTTP/1.1\r\nHost: "+address+"\r\n"+string(authorization)+"\r\n"); err != nil {
		return err
	}
	r := bufio.NewReader(io.LimitReader(c, maxProxyAnswer))
	answer, err := http.ReadResponse(r, &http.Request{Method: http.MethodConnect}) //nolint:bodyclose // a 2xx response has no body, and no other body is read
	if err != nil {
		return err
	}
	switch {
	case answer.StatusCode < 200 || answer.StatusCode > 299:
		return &ProxyError{Reason: "it answers with HTTP status " + strconv.Itoa(answer.StatusCode), Target: answer.StatusCode != http.StatusProxyAuthRequired}
	case r.Buffered() > 0:
		return &ProxyError{Reason: "it sends more than an answer"}
	}
	return nil
}
