// SPDX-License-Identifier: Apache-2.0

package roundtriptest

import (
	"fmt"
	"strconv"
)

func (m *maker) article() {
	m.add(m.heading(1), m.paragraph(3, 5, false))
	for range m.between(2, 3) {
		m.add(m.heading(2), m.paragraph(2, 5, true), m.paragraph(2, 4, true), m.list(m.r.IntN(2) == 0, 2))
		m.add(m.heading(3), m.paragraph(2, 4, true), m.table(m.between(3, 5), 3, true, false), m.paragraph(2, 3, false))
	}
}

func (m *maker) lists() {
	m.add(m.heading(1))
	for i := range 4 {
		m.add(m.paragraph(1, 2, false), m.list(i%2 == 1, 3))
	}
	m.add(m.paragraph(1, 2, false))
}

func (m *maker) tables(ruled bool) {
	m.add(m.heading(1), m.paragraph(2, 3, false))
	for i := range 3 {
		m.add(m.heading(2), m.paragraph(1, 2, false), m.table(m.between(4, 8), m.between(3, 5), ruled, i == 1))
	}
	m.add(m.paragraph(2, 3, false))
}

// spanned has tables with a head over two columns, groups of rows, and a cell
// over the whole width.
func (m *maker) spanned() {
	m.add(m.heading(1), m.paragraph(2, 3, false))
	for range 2 {
		t := m.table(6, 4, true, false)
		t.Rows[0] = []Cell{t.Rows[0][0], {Text: m.phrase(2, 3), Across: 2}, t.Rows[0][3]}
		t.Rows[1][0].Down = 2
		t.Rows[2] = t.Rows[2][1:]
		t.Rows[4][0].Down = 3
		t.Rows[5], t.Rows[6] = t.Rows[5][1:], t.Rows[6][1:]
		t.Rows = append(t.Rows, []Cell{{Text: m.phrase(4, 6), Across: 4}})
		m.add(t, m.paragraph(2, 3, false))
	}
}

func (m *maker) columns(n int) {
	m.d.Columns = n
	m.add(m.heading(1))
	for range 3 {
		m.add(m.heading(2))
		for range 3 {
			m.add(m.paragraph(4, 7, false))
		}
	}
}

// long has running headers, page numbers, and a table over several pages.
func (m *maker) long() {
	m.d.Header = "The running header of all pages"
	m.add(m.heading(1), m.paragraph(4, 6, false))
	for range 3 {
		m.add(m.heading(2), m.paragraph(5, 8, false), m.paragraph(5, 8, true), m.paragraph(5, 8, false))
	}
	m.add(m.heading(2), m.table(55, 4, true, false))
	for range 3 {
		m.add(m.heading(2), m.paragraph(5, 8, false), m.paragraph(5, 8, false))
	}
}

func (m *maker) notes() {
	m.d.Header = "Notes at the foot"
	m.add(m.heading(1))
	for range 3 {
		m.add(m.heading(2))
		for range 2 {
			p := m.paragraph(2, 4, false)
			p.Text[0].Note = m.prose(1, 2)
			p.Text = append(p.Text, Span{Text: " " + m.prose(2, 3)})
			m.add(p, m.paragraph(3, 6, false))
		}
	}
}

func (m *maker) code() {
	m.add(m.heading(1))
	for range 3 {
		at := m.r.IntN(len(code) - 3)
		m.add(m.paragraph(1, 2, false), Code{code[at : at+m.between(3, len(code)-at)]})
	}
	m.add(m.paragraph(2, 3, false))
}

func (m *maker) maths() {
	m.add(m.heading(1))
	for range 3 {
		f := formulas[m.r.IntN(len(formulas))]
		p := m.paragraph(1, 2, false)
		p.Text[0].Text += " " + m.phrase(2, 4) + " "
		p.Text = append(p.Text, Span{Formula: &f}, Span{Text: " " + m.phrase(2, 4) + "."})
		m.add(p, Math{formulas[m.r.IntN(len(formulas))]}, m.paragraph(1, 2, false))
	}
}

func (m *maker) foreign(lang string, voc vocabulary, rtl bool) {
	m.d.Lang, m.d.RTL, m.voc = lang, rtl, voc
	m.add(m.heading(1), m.paragraph(3, 5, false), m.heading(2), m.paragraph(3, 5, false))
	m.add(m.list(false, 2), m.paragraph(2, 3, false), m.table(4, 3, true, false), m.paragraph(2, 4, false))
}

func (m *maker) slides() {
	m.d.Form = Slides
	for i := range 5 {
		m.add(m.heading(2))
		switch i % 3 {
		case 0:
			m.add(m.list(false, 2))
		case 1:
			m.add(m.table(m.between(3, 4), 3, true, false))
		default:
			m.add(Paragraph{[]Span{{Text: m.phrase(8, 14)}}}, Paragraph{[]Span{{Text: m.phrase(8, 14)}}})
		}
	}
}

// sheets has numbers without trailing zeros, as sheets without a number format
// show them.
func (m *maker) sheets() {
	m.d.Form = Sheets
	for i := range 3 {
		t := m.table(m.between(8, 20), m.between(3, 6), false, false)
		for _, row := range t.Rows {
			for j, c := range row {
				if v, err := strconv.ParseFloat(c.Text, 64); err == nil {
					row[j].Text = strconv.FormatFloat(v, 'f', -1, 64)
				}
			}
		}
		m.add(Heading{2, fmt.Sprint(m.phrase(1, 1), " ", i+1)}, t)
	}
}

// tiny is a small document with most elements, for testdata.
func (m *maker) tiny() {
	m.add(m.heading(1), m.paragraph(2, 2, true), m.heading(2), m.list(false, 2), m.list(true, 1))
	p := m.paragraph(1, 1, false)
	p.Text[0].Note = m.prose(1, 1)
	p.Text = append(p.Text, Span{Text: " " + m.prose(1, 1)})
	m.add(p, m.heading(2), m.table(3, 3, true, false), Code{code[:3]}, m.paragraph(2, 2, true))
}
