// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHealth(t *testing.T) {
	ready := true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" || !ready {
			http.Error(w, "shutting down", http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	if code, out, said := call(t, "", "health", "--url", server.URL+"/"); code != 0 || out != "ready\n" {
		t.Errorf("exit %d: %q %q", code, out, said)
	}
	ready = false
	if code, _, said := call(t, "", "health", "--url", server.URL); code != exitBroken || !strings.Contains(said, "status 503: shutting down") {
		t.Errorf("exit %d: %q", code, said)
	}
	for _, args := range [][]string{{"health", "--url", "ftp://a"}, {"health", "x"}} {
		if code, _, _ := call(t, "", args...); code != exitUsage {
			t.Errorf("%v: exit %d", args, code)
		}
	}
	server.Close()
	if code, _, said := call(t, "", "health", "--url", server.URL); code != exitBroken || !strings.Contains(said, "does not answer") {
		t.Errorf("exit %d: %q", code, said)
	}
}
