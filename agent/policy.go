// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"slices"
	"strings"

	"example.com/curlew/agent/internal/filter"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/linkrank"
	"example.com/curlew/agent/internal/merge"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
)

// Bounds of the policy.
const (
	maxProbe   = 4 // links of a group that are read before it is known to give rows
	maxSingles = 8 // links that are read at once because of their words
	maxWeak    = 2 // unusable decisions before the policy replaces the planner
)

// want is what the tables lack, for the policy.
type want struct {
	rows    bool            // there are none at all
	cells   bool            // a required cell, or one that a condition depends on, is empty
	columns bool            // a field has no value in any row
	keys    map[string]bool // texts by which rows are known, in the form that keys are compared in
}

// wants says what the tables lack.
func (l *loop) wants(tables map[string][]merge.Merged) want {
	w := want{rows: true, keys: map[string]bool{}}
	for _, t := range l.r.tables.outline.Tables {
		if t.Drawn {
			continue
		}
		filled := map[string]bool{}
		for _, m := range tables[t.ID] {
			w.rows = false
			w.cells = w.cells || m.State == filter.Open
			for name, c := range m.Row {
				filled[name] = true
				if text, ok := c.Value.(string); ok && len(w.keys) < outline.MaxRows {
					w.keys[value.Canon(text)] = true
				}
			}
			w.cells = w.cells || m.State == filter.Met && slices.ContainsFunc(t.Required(), func(f *outline.Field) bool { _, ok := m.Row[f.Name]; return !ok })
		}
		w.columns = w.columns || len(tables[t.ID]) == 0 || slices.ContainsFunc(t.Fields, func(f *outline.Field) bool { return !f.Free && !filled[f.Name] })
	}
	return w
}

// policy returns what code reads next without a planner: what leads to a value that a
// further question is about, start pages, further pages of a listing, groups of
// links that gave rows or are likely to, and single links by their words. It returns
// nil if nothing plausible is left.
func (l *loop) policy() []journal.Action {
	tables := l.r.tables.tally()
	w := l.wants(tables)
	for _, next := range []func() []journal.Action{
		func() []journal.Action { return l.toward(tables) },
		l.seeds,
		l.called,
		func() []journal.Action { return l.further(w) },
		func() []journal.Action { return l.likeliest(w) },
		func() []journal.Action { return l.singles(w) },
	} {
		actions := slices.DeleteFunc(next(), l.acted)
		if len(actions) > 0 {
			return actions
		}
	}
	return nil
}

// acted reports whether an action was done before.
func (l *loop) acted(a journal.Action) bool {
	a.Why = ""
	return l.done[journal.CallID("action", value.JSONText(a))]
}

// toward returns what leads to the things that further questions are about: links
// with their names, else a search. Isolated values are in no query.
func (l *loop) toward(tables map[string][]merge.Merged) []journal.Action {
	var actions []journal.Action
	for _, known := range l.asked(tables) {
		for _, v := range known.Values {
			name := value.Canon(v)
			if name == "" || l.held(name) {
				continue
			}
			var read []string
			for _, link := range l.f.Links {
				if !link.Read && len(read) < 3 && value.Holds(value.Canon(link.Text), name) > 0 {
					read = append(read, link.Handle())
				}
			}
			if len(read) > 0 {
				actions = append(actions, journal.Action{Do: journal.DoRead, H: read})
			} else if l.r.e.Search != nil && l.r.gate.scope.Strict == nil && !l.r.isolated() {
				actions = append(actions, journal.Action{Do: journal.DoSearch, Q: value.ClipRunes(v+" "+known.Question, protocol.MaxQuery), N: 5})
			}
			if len(actions) == protocol.MaxActions {
				return actions
			}
		}
	}
	return actions
}

// held reports whether a page about a thing was read.
func (l *loop) held(name string) bool {
	return slices.ContainsFunc(l.r.library.read(), func(p *grounding.Page) bool { return isSubject(p, name) })
}

// seeds returns the pages that were given and not read.
func (l *loop) seeds() []journal.Action {
	var read []string
	for _, link := range l.f.Links {
		if link.Seed && !link.Read && len(read) < protocol.MaxHandles && !l.brought(link.URL) {
			read = append(read, link.Handle())
		}
	}
	if len(read) == 0 {
		return nil
	}
	return []journal.Action{{Do: journal.DoRead, H: read}}
}

// called returns the links whose text the question has, such as the name of a thing.
func (l *loop) called() []journal.Action {
	question := value.Canon(l.r.task.Prompt)
	var read []string
	for _, link := range l.f.Links {
		text := value.Canon(link.Text)
		if link.Read || strings.Count(text, " ") == 0 || len(read) == maxSingles || l.brought(link.URL) {
			continue
		}
		if value.Holds(question, text) > 0 {
			read = append(read, link.Handle())
		}
	}
	if len(read) == 0 {
		return nil
	}
	return []journal.Action{{Do: journal.DoRead, H: read}}
}

// brought reports whether a page was fetched, or tried to.
func (l *loop) brought(url string) bool {
	l.r.library.mu.Lock()
	defer l.r.library.mu.Unlock()
	return l.r.library.byURL[url] > 0
}

