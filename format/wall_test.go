// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"strings"
	"testing"

	"example.com/curlew/format"
	"example.com/curlew/internal/dom"
)

// TestWalls checks that the warning of a page says that it is a wall, or ends at one.
func TestWalls(t *testing.T) {
	const box = "<div class=paywall><p>Subscribe to read the rest of it.</p><a href=/s>Subscribe</a></div>"
	for _, c := range []struct{ src, want string }{
		{"<body><div><p>We and our partners use cookies and process personal data for ads.</p><button>Accept all</button></div>", "ask for consent"},
		{"<meta property=og:type content=article><article><h1>Birds</h1><p>The first words of it.</p></article>" + box, "offers a subscription"},
		{"<meta property=og:type content=article><article><h1>Birds</h1><p>" + strings.Repeat("All of the words. ", 60) + "</p></article>" + box, ""},
	} {
		tree, err := dom.Parse(t.Context(), []byte(c.src), "text/html; charset=utf-8")
		if err != nil {
			t.Fatal(err)
		}
		d, err := format.Build(t.Context(), &format.Input{Root: tree.Root, URL: "https://a.example/birds"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(d.Warning, c.want) || c.want == "" && strings.Contains(d.Warning, "subscription") {
			t.Errorf("%s: %q", c.src, d.Warning)
		}
	}
}
