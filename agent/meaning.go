// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/filter"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/linkrank"
	"example.com/curlew/agent/internal/merge"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
	"example.com/curlew/internal/sorting"
)

// Limits for what a plan says about the meaning of a question.
const (
	maxConditions = 20 // of a table
	maxHops       = 4
)

// meant contains the parts of a plan that were adopted.
type meant struct {
	conditions map[string][]journal.Condition // the conditions that are applied, by table
	issues     []finding.Issue
	ignored    bool // a part of the question is not applied, so that the answer may have wrong rows
}

// adopt adopts what a plan says about tables: their keys, what their rows are,
// conditions, the shape of the answer, and further questions. Conditions that the
// question does not state, or that code cannot evaluate, are noted as issues and not
// applied.
func (s *tables) adopt(plan protocol.PlanReply, question string) meant {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := meant{conditions: map[string][]journal.Condition{}}
	s.outline.Planned(plan.Tables)
	said := map[string][]journal.Condition{}
	for _, t := range plan.Tables {
		id := s.outline.Named(t.ID)
		if n := len(t.Conditions) - maxConditions; n > 0 {
			out.ignore("%d conditions of the plan are not applied: there are more than %d", n, maxConditions)
		}
		for _, c := range t.Conditions[:min(len(t.Conditions), maxConditions)] {
			said[id] = append(said[id], filter.Parts(c)...)
		}
	}
	hidden := candidates(s.outline, plan, question)
	if n := len(plan.Fields) - outline.MaxProposed; n > 0 && (s.proposed || hidden != nil) {
		out.issues = append(out.issues, finding.Issue{Kind: finding.IssueLimit, Detail: fmt.Sprintf("%d of %d fields of the plan are left out: a row has at most %d", n, len(plan.Fields), outline.MaxProposed)})
	}
	if hidden != nil {
		for _, id := range slices.Sorted(maps.Keys(said)) { // by whatever name the plan calls it
			if id != hidden.ID {
				said[hidden.ID] = append(said[hidden.ID], said[id]...)
				delete(said, id)
			}
		}
	}
	for _, t := range s.outline.Tables {
		s.adoptConditions(t, said[t.ID], question, &out)
	}
	if set := s.filtered(hidden); set != nil && len(plan.Fields) == 0 && !set.Superlative() && plan.Shape != protocol.ShapeCount {
		if names := set.Singling(); len(names) > 0 {
			hidden.Keys = names // the question singles out one thing by them
		}
	}
	for _, t := range s.outline.Tables {
		if set := s.filters[t.ID]; set != nil {
			set.Keys = t.Keys
		}
	}
	for _, hop := range plan.Hops[:min(len(plan.Hops), maxHops)] {
		if about := cmp.Or(hop.Question, hop.Field); about != "" && !s.hops.adopt(s.outline, hop) {
			out.ignore("a further question of the plan is not followed: %s", value.Clip(about, 200))
		}
	}
	if n := len(plan.Hops) - maxHops; n > 0 {
		out.ignore("%d further questions of the plan are not followed: there are more than %d", n, maxHops)
	}
	return out
}

// filtered returns the conditions of a table. There may be none, and no table. The caller
// holds mu.
func (s *tables) filtered(t *outline.Table) *filter.Set {
	if t == nil {
		return nil
	}
	return s.filters[t.ID]
}

// candidates adds the hidden table from which the record of the answer is chosen, or
// whose rows are counted, if the plan says so. If the record is read from pages, it
// returns nil. Conditions that the question does not state are ignored.
func candidates(o *outline.Outline, plan protocol.PlanReply, question string) *outline.Table {
	conditions := 0
	what := ""
	for _, t := range plan.Tables {
		for _, c := range t.Conditions {
			if filter.Cited(c, question) {
				conditions++
			}
		}
		if t.ID != outline.RecordID || what == "" {
			what = t.What
		}
	}
	switch plan.Shape {
	case protocol.ShapeBest, protocol.ShapeComparison, protocol.ShapeCount:
	default:
		if conditions == 0 {
			return nil
		}
	}
	if plan.Shape == protocol.ShapeCount && len(plan.Fields) == 0 {
		return nil // no field of the record identifies rows
	}
	return o.Gather(plan.Fields, value.Clip(what, 200))
}

