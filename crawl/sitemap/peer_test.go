// SPDX-License-Identifier: Apache-2.0

package sitemap_test

import (
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/crawl/sitemap"
	"example.com/curlew/internal/weburl"
)

// document is a sitemap as encoding/xml decodes it.
type document struct {
	XMLName xml.Name
	URLs    []location `xml:"url"`
	Maps    []location `xml:"sitemap"`
}

type location struct {
	Loc     string `xml:"loc"`
	LastMod string `xml:"lastmod,omitempty"`
	Links   []struct {
		Rel  string `xml:"rel,attr"`
		Href string `xml:"href,attr"`
	} `xml:"link"`
}

// TestPeer writes random well-formed files with all forms of XML syntax, and
// compares the result with encoding/xml.
func TestPeer(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	pick := func(forms ...string) string { return forms[random.IntN(len(forms))] }
	for range 2000 {
		var b strings.Builder
		b.WriteString(pick("", "\uFEFF", "\n"))
		if b.Len() == 0 {
			b.WriteString(pick("", `<?xml version="1.0" encoding="UTF-8"?>`, `<?xml-stylesheet href="x>y"?>`))
		}
		b.WriteString(pick("", "<!-- <loc>/no</loc> -->", "<!DOCTYPE urlset>", "\n \t"))
		prefix := pick("", "s:")
		root, item := "urlset", "url"
		if random.IntN(3) == 0 {
			root, item = "sitemapindex", "sitemap"
		}
		fmt.Fprintf(&b, "<%s%s xmlns%s='http://x.test/'%s>", prefix, root, strings.TrimSuffix(":"+prefix, ":"), pick("", " xmlns:image=\"y\"", "\n  a = '>' "))
		for i := range random.IntN(6) {
			b.WriteString(pick("", "\n", "<!-- x -->", "<?pi x?>", "text"))
			fmt.Fprintf(&b, "<%s%s%s>", prefix, item, pick("", " ", " a='b'", "\n"))
			path := pick("/a", "b", "http://o.test/é", "//o.test/c") + fmt.Sprint(i)
			query := pick("", "?x=1&amp;y=2", "?&#38;&#x26;", "?&lt;&gt;&quot;&apos;", "<![CDATA[?a&b<c>]]>", "<!-- x -->")
			fmt.Fprintf(&b, "<%[1]sloc%[2]s>%[3]s%[4]s%[5]s%[3]s</%[1]sloc%[2]s>", prefix, pick("", " ", "\t"), pick("", " ", "\n\t"), path, query)
			b.WriteString(pick("", "<image:image><image:loc>/no</image:loc></image:image>", "<other/>", "<other a='/'>x</other>"))
			if random.IntN(2) == 0 {
				fmt.Fprintf(&b, "<%[1]slastmod>2026-01-%02[2]d</%[1]slastmod>", prefix, 1+random.IntN(28))
			}
			if item == "url" {
				b.WriteString(pick("", `<xhtml:link rel="alternate" hreflang="de" href="/de?a&amp;b"/>`, `<xhtml:link href='/fr' rel='alternate'></xhtml:link>`, `<xhtml:link rel="canonical" href="/no"/>`))
			}
			fmt.Fprintf(&b, "</%s%s>", prefix, item)
		}
		fmt.Fprintf(&b, "</%s%s>%s", prefix, root, pick("", "\n", "<!-- x -->"))

		want := parseXML(t, b.String())
		var got []sitemap.Entry
		for e, err := range sitemap.Read(strings.NewReader(b.String()), base, sitemap.Limits{}) {
			if err != nil {
				t.Fatalf("seed %d: %v in %s", seed, err, b.String())
			}
			got = append(got, e)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("seed %d: %s\n(-xml, +ours)\n%s", seed, b.String(), d)
		}
	}
}

// parseXML reads a file with encoding/xml and converts it to the entries that
// Read should return.
func parseXML(t *testing.T, file string) []sitemap.Entry {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(strings.TrimPrefix(file, "\uFEFF")))
	d.Strict = false // allows undeclared prefixes
	var doc document
	if err := d.Decode(&doc); err != nil {
		t.Fatalf("%v in %s", err, file)
	}
	var all []sitemap.Entry
	for _, l := range append(doc.URLs, doc.Maps...) {
		e := sitemap.Entry{Loc: resolve(t, l.Loc), Nested: doc.XMLName.Local == "sitemapindex"}
		if l.LastMod != "" {
			day, err := time.Parse(time.DateOnly, l.LastMod)
			if err != nil {
				t.Fatal(err)
			}
			e.LastMod = day
		}
		for _, link := range l.Links {
			if link.Rel == "alternate" {
				e.Alternates = append(e.Alternates, resolve(t, link.Href))
			}
		}
		all = append(all, e)
	}
	return all
}

// resolve resolves ref against the URL of the file.
func resolve(t *testing.T, ref string) string {
	t.Helper()
	u, err := weburl.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	if u, err = u.Link(ref); err != nil {
		t.Fatal(err)
	}
	return u.String()
}
