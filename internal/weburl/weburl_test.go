// SPDX-License-Identifier: Apache-2.0

package weburl_test

import (
	"testing"

	"example.com/curlew/internal/weburl"
)

// must parses a URL that the test needs.
func must(t testing.TB, raw string) weburl.URL {
	t.Helper()
	u, err := weburl.Parse(raw)
	if err != nil {
		t.Fatalf("Parse(%q): %v", raw, err)
	}
	return u
}
