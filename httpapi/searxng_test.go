// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"example.com/curlew/agent/search"
	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/weburl"
)

// searxng returns a search provider that answers as a SearXNG with the files of
// agent/search/testdata. A query "silent" has no hits, "fails" is answered with 500, and
// "hangs" is not answered.
func searxng(t *testing.T) *search.SearXNG {
	t.Helper()
	return &search.SearXNG{Base: "http://searx.test", Get: func(ctx context.Context, url string) ([]byte, error) {
		u, err := weburl.Parse(url)
		if err != nil {
			return nil, err
		}
		q := u.HTTP().Query()
		name := map[string]string{"general": "web", "images": "images", "news": "news"}[q.Get("categories")]
		switch text, _, _ := strings.Cut(q.Get("q"), " "); {
		case text == "fails":
			return nil, &search.StatusError{Status: 500}
		case text == "hangs":
			<-ctx.Done()
			return nil, context.Cause(ctx)
		case text == "silent", q.Get("pageno") != "1":
			name = "silent"
		}
		return os.ReadFile(golden.Root("agent/search/testdata/searxng-" + name + ".json"))
	}}
}
