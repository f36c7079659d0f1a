// SPDX-License-Identifier: Apache-2.0

package evil

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"strings"
	"time"
)

// certificate returns a self-signed certificate for hosts with a period of
// validity.
func certificate(from, to time.Time, hosts ...string) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // cannot happen: crypto/rand never fails
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "evil"}, NotBefore: from, NotAfter: to}
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			tmpl.IPAddresses = append(tmpl.IPAddresses, ip)
		} else {
			tmpl.DNSNames = append(tmpl.DNSNames, h)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, key.Public(), key)
	if err != nil {
		panic(err) // cannot happen: the template is constant
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// handshakes fail before HTTP starts.
func handshakes() []Case {
	now := time.Now()
	day := 24 * time.Hour
	config := func(c tls.Certificate) *tls.Config {
		return &tls.Config{Certificates: []tls.Certificate{c}, NextProtos: []string{"http/1.1"}}
	}
	self := certificate(now.Add(-day), now.Add(day), "127.0.0.1")
	var all []Case
	for name, c := range map[string]*tls.Config{
		"self-signed":     config(self),
		"expired":         config(certificate(now.Add(-2*day), now.Add(-day), "127.0.0.1")),
		"not yet valid":   config(certificate(now.Add(day), now.Add(2*day), "127.0.0.1")),
		"of another host": config(certificate(now.Add(-day), now.Add(day), "a.test")),
		"of no host":      config(certificate(now.Add(-day), now.Add(day))),
		"of 5,000 hosts":  config(certificate(now.Add(-day), now.Add(day), many(5000)...)),
		"without ALPN":    {Certificates: []tls.Certificate{self}},
		"TLS 1.0":         {Certificates: []tls.Certificate{self}, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS10},
		"TLS 1.1":         {Certificates: []tls.Certificate{self}, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11},
		"ALPN of its own": {Certificates: []tls.Certificate{self}, NextProtos: []string{"spdy/3"}},
		"client's papers": {Certificates: []tls.Certificate{self}, ClientAuth: tls.RequireAnyClientCert, MaxVersion: tls.VersionTLS12},
	} {
		all = append(all, Case{Name: "certificate " + name, Wants: []Outcome{TLS}, HTTPS: true, TLS: c, Serve: say(good)})
	}
	raw := func(name string, serve func(*Conn), wants ...Outcome) {
		all = append(all, Case{Name: "handshake: " + name, Wants: wants, HTTPS: true, Serve: serve})
	}
	answer := func(s string) func(*Conn) {
		return func(c *Conn) {
			_, _ = c.in.Peek(5) // the ClientHello
			c.Say(s)
			c.Hold()
		}
	}
	raw("HTTP in clear", answer("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"), TLS)
	raw("page in clear", answer("<html><body>hello</body></html>"), TLS)
	raw("mail", answer("220 mail.test ESMTP\r\n"), TLS)
	raw("zeros", func(c *Conn) { c.Endless("\x00") }, TLS)
	raw("noise", func(c *Conn) { c.Endless("\xff\x80\x13\x37") }, TLS)
	for _, alert := range []byte{10, 20, 40, 42, 47, 48, 70, 71, 80, 86, 90, 109, 112, 116, 120, 255} {
		raw(fmt.Sprint("alert ", alert), answer("\x15\x03\x03\x00\x02\x02"+string([]byte{alert})), TLS)
	}
	raw("a farewell", answer("\x15\x03\x03\x00\x02\x02\x00"), Connect)
	raw("warnings without end", func(c *Conn) { c.Endless("\x15\x03\x03\x00\x02\x01\x5a") }, TLS)
	raw("empty records without end", func(c *Conn) { c.Endless("\x16\x03\x03\x00\x00") }, TLS)
	raw("a record of 65,535", answer("\x16\x03\x03\xff\xff"+strings.Repeat("x", 65535)), TLS)
	raw("a message of 16 MiB", answer("\x16\x03\x03\x40\x00\x02\xff\xff\xff"+strings.Repeat("x", 16380)), TLS)
	raw("another message", answer("\x16\x03\x03\x00\x04\x0e\x00\x00\x00"), TLS)
	raw("data first", answer("\x17\x03\x03\x00\x05hello"), TLS)
	raw("half a record", func(c *Conn) { _, _ = c.in.Peek(5); c.Say("\x16\x03\x03\x10\x00\x02") }, Connect)
	raw("close", func(c *Conn) { _, _ = c.in.Peek(5) }, Connect)
	raw("reset", func(c *Conn) { _, _ = c.in.Peek(5); c.Reset() }, Connect)
	raw("silence", (*Conn).Hold, Timeout)
	raw("half a record and silence", answer("\x16\x03\x03\x10\x00\x02"), Timeout)
	for _, every := range []time.Duration{20 * time.Millisecond, 200 * time.Millisecond} {
		raw(fmt.Sprint("slow record, ", every), func(c *Conn) { c.Trickle("\x16\x03\x03\x3f\xff\x02"+strings.Repeat("x", 300), every) }, Timeout)
	}
	return all
}

// many returns n host names.
func many(n int) []string {
	hosts := make([]string, n)
	for i := range hosts {
		hosts[i] = fmt.Sprintf("host-%d.test", i)
	}
	return hosts
}
