// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/fetch"
	"example.com/curlew/httpapi"
	"example.com/curlew/internal/test/webtest"
	"example.com/curlew/job"
)

// drip sends text at one byte per second until it is sent or the connection is
// closed.
func drip(c net.Conn, text string) {
	for i := range len(text) {
		if _, err := c.Write([]byte{text[i]}); err != nil {
			return
		}
		time.Sleep(time.Second)
	}
}

// TestSlowClient uses clients that send one byte per second in each part of a
// request. All are disconnected, and none delays another client.
func TestSlowClient(t *testing.T) {
	const (
		head   = "POST %s HTTP/1.1\r\nHost: api.test\r\nAuthorization: Bearer fc-test\r\nContent-Type: %s\r\nContent-Length: 100000\r\n\r\n"
		part   = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n"
		endure = 100_000
	)
	for _, test := range []struct{ name, fast, slow string }{
		{"request line", "", "GET /v2/crawl/active HTTP/1.1\r\n" + strings.Repeat("X: y\r\n", endure)},
		{"headers", "GET /v2/crawl/active HTTP/1.1\r\nHost: api.test\r\n", strings.Repeat("X: y\r\n", endure)},
		{"JSON", fmt.Sprintf(head, "/v2/crawl", "application/json"), `{"url":"` + strings.Repeat("a", endure)},
		{"JSON without a key", "POST /v2/crawl HTTP/1.1\r\nHost: api.test\r\nContent-Length: 100000\r\n\r\n", strings.Repeat(" ", endure)},
		{"upload's headers", fmt.Sprintf(head, "/v2/parse", "multipart/form-data; boundary=b"), part + strings.Repeat("a", endure)},
		{"upload's file", fmt.Sprintf(head, "/v2/parse", "multipart/form-data; boundary=b") + part, strings.Repeat("a", endure)},
		{"upload's end", fmt.Sprintf(head, "/v2/parse", "multipart/form-data; boundary=b") + part + "Hello.\r\n--b--\r\n", strings.Repeat("a", endure)},
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
				var over sync.WaitGroup
				over.Go(func() { io.Copy(io.Discard, conn) })
				over.Go(func() {
					if _, err := io.WriteString(conn, test.fast); err == nil {
						drip(conn, test.slow)
					}
				})
				time.Sleep(5 * time.Second)
				if status := s.do("POST", "/v2/scrape", `{"url":"http://a.test/"}`, new(any)); status != http.StatusOK {
					t.Errorf("another client: %d", status)
				}
				start := time.Now()
				over.Wait()
				if d := time.Since(start); d > time.Hour { // synctest time
					t.Errorf("it went on for %v", d)
				}
			})
		})
	}
}

// TestSlowReader requests a large answer and does not read it. That client is
// disconnected. A client that reads slowly but steadily gets the whole answer.
func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, "-- http://a.test/ --\n<title>A</title><p>"+strings.Repeat("Hello. ", 1_000_000)+"</p>\n", account.Policy{})
		defer s.close()
		send := func() net.Conn {
			conn, err := s.net.Dial(t.Context(), "tcp", "api.test:80")
			if err != nil {
				t.Fatal(err)
			}
			const body = `{"url":"http://a.test/"}`
			fmt.Fprintf(conn, "POST /v2/scrape HTTP/1.1\r\nHost: api.test\r\nAuthorization: Bearer fc-test\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
			return conn
		}
		conn := send()
		defer conn.Close()
		if n, err := io.ReadFull(conn, make([]byte, 1000)); err != nil {
			t.Fatal(n, err)
		}
		time.Sleep(30 * time.Second)
		if n, err := io.Copy(io.Discard, conn); n > 64<<10 || err != nil {
			t.Errorf("%d bytes still come after half a minute, %v", n, err)
		}

		conn = send()
		defer conn.Close()
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var n int64
		for err == nil {
			time.Sleep(time.Second)
			var more int64
			more, err = io.CopyN(io.Discard, resp.Body, 32<<10)
			n += more
		}
		if n != resp.ContentLength || !errors.Is(err, io.EOF) {
			t.Errorf("%d of %d bytes, %v", n, resp.ContentLength, err)
		}
		// The deadline of this answer must not apply to the next one.
		time.Sleep(time.Hour / 60 / 2)
		fmt.Fprint(conn, "GET /v2/crawl/active HTTP/1.1\r\nHost: api.test\r\nAuthorization: Bearer fc-test\r\n\r\n")
		if resp, err = http.ReadResponse(bufio.NewReader(conn), nil); err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err = io.Copy(io.Discard, resp.Body); resp.StatusCode != 200 || err != nil {
			t.Error(resp.StatusCode, err)
		}
	})
}

