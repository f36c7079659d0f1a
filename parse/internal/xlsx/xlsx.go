// SPDX-License-Identifier: Apache-2.0

package xlsx

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
	"example.com/curlew/internal/sorting"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/embedded"
	"example.com/curlew/parse/internal/ooxml"
	"example.com/curlew/parse/internal/sheet"
)

// Options control how a workbook is read.
type Options struct {
	Child  embedded.Child // reads embedded documents; nil names them in a warning
	Hidden doctree.Hidden // how hidden text, shapes, slides, sheets, rows and columns are handled
	Nodes  int            // nodes of the tree; zero means 2,000,000. The rest is left out, with a warning
	Cells  int            // cells of tables; zero means 4,000,000. The rest is left out, with a warning
	Budget *zipxml.Budget // bounds the decompressed bytes; nil means a budget of its own
}

const maxSheets = 10_000

// Read reads the workbook in the first size bytes of r, in XML or binary
// format. The error wraps [zipxml.ErrMalformed], [zipxml.ErrEncrypted],
// [zipxml.ErrLimit] or the cause that ended ctx. If a sheet cannot be read,
// there is a warning.
func Read(ctx context.Context, r io.ReaderAt, size int64, o Options) (*doctree.Document, error) {
	if o.Nodes == 0 {
		o.Nodes = 2_000_000
	}
	pkg, err := ooxml.Open(r, size, o.Budget)
	if err != nil {
		return nil, err
	}
	usual := usualSheets(pkg)
	main, err := pkg.Main(ctx, "xl/workbook.xml", "xl/workbook.bin")
	if err != nil && len(usual) == 0 {
		return nil, err
	}
	d := &reader{ctx: ctx, options: o, objects: ooxml.Objects{Package: pkg, Objects: embedded.Objects{Child: o.Child, Budget: o.Budget}}, pkg: pkg, main: main, relations: pkg.Relations(ctx, main)}
	d.metafiles = ooxml.Metafiles{Package: pkg}
	d.book.Doc = &doctree.Document{Meta: pkg.Meta(ctx)}
	d.book.Nodes, d.book.Cells, d.book.Hidden = o.Nodes, o.Cells, o.Hidden
	kind, parts := "xlsx", d.xmlParts()
	if d.records() {
		kind, parts = "xlsb", d.recordParts()
	}
	if main == "" {
		d.relations = ooxml.Relations{} // not those of the package
	} else if err := parts.workbook(main); err != nil {
		if len(usual) == 0 {
			return nil, err
		}
		if err := d.tolerate(main, err); err != nil {
			return nil, err
		}
	}
	d.guess(usual)
	d.unlisted()
	if err := d.shared(parts); err != nil {
		return nil, err
	}
	d.book.Doc.Meta.TotalPages = len(d.sheets)
	d.book.Begin(kind)
	for i, s := range d.sheets {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		if s.hidden && d.book.Hide(i+1, s.name) {
			continue
		}
		if !d.book.Room() {
			d.book.Skip(1)
			continue
		}
		if err := d.sheet(parts, i+1, s); err != nil {
			return nil, err
		}
	}
	d.book.Strings.Guides += d.scan.guides
	d.book.Strings.Struck += d.scan.struck
	d.book.End()
	d.objects.Warn(d.book.Doc)
	d.charts.Warn(d.book.Doc)
	d.pkg.Warn(ctx, d.book.Doc)
	d.faults.warn(d.book.Doc)
	d.book.Doc.WarnHidden(d.hidden, "Shapes that the workbook hides were left out")
	return d.book.Doc, nil
}

// reader is the state for reading one workbook.
type reader struct {
	ctx       context.Context //nolint:containedctx // of one call of Read
	options   Options
	pkg       *ooxml.Package
	main      string
	relations ooxml.Relations // of the main part
	book      sheet.Book
	sheets    []entry
	hidden    int // hidden shapes
	scan      scanner
	text      []byte            // text of a cell
	persons   map[string]string // authors of threaded comments, by ID
	faults    faults            // of comments
	charts    ooxml.Charts
	objects   ooxml.Objects
	metafiles ooxml.Metafiles
	drawn     map[string]bool // controls whose labels the drawing of their sheet has
	embedded  []object        // objects of the current sheet
	usual     bool            // parts are found by their usual names
}

// object is a document that another program embedded in a sheet.
type object struct{ id, program string }

// entry is a sheet in the list of the workbook.
type entry struct {
	name, part, kind string // kind is the type of the relationship
	hidden           bool
}

