// SPDX-License-Identifier: Apache-2.0

package fetch_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/curlew/fetch"
)

// tunnel is an HTTP proxy that answers for the sites itself, and counts what it was asked.
type tunnel struct {
	*httptest.Server
	asked  atomic.Int64
	status atomic.Int64 // of its answers to CONNECT; zero means 200
}

func newTunnel(t *testing.T, name string) *tunnel {
	p := new(tunnel)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.asked.Add(1)
		if s := p.status.Load(); s != 0 {
			w.WriteHeader(int(s))
			return
		}
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
		if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"+name)
		}
	}))
	t.Cleanup(p.Close)
	return p
}

// TestPool checks that a host keeps its proxy, that others take over, and that nothing is
// ever requested directly.
func TestPool(t *testing.T) {
	a, b, own := newTunnel(t, "a"), newTunnel(t, "b"), newTunnel(t, "own")
	list, err := fetch.ReadProxies(strings.NewReader("# a comment\n\n" + a.URL + " weight=2\n" + b.URL + "\n" + strings.Replace(own.URL, "http://", "http://me:secret@", 1) + " teams=red,blue\n"))
	if err != nil {
		t.Fatal(err)
	}
	direct := new(atomic.Int64)
	c := over(t, &fetch.Client{}, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { direct.Add(1) }))
	var log bytes.Buffer
	pool := fetch.NewPool(c, list, slog.New(slog.NewTextHandler(&log, nil)))
	defer pool.CloseIdleConnections()
	get := func(team string, host int) (string, error) {
		ctx := t.Context()
		if team != "" {
			ctx = fetch.WithTeam(ctx, team)
		}
		resp, err := pool.Fetch(ctx, &fetch.Request{URL: fmt.Sprintf("http://%d.test/", host), Retries: -1})
		if err != nil {
			return "", err
		}
		return string(resp.Body), nil
	}
	const hosts = 30
	first := make([]string, hosts)
	for i := range hosts {
		first[i], err = get("", i)
		again, err2 := get("green", i) // a team that no proxy names
		if err != nil || err2 != nil || first[i] != again || first[i] == "own" {
			t.Fatalf("host %d: %q, %v and %q, %v", i, first[i], err, again, err2)
		}
		if got, err := get("red", i); err != nil || got != "own" {
			t.Fatalf("team red got %q, %v", got, err)
		}
	}
	if !slices.Contains(first, "a") || !slices.Contains(first, "b") {
		t.Errorf("all hosts use one proxy: %q", first)
	}
	a.status.Store(http.StatusProxyAuthRequired)
	for i := range hosts {
		if got, err := get("", i); err != nil || got != "b" {
			t.Fatalf("host %d: %q, %v", i, got, err)
		}
	}
	asked := a.asked.Load()
	for i := range hosts {
		if got, err := get("", i); err != nil || got != "b" {
			t.Fatalf("host %d: %q, %v", i, got, err)
		}
	}
	if a.asked.Load() != asked {
		t.Error("a proxy that is out is still asked")
	}
	b.status.Store(http.StatusBadGateway) // it works, but the site does not answer
	if _, err := get("", 1); err == nil || errors.Is(err, fetch.ErrProxy) {
		t.Errorf("a site that a proxy does not reach: %v", err)
	}
	b.Close()
	for range 4 {
		if _, err := get("", 1); !errors.Is(err, fetch.ErrProxy) {
			t.Errorf("without a proxy: %v", err)
		}
	}
	if got, err := get("blue", 1); err != nil || got != "own" {
		t.Errorf("team blue got %q, %v", got, err)
	}
	if _, err := pool.Fetch(fetch.WithTeam(t.Context(), "red"), &fetch.Request{URL: "http://127.0.0.1/"}); !errors.Is(err, fetch.ErrAddress) {
		t.Errorf("a private address: %v", err)
	}
	if direct.Load() > 0 {
		t.Error("a page was requested directly")
	}
	if said := log.String(); !strings.Contains(said, "out of order for 30s") || strings.Contains(said, "secret") {
		t.Errorf("log: %s", said)
	}
}

// TestHealth checks when a proxy is out, and when it is tried again.
func TestHealth(t *testing.T) {
	e, now := fetch.NewHealth(), time.Unix(0, 0)
	fail := func() string { return e.Leave(now, true, false) }
	for range 2 {
		if !e.Enter(now) || fail() != "" {
			t.Fatal("it is out too early")
		}
	}
	if e.Enter(now); e.Leave(now, false, true) != "" {
		t.Fatal("an abandoned fetch counts")
	}
	for _, out := range []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 10 * time.Minute, 10 * time.Minute} {
		if !e.Enter(now) {
			t.Fatalf("it is not tried before %v", out)
		}
		if text := fail(); !strings.HasSuffix(text, " for "+out.String()) {
			t.Fatalf("%q, want %v", text, out)
		}
		if e.Enter(now.Add(out - time.Nanosecond)) {
			t.Fatalf("it is used within %v", out)
		}
		now = now.Add(out)
	}
	if !e.Enter(now) || e.Enter(now) {
		t.Error("more than one fetch tries it")
	}
	if e.Leave(now, false, false) == "" || !e.Enter(now) || !e.Enter(now) {
		t.Error("it is not used again")
	}
}

// TestReadProxies checks that a wrong line is an error that does not quote it.
func TestReadProxies(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "there is no proxy",
		"# none\n":                     "there is no proxy",
		"http://a.test\nsecret":        "line 2: ",
		"ftp://secret@a.test":          "line 1: ",
		"socks5h://u:secret@a.test":    "socks5h lets the proxy",
		"http://a.test weight=0":       "weight must be a number",
		"http://a.test weight=x":       "weight must be a number",
		"http://a.test teams=a,,b":     "a team has no name",
		"http://a.test country=secret": "only weight=N and teams=A,B",
		"http://a.test\x00 " + strings.Repeat("x", 1<<17): "too long",
		strings.Repeat("direct\n", 1001):                  "more than 1000",
	} {
		if _, err := fetch.ReadProxies(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
}