// ignore notes that a part of the plan is not applied, so that the answer is not complete.
func (m *meant) ignore(format string, args ...any) {
	m.ignored = true
	m.issues = append(m.issues, finding.Issue{Kind: finding.IssueUndecided, Detail: fmt.Sprintf(format, args...)})
}

// adoptConditions makes the filter of a table.
func (s *tables) adoptConditions(t *outline.Table, said []journal.Condition, question string, out *meant) {
	var all []*filter.Condition
	for _, c := range said {
		read, why := s.learnedOf(t).readCondition(t, &c, question)
		if read == nil {
			before := out.ignored
			out.ignore("the condition %s %s %s of the plan is not applied: %s", c.Field, c.Op, value.Clip(c.Value, 100), why)
			out.ignored = before || why != oneRecord
			continue
		}
		all = append(all, read)
		out.conditions[t.ID] = append(out.conditions[t.ID], c)
	}
	if len(all) > 0 {
		s.filters[t.ID] = filter.NewSet(all)
	}
}

// oneRecord is why a condition is not needed: the answer is not chosen among rows.
const oneRecord = "the answer is one record"

// readCondition returns a condition on a field of the table, and puts it into the unit of that field. If it
// cannot be applied, it returns nil and says why.
func (l *learned) readCondition(t *outline.Table, c *journal.Condition, question string) (read *filter.Condition, why string) {
	if !filter.Cited(*c, question) {
		return nil, "the question does not say so" // it may be said in other words
	}
	if t.Record() || t.Bare && t.Find(c.Field) == nil {
		return nil, oneRecord
	}
	kind := filter.KindOf(*c)
	f := t.Find(c.Field)
	if f == nil {
		if f = t.Hide(c.Field, hiddenType(kind), hiddenDescription(*c)); f == nil {
			return nil, "there can be no such field"
		}
	}
	switch outline.KindOf(f.Node) {
	case "number", "integer":
		kind = filter.Number
	case "date":
		kind = filter.Date
	case "boolean":
		kind = filter.Boolean
	}
	c.Field = f.Name
	_, unit := f.Wants()
	if kind == filter.Clock { // "heure de départ" wants no hours
		unit = value.Unit{}
	}
	if unit == (value.Unit{}) && kind == filter.Number { // pages may state different units
		if said := filter.UnitOf(*c); said != (value.Unit{}) {
			unit = l.units.Ask(f.Name, said)
		}
	}
	if kind == filter.Number && (filter.Incomparable(*c, unit) || !l.refer(f, c)) {
		return nil, "its unit cannot be converted to that of the field"
	}
	read, ok := filter.Read(filter.Converted(*c, unit), kind)
	if !ok {
		return nil, "it cannot be evaluated"
	}
	return read, ""
}

// hiddenType returns the type of a field that the schema lacks.
func hiddenType(kind filter.Kind) string {
	if kind == filter.Clock {
		return string(filter.Text)
	}
	return string(kind)
}

// hiddenDescription returns the description of a field that the schema lacks. A condition that
// compares with 0 wants it where a page says that there is none.
func hiddenDescription(c journal.Condition) string {
	text := value.Clip("as the task says: "+c.Words, 200)
	if c.Value == "0" {
		text += " (0 if none)"
	}
	return text
}

