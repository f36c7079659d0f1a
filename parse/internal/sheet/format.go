// SPDX-License-Identifier: Apache-2.0

package sheet

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"time"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/numfmt"
)

const maxStyles = 65_536 // Excel writes at most 65,490

// Formats are the number formats of a workbook, by cell style. The zero
// value formats every number as General.
type Formats struct {
	Date1904 bool // dates count from 1904

	codes  map[int]string
	parsed map[int]*numfmt.Format
	styles []*numfmt.Format
	struck set // styles whose text is struck through
}

// Define sets the code of a number format.
func (f *Formats) Define(id int, code string) {
	if f.codes == nil {
		f.codes = map[int]string{}
	}
	if len(f.codes) < maxStyles {
		f.codes[id] = code
	}
}

// Add appends a cell style with a number format.
func (f *Formats) Add(id int) {
	if len(f.styles) >= maxStyles {
		return
	}
	if f.parsed == nil {
		f.parsed = map[int]*numfmt.Format{}
	}
	form, ok := f.parsed[id]
	if !ok {
		code, defined := f.codes[id]
		if !defined {
			code = numfmt.Builtin(id)
		}
		form = numfmt.Parse(code)
		f.parsed[id] = form
	}
	f.styles = append(f.styles, form)
}

// Strike says that the style that [Formats.Add] appended last strikes its text through.
func (f *Formats) Strike() {
	if i := len(f.styles) - 1; i >= 0 {
		f.struck.add(i, i)
	}
}

// Style returns the format of style i, or General if there is none.
func (f *Formats) Style(i int) *numfmt.Format {
	if i < 0 || i >= len(f.styles) {
		return &numfmt.Format{}
	}
	return f.styles[i]
}

// style returns the format of a cell of the current row.
func (s *Sheet) style(column, style int) *numfmt.Format {
	if s.book.Formats.struck.has(style) {
		s.Strike(column)
	}
	return s.book.Formats.Style(style)
}

// Number adds a cell with a number in the format of its style.
func (s *Sheet) Number(column, style int, v float64) {
	s.amount(column, s.style(column, style), v)
}

func (s *Sheet) amount(column int, f *numfmt.Format, v float64) {
	s.shown = f.Append(s.shown[:0], v, s.book.Formats.Date1904)
	if len(s.shown) == 0 {
		s.shown = s.Unshown(string(new(numfmt.Format).Append(s.shown, v, s.book.Formats.Date1904)))
	}
	kind := Number
	if f.IsDate() {
		kind = Date
	}
	s.Cell(column, kind, s.shown)
}

// Digits adds a cell with a number given as text.
func (s *Sheet) Digits(column, style int, raw []byte) {
	f := s.style(column, style)
	if f.IsGeneral() && isPlain(raw) || len(raw) > 15 && f.IsInteger() && isInteger(raw) {
		s.Cell(column, Number, raw)
		return
	}
	v, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.IsInf(v, 0) {
		s.Cell(column, Text, raw)
		return
	}
	s.amount(column, f, v)
}

// Moment adds a cell with a date, a time or both in ISO 8601, in the format
// of its style. If that is not a date format, the text is unchanged.
func (s *Sheet) Moment(column, style int, text string) {
	text = strings.TrimSuffix(text, "Z")
	f := s.style(column, style)
	if f.IsDate() {
		for _, form := range [...]string{"2006-01-02T15:04:05", "2006-01-02", "2006-01-02T15:04", "15:04:05", "15:04"} {
			t, err := time.Parse(form, text)
			if err != nil {
				continue
			}
			days := float64(t.Sub(t.Truncate(24*time.Hour))) / float64(24*time.Hour)
			if t.Year() > 0 {
				days += numfmt.Serial(t, s.book.Formats.Date1904)
			}
			if days < 0 {
				break // before the first day of the date system
			}
			s.amount(column, f, days)
			return
		}
	}
	day := strings.TrimSuffix(text, "T00:00:00")
	s.Cell(column, Date, []byte(strings.Replace(day, "T", " ", 1)))
}

// isInteger reports whether a number has only digits, of which a cell without a format
// shows all. A float64 does not hold more than 17 of them.
func isInteger(raw []byte) bool {
	if raw[0] == '-' {
		raw = raw[1:]
	}
	return len(raw) < 22 && raw[0] != '0' && len(bytes.Trim(raw, "0123456789")) == 0
}

// isPlain reports whether General shows a number unchanged.
func isPlain(raw []byte) bool {
	negative := len(raw) > 0 && raw[0] == '-'
	if negative {
		raw = raw[1:]
	}
	if len(raw) == 0 || len(raw) > 15 || negative && string(raw) == "0" || bytes.HasPrefix(raw, []byte("0.0000000")) {
		return false
	}
	point := len(raw)
	for i, c := range raw {
		switch {
		case c == '.' && point == len(raw) && i > 0:
			point = i
		case c < '0' || c > '9':
			return false
		}
	}
	last := raw[len(raw)-1]
	if raw[0] == '0' && point != 1 && (len(raw) > 1 || negative) || point < len(raw) && (last == '0' || last == '.') {
		return false
	}
	return true
}

// Text adds a cell with a text in the format of its style.
func (s *Sheet) Text(column, style int, text []byte) {
	if f := s.style(column, style); f.ShowsText() {
		s.formatted(column, f, string(text))
		return
	}
	s.Cell(column, Text, text)
}

// formatted adds a cell with a text in a format.
func (s *Sheet) formatted(column int, f *numfmt.Format, text string) {
	shown := f.Text(text)
	if strings.TrimSpace(shown) == "" && strings.TrimSpace(text) != "" {
		shown = string(s.Unshown(text))
	}
	s.Cell(column, Text, []byte(shown))
}

// Unshown returns what to write for a value that its format hides: nothing, or the
// value if hidden content is kept. What is left out is counted, except zeros, which
// many formats hide.
func (s *Sheet) Unshown(value string) []byte {
	switch {
	case value == "0":
	case s.book.Hidden != doctree.HiddenDropped:
		return []byte(value)
	default:
		s.hides++
	}
	return nil
}

// SharedText adds a cell with a text of [Book.Strings] in the format of its
// style.
func (s *Sheet) SharedText(column, style, index int) {
	if !s.book.Strings.Has(index) {
		s.book.textless++
		return
	}
	f := s.style(column, style)
	if !f.ShowsText() {
		s.Shared(column, Text, index)
		return
	}
	s.formatted(column, f, s.book.Strings.At(index))
}

// Bool adds a cell with a boolean value.
func (s *Sheet) Bool(column int, v bool) {
	text := "FALSE"
	if v {
		text = "TRUE"
	}
	s.Cell(column, Bool, []byte(text))
}