// parts are functions that read the parts of a workbook, in XML or binary
// format. If a part cannot be read, the error wraps [zipxml.ErrMalformed];
// what was read before is kept.
type parts struct {
	workbook, styles, strings func(part string) error
	sheet                     func(s *sheet.Sheet, part string) (drawing string, err error)
	uses                      func(part string, use func(i int) bool) error
	comments                  func(s *sheet.Sheet, part string, threaded map[string]bool) error
}

// records reports whether the workbook is in the binary format, by its
// content type or, without one, by the name of its main part.
func (d *reader) records() bool {
	switch kind := strings.ToLower(d.pkg.ContentType(d.ctx, d.main)); {
	case strings.Contains(kind, "binary"):
		return true
	case strings.HasSuffix(kind, "xml"):
		return false
	}
	return path.Ext(d.main) == ".bin"
}

// usualSheets returns the parts with the names that programs give to worksheets, in
// the order of their numbers.
func usualSheets(pkg *ooxml.Package) (parts []string) {
	number := func(part string) int {
		stem, ok := strings.CutPrefix(strings.TrimSuffix(strings.ToLower(part), ".xml"), "xl/worksheets/sheet")
		n, err := strconv.Atoi(stem)
		if !ok || err != nil {
			return -1
		}
		return n
	}
	for _, name := range pkg.Names() {
		if number(name) >= 0 && len(parts) < maxSheets {
			parts = append(parts, name)
		}
	}
	sorting.Stable(parts, func(a, b string) int { return cmp.Compare(number(a), number(b)) })
	return parts
}

// guess finds sheets by their usual names if the workbook or its relationships are
// missing, for example because the file is cut off.
func (d *reader) guess(usual []string) {
	d.usual = len(d.relations.All()) == 0
	if len(usual) == 0 || !d.usual && len(d.sheets) > 0 {
		return
	}
	for i, part := range usual {
		if i == len(d.sheets) {
			d.sheets = append(d.sheets, entry{name: strings.TrimSuffix(path.Base(part), ".xml")})
		}
		d.sheets[i].part = part
	}
	d.pkg.Found(usual...)
	d.book.Doc.Warn("part-unreadable", 0, "The workbook or its list of sheets is missing. Sheets were found by the names of their parts: "+strconv.Itoa(len(usual))+
		". Their names and their order may be wrong, and hidden sheets may be shown.")
}

// unlisted finds the sheets of the package that its workbook does not list. They are
// read only if it lists none.
func (d *reader) unlisted() {
	if len(d.sheets) >= maxSheets {
		return
	}
	listed := map[string]bool{}
	for _, s := range d.sheets {
		listed[s.part] = true
	}
	var others []entry
	for _, r := range d.relations.All() {
		if r.Type == "worksheet" && !r.External && !listed[r.Target] && d.pkg.Has(r.Target) && len(others) < maxSheets {
			listed[r.Target] = true
			others = append(others, entry{name: strings.TrimSuffix(path.Base(r.Target), path.Ext(r.Target)), part: r.Target, kind: r.Type})
		}
	}
	switch {
	case len(others) == 0 && len(d.sheets) == 0:
		d.book.Doc.Warn("part-unreadable", 0, "The workbook lists no sheets.")
	case len(d.sheets) == 0:
		d.sheets = others
		d.book.Doc.Warn("part-unreadable", 0, fmt.Sprintf("The list of sheets is missing or damaged. Sheets that were read in the order of their relationships: %d. Hidden sheets may be shown.", len(others)))
	case len(others) > 0:
		d.book.Doc.Warn("part-unreadable", 0, fmt.Sprintf("Sheets that the file has but does not list; left out: %d.", len(others)))
	}
}

// shared reads the parts that all sheets share: number formats and texts.
func (d *reader) shared(parts parts) error {
	for _, p := range []struct {
		kind string
		read func(string) error
	}{{"styles", parts.styles}, {"sharedStrings", parts.strings}} {
		part := d.relations.Part(p.kind)
		if d.usual {
			part = "xl/" + p.kind + ".xml"
			d.pkg.Found(part)
		}
		if part == "" || !d.pkg.Has(part) {
			continue
		}
		err := p.read(part)
		if p.kind == "sharedStrings" && d.book.Strings.Full() {
			if lost := d.selectStrings(parts); lost != nil {
				return lost
			}
			d.pkg.Renew(part)
			err = p.read(part)
		}
		if err := d.tolerate(part, err); err != nil {
			return err
		}
	}
	return nil
}

// selectStrings prepares to read the shared texts a second time, because there are too
// many: only those that cells refer to are kept then.
func (d *reader) selectStrings(parts parts) error {
	for _, s := range d.sheets {
		if s.hidden && d.book.Hidden == doctree.HiddenDropped || !d.pkg.Has(s.part) {
			continue
		}
		err := parts.uses(s.part, d.book.Strings.Use)
		d.pkg.Renew(s.part)
		switch {
		case d.ctx.Err() != nil:
			return context.Cause(d.ctx)
		case errors.Is(err, zipxml.ErrLimit):
			return err
		} // reading the sheet itself says what else is wrong
	}
	d.book.Strings.Again()
	d.scan.guides, d.scan.struck = 0, 0
	return nil
}

