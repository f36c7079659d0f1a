// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"example.com/curlew"
	"example.com/curlew/httpapi"
	"example.com/curlew/job"
)

// TestDiskFree uses a disk with too little free space. No job is accepted, all
// other requests are served, and /readyz gives the reason.
func TestDiskFree(t *testing.T) {
	service := &curlew.Service{
		Fetcher: fakeWeb{"http://a.test/": "<title>A</title><p>Hello.</p>"},
		Limits:  curlew.Limits{DiskFree: math.MaxInt64, Dirs: []string{t.TempDir()}},
	}
	h, err := httpapi.NewHandler(service, &httpapi.Options{InsecureNoAuth: true})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"success":false,"code":"SERVICE_BUSY","error":"The server is short of disk space. Please try again later."}`
	for path, body := range map[string]string{
		"/v2/crawl":        `{"url":"http://a.test/"}`,
		"/v2/batch/scrape": `{"urls":["http://a.test/"]}`,
	} {
		w, answer := ask(t, h, "POST", path, body)
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || answer != want {
			t.Errorf("%s: %d, Retry-After %q, %s", path, w.Code, w.Header().Get("Retry-After"), answer)
		}
	}
	if w, answer := ask(t, h, "POST", "/v2/scrape", `{"url":"http://a.test/"}`); w.Code != http.StatusOK {
		t.Errorf("scrape: %d %s", w.Code, answer)
	}
	w := httptest.NewRecorder()
	httpapi.Health(service).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/readyz", nil))
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "disk space") {
		t.Errorf("readyz: %d %s", w.Code, w.Body)
	}
	if err := service.Shutdown(t.Context()); err != nil && !errors.Is(err, curlew.ErrBusy) {
		t.Error(err)
	}
}

// TestStorageGone checks that a server whose directory was removed says so, because its
// storage may come back.
func TestStorageGone(t *testing.T) {
	dir := t.TempDir()
	store, err := job.OpenFiles(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	service := &curlew.Service{Fetcher: fakeWeb{"http://a.test/": "x"}, Store: store}
	h, err := httpapi.NewHandler(service, &httpapi.Options{InsecureNoAuth: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Skipf("an open directory cannot be removed on this system: %v", err)
	}
	const want = `{"success":false,"code":"SERVICE_BUSY","error":"The server cannot read or write its storage at the moment. Please try again later."}`
	for path, body := range map[string]string{"/v2/crawl": `{"url":"http://a.test/"}`, "/v2/batch/scrape": `{"urls":["http://a.test/"]}`} {
		w, answer := ask(t, h, "POST", path, body)
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || answer != want {
			t.Errorf("%s: %d, Retry-After %q, %s", path, w.Code, w.Header().Get("Retry-After"), answer)
		}
	}
	if err := service.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
