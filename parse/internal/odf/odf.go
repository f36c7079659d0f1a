// SPDX-License-Identifier: Apache-2.0

package odf

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/embedded"
	"example.com/curlew/parse/internal/ooxml"
	"example.com/curlew/parse/internal/sheet"
)

// Options control how a document is read.
type Options struct {
	Kind   string         // kind of the document: odt, ods or odp
	Hidden doctree.Hidden // how hidden text, shapes, slides, sheets, rows and columns are handled
	Nodes  int            // nodes of the tree; zero means 2,000,000. The rest is left out, with a warning
	Cells  int            // cells of tables; zero means 4,000,000. The rest is left out, with a warning
	Budget *zipxml.Budget // bounds the decompressed bytes; nil means a budget of its own

	Objects embedded.Objects // reads documents of other programs; the zero value names them in a warning
}

// Bounds on content that a small document can multiply.
const (
	maxNesting = 32

	maxEmbedded = 3         // documents in each other
	maxSlots    = 4_000_000 // cells of all tables
	maxColumns  = 16_384
	maxRows     = 1 << 20   // of a sheet
	maxPages    = 1_000_000 // largest credible page count
	maxRepeat   = 64 << 20  // bytes that repetition adds
	nodeBytes   = 128       // cost of a repeated node besides its text
)

// Read reads the document in the first size bytes of r. The error wraps
// [zipxml.ErrMalformed], [zipxml.ErrEncrypted], [zipxml.ErrLimit] or the
// cause that ended ctx.
func Read(ctx context.Context, r io.ReaderAt, size int64, o Options) (*doctree.Document, error) {
	if o.Nodes == 0 {
		o.Nodes = 2_000_000
	}
	if o.Cells == 0 {
		o.Cells = maxSlots
	}
	d := &reader{options: o, objects: o.Objects, doc: &doctree.Document{}, styles: newStyles(), lists: map[string]*counter{}}
	content, done, err := d.open(ctx, r, size)
	if err != nil {
		return nil, err
	}
	defer done()
	body := d.begin()
	if err := d.content(ctx, content, body); err != nil {
		return nil, err
	}
	d.finish()
	d.flush(&doctree.Flow{B: &d.b, Into: body})
	d.running(ctx, body)
	d.notes.Write(&d.b, body)
	doctree.Anchors(body)
	d.objects.Warn(d.doc)
	d.charts.Warn(d.doc)
	d.doc.WarnCut(d.reason, d.cut)
	d.doc.WarnCut("The document is nested too deeply", d.deep)
	d.doc.WarnHidden(d.hidden, "Text that the document hides was left out")
	d.doc.WarnHidden(d.placeholders, "Texts that ask for the content of an empty field were left out")
	d.doc.WarnFields(d.unfilled)
	d.doc.WarnCovered()
	d.doc.WarnChanges(d.changes)
	d.doc.WarnCount("part-unreadable", 0, "Messages that appear beside selected cells, which were left out", d.prompts)
	d.doc.WarnHidden(d.veiled, "Shapes that the document hides were left out")
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	return d.doc, nil
}

// begin creates the nodes that every tree has and returns the body.
func (d *reader) begin() *html.Node {
	if d.options.Kind != "ods" {
		return d.doc.Begin(&d.b, d.options.Kind)
	}
	d.book = &sheet.Book{Hidden: d.options.Hidden, Doc: d.doc, Nodes: d.options.Nodes, Cells: d.options.Cells}
	d.book.Begin(d.options.Kind)
	return d.book.Body
}

