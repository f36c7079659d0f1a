// SPDX-License-Identifier: Apache-2.0

package netguard_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/internal/netguard"
	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/test/leak"
	"example.com/curlew/internal/test/webtest"
	"example.com/curlew/internal/weburl"
)

func TestMain(m *testing.M) { leak.Main(m) }

// vector is a row of ssrf-vectors.tsv, which documents its columns.
type vector struct {
	line    int
	input   string
	form    string
	allowed bool
	reason  string
}

func vectors(t testing.TB) []vector {
	t.Helper()
	data, err := os.ReadFile("testdata/ssrf-vectors.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var all []vector
	for i, line := range strings.Split(string(data), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 4 {
			t.Fatalf("line %d has %d fields", i+1, len(f))
		}
		input, err := strconv.Unquote(`"` + strings.ReplaceAll(f[0], `"`, `\"`) + `"`)
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		all = append(all, vector{i + 1, input, f[1], f[2] == "yes", f[3]})
	}
	return all
}

func TestVectors(t *testing.T) {
	all := vectors(t)
	if len(all) != 655 {
		t.Fatalf("%d rows, want 655", len(all))
	}
	for _, v := range all {
		switch _, err := netip.ParseAddr(v.input); {
		case err == nil:
			checkAddress(t, v)
		case strings.HasPrefix(v.input, "dns:"):
			synctest.Test(t, func(t *testing.T) { checkNames(t, v) })
		default:
			checkText(t, v)
		}
	}
}

// TestVectorsShared compares the committed copy with the shared one.
func TestVectorsShared(t *testing.T) {
	shared, err := os.ReadFile(golden.Root("../shared/reference/ssrf-vectors.tsv"))
	if err != nil {
		t.Skip("the shared reference is not here: the committed copy stands alone")
	}
	ours, err := os.ReadFile("testdata/ssrf-vectors.tsv")
	if err != nil || !bytes.Equal(ours, shared) {
		t.Errorf("testdata/ssrf-vectors.tsv differs from the reference (%v)", err)
	}
}

func checkAddress(t *testing.T, v vector) {
	t.Helper()
	if got := netip.MustParseAddr(v.input).Unmap().String(); got != v.form {
		t.Errorf("line %d: form of %s = %s, want %s", v.line, v.input, got, v.form)
	}
	err := netguard.Policy{}.Check("tcp", netip.AddrPortFrom(netip.MustParseAddr(v.input), 80).String())
	if (err == nil) != v.allowed || err != nil && !errors.Is(err, netguard.ErrDenied) {
		t.Errorf("line %d: Check(%s) = %v, want allowed %v: %s", v.line, v.input, err, v.allowed, v.reason)
	}
}

func checkText(t *testing.T, v vector) {
	t.Helper()
	u, err := weburl.Parse(v.input)
	form := "-"
	if err == nil && u.HostKey() != "" {
		form = u.HostKey()
	}
	if form != v.form {
		t.Errorf("line %d: host of %q = %s, want %s", v.line, v.input, form, v.form)
	}
	if err != nil {
		if v.allowed {
			t.Errorf("line %d: %q is no URL: %v", v.line, v.input, err)
		}
		return
	}
	f := &fakeNet{answers: func(string) []netip.Addr { return []netip.Addr{webtest.Addr} }}
	p := f.policy()
	err = p.CheckURL(u)
	if err == nil {
		err = f.get(t, p.Client(netguard.ClientOptions{}), u)
	}
	if (err == nil) != v.allowed || err != nil && !errors.Is(err, netguard.ErrDenied) {
		t.Errorf("line %d: %q = %v, want allowed %v: %s", v.line, v.input, err, v.allowed, v.reason)
	}
	f.judgeDialled(t, v)
}

func checkNames(t *testing.T, v vector) {
	t.Helper()
	rounds := strings.Split(v.form, ">")
	round := 0
	f := &fakeNet{answers: func(string) []netip.Addr {
		var addrs []netip.Addr
		for s := range strings.SplitSeq(rounds[round], ",") {
			if a, err := netip.ParseAddr(s); err == nil {
				addrs = append(addrs, a)
			}
		}
		return addrs
	}}
	c := f.policy().Client(netguard.ClientOptions{})
	u, err := weburl.Parse("http://" + strings.TrimPrefix(v.input, "dns:") + "/")
	if err != nil {
		t.Fatal(err)
	}
	for round = range rounds {
		if err = f.get(t, c, u); round < len(rounds)-1 && err != nil {
			t.Errorf("line %d: lookup %d of %s: %v", v.line, round, v.input, err)
		}
		c.CloseIdleConnections()
		time.Sleep(time.Minute) // until the cached result has expired
	}
	if (err == nil) != v.allowed {
		t.Errorf("line %d: %s = %v, want allowed %v: %s", v.line, v.input, err, v.allowed, v.reason)
	}
	if err != nil && v.form != "-" && !errors.Is(err, netguard.ErrDenied) {
		t.Errorf("line %d: %s = %v, want %v", v.line, v.input, err, netguard.ErrDenied)
	}
	f.judgeDialled(t, v)
}

// fakeNet is a network that records dials and lookups.
type fakeNet struct {
	answers func(name string) []netip.Addr
	dialled []string
	asked   []string
}

func (f *fakeNet) policy() netguard.Policy {
	return netguard.Policy{Resolver: f, Dial: f.dial}
}

func (f *fakeNet) LookupNetIP(_ context.Context, _, name string) ([]netip.Addr, error) {
	f.asked = append(f.asked, name)
	return f.answers(name), nil
}

// dial answers one request with an empty 200.
func (f *fakeNet) dial(_ context.Context, _, address string) (net.Conn, error) {
	f.dialled = append(f.dialled, address)
	near, far := net.Pipe()
	go func() {
		defer far.Close()
		if _, err := far.Read(make([]byte, 64<<10)); err == nil {
			_, _ = far.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
		}
	}()
	return near, nil
}

func (f *fakeNet) get(t *testing.T, c *http.Client, u weburl.URL) error {
	t.Helper()
	target := u.HTTP()
	target.Scheme = "http" // fakeNet does not support TLS
	if u.Scheme() == "https" && u.Port() == 443 {
		target.Host = u.Host() + ":443"
	}
	r := (&http.Request{Method: http.MethodGet, URL: target, Host: u.HostPort()}).WithContext(t.Context())
	resp, err := c.Do(r)
	if err == nil {
		resp.Body.Close()
	}
	c.CloseIdleConnections()
	return err
}

// judgeDialled checks that nothing was dialed that the vectors forbid.
func (f *fakeNet) judgeDialled(t *testing.T, v vector) {
	t.Helper()
	for _, address := range f.dialled {
		if err := (netguard.Policy{}).Check("tcp4", address); err != nil {
			t.Errorf("line %d: %q dialled %s", v.line, v.input, address)
		}
	}
	if rebound := strings.Contains(v.form, ">"); !v.allowed && !rebound && len(f.dialled) > 0 {
		t.Errorf("line %d: %q dialled %v, want nothing", v.line, v.input, f.dialled)
	}
	for _, name := range f.asked {
		if !strings.HasSuffix(name, ".") || strings.HasSuffix(name, "..") {
			t.Errorf("line %d: %q was looked up as %q: search domains would apply", v.line, v.input, name)
		}
	}
}
