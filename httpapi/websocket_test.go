// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/httpapi"
	"example.com/curlew/internal/test/webtest"
)

// server is a handler with in-memory connections, for use in a synctest bubble.
type server struct {
	t       *testing.T
	service *curlew.Service
	net     *webtest.Net
	client  *http.Client
}

// open serves the service of a fake web for the keys fc-test and fc-other.
func open(t *testing.T, web string, p account.Policy) *server {
	t.Helper()
	s := &server{t: t, service: &curlew.Service{Fetcher: fetchtest.New(t, []byte(web))}}
	h, err := httpapi.NewHandler(s.service, &httpapi.Options{
		Authenticator: httpapi.StaticKeys(map[string]account.Team{"fc-test": {ID: "team", Policy: p}, "fc-other": {ID: "other"}}),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.net = webtest.Serve(h)
	s.client = &http.Client{Transport: &http.Transport{DialContext: s.net.Dial}}
	return s
}

func (s *server) close() {
	s.client.CloseIdleConnections()
	s.net.Close()
	if err := s.service.Shutdown(s.t.Context()); err != nil {
		s.t.Error(err)
	}
}

// do sends a request with the key fc-test and decodes the answer into v.
func (s *server) do(method, path, body string, v any) int {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, "http://api.test"+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer fc-test")
	resp, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(v); err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// start starts a crawl and returns its id.
func (s *server) start(body string) string {
	s.t.Helper()
	var started struct{ ID, Error string }
	if status := s.do("POST", "/v2/crawl", body, &started); status != http.StatusOK {
		s.t.Fatalf("start: %d %s", status, started.Error)
	}
	return started.ID
}

// frame is a WebSocket message as clients see it.
type frame struct {
	Type, Error string
	Data        struct {
		Success          *bool
		Status, Error    string
		Markdown         string
		Completed, Total int
		Next             *string
		Data             []json.RawMessage
	}
}

// dial opens a WebSocket with the key as a subprotocol, like a browser.
func (s *server) dial(path, key string) *websocket.Conn {
	s.t.Helper()
	conn, resp, err := websocket.Dial(s.t.Context(), "ws://api.test"+path, &websocket.DialOptions{HTTPClient: s.client, Subprotocols: []string{key}}) //nolint:bodyclose // the connection has no body any more
	if err != nil {
		s.t.Fatal(err)
	}
	if got := resp.Header.Get("Sec-WebSocket-Protocol"); got != key {
		s.t.Errorf("subprotocol %q, want %q", got, key)
	}
	conn.SetReadLimit(64 << 20)
	return conn
}

// read returns the next message, or the reason why the socket was closed.
func (s *server) read(conn *websocket.Conn) (*frame, *websocket.CloseError) {
	s.t.Helper()
	kind, raw, err := conn.Read(s.t.Context())
	if closed, ok := errors.AsType[websocket.CloseError](err); ok {
		return nil, &closed
	}
	if err != nil {
		s.t.Fatal(err)
	}
	f := new(frame)
	if err := json.Unmarshal(raw, f); err != nil || kind != websocket.MessageText {
		s.t.Fatalf("frame %v %.100q: %v", kind, raw, err)
	}
	return f, nil
}

// watch returns a line for each message and for the end of the socket.
func (s *server) watch(path, key string) []string {
	s.t.Helper()
	conn := s.dial(path, key)
	defer conn.CloseNow()
	var lines []string
	for {
		f, closed := s.read(conn)
		if closed != nil {
			return append(lines, fmt.Sprintf("close %d %s", closed.Code, closed.Reason))
		}
		line := f.Type
		switch f.Type {
		case "catchup", "status":
			line += fmt.Sprintf(" %s %d/%d data %d", f.Data.Status, f.Data.Completed, f.Data.Total, len(f.Data.Data))
			if f.Data.Error != "" {
				line += " error " + f.Data.Error
			}
			if f.Data.Next != nil {
				line += " next"
			}
		case "document":
			line += " " + strings.TrimSpace(f.Data.Markdown[:min(10, len(f.Data.Markdown))])
		case "error":
			line += " " + f.Error
		}
		lines = append(lines, line)
	}
}

const slowSite = `
-- http://a.test/ --
<body><p>0 <a href="/1">1</a> <a href="/2">2</a></p></body>
-- http://a.test/1 --
HTTP 200
X-Latency: 5s
Content-Type: text/html

<p>One</p>
-- http://a.test/2 --
HTTP 200
X-Latency: 10s
Content-Type: text/html

<p>Two</p>
`

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestSocket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, slowSite, account.Policy{})
		defer s.close()
		id := s.start(`{"url":"a.test","sitemap":"skip"}`)
		time.Sleep(time.Second)
		equal(t, "running", s.watch("/v2/crawl/"+id, "fc-test"), []string{
			"catchup scraping 1/3 data 1",
			"document One",
			"document Two",
			"status completed 3/3 data 3",
			`close 1000 {"type":"done"}`,
		})
		equal(t, "ended", s.watch("/v2/crawl/"+id, "fc-test"), []string{
			"catchup completed 3/3 data 3",
			"status completed 3/3 data 3",
			`close 1000 {"type":"done"}`,
		})
	})
}

func TestSocketCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, slowSite, account.Policy{})
		defer s.close()
		id := s.start(`{"url":"a.test","sitemap":"skip","maxConcurrency":1}`)
		time.Sleep(time.Second)
		done := make(chan []string)
		go func() { done <- s.watch("/v2/crawl/"+id, "fc-test") }()
		synctest.Wait()
		var cancelled struct{ Status string }
		if status := s.do("DELETE", "/v2/crawl/"+id, "", &cancelled); status != http.StatusOK || cancelled.Status != "cancelled" {
			t.Errorf("DELETE: %d %v", status, cancelled)
		}
		equal(t, "cancelled", <-done, []string{
			"catchup scraping 1/3 data 1",
			"document One",
			"status cancelled 2/2 data 2",
			`close 1000 {"type":"done"}`,
		})
	})
}

func TestSocketBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, slowSite, account.Policy{})
		defer s.close()
		var started struct{ ID string }
		s.do("POST", "/v2/batch/scrape", `{"urls":["a.test/1","a.test/2"]}`, &started)
		equal(t, "batch", s.watch("/v2/batch/scrape/"+started.ID, "fc-test"), []string{
			"catchup scraping 0/2 data 0",
			"document One",
			"document Two",
			"status completed 2/2 data 2",
			`close 1000 {"type":"done"}`,
		})
		equal(t, "as a crawl", s.watch("/v2/crawl/"+started.ID, "fc-test"), []string{
			"error Job not found",
			"status failed 0/0 data 0 error Job not found",
			"close 1008 ",
		})
	})
}

// TestSocketLarge uses three documents of 4 MiB, of which only two fit into a
// message.
func TestSocketLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, `
-- http://a.test/1.txt --
HTTP 200
Content-Type: text/plain
X-Body: 262144

one-two-three-5
-- http://a.test/2.txt --
HTTP 200
Content-Type: text/plain
X-Body: 262144

two-three-four5
-- http://a.test/3.txt --
HTTP 200
Content-Type: text/plain
X-Body: 262144
X-Latency: 5s

three-four-five
`, account.Policy{})
		defer s.close()
		var started struct{ ID string }
		s.do("POST", "/v2/batch/scrape", `{"urls":["a.test/1.txt","a.test/2.txt","a.test/3.txt"],"maxConcurrency":1}`, &started)
		path := "/v2/batch/scrape/" + started.ID
		time.Sleep(time.Second)
		equal(t, "running", s.watch(path, "fc-test"), []string{
			"catchup scraping 2/3 data 2",
			"document three-four",
			`close 1000 {"type":"done"}`,
		})
		equal(t, "ended", s.watch(path, "fc-test"), []string{
			"catchup scraping 3/3 data 2",
			"document three-four",
			`close 1000 {"type":"done"}`,
		})
		var page struct {
			Data []json.RawMessage
			Next string
		}
		s.do("GET", path, "", &page)
		if want := "http://api.test" + path + "?skip=2"; len(page.Data) != 2 || page.Next != want {
			t.Errorf("%d documents and next %s, want 2 and %s", len(page.Data), page.Next, want)
		}
		s.do("GET", path+"?skip=2", "", &page)
		if len(page.Data) != 1 {
			t.Errorf("the last page has %d documents", len(page.Data))
		}
	})
}

func TestSocketRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, slowSite, account.Policy{})
		defer s.close()
		id := s.start(`{"url":"a.test","limit":1}`)
		lost := func(code int, text string) []string {
			return []string{"error " + text, "status failed 0/0 data 0 error " + text, fmt.Sprintf("close %d ", code)}
		}
		const badID = "Invalid job ID format. Job ID must be a valid UUID."
		for _, test := range []struct {
			name, path, key string
			want            []string
		}{
			{"bad id", "/v2/crawl/abc", "fc-test", lost(1008, badID)},
			{"unknown", "/v2/crawl/0199d7a4-0000-7000-8000-000000000000", "fc-test", lost(1008, "Job not found")},
			{"foreign", "/v2/crawl/" + id, "fc-other", lost(1008, "Job not found")},
			{"wrong key", "/v2/crawl/" + id, "fc-nobody", lost(3000, "Unauthorized: Invalid token")},
		} {
			equal(t, test.name, s.watch(test.path, test.key), test.want)
		}
	})
}

