// SPDX-License-Identifier: Apache-2.0

package epub

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/sorting"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/internal/zipxml"
)

// Options control how a book is read.
type Options struct {
	Nodes  int            // nodes of the tree; zero means 2,000,000. The rest is left out, with a warning
	Budget *zipxml.Budget // bounds the decompressed bytes; nil means a budget of its own
}

const maxChapters = 10_000

// maxFallbacks is how many alternatives of a part that is no page are tried.
const maxFallbacks = 10

// words maps the namespaces of the book's metadata files to prefixes.
var words = zipxml.Vocabulary{
	"urn:oasis:names:tc:opendocument:xmlns:container":  "container",
	"http://www.idpf.org/2007/opf":                     "opf",
	"http://openebook.org/namespaces/oeb-package/1.0/": "opf",
	"http://purl.org/dc/elements/1.1/":                 "dc",
	"http://www.daisy.org/z3986/2005/ncx/":             "ncx",
	"http://www.w3.org/2001/04/xmlenc#":                "enc",
}

// Read reads the book in the first size bytes of r. The error wraps
// [zipxml.ErrMalformed], [zipxml.ErrEncrypted], [zipxml.ErrLimit] or the
// cause that ended ctx. If a chapter cannot be read, there is a warning.
func Read(ctx context.Context, r io.ReaderAt, size int64, o Options) (*doctree.Document, error) {
	if o.Nodes == 0 {
		o.Nodes = 2_000_000
	}
	archive, err := zipxml.Open(r, size, zipxml.Limits{Budget: o.Budget})
	if err != nil {
		return nil, err
	}
	d := &reader{options: o, archive: archive, screen: dom.Screen{Spoken: true}, doc: &doctree.Document{}, chapters: map[string]int{}, titles: map[string]string{}}
	if d.isEncrypted(ctx) {
		return nil, fmt.Errorf("book: %w", zipxml.ErrEncrypted)
	}
	if err := d.contents(ctx); err != nil {
		return nil, err
	}
	body := d.doc.Begin(&d.b, "epub")
	read := 0
	for i, name := range d.spine {
		ok, err := d.chapter(ctx, body, name, i+1)
		if err != nil {
			return nil, err
		}
		if ok {
			read++
		}
		if left := len(d.spine) - i - 1; left > 0 && d.nodes >= d.options.Nodes {
			d.doc.Warn("truncated", 0, fmt.Sprintf("The book needs more than %d nodes: %d of its %d chapters were not read.", d.options.Nodes, left, len(d.spine)))
			break
		}
	}
	d.doc.WarnHidden(d.screen.Hidden, "Text that the book hides was left out")
	d.doc.WarnCount("part-unreadable", 0, "Frames, media and embedded objects of pages that were left out", d.screen.Embeds)
	d.doc.WarnCount("part-unreadable", 0, "Fields and buttons of forms that were left out", d.screen.Fields)
	if read == 0 {
		return nil, fmt.Errorf("%w: no chapter can be read", zipxml.ErrMalformed)
	}
	return d.doc, nil
}

// reader is the state for reading one book.
type reader struct {
	options  Options
	archive  *zipxml.Archive
	b        doctree.Builder
	doc      *doctree.Document
	spine    []string
	chapters map[string]int    // number of each file, from 1
	titles   map[string]string // titles from the navigation, by file
	nodes    int
	sheets   map[string]dom.Sheet // by file
	styled   int                  // bytes of style sheets read
	screen   dom.Screen
}

// xml returns the root of a file, or nil if there is none.
func (d *reader) xml(ctx context.Context, name string) *zipxml.Element {
	data, err := d.archive.Read(name)
	if len(data) == 0 && err != nil {
		return nil
	}
	root, _ := zipxml.Parse(ctx, data, words) // use what could be parsed
	return root
}

// isEncrypted reports whether anything but fonts is encrypted.
func (d *reader) isEncrypted(ctx context.Context) bool {
	for e := range d.xml(ctx, "META-INF/encryption.xml").Descendants() {
		if e.Name != "enc:EncryptedData" {
			continue
		}
		switch e.Get("enc:EncryptionMethod").Attr("Algorithm") {
		case "http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC":
		default:
			return true
		}
	}
	return false
}

