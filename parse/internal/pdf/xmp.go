// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/pdf/object"
)

// maxXMP is the maximum size of XMP metadata in bytes.
const maxXMP = 4 << 20

// xmpNames are the XMP namespaces (ISO 16684-1) that are read.
var xmpNames = zipxml.Vocabulary{
	"http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf",
	"http://purl.org/dc/elements/1.1/":            "dc",
	"http://ns.adobe.com/pdf/1.3/":                "pdf",
	"http://ns.adobe.com/xap/1.0/":                "xmp",
}

// readXMP reads the XMP metadata of the document. written is when the
// metadata was last changed, or zero if it does not say. A property is
// either an element or an attribute of rdf:Description.
func readXMP(ctx context.Context, f *object.File) (m Meta, written time.Time) {
	s := f.Stream(f.Catalog()["Metadata"])
	if s == nil {
		return m, written
	}
	data, err := f.DataWithin(s, maxXMP)
	if errors.Is(err, object.ErrLimit) || len(data) > maxXMP { // DataWithin does not limit streams without a filter
		return m, written
	}
	root, _ := zipxml.Parse(ctx, data, xmpNames) // the part that could be parsed
	said := map[string][]string{}
	for d := range root.Descendants() {
		if d.Name != "rdf:Description" {
			continue
		}
		for _, a := range d.Attrs {
			said[a.Name] = append(said[a.Name], a.Value)
		}
		for p := d.First(); p != nil; p = p.Next() {
			said[p.Name] = append(said[p.Name], values(p)...)
		}
	}
	first := func(name string) string {
		if v := said[name]; len(v) > 0 {
			return line(v[0])
		}
		return ""
	}
	all := func(name string) string { return line(strings.Join(said[name], ", ")) }
	m = Meta{
		Title: first("dc:title"), Author: all("dc:creator"), Subject: first("dc:description"), Keywords: cmp.Or(first("pdf:Keywords"), all("dc:subject")),
		Creator: first("xmp:CreatorTool"), Producer: first("pdf:Producer"), Language: first("dc:language"),
		Created: doctree.Time(first("xmp:CreateDate")), Modified: doctree.Time(first("xmp:ModifyDate")),
	}
	if m.Language == "x-unknown" || m.Language == "x-default" {
		m.Language = ""
	}
	return m, cmp.Or(doctree.Time(first("xmp:MetadataDate")), m.Modified)
}

// maxItems is the maximum number of items of a list in XMP.
const maxItems = 100

// values returns the items of the list in a property, or its text if it has
// no list. The default of alternatives comes first.
func values(p *zipxml.Element) (out []string) {
	if p.Name == "" {
		return nil
	}
	for list := p.First(); list != nil; list = list.Next() {
		switch list.Name {
		case "rdf:Bag", "rdf:Seq", "rdf:Alt":
		default:
			continue
		}
		for li := list.Named("rdf:li"); li != nil; li = li.Same() {
			text := strings.TrimSpace(li.Content())
			if text == "" || len(out) == maxItems {
				continue
			}
			if out = append(out, text); list.Name == "rdf:Alt" && li.Attr("xml:lang") == "x-default" {
				out[0], out[len(out)-1] = out[len(out)-1], out[0]
			}
		}
	}
	if text := strings.TrimSpace(p.Content()); len(out) == 0 && text != "" {
		out = []string{text}
	}
	return out
}

// merge combines m, which was written at the time at, with xmp. Values of
// the newer one take precedence. The language of the catalog always takes
// precedence (ISO 32000-1, 14.9.2).
func (m Meta) merge(at time.Time, xmp Meta, written time.Time) Meta {
	language := cmp.Or(m.Language, xmp.Language)
	if written.After(at) {
		m, xmp = xmp, m
	}
	m.Language = language
	for _, s := range []struct {
		to   *string
		from string
	}{
		{&m.Title, xmp.Title},
		{&m.Author, xmp.Author},
		{&m.Subject, xmp.Subject},
		{&m.Keywords, xmp.Keywords},
		{&m.Creator, xmp.Creator},
		{&m.Producer, xmp.Producer},
	} {
		*s.to = cmp.Or(*s.to, s.from)
	}
	m.Created, m.Modified = cmp.Or(m.Created, xmp.Created), cmp.Or(m.Modified, xmp.Modified)
	return m
}
