// SPDX-License-Identifier: Apache-2.0

package weburl_test

import (
	"net/netip"
	"strings"
	"testing"
)

func TestHostKey(t *testing.T) {
	long := strings.Repeat("a", 63)
	for _, tt := range []struct{ host, want string }{
		{"EXAMPLE.com", "example.com"},
		{"example.com.", "example.com"},
		{"example.com..", ""},
		{".example.com", ""},
		{"a..b", ""},
		{".", ""},
		{"localhost", "localhost"},
		{"foo_bar.example", "foo_bar.example"},
		{"b%C3%BCcher.example", "xn--bcher-kva.example"},
		{"xn--bcher-kva.example", "xn--bcher-kva.example"},
		{"xn--", ""},
		{"a.xn--a.com", ""},
		{"xn--a-.com", ""}, // Punycode of a name that needs none
		{"a`b.com", ""},    // net/http cannot send it as a Host header
		{"a\"b.com", ""},
		{"a{b}.com", ""},
		{"a!$&'()*+,;=~b.com", "a!$&'()*+,;=~b.com"},
		{"xn--zn7c.com", ""},
		{long + ".com", long + ".com"},
		{long + "a.com", ""},
		{strings.Repeat(long+".", 3) + long[:61], strings.Repeat(long+".", 3) + long[:61]},
		{strings.Repeat(long+".", 3) + long[:61] + ".", strings.Repeat(long+".", 3) + long[:61]},
		{strings.Repeat(long+".", 3) + long[:62], ""},
		{"0x7f.1", "127.0.0.1"},
		{"127.0.0.1.", "127.0.0.1"},
		{"3279880203", "195.127.0.11"},
		{"[::1]", "[::1]"},
		{"[2001:DB8:0:0:1:0:0:1]", "[2001:db8::1:0:0:1]"},
		{"[::ffff:127.0.0.1]", "127.0.0.1"},
		{"[::ffff:7f00:1]", "127.0.0.1"},
		{"[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]"},
	} {
		got := must(t, "http://"+tt.host+"/").HostKey()
		if got != tt.want {
			t.Errorf("HostKey of %q = %q, want %q", tt.host, got, tt.want)
		}
		if got != "" && must(t, "https://"+got+":1/").HostKey() != got {
			t.Errorf("HostKey of %q is no key of itself", got)
		}
	}
	// A host without a key has none, however the URL is built.
	u := must(t, "http://u@xn--a.com/")
	v, err := u.Resolve("/x")
	if err != nil || v.HostKey() != "" || v.WithoutUser().HostKey() != "" || v.WithoutFragment().HostKey() != "" {
		t.Errorf("%q, %v has the host key %q", v, err, v.HostKey())
	}
}

func TestAddr(t *testing.T) {
	for _, tt := range []struct{ host, want string }{
		{"1.2.3.4", "1.2.3.4"},
		{"0x1020304", "1.2.3.4"},
		{"[::1]", "::1"},
		{"[::ffff:1.2.3.4]", "1.2.3.4"},
		{"example.com", ""},
		{"1.2.3.4.example", ""},
		{"1.2.3.4..", ""},
		{"a1", ""},
		{"0xg", ""},
	} {
		a, ok := must(t, "http://"+tt.host+"/").Addr()
		want, _ := netip.ParseAddr(tt.want)
		if a != want || ok != want.IsValid() {
			t.Errorf("Addr of %q = %v, %t, want %q", tt.host, a, ok, tt.want)
		}
	}
}
