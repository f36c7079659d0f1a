// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/robots"
	"example.com/curlew/crawl/scope"
)

// TestDecide checks each rule, and the options that let a URL pass it.
func TestDecide(t *testing.T) {
	site := crawl.Config{URL: "http://www.a.test/docs/"}
	with := func(change func(c *crawl.Config)) crawl.Config {
		c := site
		change(&c)
		return c
	}
	page := scope.Ref{URL: "http://a.test/docs/page", Depth: 2}
	deep := with(func(c *crawl.Config) { c.MaxDepth = new(2) })
	external := with(func(c *crawl.Config) { c.External = true })
	sub := with(func(c *crawl.Config) { c.Subdomains = true })
	domain := with(func(c *crawl.Config) { c.EntireDomain = true })
	include := with(func(c *crawl.Config) { c.Include = []string{"^/docs/a", "b$"} })
	exclude := with(func(c *crawl.Config) { c.Exclude = []string{"x+y"} })
	full := with(func(c *crawl.Config) { c.Exclude, c.FullURL = []string{`\?q=`}, true })
	pageRobots := with(func(c *crawl.Config) { c.PageRobots = true })
	rules := robots.Parse([]byte("User-agent: *\nDisallow: /docs/private\n")).Agent()
	via := func(v scope.Via) scope.Ref { r := page; r.Via = v; return r }

	for _, tt := range []struct {
		c    crawl.Config
		from scope.Ref
		to   string
		want scope.Rule
	}{
		{site, page, "next", 0},
		{site, page, "http://[", scope.RuleParse},
		{site, scope.Ref{URL: "no url"}, "next", scope.RuleParse},
		{site, scope.Ref{URL: "http://a.test/", Base: "http://["}, "next", scope.RuleParse},
		{site, scope.Ref{URL: "http://a.test/", Base: "/docs/"}, "next", 0},
		{site, page, "mailto:x@a.test", scope.RuleScheme},
		{site, page, "ftp://a.test/docs/x", scope.RuleScheme},
		{site, page, "http:/a.test/docs/x", 0}, // the URL is repaired

		{deep, page, "next", scope.RuleDepth},
		{deep, page, "#part", scope.RuleDepth},
		{deep, via(scope.ViaSitemap), "next", 0},
		{deep, via(scope.ViaRedirect), "next", 0},

		{site, page, "#part", scope.RuleSection},
		{site, page, "page#part", scope.RuleSection},
		{site, page, "other#part", 0},
		{site, page, "#/route", 0},
		{site, page, "#!route", scope.RuleSection},
		{site, page, "#!/route", 0},
		{site, page, "", 0}, // the frontier drops it as a duplicate

		{site, page, "a.png", scope.RuleFileType},
		{site, page, "a.JPEG?x=1", scope.RuleFileType},
		{site, page, "a.woff2", scope.RuleFileType},
		{site, page, "a.png/b", 0},
		{site, page, "a.pdf", 0},
		{site, page, "a.docx", 0},
		{site, page, "a?b=c.png", 0},
		{site, via(scope.ViaSitemap), "a.zip", scope.RuleFileType},
		{site, via(scope.ViaRedirect), "a.zip", scope.RuleFileType},
		{external, page, "http://b.test/a.css", scope.RuleFileType},

		{site, page, "http://a.test/docs/x", 0},
		{site, page, "https://www.a.test:8443/docs/x", 0},
		{site, page, "http://api.a.test/", scope.RuleExternal},
		{sub, page, "http://api.a.test/any/where", 0},
		{sub, page, "http://www.api.a.test/", 0},
		{external, page, "http://api.a.test/", 0},
		{site, page, "http://b.test/", scope.RuleExternal},
		{sub, page, "http://b.test/", scope.RuleExternal},
		{external, page, "http://b.test/", 0},
		{external, scope.Ref{URL: "http://b.test/", Kind: scope.External}, "http://c.test/", scope.RuleExternal},
		{external, scope.Ref{URL: "http://b.test/", Kind: scope.External}, "http://a.test/docs/x", scope.RuleExternal},
		{external, scope.Ref{URL: "http://b.test/", Kind: scope.External, Via: scope.ViaRedirect}, "http://www.b.test/x", 0},
		{external, scope.Ref{URL: "http://b.test/", Kind: scope.External, Via: scope.ViaRedirect}, "http://c.test/x", scope.RuleExternal},
		{external, scope.Ref{URL: "http://b.test/", Kind: scope.External, Via: scope.ViaRedirect}, "http://a.test/docs/x", 0},
		{site, via(scope.ViaRedirect), "http://b.test/", scope.RuleExternal},
		{site, via(scope.ViaMoved), "http://b.test/x.png", 0},
		{crawl.Config{URL: "http://10.0.0.1/", Subdomains: true}, scope.Ref{URL: "http://10.0.0.1/"}, "http://2.10.0.1/", scope.RuleExternal},

		{external, page, "https://github.com/x", scope.RuleSocial},
		{external, page, "https://gist.github.com/x", scope.RuleSocial},
		{external, page, "https://notgithub.com/x", 0},
		{crawl.Config{URL: "https://github.com/x/", External: true}, scope.Ref{URL: "https://github.com/x/"}, "y", 0},

		{site, page, "/", scope.RuleBackward},
		{site, page, "/docsearch", scope.RuleBackward},
		{site, page, "/docs", scope.RuleBackward},
		{site, page, "../docs/x", 0},
		{domain, page, "/", 0},
		{site, via(scope.ViaRedirect), "/", 0},
		{site, via(scope.ViaSitemap), "/", scope.RuleBackward},
		{crawl.Config{URL: "http://a.test/docs"}, page, "/docs", 0},
		{crawl.Config{URL: "http://a.test/docs"}, page, "/docs/x", 0},
		{crawl.Config{URL: "http://a.test/docs"}, page, "/docsearch", scope.RuleBackward},
		{crawl.Config{URL: "http://a.test/docs/index.html"}, page, "/docs/x", 0},
		{crawl.Config{URL: "http://a.test/docs/index.html"}, page, "/x", scope.RuleBackward},
		{crawl.Config{URL: "http://a.test/docs/v1.2"}, page, "/docs/x", scope.RuleBackward},
		{crawl.Config{URL: "http://a.test/docs/?q=/x/"}, page, "/docs/x", 0},

		{exclude, page, "xxxy", scope.RuleExcluded},
		{exclude, page, "?xy", 0},
		{exclude, via(scope.ViaRedirect), "xy", scope.RuleExcluded},
		{full, page, "a?q=1", scope.RuleExcluded},
		{include, page, "/docs/ab", 0},
		{include, page, "/docs/xb", 0},
		{include, page, "/docs/x", scope.RuleNotIncluded},
		{include, via(scope.ViaRedirect), "/docs/x", 0},
		{include, via(scope.ViaSitemap), "/docs/x", scope.RuleNotIncluded},

		{site, scope.Ref{URL: page.URL, NoFollow: true, Rel: "nofollow"}, "x", 0},
		{pageRobots, scope.Ref{URL: page.URL, NoFollow: true}, "x", scope.RuleNofollow},
		{pageRobots, scope.Ref{URL: page.URL, Rel: "noopener nofollow"}, "x", scope.RuleNofollow},
		{pageRobots, scope.Ref{URL: page.URL, Rel: "nofollower"}, "x", 0},

		{site, page, "private/x", scope.RuleRobots},
		{site, via(scope.ViaMoved), "/docs/private", scope.RuleRobots},
		{with(func(c *crawl.Config) { c.Robots = crawl.RobotsIgnore }), page, "private/x", 0},

		{site, page, strings.Repeat("x", 2048), scope.RuleTrap},
		{site, page, strings.Repeat("x/", 40), scope.RuleTrap},
		{site, page, "a/b/a/b/a/b/a", scope.RuleTrap},
		{site, page, "a/b/a/b/a/b", 0},
		{site, page, "?a=1&a=2&a=3&a=4&a=5", 0},
		{site, page, "?a=1&a=2&a=3&a=4&a=5&a=6", scope.RuleTrap},
		{with(func(c *crawl.Config) { c.Traps = crawl.Traps{-1, -1, -1, -1, -1, -1, -1, -1} }), page, strings.Repeat("x/", 2000), 0},

		// Of two rules the first one counts.
		{deep, page, "http://b.test/a.png", scope.RuleDepth},
		{site, page, "http://b.test/a.png", scope.RuleFileType},
		{exclude, page, "/xy", scope.RuleBackward},
		{with(func(c *crawl.Config) { c.Exclude = []string{"private"} }), page, "private", scope.RuleExcluded},
	} {
		s, err := tt.c.Compile()
		if err != nil {
			t.Fatal(err)
		}
		d := s.Decide(tt.from, tt.to, rules)
		if d.Rule != tt.want || d.Follow != (tt.want == 0) {
			t.Errorf("Decide(%+v, %.80q) = rule %q, follow %v; want %q", tt.from, tt.to, d.Rule, d.Follow, tt.want)
		}
		steps := s.Explain(tt.from, tt.to, rules)
		if diff := cmp.Diff(d, steps[len(steps)-1]); diff != "" {
			t.Errorf("the last step of Explain(%q) is not Decide (-want +got):\n%s", tt.to, diff)
		}
	}
}

