// SPDX-License-Identifier: Apache-2.0

package promcurlew_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"example.com/curlew"
	"example.com/curlew/fetch"
	"example.com/curlew/httpapi"
	"example.com/curlew/observe/promcurlew"
)

// page is a web of one page.
type page struct{}

func (page) Fetch(_ context.Context, r *fetch.Request) (*fetch.Response, error) {
	header := http.Header{"Content-Type": {"text/html"}}
	return &fetch.Response{URL: r.URL, Status: http.StatusOK, Header: header, Body: []byte("<p>Hello.</p>")}, nil
}

// Mount the metrics beside the API.
func Example() {
	var metrics promcurlew.Metrics
	service := &curlew.Service{Fetcher: page{}, Trace: metrics.Trace()}
	handler, err := httpapi.NewHandler(service, &httpapi.Options{InsecureNoAuth: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	mux.Handle("/v2/", handler)
	mux.Handle("GET /metrics", metrics.Handler())
	mux.Handle("GET /livez", httpapi.Health(service))
	mux.Handle("GET /readyz", httpapi.Health(service))

	ask := func(method, path, body string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequestWithContext(context.Background(), method, path, strings.NewReader(body)))
		return w
	}
	ask("POST", "/v2/scrape", `{"url":"https://example.com/"}`)
	for lines := bufio.NewScanner(ask("GET", "/metrics", "").Body); lines.Scan(); {
		if strings.Contains(lines.Text(), "s_total{") {
			fmt.Println(lines.Text())
		}
	}
	// Output:
	// curlew_pages_total{endpoint="scrape",outcome="ok"} 1
	// curlew_requests_total{method="POST",route="/v2/scrape",status="200"} 1
}
