// SPDX-License-Identifier: Apache-2.0

package promcurlew_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"example.com/curlew/fetch"
	"example.com/curlew/observe/promcurlew"
)

// TestProxies fetches through a proxy that refuses connections until it is out, and then
// directly.
func TestProxies(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("text")) }))
	defer site.Close()
	dead := "http://user:s3cret@127.0.0.1:1"
	local := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	pool := fetch.NewPool(&fetch.Client{Allow: local, Ports: []int{-1}}, []fetch.Proxy{{URL: dead, Teams: []string{"a"}}, {Teams: []string{"b"}}}, nil)
	defer pool.CloseIdleConnections()
	for range 4 { // the proxy is out after three failures
		if _, err := pool.Fetch(fetch.WithTeam(t.Context(), "a"), &fetch.Request{URL: site.URL}); err == nil {
			t.Fatal("a fetch through a proxy that does not exist")
		}
	}
	if _, err := pool.Fetch(fetch.WithTeam(t.Context(), "b"), &fetch.Request{URL: site.URL}); err != nil {
		t.Fatal(err)
	}
	want := `
# HELP curlew_proxy_failures_total Fetches that failed because of the proxy.
# TYPE curlew_proxy_failures_total counter
curlew_proxy_failures_total{proxy="1 (127.0.0.1:1)"} 3
curlew_proxy_failures_total{proxy="2 (direct)"} 0
# HELP curlew_proxy_fetches_total Fetches through a proxy that have ended.
# TYPE curlew_proxy_fetches_total counter
curlew_proxy_fetches_total{proxy="1 (127.0.0.1:1)"} 3
curlew_proxy_fetches_total{proxy="2 (direct)"} 1
# HELP curlew_proxy_healthy 1 if the proxy is in use, 0 while it is out of order.
# TYPE curlew_proxy_healthy gauge
curlew_proxy_healthy{proxy="1 (127.0.0.1:1)"} 0
curlew_proxy_healthy{proxy="2 (direct)"} 1
`
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(promcurlew.Proxies(pool))
	w := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody))
	if got := w.Body.String(); got != strings.TrimPrefix(want, "\n") {
		t.Errorf("%s", got)
	}
}
