// SPDX-License-Identifier: Apache-2.0

package netguard

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
)

// ErrFlood ends a connection that sends more than its exchanges account for.
var ErrFlood = errors.New("connection floods")

const (
	idleAllowance  = 256 << 10
	shareAllowance = streamWindow + 512<<10 // of one exchange, besides what it accounts for
)

// Conn is a connection that a guard has dialled. Once an exchange shares it,
// it takes in no more than the exchanges are worth: net/http itself has no
// bound for frames and chunks that carry nothing.
type Conn struct {
	net.Conn

	written atomic.Int64 // bytes that went out

	mu     sync.Mutex // guards the rest
	shares int
	shared bool  // some time
	left   int64 // bytes that may come

	settled bool // an exchange has it, some time

	keep func() bool // stops abandon; set before c is shared
}

// settle keeps c for as long as its exchanges want it.
func (c *Conn) settle() {
	if c == nil || c.keep == nil {
		return
	}
	c.mu.Lock()
	c.settled = true
	c.mu.Unlock()
	c.keep()
}

// abandon closes c when the exchange that it was dialled for has ended. Another
// that has got it meanwhile keeps it: to stop the call is not enough, for it may
// be under way, and net/http would then ask the server again, unseen.
func (c *Conn) abandon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.settled {
		_ = c.Close()
	}
}

// ConnOf returns the guard's connection under c, which may be TLS; nil where
// there is none.
func ConnOf(c net.Conn) *Conn {
	if secure, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = secure.NetConn()
	}
	guarded, _ := c.(*Conn)
	return guarded
}

// Share begins an exchange on c. A nil Conn shares nothing.
func (c *Conn) Share() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.shared {
		c.shared, c.left = true, idleAllowance
	}
	c.shares++
	c.left += shareAllowance
}

// Account allows for n bytes of a body that have been used, framed up to twice
// their size.
func (c *Conn) Account(n int) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left += 2 * int64(n)
}

// Release ends an exchange.
func (c *Conn) Release() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shares--
	c.left = min(c.left, idleAllowance+int64(c.shares)*shareAllowance)
}

// Read reads, until more has come than there is to account for: [ErrFlood].
func (c *Conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left -= int64(n); c.shared && c.left < 0 {
		return n, ErrFlood
	}
	return n, err
}

// Write writes, and counts what went out.
func (c *Conn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n))
	return n, err
}

// Written returns how many bytes have gone out on c, handshakes included; none
// on a nil Conn.
func (c *Conn) Written() int64 {
	if c == nil {
		return 0
	}
	return c.written.Load()
}
