// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew"
	"example.com/curlew/fetch"
	"example.com/curlew/httpapi"
)

// stubborn is a fakeWeb whose pages take two seconds, even if the context is
// cancelled.
type stubborn struct{ fakeWeb }

func (s stubborn) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	time.Sleep(2 * time.Second)
	return s.fakeWeb.Fetch(ctx, r)
}

// TestShutdownWork shuts down a Service while a job runs. New work of every
// kind is refused with 503 and Retry-After, existing results can be read, and a
// page in progress is finished.
func TestShutdownWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := &curlew.Service{Fetcher: stubborn{fakeWeb{"http://a.test/": "<title>A</title><p>Hello.</p>"}}}
		h, err := httpapi.NewHandler(service, &httpapi.Options{InsecureNoAuth: true})
		if err != nil {
			t.Fatal(err)
		}
		w, started := ask(t, h, "POST", "/v2/batch/scrape", `{"urls":["http://a.test/"]}`)
		if w.Code != http.StatusOK {
			t.Fatal(started)
		}
		synctest.Wait()
		down := make(chan error, 1)
		go func() { down <- service.Shutdown(t.Context()) }()
		synctest.Wait()
		for path, body := range map[string]string{
			"/v2/crawl":                `{"url":"http://a.test/"}`,
			"/v2/crawl/params-preview": `{"url":"http://a.test/","prompt":"all"}`,
			"/v2/batch/scrape":         `{"urls":["http://a.test/"]}`,
			"/v2/scrape":               `{"url":"http://a.test/"}`,
			"/v2/map":                  `{"url":"http://a.test/"}`,
			"/v2/agent":                `{"prompt":"who?"}`,
			"/v2/parse":                "--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nHello.\r\n--b--\r\n",
			"/v2/parse/upload-url":     `{"filename":"a.txt"}`,
		} {
			media := "application/json"
			if strings.HasPrefix(body, "--") {
				media = "multipart/form-data; boundary=b"
			}
			w, answer := ask(t, h, "POST", path, body, "Content-Type", media)
			const want = `{"success":false,"error":"The server is shutting down."}`
			if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || answer != want {
				t.Errorf("%s: %d, Retry-After %q, %s", path, w.Code, w.Header().Get("Retry-After"), answer)
			}
		}
		for _, path := range []string{"/v2/crawl/active", "/v2/team/queue-status"} {
			if w, answer := ask(t, h, "GET", path, ""); w.Code != http.StatusOK {
				t.Errorf("%s: %d %s", path, w.Code, answer)
			}
		}
		select {
		case err := <-down:
			t.Errorf("the service is down while a page is under way: %v", err)
		default:
		}
		if err := <-down; err != nil {
			t.Error(err)
		}
		w = httptest.NewRecorder()
		httpapi.Health(service).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/readyz", nil))
		if w.Code != http.StatusServiceUnavailable {
			t.Errorf("readyz answers %d", w.Code)
		}
	})
}

// TestShutdownProcess sends SIGTERM several times to a server during a crawl.
// It exits without an error, and the next process continues the crawl.
func TestShutdownProcess(t *testing.T) {
	site := &killSite{n: 300, seed: 7, asked: map[string]int{}}
	web := httptest.NewServer(site)
	defer web.Close()
	k := &killed{t: t, dir: t.TempDir(), client: &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}}
	defer func() { k.kill() }()
	crawl := new(crawlSeen)
	const stops = 3
	for stop := range stops {
		k.start()
		k.serves()
		if stop == 0 {
			k.ask("POST", "/v2/crawl", fmt.Sprintf(`{"url":%q,"maxConcurrency":%d}`, web.URL, killWorkers), &struct{ ID *string }{&crawl.id})
		}
		for before := len(crawl.docs); len(crawl.docs) < before+20 && !crawl.done; { // until the crawl has made progress
			time.Sleep(5 * time.Millisecond)
			k.look(crawl, false)
		}
		begun := time.Now()
		if err := k.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		for range k.line {
		}
		if err := k.cmd.Wait(); err != nil { // also if it stopped waiting for its work
			t.Fatalf("stop %d: %v", stop, err)
		}
		k.client.CloseIdleConnections()
		t.Logf("stopped with %d pages after %v", len(crawl.docs), time.Since(begun).Round(time.Millisecond))
	}
	k.start()
	k.serves()
	for !crawl.done {
		time.Sleep(10 * time.Millisecond)
		k.look(crawl, false)
	}
	k.judge(crawl, site)
	if got := site.repeated(); got > stops*killWorkers {
		t.Errorf("%d requests were made twice; want at most %d", got, stops*killWorkers)
	}
}