// TestIdleConnections keeps connections open after one request each, and serves
// another client.
func TestIdleConnections(t *testing.T) {
	const n = 10_000
	h, service := newHandler(t, oneSite, account.Policy{}, httpapi.Options{})
	web := webtest.Serve(h)
	ask := func() (net.Conn, error) {
		conn, err := web.Dial(t.Context(), "tcp", "api.test:80")
		if err != nil {
			return nil, err
		}
		if _, err := io.WriteString(conn, "GET /v2/concurrency-check HTTP/1.1\r\nHost: api.test\r\nAuthorization: Bearer fc-test\r\n\r\n"); err != nil {
			return conn, err
		}
		resp, err := http.ReadResponse(bufio.NewReaderSize(conn, 512), nil)
		if err != nil {
			return conn, err
		}
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		if resp.StatusCode != http.StatusOK {
			err = fmt.Errorf("status %d", resp.StatusCode)
		}
		return conn, err
	}
	before := inUse()
	conns := make([]net.Conn, n)
	inParallel(16, n, func(i int) {
		var err error
		if conns[i], err = ask(); err != nil {
			t.Error(i, err)
		}
	})
	after := inUse()
	t.Logf("%d idle connections: %d bytes of heap and stacks each, both ends", n, (after-before)/n)
	conn, err := ask()
	if err != nil {
		t.Error(err)
	}
	for _, c := range append(conns, conn) {
		if c != nil {
			c.Close()
		}
	}
	web.Close()
	if err := service.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// inUse returns the bytes of heap and stacks in use.
func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// held is a body that waits for release after its last byte.
type held struct {
	io.Reader
	all     func()
	release <-chan struct{}
	rest    io.Reader
}

func (h *held) Read(p []byte) (int, error) {
	if n, err := h.Reader.Read(p); n > 0 || err == nil {
		return n, nil
	}
	if h.all != nil {
		h.all()
		h.all = nil
	}
	<-h.release
	return h.rest.Read(p)
}

// TestUploadFlood starts more uploads at once than the server accepts. Those in
// progress are limited and on disk, the others are told to retry, and all
// resources are released.
func TestUploadFlood(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	h, service := newHandler(t, oneSite, account.Policy{}, httpapi.Options{})
	const (
		most, size = 16 << 20, 3 << 20
		n          = 24
	)
	h.MaxUploads(most)
	send := func(body io.Reader) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/v2/parse", body)
		r.Header.Set("Authorization", "Bearer fc-test")
		r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	const (
		begin = "--b\r\nContent-Disposition: form-data; name=\"options\"\r\n\r\n{\"formats\":[],\"timeout\":300000}\r\n" +
			"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n"
		end = "\r\n--b--\r\n"
	)
	var wg sync.WaitGroup
	var settled sync.WaitGroup // all uploads have arrived or been refused
	settled.Add(n)
	release := make(chan struct{})
	var taken, refused atomic.Int32
	for range n {
		wg.Go(func() {
			var once sync.Once
			told := func() { once.Do(settled.Done) }
			w := send(&held{Reader: io.MultiReader(strings.NewReader(begin), &repeated{n: size}), all: told, release: release, rest: strings.NewReader(end)})
			told()
			switch {
			case w.Code == http.StatusOK:
				taken.Add(1)
			case w.Code == http.StatusTooManyRequests && w.Header().Get("Retry-After") != "" && w.Header().Get("Connection") == "close":
				refused.Add(1)
			default:
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
	settled.Wait()
	if used := h.Uploading(); used > most || used < size {
		t.Errorf("%d bytes are under way, want at most %d", used, most)
	}
	// Spooled files have no name, so nothing is left even after a crash.
	if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) > 0 && runtime.GOOS != "windows" {
		t.Errorf("files with names: %v", left)
	}
	close(release)
	wg.Wait()
	if taken.Load() == 0 || taken.Load() > most/size || taken.Load()+refused.Load() != n {
		t.Errorf("%d taken, %d refused; want %d at most taken", taken.Load(), refused.Load(), most/size)
	}
	if used := h.Uploading(); used != 0 {
		t.Errorf("%d bytes are not given back", used)
	}
	if w := send(io.MultiReader(strings.NewReader(begin), &repeated{n: size}, strings.NewReader(end))); w.Code != http.StatusOK {
		t.Errorf("after the flood: %d %s", w.Code, w.Body)
	}
	if err := service.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestMalformedMultipart sends invalid multipart bodies of many kinds.
func TestMalformedMultipart(t *testing.T) {
	h, _ := newHandler(t, oneSite, account.Policy{}, httpapi.Options{})
	const (
		form = "multipart/form-data; boundary=b"
		file = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nHello.\r\n"
		end  = "--b--\r\n"
	)
	for _, test := range []struct {
		name, media, body string
		want              int
	}{
		{"whole", form, file + end, 200},
		{"no boundary", "multipart/form-data", file + end, 400},
		{"empty boundary", `multipart/form-data; boundary=""`, file + end, 400},
		{"boundary too long", "multipart/form-data; boundary=" + strings.Repeat("b", 71), strings.ReplaceAll(file+end, "--b", "--"+strings.Repeat("b", 71)), 200}, // RFC 2046 allows 70; longer ones do no harm
		{"boundary twice", "multipart/form-data; boundary=b; boundary=c", file + end, 400},
		{"boundary with a line", "multipart/form-data; boundary=\"b\r\nb\"", file + end, 400},
		{"another type", "multipart/mixed; boundary=b", file + end, 400},
		{"no type", "", file + end, 400},
		{"broken type", "multipart/form-data; boundary", file + end, 400},
		{"nothing", form, "", 400},
		{"end alone", form, end, 400},
		{"no end", form, file, 400},
		{"preamble", form, "This is the preamble.\r\n" + file + end, 200},
		{"epilogue", form, file + end + "This is the epilogue.", 200},
		{"lines end in LF", form, strings.ReplaceAll(file+end, "\r\n", "\n"), 200},
		{"lines end in CR", form, strings.ReplaceAll(file+end, "\r\n", "\r"), 400},
		{"boundary without line", form, "--b" + strings.TrimPrefix(file, "--b\r\n") + end, 400},
		{"no headers", form, "--b\r\n\r\nHello.\r\n" + end, 400},
		{"no empty line", form, "--b\r\nContent-Disposition: form-data; name=\"file\"\r\nHello.\r\n" + end, 400},
		{"header without colon", form, "--b\r\nContent-Disposition form-data\r\n\r\nHello.\r\n" + end, 400},
		{"header with NUL", form, "--b\r\nContent-Disposition: form-data; name=\"fi\x00le\"\r\n\r\nHello.\r\n" + end, 400},
		{"header folded", form, "--b\r\nContent-Disposition: form-data;\r\n name=\"file\"\r\n\r\nHello.\r\n" + end, 200},
		{"header of 1 MiB", form, "--b\r\nX: " + strings.Repeat("y", 1<<20) + "\r\n\r\nHello.\r\n" + end, 400},
		{"a thousand headers", form, "--b\r\n" + fields(1000) + "Content-Disposition: form-data; name=\"file\"\r\n\r\nHello.\r\n" + end, 400},
		{"disposition twice", form, "--b\r\nContent-Disposition: form-data; name=\"x\"\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nHello.\r\n" + end, 400},
		{"disposition of another kind", form, "--b\r\nContent-Disposition: attachment; name=\"file\"\r\n\r\nHello.\r\n" + end, 400},
		{"disposition without name", form, "--b\r\nContent-Disposition: form-data\r\n\r\nHello.\r\n" + end, 400},
		{"name twice", form, "--b\r\nContent-Disposition: form-data; name=\"file\"; name=\"options\"\r\n\r\nHello.\r\n" + end, 400},
		{"file twice", form, file + file + end, 400},
		{"file empty", form, strings.Replace(file, "Hello.", "", 1) + end, 422},
		{"ten thousand parts", form, strings.Repeat("--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n\r\n", 10_000) + file + end, 400},
		{"nested", form, "--b\r\nContent-Disposition: form-data; name=\"file\"\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n\r\nHello.\r\n--c--\r\n\r\n" + end, 400}, // multipart is not a supported kind of document
		{"quoted-printable", form, "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nHello=\r\n.\r\n" + end, 400},
		{"options no JSON", form, "--b\r\nContent-Disposition: form-data; name=\"options\"\r\n\r\n{\r\n" + file + end, 400},
		{"options with a name twice", form, "--b\r\nContent-Disposition: form-data; name=\"options\"\r\n\r\n{\"formats\":[],\"formats\":[]}\r\n" + file + end, 400},
		{"options too deep", form, "--b\r\nContent-Disposition: form-data; name=\"options\"\r\n\r\n" + strings.Repeat("[", 65) + strings.Repeat("]", 65) + "\r\n" + file + end, 400},
	} {
		w, answer := ask(t, h, "POST", "/v2/parse", test.body, "Content-Type", test.media)
		if w.Code != test.want || !json.Valid([]byte(answer)) {
			t.Errorf("%s: %d %.200s, want %d", test.name, w.Code, answer, test.want)
		}
		if w.Code != http.StatusOK && !strings.Contains(answer, `"success":false`) {
			t.Errorf("%s: %s", test.name, answer)
		}
		if used := h.Uploading(); used != 0 {
			t.Fatalf("%s: %d bytes are not given back", test.name, used)
		}
	}
}

// TestHostileJSON sends invalid or excessive JSON to every route that reads
// JSON.
func TestHostileJSON(t *testing.T) {
	h, service := newHandler(t, oneSite, account.Policy{}, httpapi.Options{})
	bodies := map[string]string{
		"nothing":               "",
		"no object":             `[]`,
		"null":                  `null`,
		"deep lists":            `{"url":"http://a.test/","x":` + strings.Repeat("[", 1_000_000),
		"deep lists that close": `{"x":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`,
		"deep objects":          strings.Repeat(`{"x":`, 200_000) + "1" + strings.Repeat("}", 200_000),
		"depth 65":              strings.Repeat(`{"x":`, 65) + "1" + strings.Repeat("}", 65),
		"a name twice":          `{"url":"http://a.test/","url":"http://b.test/"}`,
		"a name twice, escaped": `{"url":"http://a.test/","\u0075rl":"http://b.test/"}`,
		"a name twice below":    `{"url":"http://a.test/","x":{"a":1,"a":1}}`,
		"many values":           `{"x":[` + strings.Repeat("1,", 200_000) + `1]}`,
		"many names":            "{" + manyNames(100_001) + "}",
		"a long number":         `{"limit":1` + strings.Repeat("0", 1_000_000) + `}`,
		"no number":             `{"limit":01}`,
		"half a character":      `{"url":"\ud800"}`,
		"bad UTF-8":             "{\"url\":\"\xff\"}",
		"control":               "{\"url\":\"\x01\"}",
		"more behind":           `{"url":"http://a.test/"}{}`,
		"cut":                   `{"url":"http://a.test/`,
		"byte order mark":       "\ufeff[]",
	}
	huge := `{"x":"` + strings.Repeat("a", 11<<20) + `"}`
	for _, path := range []string{
		"/v2/crawl", "/v2/crawl/params-preview", "/v2/batch/scrape", "/v2/scrape", "/v2/map", "/v2/agent", "/v2/parse/upload-url", "/v2/parse",
	} {
		for name, body := range bodies {
			if name == "nothing" && path == "/v2/parse/upload-url" {
				continue // the route needs no body
			}
			if len(body) > 300_000 && path != "/v2/crawl" {
				continue // the same code reads the body of all routes
			}
			w, answer := ask(t, h, "POST", path, body, "Content-Type", "application/json")
			want := http.StatusBadRequest
			if strings.HasPrefix(name, "many ") {
				want = http.StatusRequestEntityTooLarge
			}
			if w.Code != want && w.Code != http.StatusNotImplemented || !json.Valid([]byte(answer)) {
				t.Errorf("%s, %s: %d %.200s, want %d", path, name, w.Code, answer, want)
			}
		}
		if w, answer := ask(t, h, "POST", path, huge, "Content-Type", "application/json"); w.Code != http.StatusRequestEntityTooLarge || !json.Valid([]byte(answer)) {
			t.Errorf("%s, huge: %d %.200s, want 413", path, w.Code, answer)
		}
	}
	if n := running(t.Context(), service); n != 0 {
		t.Errorf("%d jobs run", n)
	}
	if err := service.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// manyNames returns n members of a JSON object.
func manyNames(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"a%d":0,`, i)
	}
	return strings.TrimSuffix(b.String(), ",")
}

// gated is a Fetcher that answers once it is opened.
type gated struct {
	fakeWeb
	open chan struct{}
}

func (g *gated) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	select {
	case <-g.open:
		return g.fakeWeb.Fetch(ctx, r)
	case <-ctx.Done():
		return nil, &fetch.Error{URL: r.URL, Err: context.Cause(ctx)}
	}
}

// TestManyJobs runs a thousand jobs at once in memory. It also runs fewer jobs
// on disk and restarts the server while they run. Each job delivers its page
// once and is charged once.
func TestManyJobs(t *testing.T) {
	for _, test := range []struct {
		name string
		n    int
		dir  string // empty for jobs in memory
	}{
		{"memory", 1000, ""},
		{"restart", 50, t.TempDir()},
	} {
		t.Run(test.name, func(t *testing.T) {
			web := &gated{fakeWeb{"http://a.test/": "<title>A</title><p>Hello.</p>"}, make(chan struct{})}
			h, service, stop := serveJobs(t, web, test.dir)
			ids := make([]string, test.n)
			inParallel(16, test.n, func(i int) {
				w, answer := ask(t, h, "POST", "/v2/batch/scrape", `{"urls":["http://a.test/"]}`)
				var started struct{ ID string }
				if err := json.Unmarshal([]byte(answer), &started); err != nil || w.Code != http.StatusOK {
					t.Errorf("%d %s", w.Code, answer)
				}
				ids[i] = started.ID
			})
			if at := running(t.Context(), service); at != test.n {
				t.Errorf("%d jobs run, want %d", at, test.n)
			}
			if test.dir != "" {
				stop()
				h, service, stop = serveJobs(t, web, test.dir)
				if err := service.Resume(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			close(web.open)
			for running(t.Context(), service) > 0 {
				time.Sleep(50 * time.Millisecond)
			}
			for _, id := range ids {
				w, answer := ask(t, h, "GET", "/v2/batch/scrape/"+id, "")
				if !strings.Contains(answer, `"status":"completed","completed":1,"total":1,"creditsUsed":1,`) {
					t.Fatalf("%d %.300s", w.Code, answer)
				}
			}
			stop()
		})
	}
}

// serveJobs returns a handler that keeps its jobs in dir, and a function that
// stops it.
func serveJobs(t *testing.T, web fetch.Fetcher, dir string) (*httpapi.Handler, *curlew.Service, func()) {
	t.Helper()
	service := &curlew.Service{Fetcher: web}
	closed := func() error { return nil }
	if dir != "" {
		files, err := job.OpenFiles(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		service.Store, closed = files, files.Close
	}
	h, err := httpapi.NewHandler(service, &httpapi.Options{InsecureNoAuth: true})
	if err != nil {
		t.Fatal(err)
	}
	return h, service, func() {
		if err := errors.Join(service.Shutdown(t.Context()), closed()); err != nil {
			t.Fatal(err)
		}
	}
}
