// SPDX-License-Identifier: Apache-2.0

package roundtriptest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
)

// Themes returns the names of the themes for [Generate].
func Themes() []string {
	names := make([]string, len(themes))
	for i, t := range themes {
		names[i] = t.name
	}
	return names
}

type theme struct {
	name string
	make func(*maker)
}

var themes = []theme{
	{"article", (*maker).article},
	{"lists", (*maker).lists},
	{"ruled", func(m *maker) { m.tables(true) }},
	{"unruled", func(m *maker) { m.tables(false) }},
	{"spans", (*maker).spanned},
	{"columns2", func(m *maker) { m.columns(2) }},
	{"columns3", func(m *maker) { m.columns(3) }},
	{"long", (*maker).long},
	{"notes", (*maker).notes},
	{"code", (*maker).code},
	{"maths", (*maker).maths},
	{"rtl", func(m *maker) { m.foreign("he-IL", hebrew, true) }},
	{"cjk", func(m *maker) { m.foreign("zh-CN", chinese, false) }},
	{"slides", (*maker).slides},
	{"sheets", (*maker).sheets},
	{"tiny", (*maker).tiny},
}

// Generate creates a document for each theme. The same seed gives the same
// documents.
func Generate(seed uint64) []*Document {
	var all []*Document
	for _, t := range themes {
		all = append(all, Make(t.name, seed))
	}
	return all
}

// Make creates a document for one theme, or returns nil for an unknown name.
func Make(name string, seed uint64) *Document {
	for _, t := range themes {
		if t.name != name {
			continue
		}
		h := fnv.New64a()
		h.Write([]byte(name)) // so that a new theme does not change the others
		m := &maker{
			r:   rand.New(rand.NewPCG(seed, h.Sum64())),
			voc: english,
			d:   &Document{Name: fmt.Sprintf("%s-%d", name, seed), Lang: "en-US"},
		}
		t.make(m)
		return m.d
	}
	return nil
}

// maker creates one document.
type maker struct {
	r   *rand.Rand
	d   *Document
	voc vocabulary
}

func (m *maker) add(all ...Block) { m.d.Blocks = append(m.d.Blocks, all...) }

// between returns a number from low to high.
func (m *maker) between(low, high int) int { return low + m.r.IntN(high-low+1) }

// phrase returns some words without a full stop.
func (m *maker) phrase(low, high int) string {
	words := make([]string, m.between(low, high))
	for i := range words {
		words[i] = m.voc.words[m.r.IntN(len(m.voc.words))]
	}
	return m.upper(strings.Join(words, m.voc.space))
}

func (m *maker) upper(s string) string {
	if m.voc.upper {
		return strings.ToUpper(s[:1]) + s[1:]
	}
	return s
}

// prose returns some sentences.
func (m *maker) prose(low, high int) string {
	sentences := make([]string, m.between(low, high))
	for i := range sentences {
		sentences[i] = m.phrase(6, 18) + m.voc.stop
	}
	return strings.Join(sentences, m.voc.space)
}

// paragraph returns prose. If rich is set, it contains a formatted span.
func (m *maker) paragraph(low, high int, rich bool) Paragraph {
	if !rich {
		return Paragraph{[]Span{{Text: m.prose(low, high)}}}
	}
	middle := Span{Text: strings.ToLower(m.phrase(1, 3))}
	switch m.r.IntN(4) {
	case 0:
		middle.Style = Strong
	case 1:
		middle.Style = Emphasis
	case 2:
		middle.Style = Mono
	default:
		middle.Link = fmt.Sprintf("https://example.org/page/%d", m.between(1, 99))
	}
	return Paragraph{[]Span{{Text: m.prose(1, high-1) + " " + m.phrase(2, 5) + " "}, middle, {Text: " " + strings.ToLower(m.phrase(3, 6)) + "."}}}
}

func (m *maker) heading(level int) Heading { return Heading{level, m.phrase(2, 5)} }

// list returns a list whose items may contain lists, up to depth.
func (m *maker) list(ordered bool, depth int) List {
	l := List{Ordered: ordered}
	n := m.between(2, 4)
	for i := range n {
		item := Item{Text: []Span{{Text: m.phrase(3, 12)}}}
		if depth > 1 && i < n-1 && m.r.IntN(2) == 0 {
			sub := m.list(m.r.IntN(2) == 0, depth-1)
			item.Sub = &sub
		}
		l.Items = append(l.Items, item)
	}
	return l
}

// table returns a table with a name in each row, followed by numbers and short
// texts. If wordy is set, the last column contains sentences.
func (m *maker) table(rows, columns int, ruled, wordy bool) Table {
	t := Table{Ruled: ruled}
	kinds := make([]int, columns)
	var head []Cell
	for i := range columns {
		kinds[i] = m.r.IntN(3)
		head = append(head, Cell{Text: m.phrase(1, 2)})
	}
	kinds[0] = 2
	t.Rows = append(t.Rows, head)
	for range rows {
		var row []Cell
		for i, k := range kinds {
			text := m.phrase(1, 2)
			switch {
			case wordy && i == columns-1:
				text = m.phrase(8, 14)
			case k == 0:
				text = fmt.Sprint(m.between(1, 9999))
			case k == 1:
				text = fmt.Sprintf("%d.%02d", m.between(0, 999), m.between(0, 99))
			}
			row = append(row, Cell{Text: text})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
