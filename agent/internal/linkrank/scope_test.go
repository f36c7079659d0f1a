// SPDX-License-Identifier: Apache-2.0

package linkrank_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/agent/internal/linkrank"
	"example.com/curlew/agent/internal/value"
)

// allows reports whether a scope of urls lets a URL pass.
func allows(urls []string, strict bool, url string) bool {
	var own []string
	for _, u := range urls {
		own = append(own, value.Canonical(u))
	}
	return linkrank.NewScope(own, strict).Allows(value.Canonical(url))
}

// TestScope checks which URLs an agent may request.
func TestScope(t *testing.T) {
	for _, test := range []struct {
		listed string
		strict bool
		url    string
		want   bool
	}{
		{"http://a.test/p", true, "https://a.test/p", true},
		{"http://a.test/p", true, "https://www.a.test/p/", true},
		{"http://a.test/p", true, "http://a.test/p", true},
		{"https://a.test/p", true, "http://a.test/p", false},
		{"https://a.test/p", true, "https://a.test/p?x=1", false},
		{"https://a.test/p", true, "https://a.test/q", false},
		{"https://a.test/p", true, "https://b.a.test/p", false},
		{"https://a.test/p#one", true, "https://a.test/p#two", true},
		{"https://a.test/p?x=1", true, "https://a.test/p/?x=1", true},
		{"https://a.test/p?utm_source=x", true, "https://a.test/p", true},
		{"https://a.test:8443/p", true, "https://a.test/p", false},
		{"https://a.test/p", true, "https://u:p@a.test/p", false},
		{"https://a.test/p", true, "ftp://a.test/p", false},
		{"https://a.test/deep/page", false, "https://a.test/", true},
		{"https://www.a.test/", false, "https://a.test/x", true},
		{"https://a.test/", false, "https://www.a.test/x", true},
		{"https://a.test/", false, "http://b.a.test/x", true},
		{"https://a.test/", false, "https://ba.test/x", false},
		{"https://a.test/", false, "https://a.test.evil.test/x", false},
		{"http://127.0.0.1/", false, "http://127.0.0.1:80/x", true},
		{"https://b.a.test/", false, "https://a.test/", false},
		{"https://a.test:8443/", false, "https://a.test:8443/x", true},
		{"https://a.test:8443/", false, "http://www.a.test:8443/x", true},
		{"https://a.test:8443/", false, "https://a.test/x", false},
		{"https://a.test:8443/", false, "https://a.test:9443/x", false},
		{"https://a.test/", false, "https://a.test:8443/x", false},
		{"http://a.test:80/", false, "https://a.test:443/x", true},
		{"http://127.0.0.1:8080/", false, "http://127.0.0.1:9090/x", false},
	} {
		if got := allows([]string{test.listed}, test.strict, test.url); got != test.want {
			t.Errorf("%s, strict %v: %s is allowed: %v", test.listed, test.strict, test.url, got)
		}
	}
	if !allows(nil, true, "https://any.test/") {
		t.Error("strict without URLs binds")
	}
}

func TestPromptURLs(t *testing.T) {
	got := linkrank.PromptURLs("Read https://a.test/x, (http://b.test/y). Not http:/c or httpx://d, but https://a.test/x again.")
	if d := cmp.Diff([]string{"https://a.test/x", "http://b.test/y"}, got); d != "" {
		t.Error(d)
	}
	for text, want := range map[string]string{
		"see https://a.test/Foo_(bar)":             "https://a.test/Foo_(bar)",
		"(see https://a.test/Foo_(bar)).":          "https://a.test/Foo_(bar)",
		"请看https://a.test/p，然后":                    "https://a.test/p",
		"“https://a.test/p” and":                   "https://a.test/p",
		"https://a.test/p\u3000https://a.test/p#x": "https://a.test/p",
		"https://a.test/a–b":                       "https://a.test/a%E2%80%93b",
	} {
		if got := linkrank.PromptURLs(text); len(got) != 1 || got[0] != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func FuzzShape(f *testing.F) {
	f.Add("https://a.test/p/123?x=1")
	f.Fuzz(func(t *testing.T, raw string) {
		c := value.Canonical(raw)
		if c == "" {
			return
		}
		if again := value.Canonical(c); again != c {
			t.Errorf("%q, then %q", c, again)
		}
		if value.Shape(c) == "" {
			t.Errorf("%q has no shape", c)
		}
		if !allows([]string{c}, true, c) || !allows([]string{c}, false, c) {
			t.Errorf("%q is out of its own scope", c)
		}
	})
}

// TestIsNotice tells links to notices about a site from links to its sections.
func TestIsNotice(t *testing.T) {
	f := linkrank.New()
	for _, test := range []struct {
		url, text string
		want      bool
	}{
		{"https://a.test/imprint", "", true},
		{"https://a.test/de/x7", "Impressum", true},
		{"https://a.test/privacy-policy.html?lang=en", "", true},
		{"https://a.test/p/9", "Mentions légales", true},
		{"https://a.test/a", "A", false},
		{"https://a.test/2024", "2024", false},
		{"https://a.test/legal-services", "Legal services", false},
		{"https://a.test/contact", "Contact", false},
	} {
		if l, _ := f.Add(test.url, test.text, 1, 1, false); l.IsNotice() != test.want {
			t.Errorf("%s %q: %v", test.url, test.text, !test.want)
		}
	}
}
