// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"example.com/curlew/job/postgres/pgtest"
)

// TestDatabase runs two servers with one database. The second one reads the jobs of the
// first one, and finishes them after that has stopped.
func TestDatabase(t *testing.T) {
	const pages = 60
	database := pgtest.Start(t, false).URL(t)
	hold := make(chan struct{}, 1000) // lets pages through
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d", &n); err != nil && r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		select {
		case <-hold:
		case <-r.Context().Done():
			return
		}
		w.Header().Set("Content-Type", "text/html")
		for _, next := range []int{2*n + 1, 2*n + 2} {
			if next < pages {
				fmt.Fprintf(w, `<a href="/%d">%d</a> `, next, next)
			}
		}
	}))
	defer site.Close()
	for range 10 {
		hold <- struct{}{}
	}
	args := []string{"-store", database, "-api-key", "k", "-allow-private"}
	first, _, stop := launched(t, nil, args...)
	second, _ := started(t, nil, args...)
	code, answer := ask(t, http.MethodPost, first+"/v2/crawl", "k", fmt.Sprintf(`{"url":%q,"maxConcurrency":4,"sitemap":"skip"}`, site.URL))
	var begun struct{ ID string }
	if err := json.Unmarshal([]byte(answer), &begun); err != nil || code != http.StatusOK {
		t.Fatalf("%d %s", code, answer)
	}
	type progress struct {
		Status      string
		Completed   int
		CreditsUsed int
		Data        []struct{ Metadata struct{ SourceURL string } }
	}
	read := func() (st progress) {
		t.Helper()
		code, answer := ask(t, http.MethodGet, second+"/v2/crawl/"+begun.ID, "k", "")
		if err := json.Unmarshal([]byte(answer), &st); err != nil || code != http.StatusOK {
			t.Fatalf("%d %s", code, answer)
		}
		return st
	}
	until := func(done func(progress) bool) (st progress) {
		t.Helper()
		deadline := time.Now().Add(3 * time.Minute)
		for st = read(); !done(st); st = read() {
			if time.Now().After(deadline) {
				t.Fatalf("it is still %+v", st)
			}
			<-time.After(20 * time.Millisecond)
		}
		return st
	}
	until(func(st progress) bool { return st.Completed >= 5 })
	stop()
	for range cap(hold) - 10 {
		hold <- struct{}{}
	}
	st := until(func(st progress) bool { return st.Status != "scraping" })
	seen := map[string]bool{}
	for _, d := range st.Data {
		seen[d.Metadata.SourceURL] = true
	}
	if st.Status != "completed" || st.Completed != pages || len(seen) != pages || st.CreditsUsed != pages {
		t.Errorf("it is %s with %d pages, %d different, for %d credits; want %d", st.Status, st.Completed, len(seen), st.CreditsUsed, pages)
	}
}
