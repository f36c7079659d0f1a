// SPDX-License-Identifier: Apache-2.0

package console

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"example.com/curlew"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/job"
)

// copies stores n more jobs like one that has ended, and returns the console of its Service.
// The specification of each is changed by damage, unless it is nil.
func copies(t testing.TB, n int, damage func([]byte) []byte) *Handler {
	store := new(job.Memory)
	service := &curlew.Service{Fetcher: fetchtest.New(t, []byte(site)), LocalNames: true, Store: store}
	t.Cleanup(func() {
		if err := service.Shutdown(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	h, err := New(service, &Options{InsecureNoAuth: true})
	if err != nil {
		t.Fatal(err)
	}
	first, err := service.StartCrawl(t.Context(), &curlew.CrawlRequest{URL: "http://a.test/"})
	if err != nil {
		t.Fatal(err)
	}
	for range first.Watch(t.Context(), 0) { // until it ends
	}
	record, err := store.Load(t.Context(), "default", first.ID())
	if err != nil {
		t.Fatal(err)
	}
	for range n {
		another := *record
		another.ID, another.State, another.Ended, another.Expires = job.NewID(), job.Running, time.Time{}, time.Time{}
		if damage != nil {
			another.Spec = damage(another.Spec)
		}
		if err := store.Create(t.Context(), &another); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// TestDamagedJobs expects that jobs whose records are damaged do not hide the others.
func TestDamagedJobs(t *testing.T) {
	h := copies(t, 3, func(spec []byte) []byte { return spec[:len(spec)/2] })
	var list struct{ Jobs []listed }
	decode(t, ask(t, h, "GET", "/console/api/jobs", "", ""), &list)
	if len(list.Jobs) != 4 {
		t.Fatalf("%d jobs, want 4", len(list.Jobs))
	}
	for i, j := range list.Jobs {
		if damaged := i < 3; (j.URL == "") != damaged || (j.Warning == "The record of this job cannot be read.") != damaged {
			t.Errorf("job %d, damaged %v: %+v", i, damaged, j)
		}
	}
}

// BenchmarkJobs lists the newest of 10,000 jobs.
func BenchmarkJobs(b *testing.B) {
	h := copies(b, 10_000, nil)
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(b.Context(), "GET", "/console/api/jobs", http.NoBody))
		if w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
	}
}
