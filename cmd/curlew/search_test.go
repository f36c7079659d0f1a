// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestSearchFlags checks what a search engine is asked for, and what becomes of its hits and
// their pages.
func TestSearchFlags(t *testing.T) {
	var mu sync.Mutex // guards asked
	var asked []string
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/page" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, "<title>One</title><main><h1>One</h1><p>Text of the page.</p></main>")
	}))
	defer site.Close()
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		mu.Lock()
		asked = append(asked, q.Get("categories")+" "+q.Get("time_range")+" "+q.Get("language"))
		mu.Unlock()
		list := ""
		switch {
		case q.Get("pageno") != "1":
		case q.Get("categories") == "news":
			list = `{"url":"https://news.test/n","title":"News","content":"Snippet","publishedDate":"2026-11-01"}`
		default:
			list = fmt.Sprintf(`{"url":"%[1]s/page","title":"One","content":"First"},{"url":"%[1]s/gone","title":"Two","content":"Second"}`, site.URL)
		}
		fmt.Fprintf(w, `{"query":"q","results":[%s],"unresponsive_engines":[]}`, list)
	}))
	defer engine.Close()
	t.Setenv("CURLEW_SEARXNG_URL", engine.URL)

	code, out, said := call(t, "", "search", "--json", "--sources", "news", "--sources", "web", "--tbs", "qdr:w", "waders")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) != 3 || !strings.Contains(lines[0], `"source":"web"`) || !strings.Contains(lines[2], `"source":"news"`) || !strings.Contains(lines[2], `"date":"2026-11-01"`) {
		t.Errorf("exit %d, %s %s", code, out, said)
	}
	mu.Lock()
	all := strings.Join(asked, "\n")
	mu.Unlock()
	if !strings.Contains(all, "news week") || !strings.Contains(all, "general week") {
		t.Errorf("the engine was asked for %s", all)
	}

	code, out, said = call(t, "", "search", "--scrape", "--allow-private", "waders")
	if code != 0 || !strings.Contains(out, "Text of the page.") || !strings.Contains(out, site.URL+"/gone\n  Two") || !strings.Contains(said, "the page could not be read") {
		t.Errorf("exit %d, %s %s", code, out, said)
	}
	code, out, said = call(t, "", "search", "--json", "--scrape", "--allow-private", "waders")
	var hit struct{ Document struct{ Markdown string } }
	if err := json.Unmarshal([]byte(strings.Split(out, "\n")[0]), &hit); err != nil || code != 0 || !strings.Contains(hit.Document.Markdown, "Text of the page.") {
		t.Errorf("exit %d, %v %s %s", code, err, out, said)
	}

	for _, bad := range [][]string{{"--sources", "maps"}, {"--categories", "birds"}, {"--tbs", "week"}, {"--country", "Germany"}} {
		if code, _, said := call(t, "", append([]string{"search", "x"}, bad...)...); code != exitUsage {
			t.Errorf("%q: exit %d, %s", bad, code, said)
		}
	}
}

// TestScrapeData extracts data of a page, with and without a model.
func TestScrapeData(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			fmt.Fprint(w, `<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Telescope","offers":{"@type":"Offer","price":"219.00","priceCurrency":"EUR"}}</script>`)
		}
		fmt.Fprint(w, "<title>Telescope</title><main><h1>Telescope</h1><p>It costs 219 EUR.</p></main>")
	}))
	defer site.Close()
	schema := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(schema, []byte(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, said := call(t, "", "scrape", "--allow-private", "--schema", schema, site.URL+"/")
	var data struct{ Name string }
	if err := json.Unmarshal([]byte(out), &data); code != 0 || err != nil || data.Name != "Telescope" {
		t.Errorf("exit %d, %v %s %s", code, err, out, said)
	}
	other := filepath.Join(t.TempDir(), "other.json")
	if err := os.WriteFile(other, []byte(`{"type":"object","properties":{"isbn":{"type":"string"}},"required":["isbn"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, said := call(t, "", "scrape", "--allow-private", "--schema", other, site.URL+"/plain"); code != exitInput || out != "" || !strings.Contains(said, "no data") {
		t.Errorf("a page without data: exit %d, %s %s", code, out, said)
	}
	if code, out, said := call(t, "", "scrape", "--allow-private", "--prompt", "The name", site.URL+"/"); code != exitEngine || out != "" || !strings.Contains(said, "CURLEW_MODEL_URL") {
		t.Errorf("without a model: exit %d, %s %s", code, out, said)
	}

	models := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"choices":[{"message":{"role":"assistant","content":"{\"name\":\"A telescope\"}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":9}}`)
	}))
	defer models.Close()
	t.Setenv("CURLEW_MODEL_URL", models.URL)
	t.Setenv("CURLEW_MODEL", "m")
	code, out, said = call(t, "", "scrape", "--allow-private", "--prompt", "The name", "--schema", schema, site.URL+"/plain")
	if err := json.Unmarshal([]byte(out), &data); code != 0 || err != nil || !strings.Contains(data.Name, "elescope") {
		t.Errorf("with a model: exit %d, %v %s %s", code, err, out, said)
	}

	for _, bad := range [][]string{{"--schema", schema, "--form", "html"}, {"--prompt", "x", "-o", "dir"}, {"--max-age", "1h"}, {"--remote", "http://127.0.0.1:1", "--max-age", "-1h"}} {
		if code, _, said := call(t, "", append([]string{"scrape", site.URL}, bad...)...); code != exitUsage {
			t.Errorf("%q: exit %d, %s", bad, code, said)
		}
	}
}

