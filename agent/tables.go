// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/filter"
	"example.com/curlew/agent/internal/grid"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/linkrank"
	"example.com/curlew/agent/internal/merge"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/internal/schema"
)

// tables contains the rows that pages stated, and merges them. The result does not
// depend on the order in which pages arrived.
type tables struct {
	library *library
	urls    []string // of the task
	own     []string // the hosts of urls

	mu       sync.Mutex                  // guards the fields below; only the run's own goroutine sets outline
	outline  *outline.Outline            // nil if there is none yet
	proposed bool                        // the outline comes from a plan
	seen     map[string][]merge.Sighting // by table
	filters  map[string]*filter.Set      // by table: the conditions of the question
	hops     *hops                       // fields that further questions are about
	links    map[sighted][]string        // canonical URLs that the lines of a row link
	learned  map[string]*learned         // by table
	version  int                         // changes with seen
	last     fusion                      // the last result of merging
	rows     int
	filled   [2]int // cells of required fields: filled and wanted
}

// fusion is the result of merging, and what it was made from: the version of the
// sightings, the number of pages, and the columns of the outline.
type fusion struct {
	version, pages int
	columns        string
	rows           map[string][]merge.Merged
}

func newTables(b *library, urls []string, o *outline.Outline) *tables {
	return &tables{library: b, urls: urls, own: linkrank.NewScope(urls, false).Hosts, outline: o, seen: map[string][]merge.Sighting{}, filters: map[string]*filter.Set{}, hops: newHops(b), links: map[sighted][]string{}, learned: map[string]*learned{}}
}

// propose sets the outline that a plan proposes.
func (s *tables) propose(o *outline.Outline) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outline, s.proposed = o, true
}

// counts returns the number of rows, and the numbers of required cells that are filled
// and wanted.
func (s *tables) counts() (rows, filled, wanted int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rows, s.filled[0], s.filled[1]
}

// ending returns the reason why a search that has nothing left to do has ended, whoever ends
// it: done if each required cell is filled, and otherwise dry.
func (s *tables) ending() finding.Reason {
	s.tally()
	if _, filled, wanted := s.counts(); filled == wanted && wanted > 0 {
		return finding.ReasonDone
	}
	return finding.ReasonDry
}

// since returns the sightings of a table, beginning with number n.
func (s *tables) since(table string, n int) []merge.Sighting {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen[table][n:])
}

// rowsOn returns the rows of a table that a page stated.
func rowsOn(s *tables, p *grounding.Page, t *outline.Table) (rows []finding.Row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.seen[t.ID] {
		if one.Page == p.N {
			rows = append(rows, one.Row)
		}
	}
	return rows
}

// add adds the rows that a page stated, and the method by which they were read. said
// contains the booleans of each row that the model gave without a line that states them;
// it may be nil.
func (s *tables) add(p *grounding.Page, t *outline.Table, rows []finding.Row, method string, said []map[string]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := len(s.seen[t.ID])
	links := grounding.RowLinks(p, rows)
	rows = s.learnedOf(t).rated(s.library, p, t, rows)
	for i, row := range rows {
		s.seen[t.ID] = append(s.seen[t.ID], merge.Sighting{Page: p.N, At: i, Method: method, Row: row})
		if links[i] != nil {
			s.links[sighted{t.ID, at + i}] = links[i]
		}
	}
	s.measure(p, t, rows, at)
	s.flag(p, t, rows, at, said)
	s.rows = at + len(rows)
	s.version++
}

// learned is what the pages of a run show together about the columns of a table.
type learned struct {
	units  merge.Units
	flags  merge.Flags
	unread []unread
	rates  map[string]string // the periods to which the question refers the prices of fields
}

// unread is a cell of a page that code could not read, because its text is no value of its kind.
type unread struct {
	grounding.LostCell
	source string
	told   bool // there is an issue about it
}

// learnedOf returns what is known of the columns of a table. The caller holds mu.
func (s *tables) learnedOf(t *outline.Table) *learned {
	if s.learned[t.ID] == nil {
		s.learned[t.ID] = &learned{}
	}
	return s.learned[t.ID]
}

// Limits of the lines that may state a boolean of a row.
const (
	maxFlagLines = 24  // of one of several rows
	maxPageLines = 400 // of a page with one row
)

