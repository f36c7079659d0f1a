// SPDX-License-Identifier: Apache-2.0

//go:build linux

package chrome_test

import (
	"cmp"
	"flag"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/render"
)

var crawled = flag.Int("pages", 9, "pages of the site of TestCrawl")

// TestCrawl crawls a site whose pages are made by scripts, completely and with a limit. It
// checks that all pages are found, or exactly as many as the limit, and that the client
// and the browser request each page once.
func TestCrawl(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{0, *crawled * 2 / 3} {
		t.Run(fmt.Sprint("limit ", limit), func(t *testing.T) { crawlShells(t, limit) })
	}
}

func crawlShells(t *testing.T, limit int) {
	var mu sync.Mutex
	plain, shown := map[string]int{}, map[string]int{}
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/p/0", http.StatusFound) })
	mux.HandleFunc("/p/", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		if r.Header.Get("Sec-Fetch-Dest") == "document" {
			shown[r.URL.Path]++
		} else {
			plain[r.URL.Path]++
		}
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!DOCTYPE html><title>T</title><div id=root></div><script type=module>
			const n = Number(location.pathname.split("/").pop()), d = await (await fetch("/data/" + n)).json();
			root.innerHTML = "<h1>Page " + n + "</h1><p>" + d.text + "</p>" + d.next.map(m => "<a href=/p/" + m + ">" + m + "</a>").join(" ")</script>`)
	})
	mux.HandleFunc("/data/", func(w http.ResponseWriter, r *http.Request) {
		var n int
		_, _ = fmt.Sscanf(r.URL.Path, "/data/%d", &n)
		next := []string{}
		for _, m := range []int{2*n + 1, 2*n + 2} {
			if m < *crawled {
				next = append(next, fmt.Sprint(m))
			}
		}
		fmt.Fprintf(w, `{"text": %q, "next": [%s]}`, strings.Repeat("A sentence of this page. ", 20), strings.Join(next, ","))
	})
	at := serve(t, mux)
	b := shared(t)
	client := &fetch.Client{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	defer client.CloseIdleConnections()
	e := crawl.Engine{Fetcher: &render.Fetcher{Static: client, Renderer: b}}
	c := crawl.Config{URL: at + "/", EntireDomain: true, Concurrency: 4, Limit: limit}
	c.Request.Timeout = patience
	texts := map[string]bool{}
	for page, err := range e.Run(t.Context(), c) {
		if err != nil {
			t.Fatal(err)
		}
		if page.Err != nil {
			t.Errorf("%s: %v", page.URL, page.Err)
			continue
		}
		texts[page.URL] = strings.Contains(string(page.Body), "A sentence of this page.")
	}
	documents := 0
	for i := range *crawled {
		path := fmt.Sprintf("/p/%d", i)
		_, delivered := texts[at+path]
		documents += shown[path]
		if plain[path] > 1 || shown[path] > 1 || delivered && (plain[path] != 1 || shown[path] != 1 || !texts[at+path]) {
			t.Errorf("%s was requested %d times, and %d times by the browser; it has its text: %v", path, plain[path], shown[path], texts[at+path])
		}
	}
	if want := cmp.Or(limit, *crawled); len(texts) != want || documents != want {
		t.Errorf("%d pages by %d documents of the browser, want %d", len(texts), documents, want)
	}
	t.Logf("%d pages, %d documents of the browser", len(texts), documents)
}
