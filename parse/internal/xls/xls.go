// SPDX-License-Identifier: Apache-2.0

package xls

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/embedded"
	"example.com/curlew/parse/internal/odraw"
	"example.com/curlew/parse/internal/ooxml"
	"example.com/curlew/parse/internal/sheet"
)

// Options control how a workbook is read.
type Options struct {
	Nodes  int            // nodes of the tree; zero means 2,000,000. The rest is left out, with a warning
	Hidden doctree.Hidden // how hidden text, shapes, slides, sheets, rows and columns are handled
	Cells  int            // cells of tables; zero means 4,000,000. The rest is left out, with a warning

	// Unlock decrypts workbooks. If it is nil, encrypted ones are refused.
	Unlock cfb.Unlock

	Objects embedded.Objects // reads embedded documents; the zero value names them in a warning
}

const (
	maxRecords = 16 << 20
	maxSheets  = 10_000
	maxShapes  = 10_000 // shapes with text in one sheet
	checkEvery = 4096   // records between two checks of the context

	kindChart = 2
)

// Read reads the workbook in data. The error wraps [cfb.ErrMalformed],
// [cfb.ErrEncrypted], [cfb.ErrLimit] or zipxml.ErrLimit, or is the cause
// that ended ctx.
func Read(ctx context.Context, data []byte, o Options) (*doctree.Document, error) {
	if o.Nodes == 0 {
		o.Nodes = 2_000_000
	}
	stream, f := data, &cfb.File{Root: &cfb.Storage{}}
	if !IsStream(data) {
		var err error
		if f, err = cfb.Open(data); err != nil {
			return nil, err
		}
		if stream = f.Root.Stream("Workbook"); len(stream) == 0 {
			stream = f.Root.Stream("Book")
		}
	}
	stream, lost, err := modern(stream)
	if err != nil {
		return nil, err
	}
	r := &reader{stream: stream, unlock: o.Unlock, page: 1252, book: &sheet.Book{Doc: &doctree.Document{}, Nodes: o.Nodes, Cells: o.Cells, Hidden: o.Hidden}}
	if err := r.globals(ctx); err != nil {
		return nil, err
	}
	s := f.Root.Summary()
	r.book.Doc.Meta = doctree.Meta{
		Title: s.Title, Author: s.Author, Subject: s.Subject, Keywords: s.Keywords, Description: s.Comments,
		Created: s.Created, Modified: s.Modified, TotalPages: len(r.sheets),
	}
	if one, ok := odraw.At(r.group, 0); ok {
		r.store = odraw.ReadStore(one.Data)
	}
	r.book.Begin("xls")
	seen := map[uint32]bool{}
	for i, s := range r.sheets {
		switch {
		case s.hidden && r.book.Hide(i+1, s.name):
			continue
		case seen[s.at]:
			r.book.Doc.Warn("part-unreadable", i+1, "The sheet is at the place of another one, which was read once.")
			continue
		case s.kind != 0 && s.kind != kindChart:
			r.book.OmitMacros(i+1, s.name)
			continue
		}
		seen[s.at] = true
		if !r.book.Room() {
			r.book.Skip(1)
			continue
		}
		if err := r.sheet(ctx, i+1, s); err != nil {
			return nil, err
		}
	}
	r.embedded(ctx, f.Root, o)
	r.book.End()
	r.charts.Warn(r.book.Doc)
	r.book.Doc.WarnCount("part-unreadable", 0, "Damaged cells that were left out", lost.cells)
	r.book.Doc.WarnCount("attachment-unread", 0, "Text boxes, charts and other drawn objects of an old sheet that were not read", lost.objects)
	if len(r.sheets) == 0 {
		r.book.Doc.Warn("part-unreadable", 0, "The workbook lists no sheets.")
	}
	if r.torn || r.strange > 0 {
		r.book.Doc.Warn("part-unreadable", 0, "The list of sheets, texts and formats is damaged or has no end. Sheets, texts and formats may be missing.")
	}
	r.book.Doc.WarnCount("code-page-guessed", 0, "The workbook does not state a known code page. Characters that were read in the code page 1252", r.guessed)
	r.book.Doc.WarnHidden(r.veiled, "Shapes that the workbook hides were left out")
	for _, name := range f.Short() {
		r.book.Doc.WarnPart(name)
	}
	return r.book.Doc, nil
}

