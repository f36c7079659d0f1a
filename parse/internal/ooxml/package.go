// SPDX-License-Identifier: Apache-2.0

package ooxml

import (
	"cmp"
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

	relations map[string]Relations // by part name
	torn      []string             // parts with relationships that could not be read to their end
	types     *contentTypes
}

// Relations are the relationships of one part. The zero value has none.
type Relations struct {
	list []Relation
	byID map[string]int // index in list
}

// Relation is a relationship from a part to another part, or to a target
// outside the package.
type Relation struct {
	ID       string
	Type     string // last element of the type URI, such as "styles"
	Target   string // name of a part, or a URL if External is set
	External bool
}

// Open opens the package in the first size bytes of r. A nil budget means a
// budget of its own. The errors are those of [zipxml.Open].
func Open(r io.ReaderAt, size int64, budget *zipxml.Budget) (*Package, error) {
	a, err := zipxml.Open(r, size, zipxml.Limits{Budget: budget})
	if err != nil {
		return nil, err
	}
	return &Package{Archive: a, relations: map[string]Relations{}}, nil
}

// XML returns the root of a part, like [zipxml.Archive.XML].
func (p *Package) XML(ctx context.Context, part string) (*zipxml.Element, error) {
	return p.Archive.XML(ctx, part, Words)
}

// Relations returns the relationships of a part, or of the package if part
// is "". If they are malformed, it returns those before the fault.
func (p *Package) Relations(ctx context.Context, part string) Relations {
	if r, ok := p.relations[part]; ok {
		return r
	}
	dir, file := path.Split(part)
	name := path.Join(dir, "_rels", file+".rels")
	root, err := p.XML(ctx, name)
	if err != nil && p.Has(name) {
		p.torn = append(p.torn, name)
	}
	list := Relations{byID: map[string]int{}}
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
		if _, ok := list.byID[r.ID]; !ok {
			list.byID[r.ID] = len(list.list)
		}
		list.list = append(list.list, r)
	}
	p.relations[part] = list
	return list
}

// Warn names the parts with relationships that could not be read to their end.
// The texts, pictures and links to which they lead may be missing.
func (p *Package) Warn(d *doctree.Document) {
	for _, part := range p.torn {
		d.WarnPart(part)
	}
}

// Get returns the relationship with an ID, or the zero value if there is
// none.
func (r Relations) Get(id string) Relation {
	if i, ok := r.byID[id]; ok && id != "" {
		return r.list[i]
	}
	return Relation{}
}

// All returns the relationships in package order. The slice must not be
// changed.
func (r Relations) All() []Relation { return r.list }

// Part returns the first target of a type inside the package, or "" if there
// is none.
func (r Relations) Part(kind string) string {
	for _, x := range r.list {
		if x.Type == kind && !x.External {
			return x.Target
		}
	}
	return ""
}

// Source returns the URL of a picture on the web, or "" for other targets:
// paths refer to the author's computer.
func (r Relation) Source() string {
	scheme, _, _ := strings.Cut(r.Target, ":")
	if r.External && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")) {
		return strings.TrimSpace(r.Target)
	}
	return ""
}

// Main returns the main part of the document. If no relationship names one,
// it is the first of names that exists.
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

// ContentType returns the media type of a part, or "" if it is not declared.
func (p *Package) ContentType(ctx context.Context, part string) string {
	if p.types == nil {
		root, _ := p.XML(ctx, "[Content_Types].xml")
		p.types = &contentTypes{parts: map[string]string{}, extensions: map[string]string{}}
		for e := range root.Children() {
			into, key := p.types.parts, strings.TrimPrefix(e.Attr("PartName"), "/")
			if strings.HasSuffix(e.Name, ":Default") {
				into, key = p.types.extensions, "."+e.Attr("Extension")
			}
			if key = strings.ToLower(key); into[key] == "" {
				into[key] = e.Attr("ContentType")
			}
		}
	}
	return cmp.Or(p.types.parts[strings.ToLower(part)], p.types.extensions[strings.ToLower(path.Ext(part))])
}

// contentTypes are media types by part name and by extension, both in lower
// case.
type contentTypes struct{ parts, extensions map[string]string }

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

// Pages returns the number of pages that the program which saved the
// document recorded (ECMA-376 part 1, 22.2.2.14), or 0 if there is none.
func (p *Package) Pages(ctx context.Context) int {
	root, _ := p.XML(ctx, p.Relations(ctx, "").Part("extended-properties"))
	n, err := strconv.Atoi(strings.TrimSpace(root.Get("app:Pages").Content()))
	if err != nil || n < 0 || n > maxPages {
		return 0
	}
	return n
}

const maxPages = 1_000_000 // largest credible page count
