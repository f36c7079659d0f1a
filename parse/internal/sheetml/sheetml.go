// SPDX-License-Identifier: Apache-2.0

package sheetml

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/sheet"
)

// Options control how a workbook is read.
type Options struct {
	Hidden doctree.Hidden // how hidden sheets, rows, columns and values are handled
	Nodes  int            // nodes of the tree; zero means 2,000,000. The rest is left out, with a warning
	Cells  int            // cells of tables; zero means 4,000,000. The rest is left out, with a warning
}

const (
	maxColumns = 1 << 14
	maxRows    = 1 << 20
)

// words maps the namespaces of the format to prefixes.
var words = zipxml.Vocabulary{
	"urn:schemas-microsoft-com:office:spreadsheet": "ss",
	"urn:schemas-microsoft-com:office:office":      "o",
	"urn:schemas-microsoft-com:office:excel":       "x",
	"http://www.w3.org/TR/REC-html40":              "html",
}

// codes are the number formats that have names.
var codes = map[string]string{
	"General Number": "General", "General Date": "m/d/yyyy h:mm", "Short Date": "m/d/yyyy", "Medium Date": "d-mmm-yy", "Long Date": "dddd, mmmm d, yyyy",
	"Short Time": "h:mm", "Medium Time": "h:mm AM/PM", "Long Time": "h:mm:ss AM/PM", "Fixed": "0.00", "Standard": "#,##0.00", "Percent": "0.00%", "Scientific": "0.00E+00",
	"Currency":      "#,##0.00", // the file does not say which
	"Euro Currency": "[$€-2] #,##0.00", "Yes/No": `"Yes";"Yes";"No"`, "True/False": `"True";"True";"False"`, "On/Off": `"On";"On";"Off"`,
}

// Read reads the workbook in data. The error wraps [zipxml.ErrMalformed] or
// [zipxml.ErrLimit], or is the cause that ended ctx.
func Read(ctx context.Context, data []byte, o Options) (*doctree.Document, error) {
	if o.Nodes == 0 {
		o.Nodes = 2_000_000
	}
	text, _ := dom.Decode(data, "application/xml")
	r := &reader{styles: map[string]int{}}
	r.book = sheet.Book{Doc: &doctree.Document{}, Nodes: o.Nodes, Cells: o.Cells, Hidden: o.Hidden}
	if err := r.head(ctx, zipxml.NewScanner(text, words)); err != nil {
		return nil, err
	}
	r.book.Begin("xls")
	if err := r.sheets(ctx, zipxml.NewScanner(text, words)); err != nil {
		return nil, err
	}
	r.book.Doc.Meta.TotalPages = r.number
	r.book.End()
	return r.book.Doc, nil
}

// reader is the state for reading one workbook.
type reader struct {
	book   sheet.Book
	styles map[string]int // number formats by the ID of a style
	hidden map[int]bool   // numbers of hidden sheets
	number int            // of the current sheet
	sheet  *sheet.Sheet   // nil outside sheets
	row    int            // of the next row
	column int            // of the next declaration of a column
}

// head reads what follows the cells that it is needed for: which sheets are hidden. It
// also reads the properties and the styles.
func (r *reader) head(ctx context.Context, s *zipxml.Scanner) error {
	r.hidden = map[int]bool{}
	number := 0
	for {
		t, err := s.Next(ctx)
		if err != nil {
			if number == 0 && !errors.Is(err, io.EOF) {
				return err
			}
			return context.Cause(ctx) // sheets reports what is damaged
		}
		if t.Kind != zipxml.Start {
			continue
		}
		switch t.Name {
		case "ss:Worksheet":
			number++
		case "ss:Table":
			err = s.Skip(ctx)
		case "o:DocumentProperties", "ss:Styles", "x:WorksheetOptions":
			var e *zipxml.Element
			if e, err = s.Tree(ctx, t); e == nil {
				break
			}
			switch t.Name {
			case "o:DocumentProperties":
				r.properties(e)
			case "ss:Styles":
				r.formats(e)
			default:
				if strings.HasPrefix(e.Get("x:Visible").Content(), "SheetHidden") || strings.HasPrefix(e.Get("x:Visible").Content(), "SheetVeryHidden") {
					r.hidden[number] = true
				}
			}
			s.Reuse()
		}
		if err != nil && !errors.Is(err, zipxml.ErrMalformed) {
			return err
		}
	}
}

func (r *reader) properties(e *zipxml.Element) {
	m := &r.book.Doc.Meta
	for name, to := range map[string]*string{"o:Title": &m.Title, "o:Author": &m.Author, "o:Subject": &m.Subject, "o:Keywords": &m.Keywords, "o:Description": &m.Description} {
		*to = strings.Clone(e.Get(name).Content()) // the file need not stay in memory
	}
	m.Created, m.Modified = doctree.Time(e.Get("o:Created").Content()), doctree.Time(e.Get("o:LastSaved").Content())
}

func (r *reader) formats(e *zipxml.Element) {
	for style := e.Named("ss:Style"); style != nil; style = style.Same() {
		code := style.Get("ss:NumberFormat").Attr("ss:Format")
		if named, ok := codes[code]; ok {
			code = named
		}
		if code == "" {
			code = "General"
		}
		n := len(r.styles)
		r.book.Formats.Define(n, code)
		r.book.Formats.Add(n)
		if style.Get("ss:Font").Attr("ss:StrikeThrough") == "1" {
			r.book.Formats.Strike()
		}
		r.styles[strings.Clone(style.Attr("ss:ID"))] = n
	}
}