// TestSocketBroken uses an Authenticator that fails temporarily. The client
// must not be told that a job has failed.
func TestSocketBroken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := &curlew.Service{Fetcher: fetchtest.New(t, []byte(oneSite))}
		h, err := httpapi.NewHandler(service, &httpapi.Options{
			Authenticator: func(*http.Request, string) (account.Team, error) { return account.Team{}, errors.New("no database") },
		})
		if err != nil {
			t.Fatal(err)
		}
		s := &server{t: t, service: service, net: webtest.Serve(h)}
		s.client = &http.Client{Transport: &http.Transport{DialContext: s.net.Dial}}
		defer s.close()
		equal(t, "broken", s.watch("/v2/crawl/0199d7a4-0000-7000-8000-000000000000", "fc-test"), []string{
			"error An unexpected error occurred on the server.", "close 1011 ",
		})
	})
}

// TestSocketRate uses a team with a rate limit for status requests.
func TestSocketRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, slowSite, account.Policy{Rates: account.Rates{Status: 1}})
		defer s.close()
		id := s.start(`{"url":"a.test","limit":1}`)
		synctest.Wait()
		if got := s.watch("/v2/crawl/"+id, "fc-test"); len(got) != 3 {
			t.Errorf("first: %v", got)
		}
		const text = "Request rate limit exceeded. Please wait and try again later."
		equal(t, "second", s.watch("/v2/crawl/"+id, "fc-test"), []string{
			"error " + text, "status failed 0/0 data 0 error " + text, "close 1008 ",
		})
	})
}

func TestSocketHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, slowSite, account.Policy{})
		defer s.close()
		r, err := http.NewRequestWithContext(t.Context(), "GET", "http://api.test/v2/crawl/abc", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"8"}}
		resp, err := s.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		if want := `{"success":false,"code":"BAD_REQUEST","error":"Invalid WebSocket handshake"}`; string(body) != want || resp.StatusCode != 400 {
			t.Errorf("%d %s, want 400 %s", resp.StatusCode, body, want)
		}
	})
}

// TestSocketStalls uses a client that reads nothing after the first message.
func TestSocketStalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, strings.ReplaceAll(slowSite, "X-Latency: 5s", "X-Latency: 50s"), account.Policy{})
		defer s.close()
		id := s.start(`{"url":"a.test","sitemap":"skip","scrapeOptions":{"timeout":300000}}`)
		conn := s.dial("/v2/crawl/"+id, "fc-test")
		defer conn.CloseNow()
		start := time.Now()
		if f, _ := s.read(conn); f == nil || f.Type != "catchup" {
			t.Fatalf("first frame: %v", f)
		}
		// A pipe has no buffer, so the server cannot write what the client does
		// not read.
		time.Sleep(3 * time.Minute)
		for {
			if _, _, err := conn.Read(t.Context()); err != nil {
				break
			}
		}
		if d := time.Since(start); d > 4*time.Minute {
			t.Errorf("the socket was open for %v", d)
		}
	})
}

// TestSocketLeaves uses a client that disconnects during the crawl.
func TestSocketLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, slowSite, account.Policy{})
		defer s.close()
		id := s.start(`{"url":"a.test","sitemap":"skip"}`)
		conn := s.dial("/v2/crawl/"+id, "fc-test")
		if f, _ := s.read(conn); f == nil || f.Type != "catchup" {
			t.Fatalf("first frame: %v", f)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := conn.Close(websocket.StatusGoingAway, ""); err != nil && ctx.Err() != nil {
			t.Error(err)
		}
		time.Sleep(time.Minute)
		var status struct{ Status string }
		if s.do("GET", "/v2/crawl/"+id, "", &status); status.Status != "completed" {
			t.Errorf("the crawl is %s", status.Status)
		}
	})
}

// TestWatchShutdown watches a job whose process shuts down. The client learns why the
// socket is closed, so that it connects again, and the log has no error.
func TestWatchShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := &server{t: t, service: &curlew.Service{Fetcher: fetchtest.New(t, []byte("-- http://a.test/ --\nHTTP 200\nX-Latency: 1m\nContent-Type: text/html\n\n<title>A</title><p>Hello.</p>\n"))}}
		h, err := httpapi.NewHandler(s.service, &httpapi.Options{InsecureNoAuth: true, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		s.net = webtest.Serve(h)
		s.client = &http.Client{Transport: &http.Transport{DialContext: s.net.Dial}}
		defer s.close()
		id := s.start(`{"url":"http://a.test/"}`)
		var over sync.WaitGroup
		over.Go(func() {
			lines := strings.Join(s.watch("/v2/crawl/"+id, "fc-test"), "\n")
			if want := "catchup scraping 0/1 data 0\nerror The server is shutting down.\nclose 1011 "; lines != want {
				t.Errorf("%s\nwant %s", lines, want)
			}
		})
		synctest.Wait()
		if err := s.service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		over.Wait()
		if log.Len() > 0 {
			t.Error(log.String())
		}
	})
}
