// SPDX-License-Identifier: Apache-2.0

package webtest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// Addr is the address of every host of a [Net].
var Addr = netip.MustParseAddr("93.184.216.34")

// Net is a network of in-memory connections. One handler serves every address:
// with TLS and HTTP/2 on the ports 443 and 8443, and without TLS on others. It
// is safe for concurrent use.
type Net struct {
	handler      http.Handler
	server       *http.Server
	clear, coded *listener
	wg           sync.WaitGroup
	authority    func() *authority
}

// Serve starts a network, which the caller must close. Inside a synctest
// bubble, it must be closed before the bubble ends, and so must the client's
// idle connections.
func Serve(h http.Handler) *Net {
	n := &Net{handler: h, authority: sync.OnceValue(newAuthority)}
	n.clear, n.coded = newListener(), newListener()
	n.server = &http.Server{
		Handler:  h,
		ErrorLog: log.New(io.Discard, "", 0), // faults abort handlers on purpose
		TLSConfig: &tls.Config{
			// Set this here, because otherwise Serve, which runs first, would
			// disable HTTP/2.
			NextProtos: []string{"h2", "http/1.1"},
			// A pipe has no buffer: the server would block on writing a ticket
			// while the client blocks on writing its first frame.
			SessionTicketsDisabled: true,
			GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
				return n.authority().certificate(hello.ServerName)
			},
		},
		ReadHeaderTimeout: time.Minute,
	}
	n.wg.Go(func() { _ = n.server.Serve(n.clear) })
	n.wg.Go(func() { _ = n.server.ServeTLS(n.coded, "", "") })
	return n
}

// Dial connects to the handler. The address must have a port; its host may be
// anything. It fits net.Dialer's DialContext.
func (n *Net) Dial(ctx context.Context, _, address string) (net.Conn, error) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	l := n.clear
	if port == "443" || port == "8443" {
		l = n.coded
	}
	near, far := net.Pipe()
	select {
	case l.conns <- far:
		return near, nil
	case <-l.closed:
		return nil, &net.OpError{Op: "dial", Net: "pipe", Err: net.ErrClosed}
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// LookupNetIP resolves every host to [Addr]. If the handler has a method Host,
// like [Site], it resolves only the hosts that this method reports. It fits
// net.Resolver's method.
func (n *Net) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if s, ok := n.handler.(interface{ Host(string) bool }); ok && !s.Host(host) {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return []netip.Addr{Addr}, nil
}

// Roots returns the certificate authority of the network.
func (n *Net) Roots() *x509.CertPool { return n.authority().roots }

// Close closes all connections and waits until all goroutines have ended.
func (n *Net) Close() {
	_ = n.server.Close()
	n.clear.Close()
	n.coded.Close()
	n.wg.Wait()
}

// listener returns the other ends of pipes.
type listener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newListener() *listener {
	return &listener{conns: make(chan net.Conn), closed: make(chan struct{})}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *listener) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }

// authority signs a certificate for each name on request.
type authority struct {
	key   *ecdsa.PrivateKey
	cert  *x509.Certificate
	roots *x509.CertPool

	mu     sync.Mutex // guards leaves
	leaves map[string]*tls.Certificate
}

// newAuthority creates an authority. Its certificates are valid from 1990 to
// 2100, because a synctest bubble starts in the year 2000.
func newAuthority() *authority {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // cannot happen: crypto/rand never fails
	}
	tmpl := template("webtest")
	tmpl.IsCA, tmpl.BasicConstraintsValid = true, true
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, key.Public(), key)
	if err != nil {
		panic(err) // cannot happen: the template is constant
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		panic(err) // cannot happen: it was written just before
	}
	a := &authority{key: key, cert: cert, roots: x509.NewCertPool(), leaves: map[string]*tls.Certificate{}}
	a.roots.AddCert(cert)
	return a
}

// certificate returns the certificate of name.
func (a *authority) certificate(name string) (*tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.leaves[name]; c != nil {
		return c, nil
	}
	tmpl := template(name)
	if ip := net.ParseIP(strings.Trim(name, "[]")); ip != nil {
		tmpl.IPAddresses = []net.IP{ip}
	} else {
		tmpl.DNSNames = []string{name}
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, a.cert, a.key.Public(), a.key)
	if err != nil {
		return nil, err
	}
	a.leaves[name] = &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: a.key}
	return a.leaves[name], nil
}

// template returns a certificate for name that is valid in tests.
func template(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:     time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC),
		KeyUsage:     x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
}
