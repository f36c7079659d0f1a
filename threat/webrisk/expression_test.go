// SPDX-License-Identifier: Apache-2.0

package webrisk_test

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/threat"
	"example.com/curlew/threat/webrisk"
)

// The first three cases are the published examples
// (cloud.google.com/web-risk/docs/urls-hashing).
func TestExpressions(t *testing.T) {
	for _, tt := range []struct{ url, hosts, paths string }{
		{"http://a.b.com/1/2.html?param=1", "a.b.com b.com", "/1/2.html?param=1 /1/2.html / /1/"},
		{"http://a.b.c.d.e.f.com/1.html", "a.b.c.d.e.f.com c.d.e.f.com d.e.f.com e.f.com f.com", "/1.html /"},
		{"http://1.2.3.4/1/", "1.2.3.4", "/1/ /"},
		{"http://1.2.3/", "1.2.0.3", "/"},
		{"http://[2001:db8::1]/a", "[2001:db8::1]", "/a /"},
		{"http://host/", "host", "/"},
		{"http://b.com", "b.com", "/"},
		{"http://a.b.c.d.com/", "a.b.c.d.com b.c.d.com c.d.com d.com", "/"},
		{"http://z.a.b.c.d.com/", "z.a.b.c.d.com a.b.c.d.com b.c.d.com c.d.com d.com", "/"},
		{"http://a.b1/?", "a.b1", "/? /"},
		{"http://a.com/1/2/3/4/5/6?q=/x/", "a.com", "/1/2/3/4/5/6?q=/x/ /1/2/3/4/5/6 / /1/ /1/2/ /1/2/3/"},
		{"http://a.com/1/2/3/", "a.com", "/1/2/3/ / /1/ /1/2/"},
		{"http://user@a.com:99/x#y", "a.com", "/x /"},
		{"", "", "/"},
		{"?", "", "/? /"},
	} {
		var want []string
		for h := range strings.SplitSeq(tt.hosts, " ") {
			for p := range strings.SplitSeq(tt.paths, " ") {
				want = append(want, h+p)
			}
		}
		if got := webrisk.Expressions(threat.Canonical(tt.url)); !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", tt.url, got, want)
		}
	}
}

// TestHashes uses the FIPS 180-2 vectors of the published page.
func TestHashes(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"abc", "ba7816bf"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "248d6a61d206"},
		{strings.Repeat("a", 1_000_000), "cdc76e5c9914fb9281a1c7e2"},
		{"example.com/", "73d986e0"},
	} {
		if got := hex.EncodeToString([]byte(prefix(tt.text, len(tt.want)/2))); got != tt.want {
			t.Errorf("%.20s: %s, want %s", tt.text, got, tt.want)
		}
	}
	// The client must request exactly this prefix.
	f := new(fake)
	f.set(malware, "\x73\xd9\x86\xe0")
	c := only(t, f)
	sync1(t, c)
	f.hits("")
	classify(t, c, "https://www.example.com/some/page")
	if hits := f.hits("hashes:search"); len(hits) != 1 || hits[0].prefix != "c9mG4A==" {
		t.Errorf("searches %+v, want one for c9mG4A==", hits)
	}
}

func FuzzExpressions(f *testing.F) {
	f.Add("http://a.b.com/1/2.html?param=1")
	f.Add("//x..y/%2f?#")
	f.Fuzz(func(t *testing.T, raw string) {
		canonical := threat.Canonical(raw)
		list := webrisk.Expressions(canonical)
		_, rest, _ := strings.Cut(canonical, "://")
		if !slices.Contains(list, rest) {
			t.Errorf("%q: no expression of %q is the whole", list, rest)
		}
		if len(list) > 30 {
			t.Errorf("%d expressions of %q", len(list), rest)
		}
		for i, e := range list {
			if slices.Contains(list[:i], e) {
				t.Errorf("%q twice, of %q", e, rest)
			}
		}
	})
}
