// SPDX-License-Identifier: Apache-2.0

package netguard_test

import (
	"errors"
	"math/big"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/internal/netguard"
	"example.com/curlew/internal/weburl"
)

func prefixes(texts ...string) []netip.Prefix {
	var list []netip.Prefix
	for _, s := range texts {
		list = append(list, netip.MustParsePrefix(s))
	}
	return list
}

func TestPolicyCheck(t *testing.T) {
	lan := netguard.Policy{Allow: netguard.Private}
	tests := []struct {
		name    string
		p       netguard.Policy
		address string
		allowed bool
	}{
		{"zero", netguard.Policy{}, "93.184.216.34:443", true},
		{"zero", netguard.Policy{}, "93.184.216.34:8080", true},
		{"zero", netguard.Policy{}, "[2606:4700:4700::1111]:8443", true},
		{"zero", netguard.Policy{}, "93.184.216.34:22", false},
		{"zero", netguard.Policy{}, "93.184.216.34:0", false},
		{"zero", netguard.Policy{}, "127.0.0.1:80", false},
		{"zero", netguard.Policy{}, "[::ffff:127.0.0.1]:80", false},
		{"zero", netguard.Policy{}, "[2606:4700:4700::1111%eth0]:80", false},

		{"ports", netguard.Policy{Ports: []int{8000}}, "93.184.216.34:8000", true},
		{"ports", netguard.Policy{Ports: []int{8000}}, "93.184.216.34:80", true},
		{"ports", netguard.Policy{Ports: []int{8000}}, "93.184.216.34:8001", false},
		{"ports", netguard.Policy{Ports: []int{8000}}, "10.0.0.1:8000", false},
		{"all ports", netguard.Policy{Ports: []int{-1}}, "93.184.216.34:1", false},
		{"all ports", netguard.Policy{Ports: []int{-1}}, "93.184.216.34:2", true},
		{"all ports", netguard.Policy{Ports: []int{-1}}, "93.184.216.34:25", false},
		{"all ports", netguard.Policy{Ports: []int{-1}}, "93.184.216.34:10080", false},
		{"all ports", netguard.Policy{Ports: []int{-1}}, "93.184.216.34:65535", true},
		{"all ports but one", netguard.Policy{Ports: []int{-1, 25}}, "93.184.216.34:25", true},

		{"private", lan, "127.0.0.1:1", true},
		{"private", lan, "10.1.2.3:6379", true},
		{"private", lan, "[::ffff:10.1.2.3]:80", true},
		{"private", lan, "[fd00::1]:80", true},
		{"private", lan, "[::1]:80", true},
		{"private", lan, "93.184.216.34:80", true},
		{"private", lan, "93.184.216.34:81", false},
		{"private", lan, "0.0.0.0:80", false},
		{"private", lan, "[::1%lo]:80", false},
		{"private", lan, "169.254.169.254:80", false},
		{"private, metadata inside", lan, "100.100.100.200:80", false},
		{"private, metadata inside", lan, "[fd00:ec2::254]:80", false},
		{"private, metadata inside", lan, "[fd00:ec2::23]:80", false},
		{"private, metadata inside", lan, "[fd20:ce::254]:80", false},
		{"private, metadata inside", lan, "[fd00:42::42]:80", false},

		{"wide", netguard.Policy{Allow: prefixes("0.0.0.0/0", "::/0")}, "169.254.169.254:80", false},
		{"wide", netguard.Policy{Allow: prefixes("0.0.0.0/0", "::/0")}, "[fe80::1]:80", false},
		{"wide", netguard.Policy{Allow: prefixes("0.0.0.0/0", "::/0")}, "192.0.0.192:80", false},
		{"wide", netguard.Policy{Allow: prefixes("0.0.0.0/0", "::/0")}, "168.63.129.16:80", false},
		{"wide", netguard.Policy{Allow: prefixes("0.0.0.0/0", "::/0")}, "224.0.0.1:80", true},
		{"/31", netguard.Policy{Allow: prefixes("169.254.169.254/31")}, "169.254.169.254:80", false},
		{"/32", netguard.Policy{Allow: prefixes("169.254.169.254/32")}, "169.254.169.254:80", true},
		{"/128", netguard.Policy{Allow: prefixes("fd00:ec2::254/128")}, "[fd00:ec2::254]:80", true},
		{"/128", netguard.Policy{Allow: prefixes("fd00:ec2::254/128")}, "[fd00:ec2::253]:80", false},

		{"deny", netguard.Policy{Deny: prefixes("93.184.0.0/16")}, "93.184.216.34:80", false},
		{"deny", netguard.Policy{Deny: prefixes("93.184.0.0/16")}, "[::ffff:93.184.216.34]:80", false},
		{"deny", netguard.Policy{Deny: prefixes("93.184.0.0/16")}, "93.185.216.34:80", true},
		{"deny beats allow", netguard.Policy{Deny: prefixes("10.0.0.0/8"), Allow: prefixes("10.0.0.1/32")}, "10.0.0.1:80", false},

		{"NAT64", netguard.Policy{NAT64: prefixes("64:ff9b::/96")}, "[64:ff9b::5db8:d822]:80", true},
		{"NAT64", netguard.Policy{NAT64: prefixes("64:ff9b::/96")}, "[64:ff9b::5db8:d822]:81", false},
		{"NAT64", netguard.Policy{NAT64: prefixes("64:ff9b::/96")}, "[64:ff9b::a9fe:a9fe]:80", false},
		{"NAT64", netguard.Policy{NAT64: prefixes("64:ff9b::/96")}, "[64:ff9b:0:1::5db8:d822]:80", false},
		{"NAT64 denied", netguard.Policy{NAT64: prefixes("64:ff9b::/96"), Deny: prefixes("93.184.0.0/16")}, "[64:ff9b::5db8:d822]:80", false},
		{"NAT64 allowed", netguard.Policy{NAT64: prefixes("64:ff9b::/96"), Allow: prefixes("10.0.0.0/8")}, "[64:ff9b::a00:1]:81", true},
		{"NAT64 metadata", netguard.Policy{NAT64: prefixes("64:ff9b::/96"), Allow: prefixes("0.0.0.0/0")}, "[64:ff9b::a9fe:a9fe]:80", false},
	}
	for _, test := range tests {
		err := test.p.Check("tcp", test.address)
		if (err == nil) != test.allowed {
			t.Errorf("%s: Check(%s) = %v, want allowed %v", test.name, test.address, err, test.allowed)
		}
		isOpaque(t, err)
	}
}

