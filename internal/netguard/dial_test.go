// SPDX-License-Identifier: Apache-2.0

package netguard_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/internal/netguard"
	"example.com/curlew/internal/test/webtest"
)

func get(t *testing.T, c *http.Client, url string) (string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp.Status + " " + string(body), err
}

// slowNet resolves each name to addrs and connects to an address after its
// delay. A negative delay means a refusal after that time.
type slowNet struct {
	addrs   []netip.Addr
	err     error
	lookup  time.Duration
	connect map[string]time.Duration
	web     *webtest.Net

	mu      sync.Mutex // guards the fields below
	lookups int
	dials   []string // addresses with times
	began   time.Time
}

func (n *slowNet) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	n.mu.Lock()
	n.lookups++
	n.mu.Unlock()
	select {
	case <-time.After(n.lookup):
		return n.addrs, n.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (n *slowNet) dial(ctx context.Context, network, address string) (net.Conn, error) {
	n.mu.Lock()
	n.dials = append(n.dials, fmt.Sprint(address, " ", time.Since(n.began)))
	n.mu.Unlock()
	host, _, _ := net.SplitHostPort(address)
	delay := n.connect[host]
	select {
	case <-time.After(max(delay, -delay)):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if delay < 0 {
		return nil, syscall.ECONNREFUSED
	}
	return n.web.Dial(ctx, network, address)
}

// client returns a client that uses n until the test ends.
func (n *slowNet) client(t *testing.T) *http.Client {
	n.began = time.Now()
	n.web = webtest.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Host) }))
	c := netguard.Policy{Resolver: n, Dial: n.dial}.Client(netguard.ClientOptions{Roots: n.web.Roots()})
	t.Cleanup(func() {
		c.CloseIdleConnections()
		n.web.Close()
	})
	return c
}

// TestRace dials names with several addresses in fake time.
func TestRace(t *testing.T) {
	const ms = time.Millisecond
	four, other, six := netip.MustParseAddr("93.184.216.34"), netip.MustParseAddr("93.184.216.35"), netip.MustParseAddr("2606:4700::1")
	private := netip.MustParseAddr("10.0.0.1")
	tests := []struct {
		name    string
		addrs   []netip.Addr
		connect map[string]time.Duration
		dials   []string
		fails   bool
		took    time.Duration
	}{
		{"one", []netip.Addr{four}, nil, []string{"93.184.216.34:80 0s"}, false, 0},
		{
			"one refuses",
			[]netip.Addr{four},
			map[string]time.Duration{"93.184.216.34": -ms},
			[]string{"93.184.216.34:80 0s"},
			true, ms,
		},
		{
			"the first is quick",
			[]netip.Addr{six, four},
			map[string]time.Duration{"2606:4700::1": 200 * ms},
			[]string{"[2606:4700::1]:80 0s"},
			false, 200 * ms,
		},
		{
			"the first is silent",
			[]netip.Addr{six, four},
			map[string]time.Duration{"2606:4700::1": time.Hour, "93.184.216.34": 10 * ms},
			[]string{"[2606:4700::1]:80 0s", "93.184.216.34:80 250ms"},
			false, 260 * ms,
		},
		{
			"the first is slow and still wins",
			[]netip.Addr{six, four},
			map[string]time.Duration{"2606:4700::1": 300 * ms, "93.184.216.34": 100 * ms},
			[]string{"[2606:4700::1]:80 0s", "93.184.216.34:80 250ms"},
			false, 300 * ms,
		},
		{
			"the first refuses",
			[]netip.Addr{six, four},
			map[string]time.Duration{"2606:4700::1": -10 * ms},
			[]string{"[2606:4700::1]:80 0s", "93.184.216.34:80 10ms"},
			false, 10 * ms,
		},
		{
			"families take turns",
			[]netip.Addr{four, other, six},
			map[string]time.Duration{"93.184.216.34": -ms, "93.184.216.35": -ms, "2606:4700::1": -ms},
			[]string{"93.184.216.34:80 0s", "[2606:4700::1]:80 1ms", "93.184.216.35:80 2ms"},
			true, 3 * ms,
		},
		{
			"all are silent",
			[]netip.Addr{four, other},
			map[string]time.Duration{"93.184.216.34": time.Hour, "93.184.216.35": time.Hour},
			[]string{"93.184.216.34:80 0s", "93.184.216.35:80 250ms"},
			true, 10 * time.Second,
		},
		{
			"refused answers are left out, also when the others fail",
			[]netip.Addr{private, four, private},
			map[string]time.Duration{"93.184.216.34": -ms},
			[]string{"93.184.216.34:80 0s"},
			true, ms,
		},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			n := &slowNet{addrs: test.addrs, connect: test.connect}
			c := n.client(t)
			got, err := get(t, c, "http://a.test/")
			took := time.Since(n.began)
			if (err != nil) != test.fails || err == nil && got != "200 OK a.test" || took != test.took {
				t.Errorf("%s: %q, %v after %v, want failure %v after %v", test.name, got, err, took, test.fails, test.took)
			}
			if !slices.Equal(n.dials, test.dials) {
				t.Errorf("%s: dialled %q, want %q", test.name, n.dials, test.dials)
			}
		})
	}
}

