// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/agent"
	"example.com/curlew/agent/search"
)

// fixture is a server that answers as a provider documents it, with the files of testdata. It
// records the requests.
type fixture struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string // guarded by mu; path and query, without the first slash
	key   string   // guarded by mu; the last X-Subscription-Token
}

// serve starts a fixture; file names the file of testdata for a request, and "" answers 404.
func serve(t *testing.T, file func(r *http.Request) string) *fixture {
	t.Helper()
	f := new(fixture)
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		f.asked = append(f.asked, r.URL.RequestURI())
		f.key = r.Header.Get("X-Subscription-Token")
		f.mu.Unlock()
		name := file(r)
		if name == "" {
			http.NotFound(w, r)
			return
		}
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(data)
	}))
	t.Cleanup(f.Close)
	return f
}

// searxng is a SearXNG on a fixture. The second page of every search is empty.
func searxng(t *testing.T) (*search.SearXNG, *fixture) {
	t.Helper()
	f := serve(t, func(r *http.Request) string {
		q := r.URL.Query()
		if q.Get("format") != "json" {
			t.Errorf("asked for %q", r.URL)
		}
		if q.Get("pageno") != "1" || q.Get("q") == "silent" {
			return "searxng-silent.json"
		}
		return map[string]string{"general": "searxng-web.json", "images": "searxng-images.json", "news": "searxng-news.json"}[q.Get("categories")]
	})
	return &search.SearXNG{Base: f.URL + "/", Get: search.Over(f.Client()).Get()}, f
}

// brave is a Brave on a fixture.
func brave(t *testing.T) (*search.Brave, *fixture) {
	t.Helper()
	f := serve(t, func(r *http.Request) string {
		return map[string]string{
			"/res/v1/web/search": "brave-web.json", "/res/v1/images/search": "brave-images.json", "/res/v1/news/search": "brave-news.json",
		}[r.URL.Path]
	})
	return &search.Brave{Base: f.URL, Key: "secret", Fetch: search.Over(f.Client())}, f
}

// shown writes an answer as lines.
func shown(a *search.Answer) string {
	var b strings.Builder
	for _, h := range a.Hits {
		fmt.Fprintf(&b, "%s|%s|%s|%s|%s|%dx%d\n", h.URL, h.Title, h.Text, h.Date, h.Image, h.Width, h.Height)
	}
	for _, n := range a.Notes {
		b.WriteString("note: " + n + "\n")
	}
	return b.String()
}