// isOpaque checks that the text of a refusal says nothing and its fields say
// everything.
func isOpaque(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	e, ok := errors.AsType[*netguard.Error](err)
	if !ok || !errors.Is(err, netguard.ErrDenied) || err.Error() != "blocked by network policy" {
		t.Errorf("refusal %T says %q", err, err)
		return
	}
	if e.Reason == "" {
		t.Errorf("refusal without a reason: %+v", e)
	}
}

func TestPolicyForms(t *testing.T) {
	for _, network := range []string{"udp", "udp4", "unix", "ip", "ip4:icmp", "unixgram", ""} {
		if err := (netguard.Policy{}).Check(network, "93.184.216.34:80"); !errors.Is(err, netguard.ErrDenied) {
			t.Errorf("network %q: %v", network, err)
		}
	}
	for _, address := range []string{"", "93.184.216.34", "93.184.216.34:", "93.184.216.34:http", "example.com:80", "[::1", "/var/run/x", "93.184.216.34:65536", "0x7f.1:80", "127.1:80"} {
		err := netguard.Policy{Allow: prefixes("0.0.0.0/0", "::/0")}.Check("tcp4", address)
		if !errors.Is(err, netguard.ErrDenied) {
			t.Errorf("address %q: %v", address, err)
		}
		isOpaque(t, err)
	}
}

