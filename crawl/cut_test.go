// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/curlew/crawl"
)

// TestCut checks that a page says how many bytes its tree lacks.
func TestCut(t *testing.T) {
	const tags = 600_000 // that create a node
	p := &crawl.Page{Body: []byte(strings.Repeat("<", tags) + "<p>left out")}
	if p.Cut() != 0 || p.Lost() != nil {
		t.Errorf("before the page is parsed: %d bytes, %v", p.Cut(), p.Lost())
	}
	if _, err := p.Tree(); err != nil {
		t.Fatal(err)
	}
	if want := len("<p>left out"); p.Cut() != want || !slices.Equal(p.Lost(), []string{"truncated"}) {
		t.Errorf("%d bytes, %v; want %d, truncated", p.Cut(), p.Lost(), want)
	}
}
