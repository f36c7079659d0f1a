// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/curlew"
	"example.com/curlew/agent"
	"example.com/curlew/agent/llm"
	"example.com/curlew/fetch"
	"example.com/curlew/httpapi"
	"example.com/curlew/internal/test/golden"
)

// denied returns the test vectors that lead to a refused address.
func denied(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile(golden.Root("internal/netguard/testdata/ssrf-vectors.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var urls []string
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || len(f) < 3 || f[2] != "no" || strings.HasPrefix(f[0], "dns:") {
			continue
		}
		text, err := strconv.Unquote(`"` + strings.ReplaceAll(f[0], `"`, `\"`) + `"`)
		if err != nil {
			t.Fatal(line, err)
		}
		if addr, err := netip.ParseAddr(text); err == nil {
			if text = "http://" + addr.String() + "/"; addr.Is6() {
				text = "http://[" + addr.WithZone("").String() + "]/"
			}
		}
		urls = append(urls, text)
	}
	if len(urls) < 300 {
		t.Fatalf("%d URLs", len(urls))
	}
	return urls
}

// trap is a web site on one loopback address whose pages all lead to refused
// addresses. It also listens at the address that most of them mean, where no
// connection may arrive.
type trap struct {
	*httptest.Server
	urls   []string     // all refused addresses
	some   []string     // every third of them, or with -all all of them; crawls and agents take long
	served atomic.Int64 // number of requests

	mu   sync.Mutex
	hits []string // connections to the listener; guarded by mu
}

func newTrap(t *testing.T) *trap {
	t.Helper()
	p := &trap{urls: denied(t)}
	for i, u := range p.urls {
		if *all || i%3 == 0 {
			p.some = append(p.some, u)
		}
	}
	p.start(t)
	return p
}

// start serves the site and starts the listener.
func (p *trap) start(t *testing.T) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.77.0.1:0")
	if err != nil {
		t.Skip("the kernel has no 127.77.0.1")
	}
	p.Server = &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(p.serve), ReadHeaderTimeout: time.Second}}
	p.Start()
	t.Cleanup(p.Close)
	for _, address := range []string{"127.0.0.1:80", "[::1]:80", "127.0.0.1:8080"} {
		c, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
		if err != nil {
			continue // no permission to listen there, or no such address
		}
		s := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.hits = append(p.hits, r.Host+r.URL.String())
		})}
		go func() { _ = s.Serve(c) }()
		t.Cleanup(func() { _ = s.Close() })
	}
}

