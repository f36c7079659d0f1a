// SPDX-License-Identifier: Apache-2.0

package curlew_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew"
	"example.com/curlew/internal/wire"
)

// TestStalledBody sends requests whose body stops coming: they are answered in
// time, whether the body is wanted or not, and their connection ends.
func TestStalledBody(t *testing.T) {
	const (
		key    = "Authorization: Bearer fc-test\r\n"
		upload = key + "Content-Type: multipart/form-data; boundary=b\r\n"
		part   = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nHello."
	)
	for _, test := range []struct {
		name, path, header, body string
		want                     int
	}{
		{"no key", "/v2/crawl", "", "{", 401},
		{"no route", "/v2/nothing", key, "", 404},
		{"method", "/v2/concurrency-check", key, "{", 405},
		{"engine that reads nothing", "/v2/parse", key + "Content-Type: text/plain\r\n", "x", 400},
		{"crawl", "/v2/crawl", key, `{"url":`, 400},
		{"agent", "/v2/agent", key, "", 400},
		{"upload", "/v2/parse", upload, part, 400},
		{"upload without its end", "/v2/parse", upload, part + "\r\n--b--\r\n", 400},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := open(t, oneSite, curlew.Policy{})
				defer s.close()
				conn, err := s.net.Dial(t.Context(), "tcp", "api.test:80")
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				start := time.Now()
				if _, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: api.test\r\n%sContent-Length: 1000\r\n\r\n%s", test.path, test.header, test.body); err != nil {
					t.Fatal(err)
				}
				r := bufio.NewReader(conn)
				resp, err := http.ReadResponse(r, nil)
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				body, err := io.ReadAll(resp.Body)
				if resp.StatusCode != test.want || err != nil || !json.Valid(body) {
					t.Errorf("%d %s, %v; want %d", resp.StatusCode, body, err, test.want)
				}
				if _, err := r.ReadByte(); !errors.Is(err, io.EOF) {
					t.Errorf("the connection goes on: %v", err)
				}
				if d := time.Since(start); d > 15*time.Second {
					t.Errorf("it took %v", d)
				}
			})
		})
	}
}

// TestLongPatterns proves that what the engine does not take for a pattern is
// refused at the start, and no job fails over it.
func TestLongPatterns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, oneSite, curlew.Policy{})
		defer s.close()
		for _, pattern := range []string{strings.Repeat("é", 1000), strings.Repeat(`\\u00e9`, 166), strings.Repeat("😀", 1000)} {
			var answer struct{ ID, Status string }
			if s.do("POST", "/v2/crawl", `{"url":"http://a.test/","excludePaths":["`+pattern+`"]}`, &answer) == http.StatusBadRequest {
				continue
			}
			synctest.Wait()
			if s.do("GET", "/v2/crawl/"+answer.ID, "", &answer); answer.Status != "completed" {
				t.Errorf("%.20s...: %s, want completed", pattern, answer.Status)
			}
		}
	})
}

// TestManyFaults proves that an answer names a bounded number of faults.
func TestManyFaults(t *testing.T) {
	h, _ := newHandler(t, oneSite, curlew.Policy{}, curlew.Options{})
	urls := strings.Repeat(`"x y",`, 5000) + `"x y"`
	w, body := ask(t, h, "POST", "/v2/batch/scrape", `{"ignoreInvalidURLs":false,"urls":[`+urls+`]}`)
	var answer struct{ Details []json.RawMessage }
	if err := json.Unmarshal([]byte(body), &answer); err != nil || w.Code != 400 || len(answer.Details) != wire.MaxFaults {
		t.Errorf("%d with %d details, %v; want 400 with %d", w.Code, len(answer.Details), err, wire.MaxFaults)
	}
}

// TestQueueTime proves that the time of a request holds for the wait for a slot
// too: clients give up soon after it.
func TestQueueTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, "-- http://a.test/ --\nHTTP 200\nX-Latency: 30s\nContent-Type: text/html\n\n<title>A</title><p>Hello.</p>\n", curlew.Policy{MaxConcurrency: 1})
		defer s.close()
		s.start(`{"url":"http://a.test/"}`)
		synctest.Wait()
		for path, code := range map[string]string{"/v2/scrape": "SCRAPE_TIMEOUT", "/v2/map": "MAP_TIMEOUT"} {
			start := time.Now()
			var answer struct{ Code string }
			status := s.do("POST", path, `{"url":"http://a.test/","timeout":2000}`, &answer)
			if d := time.Since(start); status != 408 || answer.Code != code || d != 2*time.Second {
				t.Errorf("%s: %d %s after %v, want 408 %s after 2s", path, status, answer.Code, d, code)
			}
		}
	})
}

// TestSlowJob proves that the time for a body does not end the work that
// follows it.
func TestSlowJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, "-- http://a.test/ --\nHTTP 200\nX-Latency: 30s\nContent-Type: text/html\n\n<title>A</title><p>Hello.</p>\n", curlew.Policy{})
		defer s.close()
		var answer struct {
			Success bool
			Error   string
		}
		if status := s.do("POST", "/v2/scrape", `{"url":"http://a.test/"}`+strings.Repeat(" ", 5000), &answer); status != 200 || !answer.Success {
			t.Errorf("%d %s, want 200", status, answer.Error)
		}
	})
}
