// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/agent"
)

// TestScope is the tables of agent.md 12.
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
	} {
		if got := agent.Allows([]string{test.listed}, test.strict, test.url); got != test.want {
			t.Errorf("%s, strict %v: %s is allowed: %v", test.listed, test.strict, test.url, got)
		}
	}
	if !agent.Allows(nil, true, "https://any.test/") {
		t.Error("strict without URLs binds")
	}
}

func TestPromptURLs(t *testing.T) {
	got := agent.PromptURLs("Read https://a.test/x, (http://b.test/y). Not http:/c or httpx://d, but https://a.test/x again.")
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
		if got := agent.PromptURLs(text); len(got) != 1 || got[0] != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestEchoes(t *testing.T) {
	const query = "secret prices of the widgets at Acme"
	for url, want := range map[string]bool{
		"https://a.test/?q=secret+prices+of+the+widgets":                    true,
		"https://a.test/%73ecret%20prices%20of%20the%20widgets":             true,
		"https://a.test/widgets":                                            false,
		"https://a.test/" + strings.ToUpper("secret-prices-of-the-widgets"): true,
	} {
		if got := agent.Echoes(url, query); got != want {
			t.Errorf("%s: %v", url, got)
		}
	}
}

func TestLines(t *testing.T) {
	lines, links := agent.Lines("https://a.test/d/", "# T\n\n[One](x) and [two](https://b.test/?utm_x=1 \"t\") ![pic](p.png)\n\n[x [y]](/z_(1)) [mail](mailto:a@b.test)\n[One again](https://a.test/d/x#f)")
	wantLines := []string{"# T", "[One](L1) and [two](L2) ![pic]", "[x [y]](L3) [mail](a@b.test)", "[One again](L1)"}
	wantLinks := []string{"https://a.test/d/x", "https://b.test/", "https://a.test/z_(1)"}
	if d := cmp.Diff(wantLines, lines); d != "" {
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
		lines, links := agent.Lines("https://a.test/", markdown)
		if len(lines) != 1 || lines[0] != want || len(links) != 0 {
			t.Errorf("%s: %q, links %q", markdown, lines, links)
		}
	}
	if got := agent.Ground(textType, "", []string{"[Mail us](info@a.test)"}, nil, "info@a.test", 1, 1); got.Value != "info@a.test" {
		t.Errorf("%+v", got)
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
		if d := cmp.Diff(test.want, agent.Chunks(table, test.size)); d != "" {
			t.Errorf("%d: %s", test.size, d)
		}
	}
	if got := agent.Chunks([]string{"# A", "one", "two", "# B", "three", "four"}, 50); len(got) < 2 || got[1][0] != 4 {
		t.Errorf("cut at %v, want before the heading", got)
	}
}

func FuzzLines(f *testing.F) {
	f.Add("[a](b) ![c](d) [e [f]](g(h)) ](", 10)
	f.Add("| a |\n| - |\n| [x](y) |\n# h\n", 5)
	f.Fuzz(func(t *testing.T, text string, size int) {
		lines, links := agent.Lines("https://a.test/", text)
		for _, l := range links {
			if agent.Canonical(l) != l {
				t.Errorf("link %q is not canonical", l)
			}
		}
		seen := map[int]bool{}
		for _, c := range agent.Chunks(lines, max(size%500, 1)) {
			last := 0
			for _, n := range c {
				if n <= last || n > len(lines) {
					t.Fatalf("chunk %v of %d lines", c, len(lines))
				}
				last = n
				seen[n] = true
			}
		}
		if len(seen) != len(lines) {
			t.Errorf("%d of %d lines in chunks", len(seen), len(lines))
		}
	})
}

func FuzzShape(f *testing.F) {
	f.Add("https://a.test/p/123?x=1")
	f.Fuzz(func(t *testing.T, raw string) {
		c := agent.Canonical(raw)
		if c == "" {
			return
		}
		if again := agent.Canonical(c); again != c {
			t.Errorf("%q, then %q", c, again)
		}
		if agent.Shape(c) == "" {
			t.Errorf("%q has no shape", c)
		}
		if !agent.Allows([]string{c}, true, c) || !agent.Allows([]string{c}, false, c) {
			t.Errorf("%q is out of its own scope", c)
		}
	})
}
