// SPDX-License-Identifier: Apache-2.0

package robots_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"example.com/curlew/crawl/robots"
)

// text returns n random bytes from letters.
func text(r *rand.Rand, letters string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[r.IntN(len(letters))]
	}
	return string(b)
}

// TestIndex checks random files with and without an index. The decision and the
// line must be the same.
func TestIndex(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		var file strings.Builder
		file.WriteString("User-agent: *\n")
		for range 1 + r.IntN(120) {
			var line strings.Builder
			line.WriteString("/" + text(r, "ab/cd", r.IntN(6)))
			for range r.IntN(4) {
				line.WriteString("*" + text(r, "abcd*", r.IntN(4)))
			}
			fmt.Fprintf(&file, "%s: %s%s\n", [...]string{"Allow", "Disallow"}[r.IntN(2)], line.String(), [...]string{"", "$"}[r.IntN(2)])
		}
		rules := robots.Parse([]byte(file.String())).Agent()
		plain, indexed := rules.Plain(), rules.Indexed()
		for range 300 {
			path := "/" + text(r, "ab/cd$", r.IntN(40))
			a, am := plain.Allowed(path)
			b, bm := indexed.Allowed(path)
			if a != b || am != bm {
				t.Fatalf("seed %d, %s: %v by %v with an index, else %v by %v\n%s", seed, path, b, bm, a, am, file.String())
			}
			if c, cm := rules.Allowed(path); c != a || cm != am {
				t.Fatalf("seed %d, %s: %v by %v, want %v by %v", seed, path, c, cm, a, am)
			}
		}
	}
}

// hostile returns files of 500 KiB in which every line must be tried, and paths
// that make this slow.
func hostile() (files map[string]*robots.Rules, paths []string) {
	fill := func(line func(i int) string) *robots.Rules {
		var b strings.Builder
		b.WriteString("User-agent: *\n")
		for i := 0; b.Len() < 500<<10; i++ {
			b.WriteString("Disallow: " + line(i) + "\n")
		}
		return robots.Parse([]byte(b.String())).Agent()
	}
	letters := "abcdefghijklmnopqrstuvwxyz0123456789"
	word := func(i int) string {
		return string([]byte{letters[i%36], letters[i/36%36], letters[i/1296%36]})
	}
	files = map[string]*robots.Rules{
		"paths":        fill(func(i int) string { return fmt.Sprintf("/shop/item-%d", i) }),
		"wildcards":    fill(func(i int) string { return fmt.Sprintf("/*/item-%d/", i) }),
		"single bytes": fill(func(i int) string { w := word(i); return "/*" + w[:1] + "*" + w[1:2] + "*" + w[2:] + "*~" }),
		"common pairs": fill(func(i int) string { return "/*aa*aa*" + word(i) + "aa*~aa" }),
		"long":         fill(func(i int) string { return "/" + strings.Repeat("*a", 8000) + word(i) }),
	}
	paths = []string{
		"/shop/item-12345", "/a/b/c/item-777/x?page=3",
		"/" + strings.Repeat("a", 2000), "/" + strings.Repeat(letters, 56), "/" + strings.Repeat("aab", 600),
	}
	return files, paths
}

// TestHostileFiles checks that the work of a decision is limited, that ordinary
// files never reach the limit, and that the answer does not change.
func TestHostileFiles(t *testing.T) {
	files, paths := hostile()
	for name, rules := range files {
		for _, p := range paths {
			ok, m := rules.Allowed(p)
			if again, m2 := rules.Allowed(p); again != ok || m2 != m {
				t.Errorf("%s: two answers for %.20s", name, p)
			}
			if ok && m.Spent {
				t.Errorf("%s: %.20s is allowed without a reason", name, p)
			}
			if m.Spent && (name == "paths" || name == "wildcards") {
				t.Errorf("%s: %.20s costs too much", name, p)
			}
		}
	}
	if ok, m := files["paths"].Allowed("/shop/item-12345"); ok || m.Pattern != "/shop/item-12345" {
		t.Errorf("the longest rule of many: %v by %v", ok, m)
	}
	if ok, m := files["wildcards"].Allowed("/a/item-777/x"); ok || m.Pattern != "/*/item-777/" {
		t.Errorf("one wildcard of many: %v by %v", ok, m)
	}
}

// TestSize compares the reported memory of rules with the real one for the
// largest files. Only the rules of a file are kept.
func TestSize(t *testing.T) {
	text := func(line string) []byte {
		var b strings.Builder
		b.WriteString("User-agent: other\n" + strings.Repeat("Disallow: /of-another-agent/\n", 10_000) + "User-agent: *\n")
		for i := 0; b.Len() < 500<<10; i++ {
			fmt.Fprintf(&b, line, i)
		}
		return []byte(b.String())
	}
	for _, line := range []string{"Allow:/%d\n", "Disallow: /shop/*/item-%d/\n", "Disallow: /\n#%d\n"} {
		file := text(line)
		var kept [8]*robots.Rules
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		size := 0
		for i := range kept {
			kept[i] = robots.Parse(file).Agent()
			size += kept[i].Size()
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(kept)
		if took := int(after.HeapAlloc) - int(before.HeapAlloc); took > size+size/2+4096 {
			t.Errorf("%.12q: %d bytes in memory, Size says %d", line, took, size)
		} else {
			t.Logf("%.12q: %d bytes in memory, Size says %d", line, took, size)
		}
	}
}

func BenchmarkHostile(b *testing.B) {
	files, paths := hostile()
	files["usual"] = robots.Parse([]byte("User-agent: *\nDisallow: /search\nDisallow: /*?sort=\nDisallow: /cart/\nAllow: /cart/help\n")).Agent()
	for name, rules := range files {
		for _, p := range paths {
			b.Run(fmt.Sprintf("%s/%.8s", name, p[1:]), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					rules.Allowed(p)
				}
			})
		}
	}
}
