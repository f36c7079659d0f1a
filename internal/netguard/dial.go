// SPDX-License-Identifier: Apache-2.0

package netguard

import (
	"context"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"syscall"
	"time"
)

const (
	dialTimeout   = 10 * time.Second
	dialStagger   = 250 * time.Millisecond // RFC 8305 section 5
	maxDialled    = 16                     // maximum number of addresses of one name
	interfaceLife = time.Minute
)

// guard dials according to a policy.
type guard struct {
	policy Policy
	open   bool // check nothing, for addresses that the operator has configured
	names  names

	mu   sync.Mutex // guards own and seen
	own  own
	seen time.Time // when own was read
}

// dial connects to an address. The dial ends with its exchange. So does the
// connection if the exchange never uses it, for example because of its
// handshake.
func (g *guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	exchange, ok := ctx.Value(exchangeKey{}).(context.Context) //nolint:contextcheck // it is the caller's own
	if !ok {
		exchange = ctx
	}
	if exchange.Err() != nil { // net/http dials even if the exchange has ended
		return nil, context.Cause(exchange)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(exchange, func() { cancel(context.Cause(exchange)) })()
	raw, err := g.find(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c := &Conn{Conn: raw}
	c.keep = context.AfterFunc(exchange, c.abandon)
	return c, nil
}

// find connects to an address whose host may be a name. Of the addresses of a
// name, it dials only those that the policy allows.
func (g *guard) find(ctx context.Context, network, address string) (net.Conn, error) {
	host, portText, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, &Error{Address: address, Reason: "port"}
	}
	addrs := []netip.Addr{}
	if a, err := netip.ParseAddr(host); err == nil {
		addrs = append(addrs, a)
	} else if addrs, err = g.names.lookup(ctx, host); err != nil {
		return nil, err
	}
	var targets []netip.AddrPort
	var refused error = &net.DNSError{Err: "no address", Name: host, IsNotFound: true}
	for _, a := range addrs {
		target := netip.AddrPortFrom(a, uint16(port))
		if err := g.check(target); err != nil {
			refused = err
			continue
		}
		targets = append(targets, netip.AddrPortFrom(a.Unmap(), uint16(port)))
	}
	if len(targets) == 0 {
		return nil, refused
	}
	return g.race(ctx, network, alternate(targets))
}

// check checks one address.
func (g *guard) check(a netip.AddrPort) error {
	if g.open {
		return nil
	}
	if err := g.policy.judge(a.Addr(), int(a.Port())); err != nil {
		return err
	}
	return g.policy.judgeLocal(a.Addr(), g.interfaces())
}

// control is called by the system's dialer before each connect. It returns
// errors and must not panic, because a panic there could not be recovered.
func (g *guard) control(_ context.Context, network, address string, _ syscall.RawConn) error {
	if g.open {
		return nil
	}
	a, err := checkForm(network, address)
	if err != nil {
		return err
	}
	return g.check(a)
}

// interfaces returns the machine's addresses, which are at most a minute old.
func (g *guard) interfaces() own {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now := time.Now(); g.seen.IsZero() || now.Sub(g.seen) >= interfaceLife {
		g.own, g.seen = interfaces(), now
	}
	return g.own
}

// race connects to the first target that answers. Each target gets a head start
// before the next one is tried concurrently. All attempts have ended on return.
func (g *guard) race(ctx context.Context, network string, targets []netip.AddrPort) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	if len(targets) == 1 {
		return g.connect(ctx, network, targets[0])
	}
	type result struct {
		conn net.Conn
		err  error
	}
	results := make(chan result)
	running := 0
	defer func() { // there is a winner or ctx has ended, so the other attempts are cancelled
		cancel()
		for ; running > 0; running-- {
			if r := <-results; r.conn != nil {
				_ = r.conn.Close()
			}
		}
	}()
	stagger := time.NewTimer(0)
	defer stagger.Stop()
	var first error
	for {
		select {
		case <-stagger.C:
			if len(targets) > 0 {
				target := targets[0]
				targets = targets[1:]
				running++
				go func() {
					c, err := g.connect(ctx, network, target)
					results <- result{c, err}
				}()
				stagger.Reset(dialStagger)
			}
		case r := <-results:
			running--
			switch {
			case r.err == nil:
				return r.conn, nil
			case first == nil:
				first = r.err
			}
			if running == 0 && len(targets) == 0 {
				return nil, first
			}
			stagger.Reset(0)
		}
	}
}

// connect connects to one checked address.
func (g *guard) connect(ctx context.Context, network string, target netip.AddrPort) (net.Conn, error) {
	if g.policy.Dial != nil {
		return g.policy.Dial(ctx, network, target.String())
	}
	d := net.Dialer{ControlContext: g.control}
	return d.DialContext(ctx, network, target.String())
}

// alternate returns at most maxDialled targets with alternating address
// families, starting with that of the first target (RFC 8305 section 4).
func alternate(targets []netip.AddrPort) []netip.AddrPort {
	var same, other []netip.AddrPort
	for _, t := range targets {
		if t.Addr().Is4() == targets[0].Addr().Is4() {
			same = append(same, t)
		} else {
			other = append(other, t)
		}
	}
	turns := make([]netip.AddrPort, 0, len(targets))
	for i := range max(len(same), len(other)) {
		if i < len(same) {
			turns = append(turns, same[i])
		}
		if i < len(other) {
			turns = append(turns, other[i])
		}
	}
	return turns[:min(len(turns), maxDialled)]
}

// Dial connects to an address that the operator has configured, such as that of
// a log collector, without a policy. network is tcp, tcp4 or tcp6. A name is
// resolved for each call, and each of its addresses is tried.
func Dial(ctx context.Context, network, address string) (net.Conn, error) {
	g := &guard{open: true}
	return g.find(ctx, network, address)
}