func (p *trap) serve(w http.ResponseWriter, r *http.Request) {
	p.served.Add(1)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch target := r.URL.Query().Get("to"); r.URL.Path {
	case "/links":
		for _, u := range p.some {
			fmt.Fprintf(w, `<a href="%s">x</a><iframe src="%[1]s"></iframe>`+"\n", html.EscapeString(u))
		}
	case "/meta": // only the first refresh of a page counts
		fmt.Fprintf(w, `<meta http-equiv="refresh" content="0;url=%s">`, html.EscapeString(target))
	case "/metas":
		for _, u := range p.some {
			fmt.Fprintf(w, `<a href="/meta?to=%s">x</a>`+"\n", url.QueryEscape(u))
		}
	case "/robots.txt":
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprintf(w, "Sitemap: %s/sitemap.xml\n", p.URL)
		for _, u := range p.urls[:20] {
			fmt.Fprintf(w, "Sitemap: %s\n", u)
		}
	case "/sitemap.xml":
		w.Header().Set("Content-Type", "application/xml")
		fmt.Fprint(w, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
		for _, u := range p.some {
			fmt.Fprintf(w, "<url><loc>%s</loc></url>", html.EscapeString(u))
		}
		fmt.Fprint(w, "</urlset>")
	case "/to":
		w.Header()["Location"] = []string{strings.Map(func(c rune) rune {
			if c == '\n' || c == '\r' || c == 0 {
				return -1
			}
			return c
		}, target)}
		w.WriteHeader(http.StatusFound)
	default:
		http.NotFound(w, r)
	}
}

// TestEntrances passes the refused URLs of the test vectors to every entry point: to
// crawls and agents a third of them, unless -all is set, and to the others all. None may
// cause a connection or return a document.
func TestEntrances(t *testing.T) {
	t.Parallel()
	p := newTrap(t)
	client := &fetch.Client{Allow: []netip.Prefix{netip.MustParsePrefix("127.77.0.1/32")}}
	t.Cleanup(client.CloseIdleConnections)
	service := &curlew.Service{Fetcher: client, LocalNames: true, Agent: &agent.Engine{Model: chooser{}, Fetches: 64}}
	h, err := httpapi.NewHandler(service, &httpapi.Options{InsecureNoAuth: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := service.Shutdown(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	text := func(v any) string { b, _ := json.Marshal(v); return string(b) }

	t.Run("scrape", func(t *testing.T) {
		p.each(func(u string) {
			w, body := ask(t, h, "POST", "/v2/scrape", `{"url":`+text(u)+`,"timeout":1000}`)
			if strings.Contains(body, `"data":{`) {
				t.Errorf("%q: %d %s", u, w.Code, body)
			}
		})
	})
	t.Run("redirect", func(t *testing.T) {
		p.each(func(u string) {
			_, body := ask(t, h, "POST", "/v2/scrape", `{"url":`+text(p.URL+"/to?to="+url.QueryEscape(u))+`,"timeout":1000}`)
			if strings.Contains(body, `"data":{`) && !strings.Contains(body, `"url":"`+p.URL) {
				t.Errorf("%q: %s", u, body)
			}
		})
	})
	t.Run("webhook", func(t *testing.T) {
		p.each(func(u string) {
			if w, body := ask(t, h, "POST", "/v2/batch/scrape", `{"urls":[],"webhook":`+text(u)+`}`); w.Code != http.StatusBadRequest {
				t.Errorf("%q: %d %s", u, w.Code, body)
			}
		})
	})
	for name, body := range map[string]string{
		"links":        `{"url":` + text(p.URL+"/links") + `,"sitemap":"skip","allowExternalLinks":true,"crawlEntireDomain":true,"scrapeOptions":{"timeout":1000}}`,
		"meta refresh": `{"url":` + text(p.URL+"/metas") + `,"sitemap":"skip","allowExternalLinks":true,"crawlEntireDomain":true,"scrapeOptions":{"timeout":1000}}`,
		"sitemap":      `{"url":` + text(p.URL+"/") + `,"sitemap":"only","allowExternalLinks":true,"crawlEntireDomain":true,"scrapeOptions":{"timeout":1000}}`,
	} {
		t.Run(name, func(t *testing.T) { p.crawl(t, h, body) })
	}
	t.Run("agent", func(t *testing.T) {
		var urls []string
		for _, u := range p.some {
			if w, _ := ask(t, h, "POST", "/v2/agent", `{"prompt":"p","urls":[`+text(u)+`]}`); w.Code == http.StatusOK {
				urls = append(urls, u)
			}
		}
		if len(urls) < len(p.some)/4 {
			t.Fatalf("only %d URLs are taken", len(urls))
		}
		p.idle(t, service)
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, hit := range p.hits {
		t.Errorf("connected: %s", hit)
	}
}

// each calls f with each URL, several at the same time.
func (p *trap) each(f func(u string)) {
	var wg sync.WaitGroup
	seats := make(chan struct{}, 16)
	for _, u := range p.urls {
		seats <- struct{}{}
		wg.Go(func() {
			defer func() { <-seats }()
			f(u)
		})
	}
	wg.Wait()
}

// crawl runs a crawl to its end and checks that only pages of the trap itself
// are delivered.
func (p *trap) crawl(t *testing.T, h http.Handler, body string) {
	t.Helper()
	_, answer := ask(t, h, "POST", "/v2/crawl", body)
	var started struct{ ID string }
	if err := json.Unmarshal([]byte(answer), &started); err != nil || started.ID == "" {
		t.Fatal(answer, err)
	}
	var st struct {
		Status           string
		Completed, Total int
		Data             []struct{ Metadata struct{ URL string } }
	}
	// Names that do not resolve are retried for minutes. The crawl counts as
	// over when its status has not changed for a while. Its start may wait for
	// other jobs.
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for still, last := 0, -1; (still < 50 || st.Completed == 0 && still < 1500) && st.Status != "completed"; <-tick.C {
		_, answer = ask(t, h, "GET", "/v2/crawl/"+started.ID+"?limit=1000", "")
		if err := json.Unmarshal([]byte(answer), &st); err != nil || st.Status == "failed" {
			t.Fatal(answer, err)
		}
		if still++; st.Total != last {
			still, last = 0, st.Total
		}
	}
	ask(t, h, "DELETE", "/v2/crawl/"+started.ID, "")
	if st.Completed == 0 {
		t.Errorf("not even the start is delivered: %s", answer)
	}
	for _, d := range st.Data {
		if !strings.HasPrefix(d.Metadata.URL, p.URL+"/") {
			t.Errorf("delivered: %s", d.Metadata.URL)
		}
	}
	_, answer = ask(t, h, "GET", "/v2/crawl/"+started.ID+"/errors", "")
	if !strings.Contains(answer, "blocked by network policy") {
		t.Errorf("no URL was refused: %.300s", answer)
	}
}

// idle waits until no job is running, or until nothing has changed for a while.
func (p *trap) idle(t *testing.T, s *curlew.Service) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for still, last := 0, -1; still < 50 && last != 0; <-tick.C {
		n := running(t.Context(), s)
		if still++; n != last {
			still, last = 0, n
		}
	}
}

// chooser is a model that selects every page and finds nothing.
type chooser struct{}

func (chooser) Complete(_ context.Context, c llm.Call) (llm.Reply, error) {
	reply := llm.Reply{Finish: llm.FinishOK, Usage: llm.Usage{Input: 1, Output: 1}}
	switch c.Role {
	case llm.RolePlan:
		reply.JSON = json.RawMessage(`{"tables":[],"queries":[],"start":["L1"],"fields":[{"name":"x","type":"string"}]}`)
	case llm.RoleDecide:
		reply.JSON = json.RawMessage(`{"note":"","actions":[{"do":"read","h":["L1","L2","L3"]},{"do":"map","h":["L1"],"n":10},{"do":"finish"}]}`)
	default:
		reply.JSON = json.RawMessage(`{"rows":[],"total":-1,"total_ln":0,"more":false,"kind":"none"}`)
	}
	return reply, nil
}