func TestPolicyURL(t *testing.T) {
	lan := netguard.Policy{Allow: netguard.Private}
	tests := []struct {
		p       netguard.Policy
		url     string
		allowed bool
	}{
		{netguard.Policy{}, "http://example.com/", true},
		{netguard.Policy{}, "http://example.com:8000/", false},
		{netguard.Policy{Ports: []int{8000}}, "http://example.com:8000/", true},
		{netguard.Policy{Ports: []int{-1}}, "http://example.com:22/", false},
		{netguard.Policy{}, "http://printer/", false},
		{lan, "http://printer/", true},             // its addresses will be checked
		{lan, "http://printer.local:9100/", true},  // any port, because an address may be in Allow
		{lan, "http://10.0.0.1:9100/", true},       //
		{lan, "http://93.184.216.34:9100/", false}, // not in Allow
		{lan, "http://169.254.169.254/", false},    // metadata
		{lan, "http://a..b/", false},               // not a valid host
		{netguard.Policy{}, "http://a..b.com/", false},
		{netguard.Policy{}, "http://xlocal/", false},
		{netguard.Policy{}, "http://x.xlocal/", true},
		{netguard.Policy{}, "http://x.localdomain/", false},
		{netguard.Policy{}, "http://home.arpa/", false},
		{netguard.Policy{}, "http://x.arpa/", true},
	}
	for _, test := range tests {
		u, err := weburl.Parse(test.url)
		if err != nil {
			t.Fatal(err)
		}
		err = test.p.CheckURL(u)
		if (err == nil) != test.allowed {
			t.Errorf("CheckURL(%s) under %+v = %v, want allowed %v", test.url, test.p, err, test.allowed)
		}
		isOpaque(t, err)
	}
	isOpaque(t, netguard.Policy{}.CheckURL(weburl.URL{}))
	if (netguard.Policy{}).CheckURL(weburl.URL{}) == nil {
		t.Error("the zero URL is allowed")
	}
}

// TestLocal checks the machine's own addresses.
func TestLocal(t *testing.T) {
	own, err := net.InterfaceAddrs()
	if err != nil {
		t.Skipf("the system does not tell its addresses: %v", err)
	}
	for _, a := range own {
		prefix := netip.MustParsePrefix(a.String())
		address := netip.AddrPortFrom(prefix.Addr(), 80).String()
		if (netguard.Policy{}).Check("tcp", address) == nil {
			t.Errorf("the machine's own %s is allowed", address)
		}
		one := netguard.Policy{Allow: []netip.Prefix{netip.PrefixFrom(prefix.Addr(), prefix.Addr().BitLen())}}
		if err := one.Check("tcp", address); err != nil {
			t.Errorf("%s is allowed by name: %v", address, err)
		}
	}
}

// TestUnlisted checks the machine's own addresses if the system does not list them.
func TestUnlisted(t *testing.T) {
	loopback := netip.MustParseAddr("127.0.0.1")
	for _, a := range []netip.Addr{loopback, netip.MustParseAddr("::ffff:127.0.0.1")} {
		err := netguard.Policy{}.JudgeUnlisted(a)
		if err == nil {
			t.Errorf("the machine's own %s is allowed", a)
		}
		isOpaque(t, err)
	}
	if err := (netguard.Policy{Allow: prefixes("127.0.0.1/32")}).JudgeUnlisted(loopback); err != nil {
		t.Errorf("%s is in Allow: %v", loopback, err)
	}
	if err := (netguard.Policy{}).JudgeUnlisted(netip.MustParseAddr("192.0.2.1")); err != nil {
		t.Errorf("192.0.2.1 is an address of no machine: %v", err)
	}
}

