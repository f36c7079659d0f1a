// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/agent"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/httpapi"
	"example.com/curlew/job"
)

// TestIdempotencyRestart repeats requests after a restart: the jobs know with
// what they were started.
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

// TestIdempotencyHeader: whoever sends a key relies on it, so that one that cannot
// be used is refused, and so are two.
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

// TestIdempotencyBounds: answers are kept within bounds of a team and of all.
// Where there is no room, a new key is refused and begins nothing, what is kept
// is still repeated, and a request without a key is served.
func TestIdempotencyBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := &curlew.Service{Fetcher: fetchtest.New(t, []byte(oneSite)), Keep: time.Minute}
		h, err := httpapi.NewHandler(service, &httpapi.Options{Authenticator: httpapi.StaticKeys(map[string]account.Team{
			"test": {ID: "one"}, "other": {ID: "two"}, "third": {ID: "three"},
		})})
		if err != nil {
			t.Fatal(err)
		}
		h.MaxReplays(1600, 4700) // three answers of a team, and eight of all
		const body = `{"urls":["a.test"]}`
		begun := map[string]string{} // by team and key
		send := func(team, key string) *httptest.ResponseRecorder {
			header := []string{"Authorization", "Bearer " + team}
			if key != "" {
				header = append(header, "X-Idempotency-Key", key)
			}
			w, _ := ask(t, h, "POST", "/v2/batch/scrape", body, header...)
			return w
		}
		begin := func(team string, keys ...string) (refused int) {
			for _, key := range keys {
				switch w := send(team, key); w.Code {
				case http.StatusOK:
					begun[team+key] = w.Body.String()
				case http.StatusTooManyRequests:
					refused++
					if wait, err := strconv.Atoi(w.Header().Get("Retry-After")); err != nil || wait < 23*3600 || wait > 24*3600 {
						t.Errorf("%s %s: Retry-After %q, want when the first answer is forgotten", team, key, w.Header().Get("Retry-After"))
					}
				default:
					t.Fatalf("%s %s: %d %s", team, key, w.Code, w.Body)
				}
			}
			return refused
		}
		repeat := func() {
			t.Helper()
			for of, want := range begun {
				w := send(of[:len(of)-1], of[len(of)-1:])
				if w.Code != http.StatusOK || w.Body.String() != want || w.Header().Get("Idempotent-Replayed") != "true" {
					t.Errorf("%s again: %d %s", of, w.Code, w.Body)
				}
			}
		}
		if n := begin("test", "a", "b", "c", "d", "e"); n != 2 {
			t.Errorf("of five keys of a team %d are refused, want 2", n)
		}
		time.Sleep(time.Hour / 2)
		if n := begin("other", "a", "b", "c", "d") + begin("third", "a", "b", "c", "d"); n != 3 {
			t.Errorf("of eight keys of other teams %d are refused, want 3", n)
		}
		if w := send("test", ""); w.Code != http.StatusOK {
			t.Errorf("without a key: %d %s", w.Code, w.Body)
		}
		if w, answer := ask(t, h, "POST", "/v2/batch/scrape", `{"urls":[]}`, "X-Idempotency-Key", "x"); w.Code != http.StatusBadRequest {
			t.Errorf("a request that is wrong: %d %s", w.Code, answer)
		}
		repeat()
		if bytes, answers := h.Replays(); answers != 8 || bytes < 8*512 || bytes > 8*1024 {
			t.Errorf("%d answers of %d bytes are counted, want 8", answers, bytes)
		}

		time.Sleep(23*time.Hour + 31*time.Minute) // the first team's are forgotten
		clear(begun)
		if n := begin("test", "a", "b", "c"); n != 0 {
			t.Errorf("a day later %d of three keys are refused", n)
		}
		repeat()
		time.Sleep(25 * time.Hour)
		if begin("test", "z") != 0 {
			t.Error("another day later a key is refused")
		}
		if bytes, answers := h.Replays(); answers != 1 || bytes > 1024 {
			t.Errorf("%d answers of %d bytes are counted at the end, want 1", answers, bytes)
		}
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
