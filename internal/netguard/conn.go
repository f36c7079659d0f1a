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
	shareAllowance = streamWindow + 512<<10 // bytes of one exchange in addition to those that it accounts for
)

// Conn is a connection that a guard has dialed. Once an exchange uses it, it
// accepts only as many bytes as the exchanges account for, because net/http
// itself does not limit frames and chunks without content.
type Conn struct {
	net.Conn

	written atomic.Int64 // bytes sent

	mu     sync.Mutex // guards the rest
	shares int
	shared bool  // it has been shared at least once
	left   int64 // bytes that may still arrive

	settled bool // an exchange has used it

	keep func() bool // stops abandon; set before c is shared
}

// settle keeps c open independently of the exchange that it was dialed for.
func (c *Conn) settle() {
	if c == nil || c.keep == nil {
		return
	}
	c.mu.Lock()
	c.settled = true
	c.mu.Unlock()
	c.keep()
}

// abandon closes c when the exchange that it was dialed for has ended, unless
// another exchange uses it. It is not enough to stop this call, because it may
// already be running, and net/http would then repeat the request of the other
// exchange by itself.
func (c *Conn) abandon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.settled {
		_ = c.Close()
	}
}

// ConnOf returns the guard's connection below c, which may use TLS, or nil.
func ConnOf(c net.Conn) *Conn {
	if secure, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = secure.NetConn()
	}
	guarded, _ := c.(*Conn)
	return guarded
}

// Share starts an exchange on c. On a nil Conn it does nothing.
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

// Account allows n more bytes of a body, with a framing of up to the same size.
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

// Read reads from the connection. If more arrives than is allowed, it returns
// [ErrFlood].
func (c *Conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left -= int64(n); c.shared && c.left < 0 {
		return n, ErrFlood
	}
	return n, err
}

// Write writes to the connection and counts the bytes.
func (c *Conn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n))
	return n, err
}

// Written returns how many bytes were sent on c, including handshakes. For a
// nil Conn it is zero.
func (c *Conn) Written() int64 {
	if c == nil {
		return 0
	}
	return c.written.Load()
}
