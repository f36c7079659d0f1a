// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew"
	"example.com/curlew/fetch"
	"example.com/curlew/httpapi"
)

// patientHost is a site of 10 pages with a Crawl-delay of one second. It
// records the times of requests.
type patientHost struct {
	mu   sync.Mutex
	hits []hostHit
}

type hostHit struct {
	url          string
	began, ended time.Time
}

func (p *patientHost) Fetch(_ context.Context, r *fetch.Request) (*fetch.Response, error) {
	hit := hostHit{url: r.URL, began: time.Now()}
	time.Sleep(100 * time.Millisecond)
	hit.ended = time.Now()
	p.mu.Lock()
	p.hits = append(p.hits, hit)
	p.mu.Unlock()
	resp := &fetch.Response{URL: r.URL, Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}}
	switch {
	case strings.HasSuffix(r.URL, "/robots.txt"):
		resp.Header.Set("Content-Type", "text/plain")
		resp.Body = []byte("User-agent: *\nCrawl-delay: 1\n")
	case strings.HasSuffix(r.URL, ".xml"):
		resp.Status = http.StatusNotFound
	default:
		resp.Body = fmt.Appendf(nil, "<title>%s</title><p>A page", r.URL)
		for i := range 10 {
			resp.Body = fmt.Appendf(resp.Body, "<a href='/%c'>x</a>", 'a'+i)
		}
	}
	return resp, nil
}

// TestOneHost runs four crawls, a batch and single scrapes at one host.
// Together they keep the Crawl-delay after each answer and fetch robots.txt
// once. A single scrape takes precedence.
func TestOneHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := new(patientHost)
		s := &curlew.Service{Fetcher: site}
		h, err := httpapi.NewHandler(s, &httpapi.Options{InsecureNoAuth: true})
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			if r, body := ask(t, h, "POST", "/v2/crawl", `{"url":"http://a.test/","limit":10}`); r.Code != http.StatusOK {
				t.Fatal(body)
			}
		}
		time.Sleep(5 * time.Second)
		if r, body := ask(t, h, "POST", "/v2/batch/scrape", `{"urls":["http://a.test/k","http://a.test/l","http://a.test/m"]}`); r.Code != http.StatusOK {
			t.Fatal(body)
		}
		for i := range 3 {
			time.Sleep(3 * time.Second)
			asked := time.Now()
			url := fmt.Sprintf("http://a.test/single%d", i)
			if r, body := ask(t, h, "POST", "/v2/scrape", fmt.Sprintf(`{"url":%q}`, url)); r.Code != http.StatusOK {
				t.Fatal(body)
			}
			if took := time.Since(asked); took > 3*time.Second {
				t.Errorf("a single page took %v while crawls have theirs queued", took)
			}
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		slices.SortFunc(site.hits, func(a, b hostHit) int { return a.began.Compare(b.began) })
		robots, pages := 0, 0
		for i, hit := range site.hits {
			switch {
			case strings.HasSuffix(hit.url, "/robots.txt"):
				robots++
				continue
			case !strings.HasSuffix(hit.url, ".xml"):
				pages++
			}
			if pause := hit.began.Sub(site.hits[i-1].ended); pause < time.Second {
				t.Errorf("%s came %v after %s", hit.url, pause, site.hits[i-1].url)
			}
		}
		if robots != 1 || pages != 4*10+3+3 {
			t.Errorf("%d requests for robots.txt, %d pages; want 1 and 46", robots, pages)
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
