// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"slices"
	"strconv"
	"strings"

	"example.com/curlew/agent/internal/filter"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/internal/linkrank"
	"example.com/curlew/agent/internal/merge"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
)

// Shares of a decide prompt, in bytes: about 3,000 tokens in all.
const (
	shareGaps  = 1000
	sharePages = 3150
	shareLinks = 3150
)

// briefing is what the planner is told before a decision: tables, pages and links.
type briefing struct {
	tables  *tables
	f       *linkrank.Frontier
	isolate bool // no text of a page is told
}

// write adds it to a prompt.
func (b *briefing) write(to *protocol.Prompt) {
	merged := b.tables.tally()
	tables, gaps := b.state(merged)
	protocol.List(to, "tables", tables)
	if !b.isolate {
		protocol.List(to, "known", b.tables.show(b.tables.known(merged, false)))
	}
	protocol.List(to, "gaps", head(gaps, shareGaps))
	protocol.List(to, "pages", tail(b.pages(), sharePages))
	groups := tail(b.groups(), shareLinks/2)
	protocol.List(to, "links", head(b.links(b.f.Rank()), shareLinks-size(groups)))
	protocol.List(to, "groups", groups)
}

// links returns the links of a ranking as prompts have them, the best 40.
func (b *briefing) links(ranked []linkrank.Scored) []protocol.PromptLink {
	var out []protocol.PromptLink
	for _, s := range ranked[:min(len(ranked), linkrank.MaxShown)] {
		p := protocol.PromptLink{Handle: s.Link.Handle()}
		if !b.isolate {
			p.Text = value.ClipRunes(s.Link.Text, lines.MaxAnchor)
			p.Shape = value.ClipRunes(s.Link.Shape, lines.MaxAnchor)
		}
		if s.Link.Page > 0 {
			p.Found = merge.SourceID(s.Link.Page)
		}
		out = append(out, p)
	}
	return out
}

// groups returns the groups that still have something to read, the latest 20.
func (b *briefing) groups() []protocol.PromptGroup {
	var out []protocol.PromptGroup
	for _, g := range slices.Backward(b.f.Groups) {
		unread := 0
		var samples []string
		for _, link := range g.Links {
			if !link.Read {
				unread++
			}
			if len(samples) < 2 && link.Text != "" {
				samples = append(samples, value.ClipRunes(link.Text, lines.MaxAnchor))
			}
		}
		if unread == 0 || len(out) == linkrank.MaxGroups {
			continue
		}
		p := protocol.PromptGroup{Handle: g.Handle(), Count: len(g.Links), Unread: unread}
		if !b.isolate {
			p.Shape, p.Samples = value.ClipRunes(g.Shape, lines.MaxAnchor), samples
		}
		if g.Page > 0 {
			p.Found = merge.SourceID(g.Page)
		}
		out = append(out, p)
	}
	slices.Reverse(out)
	return out
}

// pages returns the last 40 pages as prompts have them.
func (b *briefing) pages() []protocol.PromptPage {
	var out []protocol.PromptPage
	b.tables.library.latest(linkrank.MaxShown, func(p *grounding.Page) {
		line := protocol.PromptPage{ID: p.Rec.ID, Kind: p.Kind, Rows: p.Rows, Trouble: p.Rec.Trouble}
		for _, n := range p.Total {
			line.Total = max(line.Total, n)
		}
		if link := b.f.ByURL[p.Rec.URL]; link != nil {
			line.Handle = link.Handle()
		}
		if !b.isolate {
			line.Title = value.ClipRunes(p.Rec.Title, lines.MaxAnchor)
		}
		out = append(out, line)
	})
	return out
}

// state returns the tables and how full they are, and what is missing.
func (b *briefing) state(merged map[string][]merge.Merged) (tables []protocol.PromptTable, gaps []string) {
	for _, t := range b.tables.outline.Tables {
		if t.Drawn {
			continue
		}
		p := t.Prompt()
		for i := range p.Fields {
			p.Fields[i].Description = value.Clip(p.Fields[i].Description, 80)
		}
		rows := merged[t.ID]
		p.Rows, p.Filled = len(rows), map[string]int{}
		for _, m := range rows {
			for name := range m.Row {
				p.Filled[name]++
			}
		}
		tables = append(tables, p)
		gaps = append(gaps, b.gaps(t, rows)...)
	}
	return tables, gaps[:min(len(gaps), 20)]
}

// gaps says what a table lacks. Rows that do not belong to the answer lack nothing.
func (b *briefing) gaps(t *outline.Table, rows []merge.Merged) (gaps []string) {
	if t.Expect > len(rows) && !t.Record() {
		gaps = append(gaps, t.ID+" expects "+strconv.Itoa(t.Expect)+" rows, has "+strconv.Itoa(len(rows)))
	}
	if len(rows) == 0 {
		gaps = append(gaps, t.ID+" is empty")
	}
	open, lacking := 0, map[string]int{}
	for _, m := range rows {
		if m.State == filter.Open {
			open++
		}
		for _, f := range t.Required() {
			if _, ok := m.Row[f.Name]; !ok && m.State != filter.Unmet {
				lacking[f.Name]++
			}
		}
	}
	if open > 0 {
		gaps = append(gaps, t.ID+" is undecided in "+strconv.Itoa(open)+" rows, for want of "+strings.Join(b.tables.filters[t.ID].Fields(), " or "))
	}
	for _, f := range t.Required() {
		if n := lacking[f.Name]; n > 0 {
			gaps = append(gaps, t.ID+"."+f.Name+" is empty in "+strconv.Itoa(n)+" rows")
		}
	}
	return gaps
}

// size returns how many bytes items take in a prompt.
func size[T any](items []T) int {
	n := 0
	for _, v := range items {
		n += len(value.JSONText(v)) + 3
	}
	return n
}

// head returns the first items that take at most so many bytes.
func head[T any](items []T, most int) []T {
	for i, v := range items {
		if most -= len(value.JSONText(v)) + 3; most < 0 {
			return items[:i]
		}
	}
	return items
}

// tail is head for the last items.
func tail[T any](items []T, most int) []T {
	for i, v := range slices.Backward(items) {
		if most -= len(value.JSONText(v)) + 3; most < 0 {
			return items[i+1:]
		}
	}
	return items
}