// further returns the listings that go on.
func (l *loop) further(w want) []journal.Action {
	var actions []journal.Action
	for _, p := range l.r.library.read() {
		link := l.f.ByURL[p.Rec.URL]
		next := p.Rec.Next
		if link == nil || next == "" || l.walked[p.N] || l.brought(next) || !l.r.gate.scope.Allows(next) || p.Rows == 0 && l.best(w, p.N) == nil {
			continue
		}
		a := journal.Action{Do: journal.DoCollect, H: []string{link.Handle()}, Follow: "pages"}
		if g := l.best(w, p.N); g != nil && (w.cells || w.columns) {
			a.Follow, a.Like = "both", g.Links[0].Handle()
		}
		if len(actions) < protocol.MaxActions && !l.acted(a) {
			actions = append(actions, a)
		}
	}
	return actions
}

// likeliest returns the group that is the likeliest to give rows: all of it if its
// shape gave rows or led on before, else its first links.
func (l *loop) likeliest(w want) []journal.Action {
	g := l.best(w, 0)
	if g == nil {
		return nil
	}
	a := journal.Action{Do: journal.DoCollect, H: []string{g.Handle()}, Follow: "links"}
	if good, _ := l.f.Good(g.Shape); good == 0 && !l.led[g.Shape] && !l.names(w, g) {
		a.N = maxProbe
		if l.acted(a) {
			a.Do, a.Follow, a.N, a.H = journal.DoRead, "", 0, nil
			for _, link := range g.Links {
				if !link.Read && len(a.H) < maxProbe {
					a.H = append(a.H, link.Handle())
				}
			}
		}
	}
	return []journal.Action{a}
}

// best returns the group with unread links that is the likeliest to give what the
// tables lack, or nil if there is none; of one page, if its number is not zero.
func (l *loop) best(w want, page int) *linkrank.Group {
	var best *linkrank.Group
	most := 0.0
	for _, g := range l.f.Groups {
		unread := slices.ContainsFunc(g.Links, func(link *linkrank.Link) bool { return !link.Read })
		if !unread || page > 0 && g.Page != page {
			continue
		}
		if score := l.promise(w, g); score > most {
			best, most = g, score
		}
	}
	return best
}

// promise says how likely a group is to give what the tables lack; zero means that
// it is not worth a look.
func (l *loop) promise(w want, g *linkrank.Group) float64 {
	good, barren := l.f.Good(g.Shape)
	if barren >= 2 && good == 0 && !l.led[g.Shape] {
		return 0
	}
	if !w.rows && !w.cells && !w.columns && good == 0 {
		return 0 // what there is lacks nothing
	}
	score := 0.0
	if g.Shape != "" && strings.Contains(g.Shape, "{") {
		score++ // its links are of many things, and not a menu
	}
	if l.names(w, g) {
		if !w.cells && !w.columns {
			return 0 // the details of rows that lack nothing
		}
		score += 4
	}
	if good > 0 {
		score += 3
	}
	if l.led[g.Shape] {
		score += 2
	}
	score += min(2, l.f.Likeness(g))
	if g.Page > 0 {
		if p := l.r.library.all()[g.Page-1]; p != nil && (p.Rows > 0 || l.seeded(p)) {
			score++
		}
	}
	return score - 1
}

// seeded reports whether a page was given.
func (l *loop) seeded(p *grounding.Page) bool {
	link := l.f.ByURL[p.Rec.URL]
	return link != nil && link.Seed
}

// names reports whether the links of a group name rows: half of those with a text.
func (l *loop) names(w want, g *linkrank.Group) bool {
	n, texts := 0, 0
	for _, link := range g.Links[:min(len(g.Links), 20)] {
		if link.Text != "" {
			texts++
			if w.keys[value.Canon(link.Text)] {
				n++
			}
		}
	}
	return 2*n > texts && n > 0
}

// singles returns the links whose words are like those of the question.
func (l *loop) singles(w want) []journal.Action {
	if !w.rows && !w.cells && !w.columns {
		return nil
	}
	var read []string
	for _, s := range l.f.Rank() {
		if s.Score <= linkrank.Floor || len(read) == maxSingles {
			break
		}
		if !l.brought(s.Link.URL) {
			read = append(read, s.Link.Handle())
		}
	}
	if len(read) == 0 {
		return nil
	}
	return []journal.Action{{Do: journal.DoRead, H: read}}
}

// weaken counts a decision that a planner should not have made; after a few the
// policy decides for the rest of the run.
func (l *loop) weaken(by int) {
	if l.weak < maxWeak && l.weak+by >= maxWeak {
		l.last, l.quiet = nil, 0
	}
	l.weak += by
}

// idle reports whether a decision has nothing that can be done.
func idle(records []journal.ActedRecord) bool {
	return !slices.ContainsFunc(records, func(r journal.ActedRecord) bool {
		return cmp.Or(r.Verdict, journal.VerdictOK) == journal.VerdictOK || r.Verdict == journal.VerdictFailed || r.Verdict == journal.VerdictUnaffordable
	})
}
