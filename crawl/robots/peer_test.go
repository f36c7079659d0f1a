// SPDX-License-Identifier: Apache-2.0

package robots_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	peer "github.com/temoto/robotstxt"

	"example.com/curlew/crawl/robots"
)

// ask returns the answer of temoto/robotstxt. If it rejects the file, parsed is
// false.
func ask(file, agent, path string) (allowed, parsed bool) {
	data, err := peer.FromString(file)
	if err != nil {
		return false, false
	}
	return data.TestAgent(path, agent), true
}

// TestPeerDifferences lists the cases in which the peer differs from the
// published behaviour. This package does not.
func TestPeerDifferences(t *testing.T) {
	tests := []struct {
		why, file, path string
		ours, theirs    bool
	}{
		{"wildcards are not anchored at the start", "User-agent: *\nDisallow: /fish*.php", "/x/fishheads.php", true, false},
		{"a dollar sign ends a pattern anywhere", "User-agent: *\nDisallow: /a$b", "/a$b", false, true},
		{"a tie goes to the first line", "User-agent: *\nDisallow: /x\nAllow: /x", "/x", true, false},
		{"an agent is known by its beginning", "User-agent: foo\nDisallow: /", "/", true, false},
		{"the length of a rule is that of its regular expression", "User-agent: *\nDisallow: /*.*.\nAllow: /a.b.c", "/a.b.c", true, false},
		{"escapes keep their case", "User-agent: *\nDisallow: /%7e", "/%7E", false, true},
		{"bytes over 0x7F are not escaped", "User-agent: *\nDisallow: /é", "/%C3%A9", false, true},
		{"index.html does not stand for its directory", "User-agent: *\nDisallow: /\nAllow: /d/index.html", "/d/", true, false},
	}
	for _, tt := range tests {
		ours, _ := robots.Parse([]byte(tt.file)).Agent("foobot").Allowed(tt.path)
		theirs, parsed := ask(tt.file, "foobot", tt.path)
		if ours != tt.ours || theirs != tt.theirs || !parsed {
			t.Errorf("%s: we say %v, want %v; they say %v (parsed: %v), want %v", tt.why, ours, tt.ours, theirs, parsed, tt.theirs)
		}
	}
	for why, file := range map[string]string{
		"a rule before any agent":   "Disallow: /a\nUser-agent: *\nDisallow: /b",
		"a Crawl-delay with a unit": "User-agent: *\nCrawl-delay: 1s\nDisallow: /b",
	} {
		if ours, _ := robots.Parse([]byte(file)).Agent("foobot").Allowed("/b"); ours {
			t.Errorf("%s: we allow /b", why)
		}
		if _, parsed := ask(file, "foobot", "/b"); parsed {
			t.Errorf("%s: the peer reads the file now; drop this line", why)
		}
	}
}

// TestPeerDecisions counts Google's test cases on which the peer agrees. If the
// number changes, the list above is out of date.
func TestPeerDecisions(t *testing.T) {
	wrong := map[string]int{}
	for _, d := range decisions(t) {
		theirs, parsed := ask(d.file, d.agent, pathOf(d.url))
		if !parsed || theirs != d.allowed {
			wrong[d.name]++
		}
	}
	want := map[string]int{
		"GoogleOnly_AcceptUserAgentUpToFirstSpace": 1, // "Foo Bar" as our name takes the group "Foo Bar"
		"GoogleOnly_IndexHTMLisDirectory":          1,
		"GoogleOnly_LineTooLong":                   2,  // no limit for lines
		"ID_Encoding":                              2,  // bytes over 0x7F, case of escapes
		"ID_LineSyntax_Groups":                     10, // a rule before any agent invalidates the file
		"ID_LongestMatch":                          3,  // ties, lengths of patterns
		"ID_SpecialCharacters":                     1,  // a dollar sign inside a pattern
	}
	if !maps.Equal(wrong, want) {
		t.Errorf("the peer is wrong on %v, want %v", wrong, want)
	}
}

// TestPeerAgrees compares both on files that use only what the peer supports:
// plain prefixes, one group for each agent, and rules of different lengths.
func TestPeerAgrees(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 1))
	word := func() string {
		b := make([]byte, 1+random.IntN(3))
		for i := range b {
			b[i] = "ab/"[random.IntN(3)]
		}
		return string(b)
	}
	for range 5000 {
		var file strings.Builder
		for _, agent := range []string{"foobot", "barbot", "*"} {
			if random.IntN(3) == 0 {
				continue
			}
			fmt.Fprintf(&file, "User-agent: %s\n", agent)
			lengths := map[int]bool{}
			for range 1 + random.IntN(5) {
				rule := "/" + word() + word()
				if !lengths[len(rule)] {
					lengths[len(rule)] = true
					fmt.Fprintf(&file, "%s: %s\n", []string{"Allow", "Disallow"}[random.IntN(2)], rule)
				}
			}
			file.WriteString("\n")
		}
		path := "/" + word() + word() + word()
		ours, m := robots.Parse([]byte(file.String())).Agent("foobot").Allowed(path)
		if theirs, parsed := ask(file.String(), "foobot", path); !parsed || ours != theirs {
			t.Fatalf("seed %d: Allowed(%q) under\n%s= %v by %v, the peer says %v (parsed: %v)", seed, path, file.String(), ours, m, theirs, parsed)
		}
	}
}
