// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"maps"
	"strings"
	"testing"

	"example.com/curlew/crawl"
)

// TestCut checks that a page says how many bytes its tree lacks.
func TestCut(t *testing.T) {
	const tags = 600_000 // that create a node
	p := &crawl.Page{Body: []byte(strings.Repeat("<", tags) + "<p>left out")}
	if p.Lost() != nil {
		t.Errorf("before the page is parsed: %v", p.Lost())
	}
	if _, err := p.Tree(); err != nil {
		t.Fatal(err)
	}
	if want := map[string]int{"truncated": len("<p>left out")}; !maps.Equal(p.Lost(), want) {
		t.Errorf("%v, want %v", p.Lost(), want)
	}
}
