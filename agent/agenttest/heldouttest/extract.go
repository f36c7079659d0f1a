// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/curlew/agent/agenttest"
	"example.com/curlew/agent/internal/protocol"
)

// Rates of mistakes of sloppy and lying models, of cells that are no keys.
const (
	lineRate   = 0.02
	typeRate   = 0.10
	missRate   = 0.03
	inventRate = 0.02
)

// seen is what lines say about one thing.
type seen struct {
	thing    *thing
	at       int // place of the name in the lines
	from, to int // half-open
	column   int // of the table whose columns are things, counted from 1; zero if there is none
	mentions []mention
}

// bare removes what Markdown writes around text, and apart sees that bold text is not part of the word before it.
var (
	bare  = strings.NewReplacer(`\`, "", "**", "", "`", "", "_", " ")
	apart = strings.NewReplacer(`\`, "", "**", " ", "`", "", "_", " ")
)

// holds reports whether text stands in s as a token of its own.
func holds(s, text string) bool {
	text = bare.Replace(text)
	return holdsPlain(bare.Replace(s), text) || strings.Contains(s, "**") && holdsPlain(apart.Replace(s), text)
}

// holdsPlain reports whether text stands in s, which has no Markdown, as a token of its own.
func holdsPlain(s, text string) bool {
	for from := 0; text != ""; {
		i := strings.Index(s[from:], text)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		behind, _ := utf8.DecodeRuneInString(s[i+len(text):])
		first, _ := utf8.DecodeRuneInString(text)
		final, _ := utf8.DecodeLastRuneInString(text)
		inside := joined(before) && joined(first) || joined(behind) && joined(final)
		if !inside {
			return true
		}
		from = i + 1
	}
	return false
}

func joined(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// see returns the things that lines speak of.
func (m *Model) see(a protocol.Asked) []seen {
	var best *page
	most := -1
	for _, p := range m.web.titles[a.Text("title")] {
		n := 0
		for _, x := range p.mentions {
			if slices.ContainsFunc(a.Lines, func(l protocol.AskedLine) bool { return holds(l.Text, x.text) }) {
				n++
			}
		}
		if n > most {
			best, most = p, n
		}
	}
	if best == nil {
		return nil
	}
	if best.columns {
		return seeColumns(a, best)
	}
	var out []seen
	begin := 0
	for _, x := range best.mentions {
		if strings.EqualFold(x.thing.name, x.text) && (len(out) == 0 || out[len(out)-1].thing != x.thing) {
			at := -1
			for i := begin; i < len(a.Lines); i++ {
				if holds(a.Lines[i].Text, x.text) {
					at = i
					break
				}
			}
			if at < 0 {
				continue
			}
			out = append(out, seen{thing: x.thing, at: at, from: begin})
			begin = at + 1
		}
		if n := len(out); n > 0 && out[n-1].thing == x.thing {
			out[n-1].mentions = append(out[n-1].mentions, x)
		}
	}
	for i := range out {
		out[i].to = len(a.Lines)
		if i+1 < len(out) {
			out[i].to = max(out[i+1].at, out[i].at+1)
		}
		out[i].from = out[i].at
	}
	return out
}

// seeColumns returns the things that are the columns of a table.
func seeColumns(a protocol.Asked, p *page) []seen {
	var out []seen
	for _, x := range p.mentions {
		if x.field == x.thing.site.columns[0].name {
			at := slices.IndexFunc(a.Lines, func(l protocol.AskedLine) bool { return holds(l.Text, x.text) })
			if at < 0 {
				continue
			}
			column := slices.IndexFunc(cellsOf(a.Lines[at].Text), func(c string) bool { return holds(c, x.text) })
			out = append(out, seen{thing: x.thing, at: at, from: at, to: len(a.Lines), column: column})
		}
		if n := len(out); n > 0 && out[n-1].thing == x.thing {
			out[n-1].mentions = append(out[n-1].mentions, x)
		}
	}
	return out
}

// cellsOf returns the cells of a row of a table. The first one is number 1.
func cellsOf(line string) []string { return strings.Split(line, "|") }

// inColumn returns what the row of a table says for a field in the column of a thing.
func (s seen) inColumn(a protocol.Asked, field, kind string) (any, int) {
	for _, x := range s.mentions {
		for i := s.from; i < s.to && x.field == field; i++ {
			cells := cellsOf(a.Lines[i].Text)
			if len(cells) <= s.column || !holds(cells[s.column], x.text) || i > s.at && !holds(cells[1], x.label) {
				continue
			}
			if kind == "boolean" {
				return s.thing.cells[field].truth, a.Lines[i].N
			}
			return x.text, a.Lines[i].N
		}
	}
	return nil, 0
}

// aboveHeading returns what the nearest heading above a thing says. If the thing is a heading
// itself, this is one of a higher level.
func (s seen) aboveHeading(a protocol.Asked, text string) (any, int) {
	level := func(i int) int { return len(a.Lines[i].Text) - len(strings.TrimLeft(a.Lines[i].Text, "#")) }
	own := level(s.at)
	for i := s.at; i >= 0; i-- {
		if n := level(i); n > 0 && (own == 0 || n < own) {
			if holds(a.Lines[i].Text, text) {
				return text, a.Lines[i].N
			}
			return nil, 0
		}
	}
	return nil, 0
}

// aboveRow returns what the row of a thing says for a field, or else the nearest row above.
func (s seen) aboveRow(a protocol.Asked, field string) (any, int) {
	for i := s.at; i >= 0; i-- {
		for _, t := range s.thing.site.things {
			if text := t.cells[field].text; holds(a.Lines[i].Text, text) {
				return text, a.Lines[i].N
			}
		}
	}
	return nil, 0
}

// cell returns what the lines say for a field, and the line.
func (s seen) cell(a protocol.Asked, field, kind string) (any, int) {
	if s.column > 0 {
		return s.inColumn(a, field, kind)
	}
	for _, labelled := range []bool{true, false} {
		for _, x := range s.mentions {
			if x.field != field || labelled && x.label == "" {
				continue
			}
			if x.heading {
				return s.aboveHeading(a, x.text)
			}
			if x.above {
				return s.aboveRow(a, x.field)
			}
			for i := s.from; i < s.to; i++ {
				text := a.Lines[i].Text
				if !holds(text, x.text) {
					continue
				}
				if labelled && !holds(text, x.label) && !labelAbove(a.Lines, i, x.label) {
					continue
				}
				if kind == "boolean" {
					return s.thing.cells[field].truth, a.Lines[i].N
				}
				return x.text, a.Lines[i].N
			}
		}
	}
	return nil, 0
}

// labelAbove reports whether one of the two lines of text before line i is a label.
func labelAbove(lines []protocol.AskedLine, i int, label string) bool {
	n := 0
	for k := i - 1; k >= 0 && n < 2; k-- {
		if strings.TrimSpace(lines[k].Text) == "" {
			continue
		}
		if n++; holds(lines[k].Text, label) {
			return true
		}
	}
	return false
}

// extract answers an extract call.
func (m *Model) extract(a protocol.Asked) any {
	out := protocol.ExtractReply{Total: -1, Kind: "none"}
	out.Rows = slices.Grow(out.Rows, 1) // no rows are an empty list
	var table struct{ ID, What string }
	_ = json.Unmarshal(a.Values["table"], &table) // without it, all rows are given
	fields := protocol.ListOf[protocol.PromptField](a, "fields")
	all := m.see(a)
	all = slices.DeleteFunc(all, func(s seen) bool { return !m.wanted(a.Text("task"), table.ID, table.What, s, fields) })
	if table.ID == "T0" && len(all) > 1 {
		all = nil // a list does not say which one is meant
	}
	out.Total, out.TotalLn = m.claim(a)
	most, after := a.Number("rows"), a.Number("after")
	for i, s := range all {
		if a.Lines[s.at].N <= after {
			continue
		}
		if most > 0 && len(out.Rows) == most {
			out.More = true
			break
		}
		row := struct {
			V  map[string]any   `json:"v"`
			Ln map[string][]int `json:"ln"`
		}{map[string]any{}, map[string][]int{}}
		for _, f := range fields {
			name := f.Name[strings.LastIndexByte(f.Name, '.')+1:]
			if f.Key && s.thing.site.column(name) == nil { // the site calls the name of its things otherwise
				name = s.thing.site.columns[0].name
			}
			v, n := s.cell(a, name, f.Type)
			if list, ok := s.thing.listOf(name); ok && v != nil {
				v = list
			}
			if m.sloppy() && !f.Key {
				v, n = m.slip(a, all, i, f, name, v, n)
			}
			row.V[f.Name], row.Ln[f.Name] = v, []int{}
			if v != nil && m.Mode != agenttest.Uncited {
				row.Ln[f.Name] = []int{n, n}
			}
		}
		out.Rows = append(out.Rows, row)
	}
	switch {
	case len(all) == 1:
		out.Kind = "detail"
	case len(all) > 1:
		out.Kind = "list"
	}
	return out
}

// claim returns how many things a page says that it lists, and the line that says so.
func (m *Model) claim(a protocol.Asked) (total, line int) {
	for _, p := range m.web.titles[a.Text("title")] {
		for _, l := range a.Lines {
			if p.claim != "" && strings.Contains(l.Text, p.claim) {
				digits := strings.TrimFunc(p.claim, func(r rune) bool { return !unicode.IsDigit(r) })
				if n, err := strconv.Atoi(digits); err == nil {
					return n, l.N
				}
			}
		}
	}
	return -1, 0
}

// wanted reports whether a thing is what a table is about.
func (m *Model) wanted(task, id, what string, s seen, fields []protocol.PromptField) bool {
	p := m.web.plans[task]
	if p == nil {
		return true
	}
	if p.across {
		return slices.Contains(p.subjects, s.thing)
	}
	if len(p.sites) > 0 {
		return slices.Contains(p.sites, s.thing.site)
	}
	if id == "T0" {
		return s.thing.site != p.site || len(p.subjects) == 0 || slices.Contains(p.subjects, s.thing)
	}
	for _, site := range m.web.sites {
		if strings.EqualFold(site.noun, what) {
			return s.thing.site == site
		}
	}
	return slices.ContainsFunc(fields, func(f protocol.PromptField) bool {
		return s.thing.site.column(f.Name[strings.LastIndexByte(f.Name, '.')+1:]) != nil
	})
}

// slip makes a mistake of one cell in a while.
func (m *Model) slip(a protocol.Asked, all []seen, i int, f protocol.PromptField, name string, v any, n int) (any, int) {
	t := all[i].thing
	key := []any{t.name, f.Name, a.Hash}
	if m.Mode == agenttest.Lying {
		switch d := m.dice(append(key, "lie")...); {
		case d < missRate:
			return nil, 0
		case d < missRate+inventRate && f.Type == "boolean":
			return t.cells[name].truth != true, a.Lines[all[i].at].N
		case d < missRate+inventRate && f.Type == "date":
			return "2031-05-06", a.Lines[all[i].at].N
		case d < missRate+inventRate && strings.HasPrefix(f.Type, "string"):
			return "Invention", a.Lines[all[i].at].N
		case d < missRate+inventRate:
			return 91_234_567, a.Lines[all[i].at].N
		}
	}
	if v == nil {
		return nil, 0
	}
	if m.dice(append(key, "line")...) < lineRate {
		n = max(1, n+int(m.dice(append(key, "by")...)*7)-3)
	}
	if m.dice(append(key, "type")...) < typeRate {
		switch f.Type {
		case "number", "integer", "date":
			v = t.cells[name].truth
		case "boolean":
			v = map[bool]string{true: "yes", false: "no"}[v == true]
		case "string[]":
			v = t.cells[name].text
		default:
			if _, is := v.([]any); is {
				v = t.cells[name].text
			}
			v = fmt.Sprintf(" %v ", v)
		}
	}
	return v, n
}

// verify answers by the lines of each candidate.
func (m *Model) verify(a protocol.Asked) any {
	var out protocol.VerifyReply
	for _, c := range protocol.ListOf[protocol.PromptCell](a, "cells") {
		cell := protocol.VerifiedCell{I: c.I, Verdict: "none"}
		field := c.Field[strings.LastIndexByte(c.Field, '.')+1:]
		if c.Text != "" {
			cell.Value = m.stated(a, field, c.Text)
		}
		for k, v := range c.Candidates {
			lines := strings.Join(c.Lines[min(k, len(c.Lines)-1)], "\n")
			for _, t := range m.web.things {
				truth, ok := t.cells[field]
				if ok && strings.Contains(strings.ToLower(c.Row), strings.ToLower(t.name)) && holds(lines, truth.text) && fmt.Sprint(truth.truth) == fmt.Sprint(v) {
					cell.Verdict, cell.Pick = "pick", k
				}
			}
			if cell.Verdict == "pick" {
				break
			}
		}
		out.Cells = append(out.Cells, cell)
	}
	return out
}

// stated returns the number that a text states for a field, which a reader knows from the words of the
// text. A lying model returns another one once in a while.
func (m *Model) stated(a protocol.Asked, field, text string) any {
	if m.Mode == agenttest.Lying {
		switch d := m.dice(field, text, a.Hash, "stated"); {
		case d < missRate:
			return nil
		case d < missRate+inventRate:
			return 7
		}
	}
	for _, s := range m.web.sites {
		for _, t := range s.things {
			if c, ok := t.cells[field]; ok && strings.EqualFold(bare.Replace(c.text), bare.Replace(text)) {
				if v, is := c.truth.(float64); is {
					return v
				}
			}
		}
	}
	return nil
}
