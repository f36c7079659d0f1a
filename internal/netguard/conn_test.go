// SPDX-License-Identifier: Apache-2.0

package netguard_test

import (
	"errors"
	"io"
	"net"
	"testing"

	"example.com/curlew/internal/netguard"
)

// zeros is a connection that sends endless zeros.
type zeros struct{ net.Conn }

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// wrapped is a layer above a connection, like TLS.
type wrapped struct {
	net.Conn
	below net.Conn
}

func (w wrapped) NetConn() net.Conn { return w.below }

// take reads n bytes from c in pieces, and returns the number of bytes before
// an error.
func take(c net.Conn, n int64) (int64, error) {
	return io.CopyBuffer(struct{ io.Writer }{io.Discard}, io.LimitReader(struct{ io.Reader }{c}, n), make([]byte, 4096))
}

func TestConn(t *testing.T) {
	const mb = 1 << 20
	c := &netguard.Conn{Conn: zeros{}}
	if n, err := take(c, 64*mb); err != nil || n != 64*mb {
		t.Fatalf("before it is shared it gave %d bytes, %v", n, err)
	}
	c.Share()
	for range 500 { // data with a framing of half its size
		if _, err := take(c, mb/10*3/2); err != nil {
			t.Fatal(err)
		}
		c.Account(mb / 10)
	}
	c.Release()
	c.Share()
	if n, err := take(c, 64*mb); !errors.Is(err, netguard.ErrFlood) || n > 2*mb || n < mb/2 {
		t.Errorf("a flood gave %d bytes, %v", n, err)
	}
	if _, err := take(c, 1); !errors.Is(err, netguard.ErrFlood) {
		t.Errorf("behind the flood: %v", err)
	}
}

// TestConnShares uses several exchanges at once, each of which has its own
// allowance.
func TestConnShares(t *testing.T) {
	room := func(shares, released int) int64 {
		c := &netguard.Conn{Conn: zeros{}}
		for range shares {
			c.Share()
		}
		for range released {
			c.Release()
		}
		n, err := take(c, 1<<30)
		if !errors.Is(err, netguard.ErrFlood) {
			t.Errorf("%d shares: %v", shares, err)
		}
		return n
	}
	if one, three := room(1, 0), room(3, 0); three < 2*one {
		t.Errorf("one exchange has room for %d bytes, three for %d", one, three)
	}
	if one, three := room(1, 0), room(3, 2); three != one {
		t.Errorf("one exchange has room for %d bytes, one that is left of three for %d", one, three)
	}
}

func TestConnOf(t *testing.T) {
	c := &netguard.Conn{Conn: zeros{}}
	for _, test := range []struct {
		conn net.Conn
		want *netguard.Conn
	}{
		{c, c}, {wrapped{below: c}, c}, {zeros{}, nil}, {wrapped{below: zeros{}}, nil}, {nil, nil},
	} {
		got := netguard.ConnOf(test.conn)
		if got != test.want {
			t.Errorf("ConnOf(%T) = %v, want %v", test.conn, got, test.want)
		}
	}
	var none *netguard.Conn // a nil Conn is valid
	none.Share()
	none.Account(1)
	none.Release()
}

// TestAbandon checks that a connection stays open if the exchange that it was
// dialed for ends while another one uses it, even if both happen at the same
// moment.
func TestAbandon(t *testing.T) {
	for _, settled := range []bool{true, false} {
		near, far := net.Pipe()
		defer near.Close()
		defer far.Close()
		c := &netguard.Conn{Conn: near}
		if settled {
			c.Settle()
		}
		c.Abandon()
		go func() { _, _ = far.Write([]byte("x")) }()
		if _, err := c.Read(make([]byte, 1)); (err == nil) != settled {
			t.Errorf("settled %v: %v", settled, err)
		}
	}
}
