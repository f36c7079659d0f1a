// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"maps"
	"slices"
	"strconv"
	"sync"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/filter"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/linkrank"
	"example.com/curlew/agent/internal/merge"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/journal"
)

// tables holds the rows that pages gave, and merges them: the result does not
// depend on the order in which pages arrived.
type tables struct {
	library *library
	own     []string // hosts of the task's URLs

	mu      sync.Mutex                  // guards all below; only the run's own goroutine sets outline
	outline *outline.Outline            // nil: there is none yet
	seen    map[string][]merge.Sighting // by table
	filters map[string]*filter.Set      // by table: what the question says that rows meet
	hops    map[string][]journal.Hop    // by table: fields that further questions are about
	links   map[sighted][]string        // canonical URLs that the lines of a row link
	rows    int
	filled  [2]int // cells of required fields: filled, wanted
}

func newTables(b *library, urls []string, o *outline.Outline) *tables {
	return &tables{library: b, own: linkrank.NewScope(urls, false).Hosts, outline: o, seen: map[string][]merge.Sighting{}, filters: map[string]*filter.Set{}, hops: map[string][]journal.Hop{}, links: map[sighted][]string{}}
}

// propose sets the outline that a plan proposes.
func (s *tables) propose(o *outline.Outline) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outline = o
}

// counts returns how many rows there are, and how many cells of required fields
// are filled and wanted.
func (s *tables) counts() (rows, filled, wanted int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rows, s.filled[0], s.filled[1]
}

// since returns the sightings of a table from number n on.
func (s *tables) since(table string, n int) []merge.Sighting {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen[table][n:])
}

// add adds the rows that a page gave by a method.
func (s *tables) add(p *grounding.Page, t *outline.Table, rows []finding.Row, method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := len(s.seen[t.ID])
	links := rowLinks(p, rows)
	for i, row := range rows {
		s.seen[t.ID] = append(s.seen[t.ID], merge.Sighting{Page: p.N, At: i, Method: method, Row: row})
		if links[i] != nil {
			s.links[sighted{t.ID, at + i}] = links[i]
		}
	}
	s.rows = at + len(rows)
}

// retract takes the cells of fields that a wrapper read from the ledger.
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
	}
}

// merged returns the tables as they stand.
func (s *tables) merged() map[string][]merge.Merged {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.outline == nil {
		return nil
	}
	hosts := s.library.hosts()
	out := map[string][]merge.Merged{}
	for _, t := range s.outline.Tables {
		m := merge.Merger{Table: t, Hosts: hosts, First: func(h string) bool { return slices.Contains(s.own, h) }}
		rows := m.Merge(s.about(t, s.resolved(t)))
		s.judge(t, rows)
		out[t.ID] = rows
	}
	return out
}

// tally counts rows and cells of required fields for snapshots.
func (s *tables) tally() map[string][]merge.Merged {
	tables := s.merged()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows, s.filled = 0, [2]int{}
	if s.outline == nil {
		return tables
	}
	for _, t := range s.outline.Tables {
		rows := tables[t.ID]
		need := t.Required()
		for _, m := range rows {
			if m.State == filter.Unmet {
				continue
			}
			s.rows++
			if m.State == filter.Open {
				s.filled[1]++ // a cell that a condition depends on
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

// filledUp reports whether all required cells are filled.
func (s *tables) filledUp() bool {
	s.tally()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.filled[0] == s.filled[1] && s.filled[1] > 0
}

// pointer returns the JSON Pointer of a table, or "" if the answer does not have it.
func (s *tables) pointer(t *outline.Table) string {
	if t.Hidden || t.Record() {
		return ""
	}
	return s.outline.Pointer(t.Path)
}

// short says of which tables pages claim more rows than were found.
func (s *tables) short(tables map[string][]merge.Merged) []finding.Issue {
	var all []finding.Issue
	if s.outline == nil {
		return nil
	}
	for _, t := range s.outline.Tables {
		if total, source := s.library.claimed(t); !t.Record() && total > len(tables[t.ID]) {
			all = append(all, finding.Issue{
				Kind: finding.IssueTotal, Pointer: s.pointer(t), Source: source,
				Detail: "a page says that there are " + strconv.Itoa(total) + ", and " + strconv.Itoa(len(tables[t.ID])) + " were found",
			})
		}
	}
	return all
}