// TestKept ends the context of each request. The connection must serve the next
// request all the same.
func TestKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &slowNet{addrs: []netip.Addr{webtest.Addr}}
		c := n.client(t)
		for range 3 {
			ctx, cancel := context.WithCancel(t.Context())
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://a.test/", nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := c.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			cancel()
			synctest.Wait()
		}
		if len(n.dials) != 1 {
			t.Errorf("dialled %q, want one connection", n.dials)
		}
	})
}

func TestManyAddresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &slowNet{connect: map[string]time.Duration{}}
		for i := range 200 {
			a := netip.AddrFrom4([4]byte{93, 184, 1, byte(i)})
			n.addrs = append(n.addrs, a)
			n.connect[a.String()] = -1
		}
		if _, err := get(t, n.client(t), "http://a.test/"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("got %v", err)
		}
		if len(n.dials) != 16 {
			t.Errorf("%d of 200 addresses dialled, want 16", len(n.dials))
		}
	})
}

// TestNames counts lookups.
func TestNames(t *testing.T) {
	public := []netip.Addr{webtest.Addr}
	lookups := func(t *testing.T, n *slowNet, want int) {
		t.Helper()
		if n.lookups != want {
			t.Errorf("%d lookups, want %d", n.lookups, want)
		}
	}
	t.Run("kept a minute", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			n := &slowNet{addrs: public}
			c := n.client(t)
			for range 3 {
				get(t, c, "http://a.test/")
				get(t, c, "http://A.test:8080/")
				c.CloseIdleConnections()
			}
			lookups(t, n, 1)
			time.Sleep(time.Minute - 1)
			get(t, c, "http://a.test/")
			lookups(t, n, 1)
			c.CloseIdleConnections()
			time.Sleep(time.Nanosecond)
			get(t, c, "http://a.test/")
			lookups(t, n, 2)
		})
	})
	t.Run("failures kept 5 s", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			n := &slowNet{err: &net.DNSError{Err: "no such host", IsNotFound: true}}
			c := n.client(t)
			for range 3 {
				var dns *net.DNSError
				if _, err := get(t, c, "http://a.test/"); !errors.As(err, &dns) || !dns.IsNotFound {
					t.Errorf("unknown host: %v", err)
				}
			}
			lookups(t, n, 1)
			time.Sleep(5 * time.Second)
			get(t, c, "http://a.test/")
			lookups(t, n, 2)
		})
	})
	t.Run("asked once by many", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			n := &slowNet{addrs: public, lookup: time.Second}
			c := n.client(t)
			var wg sync.WaitGroup
			for range 20 {
				wg.Go(func() {
					if _, err := get(t, c, "http://a.test/"); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			lookups(t, n, 1)
			if took := time.Since(n.began); took != time.Second {
				t.Errorf("took %v", took)
			}
		})
	})
	t.Run("the asker leaves, the others stay", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			n := &slowNet{addrs: public, lookup: 2 * time.Second}
			lookup := netguard.Lookups(n)
			gone := errors.New("gone")
			var wg sync.WaitGroup
			defer wg.Wait()
			for i, test := range []struct {
				leaves, took time.Duration
				err          error
			}{
				{time.Second, time.Second, gone},
				{time.Hour, 3 * time.Second, nil},
				{time.Second / 2, time.Second / 2, gone},
				{time.Hour, 3 * time.Second, nil},
			} {
				start := time.Now()
				ctx, cancel := context.WithTimeoutCause(t.Context(), test.leaves, gone)
				wg.Go(func() {
					defer cancel()
					got, err := lookup(ctx, "a.test")
					if took := time.Since(start); !errors.Is(err, test.err) || took != test.took || err == nil && !slices.Equal(got, public) {
						t.Errorf("asker %d: %v, %v after %v", i, got, err, took)
					}
				})
				synctest.Wait()
			}
			wg.Wait()
			lookups(t, n, 2)
		})
	})
	t.Run("a resolver that hangs", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			n := &slowNet{addrs: public, lookup: time.Hour}
			c := n.client(t)
			if _, err := get(t, c, "http://a.test/"); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
			if took := time.Since(n.began); took != 10*time.Second {
				t.Errorf("took %v", took)
			}
		})
	})
	t.Run("bounded", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			n := &slowNet{err: errors.New("no")}
			c := n.client(t)
			for i := range 12_000 {
				get(t, c, fmt.Sprintf("http://h%d.test/", i))
			}
			lookups(t, n, 12_000)
			get(t, c, "http://h11999.test/")
			lookups(t, n, 12_000)
		})
	})
}

