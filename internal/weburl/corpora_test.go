// SPDX-License-Identifier: Apache-2.0

package weburl_test

import (
	"encoding/json"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/idna"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"

	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/weburl"
)

// shared returns a file of the shared development data. If it is missing, the
// test is skipped.
func shared(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(golden.Root("..", "shared", filepath.FromSlash(name)))
	if err != nil {
		t.Skipf("no shared material here: %v", err)
	}
	return b
}

// cases decodes the objects of a JSON array whose strings are comments.
func cases[T any](t *testing.T, data []byte) []T {
	t.Helper()
	var raws []json.RawMessage
	if err := json.Unmarshal(data, &raws); err != nil {
		t.Fatal(err)
	}
	var all []T
	for _, raw := range raws {
		if raw[0] != '{' {
			continue
		}
		var c T
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

// webCase is a case of urltestdata.json.
type webCase struct {
	Input   string
	Base    *string
	Failure bool

	Href, Origin, Protocol, Username, Password, Host, Hostname, Port, Pathname, Search, Hash string
}

// ours reports whether c has a scheme that this package supports: that of the
// result, or of the failing input or its base.
func (c webCase) ours() bool {
	p := c.Protocol
	if c.Failure {
		p = schemeOf(c.Input)
		if p == "" && c.Base != nil {
			p = schemeOf(*c.Base)
		}
	}
	return p == "http:" || p == "https:"
}

func schemeOf(s string) string {
	s = strings.TrimLeft(strings.ToLower(strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(s)), "\x00\x01\x1f ")
	for _, p := range []string{"http:", "https:"} {
		if strings.HasPrefix(s, p) {
			return p
		}
	}
	if i := strings.IndexByte(s, ':'); i > 0 && !strings.ContainsAny(s[:i], "/?#@[\\% ") {
		return s[:i+1]
	}
	return ""
}

func (c webCase) parse() (weburl.URL, error) {
	if c.Base == nil {
		return weburl.Parse(c.Input)
	}
	base, err := weburl.Parse(*c.Base)
	if errors.Is(err, weburl.ErrScheme) {
		return weburl.Parse(c.Input) // the base has another scheme, but an absolute input needs none
	}
	if err != nil {
		return weburl.URL{}, err
	}
	return base.Resolve(c.Input)
}

func TestWebPlatform(t *testing.T) {
	for _, file := range []string{"urltestdata.json", "ada_extra_urltestdata.json", "ada_long_urltestdata.json"} {
		t.Run(file, func(t *testing.T) {
			parsed, refused, other := 0, 0, 0
			for _, c := range cases[webCase](t, shared(t, "corpora/urls/"+file)) {
				base := "none"
				if c.Base != nil {
					base = *c.Base
				}
				u, err := c.parse()
				switch {
				case !c.ours():
					other++
					if err == nil && c.Failure {
						t.Errorf("Resolve(%q) of base %q = %q, want an error", c.Input, base, u)
					}
				case c.Failure:
					refused++
					if err == nil {
						t.Errorf("Resolve(%q) of base %q = %q, want an error", c.Input, base, u)
					}
				case err != nil:
					parsed++
					t.Errorf("Resolve(%q) of base %q: %v, want %q", c.Input, base, err, c.Href)
				default:
					parsed++
					checkWeb(t, c, u)
				}
			}
			t.Logf("%d parsed, %d refused, %d of other schemes", parsed, refused, other)
		})
	}
}

// checkWeb compares every component of u with the case.
func checkWeb(t *testing.T, c webCase, u weburl.URL) {
	t.Helper()
	search, hash := "", ""
	if q, _ := u.Query(); q != "" {
		search = "?" + q
	}
	if f := u.Fragment(); f != "" {
		hash = "#" + f
	}
	hostname, port, _ := strings.Cut(u.HostPort(), u.Host())
	port = strings.TrimPrefix(port, ":")
	for _, f := range []struct{ name, got, want string }{
		{"href", u.String(), c.Href},
		{"protocol", u.Scheme() + ":", c.Protocol},
		{"host", u.HostPort(), c.Host},
		{"hostname", hostname + u.Host(), c.Hostname},
		{"port", port, c.Port},
		{"pathname", u.Path(), c.Pathname},
		{"search", search, c.Search},
		{"hash", hash, c.Hash},
	} {
		if f.got != f.want {
			t.Errorf("Resolve(%q): %s = %q, want %q", c.Input, f.name, f.got, f.want)
		}
	}
	if c.Origin != "" && u.Origin() != c.Origin {
		t.Errorf("Resolve(%q): origin = %q, want %q", c.Input, u.Origin(), c.Origin)
	}
}

// idnaCase is a case of toascii.json and IdnaTestV2.json. The output is nil if
// the domain is refused.
type idnaCase struct {
	Input  string
	Output *string
}

func TestToASCII(t *testing.T) {
	known := knownIDNA(t)
	for _, file := range []string{"toascii.json", "IdnaTestV2.json"} {
		t.Run(file, func(t *testing.T) {
			n, excepted := 0, 0
			for _, c := range cases[idnaCase](t, shared(t, "corpora/urls/"+file)) {
				if strings.ContainsAny(c.Input, "/\\?#:@\t\r\n") || c.Input == "" {
					continue // ends the host before IDNA is applied
				}
				n++
				got := "refused"
				if u, err := weburl.Parse("http://" + c.Input + "/"); err == nil {
					got = u.Host()
				}
				want := "refused"
				if c.Output != nil && *c.Output != "" {
					want = *c.Output
				}
				if known[c.Input] {
					excepted++
					if got == want && idna.UnicodeVersion == "15.0.0" {
						t.Errorf("%q = %q is right: it is no exception any more", c.Input, got)
					}
				} else if got != want {
					t.Errorf("%+q = %q, want %q", c.Input, got, want)
				}
			}
			t.Logf("%d cases, %d of them known exceptions", n, excepted)
		})
	}
}

// knownIDNA reads the inputs for which x/net/idna returns another result.
func knownIDNA(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	b, err := os.ReadFile("testdata/idna-exceptions.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		s, err := strconv.Unquote(line)
		if err != nil {
			t.Fatalf("testdata/idna-exceptions.txt: %s: %v", line, err)
		}
		known[s] = true
	}
	return known
}

// TestSSRF compares the canonical hosts of the URLs in the vectors of package
// netguard.
func TestSSRF(t *testing.T) {
	n := 0
	for line := range strings.Lines(string(shared(t, "reference/ssrf-vectors.tsv"))) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 4 || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "dns:") {
			continue
		}
		raw := unescape(t, f[0])
		if _, err := netip.ParseAddr(raw); err == nil {
			continue
		}
		n++
		got := "-"
		if u, err := weburl.Parse(raw); err == nil && u.HostKey() != "" {
			got = u.HostKey()
		}
		if got != f[1] {
			t.Errorf("HostKey of %q = %q, want %q", raw, got, f[1])
		}
	}
	if n != 422 {
		t.Errorf("%d URL rows, want 422", n)
	}
}

