// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew"
	"example.com/curlew/httpapi"
	"example.com/curlew/job"
)

// said sends a request without a key and returns the body of the answer.
func said(t *testing.T, s *curlew.Service, method, path, body string) string {
	t.Helper()
	h, err := httpapi.NewHandler(s, &httpapi.Options{InsecureNoAuth: true})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body)))
	return w.Body.String()
}

// crawled runs a crawl to its end and returns its id.
func crawled(t *testing.T, s *curlew.Service, body string) string {
	t.Helper()
	var started struct{ ID string }
	if answer := said(t, s, "POST", "/v2/crawl", body); json.Unmarshal([]byte(answer), &started) != nil || started.ID == "" {
		t.Fatalf("start: %s", answer)
	}
	for range 100 {
		time.Sleep(time.Second)
		if strings.Contains(said(t, s, "GET", "/v2/crawl/"+started.ID+"?limit=1", ""), `"status":"completed"`) {
			return started.ID
		}
	}
	t.Fatal("the crawl does not end")
	return ""
}

// TestExplainAgain explains a job in a file store, before and after the store
// is reopened.
func TestExplainAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		web := fakeWeb{
			"http://a.test/":           `<a href="/b">b</a><a href="/no">no</a>`,
			"http://a.test/b":          "b",
			"http://a.test/robots.txt": "User-agent: *\nDisallow: /no",
		}
		id := ""
		for range 3 {
			files, err := job.OpenFiles(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			s := &curlew.Service{Fetcher: web, Store: files}
			if id == "" {
				id = crawled(t, s, `{"url":"http://a.test/"}`)
			}
			answer := said(t, s, "GET", "/v2/crawl/"+id+"/explain?url=/no/x", "")
			if !strings.Contains(answer, `"rule":"robots","value":"2: /no"`) || !strings.Contains(answer, `"robots":"known"`) {
				t.Errorf("explained: %s", answer)
			}
			if err := s.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := files.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestExplainUnreachable checks the explanation if a robots.txt cannot be
// fetched, which disallows every URL.
func TestExplainUnreachable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &curlew.Service{Fetcher: answering(503)}
		id := crawled(t, s, `{"url":"http://a.test/"}`)
		answer := said(t, s, "GET", "/v2/crawl/"+id+"/explain?url=/x", "")
		if !strings.Contains(answer, `"rule":"robots"`) || !strings.Contains(answer, `"robots":"unreachable"`) {
			t.Errorf("explained: %s", answer)
		}
		if answer := said(t, s, "GET", "/v2/crawl/"+id+"/errors", ""); !strings.Contains(answer, `"details":{"rule":"robots"}`) {
			t.Errorf("errors: %s", answer)
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestExplainMuch checks that the robots.txt text kept for a job is limited,
// and that the explanation says if it does not know the rest.
func TestExplainMuch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := fakeWeb{}
		var home strings.Builder
		for i := range 20 {
			host := fmt.Sprintf("http://h%d.test/", i)
			fmt.Fprintf(&home, `<a href="%s">x</a>`, host)
			web[host] = "x"
			web[host+"robots.txt"] = "User-agent: *\nDisallow: /no\n" + strings.Repeat("# a comment\n", 30_000)
		}
		web["http://a.test/"] = home.String()
		s := &curlew.Service{Fetcher: web}
		id := crawled(t, s, `{"url":"http://a.test/","allowExternalLinks":true}`)
		known := 0
		for i := range 20 {
			answer := said(t, s, "GET", fmt.Sprintf("/v2/crawl/%s/explain?url=http://h%d.test/no", id, i), "")
			refused := strings.Contains(answer, `"rule":"robots"`)
			if refused != strings.Contains(answer, `"robots":"known"`) || refused == strings.Contains(answer, `"robots":"unknown"`) {
				t.Errorf("host %d: %s", i, answer)
			}
			if refused {
				known++
			}
		}
		if known < 5 || known > 15 {
			t.Errorf("%d of 20 files are kept", known)
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
