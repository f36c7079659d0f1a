// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"regexp"
	"slices"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/merge"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
)

// Bounds of the links of a row.
const (
	maxRowLines = 12 // lines of a row that are looked at
	maxRowLinks = 4
)

// sighted names a sighting: its table and its number there.
type sighted struct {
	table string
	n     int
}

// handlePattern matches a link in a numbered line.
var handlePattern = regexp.MustCompile(`\]\((L[0-9]+)\)`)

// place is the first and the last line of a row.
type place struct{ row, from, to int }

// rowLinks returns for each row of a page the canonical URLs that its lines link,
// up to the first line of the next row. A page with one row is the row's own.
func rowLinks(p *grounding.Page, rows []finding.Row) [][]string {
	out := make([][]string, len(rows))
	if len(rows) < 2 {
		return out
	}
	var places []place
	full := false
	for i, row := range rows {
		at := place{row: i}
		for _, c := range row {
			if c.Lines[0] == 0 || c.Source != p.Rec.ID {
				continue
			}
			full = full || c.Full
			if at.from == 0 || c.Lines[0] < at.from {
				at.from = c.Lines[0]
			}
			at.to = max(at.to, c.Lines[1])
		}
		if at.from > 0 {
			places = append(places, at)
		}
	}
	lines := p.Main.Lines
	if full && p.Full != nil {
		lines = p.Full.Lines
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.from, b.from) })
	for k, at := range places {
		end := at.from + maxRowLines
		if k+1 < len(places) {
			end = max(places[k+1].from-1, at.from)
		}
		out[at.row] = linksIn(p, lines, at.from, min(end, at.from+maxRowLines, len(lines)))
	}
	return out
}

// linksIn returns the canonical URLs of the links in lines a to b.
func linksIn(p *grounding.Page, lines []string, a, b int) []string {
	var all []string
	for _, line := range lines[min(a-1, len(lines)):b] {
		for _, m := range handlePattern.FindAllStringSubmatch(line, -1) {
			n, ok := value.HandleNumber(m[1], 'L')
			if !ok || n > len(p.Rec.Links) || len(all) == maxRowLinks {
				continue
			}
			if u := p.Rec.Links[n-1].URL; !slices.Contains(all, u) {
				all = append(all, u)
			}
		}
	}
	return all
}

// resolved returns the sightings of a table with the pages that their lines link,
// as far as these gave one row. s.mu is held.
func (s *tables) resolved(t *outline.Table) []merge.Sighting {
	all := s.seen[t.ID]
	if len(s.links) == 0 || t.Record() {
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
		for _, u := range s.links[sighted{t.ID, i}] {
			if p := s.library.at(u); p != nil && rows[p.N] == 1 {
				out[i].Links = append(out[i].Links, p.N)
			}
		}
	}
	return out
}
