// SPDX-License-Identifier: Apache-2.0

package docx

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/embedded"
	"example.com/curlew/parse/internal/ooxml"
)

// Changes selects how tracked changes are read.
type Changes uint8

const (
	// Accept reads the text as if all changes were accepted.
	Accept Changes = iota
	// Reject reads the text as if all changes were rejected.
	Reject
	// Mark keeps both, in ins and del elements.
	Mark
)

// Options control how a document is read. The zero value accepts all
// changes.
type Options struct {
	Changes Changes
	Hidden  doctree.Hidden // how hidden text, shapes, slides, sheets, rows and columns are handled
	Nodes   int            // nodes of the tree; zero means 2,000,000. The rest is left out, with a warning
	Budget  *zipxml.Budget // bounds the decompressed bytes; nil means a budget of its own

	// Child reads a document inside the document and returns its body, which
	// has at most the given number of nodes. It returns nil if it cannot
	// read the document. name and contentType are hints. If Child is nil,
	// such documents are left out, with a warning.
	Child func(ctx context.Context, name, contentType string, data []byte, nodes int) *html.Node
}

const maxNesting = 24 // nested tables, text boxes and content controls

// Read reads the document in the first size bytes of r. The error wraps
// [zipxml.ErrMalformed], [zipxml.ErrEncrypted], [zipxml.ErrLimit] or the
// cause that ended ctx. If a part cannot be read, or only partly, there is a
// warning.
func Read(ctx context.Context, r io.ReaderAt, size int64, o Options) (*doctree.Document, error) {
	if o.Nodes == 0 {
		o.Nodes = 2_000_000
	}
	pkg, err := ooxml.Open(r, size, o.Budget)
	if err != nil {
		return nil, err
	}
	main, err := pkg.Main(ctx, "word/document.xml")
	if err != nil {
		return nil, err
	}
	d := &reader{options: o, pkg: pkg, mainPart: main, part: main, doc: &doctree.Document{Meta: pkg.Meta(ctx)}}
	d.objects, d.metafiles = ooxml.Objects{Package: pkg, Objects: embedded.Objects{Child: o.Child, Budget: o.Budget}}, ooxml.Metafiles{Package: pkg}
	d.doc.Meta.TotalPages = pkg.Pages(ctx)
	d.doc.Meta.Pages = d.doc.Meta.TotalPages
	relations := pkg.Relations(ctx, main)
	d.styles = d.readStyles(ctx, relations.Part("styles"))
	d.commented = relations.Part("comments") != ""
	d.numbering = readNumbering(d.xml(ctx, relations.Part("numbering")))
	d.styles.numbering = d.numbering
	d.evenPages = ooxml.On(d.xml(ctx, relations.Part("settings")).Get("w:evenAndOddHeaders"))
	if d.doc.Meta.Language == "" {
		d.doc.Meta.Language = d.styles.lang
	}
	body := d.doc.Begin(&d.b, "docx")
	if err := d.body(ctx, main, body); err != nil {
		return nil, err
	}
	d.running(ctx, body)
	d.writeNotes(ctx)
	d.notes.Write(&d.b, body)
	doctree.Anchors(body)
	d.objects.Warn(d.doc)
	d.charts.Warn(d.doc)
	d.pkg.Warn(ctx, d.doc)
	d.doc.WarnHidden(d.hidden, "Text that the document hides was left out")
	d.doc.WarnHidden(d.placeholders, "Texts that ask for the content of an empty field were left out")
	d.doc.WarnCovered()
	d.doc.WarnChanges(d.changes)
	d.doc.WarnFields(d.unfilled)
	d.doc.WarnCount("part-unreadable", 0, "Notes that the file does not have, although its text refers to them", d.noteless)
	d.doc.WarnCount("part-unreadable", 0, "Footnotes and endnotes that no text refers to, which were left out", d.loose)
	d.doc.WarnCount("external-part", 0, "Parts of the document that are outside the file and were not fetched", d.outside)
	d.doc.WarnNodes(d.options.Nodes, d.cut)
	d.doc.WarnCut("The document is nested too deeply", d.deep)
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	return d.doc, nil
}

