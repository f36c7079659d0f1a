// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/budget"
	"example.com/curlew/agent/internal/filter"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/internal/linkrank"
	"example.com/curlew/agent/internal/merge"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

// maxWeak is the number of unusable decisions after which the policy replaces the
// planner.
const maxWeak = 2

// decide asks the model what to do next.
func (l *loop) decide(ctx, work context.Context) ([]journal.Action, error) {
	r := l.r
	l.step++
	var b protocol.Prompt
	b.Task(r.job.task.Prompt, r.job.earlier())
	l.briefing.write(&b)
	protocol.List(&b, "last", l.last)
	b.Words("can", l.finder.can())
	b.Value("budget", r.budget.Tenths())
	b.Value("step", l.step)
	l.last = nil
	reply, err := r.payer.ask(work, ask{role: llm.RoleDecide, user: b.String(), schema: protocol.DecideSchema, output: protocol.MaxDecideOutput})
	said, ok := protocol.ReadDecide(reply.JSON)
	if err == nil && !ok {
		err = errModel
	}
	l.fault = err
	if errors.Is(err, errModel) {
		l.last = append(l.last, "the last reply could not be used: answer with one JSON object as described")
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	actions := said.Actions[:min(len(said.Actions), protocol.MaxActions)]
	for i := range actions {
		actions[i] = tidy(actions[i])
	}
	return actions, r.emit(ctx, journal.Event{Kind: journal.EventDecided, Key: "step " + strconv.Itoa(l.step), Decided: &journal.DecidedRecord{
		Step: l.step, Note: value.ClipRunes(said.Note, protocol.MaxNote), Actions: actions, Names: l.f.Names(actions),
	}})
}

// tidy limits the members of an action.
func tidy(a journal.Action) journal.Action {
	a.Q = value.ClipRunes(strings.Join(strings.FieldsFunc(a.Q, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }), " "), protocol.MaxQuery)
	a.Why = value.ClipRunes(a.Why, protocol.MaxWhy)
	a.H = a.H[:min(len(a.H), protocol.MaxHandles)]
	most := protocol.MaxMapped
	if a.Do == journal.DoSearch {
		most = protocol.MaxHits
	}
	a.N = min(max(a.N, 0), most)
	return a
}

// act performs a batch of actions: first all searches and maps together, then all
// reading in the order of the actions, and then the listings.
func (l *loop) act(ctx, work context.Context, actions []journal.Action) {
	r := l.r
	records := make([]journal.ActedRecord, len(actions))
	for i, a := range actions {
		records[i] = journal.ActedRecord{Step: l.step, Index: i, Do: a.Do, Verdict: l.judge(a)}
	}
	l.discover(work, actions, records)
	l.readBatch(work, actions, records)
	for i, a := range actions {
		if records[i].Verdict != "" {
			continue
		}
		switch a.Do {
		case journal.DoCollect:
			l.collect(work, a, &records[i])
		case journal.DoFind:
			l.find(a, &records[i])
		case journal.DoFinish:
			l.finish(&records[i])
		}
	}
	if l.step > 0 && idle(records) && !l.finished {
		l.weaken(1)
	}
	for i, rec := range records {
		if ctx.Err() != nil {
			return
		}
		l.last = append(l.last, rec)
		_ = r.emit(ctx, journal.Event{Kind: journal.EventActed, Key: "step " + strconv.Itoa(l.step) + " " + strconv.Itoa(i), Acted: &rec}) // if it failed, fail has ended the run
	}
}

// judge returns why an action is not performed, or "" if it is.
func (l *loop) judge(a journal.Action) journal.Verdict {
	handles := func(groups bool) bool {
		for _, h := range a.H {
			if l.f.Link(h) == nil && (!groups || l.f.Group(h) == nil) {
				return false
			}
		}
		return len(a.H) > 0
	}
	var known bool
	switch a.Do {
	case journal.DoSearch:
		if !l.finder.searches() {
			return journal.VerdictOff
		}
		known = a.Q != ""
	case journal.DoMap:
		if !l.finder.maps() {
			return journal.VerdictOff
		}
		known = handles(false)
	case journal.DoRead:
		known = slices.ContainsFunc(a.H, func(h string) bool { return l.f.Link(h) != nil || l.f.Group(h) != nil })
	case journal.DoCollect:
		known = handles(true)
	case journal.DoFind:
		known = a.Q != ""
	case journal.DoFinish:
		return ""
	default:
		known = false
	}
	if !known || a.T != "" && !slices.ContainsFunc(l.r.tables.outline.Tables, func(t *outline.Table) bool { return t.ID == a.T }) {
		l.last = append(l.last, "an action named "+strconv.Quote(value.ClipRunes(a.Do, 20))+" or one of its handles is not known and was dropped")
		return journal.VerdictUnknown
	}
	if l.policy.acted(a) {
		return journal.VerdictSeen
	}
	l.policy.done[actionID(a)] = true
	return ""
}