// tolerate turns the error of a malformed part into a warning.
func (d *reader) tolerate(part string, err error) error {
	switch {
	case err == nil:
		return nil
	case d.ctx.Err() != nil:
		return context.Cause(d.ctx)
	case errors.Is(err, zipxml.ErrLimit) || errors.Is(err, zipxml.ErrEncrypted):
		return err
	}
	d.book.Doc.WarnPart(part)
	return nil
}

// add adds a sheet to the list.
func (d *reader) add(name, id string, hidden bool) {
	if len(d.sheets) >= maxSheets {
		d.book.Skip(1)
		return
	}
	r := d.relations.Get(id)
	if r.External {
		r = ooxml.Relation{}
	}
	d.sheets = append(d.sheets, entry{name: name, part: r.Target, kind: r.Type, hidden: hidden})
}

// sheet reads sheet n with its comments and drawings.
func (d *reader) sheet(parts parts, n int, e entry) error {
	switch e.kind {
	case "xlMacrosheet", "xlIntlMacrosheet", "dialogsheet":
		d.book.OmitMacros(n, e.name)
		return nil
	}
	s := d.book.Sheet(n, e.name)
	d.embedded, d.drawn = nil, map[string]bool{}
	if e.part == "" {
		d.book.Doc.Warn("part-unreadable", n, "The file does not say which of its parts is this sheet.")
		return s.Close(d.ctx)
	}
	relations := d.pkg.Relations(d.ctx, e.part)
	drawing, err := parts.sheet(s, e.part)
	if err := d.tolerate(e.part, err); err != nil {
		return err
	}
	threaded := map[string]bool{} // cells whose legacy note repeats a comment thread
	for _, r := range relations.All() {
		if r.Type == "threadedComment" && !r.External {
			if err := d.tolerate(r.Target, d.threads(s, r.Target, threaded)); err != nil {
				return err
			}
		}
	}
	if part := relations.Part("comments"); part != "" {
		if err := d.tolerate(part, parts.comments(s, part, threaded)); err != nil {
			return err
		}
	}
	if err := s.Close(d.ctx); err != nil {
		return err
	}
	for _, o := range d.embedded {
		left := d.options.Nodes - d.book.B.Count() - d.objects.Made
		if figure := d.objects.Read(d.ctx, &d.book.B, relations.Get(o.id), o.program, left); figure != nil {
			s.Node.AppendChild(figure)
		}
	}
	if r := relations.Get(drawing); r.Target != "" && !r.External {
		if err := d.drawing(s, r.Target); err != nil {
			return err
		}
	}
	for _, r := range relations.All() {
		if r.Type == "vmlDrawing" && !r.External {
			if err := d.tolerate(r.Target, d.labels(s, r.Target)); err != nil {
				return err
			}
		}
	}
	return nil
}

// open starts scanning a part.
func (d *reader) open(part string) (*scanner, io.Closer, error) {
	r, err := d.pkg.Stream(part)
	if err != nil {
		return nil, nil, err
	}
	s := &d.scan
	*s = scanner{ctx: d.ctx, r: r, buf: s.buf[:0], word: s.word, guides: s.guides, struck: s.struck}
	if s.more() && len(s.buf) > 1 && (s.buf[0] >= 0xFE && s.buf[1] >= 0xFE || s.buf[0] == 0 || s.buf[1] == 0) {
		err = s.wide()
	} else if s.has("\xEF\xBB\xBF") {
		s.at = 3
	}
	if err != nil {
		r.Close()
		return nil, nil, err
	}
	return s, r, nil
}

// each calls see with each start tag of a part.
func (d *reader) each(part string, see func(s *scanner, name string) error) error {
	s, r, err := d.open(part)
	if err != nil {
		return err
	}
	defer r.Close()
	some := false
	for {
		t, err := s.next()
		switch {
		case errors.Is(err, io.EOF) && some:
			return nil
		case errors.Is(err, io.EOF):
			return fmt.Errorf("part %s: %w: no XML", part, zipxml.ErrMalformed)
		case err != nil:
			return fmt.Errorf("part %s: %w", part, err)
		case t != start:
			continue
		}
		if !some {
			d.pkg.Root(part, string(s.name))
		}
		some = true
		if err := see(s, string(s.name)); err != nil {
			return fmt.Errorf("part %s: %w", part, err)
		}
	}
}
