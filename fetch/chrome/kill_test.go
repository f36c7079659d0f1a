// SPDX-License-Identifier: Apache-2.0

//go:build linux

package chrome_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/chrome"
	"example.com/curlew/fetch/render"
)

var kills = flag.Int("kills", 2, "how often TestKill kills the browser")

// TestKill kills the browser at random moments of a crawl. It checks that no page is lost and
// none is delivered twice.
func TestKill(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	killed, wait := 0, 2
	var b *chrome.Browser
	pages := 4 * *kills
	at := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		if _, err := fmt.Sscanf(r.URL.Path, "/p/%d", &n); err != nil {
			if r.URL.Path != "/" {
				http.NotFound(w, r)
				return
			}
			http.Redirect(w, r, "/p/0", http.StatusFound)
			return
		}
		if r.Header.Get("Sec-Fetch-Dest") == "document" || r.URL.Query().Has("data") {
			mu.Lock()
			if wait--; wait <= 0 && killed < *kills {
				killed++
				wait = 1 + random.IntN(8)
				b.Kill()
			}
			mu.Unlock()
		}
		if r.URL.Query().Has("data") {
			fmt.Fprint(w, strings.Repeat("A sentence of this page. ", 20))
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!DOCTYPE html><title>T</title><div id=root></div><script type=module>root.textContent = await (await fetch("?data")).text();
			for (const m of [%d, %d]) if (m < %d) root.insertAdjacentHTML("beforeend", " <a href=/p/" + m + ">next</a>")</script>`, 2*n+1, 2*n+2, pages)
	}))
	b = start(t, chrome.Options{})
	client := &fetch.Client{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	defer client.CloseIdleConnections()
	e := crawl.Engine{Fetcher: &render.Fetcher{Static: client, Renderer: b}}
	c := crawl.Config{URL: at + "/", EntireDomain: true, Concurrency: 4, Sitemap: crawl.SitemapSkip}
	c.Request.Timeout = 10 * time.Minute // several pages are tried again one after the other
	seen := map[string]int{}
	for page, err := range e.Run(t.Context(), c) {
		if err != nil {
			t.Fatal(err)
		}
		if page.Err != nil || !strings.Contains(string(page.Body), "A sentence of this page.") {
			t.Errorf("%s: %v, %d bytes", page.URL, page.Err, len(page.Body))
		}
		seen[page.URL]++
	}
	for url, n := range seen {
		if n != 1 {
			t.Errorf("%s was delivered %d times", url, n)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(seen) != pages || killed != *kills {
		t.Errorf("%d pages after %d kills, want %d after %d", len(seen), killed, pages, *kills)
	}
	t.Logf("%d pages, %d kills", len(seen), killed)
}