// flag notes the texts that may state the booleans of rows. The sightings of the rows
// begin with number at. The caller holds mu.
func (s *tables) flag(p *grounding.Page, t *outline.Table, rows []finding.Row, at int, said []map[string]bool) {
	if len(rows) == 0 || !slices.ContainsFunc(t.Fields, func(f *outline.Field) bool { return f.Node.Type == schema.Boolean }) {
		return
	}
	full := slices.ContainsFunc(rows, func(row finding.Row) bool {
		for _, c := range row {
			if c.Full {
				return true
			}
		}
		return false
	})
	keys := make([]int, len(rows)) // lines
	for i, row := range rows {
		if c, ok := row[grid.FirstKey(t)]; ok {
			keys[i] = c.Lines[0]
		}
	}
	g := s.library.ground(p, full)
	if len(rows) == 1 && keys[0] > 0 {
		keys[0] = g.FirstWith(value.ScalarText(rows[0][grid.FirstKey(t)].Value), keys[0]) // the positions of other lines are counted from it, whichever line was cited
	}
	for i := range rows {
		from, to := 1, min(len(g.Lines), maxPageLines)
		if len(rows) > 1 {
			if keys[i] == 0 {
				continue
			}
			from, to = keys[i], keys[i]+maxFlagLines
			for _, k := range keys {
				if k > from {
					to = min(to, k-1)
				}
			}
		}
		var own map[string]bool
		if said != nil {
			own = said[i]
		}
		s.learnedOf(t).flags.See(at+i, g.Tails(from, to, keys[i]), own, surely(g, t, rows[i]), p.Rec.ID, full)
	}
}

// surely returns the booleans of a row that its lines state in words that are known.
func surely(g *grounding.Ground, t *outline.Table, row finding.Row) (names []string) {
	for _, f := range t.Fields {
		c := row[f.Name]
		if v, is := c.Value.(bool); is && c.Lines[0] > 0 && c.Lines[1] <= len(g.Lines) && grounding.Says(f, g.Text(c.Lines[0], c.Lines[1]), v) {
			names = append(names, f.Name)
		}
	}
	return names
}

// measure notes the units that a page states for numbers whose fields name no unit. The
// sightings of the rows begin with number at. The caller holds mu.
func (s *tables) measure(p *grounding.Page, t *outline.Table, rows []finding.Row, at int) {
	var grounds [2]*grounding.Ground // of the main content, and of the whole page
	for _, f := range t.Fields {
		if _, unit := f.Wants(); unit != (value.Unit{}) || f.Node.Type != schema.Number && f.Node.Type != schema.Integer {
			continue
		}
		for i, row := range rows {
			c, ok := row[f.Name]
			v, number := c.Value.(float64)
			if !ok || !number || c.Lines[0] == 0 {
				continue
			}
			k := 0
			if c.Full {
				k = 1
			}
			if grounds[k] == nil {
				grounds[k] = s.library.ground(p, c.Full)
			}
			if total, unit, sure, ok := grounds[k].Measure(v, c.Lines[0], c.Lines[1]); ok {
				s.learnedOf(t).units.See(f.Name, at+i, v, total, unit, sure)
			}
		}
	}
}

// uneven returns issues about columns whose numbers pages state in different units, and
// about booleans that were replaced by what their lines state.
func (s *tables) uneven() []finding.Issue {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []finding.Issue
	for _, t := range s.outline.Tables {
		if s.learned[t.ID] == nil {
			continue
		}
		for _, text := range s.learned[t.ID].flags.Notes(t, s.seen[t.ID]) {
			all = append(all, finding.Issue{Kind: finding.IssueUnsupported, Pointer: s.outline.At(t), Detail: text})
		}
		for _, text := range s.learned[t.ID].units.Notes(func(field string) (n int) {
			for _, one := range s.seen[t.ID] {
				if _, ok := one.Row[field]; ok {
					n++
				}
			}
			return n
		}) {
			all = append(all, finding.Issue{Kind: finding.IssueUnits, Pointer: s.outline.At(t), Detail: text})
		}
	}
	return all
}

// retract removes the cells of fields that a wrapper has read on a page.
func (s *tables) retract(t *outline.Table, p *grounding.Page, fields []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, one := range s.seen[t.ID] {
		if one.Page != p.N || one.Method != "wrapper" {
			continue
		}
		row := maps.Clone(one.Row)
		for _, name := range fields {
			delete(row, name)
		}
		s.seen[t.ID][i].Row = row
		s.version++
	}
}