// TestFind checks what each adapter asks for and how it reads the documented answers.
func TestFind(t *testing.T) {
	from, to := time.Date(2025, 12, 31, 0, 0, 0, 0, time.UTC), time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)
	x, atX := searxng(t)
	b, atB := brave(t)
	for name, tt := range map[string]struct {
		provider search.Provider
		query    search.Query
		asked    string // the first request
		want     string
	}{
		"searxng web": {
			x,
			search.Query{Text: "waders", N: 20},
			"/search?categories=general&format=json&pageno=1&q=waders&safesearch=0",
			"http://a.test/|Waders of the coast|All about waders.|||0x0\n" +
				"https://github.com/curlew/waders|curlew/waders|A repository.|2026-03-01T00:00:00||0x0\n" +
				"http://b.test/guide.pdf|A guide|PDF file|||0x0\nhttp://evil.test/|Evil|Blocked.|||0x0\n" +
				"http://a.test/missing|Missing|A page that does not exist.|||0x0\nhttp://sub.a.test/more|More|More waders.|||0x0\n" +
				"note: The search provider gave 2 results that are not valid.\n",
		},
		"searxng few": {
			x,
			search.Query{Text: "waders", N: 1, Language: "en", Country: "GB", Safe: new(true), Range: search.Range{Last: search.Week}},
			"/search?categories=general&format=json&language=en-GB&pageno=1&q=waders&safesearch=2&time_range=week",
			"http://a.test/|Waders of the coast|All about waders.|||0x0\nnote: The search provider gave 2 results that are not valid.\n",
		},
		"searxng images": {
			x,
			search.Query{Text: "waders", Source: search.Images, Language: "pt-BR", Country: "BR", Range: search.Range{Last: search.Hour}},
			"/search?categories=images&format=json&language=pt-BR&pageno=1&q=waders&safesearch=0&time_range=day",
			"http://a.test/gallery|A curlew|||https://img.test/curlew.jpg|640x480\nhttp://b.test/|No size|||http://img.test/b.jpg|0x0\n" +
				"note: The search provider has no time range of an hour; it was asked for a day.\n",
		},
		"searxng news": {
			x,
			search.Query{Text: "waders", Source: search.News, Place: "Leeds", Range: search.Range{From: from, To: to, Newest: true}, Safe: new(false)},
			"/search?categories=news&format=json&pageno=1&q=waders&safesearch=0",
			"http://news.test/1|Curlews return|Spring has come.|2026-03-01T08:00:00|http://img.test/news.jpg|0x0\n" +
				"note: The search provider cannot search between two dates; it was asked for any time.\n" +
				"note: The search provider cannot sort by date.\nnote: The search provider does not know the place of a searcher.\n",
		},
		"searxng silent": {
			x,
			search.Query{Text: "silent"},
			"/search?categories=general&format=json&pageno=1&q=silent&safesearch=0",
			"note: Search engines did not answer: bing, google.\n",
		},
		"brave web": {
			b,
			search.Query{Text: "waders", N: 40, Language: "en", Country: "US", Safe: new(true), Range: search.Range{From: from, To: to}},
			"/res/v1/web/search?count=20&country=US&freshness=2025-12-31to2026-01-31&q=waders&safesearch=strict&search_lang=en",
			"http://a.test/|Waders of the coast|All about waders & more.|2026-03-01T00:00:00|http://img.test/t.jpg|0x0\nhttp://sub.a.test/more|More|More waders.|||0x0\n" +
				"note: The search provider gave 1 result that is not valid.\n",
		},
		"brave images": {
			b,
			search.Query{Text: "waders", Source: search.Images, Range: search.Range{Last: search.Year}},
			"/res/v1/images/search?count=10&q=waders",
			"http://a.test/gallery|A curlew|||http://img.test/curlew.jpg|640x480\nhttp://b.test/|Too large|||http://img.test/b.jpg|0x0\n" +
				"note: The search provider has no time range for this source.\n",
		},
		"brave news": {
			b,
			search.Query{Text: strings.Repeat("w ", 60), Source: search.News, Range: search.Range{Last: search.Hour}},
			"/res/v1/news/search?count=10&freshness=pd&q=" + strings.TrimSuffix(strings.Repeat("w+", 50), "+"),
			"http://news.test/1|Curlews return|Spring has come.|2 days ago|http://img.test/news.jpg|0x0\n" +
				"note: The search provider takes 400 characters and 50 words; the rest of the query was left out.\n" +
				"note: The search provider has no time range of an hour; it was asked for a day.\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := atX
			if tt.provider == b {
				f = atB
			}
			f.asked = nil
			got, err := tt.provider.Find(t.Context(), &tt.query)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, shown(got)); diff != "" {
				t.Error(diff)
			}
			if len(f.asked) == 0 || f.asked[0] != tt.asked {
				t.Errorf("asked %q, want first %q", f.asked, tt.asked)
			}
		})
	}
	if atB.key != "secret" || atX.key != "" {
		t.Errorf("keys %q and %q", atB.key, atX.key)
	}
}