func TestExplain(t *testing.T) {
	s, err := crawl.Config{URL: "http://a.test/docs/", Exclude: []string{"never", "old"}}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	var rules []string
	steps := s.Explain(scope.Ref{URL: "http://a.test/docs/"}, "old/?x#top", nil)
	for _, d := range steps {
		rules = append(rules, d.Rule.String())
		if d.URL != "http://a.test/docs/old/?x" || d.Key != "http://a.test/docs/old?x" || d.Kind != scope.Internal {
			t.Errorf("step %+v", d)
		}
	}
	want := "parse scheme depth section file-type external social backward excluded"
	if got := strings.Join(rules, " "); got != want {
		t.Errorf("steps %q, want %q", got, want)
	}
	if last := steps[len(steps)-1]; last.Follow || last.Value != "old" {
		t.Errorf("last step %+v", last)
	}
	if n := len(s.Explain(scope.Ref{URL: "http://a.test/docs/"}, "new", nil)); n != 14 {
		t.Errorf("%d steps of a URL that passes, want 13 rules and the decision", n)
	}
	if got, want := fmt.Sprint(scope.Internal, scope.Subdomain, scope.External, scope.Kind(9)), "internal subdomain external Kind(9)"; got != want {
		t.Errorf("kinds are %q, want %q", got, want)
	}
	if got := scope.Rule(99).String(); got != "Rule(99)" {
		t.Errorf("unknown rule is %q", got)
	}
}