// merged returns the tables in their current state.
func (s *tables) merged() map[string][]merge.Merged {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.outline == nil {
		return nil
	}
	hosts := s.library.hosts()
	if columns := columnsOf(s.outline); s.last.rows == nil || s.last.version != s.version || s.last.pages != len(hosts) || s.last.columns != columns {
		s.last = fusion{s.version, len(hosts), columns, map[string][]merge.Merged{}}
		for _, t := range s.outline.Tables {
			m := merge.Merger{Table: t, Hosts: hosts, First: func(h string) bool { return slices.Contains(s.own, h) }}
			s.last.rows[t.ID] = m.Merge(s.hops.about(t, s.learnedOf(t).flags.Settle(t, s.learnedOf(t).units.Even(s.resolved(t))), s.seen[t.ID]))
		}
	}
	out := map[string][]merge.Merged{}
	for id, rows := range s.last.rows {
		out[id] = slices.Clone(rows) // the caller may change it, but not the rows themselves
	}
	for _, t := range s.outline.Tables {
		s.hops.join(s.outline, t, out)
		s.judge(t, out[t.ID])
	}
	return out
}

// owned replaces the rows of tables by copies, which the caller may change.
func owned(tables map[string][]merge.Merged) map[string][]merge.Merged {
	for _, rows := range tables {
		for i := range rows {
			rows[i].Row, rows[i].Rivals = maps.Clone(rows[i].Row), maps.Clone(rows[i].Rivals)
		}
	}
	return tables
}

// columnsOf returns the keys and fields of all tables as a text.
func columnsOf(o *outline.Outline) string {
	var b strings.Builder
	for _, t := range o.Tables {
		b.WriteString("\n" + t.ID + "\t" + strings.Join(t.Keys, "\t") + "\t")
		for _, f := range t.Fields {
			b.WriteString("\t" + f.Name)
		}
	}
	return b.String()
}

// tally counts rows and required cells for snapshots.
func (s *tables) tally() map[string][]merge.Merged {
	tables := s.merged()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows, s.filled = 0, [2]int{}
	if s.outline == nil {
		return tables
	}
	for _, t := range s.outline.Tables {
		if t.Subject {
			continue
		}
		rows := tables[t.ID]
		need := t.Needed()
		for _, m := range rows {
			if m.State == filter.Unmet {
				continue
			}
			s.rows++
			if m.State == filter.Open {
				s.filled[1]++ // a cell on which a condition depends
			}
			for _, f := range need {
				if _, ok := m.Row[f.Name]; ok {
					s.filled[0]++
				}
				s.filled[1]++
			}
		}
		if t.Drawn {
			continue
		}
		if missing := max(t.Expect, 1) - len(rows); missing > 0 {
			s.filled[1] += missing * len(need)
		}
	}
	return tables
}

// short returns issues about tables for which pages claim more rows than were found.
func (s *tables) short(tables map[string][]merge.Merged) []finding.Issue {
	var all []finding.Issue
	if s.outline == nil {
		return nil
	}
	for _, t := range s.outline.Tables {
		if total, source := s.library.claimed(t); !t.Record() && total > len(tables[t.ID]) {
			all = append(all, finding.Issue{
				Kind: finding.IssueTotal, Pointer: s.outline.At(t), Source: source,
				Detail: "a page says that there are " + strconv.Itoa(total) + ", and " + strconv.Itoa(len(tables[t.ID])) + " were found",
			})
		}
		if left := unfollowed(s.library, t, tables[t.ID]); left.rows > 0 {
			where := ", which the pages of other rows state, and their own pages were not read"
			if len(left.listings) > 0 {
				where = ", which the listings of other rows state, and their own listings were not read"
			}
			all = append(all, finding.Issue{
				Kind: finding.IssueMissing, Pointer: s.outline.At(t),
				Detail: strconv.Itoa(left.rows) + " rows lack " + left.field + where,
			})
		}
	}
	return all
}

// misses reports whether the answer may lack something because a page was not read: the
// model failed at a page, or a page that the task gives could not be fetched. A page is not
// needed if the table has all rows that another page announces, or, for a record, all
// values, or if it is about a thing whose values are all known.
func (s *tables) misses(tables map[string][]merge.Merged) bool {
	if s.outline == nil {
		return false
	}
	return slices.ContainsFunc(s.outline.Readable(), func(t *outline.Table) bool {
		rows := tables[t.ID]
		if t.Record() && len(rows) > 0 && decided(t, rows) {
			return false
		}
		if claim, _ := s.library.claimed(t); !t.Record() && claim > 0 && len(rows) >= claim && decided(t, rows) {
			return false
		}
		lost := slices.ContainsFunc(s.urls, func(u string) bool {
			p := s.library.at(u)
			return p != nil && p.Rec.Trouble != ""
		})
		return lost || slices.ContainsFunc(s.library.unreadFor(t), func(p *grounding.Page) bool { return !aboutKnown(p, t, rows) })
	})
}

