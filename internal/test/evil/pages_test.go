// SPDX-License-Identifier: Apache-2.0

package evil_test

import (
	"testing"

	"example.com/curlew/internal/test/evil"
)

// TestPages checks that pages have the requested size and unique names.
func TestPages(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range evil.Pages() {
		if seen[p.Name] || p.Type == "" {
			t.Errorf("%q: twice, or without a type", p.Name)
		}
		seen[p.Name] = true
		if n := len(p.Body(0)); n == 0 || n > 10_000 {
			t.Errorf("%s: the smallest has %d bytes", p.Name, n)
		}
		const size = 200_000
		if n := len(p.Body(size)); n > 2*size || n < size/2 && p.Name != "data for machines, nested" {
			t.Errorf("%s: %d bytes of %d", p.Name, n, size)
		}
	}
	if len(evil.Selectors()) < 40 {
		t.Errorf("%d selectors", len(evil.Selectors()))
	}
}