func TestCompile(t *testing.T) {
	_, err := crawl.Config{
		URL:     "http://a.test/",
		Include: []string{"ok", "(?=x)", strings.Repeat("ü", 1001), strings.Repeat("ü", 1000)},
		Exclude: append(make([]string, 100), `(a)\1`, "x", "y"),
	}.Compile()
	if !errors.Is(err, crawl.ErrConfig) {
		t.Fatalf("%v does not wrap ErrConfig", err)
	}
	var got []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		got = append(got, line[strings.Index(line, "clude")-2:][:len("include pattern N")])
	}
	want := []string{"include pattern 1", "include pattern 2", "exclude pattern 1"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%v\n(-want +got):\n%s", err, d)
	}
	e, ok := errors.AsType[*scope.PatternError](err)
	if !ok || e.Exclude || e.Index != 1 || !strings.Contains(e.Error(), "(?=") {
		t.Errorf("first pattern error is %+v", e)
	}
	if _, err := (crawl.Config{URL: "ftp://a.test/"}).Compile(); !errors.Is(err, crawl.ErrConfig) {
		t.Errorf("Compile of an ftp URL: %v", err)
	}
}

// TestMetamorphic checks that more excludes never admit more, and more switches
// never admit less.
func TestMetamorphic(t *testing.T) {
	refs := []string{
		"/", "x", "/docs/x", "/docs/old", "http://b.test/", "http://api.a.test/x", "a.png", "?q=1", "#x", "//www.a.test/docs/y",
	}
	from := scope.Ref{URL: "http://a.test/docs/"}
	follow := func(c crawl.Config, ref string) bool {
		c.URL = "http://a.test/docs/"
		s, err := c.Compile()
		if err != nil {
			t.Fatal(err)
		}
		return s.Decide(from, ref, nil).Follow
	}
	for bits := range 8 {
		less := crawl.Config{EntireDomain: bits&1 != 0, Subdomains: bits&2 != 0, External: bits&4 != 0}
		for _, ref := range refs {
			for _, more := range []crawl.Config{
				{EntireDomain: true, Subdomains: less.Subdomains, External: less.External},
				{EntireDomain: less.EntireDomain, Subdomains: true, External: less.External},
				{EntireDomain: less.EntireDomain, Subdomains: less.Subdomains, External: true},
			} {
				if follow(less, ref) && !follow(more, ref) {
					t.Errorf("%q is followed with %+v, not with %+v", ref, less, more)
				}
			}
			narrow := less
			narrow.Exclude = []string{"old"}
			if follow(narrow, ref) && !follow(less, ref) {
				t.Errorf("%q is followed only with an exclude", ref)
			}
		}
	}
}

