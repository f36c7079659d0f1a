// SPDX-License-Identifier: Apache-2.0

package netguard

import (
	"io"
	"net"
	"net/netip"
	"strconv"
)

// socksPort is the default port of SOCKS proxies.
const socksPort = 1080

// socks implements the protocol of SOCKS 5 proxies (RFC 1928).
type socks struct {
	name, password string
	named          bool // offer authentication by name and password (RFC 1929)
}

// Authentication methods (RFC 1928 section 3).
const (
	socksOpen     = 0x00
	socksPassword = 0x02
)

// connect asks the proxy to connect to an address.
func (s *socks) connect(c net.Conn, address string) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return &ProxyError{Reason: "not an address"}
	}
	if err := s.greet(c); err != nil {
		return err
	}
	// Version, CONNECT, a reserved byte, address type, address, port.
	request := []byte{5, 1, 0, 1}
	if target.Addr().Is6() {
		request[3] = 4
	}
	request = append(request, target.Addr().AsSlice()...)
	if _, err := c.Write(append(request, byte(target.Port()>>8), byte(target.Port()))); err != nil { //nolint:gosec // G115: the two bytes of the port
		return err
	}
	return socksAnswer(c)
}

// greet negotiates an authentication method and performs it.
func (s *socks) greet(c net.Conn) error {
	hello := []byte{5, 1, socksOpen}
	if s.named {
		hello = []byte{5, 2, socksOpen, socksPassword}
	}
	if _, err := c.Write(hello); err != nil {
		return err
	}
	var method [2]byte
	if _, err := io.ReadFull(c, method[:]); err != nil {
		return err
	}
	switch {
	case method[0] != 5:
		return &ProxyError{Reason: "it does not speak SOCKS 5"}
	case method[1] == socksOpen:
		return nil
	case method[1] != socksPassword || !s.named:
		return &ProxyError{Reason: "it accepts none of the methods of authentication"}
	}
	// Version of the subnegotiation, then name and password, each preceded by
	// its length.
	login := append([]byte{1, byte(len(s.name))}, s.name...)            //nolint:gosec // G115: Tunnel has checked the lengths
	login = append(append(login, byte(len(s.password))), s.password...) //nolint:gosec // G115: as above
	if _, err := c.Write(login); err != nil {
		return err
	}
	var status [2]byte
	if _, err := io.ReadFull(c, status[:]); err != nil {
		return err
	}
	if status[1] != 0 {
		return &ProxyError{Reason: "it refuses name and password"}
	}
	return nil
}

// socksAnswer reads the reply to a request and not a byte more, because the
// following bytes belong to the tunnel.
func socksAnswer(c net.Conn) error {
	var head [4]byte // version, reply, a reserved byte, address type
	if _, err := io.ReadFull(c, head[:]); err != nil {
		return err
	}
	if head[0] != 5 {
		return &ProxyError{Reason: "it does not speak SOCKS 5"}
	}
	if head[1] != 0 {
		return &ProxyError{Reason: "it answers " + socksReply(head[1]), Target: head[1] > 1}
	}
	var rest [1 + 255 + 2]byte // address and port that the proxy connects from
	var length int
	switch head[3] {
	case 1:
		length = 4
	case 4:
		length = 16
	case 3: // a name preceded by its length
		if _, err := io.ReadFull(c, rest[:1]); err != nil {
			return err
		}
		length = int(rest[0])
	default:
		return &ProxyError{Reason: "it answers with an unknown type of address"}
	}
	_, err := io.ReadFull(c, rest[:length+2])
	return err
}

// socksReplies are the meanings of the replies from 1 on (RFC 1928 section 6).
var socksReplies = []string{
	"general failure", "connection not allowed", "network unreachable", "host unreachable", "connection refused", "TTL expired",
	"command not supported", "address type not supported",
}

// socksReply returns the meaning of a reply code above zero.
func socksReply(code byte) string {
	if int(code) <= len(socksReplies) {
		return socksReplies[code-1]
	}
	return "code " + strconv.Itoa(int(code))
}
