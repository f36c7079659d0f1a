// SPDX-License-Identifier: Apache-2.0

package robots_test

import (
	"bufio"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"testing"

	"example.com/curlew/crawl/robots"
	"example.com/curlew/internal/test/golden"
)

// decision is one published case with its expected result.
type decision struct {
	name        string
	file, agent string
	url         string
	allowed     bool
}

// decisions reads Google's test cases from the shared corpora. If they are
// missing, the test is skipped.
func decisions(t testing.TB) []decision {
	t.Helper()
	text, err := os.ReadFile(golden.Root("../shared/corpora/robots/decisions.tsv"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the shared corpora are absent: Google's 145 decisions are not checked")
	}
	if err != nil {
		t.Fatal(err)
	}
	unhex := func(s string) string {
		b, err := hex.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	var all []decision
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		all = append(all, decision{f[0], unhex(f[1]), unhex(f[2]), unhex(f[3]), f[4] == "1"})
	}
	if len(all) != 145 {
		t.Fatalf("%d decisions, want 145", len(all))
	}
	return all
}

// pathOf returns the part of a URL that Google's parser checks: path,
// parameters and query. The URL need not be valid.
func pathOf(url string) string {
	after := 0
	if strings.HasPrefix(url, "//") {
		after = 2
	}
	early := strings.IndexAny(url[after:], "/?;")
	if i := strings.Index(url[after:], "://"); i >= 0 && i <= early {
		after += i + len("://")
	}
	start := strings.IndexAny(url[after:], "/?;")
	if start < 0 {
		return "/"
	}
	start += after
	end := len(url)
	if hash := strings.IndexByte(url, '#'); hash >= 0 {
		end = hash
	}
	switch {
	case end < start:
		return "/"
	case url[start] != '/':
		return "/" + url[start:end]
	}
	return url[start:end]
}

func TestDecisions(t *testing.T) {
	right := 0
	for _, d := range decisions(t) {
		got, m := robots.Parse([]byte(d.file)).Agent(d.agent).Allowed(pathOf(d.url))
		if got == d.allowed {
			right++
			continue
		}
		t.Errorf("%s: %q for %q under %.200q = %v by %v, want %v", d.name, d.url, d.agent, d.file, got, m, d.allowed)
	}
	t.Logf("%d of 145 decisions", right)
}

func TestVectors(t *testing.T) {
	f, err := os.Open("testdata/vectors.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	n := 0
	for s.Scan() {
		if s.Text() == "" || s.Text()[0] == '#' {
			continue
		}
		n++
		c := strings.Split(s.Text(), "\t")
		file, err := strconv.Unquote(c[0])
		if err != nil || len(c) != 5 {
			t.Fatalf("vector %q: %v", s.Text(), err)
		}
		got, m := robots.Parse([]byte(file)).Agent(c[1]).Allowed(c[2])
		if got != (c[3] == "1") || strconv.Itoa(m.Line) != c[4] {
			t.Errorf("Allowed(%q) for %s under %q = %v by line %d, want %s by line %s", c[2], c[1], file, got, m.Line, c[3], c[4])
		}
	}
	if s.Err() != nil || n < 50 {
		t.Fatalf("%d vectors read: %v", n, s.Err())
	}
}
