// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/curlew/format"
	"example.com/curlew/internal/test/golden"
)

// FuzzForms checks that for any page and query every form is made, all text is
// UTF-8, and a second run gives the same result.
func FuzzForms(f *testing.F) {
	files, _ := filepath.Glob(golden.Testdata("format/*.html"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data), "curlew")
	}
	f.Add(birds, "eggs worms")
	f.Add(`<title>Menu</title><h1>A</h1><p>x £1<del>£2</del><button>Add to cart</button><iframe src="//youtu.be/a"><script type="application/ld+json">[{"@type":"ProductGroup","hasVariant":{"offers":{"price":"1,5€"}}},{"@type":"MenuSection","hasMenuItem":{"name":"x"}}]</script>`, "x")
	f.Add(`<script type="application/json" data-product-json>{"title":"x","variants":[{"price":9e99,"option1":"a"}],"options":["a",{}]}</script><form data-product_variations='[{"display_price":1,"attributes":{"attribute_":[]}}]'>`, "鳥")
	f.Fuzz(func(t *testing.T, src, query string) {
		o := format.Options{
			Forms: []format.Form{
				format.Attributes, format.Summary, format.Highlights, format.Answer, format.MenuForm, format.Audio,
				format.VideoForm, format.ProductForm,
			},
			Query: query, Question: query, Attributes: []format.Attribute{{Selector: "*", Attribute: query}},
		}
		d := build(t, src, o)
		text := encode(t, d)
		if again := encode(t, build(t, src, o)); again != text {
			t.Errorf("two runs differ: %s and %s", text, again)
		}
		for _, part := range []string{*d.Summary, *d.Highlights, *d.Answer, d.Audio, d.Video} {
			if !utf8.ValidString(part) {
				t.Errorf("not UTF-8: %q", part)
			}
		}
		for _, broken := range []string{"product", "menu", "audio", "video", "summary", "highlights", "attributes"} {
			if want := "The " + broken + " could not be made."; strings.Contains(d.Warning, want) {
				t.Error(want)
			}
		}
		if p := d.Product; p != nil && (p.Title == "" || len(p.Variants) == 0) {
			t.Errorf("incomplete product: %s", encode(t, p))
		}
	})
}
