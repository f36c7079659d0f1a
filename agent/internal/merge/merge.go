// SPDX-License-Identifier: Apache-2.0

// Package merge combines what pages say into the rows of tables, and the rows into the
// data of a result.
package merge

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/filter"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/internal/schema"
	"example.com/curlew/internal/sorting"
)

// Sighting is a row as a page states it.
type Sighting struct {
	Page   int    // number of the source
	At     int    // position on the page
	Method string // how it was read; two rows that one method read on one page are two things
	Links  []int  // numbers of the pages that its lines link, of those that gave one row each
	URL    string // of the page that is about the thing and has its name; may be empty
	Kind   string // what the URLs of things of this kind have in common
	Row    finding.Row
}

// Merger combines what pages say into one table. The result does not depend on the
// order in which the pages arrived, because sightings are sorted first.
type Merger struct {
	Table *outline.Table
	Hosts map[string]string // by source ID, without www.
	First func(host string) bool

	keys []string // those of the table, and another one if they do not tell its rows apart
}

// cluster contains the sightings of one thing.
type cluster struct {
	rows   []*entry
	strong bool
}

// entry is a sighting with its keys.
type entry struct {
	Sighting
	keys  []string // canonical, one for each key of the table; a missing one is empty
	loose []string // keys without legal forms
	twin  int      // number of the thing among those with its keys, if their own pages show that these are several; else zero
}

func (e *entry) strong() bool { return len(e.keys) > 0 && !slices.Contains(e.keys, "") }

// compareEntries compares entries by where they stand.
func compareEntries(a, b *entry) int {
	return cmp.Or(cmp.Compare(a.Page, b.Page), cmp.Compare(a.Method, b.Method), cmp.Compare(a.At, b.At))
}

// Merged is a row of the table with its issues.
type Merged struct {
	Row    finding.Row
	Issues []finding.Issue           // Pointer contains the name of a field
	Rivals map[string][]finding.Cell // by field: values that contradict each other, the chosen one first
	State  filter.State              // whether the row meets the conditions of the question
	// Retracted means that a list says that the row meets the conditions, and that its own page says that
	// it does not. Its State is filter.Open.
	Retracted bool
}

// Merge returns the rows of the table in the order of their first sightings.
func (m *Merger) Merge(all []Sighting) []Merged {
	m.keys = m.distinctKeys(all)
	entries := make([]*entry, 0, len(all))
	for _, s := range all {
		entries = append(entries, m.entry(s))
	}
	sorting.Stable(entries, compareEntries)
	if m.Table.Record() {
		if len(entries) == 0 {
			return nil
		}
		one := m.fuse(&cluster{rows: entries})
		one.State = filter.Met
		return []Merged{one}
	}
	m.separate(entries)
	clusters, weak := m.cluster(entries)
	var out []Merged
	for _, c := range clusters {
		if len(out) == outline.MaxRows {
			break
		}
		fused := m.fuse(c)
		if weak[c] {
			fused.Issues = append(fused.Issues, finding.Issue{Kind: finding.IssueWeakKey, Detail: "rows with this key contradict each other and stay apart: " + value.Clip(strings.Join(c.rows[0].keys, ", "), 200), Source: SourceID(c.rows[0].Page)})
		}
		out = append(out, fused)
	}
	return out
}

// SourceID returns the ID of the page with a number.
func SourceID(n int) string { return "S" + strconv.Itoa(n) }

func (m *Merger) entry(s Sighting) *entry {
	e := &entry{Sighting: s}
	for _, k := range m.keys {
		c, ok := s.Row[k]
		if !ok {
			e.keys, e.loose = append(e.keys, ""), append(e.loose, "")
			continue
		}
		key := value.Canon(c.Value)
		e.keys = append(e.keys, key)
		e.loose = append(e.loose, value.Unsuffixed(key))
	}
	return e
}