// embedded reads the embedded documents. Which cells they cover is not known, so
// they follow the sheets. If a hidden sheet is left out, they may belong to it, so
// they are only named.
func (r *reader) embedded(ctx context.Context, root *cfb.Storage, o Options) {
	objects := o.Objects
	if o.Hidden == doctree.HiddenDropped && slices.ContainsFunc(r.sheets, func(s sheetOf) bool { return s.hidden }) {
		objects.Child = nil
	}
	for _, s := range root.Storages {
		if !strings.HasPrefix(s.Name, "MBD") || ctx.Err() != nil {
			continue
		}
		if figure := objects.Storage(ctx, &r.book.B, s, r.book.Nodes-r.book.B.Count()-objects.Made); figure != nil {
			r.book.Body.AppendChild(figure)
		}
	}
	objects.Warn(r.book.Doc)
}

// reader is the state for reading one workbook.
type reader struct {
	stream  []byte
	unlock  cfb.Unlock
	book    *sheet.Book
	sheets  []sheetOf
	unicode bool // BIFF8
	page    int
	paged   bool // the workbook states the code page, and it is known
	torn    bool // the records before the sheets have no end
	strange int  // damaged records before the sheets
	guessed int  // characters of texts without a known code page
	records int
	opened  int // charts, including those beyond the limit
	charts  ooxml.ChartLoss
	struck  []bool // fonts that strike text through
	group   []byte // pictures of the workbook, joined from their records
	store   odraw.Store
	texts   embedded.Metafiles
	veiled  int // hidden shapes
}

type sheetOf struct {
	at     uint32
	hidden bool
	kind   byte // 0 is a worksheet, kindChart a chart
	name   string
}