// registry returns the rows of iana-special.csv.
func registry(t testing.TB) [][]string {
	t.Helper()
	data, err := os.ReadFile("testdata/iana-special.csv")
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			row := strings.Split(line, ",")
			if len(row) != 4 {
				t.Fatalf("bad row %q", line)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// TestRegistry compares the tables with IANA's. The first, middle and last
// address of each special-purpose block must be refused, even those that the
// registry calls globally reachable. The neighbours must be allowed if they are
// public.
func TestRegistry(t *testing.T) {
	rows := registry(t)
	if len(rows) != 51 {
		t.Errorf("%d blocks in the registries, want 51", len(rows))
	}
	for _, row := range rows {
		_, block, err := net.ParseCIDR(row[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, offset := range []float64{0, 0.5, 1} {
			a := within(block, offset)
			if (netguard.Policy{}).Check("tcp", netip.AddrPortFrom(a, 80).String()) == nil {
				t.Errorf("%v of %s (%s, %s) is allowed", a, row[0], row[1], row[2])
			}
		}
	}
}

// within returns the address at a fraction of a block.
func within(block *net.IPNet, fraction float64) netip.Addr {
	ones, bits := block.Mask.Size()
	size := new(big.Int).Lsh(big.NewInt(1), uint(bits-ones))
	size.Sub(size, big.NewInt(1))
	at := new(big.Int)
	new(big.Float).Mul(new(big.Float).SetInt(size), big.NewFloat(fraction)).Int(at)
	if fraction == 1 {
		at = size
	}
	sum := new(big.Int).Add(new(big.Int).SetBytes(block.IP), at)
	a, _ := netip.AddrFromSlice(sum.FillBytes(make([]byte, bits/8)))
	return a
}

// slowly is an independent implementation of the address rules, from the
// registries, IANA's unicast space and our additions, with package net.
func slowly(t testing.TB) func(net.IP) bool {
	t.Helper()
	var closed []*net.IPNet
	rows := registry(t)
	for _, extra := range []string{"224.0.0.0/4", "168.63.129.16/32"} {
		rows = append(rows, []string{extra})
	}
	for _, row := range rows {
		_, block, err := net.ParseCIDR(row[0])
		if err != nil {
			t.Fatal(err)
		}
		if row[0] != "::ffff:0:0/96" { // checked as IPv4
			closed = append(closed, block)
		}
	}
	_, unicast, _ := net.ParseCIDR("2000::/3")
	own, _ := net.InterfaceAddrs()
	return func(ip net.IP) bool {
		if ip.To4() == nil && !unicast.Contains(ip) {
			return false
		}
		for _, a := range own {
			if a.(*net.IPNet).IP.Equal(ip) {
				return false
			}
		}
		return !slices.ContainsFunc(closed, func(b *net.IPNet) bool { return b.Contains(ip) })
	}
}

func FuzzCheck(f *testing.F) {
	for _, v := range vectors(f) {
		if a, err := netip.ParseAddr(v.input); err == nil {
			f.Add(a.AsSlice(), uint16(80))
		}
	}
	f.Add([]byte{8, 8, 8, 8}, uint16(8000))
	slow := slowly(f)
	f.Fuzz(func(t *testing.T, b []byte, port uint16) {
		a, ok := netip.AddrFromSlice(b)
		if !ok {
			return
		}
		openPort := slices.Contains([]uint16{80, 443, 8080, 8443}, port)
		want := slow(net.IP(b)) && openPort
		err := netguard.Policy{}.Check("tcp", netip.AddrPortFrom(a, port).String())
		if (err == nil) != want {
			t.Errorf("Check(%v, %d) = %v, the slow rule says %v", a, port, err, want)
		}
		isOpaque(t, err)
		if (netguard.Policy{Deny: []netip.Prefix{netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen())}}).Check("tcp", netip.AddrPortFrom(a, port).String()) == nil {
			t.Errorf("%v is denied and allowed", a)
		}
	})
}

// TestSlow compares with the independent implementation at random addresses
// near the borders of blocks.
func TestSlow(t *testing.T) {
	slow := slowly(t)
	for _, row := range registry(t) {
		_, block, _ := net.ParseCIDR(row[0])
		for _, a := range []netip.Addr{within(block, 0).Prev(), within(block, 1).Next()} {
			if !a.IsValid() {
				continue
			}
			err := netguard.Policy{}.Check("tcp", netip.AddrPortFrom(a, 443).String())
			if (err == nil) != slow(net.IP(a.AsSlice())) {
				t.Errorf("%v, beside %s: %v", a, row[0], err)
			}
		}
	}
}

func BenchmarkCheckURL(b *testing.B) {
	for _, text := range []string{"https://www.example.com/a?b", "http://93.184.216.34/", "http://[2606:4700:4700::1111]/"} {
		u, err := weburl.Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(u.Host(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := (netguard.Policy{}).CheckURL(u); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkJudge(b *testing.B) {
	for _, text := range []string{"93.184.216.34", "10.0.0.1", "2606:4700::1"} {
		a := netip.MustParseAddr(text)
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = netguard.Policy{}.Judge(a, 443)
			}
		})
	}
}

// BenchmarkCheck requests the machine's addresses each time, which the dialer
// does once a minute.
func BenchmarkCheck(b *testing.B) {
	var p netguard.Policy
	b.ReportAllocs()
	for b.Loop() {
		if err := p.Check("tcp4", "93.184.216.34:443"); err != nil {
			b.Fatal(err)
		}
	}
}
