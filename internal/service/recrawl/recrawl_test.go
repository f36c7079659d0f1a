// SPDX-License-Identifier: Apache-2.0

package recrawl_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/crawl"
	"example.com/curlew/internal/service/recrawl"
	"example.com/curlew/job"
)

// space stores items in memory.
type space struct {
	job.Space
	items map[job.ItemKind][]job.Item
	stats job.Stats
	err   error // returned by reads
}

func (s *space) Items(_ context.Context, kind job.ItemKind, from, most int) ([]job.Item, error) {
	all := s.items[kind]
	all = all[min(from, len(all)):]
	if most >= 0 {
		all = all[:min(most, len(all))]
	}
	return all, s.err
}

func (s *space) Append(_ context.Context, items ...job.Item) error {
	if s.items == nil {
		s.items = map[job.ItemKind][]job.Item{}
	}
	for _, it := range items {
		s.items[it.Kind] = append(s.items[it.Kind], it)
	}
	return nil
}

func (s *space) Stats(context.Context) (job.Stats, error) { return s.stats, nil }

// results reads the documents of s.
func (s *space) results(ctx context.Context, from, most int) ([]job.Item, error) {
	return s.Items(ctx, job.Result, from, most)
}

// add stores a page with its document, like a crawl.
func (s *space) add(t *testing.T, p *crawl.Page) {
	t.Helper()
	data, err := recrawl.Keep(fmt.Appendf(nil, `{"markdown":"%s","metadata":{"scrapeId":"old","url":"%[1]s"}}`, p.URL), p)
	if err == nil {
		err = s.Append(t.Context(), job.Item{Kind: job.Result, Data: data})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// remember reads the earlier crawl for a crawl that has stored nothing yet.
func remember(t *testing.T, earlier *space, copies bool) *recrawl.Memory {
	t.Helper()
	m, err := recrawl.Remember(t.Context(), earlier.results, new(space), copies)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// page returns a page with an ETag and, if urls are given, with links to them.
func page(url, body string, urls ...string) *crawl.Page {
	p := &crawl.Page{URL: url, Asked: url, Status: http.StatusOK, Body: []byte(body), Header: http.Header{"Etag": {`"` + body + `"`}, "Content-Type": {"text/html"}}}
	for _, u := range urls {
		p.Links = append(p.Links, crawl.Link{URL: u})
	}
	return p
}

// TestKnown checks that a stored page is known again, with its links, and with
// its validators only if its document can be used again.
func TestKnown(t *testing.T) {
	links := []string{"http://a.test/docs/one", "http://a.test/docs/two", "http://b.test/", "http://b.test/"}
	var s space
	s.add(t, page("http://a.test/", "home", links...))
	s.add(t, page("http://a.test/none", "none"))
	moved := page("http://a.test/new", "moved")
	moved.Asked = "http://a.test/old"
	s.add(t, moved)
	cut := page("http://a.test/cut", "cut")
	cut.Truncated = true
	s.add(t, cut)
	long := page("http://a.test/long", strings.Repeat("x", 1000))
	s.add(t, long)
	missing := page("http://a.test/404", "missing")
	missing.Status = http.StatusNotFound
	s.add(t, missing)
	if err := s.Append(t.Context(), job.Item{Kind: job.Result, Data: []byte("{}\x00damaged")}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		url, etag, body string // empty if the page is not known
		copies          bool
		links           []string
	}{
		{"http://a.test/", `"home"`, "home", true, links},
		{"http://a.test/#top", `"home"`, "home", true, links},
		{"http://a.test/", "", "home", false, links},
		{"http://a.test/none", `"none"`, "none", true, nil},
		{"http://a.test/new", `"moved"`, "moved", true, nil},
		{"http://a.test/old", "", "moved", true, nil}, // validators belong to the URL after redirects
		{"http://a.test/cut", "", "cut", true, nil},
		{"http://a.test/long", "", strings.Repeat("x", 1000), true, nil},
		{"http://a.test/404", "", "missing", true, nil},
		{"http://a.test/other", "", "", true, nil},
	} {
		known, err := remember(t, &s, tt.copies).Known(t.Context(), tt.url)
		if err != nil || (known != nil) != (tt.body != "") {
			t.Errorf("%s: %+v, %v", tt.url, known, err)
			continue
		}
		if known != nil && (known.ETag != tt.etag || known.Sum != sha256.Sum256([]byte(tt.body)) || !slices.Equal(known.Links, tt.links)) {
			t.Errorf("%s: %+v, want %q and %q", tt.url, known, tt.etag, tt.links)
		}
	}
	var asked []string
	for url := range remember(t, &s, true).Asked(t.Context()) {
		if asked = append(asked, url); len(asked) == 3 {
			break
		}
	}
	if want := []string{"http://a.test/", "http://a.test/none", "http://a.test/old"}; !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
}

// TestKnownLost checks that an expired crawl is reported as lost, and that
// other errors are returned.
func TestKnownLost(t *testing.T) {
	for _, fault := range []error{job.ErrNotFound, errors.New("disk is broken")} {
		var earlier, now space
		earlier.add(t, page("http://a.test/", "home"))
		m := remember(t, &earlier, true)
		earlier.err = fault
		known, err := m.Known(t.Context(), "http://a.test/")
		lost := errors.Is(fault, job.ErrNotFound)
		if known != nil || lost != (err == nil) {
			t.Errorf("%v: %+v, %v", fault, known, err)
		}
		if lost {
			if err := m.End(t.Context(), &now, 10, true); err != nil || len(now.items[job.Note]) != 1 || len(now.items[job.Event]) != 1 {
				t.Errorf("the end: %v, %v", now.items, err)
			}
		}
	}
}

// TestChanges checks that each page is counted once, also across a restart, and
// that pages that are gone are listed when a crawl is complete.
func TestChanges(t *testing.T) {
	var earlier, now space
	for i := range 200 {
		earlier.add(t, page(fmt.Sprintf("http://a.test/%d", i), "text"))
	}
	m := remember(t, &earlier, true)
	meet := func(i int, change crawl.Change) {
		p := page(fmt.Sprintf("http://a.test/%d", i), "text")
		p.Change = change
		m.Met(p)
		now.add(t, p)
	}
	for i := range 100 {
		meet(i, crawl.Same)
	}
	meet(100, crawl.Changed)
	meet(1000, crawl.New)
	failed := page("http://a.test/101", "")
	failed.Err, failed.Change = errors.New("failed"), crawl.Changed
	m.Met(failed) // the page was met, but its change is not known
	if err := now.Append(t.Context(), job.Item{Kind: job.Failure, Data: []byte(`{"url":"http://a.test/101"}`)}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := m.Gone(t.Context(), &now, "http://a.test/102"); err != nil {
			t.Fatal(err)
		}
	}
	want := recrawl.Changes{New: 1, Changed: 1, Same: 100, Gone: 1}
	if diff := cmp.Diff(want, m.Changes()); diff != "" {
		t.Error(diff)
	}
	m, err := recrawl.Remember(t.Context(), earlier.results, &now, true) // the next process
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, m.Changes()); diff != "" {
		t.Errorf("after a restart: %s", diff)
	}
	now.stats.Crawl.Delivered = 102
	for _, complete := range []bool{false, true} {
		if err := m.End(t.Context(), &now, 1000, complete); err != nil {
			t.Fatal(err)
		}
		if complete {
			want.Gone = 98 // without the failed page
		}
		last := len(now.items[job.Event]) - 1
		if diff := cmp.Diff(&want, recrawl.Counts(now.items[job.Event][last:])); diff != "" {
			t.Errorf("complete %v: %s", complete, diff)
		}
	}
	if err := (*recrawl.Memory)(nil).End(t.Context(), &now, 1, true); err != nil {
		t.Errorf("a crawl without an earlier one: %v", err)
	}
}

// TestUnchanged checks that an unchanged page gets its earlier document with
// other metadata, which is charged only if the document exists. Two unmodified
// pages cost one credit.
func TestUnchanged(t *testing.T) {
	var s space
	s.add(t, page("http://a.test/", "home"))
	m := remember(t, &s, true)
	p := page("http://a.test/", "home")
	p.Change = crawl.Same
	billed := 0
	bill := func() (map[string]any, error) {
		billed++
		return map[string]any{"scrapeId": "new", "url": nil}, nil
	}
	doc, err := m.Unchanged(t.Context(), p, bill)
	want := fmt.Sprintf(`{"markdown":"http://a.test/","metadata":{"bodyHash":"sha256:%x","change":"same","scrapeId":"new"}}`, sha256.Sum256([]byte("home")))
	if err != nil || string(doc) != want || billed != 1 {
		t.Errorf("%s, %v after %d bills, want %s", doc, err, billed, want)
	}
	if doc, err := m.Unchanged(t.Context(), page("http://a.test/other", ""), bill); doc != nil || err != nil || billed != 1 {
		t.Errorf("an unknown page: %s, %v after %d bills", doc, err, billed)
	}
	broke := errors.New("no credits")
	if doc, err := m.Unchanged(t.Context(), p, func() (map[string]any, error) { return nil, broke }); doc != nil || !errors.Is(err, broke) {
		t.Errorf("a page that nobody pays: %s, %v", doc, err)
	}
	if a, b := m.Half(), m.Half(); a+b != 1 {
		t.Errorf("two unmodified pages cost %d", a+b)
	}
	compared, err := m.Compared([]byte(`{"metadata":{}}`), p)
	if err != nil || !strings.Contains(string(compared), `"change":"same"`) {
		t.Errorf("a new document: %s, %v", compared, err)
	}
	if same, err := (*recrawl.Memory)(nil).Compared([]byte("{}"), p); err != nil || string(same) != "{}" {
		t.Errorf("without an earlier crawl: %s, %v", same, err)
	}
}

// TestDocument checks that Document removes the record, and accepts data
// without one.
func TestDocument(t *testing.T) {
	for data, want := range map[string]string{"": "", "{}": "{}", "{}\x00{\"a\":\"\\u0000\"}": "{}"} {
		if got := recrawl.Document([]byte(data)); string(got) != want {
			t.Errorf("%q: %q, want %q", data, got, want)
		}
	}
}

// FuzzKnown checks that any stored data is read without a panic.
func FuzzKnown(f *testing.F) {
	f.Add([]byte(`{"metadata":{}}` + "\x00" + `{"a":"http://a.test/","s":200,"h":"AA==","l":["0 http://a.test/x","14 y"]}`))
	f.Add([]byte("\x00" + `{"a":"http://a.test/","l":["9 x","-1 y","z"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := space{items: map[job.ItemKind][]job.Item{job.Result: {{Data: data}}}}
		m := remember(t, &s, true)
		_, _ = m.Known(t.Context(), "http://a.test/")
		_, _ = m.Unchanged(t.Context(), page("http://a.test/", ""), func() (map[string]any, error) { return nil, nil })
	})
}

// TestCounts reads what may be the last event of a crawl that still runs.
func TestCounts(t *testing.T) {
	for _, last := range [][]job.Item{nil, {{Data: []byte("http://gone.test/")}}, {{Data: []byte(`{"new":`)}}, {{Data: []byte(`{"new":1}`), Err: job.ErrCorrupt}}} {
		if got := recrawl.Counts(last); got != nil {
			t.Errorf("%+v: %+v", last, got)
		}
	}
}

// TestGoneURLs leaves out counts, damaged events and URLs that were recorded twice.
func TestGoneURLs(t *testing.T) {
	got := recrawl.GoneURLs([]job.Item{{Data: []byte("b")}, {Err: job.ErrCorrupt}, {Data: []byte("a")}, {Data: []byte("b")}, {Data: []byte(`{"new":1}`)}})
	if want := []string{"b", "a"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
