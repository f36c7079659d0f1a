// SPDX-License-Identifier: Apache-2.0

package otelcurlew_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"example.com/curlew"
	"example.com/curlew/fetch"
	"example.com/curlew/httpapi"
	"example.com/curlew/observe/otelcurlew"
)

// page is a web of one page.
type page struct{}

func (page) Fetch(_ context.Context, r *fetch.Request) (*fetch.Response, error) {
	header := http.Header{"Content-Type": {"text/html"}}
	return &fetch.Response{URL: r.URL, Status: http.StatusOK, Header: header, Body: []byte("<p>Hello.</p>")}, nil
}

// Trace requests with an SDK. The exporter of this example keeps spans in
// memory.
func Example() {
	spans := tracetest.NewInMemoryExporter()
	tracer := &otelcurlew.Tracer{Provider: trace.NewTracerProvider(trace.WithSyncer(spans))}
	service := &curlew.Service{Fetcher: page{}, Trace: tracer.Trace()}
	handler, err := httpapi.NewHandler(service, &httpapi.Options{InsecureNoAuth: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequestWithContext(context.Background(), "POST", "/v2/scrape", strings.NewReader(`{"url":"https://example.com/"}`)))
	for _, s := range spans.GetSpans() { // in the order of their ends
		fmt.Println(s.Name)
	}
	// Output:
	// page scrape
	// POST /v2/scrape
}