func TestClientLoopback(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "/", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, "hello")
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // it would log refused handshakes
	s.StartTLS()
	t.Cleanup(s.Close)

	closed := netguard.Policy{Ports: []int{-1}}.Client(netguard.ClientOptions{InsecureTLS: true})
	if _, err := get(t, closed, s.URL); !errors.Is(err, netguard.ErrDenied) || !strings.HasSuffix(err.Error(), ": blocked by network policy") {
		t.Errorf("loopback under the zero rule: %v", err)
	}
	open := netguard.Policy{Allow: netguard.Private}
	insecure := open.Client(netguard.ClientOptions{InsecureTLS: true})
	t.Cleanup(insecure.CloseIdleConnections)
	if got, err := get(t, insecure, s.URL); err != nil || got != "200 OK hello" {
		t.Errorf("allowed and unverified: %q, %v", got, err)
	}
	if got, err := get(t, insecure, s.URL+"/moved"); err != nil || !strings.HasPrefix(got, "302 ") {
		t.Errorf("a redirect was followed: %q, %v", got, err)
	}
	verified := open.Client(netguard.ClientOptions{})
	if got, err := get(t, verified, s.URL); err == nil {
		t.Errorf("an unknown authority was trusted: %q", got)
	}
	verified.CloseIdleConnections()
}

