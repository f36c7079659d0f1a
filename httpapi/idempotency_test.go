// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/curlew"
	"example.com/curlew/agent"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/httpapi"
	"example.com/curlew/job"
)

// TestIdempotencyRestart repeats requests after a restart. Jobs store the
// request that they were started with.
func TestIdempotencyRestart(t *testing.T) {
	dir := t.TempDir()
	requests := map[string]string{
		"/v2/crawl":        `{"url":"a.test","limit":1}`,
		"/v2/batch/scrape": `{"urls":["a.test","nothing"]}`,
		"/v2/agent":        `{"prompt":"The name.","urls":["a.test"]}`,
	}
	first := map[string]string{}
	for round := range 2 {
		store, err := job.OpenFiles(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		service := &curlew.Service{Fetcher: fetchtest.New(t, []byte(oneSite)), Store: store, Agent: &agent.Engine{Model: new(reader)}}
		h, err := httpapi.NewHandler(service, &httpapi.Options{InsecureNoAuth: true})
		if err != nil {
			t.Fatal(err)
		}
		for path, body := range requests {
			w, answer := ask(t, h, "POST", path, body, "X-Idempotency-Key", "k")
			switch {
			case w.Code != http.StatusOK:
				t.Fatalf("%s: %d %s", path, w.Code, answer)
			case round == 0:
				first[path] = answer
			case answer != first[path] || w.Header().Get("Idempotent-Replayed") != "true":
				t.Errorf("%s again: %s, want %s", path, answer, first[path])
			}
			if round == 0 {
				continue
			}
			if w, answer := ask(t, h, "POST", path, strings.Replace(body, "a.test", "b.test", 1), "X-Idempotency-Key", "k"); w.Code != http.StatusConflict {
				t.Errorf("%s with another body: %d %s", path, w.Code, answer)
			}
			var old, other struct{ ID string }
			_, answer = ask(t, h, "POST", path, body, "X-Idempotency-Key", "l")
			if json.Unmarshal([]byte(first[path]), &old) != nil || json.Unmarshal([]byte(answer), &other) != nil || other.ID == old.ID {
				t.Errorf("%s with another key: %s", path, answer)
			}
		}
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestIdempotencyHeader checks that an unusable idempotency key is refused,
// because its sender relies on it. Two keys are refused as well.
func TestIdempotencyHeader(t *testing.T) {
	h, err := httpapi.NewHandler(&curlew.Service{Fetcher: fetchtest.New(t, []byte(oneSite))}, &httpapi.Options{InsecureNoAuth: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, keys := range [][]string{{""}, {"a", "b"}, {"a", "a"}, {strings.Repeat("a", 256)}, {"é"}} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v2/crawl", strings.NewReader(`{"url":"a.test"}`))
		r.Header["X-Idempotency-Key"] = keys
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusBadRequest {
			t.Errorf("%.9q: %d %s", keys, w.Code, w.Body)
		}
	}
}
