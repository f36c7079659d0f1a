// SPDX-License-Identifier: Apache-2.0

package grounding

import (
	"cmp"
	"regexp"
	"slices"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/internal/sorting"
)

// Limits for the links of a row.
const (
	maxRowLines = 12 // lines of a row that are searched
	maxRowLinks = 4
)

// handlePattern matches the handle of a link in a numbered line.
var handlePattern = regexp.MustCompile(`\]\((L[0-9]+)\)`)

// place contains the first and the last line of a row.
type place struct{ row, from, to int }

// RowLinks returns, for each row of a page, the canonical URLs of the links in its
// lines, which end before the next row. If the page has a single row, all lines belong
// to it.
func RowLinks(p *Page, rows []finding.Row) [][]string {
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
	sorting.Stable(places, func(a, b place) int { return cmp.Compare(a.from, b.from) })
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
func linksIn(p *Page, lines []string, a, b int) []string {
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
