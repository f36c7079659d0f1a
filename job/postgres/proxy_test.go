// SPDX-License-Identifier: Apache-2.0

package postgres_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
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
	trap  *trap             // guarded by mu
	asked int               // guarded by mu; statements that clients have executed
}

// trap makes the answer to one transaction lost.
type trap struct {
	text   string        // part of a statement of the transaction
	late   chan struct{} // the server gets the transaction when it is closed
	half   bool          // the server never gets the end of the transaction
	caught chan struct{} // closed when the client has sent the transaction
	done   chan struct{} // closed when the server has executed it
}

// lose makes the answer to the next transaction with a statement that contains text lost.
// The server executes it, and its connection is cut. The client must use the query mode
// cache_describe, so that each transaction contains its statements.
func (p *proxy) lose(text string) *trap {
	x := &trap{text: text, late: make(chan struct{}), caught: make(chan struct{}), done: make(chan struct{})}
	close(x.late)
	p.set(x)
	return x
}

// detain is lose for a transaction that the server executes later. Its connection is cut
// at once, and the server gets the transaction when late is closed.
func (p *proxy) detain(text string) *trap {
	x := &trap{text: text, late: make(chan struct{}), caught: make(chan struct{}), done: make(chan struct{})}
	p.set(x)
	return x
}

// halve is lose for a transaction whose end never arrives. The server keeps the connection.
func (p *proxy) halve(text string) *trap {
	x := &trap{text: text, late: make(chan struct{}), half: true, caught: make(chan struct{}), done: make(chan struct{})}
	p.set(x)
	return x
}

func (p *proxy) set(x *trap) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trap = x
}

// statements returns how many statements clients have executed.
func (p *proxy) statements() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// catch counts the statements of a transaction, and returns the trap for it, or nil. A trap
// is for one transaction only.
func (p *proxy) catch(transaction []byte, statements int) *trap {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked += statements
	x := p.trap
	if x == nil || !bytes.Contains(transaction, []byte(x.text)) {
		return nil
	}
	p.trap = nil
	return x
}

// requests passes requests on to the server, until the connection ends or a transaction is
// caught.
func (p *proxy) requests(ctx context.Context, server, client net.Conn, caught *atomic.Pointer[trap]) {
	in := bufio.NewReader(client)
	var b []byte
	executes := 0
	for size := 4; ; size = 5 { // the first message has no type
		head := make([]byte, size)
		if _, err := io.ReadFull(in, head); err != nil {
			return
		}
		body, err := io.ReadAll(io.LimitReader(in, int64(binary.BigEndian.Uint32(head[size-4:]))-4))
		if err != nil {
			return
		}
		b = append(append(b, head...), body...)
		if size == 5 && bytes.IndexByte([]byte("PBDCE"), head[0]) >= 0 { // more follows: parse, bind, describe, close, execute
			if head[0] == 'E' {
				executes++
			}
			continue
		}
		var x *trap
		if executes > 0 {
			x = p.catch(b, executes)
		}
		if x != nil {
			caught.Store(x)
			close(x.caught)
			select {
			case <-x.late:
			default:
				client.Close()
			}
			if x.half {
				_, _ = server.Write(b[:len(b)-5]) // without the message that ends it
			}
			select {
			case <-x.late:
			case <-ctx.Done():
				return
			}
		}
		if _, err := server.Write(b); err != nil || x != nil {
			return
		}
		b, executes = nil, 0
	}
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
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context())) // stores close after the end of the context
	p.wait.Go(func() {
		for {
			c, err := p.l.Accept()
			if err != nil {
				return
			}
			p.wait.Go(func() { p.serve(ctx, c) })
		}
	})
	t.Cleanup(func() {
		p.mu.Lock()
		p.ended = true
		p.mu.Unlock()
		p.l.Close()
		p.cut()
		stop()
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
	var caught atomic.Pointer[trap]
	both.Go(func() {
		defer close(gone)
		p.requests(ctx, server, client, &caught)
		if caught.Load() == nil {
			server.Close()
		}
	})
	buf := make([]byte, 4096)
	for {
		n, err := server.Read(buf)
		if x := caught.Load(); x != nil {
			if n >= 6 && bytes.Equal(buf[n-6:n-1], []byte("Z\x00\x00\x00\x05")) { // ready for the next transaction
				client.Close()
				close(x.done)
				break
			}
			if err == nil {
				continue
			}
		}
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
