// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/internal/schema"
)

// Bounds of citations.
const (
	maxSpan   = 6 // last less first line of a value
	nearLines = 3 // around the cited ones
	minUnique = 4 // characters of a value that is looked for on the whole page
)

// ground checks values against the lines of one page.
type ground struct {
	lines []string // as shown to the model, without numbers
	links []string // URLs by number of handle, from 1 at index 0
	lang  string

	normals []string // of lines, made on demand
	done    []bool
	values  [][]value.Reading // of lines; made once a value is looked for everywhere
	days    [][]value.Day
}

// style is how the values of one column are written.
type style struct {
	marks value.Marks
	order value.Order
}

// found is a value that stands somewhere; grade unsupported: nowhere.
type found struct {
	value any
	lines [2]int
	grade finding.Grade
	issue finding.IssueKind // why there is no value; empty: it is just absent
}

func newGround(lines, links []string, lang string) *ground {
	return &ground{lines: lines, links: links, lang: lang, normals: make([]string, len(lines)), done: make([]bool, len(lines))}
}

// line returns line n, from 1, in normal form.
func (g *ground) line(n int) string {
	if n < 1 || n > len(g.lines) {
		return ""
	}
	if !g.done[n-1] {
		g.normals[n-1] = value.Normal(g.lines[n-1])
		g.done[n-1] = true
	}
	return g.normals[n-1]
}

// span returns the cited lines that there are; 0, 0 where there are none.
func (g *ground) span(ln []int, most int) (a, b int) {
	if len(ln) == 0 {
		return 0, 0
	}
	a, b = ln[0], ln[len(ln)-1]
	if a > b {
		a, b = b, a
	}
	a, b = max(a, 1), min(b, len(g.lines))
	if a > b {
		return 0, 0
	}
	return a, min(b, a+most)
}

// text joins lines a to b in normal form.
func (g *ground) text(a, b int) string {
	if a == b {
		return g.line(a)
	}
	var parts []string
	for n := a; n <= b; n++ {
		parts = append(parts, g.line(n))
	}
	return strings.Join(parts, " ")
}

// locate finds lines for which ok holds: the cited ones, those around them,
// and the only one of the page for which far does; nil: nowhere else.
func (g *ground) locate(a, b int, ok func(text string) bool, far func(n int) bool) ([2]int, bool) {
	if a > 0 {
		for n := a; n <= b; n++ {
			if ok(g.line(n)) {
				return [2]int{n, n}, true
			}
		}
		if a != b && ok(g.text(a, b)) {
			return [2]int{a, b}, true
		}
		for d := 1; d <= nearLines; d++ {
			for _, n := range []int{b + d, a - d} {
				if n >= 1 && n <= len(g.lines) && ok(g.line(n)) {
					return [2]int{n, n}, true
				}
			}
		}
	}
	if far == nil {
		return [2]int{}, false
	}
	at := 0
	for n := 1; n <= len(g.lines); n++ {
		if far(n) {
			if at > 0 {
				return [2]int{}, false
			}
			at = n
		}
	}
	return [2]int{at, at}, at > 0
}

// numbers returns what the numbers of line n can stand for. A page of thousands
// of lines is gone through for each value that stands nowhere.
func (g *ground) numbers(n int) []value.Reading {
	if g.values == nil {
		g.values = make([][]value.Reading, len(g.lines))
		for i := range g.lines {
			g.values[i] = slices.Clip(value.ReadingsOf(g.line(i + 1)))
		}
	}
	return g.values[n-1]
}

// dates returns the dates of line n, as numbers does its numbers.
func (g *ground) dates(n int) []value.Day {
	if g.days == nil {
		g.days = make([][]value.Day, len(g.lines))
		for i := range g.lines {
			g.days[i] = value.Dates(g.line(i + 1))
		}
	}
	return g.days[n-1]
}

// far looks for a text in any line, where it is long enough to be told from
// others.
func (g *ground) far(text string, ok func(text string) bool) func(n int) bool {
	if utf8.RuneCountInString(text) < minUnique {
		return nil
	}
	return func(n int) bool { return ok(g.line(n)) }
}

// styleOf decides how a column is written: by an unambiguous value, by the
// language of the page, by what the schema implies.
func (g *ground) styleOf(texts []string) style {
	s := style{marks: value.MarksOf(g.lang), order: value.OrderOf(g.lang)}
	var m value.Marks
	for _, t := range texts {
		t = value.Normal(t)
		if m == value.MarksOpen {
			for _, n := range value.Numerals(t) {
				m = n.Decides()
			}
		}
		if s.order == value.OrderOpen {
			s.order = value.DayOrders(t)
		}
	}
	if s.marks == value.MarksOpen {
		s.marks = m
	}
	return s
}

