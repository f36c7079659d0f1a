// SPDX-License-Identifier: Apache-2.0

package netguard

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"example.com/curlew/internal/weburl"
)

// ErrProxy is what a proxy's URL wraps that cannot be used.
var ErrProxy = errors.New("no URL of an HTTP proxy")

// maxProxyAnswer bounds the header of a proxy's answer, in bytes.
const maxProxyAnswer = 64 << 10

// Tunnel returns a [Policy.Dial] that goes through the operator's HTTP proxy,
// by CONNECT (RFC 9110 section 9.3.6). The proxy is told the address that was
// looked up and checked here, never a name: its resolver might give another.
//
// proxy is an http or https URL, else the error wraps [ErrProxy]; its userinfo
// is sent as Basic credentials. It may be anywhere, for no request can name it.
// An answer other than 2xx is a *net.OpError, as a refused connection is.
func Tunnel(proxy string) (func(ctx context.Context, network, address string) (net.Conn, error), error) {
	u, err := weburl.Parse(proxy)
	if err != nil || u.HostKey() == "" {
		return nil, ErrProxy // what is wrong with it may be its password
	}
	host := strings.Trim(u.HostKey(), "[]")
	t := tunnel{address: net.JoinHostPort(host, strconv.Itoa(u.Port()))}
	if u.Scheme() == "https" {
		t.tls = &tls.Config{MinVersion: tls.VersionTLS12, ServerName: host}
	}
	if name, password, ok := u.User(); ok {
		t.authorization = "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(name+":"+password)) + "\r\n"
	}
	return t.dial, nil
}

// tunnel is the way through one proxy.
type tunnel struct {
	address       string
	tls           *tls.Config // nil: the proxy is spoken to in the clear
	authorization string      // header line; empty for none
}

// dial connects to an address by way of the proxy.
func (t *tunnel) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := Dial(ctx, "tcp", t.address)
	if err != nil { // which says nothing of the host that is wanted: its text is enough
		return nil, &net.OpError{Op: "proxyconnect", Net: network, Err: errors.New("proxy: " + err.Error())}
	}
	// Until the tunnel stands, the end of ctx ends the connection.
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
		return nil, &net.OpError{Op: "proxyconnect", Net: network, Err: err}
	}
	return through, nil
}

// connect has the proxy connect to an address.
func (t *tunnel) connect(c net.Conn, address string) error {
	if _, err := io.WriteString(c, "CONNECT "+address+" HTTP/1.1\r\nHost: "+address+"\r\n"+t.authorization+"\r\n"); err != nil {
		return err
	}
	r := bufio.NewReader(io.LimitReader(c, maxProxyAnswer))
	answer, err := http.ReadResponse(r, &http.Request{Method: http.MethodConnect}) //nolint:bodyclose // a 2xx has none, and no other is read
	if err != nil {
		return err
	}
	switch {
	case answer.StatusCode < 200 || answer.StatusCode > 299:
		return fmt.Errorf("proxy: HTTP status %d", answer.StatusCode)
	case r.Buffered() > 0:
		return errors.New("proxy: more than an answer")
	}
	return nil
}
