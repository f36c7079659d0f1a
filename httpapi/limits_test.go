// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/curlew"
	"example.com/curlew/httpapi"
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