// TestOver checks that the answers of a hostile provider are bounded, and that its redirects
// get neither query nor key.
func TestOver(t *testing.T) {
	reached := make(chan string, 1)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reached <- r.URL.String() }))
	t.Cleanup(other.Close)
	for name, tt := range map[string]struct {
		serve http.HandlerFunc
		check func(error) bool
	}{
		"endless": {func(w http.ResponseWriter, _ *http.Request) {
			chunk := []byte(strings.Repeat(" ", 1<<20))
			for {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}, func(err error) bool { return errors.Is(err, search.ErrTooLarge) }},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/?"+r.URL.RawQuery, http.StatusFound)
		}, func(err error) bool { s, ok := errors.AsType[*search.StatusError](err); return ok && s.Status == 302 }},
		"no JSON":    {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }, func(err error) bool { return errors.Is(err, search.ErrReply) }},
		"wrong type": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"results":{},"web":[]}`)) }, func(err error) bool { return errors.Is(err, search.ErrReply) }},
		"too many requests": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "99999999")
			w.WriteHeader(http.StatusTooManyRequests)
		}, func(err error) bool {
			s, ok := errors.AsType[*search.StatusError](err)
			return ok && s.Status == 429 && s.After == time.Hour
		}},
		"no JSON format": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }, func(err error) bool {
			s, ok := errors.AsType[*search.StatusError](err)
			return errors.Is(err, search.ErrOff) || ok && s.Status == 403
		}},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(tt.serve)
			t.Cleanup(server.Close)
			over := search.Over(server.Client())
			for _, p := range []search.Provider{&search.SearXNG{Base: server.URL, Get: over.Get()}, &search.Brave{Base: server.URL, Fetch: over}} {
				if got, err := p.Find(t.Context(), &search.Query{Text: "x"}); !tt.check(err) || got != nil {
					t.Errorf("%T: %+v, %v", p, got, err)
				}
			}
		})
	}
	select {
	case at := <-reached:
		t.Errorf("another server was asked for %s", at)
	default:
	}
}

// listed is a provider with fixed hits for each source.
type listed map[search.Source][]string

func (l listed) Find(_ context.Context, q *search.Query) (*search.Answer, error) {
	urls, ok := l[q.Source]
	if !ok {
		return nil, errors.New("no such source")
	}
	a := &search.Answer{Notes: []string{"asked for " + q.Text}}
	for _, u := range urls[:min(len(urls), q.N)] {
		if u == "panic" {
			panic(u)
		}
		a.Hits = append(a.Hits, search.Hit{URL: u})
	}
	return a, nil
}

// TestRun checks which hits a request keeps.
func TestRun(t *testing.T) {
	web := []string{"http://a.test/", "http://sub.a.test/x.PDF?y", "http://b.test/", "https://github.com/x", "http://nota.test/", "http://evil.test/", "http://c.test/"}
	p := listed{search.Web: web, search.News: {"http://news.test/"}, search.Images: {"panic"}}
	admit := func(_ context.Context, url string) (bool, error) { return !strings.Contains(url, "evil"), nil }
	for name, tt := range map[string]struct {
		request search.Request
		want    string
	}{
		"all":     {search.Request{Text: "q", N: 100}, "web: 1 http://a.test/, 2 http://sub.a.test/x.PDF?y, 3 http://b.test/, 4 https://github.com/x, 5 http://nota.test/, 6 http://c.test/; asked for q; Of web, 1 hit is left out, because of the rules for this team."},
		"cut":     {search.Request{Text: "q", N: 2}, "web: 1 http://a.test/, 2 http://sub.a.test/x.PDF?y; asked for q"},
		"include": {search.Request{Text: "q", Include: []string{"a.test", "c.test"}}, "web: 1 http://a.test/, 2 http://sub.a.test/x.PDF?y, 3 http://c.test/; asked for q site:a.test OR site:c.test"},
		"exclude": {search.Request{Text: "q", N: 3, Exclude: []string{"a.test", "github.com"}}, "web: 1 http://b.test/, 2 http://nota.test/; asked for q -site:a.test -site:github.com; Of web, 1 hit is left out, because of the rules for this team."},
		"categories": {
			search.Request{Text: "q", Categories: []search.Category{search.GitHub, search.PDF}},
			"web: 1 http://sub.a.test/x.PDF?y pdf, 2 https://github.com/x github; asked for q site:github.com OR filetype:pdf",
		},
		"sources": {
			search.Request{Text: "q", N: 1, Sources: []search.Query{{Source: search.Web}, {Source: search.News}, {Source: search.Images}}},
			"news: 1 http://news.test/; web: 1 http://a.test/; asked for q; The search of images failed.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tt.request.Admit = admit
			found, err := tt.request.Run(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			var parts []string
			for _, s := range []search.Source{search.Images, search.News, search.Web} {
				var hits []string
				for _, h := range found.Hits[s] {
					hits = append(hits, strings.TrimSpace(fmt.Sprint(h.Position, " ", h.URL, " ", h.Category)))
				}
				if hits != nil {
					parts = append(parts, string(s)+": "+strings.Join(hits, ", "))
				}
			}
			if diff := cmp.Diff(tt.want, strings.Join(append(parts, found.Notes...), "; ")); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := (&search.Request{Text: "q", Sources: []search.Query{{Source: search.Images}}}).Run(t.Context(), p); !errors.Is(err, search.ErrPanic) {
		t.Errorf("a panic: %v", err)
	}
	broke := errors.New("broke")
	r := &search.Request{Text: "q", Admit: func(context.Context, string) (bool, error) { return false, broke }}
	if _, err := r.Run(t.Context(), p); !errors.Is(err, broke) {
		t.Errorf("an error of Admit: %v", err)
	}
}

// TestForAgent checks that an agent searches with a provider.
func TestForAgent(t *testing.T) {
	p := listed{"": {"http://a.test/", "http://b.test/"}}
	got, err := search.ForAgent(p).Search(t.Context(), agent.Query{Text: "q", N: 1, Sites: []string{"a.test"}})
	if !errors.Is(err, agent.ErrPartial) || !strings.Contains(err.Error(), "asked for q") || cmp.Diff([]agent.Hit{{URL: "http://a.test/"}}, got) != "" {
		t.Errorf("%+v, %v", got, err)
	}
}

func FuzzFind(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) < 7 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		get := func(context.Context, string) ([]byte, error) { return body, nil }
		providers := []search.Provider{
			&search.SearXNG{Base: "http://s.test", Get: get},
			&search.Brave{Fetch: func(ctx context.Context, url string, _ http.Header) ([]byte, error) { return get(ctx, url) }},
		}
		for _, p := range providers {
			got, err := p.Find(t.Context(), &search.Query{Text: "x", N: 7})
			if err != nil {
				continue
			}
			if len(got.Hits) > 7 || len(got.Notes) > 10 {
				t.Errorf("%T: %d hits, %d notes", p, len(got.Hits), len(got.Notes))
			}
			for _, h := range got.Hits {
				if !strings.HasPrefix(h.URL, "http") || len(h.Title) > 4*200 || len(h.Text) > 4*300 || h.Width < 0 || h.Height < 0 || h.Image != "" && !strings.HasPrefix(h.Image, "http") {
					t.Errorf("%T: hit %+v", p, h)
				}
			}
		}
	})
}
