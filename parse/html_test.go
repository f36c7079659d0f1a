// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/parse"
)

// TestWriteHTML writes a table that is too large for nodes and checks that
// its tree does not change.
func TestWriteHTML(t *testing.T) {
	const rows = 30_000
	text := "name;note\n" + strings.Repeat("a<b;c&d\n", rows)
	var e parse.Engine
	tree, err := e.Parse(t.Context(), parse.Bytes("a.csv", []byte(text)), nil)
	if err != nil {
		t.Fatal(err)
	}
	plain := func() string {
		var b strings.Builder
		if err := html.Render(&b, tree.Root); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	before := plain()
	var b strings.Builder
	if err := tree.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(b.String(), "<tr><td>a&lt;b</td><td>c&amp;d</td></tr>"); got != rows || !strings.Contains(b.String(), "<th>name</th><th>note</th>") {
		t.Errorf("%d rows, want %d with a head: %.200s", got, rows, b.String())
	}
	if plain() != before || strings.Contains(before, "<td>") {
		t.Errorf("the tree was written as nodes, or changed: %.200s", before)
	}
	for _, tree := range []*parse.Tree{nil, {}} {
		if err := tree.WriteHTML(&b); err == nil {
			t.Error("no tree was written")
		}
	}
}
