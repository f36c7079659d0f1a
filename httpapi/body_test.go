// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/account"
	"example.com/curlew/httpapi"
	"example.com/curlew/httpapi/internal/wire"
)

// TestStalledBody sends requests whose body stalls. They are answered in time,
// even if the body is not needed, and their connections are closed.
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
		{"body that is not needed", "/v2/parse", key + "Content-Type: text/plain\r\n", "x", 400},
		{"crawl", "/v2/crawl", key, `{"url":`, 408},
		{"agent", "/v2/agent", key, "", 408},
		{"upload", "/v2/parse", upload, part, 408},
		{"upload's headers", "/v2/parse", upload, "--b\r\nContent", 408},
		{"upload's first line", "/v2/parse", upload, "--", 408},
		{"upload without its end", "/v2/parse", upload, part + "\r\n--b--\r\n", 408},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := open(t, oneSite, account.Policy{})
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

// TestLongPatterns checks that a pattern that the engine rejects is refused at
// the start, so that no job fails because of it.
func TestLongPatterns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, oneSite, account.Policy{})
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

// TestManyFaults checks that an answer lists a limited number of faults.
func TestManyFaults(t *testing.T) {
	h, _ := newHandler(t, oneSite, account.Policy{}, httpapi.Options{})
	urls := strings.Repeat(`"x y",`, 5000) + `"x y"`
	w, body := ask(t, h, "POST", "/v2/batch/scrape", `{"ignoreInvalidURLs":false,"urls":[`+urls+`]}`)
	var answer struct{ Details []json.RawMessage }
	if err := json.Unmarshal([]byte(body), &answer); err != nil || w.Code != 400 || len(answer.Details) != wire.MaxFaults {
		t.Errorf("%d with %d details, %v; want 400 with %d", w.Code, len(answer.Details), err, wire.MaxFaults)
	}
}

// TestQueueTime checks that the timeout of a request includes the wait for a
// slot, because clients give up soon after it.
func TestQueueTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, "-- http://a.test/ --\nHTTP 200\nX-Latency: 30s\nContent-Type: text/html\n\n<title>A</title><p>Hello.</p>\n", account.Policy{MaxConcurrency: 1})
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

// TestSlowJob checks that the time limit for a body does not limit the work
// that follows.
func TestSlowJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, "-- http://a.test/ --\nHTTP 200\nX-Latency: 30s\nContent-Type: text/html\n\n<title>A</title><p>Hello.</p>\n", account.Policy{})
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

