// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/curlew"
	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// TestDemo checks that the demo page has content for every format.
func TestDemo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "formats.html")
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-o", file}, &out); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"markdown", "redactPII", "html", "rawHtml", "rawBase64", "links", "images", "attributes", "metadata", "summary", "highlights", "answer",
		"json", "product", "menu", "branding", "audio", "video", "changeTracking",
	} {
		if !strings.Contains(string(page), `<h2>`+name+`</h2>`) {
			t.Errorf("no %s", name)
		}
	}
	_, redacted, _ := strings.Cut(string(page), "<h2>redactPII</h2>")
	redacted, _, _ = strings.Cut(redacted, "</section>")
	for _, leak := range []string{"repairs@", "451 1234567", "DE89", "Mühlenstraße 12", "Ada Byron"} {
		if strings.Contains(redacted, leak) {
			t.Errorf("%q in\n%s", leak, redacted)
		}
	}
	for _, want := range []string{"&lt;EMAIL&gt;", "&lt;PHONE&gt;", "&lt;FINANCIAL&gt;", "&lt;LOCATION&gt;", "&lt;PERSON&gt;"} {
		if !strings.Contains(redacted, want) {
			t.Errorf("no %s in\n%s", want, redacted)
		}
	}
	if strings.Contains(string(page), "<h2>markdown</h2>") && strings.Contains(strings.SplitN(string(page), "<h2>html</h2>", 2)[0], "Half price") {
		t.Error("an ad is content")
	}
}

// TestServe checks that a second visit reports no change, and that other paths
// are not found.
func TestServe(t *testing.T) {
	s := &show{service: &curlew.Service{}}
	for i, want := range []string{"&#34;new&#34;", "&#34;same&#34;"} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
			t.Errorf("visit %d: %d, no %s", i, w.Code, want)
		}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/favicon.ico", nil))
	if w.Code != http.StatusNotFound {
		t.Errorf("another path: %d", w.Code)
	}
}

func TestFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.html")
	if err := os.WriteFile(file, []byte("<title>A</title><p>Hello <script>alert(1)</script>there.</p>"), 0o600); err != nil {
		t.Fatal(err)
	}
	page, err := (&show{service: &curlew.Service{}, what: file}).page(t.Context())
	if err != nil || !strings.Contains(string(page), "Hello there.") || strings.Contains(string(page), "<script>") {
		t.Errorf("%s, %v", page, err)
	}
	for what, want := range map[string]string{
		file + "x":   file + "x is not a file, and as a URL: ",
		"127.0.0.1/": "fetch https://127.0.0.1/: blocked by network policy",
	} {
		if _, err := (&show{service: &curlew.Service{}, what: what}).page(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", what, err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, []string{"-addr", "127.0.0.1:0"}, new(bytes.Buffer)); err != nil && ctx.Err() == nil {
		t.Error(err)
	}
	if err := run(t.Context(), []string{"-nope"}, new(bytes.Buffer)); err == nil {
		t.Error("an unknown flag was taken")
	}
}