// reader is the state for reading one document.
type reader struct {
	options      Options
	pkg          *ooxml.Package
	mainPart     string
	part         string // the part being read, whose relationships apply
	b            doctree.Builder
	doc          *doctree.Document
	styles       *styles
	numbering    *numbering
	notes        doctree.Notes
	queue        []queued                       // notes to write
	noted        map[*zipxml.Element]*html.Node // references to notes
	sources      map[string]*zipxml.Element     // parts of notes by kind, and notes by kind and ID
	commented    bool                           // the document has a comments part
	mentioned    map[string]bool                // IDs of comments with a reference
	answers      map[string]string              // comment to the comment that it replies to, both as paragraph IDs
	threads      map[string][]*zipxml.Element   // replies to a comment, by its paragraph ID
	ids          doctree.IDs
	fields       []field
	pending      []*html.Node   // anchors of empty paragraphs, for the next paragraph
	margins      []headerFooter // headers and footers of the sections
	evenPages    bool           // even pages have headers of their own
	blank        blank
	carried      *doctree.Line // content of a paragraph whose paragraph mark is deleted
	depth        int
	tables       int          // depth of nested tables
	boxes        int          // depth of nested text boxes and tables of one cell
	ground       on           // the main text stands on the white page
	side         doctree.Side // alignment of the current cell
	hidden       int          // number of places with hidden text
	placeholders int          // texts of empty content controls that were left out
	changes      int          // number of tracked changes whose text was left out
	unfilled     int          // fields for text from elsewhere that have no result
	noteless     int          // references to notes that the file does not have
	loose        int          // notes without a reference
	outside      int          // parts of the document that are outside the file
	cut          doctree.Cut  // what was left out because the tree is full
	deep         doctree.Cut  // what was left out because it is nested too deeply
	foreign      int          // number of nodes made by Child
	charts       ooxml.Charts
	objects      ooxml.Objects
	metafiles    ooxml.Metafiles
	previews     []ooxml.Relation // pictures of the current object; nil outside objects
	chunks       map[string]bool  // inner documents that have been read
}

// blank is the last paragraph, if it shows only its number.
type blank struct {
	in   *doctree.Flow // nil for other paragraphs
	item doctree.Item
}

// xml returns the root of a part, or nil if there is none. If the part
// cannot be read, it adds a warning.
func (d *reader) xml(ctx context.Context, part string) *zipxml.Element {
	if part == "" {
		return nil
	}
	root, err := d.pkg.XML(ctx, part)
	if err != nil {
		d.doc.WarnPart(part)
	}
	return root
}

// body reads the main part block by block.
func (d *reader) body(ctx context.Context, part string, body *html.Node) error {
	data, err := d.pkg.Text(part)
	if len(data) == 0 {
		if err == nil {
			err = fmt.Errorf("part %s: %w: empty", part, zipxml.ErrMalformed)
		}
		return err
	}
	torn := err != nil
	known := false // the document has a body
	f := &doctree.Flow{B: &d.b, Into: body}
	s := zipxml.NewScanner(data, ooxml.Words)
	blocks := 0
	for {
		t, err := s.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		var block *zipxml.Element
		if err == nil {
			switch {
			case t.Kind != zipxml.Start:
				continue
			case t.Name == "w:document" || t.Name == "w:body":
				known = known || t.Name == "w:body"
				continue
			}
			block, err = s.Tree(ctx, t)
		}
		if block != nil {
			blocks++
			d.mention(block)
			d.block(ctx, f, block)
			s.Reuse()
		}
		if err == nil {
			continue
		}
		if !errors.Is(err, zipxml.ErrMalformed) || blocks == 0 {
			return fmt.Errorf("part %s: %w", part, err)
		}
		torn = true
		break
	}
	if torn {
		d.doc.WarnPart(part)
	}
	if !known {
		d.doc.Warn("part-unreadable", 0, "The part "+part+" has no body, or its XML namespace is unknown. Its text may be missing.")
	}
	d.flush(f)
	return nil
}

// room reports whether more nodes may be added to the tree. If it returns
// false, the caller must call leave with each element that it does not read.
func (d *reader) room() bool { return d.b.Count()+d.foreign < d.options.Nodes }

