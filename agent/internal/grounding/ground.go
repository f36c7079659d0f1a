// SPDX-License-Identifier: Apache-2.0

// Package grounding finds the lines of a page that state a value.
package grounding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/internal/claims"
	"example.com/curlew/internal/schema"
	"example.com/curlew/internal/sorting"
)

// Styles returns how each column of a reply is written.
func (g *Ground) Styles(t *outline.Table, answer protocol.ExtractReply) map[string]Style {
	out := map[string]Style{}
	for _, f := range t.Fields {
		var texts []string
		for _, row := range answer.Rows[:min(len(answer.Rows), MaxPageRows)] {
			texts = append(texts, value.ScalarText(row.V[f.Name]))
			if a, b := g.Span(row.Ln[f.Name], MaxSpan); a > 0 && len(texts) < 200 {
				texts = append(texts, g.Text(a, b))
			}
		}
		out[f.Name] = g.StyleOf(texts)
	}
	return out
}

// Limits of citations.
const (
	MaxSpan   = 6 // lines of a value, minus one
	NearLines = 3 // lines around the cited ones
	minUnique = 4 // characters of a value that is looked for on the whole page
	maxItems  = 1000
	maxClass  = 3 // words of a text that names a class
)

// Ground checks values against the lines of one page.
type Ground struct {
	Lines []string // as the model sees them, without numbers
	Links []string // URLs of the links; the link L1 has the index 0
	Lang  string

	whole   *Ground        // that the lines are a part of, for labels that stand before them; nil if there is none
	skipped int            // lines of whole before the part
	normals []string       // lines in normal form, computed when needed
	source  *claims.Source // of all lines, for texts that the model writes; computed when needed
	done    []bool
	scores  *bool             // whether colons separate numbers of their own; computed when needed
	paidIn  map[[2]int]bool   // whether a column has amounts of money, by the first line of its table and its number
	Values  [][]value.Reading // readings of the lines; computed when a value is looked for on the whole page
	Days    [][]value.Day
}

// Style says how the values of a column are written.
type Style struct {
	Marks value.Marks
	order value.Order
	asked float64 // the scale in which the field wants its numbers; zero means 1
	unit  value.Unit
	head  string   // normal text of the head of the column, if the lines do not contain it
	words []string // of the name and the description of the field, in normal form
	name  []string // of the name alone

	known   bool   // numbers are read with Marks alone
	caption string // normal text above the table, if head is set
}

// Under returns the style of a column with a head that the lines do not contain, in a
// table with a caption. The caption is normal text.
func (s Style) Under(head, caption string) Style {
	s.head, s.caption = value.Normal(PlainText(head)), caption
	return s
}

// scale returns the scale in which the field wants its numbers.
func (s Style) scale() float64 { return cmp.Or(s.asked, 1) }

// Found is a value and the lines that state it. If no line does, the grade is
// unsupported.
type Found struct {
	Value any
	Lines [2]int
	Grade finding.Grade
	Issue finding.IssueKind // why there is no value; empty if the page simply does not have it
	Lost  int               // items, members and sentences of Value that were left out, because no line states them
}

// New returns the Ground of a page with these lines, links by number, and language.
func New(lines, links []string, lang string) *Ground {
	return &Ground{Lines: lines, Links: links, Lang: lang, normals: make([]string, len(lines)), done: make([]bool, len(lines))}
}

// Part returns lines a to b as if they were a page, except that their labels may stand
// before them.
func (g *Ground) Part(a, b int) *Ground {
	part := New(g.Lines[a-1:b], g.Links, g.Lang)
	part.whole, part.skipped = g, a-1
	return part
}

// Line returns line n, counted from 1, in normal form.
func (g *Ground) Line(n int) string {
	if n < 1 || n > len(g.Lines) {
		return ""
	}
	if !g.done[n-1] {
		g.normals[n-1] = value.Millions(value.Normal(g.Lines[n-1]), g.Lang)
		g.done[n-1] = true
	}
	return g.normals[n-1]
}

