// SPDX-License-Identifier: Apache-2.0

package ooxml

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
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
	main      string            // the part that Main has returned
	found     []string          // parts that were read without a relationship
	scanner   *zipxml.Scanner   // for parts whose elements are not kept
	missed    map[string]bool   // relationships that were requested but do not exist, by part and ID
	kinds     map[string]string // the type of the first relationship that leads to a part, by its name
	strange   []string          // parts with another root than their relationship says
}

// Relations are the relationships of one part. The zero value has none.
type Relations struct {
	list []Relation
	byID map[string]int // index in list

	missed map[string]bool // the map of the package; nil for the zero value
	part   string
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
	return &Package{Archive: a, relations: map[string]Relations{}, missed: map[string]bool{}, kinds: map[string]string{}, scanner: zipxml.NewScanner("", nil)}, nil
}

// XML returns the root of a part, like [zipxml.Archive.XML].
func (p *Package) XML(ctx context.Context, part string) (*zipxml.Element, error) {
	root, err := p.Archive.XML(ctx, part, Words)
	if root != nil {
		p.Root(part, root.Name)
	}
	return root, err
}

// roots are the names of the roots of parts with text, without prefixes, by the type of
// the relationship that leads to them.
var roots = [...]struct{ kind, names string }{
	{"officeDocument", "document presentation workbook"},
	{"worksheet", "worksheet"},
	{"sharedStrings", "sst"},
	{"table", "table"},
	{"styles", "styles styleSheet"},
	{"numbering", "numbering"},
	{"settings", "settings"},
	{"header", "hdr"},
	{"footer", "ftr"},
	{"footnotes", "footnotes"},
	{"endnotes", "endnotes"},
	{"comments", "comments cmLst Comments"},
	{"threadedComment", "ThreadedComments"},
	{"core-properties", "coreProperties"},
	{"commentAuthors", "cmAuthorLst"},
	{"authors", "authorLst"},
	{"person", "personList"},
	{"slide", "sld"},
	{"slideLayout", "sldLayout"},
	{"slideMaster", "sldMaster"},
	{"notesSlide", "notes"},
	{"drawing", "wsDr"},
	{"chart", "chartSpace"},
	{"chartEx", "chartSpace"},
	{"diagramData", "dataModel"},
	{"pages", "Pages"},
	{"page", "PageContents"},
	{"masters", "Masters"},
	{"master", "MasterContents"},
	{"theme", ""},
	{"fontTable", ""},
	{"webSettings", ""},
	{"stylesWithEffects", ""},
	{"calcChain", ""},
	{"printerSettings", ""},
	{"presProps", ""},
	{"notesMaster", ""},
	{"viewProps", ""},
	{"tableStyles", ""},
	{"extended-properties", ""},
	{"custom-properties", ""},
}

// rootsOf returns the names of the roots of parts of a kind, which are none if such parts have
// no text, and whether the kind is known.
func rootsOf(kind string) (names []string, known bool) {
	for _, r := range roots {
		if r.kind == kind {
			return strings.Fields(r.names), true
		}
	}
	return nil, false
}

// isLost reports whether a part has text that no reader has looked for, because the type
// of the relationship that leads to it is not known or that of other parts, for example
// because it is damaged. Parts are decompressed only if their name does not agree with the
// relationship, as "slideLayout3.xml" does, because to look into all of them costs a quarter
// of the time in which slides are read. If two parts with agreeing names were exchanged,
// [Package.Root] names the one that a reader opens.
func (p *Package) isLost(part, kind string) bool {
	usual, known := rootsOf(kind)
	if known && len(usual) == 0 || p.Opened(part) || known && isNamed(part, kind) {
		return false
	}
	name := p.rootName(part)
	if slices.Contains(usual, name) { // it is left out on purpose, such as a hidden sheet
		return false
	}
	for _, r := range roots {
		if slices.Contains(strings.Fields(r.names), name) {
			return true
		}
	}
	return false
}

// isNamed reports whether the name of a part is a kind with a number, which may be left out.
func isNamed(part, kind string) bool {
	name, _ := strings.CutSuffix(path.Base(part), ".xml")
	return strings.TrimRight(name, "0123456789") == kind
}

// isStray reports whether a relationship leads from the layout of slides to what belongs
// to a slide, which nothing reads there: relationships of two parts were exchanged.
func (p *Package) isStray(from, kind string) bool {
	switch p.kinds[from] {
	case "slideLayout", "slideMaster":
		return kind == "comments" || kind == "notesSlide" || kind == "slide"
	}
	return false
}