// leave counts the text of an element that is not read.
func (d *reader) leave(e *zipxml.Element) {
	if e == nil {
		return
	}
	switch e.Name {
	case "w:p":
		var text strings.Builder
		for c := e.First(); c != nil; c = c.Next() {
			d.skim(&text, c)
		}
		d.cut.Paragraph(text.String())
	case "w:tr":
		d.cut.Rows++
		for c := e.First(); c != nil; c = c.Next() {
			d.leave(c)
		}
	case "mc:AlternateContent":
		d.leave(ooxml.Alternative(e))
	case "w:altChunk":
		d.cut.Others++
	default:
		for c := e.First(); c != nil; c = c.Next() {
			d.leave(c)
		}
	}
}

// leaveDeep counts the text of an element that is nested too deeply to be read.
func (d *reader) leaveDeep(e *zipxml.Element) {
	cut := d.cut
	d.cut = d.deep
	var text strings.Builder
	d.skim(&text, e)
	d.cut.Paragraph(text.String())
	d.deep, d.cut = d.cut, cut
}

// skim appends the text of an element of a paragraph that is not read. It
// counts the paragraphs of text boxes on their own.
func (d *reader) skim(text *strings.Builder, e *zipxml.Element) {
	switch e.Name {
	case "w:t":
		text.WriteString(e.Content())
	case "w:p":
		d.leave(e)
	case "mc:AlternateContent":
		if e = ooxml.Alternative(e); e != nil {
			d.skim(text, e)
		}
	default:
		for c := e.First(); c != nil; c = c.Next() {
			d.skim(text, c)
		}
	}
}

// blocks reads all blocks in e.
func (d *reader) blocks(ctx context.Context, f *doctree.Flow, e *zipxml.Element) {
	if d.depth >= maxNesting {
		d.leaveDeep(e)
		return
	}
	d.depth++
	for c := e.First(); c != nil; c = c.Next() {
		if c.Name != "" && ctx.Err() == nil {
			d.block(ctx, f, c)
		}
	}
	d.depth--
}

// block reads one block: a paragraph, a table or an element that contains
// blocks.
func (d *reader) block(ctx context.Context, f *doctree.Flow, e *zipxml.Element) {
	if !d.room() {
		d.leave(e)
		return
	}
	switch e.Name {
	case "w:p":
		d.paragraph(ctx, f, e)
	case "w:tbl":
		d.table(ctx, f, e)
	case "w:sdt":
		d.control(ctx, f, e)
	case "mc:AlternateContent":
		if c := ooxml.Alternative(e); c != nil {
			d.blocks(ctx, f, c)
		}
	case "w:altChunk":
		d.chunk(ctx, f, e)
	case "w:subDoc":
		d.outside++
	case "w:bookmarkStart":
		in := d.inline()
		in.bookmark(e)
		d.pending = append(d.pending, in.line.Nodes(atom.Span)...)
	case "w:sectPr":
		d.sectionProperties(e)
	case "m:oMathPara", "m:oMath":
		in := d.inline()
		in.formula(e)
		in.line.Write(&d.b, f.Append(atom.P))
	case "w:ins", "w:moveTo":
		if d.options.Changes != Reject {
			d.blocks(ctx, f, e)
		} else {
			d.omit(e)
		}
	case "w:del", "w:moveFrom":
		if d.options.Changes != Accept {
			d.blocks(ctx, f, e)
		} else {
			d.omit(e)
		}
	default:
		if !strings.HasSuffix(e.Name, "Pr") {
			d.blocks(ctx, f, e)
		}
	}
}

// omit counts a tracked change that is not read, if it has text. Text that was moved
// is not lost.
func (d *reader) omit(e *zipxml.Element) {
	if e.Name == "w:moveFrom" || e.Name == "w:moveTo" {
		return
	}
	for c := range e.Descendants() {
		if (c.Name == "w:t" || c.Name == "w:delText") && strings.TrimSpace(c.Content()) != "" {
			d.changes++
			return
		}
	}
}

// sectionProperties records the headers and footers of a section. A section that
// lacks one uses that of the previous section.
func (d *reader) sectionProperties(e *zipxml.Element) {
	if e == nil {
		return
	}
	title := ooxml.On(e.Get("w:titlePg"))
	for _, kind := range []string{"first", "default", "even"} {
		if kind == "first" && !title || kind == "even" && !d.evenPages {
			continue
		}
		for c := e.First(); c != nil; c = c.Next() {
			if c.Attr("w:type") != kind || len(d.margins) >= maxMargins {
				continue
			}
			switch c.Name {
			case "w:headerReference":
				d.margins = append(d.margins, headerFooter{c.Attr("r:id"), atom.Header})
			case "w:footerReference":
				d.margins = append(d.margins, headerFooter{c.Attr("r:id"), atom.Footer})
			}
		}
	}
}