// discover performs all searches and maps of a batch together, and adds the results to
// the frontier in the order of the actions.
func (l *loop) discover(ctx context.Context, actions []journal.Action, records []journal.ActedRecord) {
	found := make([][]journal.LinkRecord, len(actions))
	faults := make([]error, len(actions))
	var wg sync.WaitGroup
	for i, a := range actions {
		if records[i].Verdict != "" {
			continue
		}
		switch a.Do {
		case journal.DoSearch:
			wg.Go(func() { found[i], faults[i] = l.finder.searchFor(ctx, a) })
		case journal.DoMap:
			site := l.f.Link(a.H[0])
			wg.Go(func() { found[i], faults[i] = l.finder.mapOf(ctx, site.URL, a) })
		}
	}
	wg.Wait()
	for i, a := range actions {
		if records[i].Verdict != "" || a.Do != journal.DoSearch && a.Do != journal.DoMap {
			continue
		}
		records[i].Verdict = journal.VerdictOK
		switch err := faults[i]; {
		case errors.Is(err, budget.ErrBroke):
			records[i].Verdict = journal.VerdictUnaffordable
			l.r.halt(finding.ReasonCredits)
		case err != nil:
			records[i].Verdict = journal.VerdictFailed
		}
		if a.Do == journal.DoMap {
			records[i].Handles = l.f.Gather(0, 1, found[i], false, l.r.gate.scope.Allows)
		} else {
			for _, hit := range found[i] {
				if !l.r.gate.scope.Allows(hit.URL) {
					continue
				}
				if link, fresh := l.f.Add(hit.URL, hit.Text, 0, 0, false); link != nil && fresh {
					records[i].Handles++
				}
			}
		}
		l.pulse.fresh += records[i].Handles
	}
}

// readBatch reads the pages that all read actions name.
func (l *loop) readBatch(ctx context.Context, actions []journal.Action, records []journal.ActedRecord) {
	type part struct{ action, from, to int }
	var parts []part
	line := l.r.newLine()
	for i, a := range actions {
		if a.Do != journal.DoRead || records[i].Verdict != "" {
			continue
		}
		from := len(line.out)
		for _, link := range l.linksOf(a.H) {
			if !line.send(ctx, target{url: link.URL, tables: l.r.tables.outline.For(a.T), glance: l.step == 0}) {
				break
			}
		}
		parts = append(parts, part{i, from, len(line.out)})
	}
	out := line.wait(ctx)
	for _, p := range parts {
		l.fold(out[p.from:p.to], &records[p.action])
		if p.from == p.to && records[p.action].Verdict == "" {
			records[p.action].Verdict = journal.VerdictUnaffordable
		}
	}
}

// linksOf returns the links of handles, at most 32. The handle of a group stands for
// all of its links.
func (l *loop) linksOf(handles []string) []*linkrank.Link {
	var out []*linkrank.Link
	for _, h := range handles {
		if link := l.f.Link(h); link != nil {
			out = append(out, link)
		} else if g := l.f.Group(h); g != nil {
			out = append(out, g.Links...)
		}
	}
	return out[:min(len(out), protocol.MaxHandles)]
}

// fold adds the links of pages to the frontier, in the order of the pages.
func (l *loop) fold(out []*outcome, rec *journal.ActedRecord) {
	if rec.Verdict == "" {
		rec.Verdict = journal.VerdictOK
	}
	for _, o := range out {
		if o.page == nil {
			continue
		}
		rec.Pages++
		rec.Rows += o.rows
		l.f.Result(o.target.url, o.page.Rows)
		fresh := l.foldPage(o.page)
		rec.Handles += fresh
		if o.rows == 0 && o.page.Rec.Trouble == "" && !l.leadsOn(o.page, fresh) {
			l.pulse.barren++
		}
	}
	l.pulse.fresh += rec.Handles
	if rec.Pages == 0 {
		rec.Verdict = journal.VerdictFailed
	}
}

