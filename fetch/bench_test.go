// SPDX-License-Identifier: Apache-2.0

package fetch_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"example.com/curlew/fetch"
	"example.com/curlew/internal/netguard"
)

func BenchmarkFetch(b *testing.B) {
	page := prose(36_000)
	packed := encode(b, "gzip", page)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/gzip" {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(packed)
			return
		}
		_, _ = w.Write(page)
	}))
	b.Cleanup(s.Close)
	c := &fetch.Client{Allow: netguard.Private}
	b.Cleanup(c.CloseIdleConnections)
	for _, path := range []string{"/plain", "/gzip"} {
		b.Run(path[1:], func(b *testing.B) {
			b.SetBytes(int64(len(page)))
			b.ReportAllocs()
			for b.Loop() {
				r, err := c.Fetch(b.Context(), &fetch.Request{URL: s.URL + path})
				if err != nil || len(r.Body) != len(page) {
					b.Fatal(err)
				}
			}
		})
	}
}
