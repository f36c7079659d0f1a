// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"example.com/curlew"
	"example.com/curlew/parse"
)

// crashBy is an environment variable that says how a server crashes when it
// reads an image.
const crashBy = "CURLEW_CRASH_BY"

// crashing is an OCR engine that crashes its process.
type crashing string

func (c crashing) Recognize(context.Context, parse.Picture) (parse.Recognition, error) {
	if c == "exit" {
		os.Exit(3)
	}
	debug.SetMaxStack(1 << 20)
	return parse.Recognition{}, fmt.Errorf("depth %d", deep(1))
}

// deep overflows the stack.
func deep(n int) int {
	var frame [256]byte
	frame[n%256] = byte(n)
	return deep(n+1) + int(frame[n%255]) //nolint:staticcheck // the overflow is intended
}

// TestCrashServer is not a test by itself. It runs the server of TestCrash.
func TestCrashServer(t *testing.T) {
	if dir := os.Getenv(killServer); dir != "" {
		serveKilled(t, dir, &curlew.Service{Parser: parse.Engine{OCR: crashing(os.Getenv(crashBy))}})
	}
}

// crashSite is a site with one or two images that crash the server.
func crashSite(t *testing.T, pages int) *httptest.Server {
	t.Helper()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 300, 100))); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(3 * time.Millisecond)
		var n int
		switch {
		case r.URL.Path == "/robots.txt":
			http.NotFound(w, r)
			return
		case strings.HasPrefix(r.URL.Path, "/boom"):
			w.Header().Set("Content-Type", "image/png")
			w.Write(picture.Bytes())
			return
		case r.URL.Path != "/":
			if _, err := fmt.Sscanf(r.URL.Path, "/p%d", &n); err != nil {
				http.NotFound(w, r)
				return
			}
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>%s</title><p>This is page %s of a site with a picture.", letters(n), letters(n))
		for to := 2*n + 1; to <= 2*n+2; to++ {
			if to < pages {
				fmt.Fprintf(w, `<p><a href="/p%d">to %d</a>`, to, to)
			}
		}
		if n == 3 || n == 4 {
			fmt.Fprintf(w, `<p><a href="/boom/%s">a picture</a>`, letters(n))
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// TestCrash runs jobs with pages that always crash the process. The process is
// restarted a few times. Only those pages fail, with a text, and all others are
// delivered once.
func TestCrash(t *testing.T) {
	t.Parallel()
	const pages = 40
	site := crashSite(t, pages)
	var urls []string
	for n := range pages {
		urls = append(urls, fmt.Sprintf("%s/p%d", site.URL, n))
	}
	batch, err := json.Marshal(map[string]any{"urls": append(append(urls[:5:5], site.URL+"/boom/d", site.URL+"/boom/e"), urls[5:]...), "maxConcurrency": 4})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, path, body, by string }{
		{"crawl, exit", "/v2/crawl", fmt.Sprintf(`{"url":%q,"maxConcurrency":4,"sitemap":"skip"}`, site.URL), "exit"},
		{"crawl, stack overflow", "/v2/crawl", fmt.Sprintf(`{"url":%q,"maxConcurrency":1,"sitemap":"skip"}`, site.URL), "stack"},
		{"batch, exit", "/v2/batch/scrape", string(batch), "exit"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			checkCrash(t, test.path, test.body, test.by, pages)
		})
	}
}

func checkCrash(t *testing.T, path, body, by string, pages int) {
	k := &killed{
		t: t, server: "TestCrashServer", env: []string{crashBy + "=" + by}, quiet: true,
		dir: t.TempDir(), client: &http.Client{Transport: &http.Transport{}, Timeout: 10 * time.Second},
	}
	defer func() { k.kill() }()
	id, crashes := "", 0
	var st struct {
		Status                 string
		Completed, CreditsUsed int
		Data                   []struct {
			Metadata struct{ SourceURL string }
		}
	}
	for st.Status != "completed" {
		k.start()
		if base, ok := <-k.line; ok {
			k.base = base
			if id == "" {
				var started struct{ ID string }
				k.ask("POST", path, body, &started)
				id = started.ID
			}
			for k.poll(path+"/"+id+"?limit=1000", &st) && st.Status == "scraping" {
				time.Sleep(20 * time.Millisecond)
			}
		}
		if st.Status == "completed" {
			break
		}
		k.kill()
		if crashes++; crashes > 10 || st.Status == "failed" {
			t.Fatalf("after %d crashes: %s with %d pages", crashes, st.Status, st.Completed)
		}
	}
	t.Logf("%d crashes", crashes)
	if crashes < 2 || crashes > 8 {
		t.Errorf("%d crashes of two pages", crashes)
	}
	seen := map[string]bool{}
	for _, d := range st.Data {
		if seen[d.Metadata.SourceURL] || strings.Contains(d.Metadata.SourceURL, "boom") {
			t.Errorf("%s is delivered", d.Metadata.SourceURL)
		}
		seen[d.Metadata.SourceURL] = true
	}
	if len(seen) != pages || st.CreditsUsed != pages {
		t.Errorf("%d pages for %d credits, want %d", len(seen), st.CreditsUsed, pages)
	}
	var e struct {
		Errors []struct{ URL, Code, Error string }
	}
	k.ask("GET", path+"/"+id+"/errors", "", &e)
	if len(e.Errors) != 2 {
		t.Errorf("errors %+v", e.Errors)
	}
	for _, one := range e.Errors {
		if !strings.Contains(one.URL, "/boom/") || one.Code != "UNKNOWN_ERROR" || !strings.Contains(one.Error, "ended the server's process") {
			t.Errorf("errors %+v", e.Errors)
		}
	}
}

// poll sends a request to a server that may crash meanwhile. It returns false
// if the server has crashed.
func (k *killed) poll(path string, answer any) bool {
	req, err := http.NewRequestWithContext(k.t.Context(), http.MethodGet, k.base+path, http.NoBody)
	if err != nil {
		k.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer k")
	resp, err := k.client.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	return err == nil && resp.StatusCode == http.StatusOK && json.Unmarshal(raw, answer) == nil
}
