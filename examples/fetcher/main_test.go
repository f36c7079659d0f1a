// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/curlew/fetch"
	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// TestRun crawls saved pages: links are followed, and robots.txt is obeyed.
func TestRun(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	pages := fstest.MapFS{
		"a.test/index.html": file(`<a href="/b">b</a> <a href="/gone">gone</a> <a href="/secret">s</a>`),
		"a.test/b":          file(`<p>b</p>`),
		"a.test/secret":     file(`<p>s</p>`),
		"a.test/robots.txt": file("User-agent: *\nDisallow: /secret\n"),
	}
	var out strings.Builder
	if err := run(t.Context(), pages, "http://a.test/", &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"200 http://a.test/ ", "200 http://a.test/b ", "404 http://a.test/gone "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "secret") {
		t.Errorf("robots.txt was not obeyed:\n%s", &out)
	}
	_, err := saved{pages}.Fetch(t.Context(), &fetch.Request{URL: "http://a.test/b", MaxBytes: 3})
	if !errors.Is(err, fetch.ErrTooLarge) {
		t.Errorf("a large page: %v", err)
	}
	for most, want := range map[int64]string{3: "<p>", fetch.Unlimited: "<p>b</p>"} {
		resp, err := saved{pages}.Fetch(t.Context(), &fetch.Request{URL: "http://a.test/b", MaxBytes: most, Cut: true})
		if err != nil || string(resp.Body) != want || resp.Truncated != (most > 0) {
			t.Errorf("cut at %d: %+v, %v", most, resp, err)
		}
	}
}