// sheets reads the sheets row by row.
func (r *reader) sheets(ctx context.Context, s *zipxml.Scanner) error {
	for {
		t, err := s.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return r.end(ctx)
		case err == nil && t.Kind == zipxml.Start:
			err = r.piece(ctx, s, t)
		case err == nil && t.Kind == zipxml.End && t.Name == "ss:Worksheet":
			err = r.end(ctx)
		}
		if errors.Is(err, zipxml.ErrMalformed) {
			r.book.Doc.Warn("part-unreadable", r.number, "The XML of the workbook is damaged or ends too early. Its end may be missing.")
			return r.end(ctx)
		}
		if err != nil {
			return fmt.Errorf("workbook: %w", err)
		}
	}
}

// end writes the open sheet, if there is one.
func (r *reader) end(ctx context.Context) error {
	s := r.sheet
	if s == nil {
		return nil
	}
	r.sheet = nil
	return s.Close(ctx)
}

// piece reads the element that begins with t, or enters it.
func (r *reader) piece(ctx context.Context, s *zipxml.Scanner, t zipxml.Token) error {
	switch t.Name {
	case "ss:Workbook", "ss:Table":
		return nil
	case "ss:Worksheet":
		if err := r.end(ctx); err != nil {
			return err
		}
		r.number++
		name := strings.Clone(zipxml.New(t.Name, t.Attrs).Attr("ss:Name"))
		if r.hidden[r.number] && r.book.Hide(r.number, name) {
			return s.Skip(ctx)
		}
		if !r.book.Room() {
			r.book.Skip(1)
			return s.Skip(ctx)
		}
		r.sheet, r.row, r.column = r.book.Sheet(r.number, name), 0, 0
		return nil
	}
	if r.sheet == nil {
		return s.Skip(ctx)
	}
	e, err := s.Tree(ctx, t)
	if e == nil {
		return err
	}
	switch e.Name {
	case "ss:Column":
		first := max(0, e.Int("ss:Index", r.column+1)-1)
		last := min(first+max(0, e.Int("ss:Span", 0)), maxColumns)
		if e.Attr("ss:Hidden") == "1" {
			r.sheet.HideColumns(first, last)
		}
		r.column = last + 1
	case "ss:Row":
		r.cells(e)
	case "x:WorksheetOptions":
		r.sheet.Header(strings.Clone(e.Get("x:PageSetup", "x:Header").Attr("x:Data")))
		r.sheet.Footer(strings.Clone(e.Get("x:PageSetup", "x:Footer").Attr("x:Data")))
	}
	s.Reuse()
	return err
}

// cells reads a row.
func (r *reader) cells(e *zipxml.Element) {
	row := max(0, e.Int("ss:Index", r.row+1)-1)
	last := min(row+max(0, e.Int("ss:Span", 0)), maxRows)
	hidden := e.Attr("ss:Hidden") == "1"
	if hidden {
		r.sheet.HideRows(row, last)
	}
	r.row = last + 1
	r.sheet.Row(row, hidden)
	column := 0
	for c := e.Named("ss:Cell"); c != nil; c = c.Same() {
		column = max(0, c.Int("ss:Index", column+1)-1)
		if column >= maxColumns {
			return
		}
		across, down := max(0, c.Int("ss:MergeAcross", 0)), max(0, c.Int("ss:MergeDown", 0))
		at := sheet.Range{Row: row, Column: column, LastRow: min(row+down, maxRows), LastColumn: min(column+across, maxColumns-1)}
		r.cell(c, column)
		if across+down > 0 {
			r.sheet.Merge(at)
		}
		r.sheet.Link(sheet.Range{Row: row, Column: column, LastRow: row, LastColumn: column}, doctree.Href(strings.Clone(c.Attr("ss:HRef"))))
		if comment := c.Get("ss:Comment"); comment != nil {
			r.sheet.Comment(row, column, strings.Clone(comment.Attr("ss:Author")), "", strings.Clone(strings.TrimSpace(comment.Get("ss:Data").Content())))
		}
		column = at.LastColumn + 1
	}
}

// cell adds the value of a cell or, without one, its formula.
func (r *reader) cell(c *zipxml.Element, column int) {
	style, ok := r.styles[c.Attr("ss:StyleID")]
	if !ok {
		style = -1
	}
	data := c.Get("ss:Data")
	switch text := []byte(data.Content()); data.Attr("ss:Type") {
	case "Number":
		r.sheet.Digits(column, style, text)
	case "DateTime":
		r.sheet.Moment(column, style, string(text))
	case "Boolean":
		r.sheet.Bool(column, string(text) == "1")
	case "":
		if formula := c.Attr("ss:Formula"); formula != "" && len(text) == 0 {
			text = []byte(formula)
		}
		r.sheet.Cell(column, sheet.Text, text)
	case "Error":
		r.sheet.Cell(column, sheet.Text, text)
	default:
		r.sheet.Text(column, style, text)
	}
}
