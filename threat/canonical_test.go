// SPDX-License-Identifier: Apache-2.0

package threat_test

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"example.com/curlew/threat"
)

// canonicalVectors reads testdata/canonical.tsv, which contains URLs and their
// canonical forms separated by a tab. In the URLs, \t \r \n \xNN stand for
// bytes, and a quoted text keeps its spaces.
func canonicalVectors(t testing.TB) [][2]string {
	t.Helper()
	data, err := os.ReadFile("testdata/canonical.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var list [][2]string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		raw, want, ok := strings.Cut(line, "\t")
		if !ok {
			t.Fatalf("testdata/canonical.tsv: no tab in %q", line)
		}
		raw = strings.NewReplacer(`\t`, "\t", `\r`, "\r", `\n`, "\n", `\x01`, "\x01", `\x80`, "\x80", `"`, "").Replace(raw)
		list = append(list, [2]string{raw, want})
	}
	return list
}

func TestCanonical(t *testing.T) {
	vectors := canonicalVectors(t)
	if len(vectors) < 40 {
		t.Fatalf("%d vectors", len(vectors))
	}
	for _, v := range vectors {
		got := threat.Canonical(v[0])
		if got != v[1] {
			t.Errorf("Canonical(%q) = %q, want %q", v[0], got, v[1])
		}
		if again := threat.Canonical(got); again != got {
			t.Errorf("Canonical(%q) = %q: not idempotent", got, again)
		}
	}
}

// TestCanonicalNested checks that a deeply nested escape is not copied at each
// level.
func TestCanonicalNested(t *testing.T) {
	in := "http://host/%" + strings.Repeat("25", 200_000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := threat.Canonical(in)
	runtime.ReadMemStats(&after)
	if want := "http://host/%25"; got != want {
		t.Errorf("got %d bytes, want %q", len(got), want)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 20*uint64(len(in)) {
		t.Errorf("%d bytes are allocated for %d", allocated, len(in))
	}
}

func FuzzCanonical(f *testing.F) {
	for _, v := range canonicalVectors(f) {
		f.Add(v[0])
		f.Add(v[1])
	}
	for _, s := range []string{
		"", "://", "http://", "a:80:80", "http://a:1.:2./", "//h//p", "h?", "%", "%2", "http://[::1]:80:80", "http://[::ffff:1.2.3.4%25]/",
		"http://u@v@h/", "http:/\\1.2/", "1\\2", "http://0x/", "http://a/..%2f../b", "http://.:80.:80/",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		c := threat.Canonical(raw)
		if again := threat.Canonical(c); again != c {
			t.Errorf("Canonical(%q) = %q, of which it is %q", raw, c, again)
		}
		for i := range len(c) {
			if b := c[i]; b <= ' ' || b >= 0x7f || b == '#' {
				t.Errorf("Canonical(%q) = %q has the byte %#x", raw, c, b)
			}
		}
		scheme, rest, ok := strings.Cut(c, "://")
		if !ok || scheme == "" || !strings.Contains(rest, "/") {
			t.Errorf("Canonical(%q) = %q is no URL", raw, c)
		}
	})
}