// check grounds one value of a field.
func (g *ground) check(f *outline.Field, raw any, ln []int, s style) found {
	return g.node(f.Node, f.Free, raw, ln, s)
}

func (g *ground) node(n *schema.Node, free bool, raw any, ln []int, s style) found {
	if raw == nil {
		return found{}
	}
	if n.Choices != nil {
		var best found
		for _, c := range specific(n.Choices) {
			if got := g.node(c, free, raw, ln, s); got.value != nil {
				return got
			} else if got.issue != "" {
				best = got
			}
		}
		return best
	}
	switch n.Type {
	case schema.List:
		return g.list(n, free, raw, ln, s)
	case schema.Object:
		return g.object(n, free, raw, ln, s)
	}
	switch v := raw.(type) {
	case []any:
		if len(v) == 1 {
			return g.node(n, free, v[0], ln, s)
		}
		return found{issue: finding.IssueInvalid}
	case map[string]any:
		return found{issue: finding.IssueInvalid}
	}
	a, b := g.span(ln, maxSpan)
	switch {
	case n.Enum != nil:
		return g.enum(n, raw, a, b)
	case n.IsLoose():
		if v, ok := raw.(float64); ok {
			return g.number(n, v, a, b, s)
		}
		return g.string(value.ScalarText(raw), free, a, b)
	}
	switch n.Type {
	case schema.Number, schema.Integer:
		return g.number(n, raw, a, b, s)
	case schema.Boolean:
		return g.boolean(raw, a, b)
	}
	switch outline.KindOf(n) {
	case "date":
		return g.date(n, raw, a, b, s)
	case "url":
		return g.url(value.ScalarText(raw), a, b)
	}
	return g.string(value.ScalarText(raw), free, a, b)
}

// specific orders alternatives: first those that few texts fit, as a date does.
func specific(choices []*schema.Node) []*schema.Node {
	rank := func(n *schema.Node) int {
		if n.Enum != nil || n.Type == schema.Boolean || outline.KindOf(n) == "date" || outline.KindOf(n) == "url" {
			return 0
		}
		return 1
	}
	return slices.SortedStableFunc(slices.Values(choices), func(a, b *schema.Node) int { return rank(a) - rank(b) })
}

// string grounds a literal.
func (g *ground) string(s string, free bool, a, b int) found {
	s = value.Clip(plainText(s), value.MaxCell)
	want := value.Normal(s)
	if want == "" {
		return found{}
	}
	has := func(t string) bool {
		bare := unlinked(t)
		return value.Holds(bare, want) > 0 || len(bare) != len(t) && value.Holds(t, want) > 0
	}
	if lines, ok := g.locate(a, b, has, g.far(want, has)); ok {
		return found{s, lines, finding.GradeExact, ""}
	}
	if free && a > 0 && g.text(a, b) != "" {
		return found{s, [2]int{a, b}, finding.GradeDerived, ""}
	}
	return found{issue: finding.IssueUnsupported, value: nil, lines: [2]int{a, b}}
}

// plainText returns the text of a cell without marks of links.
func plainText(s string) string {
	s = strings.TrimSpace(unlinked(s))
	for _, mark := range []string{"**", "__", "`", "*"} {
		if len(s) > 2*len(mark) && strings.HasPrefix(s, mark) && strings.HasSuffix(s, mark) {
			s = strings.TrimSpace(s[len(mark) : len(s)-len(mark)])
		}
	}
	return s
}

