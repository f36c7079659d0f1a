// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"example.com/curlew"
	"example.com/curlew/httpapi"
)

// TestStoredRequest checks which request the handler stores with a job.
func TestStoredRequest(t *testing.T) {
	h, service := engines(t, true)
	defer func() {
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	urls := make([]string, 130)
	for i := range urls {
		urls[i] = fmt.Sprintf("http://a.test/%d", i)
	}
	many, err := json.Marshal(map[string]any{"urls": urls})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, body string
		has        []string
		not        string
		omitted    int
	}{
		{"/v2/crawl", `{"url":"http://a.test/","limit":3,"scrapeOptions":{"formats":["markdown"]}}`, []string{`"url":"http://a.test/"`, `"limit":3`}, "maxDiscoveryDepth", 0},
		{"/v2/batch/scrape", string(many), []string{`"http://a.test/0"`, `"http://a.test/99"`}, `"http://a.test/100"`, 30},
	} {
		_, answer := ask(t, h, "POST", c.path, c.body)
		var started struct{ ID string }
		if err := json.Unmarshal([]byte(answer), &started); err != nil {
			t.Fatal(answer, err)
		}
		j, err := service.Job(t.Context(), "team", started.ID)
		if err != nil {
			t.Fatal(answer, err)
		}
		body, omitted, err := httpapi.StoredRequest(j)
		if err != nil || omitted != c.omitted || strings.Contains(string(body), c.not) {
			t.Errorf("%s: %s, %d omitted, %v", c.path, body, omitted, err)
		}
		for _, want := range c.has {
			if !strings.Contains(string(body), want) {
				t.Errorf("%s: no %s in %s", c.path, want, body)
			}
		}
	}

	// A job that no handler has started has no request.
	j, err := service.StartCrawl(t.Context(), &curlew.CrawlRequest{URL: "http://a.test/", Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if body, omitted, err := httpapi.StoredRequest(j); body != nil || omitted != 0 || err != nil {
		t.Errorf("%s, %d omitted, %v", body, omitted, err)
	}
}
