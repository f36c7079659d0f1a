// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"slices"
	"strconv"
	"strings"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/internal/schema"
)

// Limits for replacing the keys of a table.
const (
	leastListed  = 5 // rows of a page, so that it shows whether keys tell rows apart
	shareOfTwins = 5 // one of so many rows must have the key of another one
)

// distinctKeys returns the keys of a table. If pages list different things with the same key,
// such as several packs of one product, the keys do not tell the rows apart. The same is true
// if pages of one host that state one row each, as the pages of things do, have the same key.
// Then the first text that every row has, and that no two rows of a page, or no two of these
// pages, share, is a key too.
func (m *Merger) distinctKeys(all []Sighting) []string {
	t := m.Table
	if t.Record() || t.Subject || len(t.Keys) == 0 {
		return t.Keys
	}
	pages := map[string][]finding.Row{} // by page and method
	for _, s := range all {
		at := strconv.Itoa(s.Page) + " " + s.Method
		pages[at] = append(pages[at], s.Row)
	}
	for host, rows := range m.single(all) {
		if distinct(rows, t.Keys) < len(rows) {
			pages["host "+host] = rows
		}
	}
	listed, twins := 0, 0
	for _, rows := range pages {
		if len(rows) >= leastListed {
			listed += len(rows)
			twins += len(rows) - distinct(rows, t.Keys)
		}
	}
	if twins == 0 || twins*shareOfTwins < listed {
		return t.Keys
	}
	for _, f := range t.Must() {
		if f.Node.Type != schema.String || f.Node.Enum != nil || slices.Contains(t.Keys, f.Name) || outline.KindOf(f.Node) == "date" {
			continue
		}
		unique := true
		for _, rows := range pages {
			unique = unique && distinct(rows, []string{f.Name}) == len(rows)
		}
		if unique {
			return append(slices.Clone(t.Keys), f.Name)
		}
	}
	return t.Keys
}

// single returns the rows of the pages that state only one, by host.
func (m *Merger) single(all []Sighting) map[string][]finding.Row {
	best := map[int]finding.Row{} // by page: the row with the most cells
	several := map[int]bool{}
	for _, s := range all {
		several[s.Page] = several[s.Page] || s.At > 0
		if len(s.Row) > len(best[s.Page]) {
			best[s.Page] = s.Row
		}
	}
	out := map[string][]finding.Row{}
	for page, row := range best {
		if host := m.Hosts[SourceID(page)]; !several[page] && host != "" {
			out[host] = append(out[host], row)
		}
	}
	return out
}

// distinct returns how many different values rows have in some fields. A row that lacks one of
// them counts by itself.
func distinct(rows []finding.Row, fields []string) int {
	seen, n := map[string]bool{}, 0
	for _, row := range rows {
		var parts []string
		for _, name := range fields {
			if c, ok := row[name]; ok {
				parts = append(parts, value.Canon(c.Value))
			}
		}
		if at := strings.Join(parts, "\x00"); len(parts) < len(fields) || !seen[at] {
			seen[at] = true
			n++
		}
	}
	return n
}