// leadsOn reports whether a page has new links whose shapes differ from its own. The
// pages of a calendar, for example, only lead to each other.
func (l *loop) leadsOn(p *grounding.Page, fresh int) bool {
	link := l.f.ByURL[p.Rec.URL]
	if fresh == 0 || link == nil {
		return false
	}
	for _, rec := range p.Rec.Links {
		other := l.f.ByURL[rec.URL]
		if other != nil && other.Page == p.N && other.Shape != link.Shape {
			l.policy.led[link.Shape] = true
			return true
		}
	}
	return false
}

// foldPage adds the links of one page to the frontier.
func (l *loop) foldPage(p *grounding.Page) int {
	if l.folded[p.N] || p.Rec.Trouble != "" {
		return 0
	}
	l.folded[p.N] = true
	depth := 1
	if link := l.f.ByURL[p.Rec.URL]; link != nil {
		depth = link.Depth + 1
		link.Name(value.ClipRunes(p.Rec.Title, lines.MaxAnchor), p.Rec.Rendered)
	}
	l.f.Learn(p.Rec.Slugs)
	return l.f.Gather(p.N, depth, p.Rec.Links, p.Rec.Rendered, l.r.gate.scope.Allows)
}

// find searches the pages that were read for a text. It costs nothing. It leaves out pages
// whose text is withheld from the planner, which could otherwise guess it word by word.
func (l *loop) find(a journal.Action, rec *journal.ActedRecord) {
	rec.Verdict = journal.VerdictOK
	want := value.Normal(a.Q)
	var at []string
	withheld := 0
	for _, p := range l.r.library.read() {
		if p.Rec.Rendered || l.r.isolated() {
			withheld++
			continue
		}
		for n := 1; n <= len(p.Main.Lines) && len(at) < 10; n++ {
			if value.Holds(p.Main.Line(n), want) > 0 {
				at = append(at, p.Rec.ID+" line "+strconv.Itoa(n))
			}
		}
	}
	rec.Rows = len(at)
	said := "find: " + strconv.Itoa(len(at)) + " lines: " + strings.Join(at, ", ")
	if withheld > 0 {
		said += "; " + strconv.Itoa(withheld) + " pages were left out, because their text is withheld from you"
	}
	l.last = append(l.last, said)
}

// finish ends the search. It is refused if the tables may not be complete and there is
// something plausible left to read. A planner that finishes at once, or again, is
// replaced.
func (l *loop) finish(rec *journal.ActedRecord) {
	if !l.r.stopping() && l.weak < maxWeak && !l.r.tables.allWhole(l.r.tables.tally()) && len(l.policy.next()) > 0 {
		by := 1
		if l.refused || l.step == 1 {
			by = maxWeak
		}
		l.refused = true
		rec.Verdict = journal.VerdictRefused
		l.last = append(l.last, "finish was refused: there are links that were not tried")
		l.weaken(by)
		return
	}
	rec.Verdict = journal.VerdictOK
	l.finished = true
}

// weaken counts decisions that a planner should not have made. After a few of them, the
// policy decides for the rest of the run.
func (l *loop) weaken(by int) {
	if l.weak < maxWeak && l.weak+by >= maxWeak {
		l.last, l.pulse.quiet = nil, 0
	}
	l.weak += by
}

// idle reports whether a decision contains no action that can be performed.
func idle(records []journal.ActedRecord) bool {
	return !slices.ContainsFunc(records, func(r journal.ActedRecord) bool {
		return cmp.Or(r.Verdict, journal.VerdictOK) == journal.VerdictOK || r.Verdict == journal.VerdictFailed || r.Verdict == journal.VerdictUnaffordable
	})
}

// Shares of a decide prompt in bytes. Together they are about 3,000 tokens.
const (
	shareGaps  = 1000
	sharePages = 3150
	shareLinks = 3150
)

// briefing is what the planner sees before a decision: tables, pages and links. Of
// rendered pages it contains handles and counts, but no text, because their scripts may
// show data of a session. Links that only such pages have are listed without their text
// and shape, in the order in which code ranks them by both.
type briefing struct {
	tables  *tables
	f       *linkrank.Frontier
	isolate bool // no text of a page is included
}