// reader is the state for reading one document.
type reader struct {
	options  Options
	archive  *zipxml.Archive // nil for a flat document
	torn     bool            // the content could not be decompressed completely, or its checksum is wrong
	b        doctree.Builder
	doc      *doctree.Document
	styles   *styles
	lists    map[string]*counter // by style
	outline  [10]int             // counts of headings
	notes    doctree.Notes
	pending  []*html.Node // references to comments, for the next paragraph
	ids      doctree.IDs
	depth    int
	slots    int
	repeats  int                // bytes
	copies   int                // number of slots that repeat others
	again    bool               // the current content is a repetition
	slide    int                // number of the slide or sheet
	masters  map[string]bool    // master pages of the slides that were read
	controls map[string]control // of forms, by id
	declared map[string]string  // headers, footers and dates of slides
	book     *sheet.Book        // for spreadsheets
	sheet    *openSheet         // nil outside sheets
	head     bool               // the current cell is in a header
	cells    int                // depth of nested cells
	side     doctree.Side       // alignment of the current cell
	objects  embedded.Objects
	charts   ooxml.ChartLoss
	nested   int         // depth of embedded documents
	cut      doctree.Cut // what was left out because the tree is full
	deep     doctree.Cut // what was left out because it is nested too deeply
	reason   string      // why the tree is full; "" if it is not
	hidden   int         // number of places with hidden text
	link     string      // of the text box that is being read
	prompts  int         // messages beside selected cells
	changes  int         // deletions of tracked changes that have text
	veiled   int         // hidden shapes
	unfilled int         // fields without the text that they show

	placeholders int // texts of empty fields that were left out

	unseen int // depth of hidden paragraphs and sections that are kept
}

// open reads everything except the content. It returns a scanner for the
// content and a function that closes it. Spreadsheets are read as a stream.
// Other content is limited to the size of a part.
func (d *reader) open(ctx context.Context, r io.ReaderAt, size int64) (content *zipxml.Scanner, done func(), err error) {
	done = func() {}
	head := make([]byte, HeadSize)
	if n, _ := r.ReadAt(head, 0); IsFlat(head[:n]) {
		data, err := d.flat(ctx, r, size)
		return zipxml.NewScanner(data, words), done, err
	}
	archive, err := zipxml.Open(r, size, zipxml.Limits{Budget: d.options.Budget})
	if err != nil {
		return nil, done, err
	}
	d.archive = archive
	manifest := d.xml(ctx, "META-INF/manifest.xml")
	if manifest.Find("manifest:encryption-data") != nil {
		return nil, done, fmt.Errorf("document: %w", zipxml.ErrEncrypted)
	}
	for e := manifest.Named("manifest:file-entry"); e != nil; e = e.Same() {
		if e.Attr("manifest:full-path") == "styles.xml" && !archive.Has("styles.xml") {
			d.doc.WarnPart("styles.xml") // it has headers and footers, too
			break
		}
	}
	d.meta(d.xml(ctx, "meta.xml"))
	d.styles.read(d.xml(ctx, "styles.xml"))
	if d.options.Kind == "ods" {
		part, err := archive.Stream("content.xml")
		if err == nil {
			return zipxml.NewStreamScanner(part, words), func() { part.Close() }, nil
		}
		return nil, done, lacking(err)
	}
	data, err := archive.Text("content.xml")
	if len(data) == 0 {
		return nil, done, lacking(err)
	}
	d.torn = err != nil
	return zipxml.NewScanner(data, words), done, nil
}

// HeadSize is how many bytes at the start of a document [IsFlat] needs.
const HeadSize = 64

// IsFlat reports whether a document is a single XML file and not a container.
func IsFlat(head []byte) bool {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")), " \r\n\t")
	return bytes.HasPrefix(text, []byte("<")) || bytes.HasPrefix(head, []byte("\xFF\xFE"))
}

// lacking returns the error for a document without content.
func lacking(err error) error {
	if err == nil || !errors.Is(err, zipxml.ErrLimit) && !errors.Is(err, zipxml.ErrEncrypted) {
		err = fmt.Errorf("%w: no content: %w", zipxml.ErrMalformed, errors.Join(err))
	}
	return err
}

