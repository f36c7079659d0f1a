// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/job"
)

// quickSite has n pages that each take 5 ms.
func quickSite(n int) string {
	var site, links strings.Builder
	for i := range n - 1 {
		fmt.Fprintf(&links, `<a href="/%d">x</a> `, i)
		fmt.Fprintf(&site, "-- http://a.test/%d --\nHTTP 200\nContent-Type: text/html\nX-Latency: 5ms\n\n<p>Page %d.</p>\n", i, i)
	}
	return "-- http://a.test/ --\n<p>" + links.String() + "</p>\n" + site.String()
}

// pagesOf returns the pages in the events of successful attempts. Each event
// counts once.
func pagesOf(attempts []hookEvent) (pages []string) {
	seen := map[string]bool{}
	for _, e := range attempts {
		if e.status >= 300 || seen[e.WebhookID] || e.Type != "crawl.page" {
			continue
		}
		seen[e.WebhookID] = true
		for _, d := range e.Data {
			pages = append(pages, d.Metadata.SourceURL)
		}
	}
	return pages
}

// TestWebhookPace uses a receiver that takes 50 ms for an event, and a crawl of
// 200 pages per second. With 16 pages per event, or with several events at
// once, the final event arrives when the crawl ends.
func TestWebhookPace(t *testing.T) {
	const pages = 500
	for _, test := range []struct {
		name, hook string
		late       time.Duration // maximal delay of the final event after the end of the crawl
		slow       bool          // the final event arrives much later
		ordered    bool
		most       int // pages in one event
	}{
		{"one by one", "", 0, true, true, 1},
		{"sixteen in one", `,"batch":16`, 200 * time.Millisecond, false, true, 16},
		{"many at once", `,"ordered":false`, 200 * time.Millisecond, false, false, 1},
		{"both", `,"ordered":false,"batch":4`, 200 * time.Millisecond, false, false, 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHooked(t, quickSite(pages), nil, "", nil)
				defer h.close(t)
				h.latency = 50 * time.Millisecond
				id := h.start(t, "/v2/crawl", `{"url":"http://a.test/","sitemap":"skip","webhook":{"url":"http://hook.test/"`+test.hook+`}}`)
				ended, shown := time.Duration(0), false
				for range 2000 {
					time.Sleep(100 * time.Millisecond)
					_, status := ask(t, h.handler, "GET", "/v2/crawl/"+id+"?limit=1", "")
					shown = shown || strings.Contains(status, `"webhook":{"backlog":`)
					if ended == 0 && strings.Contains(status, `"status":"completed"`) {
						ended = time.Since(bubbleStart)
					}
				}
				if _, status := ask(t, h.handler, "GET", "/v2/crawl/"+id+"?limit=1", ""); !shown || strings.Contains(status, `"webhook"`) {
					t.Errorf("the backlog was shown: %v; at the end: %s", shown, status)
				}
				last := h.all()[len(h.all())-1]
				if last.Type != "crawl.completed" {
					t.Fatalf("the last event is %s", last.Type)
				}
				late := last.at - ended // the crawl ended up to 100 ms earlier
				if !test.slow && late > test.late || test.slow && late < 10*time.Second {
					t.Errorf("crawl.completed came %v after the end at %v", late, ended)
				}
				told := pagesOf(h.all())
				count := map[string]int{}
				for _, p := range told {
					count[p]++
				}
				if len(told) != pages || len(count) != pages {
					t.Errorf("%d pages told, %d different, want %d", len(told), len(count), pages)
				}
				for i, p := range told[1:] {
					if test.ordered && p != fmt.Sprintf("http://a.test/%d", i) {
						t.Fatalf("page %d is %s", i, p)
					}
				}
				for _, e := range h.all() {
					if len(e.Data) > test.most {
						t.Errorf("an event has %d pages, want at most %d", len(e.Data), test.most)
					}
				}
			})
		})
	}
}