// contents reads the package document: the metadata, the files in spine
// order, and the titles of the navigation.
func (d *reader) contents(ctx context.Context) error {
	name := ""
	if e := d.xml(ctx, "META-INF/container.xml").Find("container:rootfile"); e != nil {
		name = e.Attr("full-path")
	}
	if !d.archive.Has(name) {
		i := slices.IndexFunc(d.archive.Names(), func(n string) bool { return strings.HasSuffix(strings.ToLower(n), ".opf") })
		if i < 0 {
			return fmt.Errorf("%w: no package document", zipxml.ErrMalformed)
		}
		name = d.archive.Names()[i]
	}
	data, err := d.archive.Read(name)
	root, broken := zipxml.Parse(ctx, data, words) // use what could be parsed
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil || broken != nil {
		d.doc.WarnPart(name) // chapters may be missing from the spine
	}
	d.doc.Meta = readMeta(root.Get("opf:metadata"))
	files, media, instead := map[string]string{}, map[string]string{}, map[string]string{}
	var navigation []string
	for item := root.Get("opf:manifest").Named("opf:item"); item != nil; item = item.Same() {
		id, file := item.Attr("id"), resolve(name, item.Attr("href"))
		files[id], media[id], instead[id] = file, item.Attr("media-type"), item.Attr("fallback")
		switch {
		case slices.Contains(strings.Fields(item.Attr("properties")), "nav"):
			navigation = slices.Insert(navigation, 0, file)
		case media[id] == "application/x-dtbncx+xml":
			navigation = append(navigation, file)
		}
	}
	navigation = sorting.Without(navigation, func(file string) bool { return !d.navigation(ctx, file) })
	var others []string // parts that are not pages
	beyond := 0         // pages beyond the limit
	for ref := root.Get("opf:spine").Named("opf:itemref"); ref != nil; ref = ref.Same() {
		id := ref.Attr("idref")
		for range maxFallbacks {
			if isPage(media[id], files[id]) || files[instead[id]] == "" {
				break
			}
			id = instead[id]
		}
		switch {
		case !isPage(media[id], files[id]):
			others = append(others, cmp.Or(files[id], id))
		case d.chapters[files[id]] != 0:
		case len(d.spine) == maxChapters:
			beyond++
		default:
			d.spine = append(d.spine, files[id])
			d.chapters[files[id]] = len(d.spine)
		}
	}
	if n := len(others); n > 0 {
		d.doc.Warn("part-unreadable", 0, fmt.Sprintf("Parts of the book that are not pages of XHTML or that it does not have were not read: %d (%s).", n, listed(others)))
	}
	if beyond == 0 {
		d.warnApart(root.Get("opf:manifest"), name, navigation)
	}
	if beyond > 0 {
		d.doc.Warn("truncated", 0, fmt.Sprintf("The book has more than %d chapters: %d were not read.", maxChapters, beyond))
	}
	if len(d.spine) == 0 {
		return fmt.Errorf("%w: no spine", zipxml.ErrMalformed)
	}
	return nil
}

// listed returns the first names of a list as a text.
func listed(names []string) string {
	const most = 5
	text := doctree.Clean(strings.Join(names[:min(most, len(names))], ", "))
	if len(names) > most {
		text += ", …"
	}
	return text
}

// warnApart adds a warning that names the pages of the manifest that the reading order of
// the package document called name lacks, except the navigation.
func (d *reader) warnApart(manifest *zipxml.Element, name string, navigation []string) {
	var apart []string
	for item := manifest.Named("opf:item"); item != nil; item = item.Same() {
		file := resolve(name, item.Attr("href"))
		if media := item.Attr("media-type"); media != "application/xhtml+xml" && media != "text/html" || d.chapters[file] != 0 {
			continue
		}
		if d.archive.Has(file) && !slices.Contains(navigation, file) {
			apart = append(apart, file)
		}
	}
	if n := len(apart); n > 0 {
		d.doc.Warn("part-unreadable", 0, fmt.Sprintf("Pages that the reading order of the book lacks were not read: %d (%s).", n, listed(apart)))
	}
}

// isPage reports whether a file of the spine can be read.
func isPage(media, file string) bool {
	switch media {
	case "application/xhtml+xml", "text/html", "text/x-oeb1-document", "application/xml", "":
		return file != ""
	}
	return false
}

// resolve returns the file that href in the file from refers to. It returns
// "" for targets outside the book.
func resolve(from, href string) string {
	href, _, _ = strings.Cut(href, "#")
	if href == "" || strings.Contains(href, "://") || strings.HasPrefix(strings.ToLower(href), "mailto:") {
		return ""
	}
	return path.Join(path.Dir("/"+from), weburl.Unescape(href))[1:]
}

func readMeta(e *zipxml.Element) doctree.Meta {
	var m doctree.Meta
	var authors, others, subjects []string
	main := ""                   // reference to the title that is not a subtitle or the name of a series
	roles := map[string]string{} // of creators, by reference
	for c := e.Named("opf:meta"); c != nil; c = c.Same() {
		switch text := strings.TrimSpace(c.Content()); {
		case c.Attr("property") == "title-type" && text == "main":
			main = c.Attr("refines")
		case c.Attr("property") == "role":
			roles[c.Attr("refines")] = text
		}
	}
	for c := range e.Descendants() {
		switch text := strings.TrimSpace(c.Content()); c.Name {
		case "dc:title":
			if m.Title == "" || "#"+c.Attr("id") == main {
				m.Title = text
			}
		case "dc:creator":
			if role := cmp.Or(c.Attr("opf:role"), roles["#"+c.Attr("id")], "aut"); role == "aut" {
				authors = append(authors, text)
			} else { // such as a translator
				others = append(others, text)
			}
		case "dc:subject":
			subjects = append(subjects, text)
		case "dc:description":
			m.Description = text
		case "dc:language":
			if m.Language == "" {
				m.Language = text
			}
		case "dc:date":
			if m.Created.IsZero() {
				m.Created = doctree.Time(text)
			}
		case "opf:meta":
			if c.Attr("property") == "dcterms:modified" {
				m.Modified = doctree.Time(text)
			}
		}
	}
	if len(authors) == 0 {
		authors = others
	}
	m.Author, m.Keywords = strings.Join(authors, ", "), strings.Join(subjects, ", ")
	return m
}

