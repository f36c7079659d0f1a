// SPDX-License-Identifier: Apache-2.0

package linediff_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/format/internal/linediff"
	"example.com/curlew/internal/test/cputest"
	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// lines returns a text with one line for each letter.
func lines(s string) string {
	return strings.Join(strings.Split(s, ""), "\n") + "\n"
}

func TestDiff(t *testing.T) {
	for _, test := range []struct{ name, a, b, want string }{
		{"equal", "abc", "abc", ""},
		{"insert", "abc", "abxc", "--- a\n+++ b\n@@ -1,3 +1,4 @@\n a\n b\n+x\n c\n"},
		{"delete", "abc", "ac", "--- a\n+++ b\n@@ -1,3 +1,2 @@\n a\n-b\n c\n"},
		{"replace", "abc", "axc", "--- a\n+++ b\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"},
		{"context", "abcdefghij", "abcdeXfghij", "--- a\n+++ b\n@@ -3,6 +3,7 @@\n c\n d\n e\n+X\n f\n g\n h\n"},
		{"two hunks", "abcdefghijklm", "XbcdefghijklY", "--- a\n+++ b\n@@ -1,4 +1,4 @@\n-a\n+X\n b\n c\n d\n@@ -10,4 +10,4 @@\n j\n k\n l\n-m\n+Y\n"},
		{"near changes are one hunk", "abcdefgh", "XbcdefgY", "--- a\n+++ b\n@@ -1,8 +1,8 @@\n-a\n+X\n b\n c\n d\n e\n f\n g\n-h\n+Y\n"},
		{"all of it", "ab", "xy", "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-a\n-b\n+x\n+y\n"},
	} {
		if got := linediff.Unified("a", "b", linediff.Diff(lines(test.a), lines(test.b))); got != test.want {
			t.Errorf("%s: %s", test.name, cmp.Diff(test.want, got))
		}
	}
	if got := linediff.Unified("a", "b", linediff.Diff("", "x\r\ny")); got != "--- a\n+++ b\n@@ -0,0 +1,2 @@\n+x\n+y\n" {
		t.Errorf("from nothing: %q", got)
	}
	if got := linediff.Diff("x\n", "x"); got != nil {
		t.Errorf("without the last line's end: %v", got)
	}
}

// apply applies hunks to a and returns the new text and the number of edits.
func apply(t *testing.T, a string, hunks []linediff.Hunk) (string, int) {
	t.Helper()
	old := strings.Split(strings.TrimSuffix(a, "\n"), "\n")
	if a == "" {
		old = nil
	}
	var got []string
	at, edits := 0, 0
	for _, h := range hunks {
		start := h.OldStart
		if h.OldLines > 0 {
			start--
		}
		got = append(got, old[at:start]...)
		at = start
		for _, l := range h.Lines {
			if l.Op != linediff.Insert {
				if old[at] != l.Text || l.Old != at+1 {
					t.Fatalf("line %d is %q, the hunk says %+v", at+1, old[at], l)
				}
				at++
			}
			if l.Op != linediff.Delete {
				got = append(got, l.Text)
				if l.New != len(got) {
					t.Fatalf("line %d is numbered %d", len(got), l.New)
				}
			}
			if l.Op != linediff.Equal {
				edits++
			}
		}
	}
	got = append(got, old[at:]...)
	if len(got) == 0 {
		return "", edits
	}
	return strings.Join(got, "\n") + "\n", edits
}

// distance returns the minimal number of edits, by dynamic programming.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for i := range a {
		next := make([]int, len(b)+1)
		for j := range b {
			if a[i] == b[j] {
				next[j+1] = row[j] + 1
			} else {
				next[j+1] = max(next[j], row[j+1])
			}
		}
		row = next
	}
	return len(a) + len(b) - 2*row[len(b)]
}

// TestRandom checks that a diff turns one text into the other with the fewest
// possible edits.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		text := func() string {
			b := make([]byte, r.IntN(30))
			for i := range b {
				b[i] = "abcd"[r.IntN(4)]
			}
			return string(b)
		}
		a, b := text(), text()
		la, lb := "", ""
		if a != "" {
			la = lines(a)
		}
		if b != "" {
			lb = lines(b)
		}
		got, edits := apply(t, la, linediff.Diff(la, lb))
		if got != lb || edits != distance(a, b) {
			t.Fatalf("%q to %q: %q by %d edits, want %d", a, b, got, edits, distance(a, b))
		}
	}
}

// TestCap checks that texts which need more than maxEdits edits are compared in bounded
// time, and that their diff is still correct.
func TestCap(t *testing.T) {
	text := func(step int) string {
		var s strings.Builder
		s.WriteString("first\n")
		for i := range 40_000 {
			s.WriteString(strings.Repeat("x", i*step%977) + "\n")
		}
		return s.String() + "last\n"
	}
	start := cputest.Used(t)
	a, b := text(3), text(7)
	hunks := linediff.Diff(a, b)
	if d := cputest.Used(t) - start; d > 40*time.Second { // many times what it takes
		t.Errorf("took %v", d)
	}
	if got, _ := apply(t, a, hunks); got != b {
		t.Error("the diff does not turn one text into the other")
	}
	if len(hunks) != 1 {
		t.Errorf("%d hunks", len(hunks))
	}
	if !slices.ContainsFunc(hunks[0].Lines, func(l linediff.Line) bool { return l.Text == "first" && l.Op == linediff.Equal }) {
		t.Error("the common beginning is lost")
	}
}

func FuzzDiff(f *testing.F) {
	f.Add("a\nb\n", "b\nc\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		hunks := linediff.Diff(a, b)
		trim := func(s string) []string {
			var all []string
			for l := range strings.Lines(s) {
				all = append(all, strings.TrimRight(l, "\r\n"))
			}
			return all
		}
		if (hunks == nil) != slices.Equal(trim(a), trim(b)) {
			t.Errorf("%d hunks", len(hunks))
		}
	})
}
