// SPDX-License-Identifier: Apache-2.0

package weburl

import (
	"bytes"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// maxIDNA is the maximum length of a name for IDNA in bytes, because Punycode
// takes time quadratic in the length of a label. A name that can be resolved
// has at most 253.
const maxIDNA = 512

// domain implements the standard's "domain to ASCII", not strict (section 3.3):
// UTS 46 without transitional processing.
var domain = idna.New(
	idna.MapForLookup(),
	idna.Transitional(false),
	idna.StrictDomainName(false),
	idna.CheckHyphens(false),
	idna.VerifyDNSLength(false),
	idna.CheckJoiners(true),
	idna.BidiRule(),
)

// appendHost appends the serialized form of the host s, as the standard's host
// parser defines it for special schemes (section 3.5).
func appendHost(dst []byte, s string) ([]byte, error) {
	if strings.HasPrefix(s, "[") {
		return appendIPv6(dst, s)
	}
	start := len(dst)
	dst = appendUnescaped(dst, s)
	ascii := true
	for i, c := range dst[start:] {
		if ascii = ascii && c < utf8.RuneSelf; 'A' <= c && c <= 'Z' {
			dst[start+i] += 'a' - 'A'
		}
	}
	// ASCII is only converted to lower case, even if its Punycode is invalid.
	// The standard says so since 2025. validName checks it.
	if !ascii {
		name, ok := toASCII(string(dst[start:]))
		if !ok {
			return nil, errHost
		}
		dst = append(dst[:start], name...)
	}
	if len(dst) == start {
		return nil, errHost
	}
	for _, c := range dst[start:] {
		if class[c]&notInHost != 0 {
			return nil, errHost
		}
	}
	if name := dst[start:]; endsInNumber(name) {
		return appendIPv4(dst[:start], string(name))
	}
	return dst, nil
}

// toASCII implements the standard's "domain to ASCII".
func toASCII(name string) (string, bool) {
	if len(name) > maxIDNA || !utf8.ValidString(name) || strings.ContainsRune(name, utf8.RuneError) {
		return "", false
	}
	// Since Unicode 15.1, capital sharp s maps to ß and not to ss, which is
	// another host. Under Go 1.26 the tables of x/net/idna are those of 15.0.
	name, err := domain.ToASCII(strings.ReplaceAll(name, "ẞ", "ß"))
	return name, err == nil
}

// validName reports whether the serialized host can be fetched: its Punycode is
// valid, and net/http accepts it as a Host header. (net/http sends an empty
// header for the four characters here, which no published name contains.)
func validName(host []byte) bool {
	for i, c := range host {
		switch c {
		case '"', '`', '{', '}':
			return false
		case 'x':
			if (i == 0 || host[i-1] == '.') && bytes.HasPrefix(host[i:], []byte("xn--")) {
				name, ok := toASCII(string(host))
				return ok && name == string(host) && !bytes.ContainsAny(host, "\"`{}")
			}
		}
	}
	return true
}

// endsInNumber reports whether the last label of name, ignoring a trailing dot,
// is a number. Then the host must be an IPv4 address.
func endsInNumber[T string | []byte](name T) bool {
	end := len(name)
	if end > 0 && name[end-1] == '.' {
		end--
	}
	start, digits := end, true
	for start > 0 && name[start-1] != '.' {
		start--
		digits = digits && '0' <= name[start] && name[start] <= '9'
	}
	if start == end || digits {
		return start < end
	}
	if c := name[start]; c != '0' {
		return false
	}
	_, ok := ipv4Number(string(name[start:end]))
	return ok
}

// appendIPv4 parses name like inet_aton, and appends four decimal parts.
func appendIPv4(dst []byte, name string) ([]byte, error) {
	name = strings.TrimSuffix(name, ".")
	var addr uint64
	for n := 1; ; n++ {
		part, rest, more := strings.Cut(name, ".")
		v, ok := ipv4Number(part)
		switch {
		case !ok || n > 4:
			return nil, errHost
		case more && v > 255:
			return nil, errHost
		case more:
			addr |= v << (8 * (4 - n))
			name = rest
			continue
		case v >= 1<<(8*(5-n)): // the last part fills the remaining bytes
			return nil, errHost
		}
		addr |= v
		a := netip.AddrFrom4([4]byte{byte(addr >> 24), byte(addr >> 16), byte(addr >> 8), byte(addr)}) //nolint:gosec // splits addr into bytes
		return a.AppendTo(dst), nil
	}
}

// ipv4Number parses one part of an IPv4 address: decimal, octal with 0, or
// hexadecimal with 0x. It stops at 2^32, which no part may reach.
func ipv4Number(s string) (v uint64, ok bool) {
	base := uint64(10)
	switch {
	case s == "":
		return 0, false
	case len(s) >= 2 && s[0] == '0' && s[1]|0x20 == 'x':
		base, s = 16, s[2:]
	case len(s) >= 2 && s[0] == '0':
		base, s = 8, s[1:]
	}
	for i := range len(s) {
		if class[s[i]]&hexDigit == 0 || uint64(unhex(s[i])) >= base {
			return 0, false
		}
		v = min(v*base+uint64(unhex(s[i])), 1<<32)
	}
	return v, true
}

// appendIPv6 appends the compressed form of the address s, which has brackets,
// in brackets.
func appendIPv6(dst []byte, s string) ([]byte, error) {
	if !strings.HasSuffix(s, "]") || strings.Contains(s, "%") {
		return nil, errHost // the standard does not allow zones
	}
	a, err := netip.ParseAddr(s[1 : len(s)-1])
	if err != nil || !a.Is6() {
		return nil, errHost
	}
	dst = append(dst, '[')
	if a.Is4In6() {
		// The standard writes no dotted part, unlike netip.
		b := a.As16()
		dst = append(dst, "::ffff:"...)
		dst = strconv.AppendUint(dst, uint64(b[12])<<8|uint64(b[13]), 16)
		dst = append(dst, ':')
		dst = strconv.AppendUint(dst, uint64(b[14])<<8|uint64(b[15]), 16)
	} else {
		dst = a.AppendTo(dst)
	}
	return append(dst, ']'), nil
}

// hostAddr returns the address of the serialized host, if it is one; an
// IPv4-mapped address as IPv4.
func hostAddr(host string) (netip.Addr, bool) {
	switch {
	case strings.HasPrefix(host, "["):
		host = strings.Trim(host, "[]")
	case !endsInNumber(host):
		return netip.Addr{}, false
	}
	a, err := netip.ParseAddr(host)
	return a.Unmap(), err == nil
}

// hostKey is [URL.HostKey] for a serialized host.
func hostKey(host string) string {
	if strings.HasPrefix(host, "[") {
		if a, ok := hostAddr(host); ok && a.Is4() {
			return a.String()
		}
		return host
	}
	host = strings.TrimSuffix(host, ".")
	if len(host) > 253 {
		return ""
	}
	for rest, more := host, true; more; {
		var label string
		if label, rest, more = strings.Cut(rest, "."); label == "" || len(label) > 63 {
			return ""
		}
	}
	return host
}