// scored reports whether the page has numbers with a colon that are no times. Then the other
// ones hardly are times either.
func (g *Ground) scored() bool {
	if g.whole != nil {
		return g.whole.scored()
	}
	if g.scores == nil {
		found := false
		for n := 1; n <= len(g.Lines) && !found; n++ {
			found = value.Scored(g.Line(n))
		}
		g.scores = &found
	}
	return *g.scores
}

// Span returns the first and last of the cited lines that exist, or 0, 0 if none does.
func (g *Ground) Span(ln []int, most int) (a, b int) {
	if len(ln) == 0 {
		return 0, 0
	}
	a, b = ln[0], ln[len(ln)-1]
	if a > b {
		a, b = b, a
	}
	a, b = max(a, 1), min(b, len(g.Lines))
	if a > b {
		return 0, 0
	}
	return a, min(b, a+most)
}

// Text returns lines a to b as one text in normal form.
func (g *Ground) Text(a, b int) string {
	if a == b {
		return g.Line(a)
	}
	var parts []string
	for n := a; n <= b; n++ {
		parts = append(parts, g.Line(n))
	}
	return strings.Join(parts, " ")
}

// locate finds lines for which ok is true. It tries the cited lines, then those around
// them, and then the only line of the page for which far is true. If far is nil, it
// does not look at the whole page.
func (g *Ground) locate(a, b int, ok func(text string) bool, far func(n int) bool) ([2]int, bool) {
	if a > 0 {
		for n := a; n <= b; n++ {
			if ok(g.Line(n)) {
				return [2]int{n, n}, true
			}
		}
		if a != b && ok(g.Text(a, b)) {
			return [2]int{a, b}, true
		}
		for d := 1; d <= NearLines; d++ {
			for _, n := range []int{b + d, a - d} {
				if n >= 1 && n <= len(g.Lines) && ok(g.Line(n)) {
					return [2]int{n, n}, true
				}
			}
		}
	}
	if far == nil {
		return [2]int{}, false
	}
	at := 0
	for n := 1; n <= len(g.Lines); n++ {
		if far(n) {
			if at > 0 {
				return [2]int{}, false
			}
			at = n
		}
	}
	return [2]int{at, at}, at > 0
}

// numbers returns the readings of the numbers in line n. They are stored, because all
// lines of a page are searched for each value that is not found.
func (g *Ground) numbers(n int) []value.Reading {
	if g.Values == nil {
		g.Values = make([][]value.Reading, len(g.Lines))
		for i := range g.Lines {
			g.Values[i] = slices.Clip(value.ReadingsOf(g.Line(i + 1)))
		}
	}
	return g.Values[n-1]
}

// dates returns the dates in line n. They are stored like the readings.
func (g *Ground) dates(n int) []value.Day {
	if g.Days == nil {
		g.Days = make([][]value.Day, len(g.Lines))
		for i := range g.Lines {
			g.Days[i] = value.Dates(g.Line(i + 1))
		}
	}
	return g.Days[n-1]
}

// far returns a func for locate that looks for a text on the whole page. It is nil if
// the text is too short to be distinctive.
func (g *Ground) far(text string, ok func(text string) bool) func(n int) bool {
	if utf8.RuneCountInString(text) < minUnique {
		return nil
	}
	return func(n int) bool { return ok(g.Line(n)) }
}

// StyleOf returns how a column is written. It follows an unambiguous value, else the
// language of the page, else what the schema implies.
func (g *Ground) StyleOf(texts []string) Style {
	s := Style{Marks: value.MarksOf(g.Lang), order: value.OrderOf(g.Lang)}
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
	if s.Marks == value.MarksOpen {
		s.Marks = m
	}
	return s
}

