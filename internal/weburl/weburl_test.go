// SPDX-License-Identifier: Apache-2.0

package weburl_test

import (
	"errors"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"example.com/curlew/internal/weburl"
)

// must parses a valid URL.
func must(t testing.TB, raw string) weburl.URL {
	t.Helper()
	u, err := weburl.Parse(raw)
	if err != nil {
		t.Fatalf("Parse(%q): %v", raw, err)
	}
	return u
}

// vector is a line of testdata/vectors.tsv.
type vector struct{ base, ref, want string }

// vectors reads testdata/vectors.tsv.
func vectors(t testing.TB) []vector {
	t.Helper()
	b, err := os.ReadFile("testdata/vectors.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var all []vector
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, "# ") || line == "#" {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 3 {
			t.Fatalf("testdata/vectors.tsv: %q has %d columns", line, len(f))
		}
		for i := range f {
			f[i] = unescape(t, f[i])
		}
		all = append(all, vector{strings.TrimPrefix(f[0], "-"), f[1], f[2]})
	}
	return all
}

// unescape decodes the escapes of a Go string.
func unescape(t testing.TB, s string) string {
	t.Helper()
	s, err := strconv.Unquote(`"` + strings.ReplaceAll(s, `"`, `\"`) + `"`)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return s
}

func TestResolve(t *testing.T) {
	for _, v := range vectors(t) {
		var base weburl.URL
		if v.base != "" {
			base = must(t, v.base)
		}
		u, err := base.Resolve(v.ref)
		if part, refused := strings.CutPrefix(v.want, "!"); refused {
			why := weburl.ErrSyntax
			if p, ok := strings.CutPrefix(part, "!"); ok {
				part, why = p, weburl.ErrScheme
			}
			e, ok := errors.AsType[*weburl.Error](err)
			if !ok || !errors.Is(err, why) || e.Part != part {
				t.Errorf("Resolve(%q) of base %q = %q, %v, want an error of %s that wraps %v", v.ref, v.base, u, err, part, why)
			}
			if !u.IsZero() {
				t.Errorf("Resolve(%q) of base %q = %q beside an error", v.ref, v.base, u)
			}
			continue
		}
		if err != nil || u.String() != v.want {
			t.Errorf("Resolve(%q) of base %q = %q, %v, want %q", v.ref, v.base, u, err, v.want)
			continue
		}
		if slow, err := weburl.ResolveSlow(base, v.ref); err != nil || slow != u {
			t.Errorf("Resolve(%q) of base %q: the slow path says %#v, %v, the fast one %#v", v.ref, v.base, slow, err, u)
		}
		if again := must(t, u.String()); again != u {
			t.Errorf("Parse(%q) = %#v, want %#v", u, again, u)
		}
	}
}

func TestLink(t *testing.T) {
	base := must(t, "https://h.test/a/b?q#f")
	for _, tt := range []struct{ ref, want string }{
		{"https:/x", "https://x/"},
		{"https:/x/y?z", "https://x/y?z"},
		{"HTTPS:\\x", "https://x/"},
		{"http:/x", "http://x/"},
		{"https:x", "https://h.test/a/x"}, // no slash, so it is not repaired
		{"https://x", "https://x/"},
		{"https:/", "https://h.test/"},
		{"https:/?x", "https://h.test/?x"},
		{"https:/#x", "https://h.test/#x"},
		{"https:", "https://h.test/a/b?q"},
		{"/x", "https://h.test/x"},
		{"c?ü", "https://h.test/a/c?%C3%BC"},
	} {
		u, err := base.Link(tt.ref)
		if err != nil || u.String() != tt.want {
			t.Errorf("Link(%q) = %q, %v, want %q", tt.ref, u, err, tt.want)
		}
	}
	if u, err := base.Link("mailto:x"); !errors.Is(err, weburl.ErrScheme) {
		t.Errorf("Link(mailto:x) = %q, %v, want ErrScheme", u, err)
	}
	if u, err := base.Link("https:/a b"); !errors.Is(err, weburl.ErrSyntax) {
		t.Errorf("Link(https:/a b) = %q, %v, want ErrSyntax", u, err)
	}
}