// TestPercentEncoding encodes queries in the charsets of percent-encoding.json.
func TestPercentEncoding(t *testing.T) {
	type encodeCase struct {
		Input  string
		Output map[string]string
	}
	// Differences of x/text from the standard: it encodes shift characters in
	// ISO-2022-JP and a private-use character in GB 18030, and lacks the
	// overline and the minus sign.
	known := map[string]bool{
		"iso-2022-jp \u000eA": true, "iso-2022-jp \u203e\\": true, "gb18030 \ue5e5": true, "shift_jis \u2212": true,
	}
	base := must(t, "http://h/")
	for _, c := range cases[encodeCase](t, shared(t, "corpora/urls/percent-encoding.json")) {
		for charset, want := range c.Output {
			enc, err := htmlindex.Get(charset)
			if err != nil {
				t.Fatal(err)
			}
			u, err := base.LinkIn("?"+c.Input, encoder(enc))
			if got, _ := u.Query(); err != nil || (got == want) == known[charset+" "+c.Input] {
				t.Errorf("query %q in %s = %q, %v, want %q", c.Input, charset, got, err, want)
			}
		}
	}
}

// encoder returns the Encoder for an encoding of x/text.
func encoder(e encoding.Encoding) weburl.Encoder {
	if e == unicode.UTF8 {
		return nil
	}
	enc := e.NewEncoder()
	return func(dst []byte, s string) ([]byte, int) {
		b := make([]byte, 8*len(s)+8)
		nDst, nSrc, _ := enc.Transform(b, []byte(s), true)
		return append(dst, b[:nDst]...), nSrc
	}
}