// headerFooter is a header or a footer of a section, by its relationship.
type headerFooter struct {
	id  string
	tag atom.Atom
}

// maxMargins is the maximum number of headers and footers of all sections.
const maxMargins = 1000

// control reads a block-level content control.
func (d *reader) control(ctx context.Context, f *doctree.Flow, e *zipxml.Element) {
	properties, content := e.Get("w:sdtPr"), e.Get("w:sdtContent")
	if d.isPlaceholder(e) {
		return
	}
	if box := properties.Get("w14:checkbox"); box != nil {
		li := f.Item(doctree.Item{Key: "box"})
		li.AppendChild(d.b.Checkbox(ooxml.On(box.Get("w14:checked"))))
		if hasWords(content) {
			d.blocks(ctx, &doctree.Flow{B: &d.b, Into: li}, content)
		}
		return
	}
	d.blocks(ctx, f, content)
}

// hasWords reports whether the content of a check box has more than its symbol.
func hasWords(content *zipxml.Element) bool {
	for e := range content.Descendants() {
		if e.Name == "w:t" && strings.ContainsFunc(e.Content(), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			return true
		}
	}
	return false
}

// isPlaceholder reports whether a content control shows the text that asks for its content.
// It counts those whose text is left out.
func (d *reader) isPlaceholder(control *zipxml.Element) bool {
	if !ooxml.On(control.Get("w:sdtPr").Get("w:showingPlcHdr")) {
		return false
	}
	for text := range control.Get("w:sdtContent").Descendants() {
		if text.Name == "w:t" && strings.TrimSpace(text.Content()) != "" {
			d.placeholders++
			break
		}
	}
	return true
}

// chunk reads a document inside the document.
func (d *reader) chunk(ctx context.Context, f *doctree.Flow, e *zipxml.Element) {
	relation := d.relation(ctx, e.Attr("r:id"))
	if relation.External {
		d.outside++
	}
	if relation.Target == "" || relation.External || !d.room() {
		return
	}
	if d.chunks[relation.Target] {
		d.doc.Warn("part-unreadable", 0, fmt.Sprintf("The part %s is named more than once in the document; it was read once.", relation.Target))
		return
	}
	if d.chunks == nil {
		d.chunks = map[string]bool{}
	}
	d.chunks[relation.Target] = true
	data, err := d.pkg.Read(relation.Target)
	var body *html.Node
	if err == nil && d.options.Child != nil {
		body = d.options.Child(ctx, relation.Target, d.pkg.ContentType(ctx, relation.Target), data, d.options.Nodes-d.b.Count()-d.foreign)
	}
	if body == nil {
		d.doc.WarnPart(relation.Target)
		return
	}
	for range body.Descendants() {
		d.foreign++
	}
	div := f.Append(atom.Div, "data-role", "chunk")
	for c := body.FirstChild; c != nil; c = body.FirstChild {
		body.RemoveChild(c)
		div.AppendChild(c)
	}
	f.End()
}

// relation returns a relationship of the part being read.
func (d *reader) relation(ctx context.Context, id string) ooxml.Relation {
	return d.pkg.Relations(ctx, d.part).Get(id)
}

// running puts the headers of all sections before the content of body, and their
// footers after it.
func (d *reader) running(ctx context.Context, body *html.Node) {
	var r doctree.Running
	read := map[string]bool{}
	for _, m := range d.margins {
		part := d.relation(ctx, m.id).Target
		if read[part] {
			continue
		}
		read[part] = true
		root := d.xml(ctx, part)
		if root == nil {
			continue
		}
		if !d.room() {
			d.leave(root)
			continue
		}
		n := r.Begin(&d.b, m.tag)
		d.within(ctx, part, n, root)
		r.Add(n)
	}
	r.Write(body)
}

// within reads the blocks of root, the content of part, into n.
func (d *reader) within(ctx context.Context, part string, n *html.Node, root *zipxml.Element) {
	outer := d.part
	fields := d.fields
	d.part, d.fields = part, nil
	f := &doctree.Flow{B: &d.b, Into: n}
	d.mention(root)
	d.blocks(ctx, f, root)
	d.flush(f)
	d.part, d.fields = outer, fields
}