func TestZero(t *testing.T) {
	var u weburl.URL
	if !u.IsZero() || u.String() != "" || u.Scheme() != "" || u.Host() != "" || u.HostPort() != "" ||
		u.HostKey() != "" || u.Port() != 0 || u.Path() != "" || u.Fragment() != "" || u.Origin() != "" ||
		u.RobotsPath() != "" || u.WithoutUser() != u || u.WithoutFragment() != u || u.HTTP().String() != "" ||
		u.LogValue().String() != "" || len(u.AppendKey(nil, weburl.KeyOptions{})) != 0 {
		t.Errorf("the zero URL has parts: %#v", u)
	}
	if a, ok := u.Addr(); ok {
		t.Errorf("Addr() = %v", a)
	}
	if _, ok := u.Query(); ok {
		t.Error("the zero URL has a query")
	}
	if _, _, ok := u.User(); ok {
		t.Error("the zero URL has userinfo")
	}
	if v, err := u.Link("http://a/"); err != nil || v.String() != "http://a/" {
		t.Errorf("Link of the zero URL = %q, %v", v, err)
	}
	if _, err := u.Link("#a"); !errors.Is(err, weburl.ErrSyntax) {
		t.Errorf("Link(#a) of the zero URL: %v, want ErrSyntax", err)
	}
}

func TestParts(t *testing.T) {
	type parts struct {
		scheme, host, hostPort, origin, path, query, fragment, robots string
		port                                                          int
		asked                                                         bool
	}
	for _, tt := range []struct {
		raw  string
		want parts
	}{
		{"http://h.test", parts{"http", "h.test", "h.test", "http://h.test", "/", "", "", "/", 80, false}},
		{"https://h.test/a?", parts{"https", "h.test", "h.test", "https://h.test", "/a", "", "", "/a?", 443, true}},
		{
			"https://u:p@h.test:8443/a%c3%a9/%zz?q=%aB#f?#",
			parts{"https", "h.test", "h.test:8443", "https://h.test:8443", "/a%c3%a9/%zz", "q=%aB", "f?#", "/a%C3%A9/%zz?q=%AB", 8443, true},
		},
		{"http://[::1]:8/#", parts{"http", "[::1]", "[::1]:8", "http://[::1]:8", "/", "", "", "/", 8, false}},
		{"http://h:0/%2%2f%af%e", parts{"http", "h", "h:0", "http://h:0", "/%2%2f%af%e", "", "", "/%2%2F%AF%e", 0, false}},
		{"http://h/%2F?%", parts{"http", "h", "h", "http://h", "/%2F", "%", "", "/%2F?%", 80, true}},
	} {
		u := must(t, tt.raw)
		q, ok := u.Query()
		got := parts{
			u.Scheme(), u.Host(), u.HostPort(), u.Origin(), u.Path(), q, u.Fragment(), u.RobotsPath(), u.Port(), ok,
		}
		if got != tt.want {
			t.Errorf("%q:\n got %+v\nwant %+v", tt.raw, got, tt.want)
		}
	}
}

func TestUser(t *testing.T) {
	for _, tt := range []struct {
		raw, name, password string
		ok                  bool
	}{
		{"http://h/", "", "", false},
		{"http://h/a@b", "", "", false},
		{"http://u@h/", "u", "", true},
		{"http://:p@h/", "", "p", true},
		{"https://%75:p:%40@h/", "u", "p:@", true},
		{"https://a@b:c%zz%3a@h/", "a@b", "c%zz:", true},
		{"https://%ff@h/", "\xff", "", true},
	} {
		u := must(t, tt.raw)
		name, password, ok := u.User()
		if name != tt.name || password != tt.password || ok != tt.ok {
			t.Errorf("User() of %q = %q, %q, %t, want %q, %q, %t", tt.raw, name, password, ok, tt.name, tt.password, tt.ok)
		}
	}
}

// TestWithout checks that the results of the Without methods equal those of the
// parser for the same text.
func TestWithout(t *testing.T) {
	for _, tt := range []struct{ raw, noFragment, noUser string }{
		{"http://h/", "http://h/", "http://h/"},
		{"http://u:p@h:8/a?q#f", "http://u:p@h:8/a?q", "http://h:8/a?q#f"},
		{"https://u@h/a#", "https://u@h/a", "https://h/a#"},
		{"https://:p@[::1]/?", "https://:p@[::1]/?", "https://[::1]/?"},
	} {
		u := must(t, tt.raw)
		if got := u.WithoutFragment(); got != must(t, tt.noFragment) {
			t.Errorf("WithoutFragment of %q = %#v, want %q", tt.raw, got, tt.noFragment)
		}
		if got := u.WithoutUser(); got != must(t, tt.noUser) {
			t.Errorf("WithoutUser of %q = %#v, want %q", tt.raw, got, tt.noUser)
		}
	}
}

