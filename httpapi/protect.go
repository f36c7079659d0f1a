// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"example.com/curlew"
	"example.com/curlew/httpapi/internal/pacing"
)

// Protect prepares a server for unknown clients. Call it before the server serves:
//
//   - On every path, including those that server.Handler serves besides a
//     [Handler], bodies must arrive at the rate that [Handler.ServeHTTP] requires,
//     and a body that is not read ends its connection. This includes OPTIONS *,
//     which is passed to server.Handler.
//   - The number of connections is limited by [curlew.Limits].Connections. At the
//     limit, a new connection replaces one that has not sent a valid key: the
//     oldest of the address with most of these. If there is none, it replaces the
//     oldest idle connection. If there is none either, the new one is closed.
//     WebSockets of a Handler count until they end, and other upgraded connections
//     until their upgrade.
//   - Zero timeouts and sizes of headers are replaced by limits: 10 s for headers,
//     one minute between requests, 64 KiB.
//
// The server's ConnState and ConnContext are called as before.
func Protect(server *http.Server, s *curlew.Service) {
	server.ReadHeaderTimeout = cmp.Or(server.ReadHeaderTimeout, 10*time.Second)
	server.IdleTimeout = cmp.Or(server.IdleTimeout, time.Minute)
	server.MaxHeaderBytes = cmp.Or(server.MaxHeaderBytes, 64<<10)
	server.DisableGeneralOptionsHandler = true
	inner := server.Handler
	if inner == nil {
		inner = http.NotFoundHandler()
	}
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { pacing.Serve(w, r, inner.ServeHTTP) })

	guests := &guests{most: s.Capacity().Connections, open: map[net.Conn]*guest{}}
	state, under := server.ConnState, server.ConnContext
	server.ConnState = func(conn net.Conn, now http.ConnState) {
		guests.turns(conn, now)
		if state != nil {
			state(conn, now)
		}
	}
	server.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		if under != nil {
			ctx = under(ctx, conn)
		}
		return context.WithValue(ctx, guestKey{}, host{guests, conn})
	}
}

// guestKey is the context key of a connection.
type guestKey struct{}

// host is where a connection is counted.
type host struct {
	guests *guests
	conn   net.Conn
}

// known records that the client of a request has sent a valid key.
func known(ctx context.Context) {
	if h, ok := ctx.Value(guestKey{}).(host); ok {
		h.guests.know(h.conn)
	}
}

// stays makes the connection of a request count after its upgrade too, until leaves is called,
// because net/http no longer reports its state.
func stays(ctx context.Context) (leaves func()) {
	h, ok := ctx.Value(guestKey{}).(host)
	if !ok {
		return func() {}
	}
	h.guests.keep(h.conn)
	return func() { h.guests.leave(h.conn) }
}

// guests are the connections of clients. Their number is limited by most.
// Connections without a valid key are closed in favour of new ones.
type guests struct {
	most int // a negative number means no limit

	mu   sync.Mutex
	last uint64              // guarded by mu
	open map[net.Conn]*guest // guarded by mu
}

// guest is one connection.
type guest struct {
	address string // address of the client, without the port
	turn    uint64 // order in which connections arrived or became idle
	known   bool   // it has sent a valid key
	idle    bool   // it is between requests
	stays   bool   // if it is upgraded, it counts until leave
	taken   bool   // it was upgraded
}

// turns records the state of a connection.
func (g *guests) turns(conn net.Conn, now http.ConnState) {
	var leaves net.Conn
	g.mu.Lock()
	defer func() {
		g.mu.Unlock()
		if leaves != nil {
			_ = below(leaves).Close()
		}
	}()
	g.last++
	switch now {
	case http.StateNew:
		address, _, err := net.SplitHostPort(conn.RemoteAddr().String())
		if err != nil {
			address = conn.RemoteAddr().String()
		}
		if g.most >= 0 && len(g.open) >= g.most {
			if leaves = g.yields(address); leaves == nil {
				leaves = conn
				return
			}
			delete(g.open, leaves)
		}
		g.open[conn] = &guest{address: address, turn: g.last}
	case http.StateIdle:
		if o := g.open[conn]; o != nil {
			o.idle = true
			if o.known {
				o.turn = g.last
			}
		}
	case http.StateActive:
		if o := g.open[conn]; o != nil {
			o.idle = false
		}
	case http.StateHijacked: // its handler controls it now
		if o := g.open[conn]; o != nil && o.stays {
			o.taken = true
		} else {
			delete(g.open, conn)
		}
	case http.StateClosed:
		delete(g.open, conn)
	}
}

// below returns the connection under TLS, because the client can delay the
// closing of TLS.
func below(conn net.Conn) net.Conn {
	if t, ok := conn.(interface{ NetConn() net.Conn }); ok {
		return t.NetConn()
	}
	return conn
}

// yields returns the connection that is closed in favour of a new one from
// address, or nil if there is none. The caller must hold mu.
func (g *guests) yields(address string) net.Conn {
	strangers := map[string]int{address: 1}
	for _, o := range g.open {
		if !o.known {
			strangers[o.address]++
		}
	}
	var which net.Conn
	var chosen *guest
	for conn, o := range g.open {
		if (!o.known || o.idle) && (chosen == nil || o.before(chosen, strangers)) {
			which, chosen = conn, o
		}
	}
	return which
}

// before reports whether o is closed before other.
func (o *guest) before(other *guest, strangers map[string]int) bool {
	if o.known != other.known {
		return !o.known
	}
	if n, m := strangers[o.address], strangers[other.address]; !o.known && n != m {
		return n > m
	}
	return o.turn < other.turn
}

// know records that the client of a connection has sent a valid key.
func (g *guests) know(conn net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if o := g.open[conn]; o != nil {
		o.known = true
	}
}

// keep makes a connection count until leave is called.
func (g *guests) keep(conn net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if o := g.open[conn]; o != nil {
		o.stays = true
	}
}

// leave records that the upgrade of a kept connection is over or has failed.
func (g *guests) leave(conn net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch o := g.open[conn]; {
	case o == nil:
	case o.taken:
		delete(g.open, conn)
	default:
		o.stays = false
	}
}