// aboutKnown reports whether the title of a page names a row that has all its cells.
func aboutKnown(p *grounding.Page, t *outline.Table, rows []merge.Merged) bool {
	title := value.Normal(p.Rec.Title)
	return len(t.Keys) > 0 && slices.ContainsFunc(rows, func(m merge.Merged) bool {
		key := value.Normal(value.ScalarText(m.Row[t.Keys[0]].Value))
		return value.Holds(title, key) > 0 && !outline.Lacks(t.Fields, m.Row)
	})
}

// allWhole reports whether all tables for which pages are read are complete.
func (s *tables) allWhole(tables map[string][]merge.Merged) bool {
	return !slices.ContainsFunc(s.outline.Readable(), func(t *outline.Table) bool { return !s.whole(t, tables[t.ID]) })
}

// whole reports whether a table has all rows that the plan or a page announces, and
// each row of the answer has its required cells. If the question has conditions, the
// number in the plan is ignored, because it does not say from how many rows the answer
// is chosen.
func (s *tables) whole(t *outline.Table, have []merge.Merged) bool {
	total := 1
	if !t.Record() {
		claim, _ := s.library.claimed(t)
		total = claim
		if s.filters[t.ID] == nil {
			total = max(t.Expect, claim)
		}
	}
	if t.Hidden && given(s.library, s.urls, s.since(t.ID, 0), have) {
		return decided(t, have)
	}
	if total == 0 || len(have) < total {
		return false
	}
	return decided(t, have)
}

// decided reports whether all rows of the answer have their required cells and
// certainly meet the conditions.
func decided(t *outline.Table, have []merge.Merged) bool {
	need := t.Needed()
	return !slices.ContainsFunc(have, func(m merge.Merged) bool {
		return m.State == filter.Open || m.State == filter.Met && outline.Lacks(need, m.Row)
	})
}

// given reports whether the question is about the things whose pages it names: several
// pages were given, each of them gave one of rows, and there is no other row.
func given(b *library, urls []string, rows []merge.Sighting, have []merge.Merged) bool {
	for _, u := range urls {
		p := b.at(u)
		if p == nil || countOf(rows, p.N) != 1 {
			return false
		}
	}
	return len(urls) > 1 && len(have) == len(urls)
}

// countOf returns the number of rows that a page stated.
func countOf(rows []merge.Sighting, page int) (n int) {
	for _, s := range rows {
		if s.Page == page {
			n++
		}
	}
	return n
}

// sighted identifies a sighting by its table and its number there.
type sighted struct {
	table string
	n     int
}

// resolved returns the sightings of a table with the pages that are about their things: those
// that their lines link, if these stated one row each, and the one that has their name. The caller
// holds mu.
func (s *tables) resolved(t *outline.Table) []merge.Sighting {
	all := s.seen[t.ID]
	if t.Record() {
		return all
	}
	rows := map[int]int{}
	for _, one := range all {
		if one.At == 0 {
			rows[one.Page] = max(rows[one.Page], 1)
		} else {
			rows[one.Page] = 2
		}
	}
	out := slices.Clone(all)
	for i := range out {
		links := s.links[sighted{t.ID, i}]
		for _, u := range links {
			if p := s.library.at(u); p != nil && rows[p.N] == 1 {
				out[i].Links = append(out[i].Links, p.N)
			}
		}
		if p := s.library.page(merge.SourceID(out[i].Page)); p != nil && len(t.Keys) > 0 {
			out[i].URL, out[i].Kind = p.Thing(out[i].Row[t.Keys[0]].Value, rows[p.N] == 1, links)
		}
	}
	return out
}

// novelty detects new rows. Each key of a row is new once, in the order in which pages
// are added to the frontier.
type novelty struct {
	tables  *tables
	counted map[string]int   // number of sightings that are in keys, by table
	keys    map[int][]string // keys of the rows of each page
	known   map[string]bool  // keys of the rows of pages that were added
}

func newNovelty(s *tables) *novelty {
	return &novelty{tables: s, counted: map[string]int{}, keys: map[int][]string{}, known: map[string]bool{}}
}

// fresher reports whether a page has a row that no page before it has. After the last
// page of a listing, many sites show that page again under the next number.
func (v *novelty) fresher(p *grounding.Page) bool {
	for _, t := range v.tables.outline.Tables {
		fresh := v.tables.since(t.ID, v.counted[t.ID])
		for _, s := range fresh {
			key, ok := t.KeyOf(s.Row)
			if !ok {
				key = merge.RowText(s.Row)
			}
			v.keys[s.Page] = append(v.keys[s.Page], t.ID+"\x00"+key)
		}
		v.counted[t.ID] += len(fresh)
	}
	if p == nil {
		return false
	}
	fresh := false
	for _, key := range v.keys[p.N] {
		fresh = fresh || !v.known[key]
		v.known[key] = true
	}
	return fresh
}
