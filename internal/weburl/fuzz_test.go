// SPDX-License-Identifier: Apache-2.0

package weburl_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/curlew/internal/weburl"
)

func FuzzURL(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add(v.base, v.ref)
	}
	f.Fuzz(func(t *testing.T, rawBase, ref string) {
		base, err := weburl.Parse(rawBase)
		if err == nil {
			checkURL(t, base)
		}
		u, err := base.Resolve(ref)
		slow, slowErr := weburl.ResolveSlow(base, ref)
		if u != slow || err != slowErr { //nolint:errorlint // identical errors
			t.Fatalf("Resolve(%q) of base %q = %#v, %v; the slow path says %#v, %v", ref, base, u, err, slow, slowErr)
		}
		if link, err := base.LinkIn(ref, encodeY); err == nil {
			checkURL(t, link)
		}
		if err == nil {
			checkURL(t, u)
		}
		if in, err := weburl.Input(ref, false); err == nil {
			checkURL(t, in)
		}
	})
}

// checkURL checks the invariants of a URL.
func checkURL(t *testing.T, u weburl.URL) {
	t.Helper()
	again, err := weburl.Parse(u.String())
	if err != nil || again != u {
		t.Fatalf("Parse(%q) = %#v, %v, want %#v", u, again, err, u)
	}
	for i := range len(u.String()) {
		if c := u.String()[i]; c <= ' ' || c > '~' {
			t.Fatalf("%q holds the byte %#x", u, c)
		}
	}
	info := ""
	if name, password, ok := u.User(); ok {
		if name == "" && password == "" {
			t.Fatalf("%q has empty userinfo", u)
		}
		plain := must(t, u.WithoutUser().String())
		if plain != u.WithoutUser() {
			t.Fatalf("WithoutUser of %q = %#v, want %#v", u, u.WithoutUser(), plain)
		}
		info, _, _ = strings.Cut(strings.TrimPrefix(u.String(), u.Scheme()+"://"), "@")
		info += "@"
	}
	parts := u.Scheme() + "://" + info + u.HostPort() + u.Path()
	if q, ok := u.Query(); ok {
		parts += "?" + q
	}
	if parts != u.WithoutFragment().String() {
		t.Fatalf("the parts of %q make %q", u, parts)
	}
	if must(t, parts) != u.WithoutFragment() {
		t.Fatalf("WithoutFragment of %q = %#v", u, u.WithoutFragment())
	}
	checkHost(t, u)
	checkKey(t, u)
	if got := u.RobotsPath(); !strings.EqualFold(got, strings.TrimPrefix(u.WithoutUser().WithoutFragment().String(), u.Origin())) {
		t.Fatalf("RobotsPath of %q = %q", u, got)
	}
	if u.HostKey() == "" {
		return // never fetched
	}
	target, host := requestLine(t, u.HTTP())
	sent, err := weburl.Parse(u.Scheme() + "://" + host + target)
	if err != nil || sent.HostKey() != u.HostKey() || sent.Port() != u.Port() {
		t.Fatalf("%q is asked of %q", u, host)
	}
	if want := strings.TrimPrefix(sent.String(), sent.Origin()); target != want || (!strings.HasPrefix(target, "//") && sent != u.WithoutUser().WithoutFragment()) {
		t.Fatalf("%q asks %q, want %q", u, target, want)
	}
}

// checkHost checks that the key of a host key is the key itself, and that of
// its address.
func checkHost(t *testing.T, u weburl.URL) {
	t.Helper()
	key := u.HostKey()
	addr, isAddr := u.Addr()
	if key == "" {
		if isAddr {
			t.Fatalf("%q is an address without a key", u)
		}
		return
	}
	again := must(t, "http://"+key+"/")
	if again.HostKey() != key || again.Host() != key {
		t.Fatalf("HostKey of %q = %q, whose own is %q", u, key, again.HostKey())
	}
	if a, ok := again.Addr(); a != addr || ok != isAddr {
		t.Fatalf("%q is the address %v, its key %v", u, addr, a)
	}
	if isAddr && strings.Trim(key, "[]") != addr.String() {
		t.Fatalf("%q is the address %v, its key is %q", u, addr, key)
	}
	if len(key) > 255 || strings.HasSuffix(key, ".") || strings.Contains(key, "..") {
		t.Fatalf("HostKey of %q = %q", u, key)
	}
	if d := weburl.Registrable(key); !strings.HasSuffix(key, d) || weburl.Registrable(d) != d {
		t.Fatalf("Registrable(%q) = %q", key, d)
	}
}

// checkKey checks that the key of a deduplication key is the key itself, unless
// several endings could be removed, and that omitted parts have no effect.
func checkKey(t *testing.T, u weburl.URL) {
	t.Helper()
	for _, o := range []weburl.KeyOptions{{}, {IgnoreQuery: true}, {KeepSimilar: true}, {IgnoreQuery: true, KeepSimilar: true}} {
		key := string(u.AppendKey(nil, o))
		if got := string(u.WithoutUser().AppendKey(nil, o)); got != key {
			t.Fatalf("the key of %q depends on userinfo: %q, %q", u, key, got)
		}
		if !o.KeepSimilar && cutsTwice(u) {
			continue
		}
		if again := string(must(t, key).AppendKey(nil, o)); again != key {
			t.Fatalf("the key of %q with %+v = %q, whose own is %q", u, o, key, again)
		}
	}
}

// cutsTwice reports whether the key of u, as a URL, would lose more parts: the
// rule removes one www. and one ending, and does not know the default port of
// the other scheme.
func cutsTwice(u weburl.URL) bool {
	ends := []string{"/index.html", "/index.php", "/"}
	path := u.Path()
	for _, end := range ends {
		if p, ok := strings.CutSuffix(path, end); ok {
			path = p
			break
		}
	}
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(path, end) }) ||
		strings.HasPrefix(u.Host(), "www.www.") || (u.Scheme() == "https" && u.Port() == 80)
}

func FuzzHost(f *testing.F) {
	for _, v := range vectors(f) {
		if _, host, ok := strings.Cut(v.ref, "//"); ok {
			host, _, _ = strings.Cut(host, "/")
			f.Add(host)
		}
	}
	f.Fuzz(func(t *testing.T, host string) {
		u, err := weburl.Parse("http://" + host + "/")
		if err != nil {
			return
		}
		checkHost(t, u)
		v, err := weburl.Parse("http://" + u.Host() + "/")
		if err != nil || v.Host() != u.Host() || v.HostKey() != u.HostKey() {
			t.Fatalf("the host %q = %q, whose own is %q, %v", host, u.Host(), v.Host(), err)
		}
	})
}
