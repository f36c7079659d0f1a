// SPDX-License-Identifier: Apache-2.0

package ooxml

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
)

// Package is an open document. It is not safe for concurrent use.
type Package struct {
	*zipxml.Archive

	relations map[string]Relations // by part
	types     *zipxml.Element
}

// Relations are those of one part.
type Relations []Relation

// Relation is a way from one part to another, or out of the package.
type Relation struct {
	ID       string
	Type     string // last element of its type: "styles"
	Target   string // a part's name, or a URL where External
	External bool
}

// Open opens the package of size bytes in r. The errors are those of
// [zipxml.Open].
func Open(r io.ReaderAt, size int64) (*Package, error) {
	a, err := zipxml.Open(r, size, zipxml.Limits{})
	if err != nil {
		return nil, err
	}
	return &Package{Archive: a, relations: map[string]Relations{}}, nil
}

// XML returns the root of a part. Where its XML breaks off, the part so far
// comes with an error that wraps [zipxml.ErrMalformed].
func (p *Package) XML(ctx context.Context, part string) (*zipxml.Element, error) {
	data, err := p.Text(part)
	if len(data) == 0 && err != nil {
		return nil, err
	}
	root, parseErr := zipxml.ParseText(ctx, data, Words)
	if parseErr != nil {
		return root, fmt.Errorf("part %s: %w", part, parseErr)
	}
	return root, nil
}

// Relations returns the relationships of a part; those of the package for "".
// Broken ones are none.
func (p *Package) Relations(ctx context.Context, part string) Relations {
	if r, ok := p.relations[part]; ok {
		return r
	}
	dir, file := path.Split(part)
	root, _ := p.XML(ctx, path.Join(dir, "_rels", file+".rels"))
	var list Relations
	for e := range root.All("rel:Relationship") {
		r := Relation{
			ID: e.Attr("Id"), Type: path.Base(e.Attr("Type")), Target: e.Attr("Target"),
			External: strings.EqualFold(e.Attr("TargetMode"), "External"),
		}
		if !r.External {
			r.Target, _, _ = strings.Cut(strings.ReplaceAll(r.Target, `\`, "/"), "#")
			if !strings.HasPrefix(r.Target, "/") {
				r.Target = path.Join("/", dir, r.Target)
			}
			r.Target = strings.TrimPrefix(path.Clean(r.Target), "/")
		}
		list = append(list, r)
	}
	p.relations[part] = list
	return list
}

// Get returns the relation of that id, the zero value if there is none.
func (r Relations) Get(id string) Relation {
	for _, x := range r {
		if x.ID == id && id != "" {
			return x
		}
	}
	return Relation{}
}

// Part returns the first part of that type within the package, "" if there is
// none.
func (r Relations) Part(kind string) string {
	for _, x := range r {
		if x.Type == kind && !x.External {
			return x.Target
		}
	}
	return ""
}

// Source returns the address of a picture outside the package, "" where it has
// none on the web: paths are those of the author's machine.
func (r Relation) Source() string {
	scheme, _, _ := strings.Cut(r.Target, ":")
	if r.External && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")) {
		return strings.TrimSpace(r.Target)
	}
	return ""
}

// Main returns the part that the document begins with. Where no relationship
// tells, it is the one of those names that there is.
func (p *Package) Main(ctx context.Context, names ...string) (string, error) {
	if part := p.Relations(ctx, "").Part("officeDocument"); part != "" && p.Has(part) {
		return part, nil
	}
	for _, name := range names {
		if p.Has(name) {
			return name, nil
		}
	}
	return "", fmt.Errorf("%w: no main part", zipxml.ErrMalformed)
}

// ContentType returns the media type of a part, "" where it is not declared.
func (p *Package) ContentType(ctx context.Context, part string) string {
	if p.types == nil {
		if p.types, _ = p.XML(ctx, "[Content_Types].xml"); p.types == nil {
			p.types = &zipxml.Element{}
		}
	}
	for e := range p.types.Children() {
		if strings.HasSuffix(e.Name, ":Override") && strings.EqualFold(strings.TrimPrefix(e.Attr("PartName"), "/"), part) {
			return e.Attr("ContentType")
		}
	}
	for e := range p.types.Children() {
		if strings.HasSuffix(e.Name, ":Default") && strings.EqualFold("."+e.Attr("Extension"), path.Ext(part)) {
			return e.Attr("ContentType")
		}
	}
	return ""
}

// Meta returns the core properties (ECMA-376 part 2, 11).
func (p *Package) Meta(ctx context.Context) doctree.Meta {
	var m doctree.Meta
	root, err := p.XML(ctx, p.Relations(ctx, "").Part("core-properties"))
	if err != nil && !errors.Is(err, zipxml.ErrMalformed) {
		return m
	}
	for e := range root.Children() {
		switch text := e.Content(); e.Name {
		case "dc:title":
			m.Title = text
		case "dc:creator":
			m.Author = text
		case "dc:subject":
			m.Subject = text
		case "dc:description":
			m.Description = text
		case "dc:language":
			m.Language = text
		case "cp:keywords":
			m.Keywords = text
		case "dcterms:created":
			m.Created = doctree.Time(text)
		case "dcterms:modified":
			m.Modified = doctree.Time(text)
		}
	}
	return m
}

// Pages returns how many pages the program that saved the document last saw in
// it (ECMA-376 part 1, 22.2.2.14), 0 where it does not say.
func (p *Package) Pages(ctx context.Context) int {
	root, _ := p.XML(ctx, p.Relations(ctx, "").Part("extended-properties"))
	n, err := strconv.Atoi(strings.TrimSpace(root.Get("app:Pages").Content()))
	if err != nil || n < 0 || n > maxPages {
		return 0
	}
	return n
}

const maxPages = 1_000_000 // that a document may claim
