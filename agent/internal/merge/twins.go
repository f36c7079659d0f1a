// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"cmp"
	"slices"
	"strings"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/internal/sorting"
)

// A shop often has several things of one name, each with a page of its own, such as a computer with
// more or less memory. Their keys do not tell them apart, but their pages do. Pages of other sites
// with other values, or a second page with most of the same values, are about the same thing.

// thing contains the pages and the rows about one of several things that have the same keys.
type thing struct {
	urls []string // of its own pages
	rows []finding.Row
}

// separate numbers the things that have the same keys, if their own pages show that they are
// several.
func (m *Merger) separate(entries []*entry) {
	groups := map[string][]*entry{} // by kind and keys
	for _, e := range entries {
		if e.URL != "" && e.strong() {
			at := e.Kind + "\x00" + strings.Join(e.loose, "\x00")
			groups[at] = append(groups[at], e)
		}
	}
	for _, group := range groups {
		things := m.things(group)
		if len(things) < 2 {
			continue
		}
		for _, e := range group {
			e.twin = 1 + slices.IndexFunc(things, func(t *thing) bool { return slices.Contains(t.urls, e.URL) })
		}
	}
}

// things returns the things that entries with the same keys are about, in the order of the
// entries.
func (m *Merger) things(group []*entry) []*thing {
	var all []*thing
	at := map[string]*thing{}
	for _, e := range group {
		t := at[e.URL]
		if t == nil {
			t = &thing{urls: []string{e.URL}}
			at[e.URL] = t
			all = append(all, t)
		}
		if len(t.rows) < maxRowsOfTwin {
			t.rows = append(t.rows, e.Row)
		}
	}
	var out []*thing
	for _, t := range all[:min(len(all), maxTwins)] {
		i := slices.IndexFunc(out, func(o *thing) bool { return !m.others(o, t) })
		if i < 0 {
			out = append(out, t)
			continue
		}
		out[i].urls = append(out[i].urls, t.urls...)
		out[i].rows = append(out[i].rows, t.rows...)
	}
	return out
}

// Limits for telling things with the same keys apart.
const (
	maxTwins      = 100
	maxRowsOfTwin = 8 // rows of one thing that are compared
)

// others reports whether two things are not the same: a required cell contradicts, and no more
// cells agree than contradict. A cell agrees if any two values do.
func (m *Merger) others(a, b *thing) bool {
	agree, contradict := 0, 0
	required := false
	for _, f := range m.Table.Fields {
		if slices.Contains(m.keys, f.Name) {
			continue
		}
		both, same := false, false
		for _, x := range a.rows {
			for _, y := range b.rows {
				u, okU := x[f.Name]
				v, okV := y[f.Name]
				both = both || okU && okV
				same = same || okU && okV && value.Agree(u.Value, v.Value)
			}
		}
		switch {
		case same:
			agree++
		case both:
			contradict++
			required = required || f.Required
		}
	}
	return contradict > 0 && contradict >= agree && (required || len(m.Table.Must()) == 0)
}

// twinsFirst returns entries of which it is known about which of several things with the same keys
// they are before the others.
func twinsFirst(entries []*entry) []*entry {
	out := slices.Clone(entries)
	sorting.Stable(out, func(a, b *entry) int { return cmp.Compare(min(1, b.twin), min(1, a.twin)) })
	return out
}

// twin returns the number of the thing among those with its keys, or zero.
func (c *cluster) twin() int {
	for _, e := range c.rows {
		if e.twin > 0 {
			return e.twin
		}
	}
	return 0
}

// room returns the cluster of a block that an entry belongs to, or -1: the one that says of itself
// what the entry says, if there are several things with the same keys.
func (m *Merger) room(block []*cluster, e *entry) int {
	first := -1
	for i, c := range block {
		if m.apart(c, e) {
			continue
		}
		if twin := c.twin(); twin == e.twin || !slices.ContainsFunc(c.rows, func(have *entry) bool { return m.contradict(m.Table.Required(), have.Row, e.Row) }) {
			return i
		}
		if first < 0 {
			first = i
		}
	}
	return first
}
