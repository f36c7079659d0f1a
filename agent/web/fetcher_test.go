// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/agent/agenttest"
	"example.com/curlew/agent/web"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// client is a fetch.Fetcher that uses an HTTP client.
type client struct{ *http.Client }

func (c client) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	return fetch.Follow(ctx, r, nil, func(ctx context.Context, x *fetch.Exchange) (*fetch.Response, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, x.URL, http.NoBody)
		if err != nil {
			return nil, err
		}
		maps.Copy(req.Header, x.Header)
		resp, err := c.Transport.RoundTrip(req)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", fetch.ErrConnect, err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", fetch.ErrConnect, err)
		}
		return &fetch.Response{URL: x.URL, Status: resp.StatusCode, Header: resp.Header, Body: body}, nil
	})
}

func TestCheck(t *testing.T) {
	agenttest.CheckFetcher(t, func(t testing.TB, h http.Handler) agent.Fetcher {
		server := agenttest.Serve(h)
		t.Cleanup(server.Close)
		return &web.Fetcher{Client: client{server.Client}}
	})
}

// shown is a fetch.Fetcher that asked a browser, which received a file.
type shown struct{}

func (shown) Fetch(_ context.Context, r *fetch.Request) (*fetch.Response, error) {
	return &fetch.Response{URL: r.URL, Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/csv"}}, Body: []byte("name,price\nLamp,4\n"), View: struct{}{}}, nil
}

// TestFileOfBrowser marks a file that a browser received as rendered, because it may be of
// a session.
func TestFileOfBrowser(t *testing.T) {
	f := &web.Fetcher{Client: shown{}}
	p, err := f.Fetch(t.Context(), &agent.Request{URL: "https://a.test/export.csv", Render: true, Gate: func(context.Context, string) error { return nil }})
	if err != nil || !p.Rendered {
		t.Errorf("%+v, %v", p, err)
	}
}

// open allows every URL.
func open(context.Context, string) error { return nil }

const site = `
-- a.test/robots.txt --
User-agent: wader
Disallow: /private
-- a.test/ --
<title>Home</title><nav><a href="/b">b</a></nav><main><h1>Home</h1><p>All about waders, and where they are seen in winter.</p></main>
-- a.test/private --
<p>members</p>
-- a.test/birds.csv --
HTTP 200
Content-Type: text/csv

bird,cm
curlew,55
-- a.test/plan.html --
HTTP 200
Content-Type: text/html

<table><tr><th>time<th>talk<tr><td rowspan=2>9:00<td>Mud<tr><td>Sand</table>
-- a.test/note.txt --
HTTP 200
Content-Type: text/plain

*not* Markdown
-- a.test/data.json --
HTTP 200
Content-Type: application/json

{"a":1}
-- a.test/empty --
HTTP 200
Content-Type: text/html

-- broken.test/robots.txt --
HTTP 503

-- broken.test/ --
<p>nothing</p>
-- cut.test/robots.txt --
HTTP 200
X-Fault: truncate

User-agent: *
Disallow: /never
Disallow: /
-- cut.test/ --
<p>nothing</p>
-- far.test/robots.txt --
HTTP 301
Location: http://other.test/robots.txt

-- far.test/x --
<p>far</p>
-- other.test/robots.txt --
User-agent: *
Disallow: /x
-- slow.test/robots.txt --
User-agent: *
Crawl-delay: 5
-- slow.test/ --
<p>one</p>
-- slow.test/2 --
<p>two</p>
`

// TestPages reads pages of several kinds.
func TestPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &web.Fetcher{Client: fetchtest.New(t, []byte(site)), UserAgent: "wader/1.0"}
		for url, want := range map[string]agent.Page{
			"http://a.test/":          {Status: 200, Title: "Home", Type: "text/html", Main: "# Home\n\nAll about waders, and where they are seen in winter.\n", Full: "[b](http://a.test/b)\n\n# Home\n\nAll about waders, and where they are seen in winter.\n"},
			"http://a.test/birds.csv": {Status: 200, Type: "text/csv", Main: "| bird | cm |\n| --- | --- |\n| curlew | 55 |\n", Full: "| bird | cm |\n| --- | --- |\n| curlew | 55 |\n"},
			"http://a.test/plan.html": {Status: 200, Type: "text/html", Main: "| time | talk |\n| --- | --- |\n| 9:00 | Mud |\n| 9:00 | Sand |\n", Full: "| time | talk |\n| --- | --- |\n| 9:00 | Mud |\n| 9:00 | Sand |\n"},
			"http://a.test/note.txt":  {Status: 200, Type: "text/plain", Main: "*not* Markdown\n", Full: "*not* Markdown\n"},
			"http://a.test/data.json": {Status: 200, Type: "application/json", Main: "```json\n{\n  \"a\": 1\n}\n```", Full: "```json\n{\n  \"a\": 1\n}\n```"},
			"http://a.test/empty":     {Status: 200, Type: "text/html"},
			"http://a.test/missing":   {Status: 404},
		} {
			p, err := f.Fetch(t.Context(), &agent.Request{URL: url, Gate: open})
			if err != nil {
				t.Errorf("%s: %v", url, err)
				continue
			}
			trim := strings.TrimSpace
			if p.Status != want.Status || want.Status == 200 && (p.Title != want.Title || p.Type != want.Type || trim(p.Main) != trim(want.Main) || trim(p.Full) != trim(want.Full)) {
				t.Errorf("%s: status %d, title %q, type %q, main %q, full %q", url, p.Status, p.Title, p.Type, p.Main, p.Full)
			}
			if p.URL != url || p.Digest == "" || p.Root == nil || !slices.Equal(p.Hops, []string{url}) {
				t.Errorf("%s: %+v", url, p)
			}
		}
	})
}