// navigation reads the titles in a navigation document or NCX. It reports whether the
// file is one.
func (d *reader) navigation(ctx context.Context, file string) bool {
	data, _ := d.archive.Read(file)
	if strings.HasSuffix(strings.ToLower(file), ".ncx") {
		root, _ := zipxml.Parse(ctx, data, words)
		for e := range root.Descendants() {
			if e.Name == "ncx:navPoint" {
				d.entitle(resolve(file, e.Get("ncx:content").Attr("src")), e.Get("ncx:navLabel").Content())
			}
		}
		return true
	}
	text, _ := expand(zipxml.Narrow(data))
	page, err := dom.Parse(ctx, text, "")
	if err != nil {
		return false
	}
	is, pages := false, false // pages is whether the links are numbers of printed pages, which are no titles
	for n := range page.Root.Descendants() {
		switch {
		case n.DataAtom == atom.Nav:
			is, pages = true, slices.Contains(strings.Fields(dom.Attr(n, "epub:type")), "page-list")
		case n.DataAtom == atom.A && !pages:
			d.entitle(resolve(file, dom.Attr(n, "href")), dom.Text(n))
		}
	}
	return is
}

func (d *reader) entitle(file, title string) {
	if title = strings.Join(strings.Fields(title), " "); file != "" && d.titles[file] == "" {
		d.titles[file] = title
	}
}

// chapter reads file n of the spine into a section and reports whether it
// could. The error is a limit or the error of ctx.
func (d *reader) chapter(ctx context.Context, body *html.Node, name string, n int) (bool, error) {
	data, err := d.archive.Read(name)
	if errors.Is(err, zipxml.ErrLimit) || errors.Is(err, zipxml.ErrEncrypted) {
		return false, err
	}
	if err != nil {
		d.doc.WarnPart(name)
		if len(data) == 0 {
			return false, nil
		}
	}
	data = zipxml.Narrow(data)
	text, damaged := expand(data)
	page, failed := dom.Parser{Nodes: max(1, d.options.Nodes-d.nodes)}.Parse(ctx, text, "")
	if failed != nil {
		return false, failed
	}
	if err == nil && (damaged || !ended(data)) {
		d.doc.WarnPart(name)
	}
	for _, l := range page.Losses("Chapter " + strconv.Itoa(n)) {
		if l.Code == "damaged-text" {
			d.doc.WarnPart(name)
			continue
		}
		d.doc.Warn(l.Code, 0, l.Text)
	}
	section := d.b.Append(body, atom.Section, "id", "c"+strconv.Itoa(n))
	from := page.Root
	for e := range page.Root.Descendants() {
		if e.DataAtom == atom.Body {
			from = e
			break
		}
	}
	for c := from.FirstChild; c != nil; c = from.FirstChild {
		from.RemoveChild(c)
		section.AppendChild(c)
	}
	p := pruner{d: d, name: name, prefix: "c" + strconv.Itoa(n) + "-", sheets: d.sheetsOf(page.Root, name)}
	if !p.prune(section) && d.titles[name] != "" {
		d.head(section, d.titles[name])
	}
	if id := dom.Attr(from, "id"); id != "" {
		section.InsertBefore(d.b.Element(atom.Span, "id", p.prefix+id), section.FirstChild)
	}
	return true, nil
}

// ended reports whether a file of the spine has the end tag of its root, without which
// XML is not well-formed.
func ended(data []byte) bool {
	const near = 4 << 10 // comments may follow
	tail := bytes.ToLower(data[max(0, len(data)-near):])
	return bytes.Contains(tail, []byte("</html")) || bytes.Contains(tail, []byte(":html>"))
}

// head gives a chapter without a heading its title from the navigation. If
// the first paragraph has the same text, it becomes the heading; otherwise a
// heading is added. A chapter without visible content gets none.
func (d *reader) head(section *html.Node, title string) {
	var first *html.Node // the first visible node
	for n := range section.Descendants() {
		if n.Type == html.TextNode && strings.TrimSpace(n.Data) != "" || n.DataAtom == atom.Img {
			first = n
			break
		}
	}
	if first == nil {
		return
	}
	for p := first; p != section; p = p.Parent {
		if p.DataAtom == atom.P && strings.Join(strings.Fields(dom.Text(p)), " ") == title {
			p.DataAtom, p.Data = atom.H2, "h2"
			for n := range p.Descendants() {
				if n.DataAtom == atom.Strong {
					n.DataAtom, n.Data = atom.Span, "span" // bold is part of the heading style
				}
			}
			return
		}
	}
	h := d.b.Element(atom.H2)
	d.b.Text(h, title)
	section.InsertBefore(h, section.FirstChild)
}