// FuzzScope checks that any reference gets a decision, that the steps of the
// explanation agree with it, and that a followed URL is absolute and gets the
// same decision with any base.
func FuzzScope(f *testing.F) {
	for _, s := range []string{"", "/a", "http://b.test/", "?x", "#/r", "http:a", "//x\\y", "a/../../b", "HTTP://WWW.A.TEST/docs/", "\t/x ", "http://[::1]/", "%"} {
		f.Add(s, "http://a.test/docs/", uint8(0))
		f.Add(s, s, uint8(7))
	}
	rules := robots.Parse([]byte("User-agent: *\nDisallow: /docs/p\n")).Agent()
	f.Fuzz(func(t *testing.T, ref, from string, bits uint8) {
		c := crawl.Config{
			URL: "http://a.test/docs/", EntireDomain: bits&1 != 0, Subdomains: bits&2 != 0, External: bits&4 != 0,
			IgnoreQuery: bits&8 != 0, KeepSimilar: bits&16 != 0, PageRobots: bits&32 != 0,
		}
		s, err := c.Compile()
		if err != nil {
			t.Fatal(err)
		}
		at := scope.Ref{URL: from, Via: scope.Via(bits >> 6)}
		d := s.Decide(at, ref, rules)
		if d.Follow != (d.Rule == 0) {
			t.Fatalf("Decide(%q) follows %v by rule %q", ref, d.Follow, d.Rule)
		}
		steps := s.Explain(at, ref, rules)
		if last := steps[len(steps)-1]; last != d {
			t.Fatalf("Explain(%q) ends with %+v, Decide gave %+v", ref, last, d)
		}
		if !d.Follow {
			return
		}
		again := s.Decide(scope.Ref{URL: "http://a.test/docs/elsewhere", Via: at.Via}, d.URL, rules)
		if again.URL != d.URL || again.Key != d.Key {
			t.Fatalf("%q is %q, key %q; resolved again %q, key %q", ref, d.URL, d.Key, again.URL, again.Key)
		}
	})
}