// TestTLS checks that commands say why TLS failed.
func TestTLS(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	locked := httptest.NewUnstartedServer(http.NotFoundHandler())
	locked.Config.ErrorLog = log.New(io.Discard, "", 0)
	locked.StartTLS()
	defer locked.Close()
	for url, want := range map[string]string{
		strings.Replace(plain.URL, "http:", "https:", 1): "write http:// before the host",
		locked.URL: "an authority that this machine does not know",
	} {
		for _, command := range []string{"scrape", "map"} {
			if code, _, said := call(t, "", command, "--allow-private", url); code == 0 || !strings.Contains(said, want) {
				t.Errorf("%s: exit %d, %s", command, code, said)
			}
		}
	}
}

// TestDead checks that commands say why a site cannot be read, and do not end with code 0.
func TestDead(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	server := serveTest(t)
	for name, c := range map[string]struct {
		robots string
		serve  http.HandlerFunc
		maps   string // what map says
		crawls string // what crawl says
	}{
		"forbidden": {"", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }, "HTTP status 403", "403 Forbidden"},
		"missing":   {"", http.NotFound, "HTTP status 404", "404 Not Found"},
		"loop": {"", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, map[string]string{"/": "/a", "/a": "/"}[r.URL.Path], http.StatusFound)
		}, "redirects", "redirects too often"},
		"disallowed": {"User-agent: *\nDisallow: /\n", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<p>Text") }, "robots.txt", "because of robots.txt"},
		"closed":     {"", nil, "nothing listens", "connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			url := closed.URL + "/"
			if c.serve != nil {
				site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					switch {
					case r.URL.Path == "/robots.txt" && c.robots != "":
						fmt.Fprint(w, c.robots)
					case r.URL.Path == "/robots.txt" || strings.HasSuffix(r.URL.Path, ".xml"):
						http.NotFound(w, r)
					default:
						c.serve(w, r)
					}
				}))
				defer site.Close()
				url = site.URL + "/"
			}
			if code, _, said := call(t, "", "map", "--allow-private", url); code != exitBroken || !strings.Contains(said, c.maps) {
				t.Errorf("map: exit %d, %s", code, said)
			}
			if code, _, said := call(t, "", "crawl", "--allow-private", "-o", t.TempDir(), url); code != exitBroken || !strings.Contains(said, c.crawls) {
				t.Errorf("crawl: exit %d, %s", code, said)
			}
			if c.serve == nil {
				return // a server tries it again for half a minute
			}
			if code, _, said := call(t, "", "map", "--remote", server, url); code != exitBroken || !strings.Contains(said, c.maps) {
				t.Errorf("map of a server: exit %d, %s", code, said)
			}
		})
	}
}

// TestDemo crawls the site that the program serves itself.
func TestDemo(t *testing.T) {
	dir := t.TempDir()
	code, _, said := call(t, "", "crawl", "--demo", "-o", dir)
	if code != 0 || !strings.Contains(said, "(10 files") || !strings.Contains(said, "1 left out because of robots.txt") || !strings.Contains(said, "1 without a file because of their status") {
		t.Errorf("exit %d, %s", code, said)
	}
	if code, _, said := call(t, "", "crawl", "--demo", "example.com"); code != exitUsage {
		t.Errorf("with a URL: exit %d, %s", code, said)
	}
}

// TestParsePages reads the first page of a PDF with two.
func TestParsePages(t *testing.T) {
	const file = "../../testdata/parse/report.pdf"
	code, first, said := call(t, "", "parse", "--pages", "1", file)
	if code != 0 || !strings.Contains(first, "# Orchard report") || strings.Contains(first, "Plums") || !strings.Contains(said, "only 1 of 3 pages") {
		t.Errorf("exit %d, %s: %s", code, said, first)
	}
	if code, _, said := call(t, "", "parse", "--pages", "-1", file); code != exitUsage {
		t.Errorf("exit %d, %s", code, said)
	}
}
