// SPDX-License-Identifier: Apache-2.0

package lines_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/internal/value"
)

// chunksOf splits lines as extraction does.
func chunksOf(body []string, size int) [][]int {
	var out [][]int
	for _, c := range lines.Chunks(body, size) {
		out = append(out, c)
	}
	return out
}

// linesOf numbers the links of a Markdown text.
func linesOf(final, markdown string) (body, links []string) {
	l := lines.NewLinker(final)
	body = l.Lines(markdown)
	for _, r := range l.Links {
		links = append(links, r.URL)
	}
	return body, links
}

func TestLines(t *testing.T) {
	body, links := linesOf("https://a.test/d/", "# T\n\n[One](x) and [two](https://b.test/?utm_x=1 \"t\") ![pic](p.png)\n\n[x [y]](/z_(1)) [mail](mailto:a@b.test)\n[One again](https://a.test/d/x#f)")
	wantLines := []string{"# T", "[One](L1) and [two](L2) ![pic]", "[x [y]](L3) [mail](a@b.test)", "[One again](L1)"}
	wantLinks := []string{"https://a.test/d/x", "https://b.test/", "https://a.test/z_(1)"}
	if d := cmp.Diff(wantLines, body); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(wantLinks, links); d != "" {
		t.Error(d)
	}
}

// TestContacts shows the address that a link's text does not say.
func TestContacts(t *testing.T) {
	for markdown, want := range map[string]string{
		"[Mail us](mailto:info@a.test?subject=x)":      "[Mail us](info@a.test)",
		"[Call](tel:+4930123456)":                      "[Call](+4930123456)",
		"[+49 30 123456](tel:+4930123456)":             "[+49 30 123456]",
		"[Info@A.test](MAILTO:info%40a.test)":          "[Info@A.test]",
		"[x](mailto:%0a%3E%3E%3Epage)":                 "[x]",
		"[x](mailto:" + strings.Repeat("a", 200) + ")": "[x]",
		"![x](mailto:a@b.test) [y](javascript:a)":      "![x] [y]",
	} {
		body, links := linesOf("https://a.test/", markdown)
		if len(body) != 1 || body[0] != want || len(links) != 0 {
			t.Errorf("%s: %q, links %q", markdown, body, links)
		}
	}
}

func TestChunks(t *testing.T) {
	table := []string{"# A", "text", "| h |", "| - |", "| 1 |", "| 2 |", "| 3 |"}
	for _, test := range []struct {
		size int
		want [][]int
	}{
		{1000, [][]int{{1, 2, 3, 4, 5, 6, 7}}},
		{44, [][]int{{1, 2, 3, 4}, {3, 4, 5, 6}, {3, 4, 7}}},
	} {
		if d := cmp.Diff(test.want, chunksOf(table, test.size)); d != "" {
			t.Errorf("%d: %s", test.size, d)
		}
	}
	if got := chunksOf([]string{"# A", "one", "two", "# B", "three", "four"}, 50); len(got) < 2 || got[1][0] != 4 {
		t.Errorf("cut at %v, want before the heading", got)
	}
}

func FuzzLines(f *testing.F) {
	f.Add("[a](b) ![c](d) [e [f]](g(h)) ](", 10)
	f.Add("| a |\n| - |\n| [x](y) |\n# h\n", 5)
	f.Fuzz(func(t *testing.T, text string, size int) {
		body, links := linesOf("https://a.test/", text)
		for _, l := range links {
			if value.Canonical(l) != l {
				t.Errorf("link %q is not canonical", l)
			}
		}
		seen := map[int]bool{}
		for _, c := range chunksOf(body, max(size%500, 1)) {
			last := 0
			for _, n := range c {
				if n <= last || n > len(body) {
					t.Fatalf("chunk %v of %d body", c, len(body))
				}
				last = n
				seen[n] = true
			}
		}
		if len(seen) != len(body) {
			t.Errorf("%d of %d body in chunks", len(seen), len(body))
		}
	})
}

// TestHandles compares the numbers of links with those that a pattern finds.
func TestHandles(t *testing.T) {
	pattern := regexp.MustCompile(`\]\(L([1-9][0-9]{0,5})\)`)
	for _, line := range []string{
		"", "](L", "](L)", "](L0)", "](L01)", "](L1)", "[a](L12) and [b](L999999)", "](L1234567)](L7)", "](L1](L2)", "](L1 )", "](L-1)", "](l1)", "](L٣)", "](L123456", "[x](L5)(L6)](L7)",
	} {
		var want []int
		for _, m := range pattern.FindAllStringSubmatch(line, -1) {
			n, _ := strconv.Atoi(m[1])
			want = append(want, n)
		}
		if got := lines.Handles(line); !slices.Equal(got, want) {
			t.Errorf("the links of %q are %v, want %v", line, got, want)
		}
	}
}