// zipped returns text compressed with gzip.
func zipped(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestCodedBody sends bodies in several content codings. gzip is decoded within
// the same limits, and other codings are refused by name.
func TestCodedBody(t *testing.T) {
	h, service := newHandler(t, oneSite, account.Policy{}, httpapi.Options{MaxBody: 1000})
	defer service.Shutdown(t.Context())
	crawl := `{"url":"http://a.test/","limit":1}`
	padded := func(n int) string { return crawl + strings.Repeat(" ", n-len(crawl)) }
	for _, test := range []struct {
		name, coding, body string
		want               int
		says               string
	}{
		{"gzip", "gzip", zipped(t, crawl), 200, `"success":true`},
		{"its old name", "X-GZIP", zipped(t, crawl), 200, `"success":true`},
		{"two members", "gzip", zipped(t, crawl[:9]) + zipped(t, crawl[9:]), 200, `"success":true`},
		{"identity", "identity", crawl, 200, `"success":true`},
		{"up to the bound", "gzip", zipped(t, padded(1000)), 200, `"success":true`},
		{"over the bound", "gzip", zipped(t, padded(1001)), 413, `"Request body is too large"`},
		{"a decompression bomb", "gzip", zipped(t, padded(500_000)), 413, `"Request body is too large"`},
		{"cut", "gzip", zipped(t, crawl)[:20], 400, "BAD_REQUEST_INVALID_JSON"},
		{"empty", "gzip", "", 400, "BAD_REQUEST_INVALID_JSON"},
		{"not compressed", "gzip", crawl, 400, "BAD_REQUEST_INVALID_JSON"},
		{"followed by other data", "gzip", zipped(t, crawl) + "x", 400, "BAD_REQUEST_INVALID_JSON"},
		{"another", "br", crawl, 415, "Unsupported Content-Encoding"},
		{"twice", "gzip, gzip", zipped(t, zipped(t, crawl)), 415, "Unsupported Content-Encoding"},
	} {
		w, body := ask(t, h, "POST", "/v2/crawl", test.body, "Content-Encoding", test.coding)
		if w.Code != test.want || !strings.Contains(body, test.says) {
			t.Errorf("%s: %d %s, want %d with %s", test.name, w.Code, body, test.want, test.says)
		}
		if got := w.Header().Get("Accept-Encoding"); (got == "gzip") != (w.Code == http.StatusUnsupportedMediaType) {
			t.Errorf("%s: Accept-Encoding %q with %d", test.name, got, w.Code)
		}
	}
	if w, body := ask(t, h, "POST", "/v2/crawl", crawl, "Content-Encoding", "br", "Authorization", "Bearer no"); w.Code != http.StatusUnauthorized {
		t.Errorf("without a key: %d %s", w.Code, body)
	}
	if w, body := ask(t, h, "GET", "/v2/crawl/active", "", "Content-Encoding", "br"); w.Code != http.StatusOK {
		t.Errorf("without a body: %d %s", w.Code, body)
	}
}

// TestManyValues sends more URLs than a body may have values. It is valid JSON, so the answer must
// not call it malformed.
func TestManyValues(t *testing.T) {
	h, service := newHandler(t, oneSite, account.Policy{}, httpapi.Options{})
	defer service.Shutdown(t.Context())
	body := `{"urls":["http://a.test/"` + strings.Repeat(`,"http://a.test/"`, 100_000) + `]}`
	w, answer := ask(t, h, "POST", "/v2/batch/scrape", body)
	if w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(answer, "more than 100,000 values") || !strings.Contains(answer, "appendToId") {
		t.Errorf("%d %s", w.Code, answer)
	}
}

// TestCodedUpload sends files in content codings.
func TestCodedUpload(t *testing.T) {
	h, _ := newHandler(t, oneSite, account.Policy{}, httpapi.Options{})
	form := func(file string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n" + file + "\r\n--b--\r\n"
	}
	for _, test := range []struct {
		name, coding, body string
		want               int
		says               string
	}{
		{"gzip", "gzip", zipped(t, form("Hello.")), 200, `"markdown":"Hello."`},
		{"cut", "gzip", zipped(t, form("Hello."))[:50], 400, "Invalid multipart form-data request."},
		{"over the bound", "gzip", zipped(t, form(strings.Repeat("a", 50<<20+1))), 400, "exceeds maximum size"},
		{"another", "br", form("Hello."), 415, "Unsupported Content-Encoding"},
	} {
		w, body := ask(t, h, "POST", "/v2/parse", test.body, "Content-Type", "multipart/form-data; boundary=b", "Content-Encoding", test.coding)
		if w.Code != test.want || !strings.Contains(body, test.says) {
			t.Errorf("%s: %d %.300s, want %d with %s", test.name, w.Code, body, test.want, test.says)
		}
	}

	var target struct {
		Data struct{ UploadURL, UploadRef string }
	}
	_, body := ask(t, h, "POST", "/v2/parse/upload-url", `{"filename":"a.txt"}`)
	if err := json.Unmarshal([]byte(body), &target); err != nil {
		t.Fatal(err)
	}
	if w, body := ask(t, h, "PUT", target.Data.UploadURL, "Hello.", "Content-Encoding", "br"); w.Code != http.StatusUnsupportedMediaType {
		t.Errorf("PUT in br: %d %s", w.Code, body)
	}
	if w, body := ask(t, h, "PUT", target.Data.UploadURL, zipped(t, "Hello."), "Content-Encoding", "gzip"); w.Code != http.StatusOK {
		t.Errorf("PUT in gzip: %d %s", w.Code, body)
	}
	if w, body := ask(t, h, "POST", "/v2/parse", `{"uploadRef":"`+target.Data.UploadRef+`"}`, "Content-Type", "application/json"); !strings.Contains(body, `"Hello."`) {
		t.Errorf("what was put in gzip: %d %s", w.Code, body)
	}
}

// counted counts the bytes that are read.
type counted struct {
	io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

// TestLargeBodyIsAnswered sends a body that is too large with a client that, as many do, reads
// the answer only when it has sent all.
func TestLargeBodyIsAnswered(t *testing.T) {
	h, _ := newHandler(t, oneSite, account.Policy{}, httpapi.Options{})
	server := httptest.NewServer(h)
	defer server.Close()
	const parts = 48
	part := strings.Repeat(" ", 1<<20)
	for _, test := range []struct{ name, header, before, after, end string }{
		{"with its length", fmt.Sprintf("Content-Length: %d", parts<<20), "", "", ""},
		{"in chunks", "Transfer-Encoding: chunked", fmt.Sprintf("%x\r\n", len(part)), "\r\n", "0\r\n\r\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := fmt.Fprintf(conn, "POST /v2/crawl HTTP/1.1\r\nHost: a.test\r\nAuthorization: Bearer fc-test\r\n%s\r\n\r\n", test.header); err != nil {
				t.Fatal(err)
			}
			for n := range parts {
				if _, err := io.WriteString(conn, test.before+part+test.after); err != nil {
					t.Fatalf("after %d MiB: %v", n, err)
				}
			}
			if _, err := io.WriteString(conn, test.end); err != nil {
				t.Fatal(err)
			}
			w, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Body.Close()
			if w.StatusCode != http.StatusRequestEntityTooLarge {
				t.Errorf("status %d, want 413", w.StatusCode)
			}
		})
	}
}

// TestEmptyMembers sends endless gzip that decompresses to nothing. A limit on
// the decoded size alone would never end it.
func TestEmptyMembers(t *testing.T) {
	h, _ := newHandler(t, oneSite, account.Policy{}, httpapi.Options{})
	members := strings.Repeat(zipped(t, ""), 100_000)
	var all []io.Reader
	for range 100 {
		all = append(all, strings.NewReader(members))
	}
	body := &counted{Reader: io.MultiReader(all...)}
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/v2/crawl", body)
	r.Header.Set("Authorization", "Bearer fc-test")
	r.Header.Set("Content-Encoding", "gzip")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusRequestEntityTooLarge || body.n > 64<<20 {
		t.Errorf("%d after %d bytes, want 413 within 64 MiB", w.Code, body.n)
	}
}