// flat reads a document that is a single XML file. It reads the elements
// before the body first.
func (d *reader) flat(ctx context.Context, r io.ReaderAt, size int64) (string, error) {
	var b strings.Builder
	if _, err := io.Copy(&b, io.NewSectionReader(r, 0, size)); err != nil {
		return "", err
	}
	data := b.String()
	s := zipxml.NewScanner(data, words)
	for {
		t, err := s.Next(ctx)
		if err != nil {
			break // the content scanner will report the error again
		}
		if t.Kind != zipxml.Start || t.Name == "office:document" {
			continue
		}
		if t.Name == "office:body" {
			break
		}
		e, err := s.Tree(ctx, t)
		if err != nil {
			break
		}
		if e.Name == "office:meta" {
			d.meta(wrap(e))
		}
	}
	return data, ctx.Err()
}

// wrap puts e into an element, as in a part.
func wrap(e *zipxml.Element) *zipxml.Element { return zipxml.New("", nil, e) }

// xml returns the root of a part, or nil if there is none.
func (d *reader) xml(ctx context.Context, part string) *zipxml.Element {
	if d.archive == nil || !d.archive.Has(part) {
		return nil
	}
	root, err := d.archive.XML(ctx, part, words)
	if err != nil || roots[part] != "" && root.Name != roots[part] {
		d.doc.WarnPart(part)
	}
	return root
}

// roots are the names of the roots of parts.
var roots = map[string]string{
	"META-INF/manifest.xml": "manifest:manifest", "meta.xml": "office:document-meta", "styles.xml": "office:document-styles", "content.xml": "office:document-content",
}

// meta sets the document's properties. The numbers of slides and sheets are
// counted instead.
func (d *reader) meta(root *zipxml.Element) {
	d.doc.Meta = readMeta(root)
	if d.options.Kind != "odt" {
		d.doc.Meta.Pages, d.doc.Meta.TotalPages = 0, 0
	}
}

// readMeta reads the document's properties.
func readMeta(root *zipxml.Element) doctree.Meta {
	var m doctree.Meta
	var keywords []string
	for e := root.Get("office:meta").First(); e != nil; e = e.Next() {
		switch text := e.Content(); e.Name {
		case "dc:title":
			m.Title = text
		case "dc:subject":
			m.Subject = text
		case "dc:description":
			m.Description = text
		case "dc:language":
			m.Language = text
		case "meta:initial-creator":
			m.Author = text
		case "dc:creator":
			if m.Author == "" {
				m.Author = text
			}
		case "meta:document-statistic":
			if n := e.Int("meta:page-count", 0); n > 0 && n <= maxPages {
				m.Pages, m.TotalPages = n, n
			}
		case "meta:keyword":
			keywords = append(keywords, text)
		case "meta:creation-date":
			m.Created = doctree.Time(text)
		case "dc:date":
			m.Modified = doctree.Time(text)
		}
	}
	m.Keywords = strings.Join(keywords, ", ")
	return m
}

// content reads the body block by block. It reads the tables of a
// spreadsheet row by row.
func (d *reader) content(ctx context.Context, s *zipxml.Scanner, body *html.Node) error {
	f := &doctree.Flow{B: &d.b, Into: body}
	met := false
	for {
		t, err := s.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && t.Kind != zipxml.Start {
			if t.Kind == zipxml.End {
				if err := d.endPiece(ctx, t.Name); err != nil {
					return err
				}
			}
			continue
		}
		if err == nil {
			if !met && d.archive != nil && t.Name != roots["content.xml"] {
				d.doc.WarnPart("content.xml") // it is another part
			}
			met = true
			err = d.piece(ctx, f, s, t, body)
		}
		switch {
		case err == nil:
		case errors.Is(err, zipxml.ErrMalformed) && met:
			d.doc.WarnPart("content.xml")
			return d.endSheet(ctx)
		default:
			return fmt.Errorf("part content.xml: %w", err)
		}
	}
	if !met {
		return fmt.Errorf("part content.xml: %w: no XML", zipxml.ErrMalformed)
	}
	if d.torn {
		d.doc.WarnPart("content.xml")
	}
	return nil
}

