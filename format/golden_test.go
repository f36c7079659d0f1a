// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"example.com/curlew/format"
	"example.com/curlew/internal/test/golden"
)

// TestFormGoldens makes one form of each page in testdata/format and compares
// it with its golden file: <form>.html and <form>.json.
func TestFormGoldens(t *testing.T) {
	engine := &format.Engine{
		Snapshots: new(format.MemorySnapshots),
		Now:       func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) },
		Loader:    sheetMap{"https://birds.example/a/brand.css": readGolden(t, "branding.css")},
	}
	for name, o := range map[string]format.Options{
		"branding": {Forms: []format.Form{format.BrandingForm}},
		"json": {Forms: []format.Form{format.JSONForm}, JSON: format.Extraction{Deterministic: true, Schema: []byte(`{"type":"object","properties":{
			"name":{"type":"string"},"price":{"type":"number"},"currency":{"type":"string"},"inStock":{"type":"boolean"},"brandName":{"type":"string"},
			"ratingValue":{"type":["number","null"]},"weight":{"type":"string"},"reviews":{"type":"array","items":{"type":"object","properties":{"author":{"type":"string"},"reviewBody":{"type":"string"}}}}},
			"required":["name","price"]}`)}},
		"redact": {
			Forms: everyForm, WholePage: true, Redact: &format.Redact{Mode: format.RedactFast}, Query: "lamp mail card", Question: "Who lives where?", Quotes: true,
			JSON: format.Extraction{Deterministic: true}, Attributes: []format.Attribute{{Selector: "a", Attribute: "href"}},
		},
		"menu":    {Forms: []format.Form{format.MenuForm}},
		"product": {Forms: []format.Form{format.ProductForm}},
	} {
		src := readGolden(t, name+".html")
		in := &format.Input{Root: tree(t, src), Raw: src, URL: pageURL, SourceURL: pageURL, StatusCode: 200}
		d, err := engine.Build(t.Context(), in, &o)
		if err != nil {
			t.Fatal(err)
		}
		golden.Check(t, golden.Testdata("format", name+".json"), []byte(encoded(t, d)))
	}
}

func readGolden(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(golden.Testdata("format", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(string(data), "\n")
}
