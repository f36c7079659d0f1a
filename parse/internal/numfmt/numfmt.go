// SPDX-License-Identifier: Apache-2.0

package numfmt

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// maxCode is the number of bytes of a code that are read. Excel allows 255
// characters.
const maxCode = 1024

// Format is a compiled format code. The zero value is General. It is safe
// for concurrent use.
type Format struct {
	sections []section // for numbers; one to three
	text     *section  // for text; nil shows text unchanged
	integer  bool      // the code is "0", the most common one
}

// section is one of the parts of a code that semicolons separate.
type section struct {
	parts   []part
	op      string // operator of a condition: "<", "<=", "=", ">=", ">", "<>", or ""
	operand float64

	date     bool
	day      bool // has year, month and day, so it is shown in ISO 8601
	clock    bool // has hours, minutes or seconds
	seconds  bool
	fraction int // digits of fractional seconds
	noon     bool
	general  bool
	at       bool   // has a text placeholder
	names    *names // names of months and days; nil for English

	percent, scale int // number of percent signs; number of scaling commas
	thousands      bool
	point          int // index in parts of the decimal point; len(parts) if there is none
	exponent       int // index of E; -1 if there is none
	slash          int // index of the slash of a fraction; -1 if there is none
}

// Parse compiles a code. It never fails: parts that it does not understand
// are shown literally.
func Parse(code string) *Format {
	f := &Format{}
	if len(code) > maxCode {
		code = code[:maxCode]
	}
	if code == "" || strings.EqualFold(code, "General") {
		return f
	}
	var all []section
	for _, text := range split(code) {
		all = append(all, compile(text))
	}
	switch n := len(all); {
	case n >= 4:
		f.sections, f.text = all[:3], &all[3]
	case all[n-1].at:
		f.sections, f.text = all[:n-1], &all[n-1]
	default:
		f.sections = all
	}
	f.integer = code == "0"
	return f
}

// IsDate reports whether the code formats numbers as dates or times.
func (f *Format) IsDate() bool { return len(f.sections) > 0 && f.sections[0].date }

// IsGeneral reports whether numbers are formatted as General.
func (f *Format) IsGeneral() bool {
	return len(f.sections) == 0 || f.sections[0].general && len(f.sections) == 1 && len(f.sections[0].parts) == 1
}

// IsInteger reports whether integers are shown with all their digits and nothing else.
func (f *Format) IsInteger() bool { return f.integer || f.IsGeneral() }

// ShowsText reports whether the code changes texts.
func (f *Format) ShowsText() bool {
	return f.text != nil && (len(f.text.parts) != 1 || !f.text.parts[0].isText())
}

// Text returns a text in this format.
func (f *Format) Text(s string) string {
	if f.text == nil {
		return s
	}
	var b strings.Builder
	for _, p := range f.text.parts {
		switch {
		case p.isText():
			b.WriteString(s)
		case p.kind == literal:
			b.WriteString(p.text)
		}
	}
	return b.String()
}

// Number returns a number in this format, without white space around it.
// Dates count from 1900, or from 1904 if date1904 is set. A number outside
// the calendar is formatted as General.
func (f *Format) Number(v float64, date1904 bool) string {
	return string(f.Append(nil, v, date1904))
}

// Append appends the result of [Format.Number] to dst.
func (f *Format) Append(dst []byte, v float64, date1904 bool) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(dst, "#NUM!"...)
	}
	if f.integer && math.Abs(v) < 1<<53 && v == math.Trunc(v) {
		return strconv.AppendInt(dst, int64(v), 10)
	}
	s, signed := f.choose(v)
	if s == nil || s.general && len(s.parts) == 1 {
		return General(dst, v)
	}
	from := len(dst)
	if s.date {
		// Only the 1904 system shows negative times.
		if v < 0 && date1904 && !s.day {
			dst, v = append(dst, '-'), -v
		}
		out, ok := s.time(dst, v, date1904)
		if !ok {
			return General(dst[:from], v)
		}
		return trim(out, from)
	}
	if signed {
		dst = append(dst, '-')
	}
	dst = s.number(dst, math.Abs(v))
	dst = trim(dst, from)
	if signed && s.rounded(dst[from+1:]) {
		dst = trim(append(dst[:from], dst[from+1:]...), from) // a number that is rounded to zero has no sign
	}
	return dst
}

// rounded reports whether the section shows digits and all digits in b are
// 0.
func (s *section) rounded(b []byte) bool {
	return count(s.parts) > 0 && !bytes.ContainsAny(b, "123456789")
}

// choose returns the section for v, and whether a minus sign goes before it.
func (f *Format) choose(v float64) (s *section, signed bool) {
	n := len(f.sections)
	if n == 0 {
		return nil, v < 0
	}
	conditional := false
	for i := range f.sections {
		s := &f.sections[i]
		conditional = conditional || s.op != ""
		if s.op != "" && s.holds(v) {
			return s, v < 0 && (i == 0 || s.op[0] != '<')
		}
	}
	if conditional {
		for i := range f.sections {
			s := &f.sections[i]
			if s.op != "" || n == 3 && i == 1 && v >= 0 {
				continue
			}
			return s, v < 0 && i != 1
		}
		return nil, v < 0
	}
	switch {
	case v < 0 && n >= 2:
		return &f.sections[1], false
	case v == 0 && n >= 3:
		return &f.sections[2], false
	}
	return &f.sections[0], v < 0
}

func (s *section) holds(v float64) bool {
	switch s.op {
	case "<":
		return v < s.operand
	case "<=":
		return v <= s.operand
	case "=":
		return v == s.operand
	case ">=":
		return v >= s.operand
	case ">":
		return v > s.operand
	}
	return v != s.operand
}

func trim(b []byte, from int) []byte {
	end := len(b)
	for end > from && b[end-1] == ' ' {
		end--
	}
	start := from
	for start < end && b[start] == ' ' {
		start++
	}
	if start > from {
		copy(b[from:], b[start:end])
	}
	return b[:end-start+from]
}
