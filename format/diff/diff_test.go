// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/format/diff"
	"example.com/curlew/internal/test/cputest"
	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// lines returns a text with one line for each letter.
func lines(s string) string {
	return strings.Join(strings.Split(s, ""), "\n") + "\n"
}

func TestNew(t *testing.T) {
	for _, test := range []struct{ name, a, b, want string }{
		{"equal", "abc", "abc", ""},
		{"insert", "abc", "abxc", "--- a\n+++ b\n@@ -1,3 +1,4 @@\n a\n b\n+x\n c\n"},
		{"delete", "abc", "ac", "--- a\n+++ b\n@@ -1,3 +1,2 @@\n a\n-b\n c\n"},
		{"replace", "abc", "axc", "--- a\n+++ b\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"},
		{"context", "abcdefghij", "abcdeXfghij", "--- a\n+++ b\n@@ -3,6 +3,7 @@\n c\n d\n e\n+X\n f\n g\n h\n"},
		{"two chunks", "abcdefghijklm", "XbcdefghijklY", "--- a\n+++ b\n@@ -1,4 +1,4 @@\n-a\n+X\n b\n c\n d\n@@ -10,4 +10,4 @@\n j\n k\n l\n-m\n+Y\n"},
		{"near changes are one hunk", "abcdefgh", "XbcdefgY", "--- a\n+++ b\n@@ -1,8 +1,8 @@\n-a\n+X\n b\n c\n d\n e\n f\n g\n-h\n+Y\n"},
		{"all of it", "ab", "xy", "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-a\n-b\n+x\n+y\n"},
	} {
		if got := diff.New("a", lines(test.a), "b", lines(test.b)).Text; got != test.want {
			t.Errorf("%s: %s", test.name, cmp.Diff(test.want, got))
		}
	}
	if got := diff.New("a", "", "b", "x\r\ny").Text; got != "--- a\n+++ b\n@@ -0,0 +1,2 @@\n+x\n+y\n" {
		t.Errorf("from nothing: %q", got)
	}
	if got := compare("x\n", "x"); len(got) != 0 {
		t.Errorf("without the last line's end: %v", got)
	}
}

// compare returns the chunks of a difference.
func compare(a, b string) []diff.Chunk { return diff.New("a", a, "b", b).JSON.Files[0].Chunks }

// apply applies chunks to a and returns the new text and the number of edits. It checks the numbers
// in the headers and of the lines.
func apply(t *testing.T, a string, chunks []diff.Chunk) (string, int) {
	t.Helper()
	old := strings.Split(strings.TrimSuffix(a, "\n"), "\n")
	if a == "" {
		old = nil
	}
	var got []string
	at, edits := 0, 0
	for _, c := range chunks {
		var start, size, newStart, newSize int
		if _, err := fmt.Sscanf(c.Content, "@@ -%d,%d +%d,%d @@", &start, &size, &newStart, &newSize); err != nil {
			t.Fatal(err)
		}
		start -= min(size, 1)
		got = append(got, old[at:start]...)
		at = start
		if len(got) != newStart-min(newSize, 1) {
			t.Fatalf("%s begins after line %d", c.Content, len(got))
		}
		for _, l := range c.Changes {
			number, newNumber := l.Ln1, l.Ln2
			switch l.Type {
			case "del":
				number = l.Ln
			case "add":
				newNumber = l.Ln
			}
			if l.Type != "add" {
				if old[at] != l.Content[1:] || number != at+1 {
					t.Fatalf("line %d is %q, the chunk says %+v", at+1, old[at], l)
				}
				at++
			}
			if l.Type != "del" {
				got = append(got, l.Content[1:])
				if newNumber != len(got) {
					t.Fatalf("line %d is numbered %d", len(got), newNumber)
				}
			}
			if l.Type != "normal" {
				edits++
			}
		}
		if at != start+size || len(got) != newStart-min(newSize, 1)+newSize {
			t.Fatalf("%s ends at lines %d and %d", c.Content, at, len(got))
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
		got, edits := apply(t, la, compare(la, lb))
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
	chunks := compare(a, b)
	if d := cputest.Used(t) - start; d > 40*time.Second { // many times what it takes
		t.Errorf("took %v", d)
	}
	if got, _ := apply(t, a, chunks); got != b {
		t.Error("the diff does not turn one text into the other")
	}
	if len(chunks) != 1 {
		t.Errorf("%d chunks", len(chunks))
	}
	if !slices.ContainsFunc(chunks[0].Changes, func(l diff.Line) bool { return l.Content == " first" }) {
		t.Error("the common beginning is lost")
	}
}

func FuzzNew(f *testing.F) {
	f.Add("a\nb\n", "b\nc\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		chunks := compare(a, b)
		trim := func(s string) []string {
			var all []string
			for l := range strings.Lines(s) {
				all = append(all, strings.TrimRight(l, "\r\n"))
			}
			return all
		}
		if (len(chunks) == 0) != slices.Equal(trim(a), trim(b)) {
			t.Errorf("%d chunks", len(chunks))
		}
	})
}