// TestClientNames requests names that a C library resolver would interpret as
// addresses, by requests that bypassed weburl.
func TestClientNames(t *testing.T) {
	f := &fakeNet{answers: func(string) []netip.Addr { return []netip.Addr{webtest.Addr} }}
	c := f.policy().Client(netguard.ClientOptions{})
	for _, url := range []string{
		"http://0x7f.1/", "http://2130706433/", "http://127.1/", "http://localhost/", "http://[::1]/", "http://[fe80::1%25lo]/",
		"http://a.internal/", "http://127.0.0.1.:80/", "http://example.com:22/", "http://256.1.1.1/",
	} {
		if got, err := get(t, c, url); err == nil {
			t.Errorf("%s = %q", url, got)
		}
	}
	if len(f.dialled)+len(f.asked) != 0 {
		t.Errorf("dialled %q, looked up %q", f.dialled, f.asked)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/", io.NopCloser(strings.NewReader("x")))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(r)
	if !errors.Is(err, netguard.ErrDenied) {
		t.Errorf("POST = %v, %v", resp, err)
	}
	if err == nil {
		resp.Body.Close()
	}
}

// TestOver dials for an exchange that has already ended, as net/http does.
// Nothing may be resolved or dialed.
func TestOver(t *testing.T) {
	f := &fakeNet{answers: func(string) []netip.Addr { return []netip.Addr{webtest.Addr} }}
	over := errors.New("over")
	exchange, cancel := context.WithCancelCause(t.Context())
	cancel(over)
	c, err := f.policy().DialFor(t.Context(), exchange, "a.test:80")
	if c != nil || !errors.Is(err, over) {
		t.Errorf("dial = %v, %v, want %v", c, err, over)
	}
	if len(f.dialled)+len(f.asked) > 0 {
		t.Errorf("dialled %q, names asked for: %q", f.dialled, f.asked)
	}
}

func TestFixed(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "http://example.com/", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, "model")
	}))
	t.Cleanup(s.Close)
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)

	c, err := netguard.Fixed(s.URL + "/v1/")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	if got, err := get(t, c, s.URL+"/v1/chat"); err != nil || got != "200 OK model" {
		t.Errorf("its origin: %q, %v", got, err)
	}
	if got, err := get(t, c, s.URL+"/moved"); err != nil || !strings.HasPrefix(got, "302 ") {
		t.Errorf("a redirect was followed: %q, %v", got, err)
	}
	for _, url := range []string{other.URL, strings.Replace(s.URL, "http", "https", 1), strings.Replace(s.URL, "127.0.0.1", "localhost", 1), "http://example.com/"} {
		if got, err := get(t, c, url); !errors.Is(err, netguard.ErrDenied) {
			t.Errorf("%s = %q, %v", url, got, err)
		}
	}
	for _, bad := range []string{"", "api.example.com", "ftp://x/", "http://"} {
		if _, err := netguard.Fixed(bad); err == nil {
			t.Errorf("Fixed(%q) is no error", bad)
		}
	}
}

// TestDial dials addresses that the operator has configured, to which no policy
// applies.
func TestDial(t *testing.T) {
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := netguard.Dial(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got := c.RemoteAddr().String(); got != l.Addr().String() {
		t.Errorf("dialled %s, want %s", got, l.Addr())
	}

	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := netguard.Dial(ctx, "tcp", l.Addr().String()); err == nil {
		t.Error("it dials with a ctx that has ended")
	}
	for _, address := range []string{"", "127.0.0.1", "127.0.0.1:http", "127.0.0.1:65536", "127.0.0.1:-1"} {
		if c, err := netguard.Dial(t.Context(), "tcp", address); err == nil {
			c.Close()
			t.Errorf("Dial(%q) connects", address)
		}
	}
}

// TestDialer checks what Dialer refuses before it dials.
func TestDialer(t *testing.T) {
	dialed := ""
	p := netguard.Policy{Dial: func(_ context.Context, _, address string) (net.Conn, error) {
		dialed = address
		near, _ := net.Pipe()
		return near, nil
	}}
	dial := p.Dialer()
	for address, want := range map[string]string{
		"93.184.216.34:443":         "93.184.216.34:443",
		"[2606:2800:220:1::1]:8443": "[2606:2800:220:1::1]:8443",
		"[::ffff:93.184.216.34]:80": "93.184.216.34:80",
		"93.184.216.34:25":          "",
		"127.0.0.1:80":              "",
		"[::1]:80":                  "",
		"localhost:80":              "",
		"intranet:80":               "",
		"a@93.184.216.34:80":        "",
		"93.184.216.34/:80":         "",
		"93.184.216.34?:80":         "",
		"93.184.216.34:80#":         "",
		"":                          "",
		"2130706433:80":             "",
		"0x7f.1:80":                 "",
		"[fe80::1%25eth0]:80":       "",
		"[64:ff9b::a9fe:a9fe]:80":   "",
	} {
		dialed = ""
		c, err := dial(t.Context(), "tcp", address)
		if c != nil {
			_ = c.Close()
		}
		if dialed != want || (err == nil) != (want != "") {
			t.Errorf("%q: dialed %q, %v; want %q", address, dialed, err, want)
		}
	}
}
