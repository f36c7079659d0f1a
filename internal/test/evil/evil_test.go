// SPDX-License-Identifier: Apache-2.0

package evil_test

import (
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/curlew/internal/test/evil"
	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

func TestCases(t *testing.T) {
	all := evil.Cases()
	if len(all) < 300 {
		t.Errorf("%d cases, want at least 300", len(all))
	}
	seen := map[string]bool{}
	for _, c := range all {
		if seen[c.Name] {
			t.Errorf("two cases are named %s", c.Name)
		}
		seen[c.Name] = true
		if len(c.Wants) == 0 || c.Serve == nil || c.Limit() < 1 {
			t.Errorf("%s: incomplete", c.Name)
		}
		if c.TLS != nil && !c.HTTPS {
			t.Errorf("%s: TLS without https", c.Name)
		}
	}
}

// TestServers connects to every server, reads a little, closes the connection,
// and stops the server.
func TestServers(t *testing.T) {
	var wg sync.WaitGroup
	defer wg.Wait()
	slots := make(chan struct{}, 16)
	for _, c := range evil.Cases() {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			s, err := evil.Start(t.Context(), c)
			if err != nil {
				t.Errorf("%s: %v", c.Name, err)
				return
			}
			defer s.Close()
			scheme, address, _ := strings.Cut(strings.TrimSuffix(s.URL, "/"), "://")
			if (scheme == "https") != c.HTTPS {
				t.Errorf("%s: URL %s", c.Name, s.URL)
			}
			conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
			if err != nil {
				return // the server may reset the connection first
			}
			defer conn.Close()
			_ = conn.SetDeadline(time.Now().Add(20 * time.Millisecond))
			_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
			_, _ = io.CopyN(io.Discard, conn, 64<<10)
		})
	}
}

func TestStartEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	hold := evil.Case{Name: "hold", Serve: (*evil.Conn).Hold}
	s, err := evil.Start(ctx, hold)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimSuffix(strings.TrimPrefix(s.URL, "http://"), "/"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	cancel()
	if _, err := io.Copy(io.Discard, conn); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Errorf("the connection of a server whose time is over: %v", err)
	}
	s.Close()
}
