// SPDX-License-Identifier: Apache-2.0

//go:build linux

package chrome_test

import (
	"net/netip"
	"testing"

	"example.com/curlew/fetch/chrome"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/fetch/render"
)

// TestCheck checks the browser as any Renderer.
func TestCheck(t *testing.T) {
	t.Parallel()
	first := true
	fetchtest.CheckRenderer(t, func(t testing.TB) render.Renderer {
		if first {
			first = false
			return shared(t)
		}
		return start(t, chrome.Options{Script: true, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	})
}