// count counts a record.
// Its many callers would be larger if it were inlined.
//
//go:noinline
func (r *reader) count(ctx context.Context) error {
	if r.records++; r.records > maxRecords {
		return fmt.Errorf("%w: more than %d records", cfb.ErrLimit, maxRecords)
	}
	if r.records%checkEvery == 0 && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// globals reads the records before the sheets.
func (r *reader) globals(ctx context.Context) error {
	s := scanner{data: r.stream}
	id, b, ok := s.next()
	if !ok || id != rBOF || len(b) < 4 {
		return fmt.Errorf("%w: no workbook", cfb.ErrMalformed)
	}
	r.unicode = u16(b, 0) >= 0x0600
	for {
		if err := r.count(ctx); err != nil {
			return err
		}
		id, b, ok := s.next()
		if !ok || id == rEOF {
			r.torn, r.strange = !ok, s.strange
			return nil
		}
		switch id {
		case rFilePass:
			if err := r.decrypt(b, s.at); err != nil {
				return fmt.Errorf("workbook: %w", err)
			}
			s.data = r.stream
		case rCodePage:
			if p := u16(b, 0); p != 0 && p != 1200 {
				r.page, r.paged = p, cfb.KnowsPage(p)
			}
		case rDateMode:
			r.book.Formats.Date1904 = u16(b, 0) == 1
		case rFormat:
			if len(b) < 3 {
				continue
			}
			size := 1
			if r.unicode {
				size = 2
			}
			r.book.Formats.Define(u16(b, 0), string(r.str(b[2:], size)))
		case rFont, rXF:
			r.style(id, b)
		case rSheet:
			switch {
			case len(b) <= 6:
			case len(r.sheets) == maxSheets:
				r.book.Skip(1)
			default:
				r.sheets = append(r.sheets, sheetOf{u32(b, 0), b[4]&3 != 0, b[5], string(r.str(b[6:], 1))})
			}
		case rPictures:
			r.group = join(r.group, b, s.continued())
		case rSST:
			if err := r.shared(ctx, b, s.continued()); err != nil {
				return err
			}
		}
	}
}

// style reads a font, or the format of cells.
func (r *reader) style(id uint16, b []byte) {
	if id == rFont {
		r.struck = append(r.struck, u16(b, 2)&(1<<3) != 0) // fStrikeOut ([MS-XLS] 2.4.122)
		if len(r.struck) == 4 {
			r.struck = append(r.struck, false) // no font has the number 4 ([MS-XLS] 2.5.129)
		}
		return
	}
	r.book.Formats.Add(u16(b, 2))
	if i := u16(b, 0); i < len(r.struck) && r.struck[i] {
		r.book.Formats.Strike()
	}
}

// shared reads the shared strings.
func (r *reader) shared(ctx context.Context, b []byte, more [][]byte) error {
	p := pieces{rest: b, more: more}
	p.skip(8)
	var text []byte
	for p.step() {
		if err := r.count(ctx); err != nil {
			return err
		}
		text = p.unicode(text[:0], 2)
		r.book.Strings.Add(text)
	}
	r.book.Strings.Guides = p.guides
	return nil
}

// sheetReader is the state for reading one sheet.
type sheetReader struct {
	*reader
	*sheet.Sheet
	s       scanner
	row     int
	object  int // ID of the last object
	note    bool
	texts   map[int]string // texts of objects
	objects int            // number of objects so far
	shapes  []textShape    // shapes that are not comments
	unread  int            // shapes beyond the limits of a sheet
	pending int            // column of a formula whose text follows; -1 if there is none
	style   int            // style of that cell
	drawn   []byte         // the drawing, joined from its records
	charts  []*chart
	chart   *chart // the open chart, or nil
}

// sheet reads one sheet.
func (r *reader) sheet(ctx context.Context, n int, of sheetOf) error {
	s := &sheetReader{reader: r, Sheet: r.book.Sheet(n, of.name), row: -1, texts: map[int]string{}, pending: -1}
	if int64(of.at) < int64(len(r.stream)) {
		s.s = scanner{data: r.stream, at: int(of.at)}
	}
	depth, ended := 0, false
	for {
		if err := r.count(ctx); err != nil {
			return err
		}
		id, b, ok := s.s.next()
		if !ok && depth == 0 {
			r.book.Doc.Warn("part-unreadable", n, "The sheet could not be read.")
		} else if !ok {
			r.book.Doc.Warn("part-unreadable", n, "The sheet has no end; cells may be missing.")
		}
		if !ok {
			break
		}
		if depth == 0 && id != rBOF {
			r.book.Doc.Warn("part-unreadable", n, "The sheet could not be read.")
			break
		}
		switch id {
		case rBOF:
			if depth++; u16(b, 2) == chartSheet && depth <= 2 {
				s.beginChart()
			}
		case rEOF:
			if depth--; depth <= 1 {
				s.chart = nil
			}
		default:
			s.inside(depth, id, b)
		}
		if ended = depth == 0; ended {
			break
		}
	}
	if more := u16(r.stream, s.s.at); ended && more != 0 && more&0xFF != rBOF&0xFF {
		s.s.strange++ // the next sheet begins behind the end of this one
	}
	r.book.Doc.WarnCount("part-unreadable", n, "Records of the sheet that are damaged, or whose type is unknown, so that cells may be missing", s.s.strange)
	if err := s.Close(ctx); err != nil {
		return err
	}
	s.drawings()
	if s.unread > 0 {
		r.book.Doc.Warn("truncated", n, fmt.Sprintf("The sheet has more than %d shapes, or shapes in more than %d groups. Shapes and groups that were not read: %d.", maxShapes, maxGroups, s.unread))
	}
	return nil
}

// inside reads a record within a sheet, or within one of its charts, which are substreams.
func (s *sheetReader) inside(depth int, id uint16, b []byte) {
	switch {
	case s.chart != nil:
		s.chart.record(s.reader, id, b)
	case depth == 1:
		s.record(id, b)
	}
}

// beginChart opens a chart.
func (s *sheetReader) beginChart() {
	if s.opened++; s.opened > maxCharts {
		s.reader.charts.Charts++
		return
	}
	s.chart = &chart{object: s.objects - 1, categories: map[int]string{}, values: map[[2]int]string{}, sizes: map[[2]int]string{}}
	s.charts = append(s.charts, s.chart)
}

// cell begins the row of a cell if necessary and returns the cell's column
// and style.
func (s *sheetReader) cell(b []byte) (column, style int) {
	if row := u16(b, 0); row != s.row {
		s.row = row
		s.Row(row, false)
	}
	return u16(b, 2), u16(b, 4)
}

// join appends a record and those that continue it to the earlier ones.
func join(all, b []byte, more [][]byte) []byte {
	all = append(all, b...)
	for _, m := range more {
		all = append(all, m...)
	}
	return all
}

// record reads one record of a sheet.
func (s *sheetReader) record(id uint16, b []byte) {
	switch id {
	case rRow:
		if flags := u16(b, 12); flags&0x20 != 0 && flags&7 == 0 { // hidden and in no outline group, which may be collapsed
			s.HideRows(u16(b, 0), u16(b, 0))
		}
	case rColumns:
		if flags := u16(b, 8); flags&1 != 0 && flags>>8&7 == 0 {
			s.HideColumns(u16(b, 0), u16(b, 2))
		}
	case rHeader, rFooter:
		size := 1
		if s.unicode {
			size = 2
		}
		if text := string(s.str(b, size)); id == rHeader {
			s.Header(text)
		} else {
			s.Footer(text)
		}
	case rFilterMode:
		s.Filter(sheet.Range{LastRow: 1 << 20, LastColumn: 1 << 14})
	case rMerged:
		for i := range min(u16(b, 0), (len(b)-2)/8) {
			at := b[2+8*i:]
			s.Merge(sheet.Range{Row: u16(at, 0), LastRow: u16(at, 2), Column: u16(at, 4), LastColumn: u16(at, 6)})
		}
	case rLink:
		if len(b) >= 8 {
			s.Link(sheet.Range{Row: u16(b, 0), LastRow: u16(b, 2), Column: u16(b, 4), LastColumn: u16(b, 6)}, doctree.Href(target(b[8:])))
		}
	case rObject:
		s.object, s.note = u16(b, 6), u16(b, 4) == 0x19
		s.objects++
	case rDrawing:
		s.drawn = join(s.drawn, b, s.s.continued())
	case rText:
		s.shape(b)
	case rNote:
		s.comment(b)
	case rString:
		if s.pending >= 0 {
			p := pieces{rest: b, more: s.s.continued()}
			if s.unicode {
				s.Text(s.pending, s.style, p.unicode(nil, 2))
			} else {
				s.Text(s.pending, s.style, s.str(b, 2))
			}
			s.pending = -1
		}
	default:
		s.value(id, b)
	}
}

// value reads a cell record.
func (s *sheetReader) value(id uint16, b []byte) {
	if len(b) < 7 {
		return
	}
	switch id {
	case rNumber:
		column, style := s.cell(b)
		s.Number(column, style, f64(b, 6))
	case rRK:
		column, style := s.cell(b)
		s.Number(column, style, rk(u32(b, 6)))
	case rMulRK:
		column, _ := s.cell(b)
		for at := 4; at+8 <= len(b); at += 6 {
			s.Number(column, u16(b, at), rk(u32(b, at+2)))
			column++
		}
	case rLabelSST:
		column, style := s.cell(b)
		s.SharedText(column, style, int(u32(b, 6)))
	case rLabel, rRString:
		column, style := s.cell(b)
		s.Text(column, style, s.str(b[6:], 2))
	case rBoolErr:
		column, _ := s.cell(b)
		if len(b) > 7 && b[7] != 0 {
			s.Cell(column, sheet.Error, []byte(sheet.ErrorText(b[6])))
		} else {
			s.Bool(column, b[6] != 0)
		}
	case rFormula:
		s.formula(b)
	}
}

// formula reads the cached value of a formula.
func (s *sheetReader) formula(b []byte) {
	column, style := s.cell(b)
	s.pending = -1
	if size := u16(b, 20); s.unicode && len(b) >= 22+size {
		if href := doctree.Href(linked(b[22 : 22+size])); href != "" {
			s.Link(sheet.Range{Row: s.row, LastRow: s.row, Column: column, LastColumn: column}, href)
		}
	}
	if len(b) < 14 || u16(b, 12) != 0xFFFF {
		s.Number(column, style, f64(b, 6))
		return
	}
	switch b[6] {
	case 0:
		s.pending, s.style = column, style
	case 1:
		s.Bool(column, b[8] != 0)
	case 2:
		s.Cell(column, sheet.Error, []byte(sheet.ErrorText(b[8])))
	}
}

// shape reads the text of an object, which is in the next record.
func (s *sheetReader) shape(b []byte) {
	more := s.s.continued()
	count := u16(b, 10)
	if count == 0 || len(more) == 0 {
		return
	}
	if len(s.texts) >= maxShapes {
		s.unread++
		return
	}
	p := pieces{more: more}
	text := strings.ReplaceAll(string(p.text(nil, count, false)), "\r", "\n")
	s.texts[s.object] = text
	if !s.note && strings.TrimSpace(text) != "" {
		s.shapes = append(s.shapes, textShape{text, s.objects - 1})
	}
}

// comment reads the comment of a cell.
func (s *sheetReader) comment(b []byte) {
	if len(b) < 6 {
		return
	}
	if !s.unicode {
		s.Comment(u16(b, 0), u16(b, 2), "", "", s.narrow(b[6:min(6+u16(b, 4), len(b))]))
		return
	}
	author := ""
	if len(b) > 8 {
		author = string(s.str(b[8:], 2))
	}
	text := strings.TrimSpace(s.texts[u16(b, 6)])
	if author != "" {
		text = strings.TrimSpace(strings.TrimPrefix(text, author+":")) // Excel puts the author's name before the text
	}
	s.Comment(u16(b, 0), u16(b, 2), author, "", text)
}

// target returns the target of a hyperlink ([MS-OSHARED] 2.3.7.1).
func target(b []byte) string {
	if len(b) < 24 {
		return ""
	}
	flags := u32(b, 20)
	b = b[24:]
	counted := func() string { // characters with their number before them
		n := min(int64(u32(b, 0))*2, int64(len(b)-4))
		if n < 0 {
			b = nil
			return ""
		}
		text := cfb.UTF16(b[4 : 4+n])
		b = b[4+n:]
		return text
	}
	if flags&0x14 == 0x14 {
		counted()
	}
	if flags&0x80 != 0 {
		counted()
	}
	href := ""
	switch {
	case flags&1 == 0:
	case flags&0x100 != 0:
		href = counted()
	case len(b) > 20 && u32(b, 0) == 0x79EAC9E0: // a URL and its size in bytes
		n := min(int64(u32(b, 16)), int64(len(b)-20))
		href = cfb.UTF16(b[20 : 20+n])
		b = b[20+n:]
	case len(b) > 22 && u32(b, 0) == 0x00000303: // a file
		n := min(int64(u32(b, 18)), int64(len(b)-22))
		href = strings.ReplaceAll(strings.TrimRight(cfb.Text(b[22:22+n], 1252), "\x00"), `\`, "/")
		b = nil
	}
	if flags&8 != 0 && len(b) >= 4 && href != "" {
		if place := counted(); place != "" {
			href += "#" + place
		}
	}
	return href
}