// rendering is a fetch.Fetcher whose pages a browser showed.
type rendering struct{ fetch.Fetcher }

func (f rendering) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	resp, err := f.Fetcher.Fetch(ctx, r)
	if err == nil {
		resp.Rendered = true
	}
	return resp, err
}

// TestRendered says of a page whether a browser showed it.
func TestRendered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plain := fetchtest.New(t, []byte(site))
		for want, client := range map[bool]fetch.Fetcher{false: plain, true: rendering{plain}} {
			f := &web.Fetcher{Client: client}
			p, err := f.Fetch(t.Context(), &agent.Request{URL: "http://a.test/", Gate: open})
			if err != nil || p.Rendered != want {
				t.Errorf("%+v, %v, want rendered %v", p, err, want)
			}
		}
	})
}

// TestRobots checks that robots.txt is obeyed: with the name of the fetcher,
// after a redirect, and if it cannot be reached.
func TestRobots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fetchtest.New(t, []byte(site))
		wader, other := &web.Fetcher{Client: s, UserAgent: "wader/1.0"}, &web.Fetcher{Client: s}
		for _, tt := range []struct {
			fetcher *web.Fetcher
			url     string
			allowed bool
		}{
			{wader, "http://a.test/private", false},
			{other, "http://a.test/private", true},
			{wader, "http://a.test/", true},
			{wader, "http://broken.test/", false},
			{wader, "http://broken.test/2", false},
			{wader, "http://cut.test/", false},
			{wader, "http://far.test/x", false},
			{wader, "http://nowhere.invalid/", true}, // the request itself fails
		} {
			_, err := tt.fetcher.Fetch(t.Context(), &agent.Request{URL: tt.url, Gate: open})
			if errors.Is(err, web.ErrDisallowed) == tt.allowed {
				t.Errorf("%s as %q: %v", tt.url, tt.fetcher.UserAgent, err)
			}
		}
		asked := map[string]int{}
		for _, hit := range s.Log() {
			asked[hit.URL]++
			if strings.HasPrefix(hit.URL, "http://broken.test/") && !strings.HasSuffix(hit.URL, "/robots.txt") {
				t.Errorf("%s was requested although robots.txt disallows it", hit.URL)
			}
		}
		if n := asked["http://broken.test/robots.txt"]; n > 3 { // includes the tries of one fetch
			t.Errorf("a robots.txt that cannot be reached was requested %d times", n)
		}
		time.Sleep(2 * time.Minute)
		if _, err := wader.Fetch(t.Context(), &agent.Request{URL: "http://broken.test/", Gate: open}); !errors.Is(err, web.ErrDisallowed) {
			t.Errorf("later: %v", err)
		}
	})
}

// TestPace checks that the delay of a host is kept, also between two fetchers
// that share their hosts.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts := new(pace.Hosts)
		s := fetchtest.New(t, []byte(site))
		first, second := &web.Fetcher{Client: s, Hosts: hosts}, &web.Fetcher{Client: s, Hosts: hosts}
		for _, f := range []*web.Fetcher{first, second, first} {
			if _, err := f.Fetch(t.Context(), &agent.Request{URL: "http://slow.test/2", Gate: open}); err != nil {
				t.Fatal(err)
			}
		}
		var at []time.Time
		files := 0
		for _, hit := range s.Log() {
			if strings.HasSuffix(hit.URL, "/robots.txt") {
				files++
				continue
			}
			at = append(at, hit.Time)
		}
		if len(at) != 3 || at[1].Sub(at[0]) < 5*time.Second || at[2].Sub(at[1]) < 5*time.Second {
			t.Errorf("pages were requested at %v, want 5 s between them", at)
		}
		if files != 1 {
			t.Errorf("robots.txt was requested %d times, want once for both", files)
		}
	})
}

// TestGate checks that the gate is called before any request.
func TestGate(t *testing.T) {
	s := fetchtest.New(t, []byte(site))
	refusal := errors.New("no")
	f := &web.Fetcher{Client: s}
	if _, err := f.Fetch(t.Context(), &agent.Request{URL: "http://a.test/", Gate: func(context.Context, string) error { return refusal }}); !errors.Is(err, refusal) || len(s.Log()) > 0 {
		t.Errorf("%v after %d requests", err, len(s.Log()))
	}
	if _, err := new(web.Fetcher).Fetch(t.Context(), &agent.Request{URL: "http://127.0.0.1/", Gate: open}); !errors.Is(err, fetch.ErrAddress) {
		t.Errorf("a private address: %v, want ErrAddress", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Fetch(ctx, &agent.Request{URL: "http://a.test/", Gate: open}); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
}