func TestTooLong(t *testing.T) {
	fits := "http://h/" + strings.Repeat("a", weburl.MaxBytes-len("http://h/"))
	u := must(t, fits)
	if must(t, u.String()) != u {
		t.Error("the longest URL does not parse again")
	}
	for _, ref := range []string{fits + "a", " " + fits, strings.Repeat("ä", weburl.MaxBytes/2)} {
		if _, err := u.Resolve(ref); !errors.Is(err, weburl.ErrSyntax) {
			t.Errorf("a reference of %d bytes: %v, want ErrSyntax", len(ref), err)
		}
	}
	if _, err := weburl.Parse("http://" + strings.Repeat("ä", 300) + "/"); !errors.Is(err, weburl.ErrSyntax) {
		t.Errorf("a name of 600 bytes beyond ASCII: %v, want ErrSyntax", err)
	}
	if v, err := must(t, fits[:len(fits)-1]).Resolve("#ab"); !errors.Is(err, weburl.ErrSyntax) {
		t.Errorf("a result over the bound has %d bytes, %v, want ErrSyntax", len(v.String()), err)
	}
}

// TestErrorHidesText checks that errors do not contain the text of a URL.
func TestErrorHidesText(t *testing.T) {
	for _, raw := range []string{"http://secret:secret@a b/?secret", "secret:secret", "http://h:secret/", "/secret"} {
		if _, err := weburl.Parse(raw); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("Parse(%q): %v", raw, err)
		}
	}
}

// encodeY is an encoder for a charset whose only non-ASCII character is ÿ.
func encodeY(dst []byte, s string) ([]byte, int) {
	for i, r := range s {
		switch {
		case r < 0x80:
			dst = append(dst, byte(r))
		case r == 'ÿ':
			dst = append(dst, 0xff)
		default:
			return dst, i
		}
	}
	return dst, len(s)
}

func TestLinkIn(t *testing.T) {
	base := must(t, "http://h/")
	for _, tt := range []struct{ ref, want string }{
		{"/ÿ?ÿ#ÿ", "http://h/%C3%BF?%FF#%C3%BF"},
		{"?a=ÿ&b=ä<€", "http://h/?a=%FF&b=%26%23228%3B%3C%26%238364%3B"},
		{"?ä", "http://h/?%26%23228%3B"},
		{"?ÿ\xffz", "http://h/?%FF%26%2365533%3Bz"},
		{"?a b'", "http://h/?a%20b%27"},
		{"?a", "http://h/?a"},
		{"?", "http://h/?"},
	} {
		u, err := base.LinkIn(tt.ref, encodeY)
		if err != nil || u.String() != tt.want {
			t.Errorf("LinkIn(%q) = %q, %v, want %q", tt.ref, u, err, tt.want)
		}
	}
	// A broken encoder must not cause a panic.
	for _, n := range []int{-1, 0, math.MaxInt} {
		broken := func(dst []byte, _ string) ([]byte, int) { return dst, n }
		if u, err := base.LinkIn("?ää", broken); err != nil {
			t.Errorf("an encoder that says %d: %q, %v", n, u, err)
		}
	}
}

func TestAllocs(t *testing.T) {
	base := must(t, "https://www.example.com/shop/list.html?page=2#top")
	for _, tt := range []struct {
		ref  string
		want float64
	}{
		{"https://www.example.com/shop/a.html?b=c#d", 0},
		{"http://other.example.org:8080/%e4/a.html", 0},
		{"http://other.example.org", 1},
		{"/shop/a.html?b=c", 1},
		{"a.html", 1},
		{"?page=3", 1},
		{"#x", 1},
		{"", 0},
		// The full state machine needs no more allocations for ASCII.
		{"../a b.html", 1},
		{"https://192.168.0.1/", 0},
		{"HTTPS://Example.COM/", 1},
		{"mailto:a@b.test", 0},
		{"http://a b/", 0},
	} {
		got := testing.AllocsPerRun(100, func() {
			if u, err := base.Link(tt.ref); err == nil && u.IsZero() {
				t.Fatal("no URL")
			}
		})
		if got > tt.want {
			t.Errorf("Link(%q): %v allocations, want %v", tt.ref, got, tt.want)
		}
	}
	u := must(t, "https://u:p@www.example.com:8443/a/%C3%A4?b=%2F#/c")
	dst := make([]byte, 0, 256)
	for name, f := range map[string]func(){
		"HostKey":    func() { _ = u.HostKey() },
		"Port":       func() { _ = u.Port() },
		"RobotsPath": func() { _ = u.RobotsPath() },
		"AppendKey":  func() { dst = u.AppendKey(dst[:0], weburl.KeyOptions{}) },
		"Without":    func() { _ = u.WithoutFragment() },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations, want none", name, n)
		}
	}
}
