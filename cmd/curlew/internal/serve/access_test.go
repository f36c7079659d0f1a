// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAccessLog makes some requests and reads a line for each.
func TestAccessLog(t *testing.T) {
	file := filepath.Join(t.TempDir(), "access.log")
	url, _, stop := launched(t, nil, "-api-key", "k", "-access-log", file)
	for _, r := range []struct{ method, path, key string }{
		{http.MethodGet, "/v2/concurrency-check?secret=1", "k"},
		{http.MethodGet, "/v2/crawl/0198a7c2-0000-7000-8000-000000000000", "k"},
		{http.MethodGet, "/v2/crawl/active", ""},
		{http.MethodGet, "/nowhere", ""},
		{http.MethodGet, "/livez", ""},
	} {
		ask(t, r.method, url+r.path, r.key, "")
	}
	stop()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "secret") || strings.Contains(string(text), "Bearer") {
		t.Errorf("a query or a key is in the log:\n%s", text)
	}
	type line struct {
		Msg, Request, Client, Team, Method, Path, Route string
		Status                                          int
		Bytes                                           int64
		Seconds                                         float64
	}
	want := map[string]line{ // lines may be in another order than the requests
		"/v2/concurrency-check":                          {Team: "default", Route: "/v2/concurrency-check", Status: 200},
		"/v2/crawl/0198a7c2-0000-7000-8000-000000000000": {Team: "default", Route: "/v2/crawl/{id}", Status: 404},
		"/v2/crawl/active":                               {Route: "/v2/crawl/active", Status: 401},
		"/nowhere":                                       {Status: 404},
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), len(want), text)
	}
	for _, text := range lines {
		var got line
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if got.Msg != "request" || got.Request == "" || got.Client != "127.0.0.1" || got.Method != "GET" || got.Bytes == 0 || got.Seconds <= 0 {
			t.Errorf("incomplete: %s", text)
		}
		w, ok := want[got.Path]
		if !ok || got.Team != w.Team || got.Route != w.Route || got.Status != w.Status {
			t.Errorf("got %s, want %+v", text, w)
		}
		delete(want, got.Path)
	}
}

// TestAccessLogOut logs to standard output, and reports lines that cannot be
// written.
func TestAccessLogOut(t *testing.T) {
	var out, faults bytes.Buffer
	log, err := openAccessLog("-", &out, slog.New(slog.NewTextHandler(&faults, nil)))
	if err != nil {
		t.Fatal(err)
	}
	h := log.over(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = http.NewResponseController(w).Flush() // reaches the original writer by Unwrap
		_, _ = io.WriteString(w, "hello")
	}))
	serve := func() *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/x", nil))
		return w
	}
	if w := serve(); !w.Flushed || !strings.Contains(out.String(), `"status":200,"bytes":5`) {
		t.Errorf("flushed %t, log %s", w.Flushed, &out)
	}
	log.lines = slog.New(slog.NewJSONHandler(counted{full{}, log}, nil))
	for range 3 {
		serve()
	}
	if err := log.Close(); err != nil || strings.Count(faults.String(), "cannot be written") != 1 || !strings.Contains(faults.String(), "count=3") {
		t.Errorf("%v, %s", err, &faults)
	}
}

// full is a writer to a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestBaseURL checks that URLs in responses start as the flags say.
func TestBaseURL(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string // empty means the server's own URL
	}{
		"none":      {nil, ""},
		"base":      {[]string{"-base-url", "https://api.example.com/data/"}, "https://api.example.com/data"},
		"no scheme": {[]string{"-base-url", "api.example.com"}, "https://api.example.com"},
		"proxy":     {[]string{"-trust-proxy"}, "https://front.example/p"},
	} {
		t.Run(name, func(t *testing.T) {
			url, _ := started(t, nil, append(c.args, "-api-key", "k")...)
			if c.want == "" {
				c.want = url
			}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v2/crawl", strings.NewReader(`{"url":"http://127.0.0.1/"}`))
			if err != nil {
				t.Fatal(err)
			}
			for name, value := range map[string]string{"Authorization": "Bearer k", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "front.example", "X-Forwarded-Prefix": "/p"} {
				r.Header.Set(name, value)
			}
			resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			var started struct{ URL string }
			if err := json.NewDecoder(resp.Body).Decode(&started); err != nil || !strings.HasPrefix(started.URL, c.want+"/v2/crawl/") {
				t.Errorf("%d %q, %v; want it to begin with %s", resp.StatusCode, started.URL, err, c.want)
			}
		})
	}
}

// TestUserAgent checks the User-Agent that requests are sent with.
func TestUserAgent(t *testing.T) {
	names := make(chan string, 8)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		names <- r.UserAgent()
		_, _ = io.WriteString(w, "<p>Hello.</p>")
	}))
	defer site.Close()
	url, _ := started(t, nil, "-api-key", "k", "-allow-private", "-user-agent", "wader/1.0")
	if code, body := ask(t, http.MethodPost, url+"/v2/scrape", "k", `{"url":"`+site.URL+`"}`); code != http.StatusOK {
		t.Fatalf("%d %s", code, body)
	}
	if got := <-names; got != "wader/1.0" {
		t.Errorf("User-Agent %q", got)
	}
}
