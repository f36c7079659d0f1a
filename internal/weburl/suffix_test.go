// SPDX-License-Identifier: Apache-2.0

package weburl_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/publicsuffix"

	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/weburl"
)

func TestRegistrable(t *testing.T) {
	for _, tt := range []struct{ host, want string }{
		{"www.example.com", "example.com"},
		{"example.com", "example.com"},
		{"com", "com"},
		{"a.b.example.co.uk", "example.co.uk"},
		{"co.uk", "co.uk"},
		{"user.github.io", "user.github.io"},
		{"a.user.github.io", "user.github.io"},
		{"a.b.unlisted-suffix", "b.unlisted-suffix"},
		{"xn--e1afmkfd.xn--p1ai", "xn--e1afmkfd.xn--p1ai"},
		{"www.city.kawasaki.jp", "city.kawasaki.jp"},
		{"localhost", "localhost"},
		{"192.168.0.1", "192.168.0.1"},
		{"[2001:db8::1]", "[2001:db8::1]"},
		{"", ""},
		{"www.ck", "www.ck"},
		{"a.www.ck", "www.ck"},
		{"a.b.ck", "a.b.ck"},
		{"a..uk", "a..uk"},
		{".co.uk", ".co.uk"},
	} {
		if got := weburl.Registrable(tt.host); got != tt.want {
			t.Errorf("Registrable(%q) = %q, want %q", tt.host, got, tt.want)
		}
	}
}

// TestSuffixes compares the list with the rules that golang.org/x/net/publicsuffix is
// tested with. With -update it rewrites the list, which is necessary if a new version of
// x/net has a newer one.
func TestSuffixes(t *testing.T) {
	rules := rules(t)
	above := map[string][]string{}
	for _, rule := range rules {
		label, domain, ok := strings.Cut(rule, ".")
		if !ok {
			continue
		}
		above[domain] = append(above[domain], label)
		for domain != "" { // each domain above has a line
			if above[domain] == nil {
				above[domain] = []string{}
			}
			_, domain, _ = strings.Cut(domain, ".")
		}
	}
	var list strings.Builder
	for _, domain := range slices.Sorted(maps.Keys(above)) {
		slices.Sort(above[domain])
		list.WriteString(strings.Join(append([]string{domain}, above[domain]...), " ") + "\n")
	}
	if weburl.SuffixList() != list.String() {
		t.Error("the list is not that of golang.org/x/net/publicsuffix; -update rewrites it")
		var file bytes.Buffer
		w, err := gzip.NewWriterLevel(&file, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, list.String()); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "suffixes.txt.gz", file.Bytes())
	}

	for _, rule := range rules {
		suffix := strings.TrimPrefix(strings.Replace(rule, "*", "label", 1), "!")
		for _, host := range []string{suffix, "a." + suffix, "b.a." + suffix, "unlisted." + suffix[strings.IndexByte(suffix, '.')+1:]} {
			want := host
			if domain, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
				want = domain
			}
			if got := weburl.Registrable(host); got != want {
				t.Errorf("Registrable(%q) = %q, x/net has %q", host, got, want)
			}
		}
	}
}

// rules returns the rules of the Public Suffix List from the tests of x/net.
func rules(t *testing.T) []string {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/net").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "publicsuffix", "table_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(source), "var rules = ")
	text, _, _ = strings.Cut(text, "\n}")
	var rules []string
	for _, m := range regexp.MustCompile(`(?m)^\t"(.+)",$`).FindAllStringSubmatch(text, -1) {
		rules = append(rules, m[1])
	}
	if len(rules) < 9_000 {
		t.Fatalf("%d rules", len(rules))
	}
	return rules
}
