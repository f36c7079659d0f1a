// SPDX-License-Identifier: Apache-2.0

package formattest

import (
	"context"
	"strings"
	"sync"
	"testing"

	"example.com/curlew/format"
)

// CheckLoader checks that the Loader that open returns keeps the contract of
// [format.Loader]. The Loader must have a style sheet with the text sheet at url, and
// nothing at url + "/missing".
func CheckLoader(t *testing.T, url, sheet string, open func(t *testing.T) format.Loader) {
	t.Helper()
	get := func(ctx context.Context, t *testing.T, f format.Loader) {
		t.Helper()
		body, kind, err := f.Load(ctx, url)
		if err != nil || string(body) != sheet || kind != "" && !strings.HasPrefix(kind, "text/css") {
			t.Errorf("%s: %q, type %q, %v", url, body, kind, err)
		}
		clear(body) // the caller may change it
	}
	t.Run("brings", func(t *testing.T) {
		f := open(t)
		get(t.Context(), t, f)
		get(t.Context(), t, f)
	})
	t.Run("nothing there", func(t *testing.T) {
		f := open(t)
		for _, bad := range []string{
			url + "/missing", "", "/relative.css", "javascript:alert(1)", "data:text/css,b{}", "file:///etc/hosts", "https://\x00/", "http://127.0.0.1:1/", "http://[::1]/",
		} {
			if body, _, err := f.Load(t.Context(), bad); err == nil && len(body) > 0 {
				t.Errorf("%q: %q", bad, body)
			}
		}
		get(t.Context(), t, f)
	})
	t.Run("at once", func(t *testing.T) {
		f := open(t)
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() { get(t.Context(), t, f) })
		}
		wg.Wait()
	})
	t.Run("ctx", func(t *testing.T) {
		f := open(t)
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if body, _, err := f.Load(ctx, url); err == nil && string(body) != sheet {
			t.Errorf("got %q", body)
		}
	})
}