// unlinked returns s with [text](L31) as text.
func unlinked(s string) string {
	if !strings.Contains(s, "](") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '[':
		case s[i] == ']' && i+1 < len(s) && s[i+1] == '(':
			end := strings.IndexByte(s[i:], ')')
			if end < 0 {
				b.WriteString(s[i:])
				return b.String()
			}
			i += end
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// url grounds a link, by its handle, address or text.
func (g *ground) url(s string, a, b int) found {
	handle := s
	if i := strings.LastIndex(s, "](L"); i >= 0 {
		handle = strings.TrimSuffix(s[i+2:], ")")
	}
	if n, ok := value.HandleNumber(handle, 'L'); ok {
		if n > len(g.links) {
			return found{issue: finding.IssueUnsupported}
		}
		mark := fmt.Sprintf("(l%d)", n)
		has := func(t string) bool { return strings.Contains(t, mark) }
		lines, ok := g.locate(a, b, has, func(n int) bool { return has(g.line(n)) })
		if !ok {
			// A link that stands in several lines is as good as cited.
			lines, ok = g.first(mark)
		}
		if !ok {
			return found{issue: finding.IssueUnsupported}
		}
		return found{g.links[n-1], lines, finding.GradeExact, ""}
	}
	if c := value.Canonical(s); c != "" {
		for i, link := range g.links {
			if value.Canonical(link) == c {
				if lines, ok := g.first(fmt.Sprintf("(l%d)", i+1)); ok {
					return found{link, lines, finding.GradeExact, ""}
				}
			}
		}
	}
	got := g.string(s, false, a, b)
	if text, ok := got.value.(string); ok { // a link's text
		for n := got.lines[0]; n <= got.lines[1]; n++ {
			if link := g.linkOf(n, text); link != "" {
				return found{link, got.lines, finding.GradeNormalized, ""}
			}
		}
	}
	return got
}

// first returns the first line with mark.
func (g *ground) first(mark string) ([2]int, bool) {
	for n := 1; n <= len(g.lines); n++ {
		if strings.Contains(g.line(n), mark) {
			return [2]int{n, n}, true
		}
	}
	return [2]int{}, false
}

// linkOf returns the URL behind text in line n.
func (g *ground) linkOf(n int, text string) string {
	_, rest, ok := strings.Cut(g.line(n), "["+value.Normal(text)+"](")
	if !ok {
		return ""
	}
	handle, _, _ := strings.Cut(rest, ")")
	if i, ok := value.HandleNumber(strings.ToUpper(handle), 'L'); ok && i <= len(g.links) {
		return g.links[i-1]
	}
	return ""
}

// worst returns the lower of two grades.
func worst(a, b finding.Grade) finding.Grade {
	if gradeRank(a) >= gradeRank(b) {
		return a
	}
	return b
}

// gradeRank orders grades, best first.
func gradeRank(g finding.Grade) int {
	return slices.Index([]finding.Grade{finding.GradeExact, finding.GradeNormalized, finding.GradeWrapper, finding.GradeDerived, finding.GradeUnsupported}, g)
}

// list grounds each item of a list; those that stand nowhere are left out.
func (g *ground) list(n *schema.Node, free bool, raw any, ln []int, s style) found {
	items, ok := raw.([]any)
	if members, is := raw.(map[string]any); is && n.IsMapping() { // as it will be
		for _, k := range slices.Sorted(maps.Keys(members)) {
			items = append(items, map[string]any{"key": k, "value": members[k]})
		}
	} else if !ok {
		if t, is := raw.(string); is && n.Items.Type == schema.String {
			for part := range strings.SplitSeq(t, ",") {
				items = append(items, strings.TrimSpace(part))
			}
		} else {
			items = []any{raw}
		}
	}
	a, b := g.span(ln, value.MaxLong)
	out := found{lines: [2]int{a, b}, grade: finding.GradeExact}
	list := []any{}
	for _, item := range items[:min(len(items), 1000)] {
		got := g.item(n.Items, free, item, a, b, s)
		if got.value == nil {
			out.issue = got.issue
			continue
		}
		list = append(list, got.value)
		out.grade = worst(out.grade, got.grade)
		if out.lines[0] == 0 {
			out.lines = got.lines
		}
	}
	if len(list) == 0 {
		return found{issue: out.issue, lines: out.lines}
	}
	out.value, out.issue = list, ""
	return out
}

// item grounds a value in a citation that is longer than values' own.
func (g *ground) item(n *schema.Node, free bool, raw any, a, b int, s style) found {
	var best found
	for at := a; at <= b; at += maxSpan + 1 {
		if got := g.node(n, free, raw, []int{at, min(b, at+maxSpan)}, s); got.value != nil {
			return got
		} else if best.issue == "" {
			best = got
		}
		if at == 0 {
			break
		}
	}
	return best
}

// object grounds each member of an object.
func (g *ground) object(n *schema.Node, free bool, raw any, ln []int, s style) found {
	members, ok := raw.(map[string]any)
	if !ok {
		if text, is := raw.(string); is && json.Unmarshal([]byte(text), &members) == nil && members != nil {
			return g.object(n, free, members, ln, s)
		}
		return found{issue: finding.IssueInvalid}
	}
	a, b := g.span(ln, value.MaxLong)
	out := found{lines: [2]int{a, b}, grade: finding.GradeExact}
	value := map[string]any{}
	for _, f := range n.Fields {
		got := g.item(f.Node, free, members[f.Name], a, b, s)
		if got.value == nil {
			if f.Required && !f.Node.Null {
				return found{issue: got.issue, lines: out.lines}
			}
			if f.Required {
				value[f.Name] = nil
			}
			continue
		}
		value[f.Name] = got.value
		out.grade = worst(out.grade, got.grade)
	}
	if len(value) == 0 {
		return found{}
	}
	out.value = value
	return out
}
