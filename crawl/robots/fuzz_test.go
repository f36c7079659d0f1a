// SPDX-License-Identifier: Apache-2.0

package robots_test

import (
	"strings"
	"testing"
	"time"

	"example.com/curlew/crawl/robots"
)

// slowMatch matches a pattern like Google's parser. It keeps the set of all
// positions in path at which the part of the pattern read so far can end.
func slowMatch(path, pattern string) bool {
	ends := map[int]bool{0: true}
	for i := range len(pattern) {
		if pattern[i] == '$' && i == len(pattern)-1 {
			return ends[len(path)]
		}
		next := map[int]bool{}
		for e := range ends {
			switch {
			case pattern[i] == '*':
				for ; e <= len(path); e++ {
					next[e] = true
				}
			case e < len(path) && path[e] == pattern[i]:
				next[e+1] = true
			}
		}
		ends = next
	}
	return len(ends) > 0
}

func FuzzRobots(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /a*b$\nAllow: /index.html\nCrawl-delay: 1.5s\nRequest-rate: 1/5\nSitemap: /s"), "foobot", "/ab")
	f.Add([]byte("\xef\xbb\xbfuser agent foobot\rdisalow: %zz%aa\xff*\r\n#\x00"), "FooBot", "/%AA")
	f.Add([]byte("\xff\xfeU\x00s\x00e\x00r\x00"), "", "")
	f.Fuzz(func(t *testing.T, body []byte, agent, path string) {
		file := robots.Parse(body)
		rules := file.Agent(agent)
		ok, m := rules.Allowed(path)
		for _, other := range []*robots.Rules{rules.Indexed(), rules.Plain()} {
			if o, om := other.Allowed(path); (o != ok || om != m) && !om.Spent && !m.Spent {
				t.Errorf("%v by %v, else %v by %v", o, om, ok, m)
			}
		}
		if again, m2 := robots.Parse(body).Agent(agent).Allowed(path); again != ok || m2 != m {
			t.Errorf("two answers: %v %v and %v %v", ok, m, again, m2)
		}
		if d, _ := rules.CrawlDelay(); d < 0 || d > 24*time.Hour {
			t.Errorf("CrawlDelay = %v", d)
		}
		for _, s := range file.Sitemaps() {
			if s == "" || s != strings.Trim(s, " \t\r\n\v\f") || strings.ContainsAny(s, "#\r\n") {
				t.Errorf("sitemap %q", s)
			}
		}
		if !ok && m.Pattern == "" && !m.Spent {
			t.Error("refused without a rule")
		}
	})
}

func FuzzMatch(f *testing.F) {
	f.Add("/a*b$", "/aab")
	f.Add("/a*b*", "/ab")
	f.Add("/*a$", "/aa")
	f.Add("$", "/")
	f.Add("/a$b", "/a$b")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		for _, s := range []string{pattern, path} {
			if len(s) > 60 || strings.Trim(s, "/ab$*") != "" {
				t.Skip("only the pattern language")
			}
		}
		path = "/" + path
		ok, m := robots.Parse([]byte("User-agent: *\nDisallow: " + pattern)).Agent().Allowed(path)
		if want := pattern != "" && slowMatch(path, pattern); ok == want {
			t.Errorf("%q under %q: allowed %v by %v, the slow rule matches: %v", path, pattern, ok, m, want)
		}
	})
}