// rootName returns the name of the root of a part without its prefix, or "" if it is not
// near the beginning. Parts of a binary workbook have the name that they have in XML.
func (p *Package) rootName(part string) string {
	r, err := p.Stream(part)
	if err != nil {
		return ""
	}
	defer r.Close()
	head, _ := io.ReadAll(io.LimitReader(r, 1<<10)) // what comes before a fault counts
	for name, record := range map[string]string{"worksheet": "\x81\x01", "sst": "\x9F\x01", "comments": "\xF4\x04"} {
		if strings.HasPrefix(string(head), record) {
			return name
		}
	}
	for tag := range strings.SplitSeq(string(head), "<") {
		if tag = strings.TrimLeft(tag, "\uFEFF \t\r\n"); tag == "" || tag[0] == '?' || tag[0] == '!' {
			continue
		}
		name, _, _ := strings.Cut(tag, ">")
		name, _, _ = strings.Cut(name, "/")
		if fields := strings.Fields(name); len(fields) > 0 {
			return fields[0][strings.IndexByte(fields[0], ':')+1:]
		}
	}
	return ""
}

// Root records the name of the root of a part that is read as a stream, so that
// [Package.Warn] names parts that are not what their relationship says.
func (p *Package) Root(part, name string) {
	space, local, ok := strings.Cut(name, ":")
	if !ok {
		space, local = "", name
	}
	known, _ := rootsOf(p.kinds[part])
	if len(known) > 0 && (space == "?" || !slices.Contains(known, local)) && !slices.Contains(p.strange, part) {
		p.strange = append(p.strange, part)
	}
}

// brief is like [Package.XML], but the elements are valid only until the next call.
func (p *Package) brief(ctx context.Context, part string) (*zipxml.Element, error) {
	return p.XMLIn(ctx, p.scanner, part, Words)
}

