// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"net"
	"net/http"
	"strings"
	"testing"

	"example.com/curlew/job/postgres/pgtest"
)

// TestMetrics asks a server with a database for its metrics. The address of the API does not
// have them.
func TestMetrics(t *testing.T) {
	addr := unused(t)
	url, _ := started(t, nil, "-store", pgtest.Start(t, false).URL(t), "-api-key", "k", "-metrics-addr", addr)
	if code, answer := ask(t, http.MethodGet, url+"/v2/concurrency-check", "k", ""); code != http.StatusOK {
		t.Fatalf("%d %s", code, answer)
	}
	code, text := ask(t, http.MethodGet, "http://"+addr+"/metrics", "", "")
	for _, want := range []string{
		`curlew_requests_total{method="GET",route="/v2/concurrency-check",status="200"} 1`, "curlew_store_up 1\n", "curlew_store_processes 1\n", "curlew_hosts 0\n",
		"curlew_credits_spent_total 0\n", "# TYPE curlew_store_lease_seconds gauge\n", "curlew_store_task_oldest_seconds 0\n",
	} {
		if code != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("%d without %q:\n%s", code, want, text)
		}
	}
	for _, elsewhere := range []string{url + "/metrics", "http://" + addr + "/v2/crawl", "http://" + addr + "/"} {
		if code, answer := ask(t, http.MethodGet, elsewhere, "k", ""); code != http.StatusNotFound {
			t.Errorf("%s: %d %.100s", elsewhere, code, answer)
		}
	}
}

// TestMetricsMemory serves metrics without a database. An address that cannot be used is an
// error.
func TestMetricsMemory(t *testing.T) {
	addr := unused(t)
	_, _ = started(t, nil, "-metrics-addr", addr)
	code, text := ask(t, http.MethodGet, "http://"+addr+"/metrics", "", "")
	if code != http.StatusOK || strings.Contains(text, "curlew_store") || !strings.Contains(text, "curlew_hosts 0\n") || !strings.Contains(text, "curlew_credits_reserved 0\n") {
		t.Errorf("%d %s", code, text)
	}
	err := Run(t.Context(), []string{"-addr", "127.0.0.1:0", "-metrics-addr", addr}, func(string) string { return "" }, new(strings.Builder), new(strings.Builder))
	if err == nil || !strings.Contains(err.Error(), "-metrics-addr") {
		t.Errorf("an address that is in use: %v", err)
	}
}

// unused returns an address of this machine that nothing listens on.
func unused(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
