// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/format"
)

func TestMetadata(t *testing.T) {
	for _, test := range []struct{ name, head, want string }{
		{"title", `<title> A
 B </title><title>C</title><meta property=og:title content=O><svg><title>S</title></svg>`, `{"title":"A B","ogTitle":"O"}`},
		{"no title", `<meta property=og:title content=O>`, `{"title":"O","ogTitle":"O"}`},
		{"twitter title", `<meta name=twitter:title content=T>`, `{"title":"T","twitter:title":"T"}`},
		{"heading", `<body><h1>H <b>x</b></h1>`, `{"title":"H x"}`},
		{"lists", `<meta name=description content=a><meta name=Description content=b><meta name=keywords content=c><meta name=keywords content=d>`, `{"description":"a, b","keywords":"c, d"}`},
		{"description", `<meta property=og:description content=o>`, `{"description":"o","ogDescription":"o"}`},
		{"language", `<html lang=de><meta http-equiv=Content-Language content=fr>`, `{"language":"de"}`},
		{"other language", `<meta http-equiv=Content-Language content=fr><meta property=og:locale content=en_GB>`, `{"language":"fr","ogLocale":"en_GB"}`},
		{"locale", `<meta property=og:locale content=en_GB><meta property=og:locale:alternate content=de><meta property=og:locale:alternate content=fr>`, `{"language":"en_GB","ogLocale":"en_GB","ogLocaleAlternate":["de","fr"]}`},
		{"icons", `<link rel=apple-touch-icon href=/t.png><link rel="shortcut icon" href=/i.ico><link rel=canonical href=/c>`, `{"favicon":"https://birds.example/i.ico","canonical":"https://birds.example/c"}`},
		{"only a touch icon", `<link rel=apple-touch-icon href=/t.png>`, `{"favicon":"https://birds.example/t.png"}`},
		{"graph", `<meta property=og:image content=/a><meta property=og:image content=/b><meta property=og:image:width content=3><meta name=og:site_name content=s>`, `{"ogImage":"https://birds.example/a","ogSiteName":"s","og:image:width":"3"}`},
		{"article", `<meta property=article:published_time content=2024-01-02><meta name=article:section content=s><meta property=article:tag content=a><meta property=article:tag content=b>`, `{"articleSection":"s","articleTag":"a, b","publishedTime":"2024-01-02"}`},
		{"dublin core", `<meta name=DC.date.created content=1><meta name=dcterms.created content=2><meta name=dc:subject content=3>`, `{"dcTermsCreated":"2","dcDateCreated":"1","dcSubject":"3"}`},
		{"others", `<meta name=b content=1><meta property=a content=2><meta itemprop=c content=3><meta name=b content=4><meta name=e content=""><meta charset=utf-8>`, `{"a":"2","b":"1, 4","c":"3"}`},
		{"reserved", `<meta name=statusCode content=200><meta name=status_code content=200><meta property=num_pages content=x><meta name=Cache_State content=hit><meta name=url content=x><meta name=concurrency_limited content=x><meta name=og_locale_alternate content=x><meta name=source-url content=kept>`, `{"source-url":"kept"}`},
		{"markup", `<title>a &lt;b> &amp; c</title>`, `{"title":"a <b> & c"}`},
	} {
		d := build(t, test.head, format.Options{Forms: []format.Form{}})
		d.Metadata.URL = ""
		if got := strings.TrimSpace(encode(t, d.Metadata)); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.name, got, test.want)
		}
	}
}

func TestMetadataBounds(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "<meta name=k%d content=v><meta name=many content=%s>", i, strings.Repeat("é", 100))
	}
	fmt.Fprintf(&b, "<meta name=%s content=x><meta name=description content=%s>", strings.Repeat("n", 300), strings.Repeat("d", 1<<20))
	m := build(t, b.String(), format.Options{Forms: []format.Form{}}).Metadata
	if len(m.Extra) != 256 || len(m.Extra["many"]) > 8<<10 || len(m.Description) > 8<<10 {
		t.Errorf("%d keys, %d and %d bytes", len(m.Extra), len(m.Extra["many"]), len(m.Description))
	}
	if !strings.HasSuffix(m.Extra["many"], "é") {
		t.Errorf("cut inside a character: %q", m.Extra["many"][8000:])
	}
}

func TestMetadataJSON(t *testing.T) {
	m := format.Metadata{
		Title: "<a> & \u2028", OGLocaleAlternate: []string{"de"}, StatusCode: 200, CreditsUsed: 1,
		ConcurrencyLimited: new(false), ConcurrencyQueueDurationMs: new(0),
		Extra: map[string]string{"z": "<1>", "a b": `"`, "num_pages": "x", "Title": "y"},
	}
	got := strings.TrimSpace(encode(t, m))
	const want = `{"title":"<a> & \u2028","ogLocaleAlternate":["de"],"statusCode":200,"creditsUsed":1,"concurrencyLimited":false,"concurrencyQueueDurationMs":0,"a b":"\"","z":"<1>"}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var back format.Metadata
	if err := json.Unmarshal([]byte(got), &back); err != nil {
		t.Fatal(err)
	}
	delete(m.Extra, "num_pages")
	delete(m.Extra, "Title")
	if diff := cmp.Diff(m, back); diff != "" {
		t.Error(diff)
	}
	if got := encode(t, format.Metadata{Extra: map[string]string{"a": "b"}}); got != "{\"a\":\"b\"}\n" {
		t.Errorf("only extra: %s", got)
	}
	if got := encode(t, format.Metadata{}); got != "{}\n" {
		t.Errorf("empty: %s", got)
	}
	for _, bad := range []string{`[]`, `{"statusCode":"200"}`, `{"x":1}`} {
		if err := json.Unmarshal([]byte(bad), &back); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
}

// TestReserved checks that the name of every field of Metadata is a reserved key.
func TestReserved(t *testing.T) {
	for f := range reflect.TypeFor[format.Metadata]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		m := format.Metadata{Extra: map[string]string{strings.ToUpper(name[:1]) + name[1:]: "x", snake(name): "x"}}
		if got := encode(t, m); got != "{}\n" {
			t.Errorf("%s is not reserved: %s", name, got)
		}
	}
}

func snake(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}