// decisive returns the fields of a table on which conditions of the question depend.
func (s *tables) decisive(t *outline.Table) []string {
	if s == nil {
		return nil // a reader of texts has no question
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	set := s.filters[t.ID]
	if set == nil {
		return nil
	}
	return set.Fields()
}

// lacksDecisive reports whether there are rows, and one of the decisive fields is missing in
// all of them.
func lacksDecisive(rows []finding.Row, decisive []string) bool {
	return len(rows) >= linkrank.LeastGroup && slices.ContainsFunc(decisive, func(name string) bool {
		return !slices.ContainsFunc(rows, func(row finding.Row) bool { _, ok := row[name]; return ok })
	})
}

// judge sets for each row of a table whether it meets the conditions. The caller holds
// mu.
func (s *tables) judge(t *outline.Table, rows []merge.Merged) {
	set := s.filters[t.ID]
	if set == nil {
		return
	}
	for i, state := range set.Judge(rowsOf(rows), s.library.stated) {
		rows[i].State = state
		if rows[i].Retracted = state == filter.Met && s.retracted(t, set, rows[i]); rows[i].Retracted {
			rows[i].State = filter.Open
		}
	}
}

// named returns the links whose texts are the names of the things that the question is about.
// If some of these things are not among them, or if it names none, it returns nil.
func (s *tables) named(links []*linkrank.Link, of []*outline.Table) []*linkrank.Link {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(of) != 1 || s.filters[of[0].ID] == nil {
		return nil
	}
	texts := make([]string, len(links))
	for i, link := range links {
		texts[i] = link.Text
	}
	var kept []*linkrank.Link
	for _, i := range s.filters[of[0].ID].Named(texts, of[0].Keys) {
		kept = append(kept, links[i])
	}
	return kept
}

// retracted reports whether a thing's own page says that its row does not meet the
// conditions, although a listing says that it does.
func (s *tables) retracted(t *outline.Table, set *filter.Set, m merge.Merged) bool {
	seen := s.seen[t.ID]
	for _, name := range set.Fields() {
		best := m.Row[name]
		for _, rival := range m.Rivals[name] {
			if rival.Source == best.Source || !single(seen, rival.Source) || single(seen, best.Source) {
				continue
			}
			row := maps.Clone(m.Row)
			row[name] = rival
			if set.Judge([]finding.Row{row}, s.library.stated)[0] == filter.Unmet {
				return true
			}
		}
	}
	return false
}

// single reports whether a page had exactly one row of a table.
func single(seen []merge.Sighting, source string) bool {
	n := 0
	for _, one := range seen {
		if merge.SourceID(one.Page) == source {
			n = max(n, one.At+1)
		}
	}
	return n == 1
}

// stated returns the lines of a cell in normal form.
func (b *library) stated(c finding.Cell) string {
	return statedOn(b, b.page(c.Source), c)
}

// statedOn returns the lines of a cell of a page in normal form. The page may be nil.
func statedOn(b *library, p *grounding.Page, c finding.Cell) string {
	if p == nil || c.Lines[0] == 0 {
		return ""
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	g := p.Main
	if c.Full && p.Full != nil {
		g = p.Full
	}
	return value.Normal(strings.Join(g.Lines[min(c.Lines[0]-1, len(g.Lines)):min(c.Lines[1], len(g.Lines))], " "))
}

// ground returns a copy of the main content or of the whole text of a page.
func (b *library) ground(p *grounding.Page, full bool) *grounding.Ground {
	b.mu.Lock()
	defer b.mu.Unlock()
	g := p.Main
	if full && p.Full != nil {
		g = p.Full
	}
	return grounding.New(g.Lines, g.Links, g.Lang)
}

// page returns the page with an ID, or nil if there is none.
func (b *library) page(id string) *grounding.Page {
	n, ok := value.HandleNumber(id, 'S')
	b.mu.Lock()
	defer b.mu.Unlock()
	if !ok || n > len(b.pages) {
		return nil
	}
	return b.pages[n-1]
}

// at returns the page of a canonical URL, or nil if it was not fetched.
func (b *library) at(url string) *grounding.Page {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := b.byURL[url]; n > 0 {
		return b.pages[n-1]
	}
	return nil
}

// A selection makes the answer of all rows that were found, when no more pages are read.
type selection struct {
	*tables
	shape string // of the answer, as the plan says
}

// chosen removes the rows that do not belong to the answer, and returns issues that say
// how many rows leave a condition open.
func (s selection) chosen(tables map[string][]merge.Merged) []finding.Issue {
	var all []finding.Issue
	s.mu.Lock()
	astray := maps.Clone(s.hops.astray)
	s.mu.Unlock()
	for _, t := range s.outline.Tables {
		if astray[t.ID] {
			var names []string
			for _, hop := range s.hops.fields[t.ID] {
				names = append(names, hop.Field)
			}
			all = append(all, finding.Issue{
				Kind: finding.IssueUndecided, Pointer: s.outline.At(t),
				Detail: "pages about several things answer differently, and no page states which of them is meant by " + strings.Join(names, ", "),
			})
		}
		set := s.filters[t.ID]
		if set == nil {
			continue
		}
		if missing := set.Unmatched(rowsOf(tables[t.ID]), t.Keys); len(missing) > 0 && len(tables[t.ID]) > 0 {
			all = append(all, finding.Issue{Kind: finding.IssueMissing, Pointer: s.outline.At(t), Detail: value.Clip("no page that was read is about "+strings.Join(missing, ", "), 500)})
		}
		for _, short := range set.Short(rowsOf(tables[t.ID])) {
			all = append(all, finding.Issue{Kind: finding.IssueUndecided, Pointer: s.outline.At(t), Detail: value.Clip(fmt.Sprintf("no page that was read names %s; it was taken for %s, the only name that contains it", short.Want, short.Name), 500)})
		}
		all = append(all, s.ties(t, set, tables[t.ID])...)
		kept, undecided := s.decided(t, set, tables[t.ID])
		tables[t.ID] = kept
		all = append(append(all, undecided...), s.several(t, kept)...)
	}
	return all
}

// several returns an issue if the answer is one record and several rows meet the conditions
// that state different values for it.
func (s selection) several(t *outline.Table, kept []merge.Merged) []finding.Issue {
	if !t.Hidden || t.Subject || len(kept) < 2 || s.shape == protocol.ShapeCount || !s.outline.Tables[0].Drawn {
		return nil
	}
	n := 0
	for _, m := range kept[1:] {
		if slices.ContainsFunc(s.outline.Tables[0].Fields, func(f *outline.Field) bool {
			a, ok := kept[0].Row[f.Name]
			b, both := m.Row[f.Name]
			return ok && both && !value.Agree(a.Value, b.Value)
		}) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return []finding.Issue{{Kind: finding.IssueUndecided, Pointer: s.outline.At(t), Detail: fmt.Sprintf("the answer is the first of %d rows that meet the conditions; %d of them state other values", len(kept), n)}}
}

// nothing returns issues about tables of which all rows are known not to meet the conditions.
func (s selection) nothing(tables map[string][]merge.Merged) []finding.Issue {
	var all []finding.Issue
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.outline.Tables {
		rows := tables[t.ID]
		if set := s.filters[t.ID]; set != nil && len(rows) > 0 && !slices.ContainsFunc(rows, func(m merge.Merged) bool { return m.State != filter.Unmet || m.Retracted }) {
			all = append(all, finding.Issue{Kind: finding.IssueMissing, Pointer: s.outline.At(t), Detail: fmt.Sprintf("%d rows were found, and none meets the conditions on %s", len(rows), strings.Join(set.Fields(), ", "))})
		}
	}
	return all
}

// decided returns the rows that meet the conditions, and issues that say how many others may
// meet them, and why they are left out.
func (s selection) decided(t *outline.Table, set *filter.Set, rows []merge.Merged) (kept []merge.Merged, all []finding.Issue) {
	open, retracted := 0, 0
	var names []string // of some rows that are retracted
	for _, m := range rows {
		switch {
		case m.State == filter.Met:
			kept = append(kept, m)
		case m.Retracted:
			retracted++
			if name := rowKey(t, m.Row); len(names) < 5 && name != "" {
				names = append(names, value.Clip(name, 100))
			}
		case m.State == filter.Open:
			open++
		}
	}
	leave := func(n int, why string) {
		if n > 0 {
			all = append(all, finding.Issue{Kind: finding.IssueUndecided, Pointer: s.outline.At(t), Detail: fmt.Sprintf("%d rows are left out because %s", n, why)})
		}
	}
	fields := strings.Join(set.Fields(), ", ")
	leave(open, "no page states whether they meet the conditions on "+fields)
	leave(retracted, "their own pages state that they do not meet the conditions on "+fields+", although lists state that they do: "+strings.Join(names, ", "))
	return kept, all
}

// ties returns an issue that says how many rows are left out although they rank the
// same as one in the answer.
func (s selection) ties(t *outline.Table, set *filter.Set, rows []merge.Merged) []finding.Issue {
	n := set.Ties(rowsOf(rows), s.library.stated)
	if n == 0 {
		return nil
	}
	return []finding.Issue{{
		Kind: finding.IssueUndecided, Pointer: s.outline.At(t),
		Detail: fmt.Sprintf("%d rows are left out that rank the same as the last one that is kept, by %s", n, strings.Join(set.Fields(), ", ")),
	}}
}

// rowsOf returns the rows of a table without what is known of them.
func rowsOf(merged []merge.Merged) []finding.Row {
	rows := make([]finding.Row, len(merged))
	for i, m := range merged {
		rows[i] = m.Row
	}
	return rows
}

// ranks reports whether the answer depends on all rows that exist: it is the first of
// them, is their number, or compares them.
func (s selection) ranks() bool {
	switch s.shape {
	case protocol.ShapeBest, protocol.ShapeCount, protocol.ShapeComparison:
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, set := range s.filters {
		if set.Superlative() {
			return true
		}
	}
	return false
}

// counted contains names of fields whose value is a number of rows.
var counted = []string{"count", "number", "total", "howmany", "amount", "quantity", "n"}

// draw fills the record from the rows of the hidden table: with their number, and with
// the members of the row that was chosen. A count of zero is only known if rows were
// found at all. Otherwise the count is missing.
func (s selection) draw(tables map[string][]merge.Merged) {
	i := slices.IndexFunc(s.outline.Tables, func(t *outline.Table) bool { return t.Hidden && !t.Subject })
	if i < 0 || !s.outline.Tables[0].Record() {
		s.recount(tables)
		return
	}
	record, hidden := s.outline.Tables[0], s.outline.Tables[i]
	rows := tables[hidden.ID]
	row := finding.Row{}
	var sources []string
	for _, m := range rows {
		for _, c := range m.Row {
			if c.Source != "" && !slices.Contains(sources, c.Source) {
				sources = append(sources, c.Source)
			}
		}
	}
	sorting.Stable(sources, merge.CompareIDs)
	for _, f := range record.Fields {
		kind := outline.KindOf(f.Node)
		own := hidden.Field(f.Name)
		switch {
		case own == nil && (kind == "integer" || kind == "number") && (s.shape == protocol.ShapeCount || slices.Contains(counted, value.BareName(f.Name))) && len(s.seen[hidden.ID]) > 0:
			row[f.Name] = finding.Cell{Value: float64(len(rows)), Grade: finding.GradeDerived, Also: sources}
		case own != nil && len(rows) > 0 && s.shape != protocol.ShapeCount:
			if c, ok := rows[0].Row[f.Name]; ok {
				row[f.Name] = c
			}
		}
	}
	tables[record.ID] = nil
	if len(row) > 0 {
		tables[record.ID] = []merge.Merged{{Row: row, State: filter.Met}}
	}
}

// recount corrects the members of a record that contain the number of rows in the only
// list of the answer, if the question counts or the list is filtered, because pages
// state the number of all rows.
func (s selection) recount(tables map[string][]merge.Merged) {
	if len(s.outline.Tables) != 2 || !s.outline.Tables[0].Record() {
		return
	}
	record, list := s.outline.Tables[0], s.outline.Tables[1]
	if s.shape != protocol.ShapeCount && s.filters[list.ID] == nil || len(s.seen[list.ID]) == 0 {
		return
	}
	for _, f := range record.Fields {
		kind := outline.KindOf(f.Node)
		if kind != "integer" && kind != "number" || !slices.Contains(counted, value.BareName(f.Name)) {
			continue
		}
		if len(tables[record.ID]) == 0 {
			tables[record.ID] = []merge.Merged{{Row: finding.Row{}, State: filter.Met}}
		}
		m := &tables[record.ID][0]
		m.Row[f.Name] = finding.Cell{Value: float64(len(tables[list.ID])), Grade: finding.GradeDerived}
		delete(m.Rivals, f.Name)
	}
}

// rendered reports whether a page was rendered. Its scripts may show data of a session,
// so no value of it is passed to the planner or to a search.
func (b *library) rendered(id string) bool {
	p := b.page(id)
	return p != nil && p.Rec.Rendered
}