// Check looks for a value of a field on the page.
func (g *Ground) Check(f *outline.Field, raw any, ln []int, s Style) Found {
	s.asked, s.unit = f.Wants()
	if s.words == nil && (f.Node.Type == schema.Number || f.Node.Type == schema.Integer) {
		s.words, s.name = f.Words(), value.Words(value.Normal(f.Name))
	}
	got := g.node(f.Node, f.Free, raw, ln, s)
	if text, _ := raw.(string); got.Issue != "" {
		if v, ok := f.Term(PlainText(text)); ok { // the model has said which number the text states
			a, b := g.Span(ln, MaxSpan)
			if at := g.string(text, false, a, b); at.Value != nil {
				got = Found{v, at.Lines, finding.GradeDerived, "", 0}
			}
		}
	}
	if text, ok := got.Value.(string); ok && f.Clock() != "" {
		if said, ok := value.ClockAs(text, f.Clock()); ok && said != text {
			got.Value, got.Grade = said, finding.GradeNormalized
		}
	}
	return got
}

func (g *Ground) node(n *schema.Node, free bool, raw any, ln []int, s Style) Found {
	if raw == nil {
		return Found{}
	}
	if n.Choices != nil {
		var best Found
		for _, c := range specific(n.Choices) {
			if got := g.node(c, free, raw, ln, s); got.Value != nil {
				return got
			} else if got.Issue != "" {
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
		if n.Type != schema.String || n.Enum != nil {
			return Found{Issue: finding.IssueInvalid}
		}
		text, ok := g.enumeration(v, ln)
		if !ok {
			return Found{Issue: finding.IssueUnsupported}
		}
		raw = text
	case map[string]any:
		return Found{Issue: finding.IssueInvalid}
	}
	a, b := g.Span(ln, MaxSpan)
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

// specific sorts alternatives. Those that accept few texts, such as a date, come first.
func specific(choices []*schema.Node) []*schema.Node {
	rank := func(n *schema.Node) int {
		if n.Enum != nil || n.Type == schema.Boolean || outline.KindOf(n) == "date" || outline.KindOf(n) == "url" {
			return 0
		}
		return 1
	}
	choices = slices.Clone(choices)
	sorting.Stable(choices, func(a, b *schema.Node) int { return rank(a) - rank(b) })
	return choices
}

// string looks for a text.
func (g *Ground) string(s string, free bool, a, b int) Found {
	s = value.Clip(PlainText(s), value.MaxCell)
	want := value.Normal(s)
	if want == "" {
		return Found{}
	}
	has := func(t string) bool {
		bare := Unlinked(t)
		return value.Holds(bare, want) > 0 || len(bare) != len(t) && value.Holds(t, want) > 0
	}
	if lines, ok := g.locate(a, b, has, g.far(want, has)); ok {
		return Found{s, lines, finding.GradeExact, "", 0}
	}
	switch {
	case free && Absent(s):
		return Found{}
	case free && a > 0 && g.Text(a, b) != "":
		return g.written(s, a, b)
	case free && !class(s) && g.stated().States(s): // the model cites no line, or one that does not exist
		for n := range g.Lines {
			if claims.NewSource(Unlinked(g.Lines[n])).States(s) {
				return g.written(s, n+1, n+1)
			}
		}
	}
	return Found{Issue: finding.IssueUnsupported, Value: nil, Lines: [2]int{a, b}}
}

// class reports whether a text has few words and no number.
func class(s string) bool {
	return len(strings.Fields(s)) <= maxClass && !strings.ContainsFunc(s, unicode.IsDigit)
}

// stated returns what the page as a whole states.
func (g *Ground) stated() *claims.Source {
	page := cmp.Or(g.whole, g)
	if page.source == nil {
		page.source = claims.NewSource(Unlinked(strings.Join(page.Lines, "\n")))
	}
	return page.source
}

// written checks a text that the model writes itself. It keeps the sentences that the cited
// lines support, or the page as a whole. A text of few words without a number, such as
// "rather positive", names a class, which no line can state.
func (g *Ground) written(s string, a, b int) Found {
	lines := [2]int{a, b}
	if class(s) {
		return Found{s, lines, finding.GradeDerived, "", 0}
	}
	page := g.stated()
	cited := claims.NewSource(Unlinked(g.Text(a, b)))
	kept, dropped := claims.Keep(s, func(sentence string) bool {
		return cited.Answers(sentence, "") && !page.Misplaces(sentence, "") || page.States(sentence)
	})
	if kept == "" {
		return Found{Issue: finding.IssueUnsupported, Lines: lines}
	}
	return Found{kept, lines, finding.GradeDerived, "", dropped}
}

// States reports whether the cited lines contain a text that a model gave.
func (g *Ground) States(raw any, ln []int) bool {
	text, ok := raw.(string)
	a, b := g.Span(ln, MaxSpan)
	return ok && a > 0 && value.Holds(Unlinked(g.Text(a, b)), value.Normal(PlainText(text))) > 0
}

// PlainText returns the text of a cell without the marks of links.
func PlainText(s string) string {
	s = strings.TrimSpace(Unlinked(s))
	for _, mark := range []string{"**", "__", "`", "*"} {
		if len(s) > 2*len(mark) && strings.HasPrefix(s, mark) && strings.HasSuffix(s, mark) {
			s = strings.TrimSpace(s[len(mark) : len(s)-len(mark)])
		}
	}
	return s
}

// Unlinked returns s with the text of each [text](L31) in its place.
func Unlinked(s string) string {
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

// url looks for a link by its handle, its URL or its text.
func (g *Ground) url(s string, a, b int) Found {
	handle := s
	if i := strings.LastIndex(s, "](L"); i >= 0 {
		handle = strings.TrimSuffix(s[i+2:], ")")
	}
	if n, ok := value.HandleNumber(handle, 'L'); ok {
		if n > len(g.Links) {
			return Found{Issue: finding.IssueUnsupported}
		}
		mark := fmt.Sprintf("(l%d)", n)
		has := func(t string) bool { return strings.Contains(t, mark) }
		lines, ok := g.locate(a, b, has, func(n int) bool { return has(g.Line(n)) })
		if !ok {
			// If several lines contain the link, the first one counts as cited.
			lines, ok = g.first(mark)
		}
		if !ok {
			return Found{Issue: finding.IssueUnsupported}
		}
		return Found{g.Links[n-1], lines, finding.GradeExact, "", 0}
	}
	if c := value.Canonical(s); c != "" {
		for i, link := range g.Links {
			if value.Canonical(link) == c {
				if lines, ok := g.first(fmt.Sprintf("(l%d)", i+1)); ok {
					return Found{link, lines, finding.GradeExact, "", 0}
				}
			}
		}
	}
	got := g.string(s, false, a, b)
	if text, ok := got.Value.(string); ok { // the text of a link
		for n := got.Lines[0]; n <= got.Lines[1]; n++ {
			if link := g.linkOf(n, text); link != "" {
				return Found{link, got.Lines, finding.GradeNormalized, "", 0}
			}
		}
	}
	return got
}

// first returns the first line that contains mark.
func (g *Ground) first(mark string) ([2]int, bool) {
	for n := 1; n <= len(g.Lines); n++ {
		if strings.Contains(g.Line(n), mark) {
			return [2]int{n, n}, true
		}
	}
	return [2]int{}, false
}

// linkOf returns the URL of the link with a text in line n.
func (g *Ground) linkOf(n int, text string) string {
	_, rest, ok := strings.Cut(g.Line(n), "["+value.Normal(text)+"](")
	if !ok {
		return ""
	}
	handle, _, _ := strings.Cut(rest, ")")
	if i, ok := value.HandleNumber(strings.ToUpper(handle), 'L'); ok && i <= len(g.Links) {
		return g.Links[i-1]
	}
	return ""
}

// Worst returns the lower of two grades.
func Worst(a, b finding.Grade) finding.Grade {
	if GradeRank(a) >= GradeRank(b) {
		return a
	}
	return b
}

// GradeRank returns the rank of a grade. The best grade has the lowest rank.
func GradeRank(g finding.Grade) int {
	return slices.Index([]finding.Grade{finding.GradeExact, finding.GradeNormalized, finding.GradeWrapper, finding.GradeDerived, finding.GradeUnsupported}, g)
}