// cluster groups entries. It starts with those that have all keys.
func (m *Merger) cluster(entries []*entry) (all []*cluster, weak map[*cluster]bool) {
	weak = map[*cluster]bool{}
	blocks := map[string][]*cluster{} // by all keys
	tokens := map[string][]*cluster{} // by one key and its index
	start := func(e *entry) *cluster {
		c := &cluster{rows: []*entry{e}, strong: e.strong()}
		all = append(all, c)
		return c
	}
	index := func(c *cluster, e *entry) {
		for i, k := range e.loose {
			if k != "" {
				at := strconv.Itoa(i) + "\x00" + k
				if list := tokens[at]; len(list) == 0 || list[len(list)-1] != c {
					tokens[at] = append(list, c)
				}
			}
		}
	}
	var later []*entry
	for _, e := range twinsFirst(entries) {
		if len(m.keys) == 0 {
			e.keys = []string{RowText(e.Row)}
			e.loose = e.keys
		}
		if !e.strong() {
			later = append(later, e)
			continue
		}
		at := strings.Join(e.loose, "\x00")
		block := blocks[at]
		if i := m.room(block, e); i >= 0 {
			block[i].rows = append(block[i].rows, e)
			continue
		}
		c := start(e)
		for _, other := range block {
			if other.rows[0].Page != e.Page || !otherForms(other.rows[0], e) { // a page that lists both means two things
				weak[other], weak[c] = true, true
			}
		}
		blocks[at] = append(block, c)
		index(c, e)
	}
	byPage := clustersByPage(all)
	for _, e := range later {
		c := m.linked(byPage, e)
		if c == nil {
			c = again(byPage[e.Page], e)
		}
		if c == nil {
			c = m.home(tokens, e)
		}
		if c != nil {
			c.rows = append(c.rows, e)
			continue
		}
		index(start(e), e)
	}
	inOrder(all)
	return all, weak
}

// inOrder sorts clusters by where their first rows stand.
func inOrder(all []*cluster) {
	for _, c := range all {
		if c.twin() > 0 { // other rows were added in this order
			sorting.Stable(c.rows, compareEntries)
		}
	}
	sorting.Stable(all, func(a, b *cluster) int {
		return cmp.Or(cmp.Compare(a.rows[0].Page, b.rows[0].Page), cmp.Compare(a.rows[0].At, b.rows[0].At))
	})
}

// RowText returns the values of a row as JSON, in the form in which keys are compared.
func RowText(r finding.Row) string {
	values := map[string]any{}
	for k, c := range r {
		values[k] = value.Canon(c.Value)
	}
	raw, err := json.Marshal(values)
	if err != nil {
		return ""
	}
	return string(raw)
}

// otherForms reports whether the keys of two rows name organisations that differ in their legal forms.
func otherForms(a, b *entry) bool {
	for i := range a.keys {
		if value.OtherForms(a.keys[i], b.keys[i]) {
			return true
		}
	}
	return false
}

// apart reports whether e is another thing than c although their keys match. This is so
// if their own pages or their legal forms show it, or if a required cell contradicts, and
// both are on one page or their keys are equal only without legal forms. If the table has
// no required field, all cells of the same page count.
func (m *Merger) apart(c *cluster, e *entry) bool {
	return slices.ContainsFunc(c.rows, func(have *entry) bool {
		if have.twin != e.twin && have.twin > 0 && e.twin > 0 || otherForms(have, e) {
			return true
		}
		if have.Page == e.Page && have.Method == e.Method {
			return m.contradict(m.Table.Required(), have.Row, e.Row)
		}
		return !slices.Equal(have.keys, e.keys) && m.contradict(m.Table.Must(), have.Row, e.Row)
	})
}

// contradict reports whether two rows have different values in one of the fields that
// are not keys.
//
//go:noinline // its callers would each have a copy of its searches
func (m *Merger) contradict(fields []*outline.Field, a, b finding.Row) bool {
	return slices.ContainsFunc(fields, func(f *outline.Field) bool {
		if slices.Contains(m.keys, f.Name) {
			return false
		}
		x, okX := a[f.Name]
		y, okY := b[f.Name]
		return okX && okY && !value.Agree(x.Value, y.Value)
	})
}

// clustersByPage returns, by the number of a page, the clusters that contain a row of
// the page.
func clustersByPage(all []*cluster) map[int][]*cluster {
	out := map[int][]*cluster{}
	for _, c := range all {
		for _, e := range c.rows {
			if list := out[e.Page]; len(list) == 0 || list[len(list)-1] != c {
				out[e.Page] = append(list, c)
			}
		}
	}
	return out
}

// linked returns the only cluster of the pages that a row without all keys links. A
// listing often leaves out what only the page of the thing states.
func (m *Merger) linked(byPage map[int][]*cluster, e *entry) *cluster {
	var found *cluster
	for _, page := range e.Links {
		for _, c := range byPage[page] {
			if c == found || m.differs(c, e) {
				continue
			}
			if found != nil || page == e.Page {
				return nil
			}
			found = c
		}
	}
	return found
}

