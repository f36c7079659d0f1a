// SPDX-License-Identifier: Apache-2.0

package dom_test

import (
	"strings"
	"testing"

	"example.com/curlew/internal/dom"
)

func TestPicture(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{`<img src=" a.png ">`, "a.png"},
		{`<img>`, ""},
		{`<img src=a.png srcset="b.png 100w, c,d.png 200w">`, "c,d.png"},
		{`<img src=a.png srcset="b.png 1x, c.png 2x, d.png 1.5x">`, "c.png"},
		{`<img src=a.png srcset="data:image/png;base64,AA== 2x">`, "a.png"},
		{`<picture><source srcset="a.webp 300w"><source data-srcset="b.webp 900w"><img src=a.png></picture>`, "b.webp"},
		{`<img src="data:image/gif;base64,R0" data-src=a.png>`, "a.png"},
		{`<img src=s.gif data-original=a.png data-url=b.png>`, "a.png"},
		{`<img src=s.gif data-src="{width}.png">`, "s.gif"},
		{`<img src=s.gif data-lazy-srcset="a.png 10w">`, "a.png"},
		{`<img src="data:image/gif;base64,R0"> <noscript><img src=n.png></noscript>`, "n.png"},
		{`<img><noscript><img srcset="n.png 1x, m.png 2x"></noscript>`, "m.png"},
		{`<img><noscript><img src=n.png>text</noscript>`, ""},
		{`<img src="data:image/gif;base64,R0"><noscript><img src=n.png><img src=m.png></noscript>`, "data:image/gif;base64,R0"},
	} {
		d, err := dom.Parse(t.Context(), []byte("<body>"+test.src), "")
		if err != nil {
			t.Fatal(err)
		}
		for n := range d.Root.Descendants() {
			if n.Data == "img" {
				if got := dom.Picture(n); got != test.want {
					t.Errorf("%s: got %q, want %q", test.src, got, test.want)
				}
				break
			}
		}
	}
}

// TestPictureSources reads long and numerous attributes.
func TestPictureSources(t *testing.T) {
	sets := []string{
		strings.Repeat("a.png 1x, ", 100_000), strings.Repeat(",", 1_000_000), "a.png " + strings.Repeat("(", 1_000_000), strings.Repeat("a 1w ", 200_000),
	}
	for _, set := range sets {
		d, err := dom.Parse(t.Context(), []byte(`<body><img srcset="`+set+`">`), "")
		if err != nil {
			t.Fatal(err)
		}
		for n := range d.Root.Descendants() {
			if n.Data == "img" {
				allocs := testing.AllocsPerRun(1, func() { dom.Picture(n) })
				if allocs > 10 {
					t.Errorf("%.0f allocations for a set of %d bytes", allocs, len(set))
				}
			}
		}
	}
}
