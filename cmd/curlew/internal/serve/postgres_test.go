// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/curlew"
	"example.com/curlew/fetch"
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
		fmt.Fprintf(w, "<p>%s</p>", strings.Repeat("Some words of a page. ", 100)) // enough to be stored outside of the database
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
	blobs := t.TempDir()
	args := []string{"-store", database, "-blobs", blobs, "-api-key", "k", "-allow-private"}
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
	if files, err := filepath.Glob(filepath.Join(blobs, "*", "2*", "*", "*")); err != nil || len(files) == 0 {
		t.Errorf("there are no results outside of the database: %v", err)
	}
	if st.Status != "completed" || st.Completed != pages || len(seen) != pages || st.CreditsUsed != pages {
		t.Errorf("it is %s with %d pages, %d different, for %d credits; want %d", st.Status, st.Completed, len(seen), st.CreditsUsed, pages)
	}
}

// TestDatabaseKeys starts the same batches on two servers at the same time. For each
// idempotency key there must be one job, and one of the two answers must be a repeated one.
func TestDatabaseKeys(t *testing.T) {
	const keys = 100
	database := pgtest.Start(t, false).URL(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<p>text</p>")
	}))
	defer site.Close()
	args := []string{"-store", database, "-api-key", "k", "-allow-private"}
	first, _, stop := launched(t, nil, args...)
	second, _ := started(t, nil, args...)
	type answer struct {
		ID       string
		code     int
		repeated bool
	}
	start := func(server, key, page string) (a answer) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server+"/v2/batch/scrape", strings.NewReader(fmt.Sprintf(`{"urls":[%q]}`, site.URL+page)))
		if err != nil {
			t.Error(err)
			return a
		}
		req.Header.Set("Authorization", "Bearer k")
		req.Header.Set("X-Idempotency-Key", key)
		resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
		if err != nil {
			t.Error(err)
			return a
		}
		defer resp.Body.Close()
		a.code, a.repeated = resp.StatusCode, resp.Header.Get("Idempotent-Replayed") == "true"
		if err := json.NewDecoder(resp.Body).Decode(&a); err != nil {
			t.Error(err)
		}
		return a
	}
	ids := map[string]string{}
	for i := range keys {
		key := strconv.Itoa(i)
		var got [2]answer
		var wg sync.WaitGroup
		for k, server := range []string{first, second} {
			wg.Go(func() { got[k] = start(server, key, "/") })
		}
		wg.Wait()
		if got[0].code != http.StatusOK || got[1].code != http.StatusOK || got[0].ID != got[1].ID || got[0].ID == "" || got[0].repeated == got[1].repeated {
			t.Fatalf("key %s: %+v; want one job, and one repeated answer", key, got)
		}
		if before := ids[got[0].ID]; before != "" {
			t.Errorf("the keys %s and %s have the same job", before, key)
		}
		ids[got[0].ID] = key
	}
	if a := start(second, "0", "/other"); a.code != http.StatusConflict {
		t.Errorf("another request with a key of another server: %+v, want 409", a)
	}
	stop()
	third, _ := started(t, nil, args...)
	if a := start(third, "0", "/"); a.code != http.StatusOK || !a.repeated || ids[a.ID] != "0" {
		t.Errorf("a request to a new server: %+v, want the answer of the first one", a)
	}
}

// TestDatabaseRoom expects that the free space of -data also counts if the jobs are in a database.
func TestDatabaseRoom(t *testing.T) {
	database, dir := pgtest.Start(t, false).URL(t), t.TempDir()
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	o := storageFlags(flags)
	if err := flags.Parse([]string{"-store", database, "-data", dir}); err != nil {
		t.Fatal(err)
	}
	service := new(curlew.Service)
	_, end, err := o.set(t.Context(), service, new(fetch.Client), nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	if !slices.Equal(service.Limits.Dirs, []string{dir}) {
		t.Errorf("the directories that need room are %q", service.Limits.Dirs)
	}
}
