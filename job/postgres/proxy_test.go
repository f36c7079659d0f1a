// SPDX-License-Identifier: Apache-2.0

package postgres_test

import (
	"context"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// proxy passes connections on to a server, and cuts them when it is told to.
type proxy struct {
	to   string // the socket of the server
	dir  string
	l    net.Listener
	wait sync.WaitGroup

	mu    sync.Mutex
	conns map[net.Conn]bool // guarded by mu
	ended bool              // guarded by mu
	cuts  int               // guarded by mu; how often answers were cut
	left  int               // guarded by mu; bytes of answers until all connections are cut; negative means never
	delay time.Duration     // guarded by mu; how late each answer is
	gate  chan struct{}     // guarded by mu; answers wait until it is closed; nil means that they do not
}

// cutting returns a proxy before the server at url, and the connection string for
// it.
func cutting(t *testing.T, url string) (*proxy, string) {
	t.Helper()
	host, rest, _ := strings.Cut(strings.TrimPrefix(url, "host="), " ")
	p := &proxy{to: filepath.Join(host, ".s.PGSQL.5432"), dir: t.TempDir(), conns: map[net.Conn]bool{}, left: -1}
	var err error
	if p.l, err = new(net.ListenConfig).Listen(t.Context(), "unix", filepath.Join(p.dir, ".s.PGSQL.5432")); err != nil {
		t.Fatal(err)
	}
	p.wait.Go(func() {
		for {
			c, err := p.l.Accept()
			if err != nil {
				return
			}
			p.wait.Go(func() { p.serve(context.WithoutCancel(t.Context()), c) }) // stores close after the end of the context
		}
	})
	t.Cleanup(func() {
		p.mu.Lock()
		p.ended = true
		p.mu.Unlock()
		p.l.Close()
		p.cut()
		p.wait.Wait()
	})
	return p, "host=" + p.dir + " " + rest
}

// cut closes all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		c.Close()
	}
	clear(p.conns)
}

// cutAfter closes all connections when the server has sent so many more bytes. The
// answers to some statements are then lost although they were executed.
func (p *proxy) cutAfter(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = n
}

// count returns how often connections were cut by cutAfter.
func (p *proxy) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cuts
}

// slow makes each answer late.
func (p *proxy) slow(delay time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = delay
}

// hold keeps back all answers until release is called. Statements are executed.
func (p *proxy) hold() (release func()) {
	gate := make(chan struct{})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gate = gate
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.gate = nil
		close(gate)
	})
}

// refuse cuts all connections, and accepts no more until it is called with false.
func (p *proxy) refuse(on bool) {
	p.mu.Lock()
	p.ended = on
	p.mu.Unlock()
	if on {
		p.cut()
	}
}

// await waits until an answer may be passed on. An answer that is held back is also
// released when the client goes away.
func (p *proxy) await(ctx context.Context, gone <-chan struct{}) {
	p.mu.Lock()
	delay, gate := p.delay, p.gate
	p.mu.Unlock()
	if delay > 0 {
		wait(ctx, delay)
	}
	if gate == nil {
		return
	}
	select {
	case <-gate:
	case <-gone:
	case <-ctx.Done():
	}
}

func (p *proxy) serve(ctx context.Context, client net.Conn) {
	defer client.Close()
	server, err := new(net.Dialer).DialContext(ctx, "unix", p.to)
	if err != nil {
		return
	}
	defer server.Close()
	p.mu.Lock()
	if p.ended {
		p.mu.Unlock()
		return
	}
	p.conns[client], p.conns[server] = true, true
	p.mu.Unlock()
	var both sync.WaitGroup
	gone := make(chan struct{})
	both.Go(func() {
		defer close(gone)
		_, _ = io.Copy(server, client)
		server.Close()
	})
	buf := make([]byte, 4096)
	for {
		n, err := server.Read(buf)
		p.mu.Lock()
		cut := p.left >= 0 && n > p.left
		if p.left >= 0 && n > 0 {
			p.left -= min(n, p.left)
		}
		if cut {
			p.left = -1
			p.cuts++
		}
		p.mu.Unlock()
		if cut {
			p.cut()
		}
		p.await(ctx, gone)
		if err != nil || cut {
			break
		}
		if _, err := client.Write(buf[:n]); err != nil {
			break
		}
	}
	client.Close()
	server.Close()
	both.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, client)
	delete(p.conns, server)
}
