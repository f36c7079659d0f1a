// SPDX-License-Identifier: Apache-2.0

package lines_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"example.com/curlew/agent/internal/lines"
)

// TestSlugs learns shapes from links that differ in one segment.
func TestSlugs(t *testing.T) {
	list := func(item string, words ...string) string {
		var b strings.Builder
		for _, w := range words {
			b.WriteString(strings.ReplaceAll(item, "*", w))
		}
		return b.String()
	}
	words := []string{"kettle", "lamp", "chair", "blue-desk"}
	for _, test := range []struct {
		name, body string
		want       []string
	}{
		{"a list", "<ul>" + list(`<li><a href="/p/*">*</a></li>`, words...) + "</ul>", []string{"a.test/p/{s}"}},
		{"too few", "<ul>" + list(`<li><a href="/p/*">*</a></li>`, words[:3]...) + "</ul>", nil},
		{"a menu", "<nav><ul>" + list(`<li><a href="/p/*">*</a></li>`, words...) + "</ul></nav>", nil},
		{"only segment", "<ul>" + list(`<li><a href="/*">*</a></li>`, "about", "contact", "pricing", "jobs") + "</ul>", nil},
		{"only segment, in cards", list(`<div><a href="/*">*</a> $5.00 each</div>`, words...), []string{"a.test/{s}"}},
		{"only segment, with one text", list(`<div><img><a href="/*">View</a></div>`, words...), []string{"a.test/{s}"}},
		{"two segments", list(`<p><a href="/*/x*">*</a></p>`, words...), nil},
		{"in the middle", list(`<p><a href="/team/*/cv">*</a></p>`, words...), []string{"a.test/team/{s}/cv"}},
		{"opaque names, some without digits", list(`<p><a href="/r/*"><img></a></p>`, "VwfqNBBw", "a7Kd9sQe", "b3Kd9sQe", "sNfehXeF"), []string{"a.test/r/{s}"}},
		{"opaque names with digits", list(`<p><a href="/r/*"><img></a></p>`, "a7Kd9sQe", "b3Kd9sQe", "c3Kd9sQe", "d3Kd9sQe"), nil},
		{"codes, some with digits alone", list(`<p><a href="/u/*">Rent</a></p>`, "8f3a1", "91290", "9317f", "9506e", "96f5d"), []string{"a.test/u/{s}"}},
		{"codes, some with hexadecimal digits alone", list(`<p><a href="/u/*">Rent</a></p>`, "8f3a1bc2", "k1290zzq", "q317fxy4", "m506eab1"), []string{"a.test/u/{s}"}},
		{"numbers beside codes", list(`<p><a href="/u/*">Rent</a></p>`, "8f3a1", "1", "2", "3", "4", "5"), nil},
		{"numbers", list(`<p><a href="/p/*">*</a></p>`, "1", "2", "3", "4"), nil},
	} {
		root, err := html.Parse(strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(test.want, lines.Slugs(root, lines.NewLinker("https://a.test/list"))); d != "" {
			t.Errorf("%s: %s", test.name, d)
		}
	}
}