// endPiece handles the end of an element whose content is read in parts.
func (d *reader) endPiece(ctx context.Context, name string) error {
	switch {
	case d.options.Kind != "ods":
	case name == "table:table":
		return d.endSheet(ctx)
	case d.sheet != nil:
		d.sheet.group(name, -1)
	}
	return nil
}

// trackedChanges counts the deletions that have text, and the changes of sheets that
// have the earlier content of a cell.
func (d *reader) trackedChanges(ctx context.Context, s *zipxml.Scanner, t zipxml.Token) error {
	all, err := s.Tree(ctx, t)
	for region := all.Named("text:changed-region"); region != nil; region = region.Same() {
		for p := region.Get("text:deletion").First(); p != nil; p = p.Next() {
			if p.Name != "office:change-info" && strings.TrimSpace(p.Content()) != "" {
				d.changes++
				break
			}
		}
	}
	for c := range all.Descendants() {
		if c.Name == "table:change-track-table-cell" && filled(c) {
			d.changes++
		}
	}
	s.Reuse()
	return err
}

// piece reads the element that begins with t, or enters it.
func (d *reader) piece(ctx context.Context, f *doctree.Flow, s *zipxml.Scanner, t zipxml.Token, body *html.Node) error {
	switch t.Name {
	case "office:document-content", "office:document", "office:body", "office:text", "office:presentation", "office:spreadsheet", "office:drawing":
		return nil
	case "office:chart", "office:image":
		d.doc.Warn("part-unreadable", 0, "The content is a chart or a picture, and not what the kind of the document says. Its text may be missing.")
		return nil
	case "office:scripts", "office:settings", "office:meta", "text:sequence-decls", "text:variable-decls", "text:user-field-decls",
		"table:calculation-settings", "table:named-expressions", "table:database-ranges":
		return s.Skip(ctx)
	case "text:tracked-changes", "table:tracked-changes":
		return d.trackedChanges(ctx, s, t)
	case "table:content-validations":
		e, err := s.Tree(ctx, t)
		for m := range e.Descendants() {
			if m.Name == "table:help-message" && doctree.Clean(m.Content()) != "" {
				d.prompts++
			}
		}
		s.Reuse()
		return err
	case "office:forms":
		e, err := s.Tree(ctx, t)
		d.forms(e)
		s.Reuse()
		return err
	case "presentation:header-decl", "presentation:footer-decl", "presentation:date-time-decl":
		e, err := s.Tree(ctx, t)
		if e != nil {
			d.declare(e, strings.TrimSuffix(strings.TrimPrefix(t.Name, "presentation:"), "-decl"))
		}
		return err
	case "office:styles", "office:automatic-styles", "office:master-styles":
		if d.slide > 0 {
			return s.Skip(ctx) // styles must precede the content
		}
	case "table:table":
		if d.options.Kind == "ods" {
			return d.beginSheet(ctx, s, t)
		}
	case "table:table-header-rows", "table:table-rows", "table:table-row-group", "table:table-header-columns", "table:table-columns", "table:table-column-group":
		if d.sheet != nil {
			d.sheet.group(t.Name, 1)
		}
		return nil
	}
	e, err := s.Tree(ctx, t)
	if e == nil {
		return err
	}
	switch {
	case e.Name == "office:styles" || e.Name == "office:automatic-styles" || e.Name == "office:master-styles":
		d.styles.read(wrap(e))
		s.Keep()
		return err
	case !d.room():
		d.leave(e)
	case d.sheet != nil:
		if over := d.sheet.piece(ctx, e); over != nil {
			return over
		}
		s.Recycle()
		return err
	case e.Name == "draw:page":
		d.page(ctx, body, e)
	default:
		d.block(ctx, f, e)
	}
	s.Reuse()
	return err
}