// Relations returns the relationships of a part, or of the package if part
// is "". If they are malformed, it returns those before the fault.
func (p *Package) Relations(ctx context.Context, part string) Relations {
	if r, ok := p.relations[part]; ok {
		return r
	}
	dir, file := path.Split(part)
	name := dir + "_rels/" + file + ".rels"
	list := Relations{missed: p.missed, part: part}
	if !p.Has(name) { // as most parts to which relationships lead
		p.relations[part] = list
		return list
	}
	root, err := p.brief(ctx, name)
	if err != nil || root.Name != "rel:Relationships" {
		p.torn = append(p.torn, name)
	}
	list.byID = map[string]int{}
	for e := root.Named("rel:Relationship"); e != nil; e = e.Same() {
		r := Relation{
			ID: e.Attr("Id"), Type: path.Base(e.Attr("Type")), Target: e.Attr("Target"),
			External: strings.EqualFold(e.Attr("TargetMode"), "External"),
		}
		if !r.External {
			r.Target, _, _ = strings.Cut(strings.ReplaceAll(r.Target, `\`, "/"), "#")
			if !strings.HasPrefix(r.Target, "/") {
				r.Target = dir + r.Target
			}
			r.Target = zipxml.Clean(r.Target)
		}
		if p.kinds[r.Target] == "" && !r.External {
			p.kinds[r.Target] = r.Type
		}
		if _, ok := list.byID[r.ID]; !ok {
			list.byID[r.ID] = len(list.list)
		}
		list.list = append(list.list, r)
	}
	p.relations[part] = list
	return list
}

// Warn adds warnings that name parts with faulty relationships: parts whose
// relationships could not be read completely, and parts to which no relationship
// leads, for example because the relationships of another part are missing. It also
// names parts that are empty or missing although a relationship leads to them. The
// texts, pictures and links of such parts, and of the parts to which they lead, may be
// missing.
func (p *Package) Warn(ctx context.Context, d *doctree.Document) {
	apart, lost, unknown := p.reach(ctx)
	if name := "_rels/.rels"; !p.Has(name) {
		p.torn = append(p.torn, name)
	}
	for _, part := range p.torn {
		d.WarnPart(part)
	}
	warnNamed(d, "Parts that are not what their relationships say, so that text may be missing", p.strange)
	warnNamed(d, "Relationships lead to these parts, which are missing or empty", lost)
	warnNamed(d, "Relationships of other or unknown types lead to these parts, which were not read", unknown)
	warnNamed(d, "No relationship leads to these parts, which were not read", apart)
	d.WarnCount("part-unreadable", 0, "Links or objects of the file whose relationships are missing", len(p.missed))
}

// warnNamed adds a warning about parts. It names at most maxNamed of them.
func warnNamed(d *doctree.Document, text string, parts []string) {
	if len(parts) == 0 {
		return
	}
	named := strings.Join(parts[:min(len(parts), maxNamed)], ", ")
	if more := len(parts) - maxNamed; more > 0 {
		named += " and " + strconv.Itoa(more) + " more"
	}
	d.Warn("part-unreadable", 0, text+": "+named+".")
}

// maxNamed is the maximum number of parts that a warning names.
const maxNamed = 5

// isContent reports whether a part with this name may contain text: properties, thumbnails
// and data of other programs do not count.
func isContent(name string) bool {
	return isPart(name) && !hasPrefixFold(name, "docProps/") && !hasPrefixFold(name, "customXml/") && !strings.EqualFold(name, "[Content_Types].xml")
}

// isPart reports whether a part with this name has relationships of its own.
func isPart(name string) bool {
	if strings.HasSuffix(name, ".xml") { // nearly all are written so
		return true
	}
	ext := path.Ext(name)
	return strings.EqualFold(ext, ".xml") || strings.EqualFold(ext, ".bin")
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// Found records that parts are read although no relationship leads to them, so that
// [Package.Warn] does not say that they are left out.
func (p *Package) Found(parts ...string) { p.found = append(p.found, parts...) }

// reach follows the relationships of the package. It returns the names of the parts with
// content to which none leads, of those that are empty or missing although one leads to
// them, and of those with text to which one of another or unknown type leads. Relationships
// that no reader has asked for, such as those of the layouts that no slide uses, are read
// only while such parts are left.
func (p *Package) reach(ctx context.Context) (apart, lost, unknown []string) {
	left := map[string]bool{} // parts with content to which no relationship has led yet
	for _, name := range p.Names() {
		if isContent(name) {
			left[name] = true
		}
	}
	reached := map[string]bool{}
	var read, unread []string // parts whose relationships are to be followed
	add := func(part string) {
		reached[part] = true
		delete(left, part)
		if _, ok := p.relations[part]; ok {
			read = append(read, part)
		} else {
			unread = append(unread, part)
		}
	}
	add("")
	for _, part := range append([]string{p.main}, p.found...) {
		add(p.Name(part))
	}
	for len(read) > 0 || len(left) > 0 && len(unread) > 0 {
		var part string
		if n := len(read); n > 0 {
			part, read = read[n-1], read[:n-1]
		} else {
			part, unread = unread[0], unread[1:]
		}
		for _, r := range p.Relations(ctx, part).All() {
			if r.External || !isPart(r.Target) {
				continue // pictures and similar parts have no relationships, and their readers add warnings themselves
			}
			switch name := cmp.Or(p.Name(r.Target), r.Target); {
			case reached[name]:
			case !p.Has(name), p.Empty(name):
				lost = append(lost, r.Target)
				reached[name] = true
				delete(left, name)
			default:
				add(name)
				if p.isLost(name, r.Type) || p.isStray(part, r.Type) {
					unknown = append(unknown, name)
				}
			}
		}
	}
	for _, name := range p.Names() {
		if left[name] {
			apart = append(apart, name)
		}
	}
	return apart, lost, unknown
}

// Get returns the relationship with an ID, or the zero value if there is
// none.
func (r Relations) Get(id string) Relation {
	if id == "" {
		return Relation{}
	}
	if i, ok := r.byID[id]; ok {
		return r.list[i]
	}
	if r.missed != nil {
		r.missed[r.part+"\x00"+id] = true
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
	if part := p.Relations(ctx, "").Part("officeDocument"); part != "" {
		names = append([]string{part}, names...)
	}
	for _, name := range names {
		if p.Has(name) {
			p.main = name
			return name, nil
		}
	}
	return "", fmt.Errorf("%w: no main part", zipxml.ErrMalformed)
}

// ContentType returns the media type of a part, or "" if it is not declared.
func (p *Package) ContentType(ctx context.Context, part string) string {
	if p.types == nil {
		root, _ := p.brief(ctx, "[Content_Types].xml")
		p.types = &contentTypes{parts: map[string]string{}, extensions: map[string]string{}}
		for e := root.First(); e != nil; e = e.Next() {
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
	part := p.Relations(ctx, "").Part("core-properties")
	root, err := p.brief(ctx, part)
	if err != nil && p.Has(part) && !p.Empty(part) {
		p.torn = append(p.torn, part)
	}
	if err != nil && !errors.Is(err, zipxml.ErrMalformed) {
		return m
	}
	if root != nil {
		p.Root(part, root.Name)
	}
	for e := root.First(); e != nil; e = e.Next() {
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
	root, _ := p.brief(ctx, p.Relations(ctx, "").Part("extended-properties"))
	n, err := strconv.Atoi(strings.TrimSpace(root.Get("app:Pages").Content()))
	if err != nil || n < 0 || n > maxPages {
		return 0
	}
	return n
}

const maxPages = 1_000_000 // largest credible page count