// TestWebhookKept uses receivers and processes that fail at random moments. All
// attempts of an event have the same content, no page is sent under two IDs,
// and the final event is last and unique.
func TestWebhookKept(t *testing.T) {
	const pages = 60
	for seed := range uint64(12) {
		hook := []string{`,"batch":7`, `,"ordered":false`, `,"batch":3,"ordered":false`, ""}[seed%4]
		synctest.Test(t, func(t *testing.T) {
			random, moods := rand.New(rand.NewPCG(seed, 2)), rand.New(rand.NewPCG(seed, 3))
			dir := t.TempDir()
			var h *hooked
			answer := func(int, hookEvent) int {
				if moods.IntN(5) == 0 { // while the lock of the receiver is held
					return 503
				}
				return 200
			}
			for round := range 5 {
				store, err := job.OpenFiles(dir, nil)
				if err != nil {
					t.Fatal(err)
				}
				if round == 0 {
					h = newHooked(t, quickSite(pages), store, "", answer)
					h.latency = 50 * time.Millisecond
					h.start(t, "/v2/crawl", `{"url":"http://a.test/","sitemap":"skip","webhook":{"url":"http://hook.test/"`+hook+`}}`)
				} else {
					h.open(t, quickSite(pages), store, "")
					if err := h.service.Resume(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				if round == 4 {
					time.Sleep(48 * time.Hour / 4)
				} else {
					time.Sleep(time.Duration(random.IntN(int(90*time.Second))) / []time.Duration{200, 1}[round%2])
				}
				h.close(t)
				if err := store.Close(); err != nil {
					t.Fatal(err)
				}
			}
			bodies, of := map[string]string{}, map[string]string{}
			for _, e := range h.all() {
				if old, ok := bodies[e.WebhookID]; ok && old != string(e.body) {
					t.Errorf("seed %d: an event of %d pages has changed", seed, len(e.Data))
				}
				bodies[e.WebhookID] = string(e.body)
				for _, d := range e.Data {
					if old, ok := of[d.Metadata.SourceURL]; ok && old != e.WebhookID {
						t.Errorf("seed %d: %s is told by two events", seed, d.Metadata.SourceURL)
					}
					of[d.Metadata.SourceURL] = e.WebhookID
				}
			}
			if len(of) != pages {
				t.Errorf("seed %d: %d pages told, want %d", seed, len(of), pages)
			}
			ended := 0
			for _, e := range h.all() {
				if ended > 0 && e.Type != "crawl.completed" {
					t.Errorf("seed %d: %s behind the end", seed, e.Type)
				}
				if e.Type == "crawl.completed" {
					ended++
				}
			}
			if ended == 0 {
				t.Errorf("seed %d: the end was not told", seed)
			}
		})
	}
}

// TestWebhookApart checks that a job with a failing receiver does not delay the
// events of another job.
func TestWebhookApart(t *testing.T) {
	for _, hook := range []string{"", `,"ordered":false`} {
		synctest.Test(t, func(t *testing.T) {
			h := newHooked(t, quickSite(20), nil, "", func(_ int, e hookEvent) int {
				if e.url == "/bad" {
					return 500
				}
				return 200
			})
			defer h.close(t)
			bad := h.start(t, "/v2/crawl", `{"url":"http://a.test/","sitemap":"skip","webhook":{"url":"http://hook.test/bad"`+hook+`}}`)
			h.start(t, "/v2/crawl", `{"url":"http://a.test/","sitemap":"skip","webhook":{"url":"http://hook.test/good"`+hook+`}}`)
			time.Sleep(30 * time.Second)
			good := 0
			for _, e := range h.all() {
				if e.url == "/good" {
					good++
				}
			}
			if good != 22 {
				t.Errorf("%s: %d events of the job whose receiver is well, want 22", hook, good)
			}
			if _, status := ask(t, h.handler, "GET", "/v2/crawl/"+bad+"?limit=1", ""); !strings.Contains(status, `"failedAttempts":1,"nextAttempt":"2000-01-01T00:01:00`) {
				t.Errorf("%s: the other's status: %.300s", hook, status)
			}
		})
	}
}
