// SPDX-License-Identifier: Apache-2.0

package shape_test

import (
	"testing"

	"example.com/curlew/crawl/internal/shape"
)

func TestPattern(t *testing.T) {
	for url, want := range map[string]string{
		"http://a.test/":                        "/",
		"http://a.test/about":                   "/about",
		"http://a.test/p/17":                    "/p/N",
		"http://a.test/2025-01/x9y10":           "/N-N/xNyN",
		"http://a.test/c/3f2a9b7c11":            "/c/X",
		"http://a.test/c/0b0e7a8e-1111-4c1c-ab": "/c/X",
		"http://a.test/c?b=1&a=2&a=3":           "/c?a&b",
		"http://a.test/c?k12=":                  "/c?kN",
		"http://a.test/x/more/more/more/":       "/x/more/",
		"http://a.test/a/b/a/b/a/b":             "/a/b",
		"http://a.test/a/b/c/a/b/c":             "/a/b/c",
		"http://a.test/2026/01/02":              "/N",
		"http://a.test/#/route/7":               "/#/route/N",
		"http://a.test/?a&b&c&d&e&f&g&h&i":      "/?…",
	} {
		if got := shape.Pattern(url); got != want {
			t.Errorf("the pattern of %q is %q, want %q", url, got, want)
		}
	}
	for _, family := range [][]string{
		{"http://a.test/p/1", "https://www.a.test/p/2?x=1", "http://a.test/p/3/4"},
		{"http://a.test/q/", "http://a.test/q/?x=1#top"},
		{"http://b.test/p/1"},
	} {
		for _, url := range family {
			if shape.Family(url) != shape.Family(family[0]) {
				t.Errorf("%q is of another family than %q", url, family[0])
			}
		}
	}
	if shape.Family("http://a.test/p/1") == shape.Family("http://b.test/p/1") {
		t.Error("a family has pages of two sites")
	}
}

func TestOrigin(t *testing.T) {
	for url, want := range map[string][2]string{
		"http://a.test/x/y?z":    {"http://a.test", "a.test"},
		"https://a.test:8443/":   {"https://a.test:8443", "a.test"},
		"http://a.test./":        {"http://a.test.", "a.test"},
		"http://[2001:db8::1]/":  {"http://[2001:db8::1]", "[2001:db8::1]"},
		"http://[::1]:8080/?a:b": {"http://[::1]:8080", "[::1]"},
	} {
		o := shape.Origin(url)
		if o != want[0] || shape.Host(o) != want[1] {
			t.Errorf("%q is of %q on %q, want %v", url, o, shape.Host(o), want)
		}
	}
}

// TestFingerprint checks that the seed and every byte of the key change the
// fingerprint.
func TestFingerprint(t *testing.T) {
	a := shape.Fingerprint(1, []byte("http://a.test"))
	if a != shape.Fingerprint(1, []byte("http://a.test")) || a == shape.Fingerprint(2, []byte("http://a.test")) || a == shape.Fingerprint(1, []byte("http://a.tes")) {
		t.Errorf("fingerprints do not tell keys and seeds apart")
	}
}