// finish records the number of slides or sheets and writes the comments of
// sheets.
func (d *reader) finish() {
	if d.options.Kind != "odt" {
		d.doc.Meta.TotalPages = d.slide
	}
	if d.book != nil {
		d.book.End()
	}
}

// running puts the headers of all master pages before the content of body, and their
// footers after it.
func (d *reader) running(ctx context.Context, body *html.Node) {
	if d.options.Kind == "odp" {
		d.backdrop(ctx, body)
		return
	}
	var r doctree.Running
	for _, master := range d.styles.masters {
		for _, m := range []struct {
			name string
			tag  atom.Atom
		}{
			{"style:header", atom.Header},
			{"style:header-first", atom.Header},
			{"style:header-left", atom.Header},
			{"style:footer", atom.Footer},
			{"style:footer-first", atom.Footer},
			{"style:footer-left", atom.Footer},
		} {
			e := master.Get(m.name)
			if e == nil || e.Attr("style:display") == "false" {
				continue
			}
			n := r.Begin(&d.b, m.tag)
			if d.options.Kind == "ods" {
				d.sheetRunning(n, e)
			} else {
				d.blocks(ctx, &doctree.Flow{B: &d.b, Into: n}, e)
			}
			r.Add(n)
		}
	}
	r.Write(body)
}

// sheetRunning adds the paragraphs of a header or footer of sheets to n, without their
// fields: the file has no values for them. A paragraph with a field and only one word,
// such as "Page" or "Page /", is left out.
func (d *reader) sheetRunning(n *html.Node, e *zipxml.Element) {
	for p := range e.Descendants() {
		if p.Name != "text:p" {
			continue
		}
		text, fields := withoutFields(p, 0)
		words := len(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
		if words > 1 || words == 1 && fields == 0 {
			d.b.Text(d.b.Append(n, atom.P), strings.Join(strings.Fields(text), " "))
		}
	}
}

// withoutFields returns the text of an element without fields of page numbers, names
// and dates, and the number of these fields.
func withoutFields(e *zipxml.Element, depth int) (text string, fields int) {
	var b strings.Builder
	for c := e.First(); c != nil; c = c.Next() {
		switch c.Name {
		case "":
			b.WriteString(c.Text)
		case "text:page-number", "text:page-count", "text:sheet-name", "text:file-name", "text:title", "text:date", "text:time":
			fields++
		case "text:s", "text:tab", "text:line-break":
			b.WriteByte(' ')
		default:
			if depth < maxNesting {
				inner, n := withoutFields(c, depth+1)
				b.WriteString(inner)
				fields += n
			}
		}
	}
	return b.String(), fields
}

// foreign returns a figure with the content of an object of another program, or
// nil if it cannot be read.
func (d *reader) foreign(ctx context.Context, e *zipxml.Element) *html.Node {
	href := strings.TrimPrefix(e.Attr("xlink:href"), "#") // of OpenOffice 1
	o := cfb.Object{Name: d.own(path.Base(href))}
	switch {
	case e.Get("office:binary-data") != nil: // in a flat document
		text := e.Get("office:binary-data").Content()
		if int64(len(text)) <= d.objects.Left() {
			o.Data, _ = base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), "")) // an object with damaged data counts as unread
			d.objects.Take(len(o.Data))
		}
		o.Name = ""
	case d.archive != nil && href != "" && !strings.Contains(href, ":"):
		o.Data, _ = d.archive.Read(path.Clean("/" + href)[1:]) // an object without data counts as unread
	}
	return d.objects.Read(ctx, &d.b, o, d.options.Nodes-d.b.Count()-d.objects.Made)
}

// object returns the root of an embedded object.
func (d *reader) object(ctx context.Context, href string) *zipxml.Element {
	href = strings.TrimPrefix(href, "#") // of OpenOffice 1
	if href == "" || strings.Contains(href, ":") {
		return nil
	}
	return d.xml(ctx, path.Join(path.Clean("/" + href)[1:], "content.xml"))
}
