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
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/httpapi"
	"example.com/curlew/internal/netguard"
)

const oneSite = "-- http://a.test/ --\n<title>A</title><p>Hello.</p>\n"

// newHandler returns a handler over a fake web that accepts the keys fc-test
// and fc-other.
func newHandler(t *testing.T, web string, p account.Policy, o httpapi.Options) (*httpapi.Handler, *curlew.Service) {
	t.Helper()
	service := &curlew.Service{Fetcher: fetchtest.New(t, []byte(web))}
	if o.Authenticator == nil && !o.InsecureNoAuth {
		o.Authenticator = httpapi.StaticKeys(map[string]account.Team{"fc-test": {ID: "team", Policy: p}, "other": {ID: "other"}})
	}
	h, err := httpapi.NewHandler(service, &o)
	if err != nil {
		t.Fatal(err)
	}
	return h, service
}

// ask sends a request with the key fc-test and returns the answer and its body.
func ask(t *testing.T, h http.Handler, method, path, body string, header ...string) (*httptest.ResponseRecorder, string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer fc-test")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w, w.Body.String()
}

func TestNewHandler(t *testing.T) {
	auth := httpapi.StaticKeys(nil)
	for _, test := range []struct {
		name    string
		service *curlew.Service
		options httpapi.Options
		ok      bool
	}{
		{"keys", new(curlew.Service), httpapi.Options{Authenticator: auth}, true},
		{"no keys, as configured", new(curlew.Service), httpapi.Options{InsecureNoAuth: true}, true},
		{"no keys", new(curlew.Service), httpapi.Options{}, false},
		{"no service", nil, httpapi.Options{Authenticator: auth}, false},
		{"no bodies", new(curlew.Service), httpapi.Options{Authenticator: auth, MaxBody: -1}, false},
		{"jobs that end before they begin", &curlew.Service{Keep: -time.Second}, httpapi.Options{Authenticator: auth}, false},
		{"base URL with a query", new(curlew.Service), httpapi.Options{Authenticator: auth, BaseURL: "https://api.test/?a=1"}, false},
		{"base URL with a fragment", new(curlew.Service), httpapi.Options{Authenticator: auth, BaseURL: "https://api.test/#a"}, false},
		{"no base URL", new(curlew.Service), httpapi.Options{Authenticator: auth, BaseURL: "api.test"}, false},
	} {
		if _, err := httpapi.NewHandler(test.service, &test.options); (err == nil) != test.ok {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestNoAuth(t *testing.T) {
	h, _ := newHandler(t, oneSite, account.Policy{}, httpapi.Options{InsecureNoAuth: true})
	for _, header := range [][]string{{"Authorization", ""}, {"Authorization", "Bearer whatever"}} {
		if w, body := ask(t, h, "GET", "/v2/crawl/active", "", header...); w.Code != http.StatusOK {
			t.Errorf("%v: %d %s", header, w.Code, body)
		}
	}
}

// unread fails the test if it is read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

// TestBodyAfterKey checks that no byte of a body is read before the key, route
// and rate limit are checked.
func TestBodyAfterKey(t *testing.T) {
	h, _ := newHandler(t, oneSite, account.Policy{Rates: account.Rates{Crawl: 1, Parse: 1}}, httpapi.Options{})
	ask(t, h, "POST", "/v2/crawl", "{")
	ask(t, h, "POST", "/v2/parse", "")
	for _, test := range []struct {
		method, path, key string
		want              int
	}{
		{"POST", "/v2/crawl", "", 401},
		{"POST", "/v2/parse", "Bearer no", 401},
		{"POST", "/v2/agent", "Bearer", 401},
		{"POST", "/v2/nothing", "Bearer fc-test", 404},
		{"PUT", "/v2/parse", "Bearer fc-test", 405},
		{"POST", "/v2/crawl", "Bearer fc-test", 429},
		{"POST", "/v2/parse", "Bearer fc-test", 429},
	} {
		r := httptest.NewRequestWithContext(t.Context(), test.method, test.path, unread{t})
		r.Header.Set("Authorization", test.key)
		r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != test.want {
			t.Errorf("%s %s: %d, want %d", test.method, test.path, w.Code, test.want)
		}
	}
}

func TestHeaders(t *testing.T) {
	for _, off := range []bool{false, true} {
		h, _ := newHandler(t, oneSite, account.Policy{}, httpapi.Options{NoCORS: off})
		w, _ := ask(t, h, "GET", "/v2/nothing", "")
		want := "*"
		if off {
			want = ""
		}
		if got := w.Header().Get("Access-Control-Allow-Origin"); got != want {
			t.Errorf("NoCORS %v: Access-Control-Allow-Origin %q, want %q", off, got, want)
		}
		if w.Header().Get("Access-Control-Allow-Credentials") != "" {
			t.Error("credentials are allowed")
		}
		if got := w.Header().Get("Content-Type"); got != "application/json; charset=utf-8" {
			t.Errorf("Content-Type %q", got)
		}
	}
}

func TestUnlimitedPolicy(t *testing.T) {
	h, _ := newHandler(t, oneSite, account.Policy{MaxPages: curlew.Unlimited, MaxQueuedPages: curlew.Unlimited}, httpapi.Options{})
	if w, body := ask(t, h, "POST", "/v2/crawl", `{"url":"http://a.test/","limit":2}`); w.Code != http.StatusOK {
		t.Errorf("%d %s", w.Code, body)
	}
}

func TestBlocklist(t *testing.T) {
	list := []string{"Bad.test", ".dot.test", "end.test.", " space.test ", "Bücher.test", "xn--mller-kva.test", "192.0.2.1", "", ".", "a b"}
	h, _ := newHandler(t, oneSite, account.Policy{Blocklist: list}, httpapi.Options{})
	for _, test := range []struct {
		url     string
		blocked bool
	}{
		{"http://bad.test/", true},
		{"http://www.BAD.test/x", true},
		{"http://dot.test/", true},
		{"http://a.dot.test/", true},
		{"http://end.test/", true},
		{"http://end.test./", true},
		{"http://space.test/", true},
		{"http://bücher.test/", true},
		{"http://xn--bcher-kva.test/", true},
		{"http://müller.test/", true},
		{"http://192.0.2.1:8080/", true},
		{"http://notbad.test/", false},
		{"http://a.test/", false},
	} {
		w, body := ask(t, h, "POST", "/v2/scrape", `{"url":"`+test.url+`"}`)
		if blocked := w.Code == http.StatusForbidden && strings.Contains(body, "rule: blocklist "); blocked != test.blocked {
			t.Errorf("%s: %d %s; want blocked %v", test.url, w.Code, body, test.blocked)
		}
	}
}

func TestStaticKeys(t *testing.T) {
	auth := httpapi.StaticKeys(map[string]account.Team{
		"fc-one": {ID: "1"}, "two": {ID: "2"}, "": {ID: "none"}, "fc-": {ID: "none"}, strings.Repeat("k", 257): {ID: "long"},
	})
	for key, want := range map[string]string{
		"fc-one": "1", "one": "1", "two": "2", "fc-two": "2",
		"": "", "fc-": "", "fc-fc-one": "", "One": "", "ones": "", strings.Repeat("k", 257): "", "fc-" + strings.Repeat("k", 254): "",
	} {
		team, err := auth(nil, key)
		if team.ID != want || errors.Is(err, account.ErrKey) != (want == "") {
			t.Errorf("key %.20q: team %q, %v, want %q", key, team.ID, err, want)
		}
	}
}

// TestAuthenticator uses an Authenticator of the host, which may refuse
// requests for other reasons than the key.
func TestAuthenticator(t *testing.T) {
	auth := func(r *http.Request, key string) (account.Team, error) {
		switch key {
		case "suspended":
			return account.Team{}, fmt.Errorf("team is suspended: %w", account.ErrForbidden)
		case "broken":
			return account.Team{}, errors.New("database at 10.0.0.1 is down")
		}
		return account.Team{}, account.ErrKey
	}
	h, _ := newHandler(t, oneSite, account.Policy{}, httpapi.Options{Authenticator: auth})
	for key, want := range map[string]string{
		"suspended": `403 {"success":false,"error":"team is suspended: forbidden"}`,
		"broken":    `500 {"success":false,"code":"UNKNOWN_ERROR","error":"An unexpected error occurred on the server."}`,
		"unknown":   `401 {"success":false,"error":"Unauthorized: Invalid token"}`,
	} {
		w, body := ask(t, h, "GET", "/v2/crawl/active", "", "Authorization", "Bearer "+key)
		if got := fmt.Sprint(w.Code, " ", body); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	w, body := ask(t, h, "POST", "/v2/crawl", "{}", "Authorization", "Bearer broken")
	if want := `{"error":"An unexpected error occurred on the server."}`; w.Code != 500 || body != want {
		t.Errorf("POST /v2/crawl: %d %s, want 500 %s", w.Code, body, want)
	}
}

// TestTenancy requests every route with an id for jobs that are unknown, belong
// to another team or are of another kind. The answers must be identical.
func TestTenancy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, service := newHandler(t, oneSite, account.Policy{}, httpapi.Options{})
		ids := map[string]string{}
		for kind, body := range map[string]string{"crawl": `{"url":"a.test"}`, "batch/scrape": `{"urls":["a.test"]}`} {
			_, answer := ask(t, h, "POST", "/v2/"+kind, body)
			var started struct{ ID string }
			if err := json.Unmarshal([]byte(answer), &started); err != nil {
				t.Fatal(err)
			}
			ids[kind] = started.ID
		}
		synctest.Wait()
		const unknown = "0199d7a4-0000-7000-8000-000000000000"
		for _, route := range []struct{ method, kind, suffix string }{
			{"GET", "crawl", ""},
			{"DELETE", "crawl", ""},
			{"GET", "crawl", "/errors"},
			{"GET", "batch/scrape", ""},
			{"DELETE", "batch/scrape", ""},
			{"GET", "batch/scrape", "/errors"},
		} {
			other := map[string]string{"crawl": "batch/scrape", "batch/scrape": "crawl"}[route.kind]
			for _, test := range []struct {
				name, id, key string
				want          int
			}{
				{"own", ids[route.kind], "fc-test", map[string]int{"GET": 200, "DELETE": 409}[route.method]},
				{"foreign", ids[route.kind], "fc-other", 404},
				{"unknown", unknown, "fc-test", 404},
				{"of another kind", ids[other], "fc-test", 404},
				{"malformed", "x", "fc-test", 400},
			} {
				w, body := ask(t, h, route.method, "/v2/"+route.kind+"/"+test.id+route.suffix, "", "Authorization", "Bearer "+test.key)
				if w.Code != test.want {
					t.Errorf("%s %s%s, %s: %d %s, want %d", route.method, route.kind, route.suffix, test.name, w.Code, body, test.want)
				}
				if want := `{"success":false,"error":"Job not found"}`; test.want == 404 && body != want {
					t.Errorf("%s %s%s, %s: %s, want %s", route.method, route.kind, route.suffix, test.name, body, want)
				}
			}
		}
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestWalk follows next through a crawl of 250 pages, during and after the
// crawl. Each page occurs once, in a fixed order, and the last answer has no
// next.
func TestWalk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site strings.Builder
		site.WriteString("-- http://a.test/ --\n<body>")
		for i := range 249 {
			fmt.Fprintf(&site, "<a href=\"/%d\">x</a>", i)
		}
		site.WriteString("</body>\n")
		for i := range 249 {
			fmt.Fprintf(&site, "-- http://a.test/%d --\nHTTP 200\nContent-Type: text/html\nX-Latency: %dms\n\n<p>%d</p>\n", i, 100+i*7%50, i)
		}
		h, service := newHandler(t, site.String(), account.Policy{}, httpapi.Options{})
		_, answer := ask(t, h, "POST", "/v2/crawl", `{"url":"a.test","sitemap":"skip"}`)
		var started struct{ ID, URL string }
		if err := json.Unmarshal([]byte(answer), &started); err != nil {
			t.Fatal(err)
		}
		type page struct {
			Status           string
			Completed, Total int
			Next             *string
			Data             []struct{ Metadata struct{ URL string } }
		}
		read := func(url string) (p page) {
			t.Helper()
			w, body := ask(t, h, "GET", strings.TrimPrefix(url, "http://example.com"), "")
			if err := json.Unmarshal([]byte(body), &p); err != nil || w.Code != 200 {
				t.Fatalf("%d %s", w.Code, body)
			}
			return p
		}
		var running []string
		for at := started.URL + "?limit=7"; ; {
			p := read(at)
			if p.Completed > p.Total || p.Total > 250 {
				t.Fatalf("%d of %d", p.Completed, p.Total)
			}
			for _, d := range p.Data {
				running = append(running, d.Metadata.URL)
			}
			switch {
			case p.Next != nil:
				at = *p.Next
				continue
			case p.Status == "scraping":
				at = fmt.Sprintf("%s?skip=%d&limit=7", started.URL, len(running))
				time.Sleep(200 * time.Millisecond)
				continue
			case p.Completed != p.Total || p.Total != 250:
				t.Errorf("ended with %d of %d", p.Completed, p.Total)
			}
			break
		}
		var ended []string
		for at := &started.URL; at != nil; {
			p := read(*at)
			for _, d := range p.Data {
				ended = append(ended, d.Metadata.URL)
			}
			at = p.Next
		}
		seen := map[string]bool{}
		for _, url := range ended {
			seen[url] = true
		}
		if len(seen) != 250 || len(ended) != 250 || strings.Join(running, " ") != strings.Join(ended, " ") {
			t.Errorf("%d different pages of %d; while running %d", len(seen), len(ended), len(running))
		}
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestSlots uses a team that may work on one page at a time.
func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const web = "-- http://a.test/ --\nHTTP 200\nX-Latency: 3s\n\n<p>x</p>\n"
		h, _ := newHandler(t, web, account.Policy{MaxConcurrency: 1}, httpapi.Options{})
		type document struct {
			Data struct {
				Metadata struct {
					ConcurrencyLimited         *bool
					ConcurrencyQueueDurationMs *int
				}
			}
		}
		answers := make(chan document)
		scrape := func() {
			var d document
			_, body := ask(t, h, "POST", "/v2/scrape", `{"url":"a.test"}`)
			if err := json.Unmarshal([]byte(body), &d); err != nil {
				t.Error(err)
			}
			answers <- d
		}
		go scrape()
		synctest.Wait()
		go scrape()
		synctest.Wait()
		if _, body := ask(t, h, "GET", "/v2/concurrency-check", ""); body != `{"success":true,"concurrency":1,"maxConcurrency":1}` {
			t.Error(body)
		}
		// A client that leaves while it waits must not occupy a slot.
		ctx, leave := context.WithCancel(t.Context())
		go func() {
			r := httptest.NewRequestWithContext(ctx, "POST", "/v2/scrape", strings.NewReader(`{"url":"a.test"}`))
			r.Header.Set("Authorization", "Bearer fc-test")
			h.ServeHTTP(httptest.NewRecorder(), r)
		}()
		synctest.Wait()
		leave()
		first, second := (<-answers).Data.Metadata, (<-answers).Data.Metadata
		if first.ConcurrencyLimited == nil || *first.ConcurrencyLimited || first.ConcurrencyQueueDurationMs != nil {
			t.Errorf("the first: %+v", first)
		}
		if second.ConcurrencyLimited == nil || !*second.ConcurrencyLimited || second.ConcurrencyQueueDurationMs == nil || *second.ConcurrencyQueueDurationMs != 3000 {
			t.Errorf("the second: %+v", second)
		}
		if _, body := ask(t, h, "GET", "/v2/concurrency-check", ""); body != `{"success":true,"concurrency":0,"maxConcurrency":1}` {
			t.Error(body)
		}
	})
}

// TestReplayWaits sends the same request twice at once. The second waits for
// the first and gets its answer.
func TestReplayWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := slowCredits{new(account.Ledger)}
		h, err := httpapi.NewHandler(&curlew.Service{Fetcher: fetchtest.New(t, []byte(oneSite)), Credits: slow}, &httpapi.Options{InsecureNoAuth: true})
		if err != nil {
			t.Fatal(err)
		}
		type answered struct{ replayed, body string }
		answers := make(chan answered)
		for range 2 {
			go func() {
				w, body := ask(t, h, "POST", "/v2/crawl", `{"url":"a.test"}`, "X-Idempotency-Key", "k")
				answers <- answered{w.Header().Get("Idempotent-Replayed"), body}
			}()
		}
		a, b := <-answers, <-answers
		if a.body != b.body || a.replayed+b.replayed != "true" {
			t.Errorf("%v, %v", a, b)
		}
	})
}

