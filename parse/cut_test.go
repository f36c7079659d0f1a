// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"slices"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/parse"
)

// TestGivenTree checks the warning of a tree that the caller brings and that
// lacks the end of its document.
func TestGivenTree(t *testing.T) {
	for cut, want := range map[int]string{
		0: "The document is too large; its end was left out.",
		4: "The document is too large; its end was left out. Bytes that were left out: 4 of 11.",
	} {
		src := parse.Bytes("a.html", []byte("<p>\xe9</p>\xe9"))
		src.ContentType, src.Root = "text/html; charset=iso-8859-1", &html.Node{Type: html.DocumentNode}
		src.Lost = map[string]int{"truncated": cut}
		var e parse.Engine
		tree, err := e.Parse(t.Context(), src, nil)
		if err != nil {
			t.Fatal(err)
		}
		if w := (parse.Warning{Code: parse.WarnTruncated, Text: want}); !slices.Contains(tree.Warnings, w) {
			t.Errorf("cut %d: %v, want %v", cut, tree.Warnings, w)
		}
	}
}
