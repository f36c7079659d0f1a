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
// such as several packs of one product, the keys do not tell the rows apart. Then the first
// text that every row has, and that no two rows of a page share, is a key too.
func distinctKeys(t *outline.Table, all []Sighting) []string {
	if t.Record() || t.Subject || len(t.Keys) == 0 {
		return t.Keys
	}
	pages := map[string][]finding.Row{} // by page and method
	for _, s := range all {
		at := strconv.Itoa(s.Page) + " " + s.Method
		pages[at] = append(pages[at], s.Row)
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