// slowCredits is a Ledger whose reservations take a second.
type slowCredits struct{ *account.Ledger }

func (s slowCredits) Reserve(ctx context.Context, team, op string, least, want int) (int, error) {
	time.Sleep(time.Second)
	return s.Ledger.Reserve(ctx, team, op, least, want)
}

func TestShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, service := newHandler(t, slowSite, account.Policy{}, httpapi.Options{})
		_, answer := ask(t, h, "POST", "/v2/crawl", `{"url":"a.test","sitemap":"skip"}`)
		var started struct{ ID string }
		if err := json.Unmarshal([]byte(answer), &started); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		w, body := ask(t, h, "POST", "/v2/crawl", `{"url":"a.test"}`)
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" {
			t.Errorf("after the end: %d %s", w.Code, body)
		}
		if w, body := ask(t, h, "GET", "/v2/crawl/"+started.ID, ""); w.Code != http.StatusOK || !strings.Contains(body, `"status":"scraping"`) {
			t.Errorf("what was done: %d %s", w.Code, body)
		}
	})
}

// TestPanic uses a Fetcher that panics. The request fails, the handler
// continues, and only the log contains the stack.
func TestPanic(t *testing.T) {
	var log bytes.Buffer
	h, err := httpapi.NewHandler(&curlew.Service{Fetcher: panicking{}}, &httpapi.Options{
		InsecureNoAuth: true, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	w, body := ask(t, h, "POST", "/v2/scrape", `{"url":"a.test"}`)
	if want := `{"success":false,"code":"UNKNOWN_ERROR","error":"An unexpected error occurred on the server."}`; w.Code != 500 || body != want {
		t.Errorf("%d %s, want 500 %s", w.Code, body, want)
	}
	if !strings.Contains(log.String(), "so it goes") {
		t.Errorf("the log says %q", log.String())
	}
	if w, _ := ask(t, h, "GET", "/v2/concurrency-check", ""); !strings.Contains(w.Body.String(), `"concurrency":0`) {
		t.Error("the panic kept its slot")
	}
}

// TestPageHeaders checks that a header for page requests is either refused with
// the request or can be used in a fetch. None is accepted and then makes every
// fetch fail.
func TestPageHeaders(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<p>Page.</p>") }))
	defer site.Close()
	client := &fetch.Client{Allow: netguard.Private, Ports: []int{-1}}
	defer client.CloseIdleConnections()
	h, err := httpapi.NewHandler(&curlew.Service{Fetcher: client, LocalNames: true}, &httpapi.Options{InsecureNoAuth: true})
	if err != nil {
		t.Fatal(err)
	}
	taken := map[string]bool{
		"Accept": true, "Accept-Charset": true, "Accept-Encoding": true, "Accept-Language": true, "Authorization": true,
		"Cache-Control": true, "Content-Encoding": true, "Content-Type": true, "Cookie": true, "DNT": true, "Date": true,
		"From": true, "If-Match": true, "If-Modified-Since": true, "If-None-Match": true, "If-Range": true, "Max-Forwards": true,
		"Origin": true, "Pragma": true, "Prefer": true, "Range": true, "Referer": true, "Sec-Fetch-Mode": true,
		"Upgrade-Insecure-Requests": true, "User-Agent": true, "Via": true, "X-Anything": true, "X-Real-IP": true,
		"Connection": false, "Content-Length": false, "Expect": false, "Forwarded": false, "HTTP2-Settings": false, "Host": false,
		"Keep-Alive": false, "Proxy-Authorization": false, "Proxy-Connection": false, "TE": false, "Trailer": false,
		"Transfer-Encoding": false, "Upgrade": false, "X-Forwarded-For": false, "X-Forwarded-Host": false,
	}
	for name, ok := range taken {
		for _, spelt := range []string{name, strings.ToLower(name), strings.ToUpper(name)} {
			for _, value := range []string{"1", ""} {
				body := fmt.Sprintf(`{"url":%q,"headers":{%q:%q}}`, site.URL, spelt, value)
				w, answer := ask(t, h, "POST", "/v2/scrape", body)
				switch {
				case ok && (w.Code != http.StatusOK || !strings.Contains(answer, `"success":true`)):
					t.Errorf("%s: %q is taken, and then the page fails: %d %s", spelt, value, w.Code, answer)
				case !ok && (w.Code != http.StatusBadRequest || !strings.Contains(answer, "cannot be set")):
					t.Errorf("%s: %q is not refused: %d %s", spelt, value, w.Code, answer)
				}
			}
		}
	}
}
