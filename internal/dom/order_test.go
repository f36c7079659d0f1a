// SPDX-License-Identifier: Apache-2.0

package dom_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/internal/dom"
)

// TestNext visits each part of a tree like Descendants, and skips the
// descendants of each node in turn.
func TestNext(t *testing.T) {
	whole, err := html.Parse(strings.NewReader("<p>a<b>c<i>d</i></b></p><ul><li>e<li>f<ul><li>g</ul></ul>h"))
	if err != nil {
		t.Fatal(err)
	}
	for root := range whole.Descendants() {
		want := append([]*html.Node{root}, slices.Collect(root.Descendants())...)
		var got []*html.Node
		for n := root; n != nil; n = dom.Next(n, root) {
			got = append(got, n)
		}
		if !slices.Equal(got, want) {
			t.Errorf("below %s: %d nodes, want %d", root.Data, len(got), len(want))
		}
		for i, n := range want {
			var after *html.Node
			if rest := want[i+1+len(slices.Collect(n.Descendants())):]; len(rest) > 0 {
				after = rest[0]
			}
			if got := dom.After(n, root); got != after {
				t.Errorf("after %s below %s: %v, want %v", n.Data, root.Data, got, after)
			}
		}
	}
}
