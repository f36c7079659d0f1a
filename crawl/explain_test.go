// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/fetch/fetchtest"
)

func TestRobotsURL(t *testing.T) {
	for page, want := range map[string]string{
		"http://u:p@A.test:80/x?y#z": "http://a.test/robots.txt",
		"https://a.test:8443":        "https://a.test:8443/robots.txt",
		"/x":                         "",
		"mailto:a@b.test":            "",
	} {
		if got := scope.RobotsURL(page); got != want {
			t.Errorf("RobotsURL(%s) = %q, want %q", page, got, want)
		}
	}
}

// TestRobotsFile checks what answers to a request for robots.txt mean for each
// policy.
func TestRobotsFile(t *testing.T) {
	body := []byte("User-agent: us\nDisallow: /ours\nUser-agent: *\nDisallow: /all")
	for _, tt := range []struct {
		status        int
		policy        crawl.RobotsPolicy
		agent, header string
		path          string
		follow        bool
	}{
		{200, crawl.RobotsStrict, "", "", "/all", false},
		{200, crawl.RobotsStrict, "", "us/1.0", "/all", true},
		{200, crawl.RobotsStrict, "", "us/1.0", "/ours", false},
		{200, crawl.RobotsStrict, "other", "us/1.0", "/all", false},
		{200, crawl.RobotsIgnore, "", "", "/all", true},
		{404, crawl.RobotsStrict, "", "", "/all", true},
		{302, crawl.RobotsStrict, "", "", "/all", true},
		{429, crawl.RobotsStrict, "", "", "/x", false},
		{503, crawl.RobotsStrict, "", "", "/x", false},
		{0, crawl.RobotsStrict, "", "", "/x", false},
		{0, crawl.RobotsLenient, "", "", "/x", true},
	} {
		site, err := crawl.Config{URL: "http://a.test/", Robots: tt.policy, RobotsAgent: tt.agent}.Compile()
		if err != nil {
			t.Fatal(err)
		}
		rules := site.Rules(scope.NewRobotsFile("http://a.test/robots.txt", tt.status, body), tt.header)
		if d := site.Decide(scope.Ref{URL: "http://a.test/"}, tt.path, rules); d.Follow != tt.follow {
			t.Errorf("%+v: %+v", tt, d)
		}
	}
}

// TestVia checks which rules do not apply to URLs from sitemaps and other
// sources.
func TestVia(t *testing.T) {
	site, err := crawl.Config{URL: "http://a.test/docs/", Exclude: []string{"old"}, MaxDepth: new(0)}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		via  scope.Via
		to   string
		want scope.Rule
	}{
		{scope.ViaLink, "/docs/x", scope.RuleDepth},
		{scope.ViaSitemap, "/docs/x", 0},
		{scope.ViaSitemap, "/x", scope.RuleBackward},
		{scope.ViaRedirect, "/x", 0},
		{scope.ViaRedirect, "/old", scope.RuleExcluded},
		{scope.ViaMoved, "http://b.test/old.zip", 0},
		{scope.ViaStart, "http://b.test/new.zip", 0},
		{scope.ViaStart, "http://b.test/old.zip", scope.RuleExcluded},
		{scope.ViaStart, "http://[b", scope.RuleParse},
	} {
		d := site.Decide(scope.Ref{URL: "http://a.test/docs/", Via: tt.via}, tt.to, nil)
		if d.Rule != tt.want || d.Follow != (tt.want == 0) {
			t.Errorf("way %d to %s: %+v, want %q", tt.via, tt.to, d, tt.want)
		}
	}
	moved, err := site.Moved("http://b.test/new/")
	if err != nil || moved.Origin() != "http://b.test/new/" {
		t.Errorf("moved: %v", err)
	}
	if _, err := site.Moved("b.test"); err == nil {
		t.Error("moved to what is no URL")
	}
}

// TestTraceRobots checks that each robots.txt is reported once, and again when
// it changes.
func TestTraceRobots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.New(t, []byte(`
-- a.test/ --
<a href="/b">b</a><a href="http://b.test/">b</a><a href="http://c.test/">c</a>
-- a.test/robots.txt --
Disallow: nothing
-- b.test/robots.txt --
HTTP 503

-- a.test/b --
b
`))
		var mu sync.Mutex
		var told []string
		e := crawl.Engine{Fetcher: site, Trace: &crawl.Trace{Robots: func(f scope.RobotsFile) {
			mu.Lock()
			defer mu.Unlock()
			what := string(f.Body)
			if f.Unreachable {
				what = "unreachable"
			}
			told = append(told, f.URL+" "+what)
		}}}
		for _, err := range e.Run(t.Context(), crawl.Config{URL: "http://a.test/", External: true, Sitemap: crawl.SitemapSkip}) {
			if err != nil {
				t.Fatal(err)
			}
		}
		slices.Sort(told)
		want := []string{"http://a.test/robots.txt Disallow: nothing\n", "http://b.test/robots.txt unreachable", "http://c.test/robots.txt "}
		if !slices.Equal(told, want) {
			t.Errorf("told of %q, want %q", told, want)
		}
	})
}

// TestCounts checks that each link is counted under exactly one rule, or added.
func TestCounts(t *testing.T) {
	site := answer(func(path string) string {
		if path != "/docs/" {
			return "x"
		}
		return `<a href="mailto:x"><a href="http://[x"><a href="#top"><a href="/docs/a.png"><a href="http://b.test/">` +
			`<a href="/shop"><a href="/docs/old"><a href="/docs/a"><a href="/docs/a"><a href="/docs/x/x/x/x/x">`
	})
	var stats func() frontier.Stats
	e := crawl.Engine{Fetcher: site, Trace: &crawl.Trace{Started: func(s func() frontier.Stats) { stats = s }}}
	for _, err := range e.Run(t.Context(), crawl.Config{URL: "http://a.test/docs/", Exclude: []string{"old"}, Sitemap: crawl.SitemapSkip}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	s := stats()
	want := map[scope.Rule]int{
		scope.RuleScheme: 1, scope.RuleParse: 1, scope.RuleSection: 1, scope.RuleFileType: 1, scope.RuleExternal: 1,
		scope.RuleBackward: 1, scope.RuleExcluded: 1, scope.RuleDuplicate: 1, scope.RuleTrap: 1,
	}
	for rule := range scope.RuleCount {
		if s.Refused[rule] != want[rule] {
			t.Errorf("%d links refused by %q, want %d", s.Refused[rule], rule, want[rule])
		}
	}
	if s.Delivered != 2 {
		t.Errorf("%d pages, want 2", s.Delivered)
	}
}