// again returns the cluster of the only thing of a page, if a row of that page without keys has no other values:
// the page was read twice, and the lines that state its name only once.
func again(of []*cluster, e *entry) *cluster {
	if len(of) != 1 || e.At > 0 {
		return nil
	}
	same := false
	for _, have := range of[0].rows {
		if have.Page != e.Page {
			continue
		}
		if have.At > 0 {
			return nil // it lists several things
		}
		all := true
		for name, c := range e.Row {
			all = all && value.Agree(have.Row[name].Value, c.Value)
		}
		same = same || all
	}
	if !same {
		return nil
	}
	return of[0]
}

// differs reports whether a row has another key than a cluster.
func (m *Merger) differs(c *cluster, e *entry) bool {
	return slices.ContainsFunc(c.rows, func(have *entry) bool {
		for i := range e.loose {
			if e.loose[i] != "" && have.loose[i] != "" && e.loose[i] != have.loose[i] {
				return true
			}
		}
		return false
	})
}

// home returns the only cluster to which a row without all keys can belong: no key and
// no required cell contradicts, and two cells that are not keys agree.
func (m *Merger) home(tokens map[string][]*cluster, e *entry) *cluster {
	var best *cluster
	seen := map[*cluster]bool{}
	for i, k := range e.loose {
		if k == "" {
			continue
		}
		list := tokens[strconv.Itoa(i)+"\x00"+k]
		for _, c := range list[:min(len(list), 100)] {
			if seen[c] {
				continue
			}
			seen[c] = true
			if m.fits(c, e) {
				if best != nil {
					return nil
				}
				best = c
			}
		}
	}
	return best
}

func (m *Merger) fits(c *cluster, e *entry) bool {
	agreeing := map[string]bool{}
	if m.differs(c, e) {
		return false
	}
	for _, have := range c.rows {
		if m.contradict(m.Table.Must(), have.Row, e.Row) {
			return false
		}
		for _, f := range m.Table.Fields {
			x, okX := have.Row[f.Name]
			y, okY := e.Row[f.Name]
			if okX && okY && !slices.Contains(m.keys, f.Name) && value.Agree(x.Value, y.Value) {
				agreeing[f.Name] = true
			}
		}
	}
	return len(agreeing) >= 2 || m.named(e)
}

// named reports whether a row lacks only optional keys. In that case two listings of
// one thing are one row.
func (m *Merger) named(e *entry) bool {
	required := false
	for i, k := range m.keys {
		f := m.Table.Field(k)
		if f == nil || f.Required && e.keys[i] == "" {
			return false
		}
		required = required || f.Required
	}
	return required
}

// fuse makes one row from a cluster.
func (m *Merger) fuse(c *cluster) Merged {
	out := Merged{Row: finding.Row{}, State: filter.Met}
	for _, f := range m.Table.Fields {
		var cells []finding.Cell
		for _, e := range c.rows {
			if cell, ok := e.Row[f.Name]; ok {
				cells = append(cells, cell)
			}
		}
		if len(cells) == 0 {
			continue
		}
		cell, rivals := m.pick(f, m.unite(f, cells), c)
		out.Row[f.Name] = cell
		if len(rivals) > 1 {
			out.Issues = append(out.Issues, conflict(f, rivals))
			if out.Rivals == nil {
				out.Rivals = map[string][]finding.Cell{}
			}
			out.Rivals[f.Name] = rivals
		}
	}
	return out
}

// unite combines lists of texts or objects that the parts of a page state, and for a
// record those of all pages, because one may leave out what another one has.
func (m *Merger) unite(f *outline.Field, cells []finding.Cell) []finding.Cell {
	if f.Node.Choices != nil || f.Node.Type != schema.List || f.Node.Items.Choices == nil && f.Node.Items.Type != schema.String && f.Node.Items.Type != schema.Object {
		return cells
	}
	var out []finding.Cell
	var known []map[string]bool // of the items of each list
	for _, c := range cells {
		items, _ := c.Value.([]any)
		i := slices.IndexFunc(out, func(o finding.Cell) bool {
			return o.Source == c.Source || m.Table.Record() && f.Node.Items.Type == schema.String
		})
		if i < 0 {
			i = len(out)
			out, known = append(out, c), append(known, map[string]bool{})
			for _, v := range items {
				known[i][value.Canon(v)] = true
			}
			out[i].Value = slices.Clip(items)
			continue
		}
		all, _ := out[i].Value.([]any)
		for _, v := range items {
			if k := value.Canon(v); !known[i][k] && (f.Node.MaxItems == nil || float64(len(all)) < *f.Node.MaxItems) {
				known[i][k] = true
				all = append(all, v)
			}
		}
		out[i].Value, out[i].Grade = all, grounding.Worst(out[i].Grade, c.Grade)
		if out[i].Source != c.Source && !slices.Contains(out[i].Also, c.Source) {
			out[i].Also = append(slices.Clip(out[i].Also), c.Source)
		}
	}
	return out
}