// write adds it to a prompt.
func (b *briefing) write(to *protocol.Prompt) {
	merged := b.tables.tally()
	tables, gaps := b.state(merged)
	protocol.List(to, "tables", tables)
	if !b.isolate {
		protocol.List(to, "known", b.tables.hops.show(b.tables.hops.known(b.tables.outline, merged, false)))
	}
	protocol.List(to, "gaps", head(gaps, shareGaps))
	protocol.List(to, "pages", tail(b.pages(), sharePages))
	groups := tail(b.groups(), shareLinks/2)
	protocol.List(to, "links", head(b.links(b.f.Rank()), shareLinks-size(groups)))
	protocol.List(to, "groups", groups)
}

// links returns the best 40 links of a ranking, in the form for prompts.
func (b *briefing) links(ranked []linkrank.Scored) []protocol.PromptLink {
	var out []protocol.PromptLink
	for _, s := range ranked[:min(len(ranked), linkrank.MaxShown)] {
		p := protocol.PromptLink{Handle: s.Link.Handle()}
		if !b.isolate {
			p.Text = value.ClipRunes(s.Link.Told, lines.MaxAnchor)
		}
		if !b.isolate && s.Link.Open {
			p.Shape = value.ClipRunes(s.Link.Shape, lines.MaxAnchor)
		}
		if s.Link.Page > 0 {
			p.Found = merge.SourceID(s.Link.Page)
		}
		out = append(out, p)
	}
	return out
}

// groups returns the latest 20 groups that still contain unread links.
func (b *briefing) groups() []protocol.PromptGroup {
	var out []protocol.PromptGroup
	for _, g := range slices.Backward(b.f.Groups) {
		unread := 0
		var samples []string
		for _, link := range g.Links {
			if !link.Read {
				unread++
			}
			if len(samples) < 2 && link.Told != "" {
				samples = append(samples, value.ClipRunes(link.Told, lines.MaxAnchor))
			}
		}
		if unread == 0 || len(out) == linkrank.MaxGroups {
			continue
		}
		p := protocol.PromptGroup{Handle: g.Handle(), Count: len(g.Links), Unread: unread}
		if !b.isolate {
			p.Samples = samples
		}
		if !b.isolate && g.Links[0].Open { // its shape is that of the group
			p.Shape = value.ClipRunes(g.Shape, lines.MaxAnchor)
		}
		if g.Page > 0 {
			p.Found = merge.SourceID(g.Page)
		}
		out = append(out, p)
	}
	slices.Reverse(out)
	return out
}

// pages returns the last 40 pages, in the form for prompts.
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
		if !b.isolate && !p.Rec.Rendered {
			line.Title = value.ClipRunes(p.Rec.Title, lines.MaxAnchor)
		}
		out = append(out, line)
	})
	return out
}

// state returns the tables, how many of their cells are filled, and what is missing.
func (b *briefing) state(merged map[string][]merge.Merged) (tables []protocol.PromptTable, gaps []string) {
	for _, t := range b.tables.outline.Tables {
		if t.Drawn || t.Subject {
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

// gaps describes what a table lacks. Rows that do not belong to the answer are ignored.
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
		for _, f := range t.Needed() {
			if _, ok := m.Row[f.Name]; !ok && m.State != filter.Unmet {
				lacking[f.Name]++
			}
		}
	}
	if open > 0 {
		gaps = append(gaps, t.ID+" is undecided in "+strconv.Itoa(open)+" rows, for want of "+strings.Join(b.tables.filters[t.ID].Fields(), " or "))
	}
	for _, f := range t.Needed() {
		if n := lacking[f.Name]; n > 0 {
			gaps = append(gaps, t.ID+"."+f.Name+" is empty in "+strconv.Itoa(n)+" rows")
		}
	}
	return gaps
}

// size returns the number of bytes that items need in a prompt.
func size[T any](items []T) int {
	n := 0
	for _, v := range items {
		n += len(value.JSONText(v)) + 3
	}
	return n
}

// head returns the first items that fit into so many bytes.
func head[T any](items []T, most int) []T {
	for i, v := range items {
		if most -= len(value.JSONText(v)) + 3; most < 0 {
			return items[:i]
		}
	}
	return items
}

// tail returns the last items that fit into so many bytes.
func tail[T any](items []T, most int) []T {
	for i, v := range slices.Backward(items) {
		if most -= len(value.JSONText(v)) + 3; most < 0 {
			return items[i+1:]
		}
	}
	return items
}
