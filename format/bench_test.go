// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"testing"

	"example.com/curlew/format"
)

// BenchmarkBuild builds the Documents of the pages in testdata/format with only
// the Markdown, with every form, and with every form redacted.
func BenchmarkBuild(b *testing.B) {
	var pages []*format.Input
	for _, name := range []string{"page", "branding", "json", "menu", "product", "redact"} {
		src := readGolden(b, name+".html")
		pages = append(pages, &format.Input{Root: tree(b, src), Raw: src, URL: pageURL, SourceURL: pageURL, StatusCode: 200})
	}
	every := format.Options{
		Forms: everyForm, Query: "lamp mail card", Question: "Who lives where?", Quotes: true,
		JSON: format.Extraction{Deterministic: true}, Attributes: []format.Attribute{{Selector: "a", Attribute: "href"}},
	}
	redacted := every
	redacted.Redact = &format.Redact{Mode: format.RedactFast}
	for _, c := range []struct {
		name    string
		options format.Options
	}{{"markdown", format.Options{}}, {"every", every}, {"redacted", redacted}} {
		b.Run(c.name, func(b *testing.B) {
			engine := &format.Engine{Snapshots: new(format.MemorySnapshots)}
			b.ReportAllocs()
			for b.Loop() {
				for _, in := range pages {
					if _, err := engine.Build(b.Context(), in, &c.options); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
