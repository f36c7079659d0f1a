// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/fetch"
)

// TestCharsets follows links of pages in old encodings. Queries are encoded in
// the charset of the page and paths in UTF-8, with either extractor.
func TestCharsets(t *testing.T) {
	pages := []struct{ name, header, body, want string }{
		{"windows-1252", "text/html", "<meta charset=windows-1252><a href='/caf\xe9?q=caf\xe9'>x</a>", "/caf%C3%A9?q=caf%E9"},
		{"shift_jis", "text/html; charset=Shift_JIS", "<a href='/\x8a\xbf?q=\x8a\xbf\x8e\x9a'>x</a>", "/%E6%BC%A2?q=%8A%BF%8E%9A"},
		{"gb18030", "text/html", "<meta charset=gb18030><a href='/s?q=\xba\xba\xd7\xd6'>x</a>", "/s?q=%BA%BA%D7%D6"},
		{"not in the charset", "text/html; charset=Shift_JIS", "<a href='/s?q=&eacute;'>x</a>", "/s?q=%26%23233%3B"},
		{"UTF-8", "text/html; charset=utf-8", "<a href='/s?q=caf\u00e9'>x</a>", "/s?q=caf%C3%A9"},
	}
	for _, p := range pages {
		for _, tree := range []bool{false, true} {
			site := fetcher(func(_ context.Context, r *fetch.Exchange) (*fetch.Response, error) {
				res := &fetch.Response{URL: r.URL, Status: 200, Header: http.Header{}}
				if r.URL == "http://a.test/" {
					res.Header.Set("Content-Type", p.header)
					res.Body = []byte(p.body)
				}
				return res, nil
			})
			var asked string
			c := crawl.Config{URL: "http://a.test/", Sitemap: crawl.SitemapSkip, Visit: func(_ context.Context, page *crawl.Page) error {
				if page.From != "" {
					asked = page.URL
				}
				if !tree {
					return nil
				}
				_, err := page.Tree()
				return err
			}}
			plain(t, site, c)
			if asked != "http://a.test"+p.want {
				t.Errorf("%s, tree %v: asked for %s, want %s", p.name, tree, asked, p.want)
			}
		}
	}
}

// TestContentTypes checks that the media type at the start of a Content-Type
// decides, even if the rest is malformed. Without a type the content decides,
// which here does not look like HTML.
func TestContentTypes(t *testing.T) {
	const page = "<meta charset=utf-8><a href=/x>x</a> <http://a.test/y>"
	for kind, want := range map[string]string{
		"text/html": "x", "Text/HTML; charset=utf-8; charset=utf-8": "x", "text/html; charset": "x", "text/html;charset=\"utf-8": "x",
		"text/html charset=utf-8": "x", "text/html, text/html": "x", " text/html ;;": "x",
		"text/plain; charset=utf-8; charset=utf-8": "y", "text/markdown; variant": "y",
		"": "y", "html": "y", "*/*": "y", "unknown/unknown": "y", "application/unknown": "y", "text/html\xff": "y", "tex t/html": "y",
		"application/json; a=1; a=2": "",
	} {
		site := fetcher(func(_ context.Context, r *fetch.Exchange) (*fetch.Response, error) {
			res := &fetch.Response{URL: r.URL, Status: 200, Header: http.Header{"Content-Type": {kind}}}
			if r.URL == "http://a.test/" {
				res.Body = []byte(page)
			}
			return res, nil
		})
		pages := plain(t, site, crawl.Config{})
		if got := strings.TrimPrefix(pages[len(pages)-1].URL, "http://a.test/"); got != want {
			t.Errorf("%q: links to %q, want %q", kind, got, want)
		}
	}
}

// TestSchemes checks that URLs with other schemes are counted apart from
// invalid URLs.
func TestSchemes(t *testing.T) {
	site := answer(func(path string) string {
		return `<a href="mailto:a@b.test">x</a><a href="javascript:0">x</a><a href="http://[x">x</a><a href="tel:1">x</a>`
	})
	var stats func() frontier.Stats
	e := crawl.Engine{Fetcher: site, Trace: &crawl.Trace{Started: func(s func() frontier.Stats) { stats = s }}}
	for _, err := range e.Run(t.Context(), crawl.Config{URL: "http://a.test/", Sitemap: crawl.SitemapSkip}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if s := stats(); s.Refused[scope.RuleScheme] != 3 || s.Refused[scope.RuleParse] != 1 {
		t.Errorf("%d of other schemes, %d unreadable; want 3, 1", s.Refused[scope.RuleScheme], s.Refused[scope.RuleParse])
	}
}

// TestSchemesOfSitemap checks that entries of a sitemap that are no pages are counted like links.
func TestSchemesOfSitemap(t *testing.T) {
	site := answer(func(path string) string {
		if path != "/sitemap.xml" {
			return "x"
		}
		var entries strings.Builder
		for _, loc := range []string{"mailto:a@b.test", "http://[x", "http://", "/b", "javascript:0", "/" + strings.Repeat("x", 9000)} {
			entries.WriteString("<url><loc>" + loc + "</loc></url>")
		}
		return "<urlset>" + entries.String() + "</urlset>"
	})
	var stats func() frontier.Stats
	e := crawl.Engine{Fetcher: site, Trace: &crawl.Trace{Started: func(s func() frontier.Stats) { stats = s }}}
	for _, err := range e.Run(t.Context(), crawl.Config{URL: "http://a.test/"}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if s := stats(); s.Delivered != 2 || s.Refused[scope.RuleScheme] != 2 || s.Refused[scope.RuleParse] != 2 || s.Refused[scope.RuleTrap] != 1 {
		t.Errorf("%d pages, %d of other schemes, %d unreadable, %d too long; want 2, 2, 2, 1", s.Delivered, s.Refused[scope.RuleScheme], s.Refused[scope.RuleParse], s.Refused[scope.RuleTrap])
	}
}