// citation is where a cell is stated.
type citation struct {
	source string
	lines  [2]int
}

// bare returns 1 for each derived cell of a field that rests on nothing but the lines of a
// key of its row. Such lines name the thing, and seldom say more about it.
func (m *Merger) bare(f *outline.Field, c *cluster) (out map[citation]int) {
	for _, e := range c.rows {
		own := e.Row[f.Name]
		if own.Grade == finding.GradeDerived && own.Lines[0] > 0 && slices.ContainsFunc(m.keys, func(k string) bool { return e.Row[k].Lines == own.Lines }) {
			if out == nil {
				out = map[citation]int{}
			}
			out[citation{own.Source, own.Lines}] = 1
		}
	}
	return out
}

// vote contains the cells with one value.
type vote struct {
	cells []finding.Cell
	hosts []string
}

// pick chooses one of several values, in this order: by its grade, by whether it rests on
// more than the name of the thing, by the number of hosts that agree, by the site to which the thing belongs, and by the earlier source.
func (m *Merger) pick(f *outline.Field, cells []finding.Cell, c *cluster) (finding.Cell, []finding.Cell) {
	var votes []*vote
	byValue := map[string]*vote{}
	for _, cell := range cells {
		key := value.Canon(cell.Value)
		v := byValue[key]
		if v == nil {
			v = &vote{}
			byValue[key] = v
			votes = append(votes, v)
		}
		v.cells = append(v.cells, cell)
		if h := m.Hosts[cell.Source]; !slices.Contains(v.hosts, h) {
			v.hosts = append(v.hosts, h)
		}
	}
	own := func(v *vote) int {
		for _, h := range v.hosts {
			if m.First != nil && m.First(h) || belongs(h, c) {
				return 0
			}
		}
		return 1
	}
	bare := m.bare(f, c)
	compare := func(a, b finding.Cell) int {
		return cmp.Or(
			cmp.Compare(grounding.GradeRank(a.Grade), grounding.GradeRank(b.Grade)),
			cmp.Compare(bare[citation{a.Source, a.Lines}], bare[citation{b.Source, b.Lines}]),
		)
	}
	for _, v := range votes {
		sorting.Stable(v.cells, compare)
	}
	sorting.Stable(votes, func(a, b *vote) int {
		return cmp.Or(
			compare(a.cells[0], b.cells[0]),
			-cmp.Compare(len(a.hosts), len(b.hosts)),
			cmp.Compare(own(a), own(b)),
		)
	})
	best := votes[0].cells[0]
	best.Also = slices.Clone(best.Also)
	for _, cell := range votes[0].cells[1:] {
		if cell.Source != best.Source && !slices.Contains(best.Also, cell.Source) {
			best.Also = append(best.Also, cell.Source)
		}
	}
	sorting.Stable(best.Also, CompareIDs)
	if len(votes) == 1 || slices.Contains(m.keys, f.Name) {
		return best, nil
	}
	rivals := []finding.Cell{best}
	for _, v := range votes[1:] {
		rivals = append(rivals, v.cells[0])
	}
	return best, rivals
}

// conflict returns the issue that names contradicting values and the pages that state
// them.
func conflict(f *outline.Field, rivals []finding.Cell) finding.Issue {
	var said []string
	for _, c := range rivals {
		said = append(said, value.Clip(value.JSONText(c.Value), 80)+" ("+c.Source+")")
	}
	return finding.Issue{Pointer: f.Name, Kind: finding.IssueConflict, Detail: value.Clip(strings.Join(said, ", "), 500), Source: rivals[0].Source}
}

// belongs reports whether a host has the name of the thing, such as acme.test for Acme
// Inc.
func belongs(host string, c *cluster) bool {
	label, _, _ := strings.Cut(host, ".")
	if len(label) < 3 {
		return false
	}
	for _, e := range c.rows {
		for _, k := range e.loose {
			if strings.ReplaceAll(k, " ", "") == strings.ReplaceAll(label, "-", "") {
				return true
			}
		}
	}
	return false
}

// CompareIDs compares the IDs of sources. S2 comes before S10.
func CompareIDs(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}
