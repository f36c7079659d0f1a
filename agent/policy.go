// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/filter"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/linkrank"
	"example.com/curlew/agent/internal/merge"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
)

// Limits of the policy.
const (
	maxProbe   = 4 // links of a group that are read before it is known whether the group leads to rows
	maxSingles = 8 // links that are read together because of their words, or because there are no better ones
)

// want describes what the tables lack.
type want struct {
	rows    bool            // there are no rows at all
	cells   bool            // a required cell, or one on which a condition depends, is empty
	columns bool            // a field has no value in any row
	keys    map[string]bool // texts that identify known rows, in the form in which keys are compared
	read    map[string]bool // such a text and the shape of the page of its row, if that page was read: it gave no other row
}

// known reports whether an unread link leads to a row that is known, because its text is one
// of that row. Each thing has one page. So if the page of the row was read and has the shape
// of the link, the link leads to another thing with the same text, such as its title.
func (w want) known(link *linkrank.Link) bool {
	text := value.Canon(link.Text)
	return w.keys[text] && (link.Read || !w.read[text+"\x00"+link.Shape])
}

// wanting returns what the tables lack.
func (p *policy) wanting(tables map[string][]merge.Merged) want {
	w := want{rows: true, keys: map[string]bool{}, read: map[string]bool{}}
	for _, t := range p.tables.outline.Tables {
		if t.Drawn || t.Subject {
			continue
		}
		filled := map[string]bool{}
		for _, m := range tables[t.ID] {
			w.rows = false
			w.cells = w.cells || m.State == filter.Open
			for name, c := range m.Row {
				filled[name] = true
				if text, ok := c.Value.(string); ok && len(w.keys) < outline.MaxRows {
					text = value.Canon(text)
					w.keys[text] = true
					for _, shape := range p.shapesOf(c) {
						w.read[text+"\x00"+shape] = true
					}
				}
			}
			w.cells = w.cells || m.State == filter.Met && outline.Lacks(t.Needed(), m.Row)
		}
		w.columns = w.columns || len(tables[t.ID]) == 0 || slices.ContainsFunc(t.Fields, func(f *outline.Field) bool { return !f.Free && !filled[f.Name] })
		if !w.columns {
			w.columns = unfollowed(p.library, t, tables[t.ID]).rows > 0
		}
	}
	return w
}

// shapesOf returns the shapes of the pages with one row that state a value.
func (p *policy) shapesOf(c finding.Cell) (shapes []string) {
	for _, source := range append([]string{c.Source}, c.Also...) {
		page := p.library.page(source)
		if page == nil || page.Rows != 1 {
			continue
		}
		if link := p.f.ByURL[page.Rec.URL]; link != nil {
			shapes = append(shapes, link.Shape)
		}
	}
	return shapes
}

// policy chooses what to read next if there is no planner. It is part of the loop, and
// only the goroutine of the loop uses it.
type policy struct {
	question string
	tables   *tables
	library  *library
	scope    linkrank.Scope
	searches bool // there is a search provider to ask
	isolate  bool // no query contains a text of a page
	f        *linkrank.Frontier

	done   map[string]bool // actions by hash
	walked map[int]bool    // pages of listings that were followed to their end
	led    map[string]bool // shapes whose pages have new links with other shapes
	sought []told          // values of further questions that the last actions look for
}

// newPolicy returns the policy of a new run.
func newPolicy(r *Run, f *linkrank.Frontier, searches bool) *policy {
	return &policy{
		question: r.job.question(), tables: r.tables, library: r.library, scope: r.gate.scope, searches: searches, isolate: r.isolated(), f: f,
		done: map[string]bool{}, walked: map[int]bool{}, led: map[string]bool{},
	}
}

// next returns the next actions without a planner. It prefers, in this order, what
// leads to the value of a further question, start pages, further pages of a listing,
// groups of links that led or probably lead to rows, and single links by their words.
// If nothing plausible is left, it returns nil.
func (p *policy) next() []journal.Action {
	tables := p.tables.tally()
	w := p.wanting(tables)
	for _, choose := range []func() []journal.Action{
		func() []journal.Action { return p.toward(tables) },
		p.seeds,
		func() []journal.Action { return p.indexed(tables) },
		p.called,
		func() []journal.Action { return p.opened(w, false) },
		func() []journal.Action { return p.further(w) },
		func() []journal.Action { return p.likeliest(w) },
		func() []journal.Action { return p.opened(w, true) },
		func() []journal.Action { return p.owned(tables) },
		func() []journal.Action { return p.strangers(w) },
		func() []journal.Action { return p.listings(tables) },
		func() []journal.Action { return p.singles(w) },
		func() []journal.Action { return p.index(w) },
	} {
		actions := slices.DeleteFunc(choose(), p.acted)
		if len(actions) > 0 {
			return actions
		}
	}
	return nil
}

// acted reports whether an action was done before.
func (p *policy) acted(a journal.Action) bool { return p.done[actionID(a)] }

// actionID identifies an action. The reason that is given for it does not matter.
func actionID(a journal.Action) string {
	a.Why = ""
	return value.CallID("action", value.JSONText(a))
}

// toward returns actions that lead to the things that further questions are about:
// reading links with their names, or else a search. Values of an isolated run, and
// those of rendered pages, are never part of a query.
func (p *policy) toward(tables map[string][]merge.Merged) []journal.Action {
	var actions []journal.Action
	p.sought = nil
	public := map[told]bool{}
	for _, known := range p.tables.hops.known(p.tables.outline, tables, false) {
		for _, v := range known.Values {
			public[told{known.Table, known.Field, v}] = !p.isolate
		}
	}
	for _, known := range p.tables.hops.known(p.tables.outline, tables, true) {
		for _, v := range known.Values {
			name := value.Canon(v)
			if name == "" || p.library.about(name) {
				continue
			}
			var read []string
			for _, link := range p.f.Links {
				if !link.Read && len(read) < 3 && value.Holds(value.Canon(link.Text), name) > 0 {
					read = append(read, link.Handle())
				}
			}
			a := journal.Action{Do: journal.DoRead, H: read}
			if len(read) == 0 {
				a = journal.Action{Do: journal.DoSearch, Q: value.ClipRunes(v+" "+known.Question, protocol.MaxQuery), N: 5}
			}
			this := told{known.Table, known.Field, v}
			if len(read) == 0 && (!p.searches || !public[this]) || p.acted(a) {
				continue
			}
			actions, p.sought = append(actions, a), append(p.sought, this)
			if len(actions) == protocol.MaxActions {
				return actions
			}
		}
	}
	return actions
}

// rangeOfLetters matches the text of a link to a part of an alphabetical index.
var rangeOfLetters = regexp.MustCompile(`^(\p{L})(?:\s*[-–—/]\s*(\p{L}))?$`)

// covers reports whether the text of a link is a range of letters with which a word of a
// name begins. ranged is set if the text is a range at all.
func covers(text, name string) (ranged, ok bool) {
	m := rangeOfLetters.FindStringSubmatch(strings.ToLower(strings.TrimSpace(text)))
	if m == nil {
		return false, false
	}
	last := cmp.Or(m[2], m[1])
	return true, slices.ContainsFunc(strings.Fields(name), func(w string) bool {
		first, _ := utf8.DecodeRuneInString(w)
		return string(first) >= m[1] && string(first) <= last
	})
}

// indexed returns actions that read links of given pages without rows, if no link has the
// name of a thing that a further question is about. Such pages may be indexes, by letters
// or by sections.
func (p *policy) indexed(tables map[string][]merge.Merged) []journal.Action {
	var names []string
	for _, v := range p.tables.hops.unled(p.f, p.tables.outline, tables) {
		names = append(names, value.Canon(v))
	}
	if len(names) == 0 {
		return nil
	}
	for _, page := range p.library.read() {
		from := p.f.ByURL[page.Rec.URL]
		if page.Rows > 0 || from == nil || from.Depth > 0 {
			continue
		}
		var lettered, others []string
		ranges, tried := false, 0
		for _, rec := range page.Rec.Links {
			link := p.f.ByURL[rec.URL]
			if link == nil || link.Page != page.N || rec.URL == page.Rec.URL || link.IsNotice() {
				continue
			}
			ranged, ok := false, false
			for _, name := range names {
				isRange, covered := covers(link.Text, name)
				ranged, ok = isRange, ok || covered
			}
			ranges = ranges || ranged
			switch {
			case link.Read || p.library.tried(link.URL):
				tried++
			case ok && len(lettered) < maxSingles:
				lettered = append(lettered, link.Handle())
			case !ranged && len(others) < maxSingles:
				others = append(others, link.Handle())
			}
		}
		if !ranges {
			lettered = others
		}
		if len(lettered) > 0 && tried < 2*maxSingles {
			return []journal.Action{{Do: journal.DoRead, H: lettered}}
		}
	}
	return nil
}

// seeds returns actions that read the given pages that were not read yet.
func (p *policy) seeds() []journal.Action {
	var read []string
	for _, link := range p.f.Links {
		if link.Seed && !link.Read && len(read) < protocol.MaxHandles && !p.library.tried(link.URL) {
			read = append(read, link.Handle())
		}
	}
	if len(read) == 0 {
		return nil
	}
	return []journal.Action{{Do: journal.DoRead, H: read}}
}

// opened returns actions that read pages of which only the first rows were read, if
// cells are empty. If these rows do not state what a condition depends on, the others hardly
// do, so that such pages are read late.
func (p *policy) opened(w want, late bool) []journal.Action {
	if !w.rows && !w.cells {
		return nil
	}
	var actions []journal.Action
	for _, page := range p.library.read() {
		link := p.f.ByURL[page.Rec.URL]
		if link == nil || len(actions) == protocol.MaxActions {
			continue
		}
		a := journal.Action{Do: journal.DoCollect, H: []string{link.Handle()}, Follow: "none"}
		if !p.acted(a) && slices.ContainsFunc(p.tables.outline.Readable(), func(t *outline.Table) bool {
			return p.library.readUntil(page, t) > 0 && lacksDecisive(rowsOn(p.tables, page, t), p.tables.decisive(t)) == late
		}) {
			actions = append(actions, a)
		}
	}
	return actions
}

// called returns actions that read links whose text occurs in the question, such as the
// name of a thing.
func (p *policy) called() []journal.Action {
	question := value.Canon(p.question)
	var read []string
	for _, link := range p.f.Links {
		text := value.Canon(link.Text)
		if link.Read || strings.Count(text, " ") == 0 || len(read) == maxSingles || p.library.tried(link.URL) {
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

// further returns actions that read the further pages of listings.
func (p *policy) further(w want) []journal.Action {
	var actions []journal.Action
	given := map[string]bool{} // further pages of given ones
	for _, page := range p.library.read() {
		link := p.f.ByURL[page.Rec.URL]
		next := page.Rec.Next
		listed := given[page.Rec.URL] || p.seeded(page)
		if given[next] = given[next] || listed; link == nil || p.walked[page.N] {
			continue
		}
		if next != "" && (p.library.tried(next) && !p.library.failed(next) || !p.scope.Allows(next)) {
			continue
		}
		if page.Rows == 0 && p.best(w, page.N) == nil && (!w.rows || !listed) || next == "" && len(p.candidates(w, page)) == 0 {
			continue
		}
		a := journal.Action{Do: journal.DoCollect, H: []string{link.Handle()}, Follow: "pages"}
		if g := p.best(w, page.N); g != nil && (w.cells || w.columns) {
			a.Follow, a.Like = "both", g.Links[0].Handle()
		}
		if len(actions) < protocol.MaxActions && !p.acted(a) {
			actions = append(actions, a)
		}
	}
	return actions
}

// likeliest returns an action for the group of links that most probably leads to rows.
// If its shape led to rows or new links before, the whole group is read, or else its
// first links.
func (p *policy) likeliest(w want) []journal.Action {
	g := p.best(w, 0)
	if g == nil {
		return nil
	}
	a := journal.Action{Do: journal.DoCollect, H: []string{g.Handle()}, Follow: "links"}
	if good, _ := p.f.Good(g.Shape); good == 0 && !p.led[g.Shape] && !p.names(w, g) {
		a.N = maxProbe
		if p.acted(a) {
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

// best returns the group with unread links that most probably contains what the tables
// lack. If page is not zero, it considers only groups of that page. If there is no such
// group, it returns nil.
func (p *policy) best(w want, page int) *linkrank.Group {
	var best *linkrank.Group
	most := 0.0
	for _, g := range p.f.Groups {
		unread := slices.ContainsFunc(g.Links, func(link *linkrank.Link) bool { return !link.Read })
		if !unread || page > 0 && g.Page != page {
			continue
		}
		if score := p.promise(w, g); score > most {
			best, most = g, score
		}
	}
	return best
}

// promise returns how probably a group leads to what the tables lack. Zero means that
// it should not be read.
func (p *policy) promise(w want, g *linkrank.Group) float64 {
	good, barren := p.f.Good(g.Shape)
	if barren >= 2 && good == 0 && !p.led[g.Shape] {
		return 0
	}
	if !w.rows && !w.cells && !w.columns && good == 0 {
		return 0 // the tables lack nothing
	}
	score := 0.0
	if g.Shape != "" && strings.Contains(g.Shape, "{") {
		score++ // its links lead to many things, so it is not a menu
	}
	if p.names(w, g) {
		if !w.cells && !w.columns {
			return 0 // the rows of these detail pages lack nothing
		}
		score += 4
	}
	if good > 0 {
		score += 3
	}
	if p.led[g.Shape] {
		score += 2
	}
	score += min(2, p.f.Likeness(g))
	if g.Page > 0 {
		if page := p.library.all()[g.Page-1]; page != nil && (page.Rows > 0 || p.seeded(page) || w.rows && p.near(page)) {
			score++
		}
	}
	return score - 1
}

// seeded reports whether a page was given by the task.
func (p *policy) seeded(page *grounding.Page) bool {
	link := p.f.ByURL[page.Rec.URL]
	return link != nil && link.Seed
}

// near reports whether a page is linked by a given page. If nothing has given rows yet, it may
// be a section of an index, whose links lead to the things themselves.
func (p *policy) near(page *grounding.Page) bool {
	link := p.f.ByURL[page.Rec.URL]
	return link != nil && link.Depth == 1
}

// names reports whether at least half of the links of a group that have a text name a
// row.
func (p *policy) names(w want, g *linkrank.Group) bool {
	n, texts := 0, 0
	for _, link := range g.Links[:min(len(g.Links), 20)] {
		if link.Text != "" {
			texts++
			if w.known(link) {
				n++
			}
		}
	}
	return 2*n > texts && n > 0
}

// owned returns actions that read the links with the name of a row that lacks a required
// cell, or one on which a condition depends. Their addresses may have nothing in common,
// so that they are in no group.
func (p *policy) owned(tables map[string][]merge.Merged) []journal.Action {
	open := map[string]bool{}
	for _, t := range p.tables.outline.Readable() {
		need := t.Needed()
		for _, m := range tables[t.ID] {
			if m.State == filter.Unmet || m.State == filter.Met && !outline.Lacks(need, m.Row) {
				continue
			}
			for _, key := range t.Keys {
				if c, ok := m.Row[key]; ok {
					open[value.Canon(c.Value)] = true
				}
			}
		}
	}
	var read []string
	for _, link := range p.f.Links {
		if !link.Read && link.Text != "" && len(read) < protocol.MaxHandles && open[value.Canon(link.Text)] && !p.library.tried(link.URL) {
			read = append(read, link.Handle())
		}
	}
	if len(read) == 0 {
		return nil
	}
	return []journal.Action{{Do: journal.DoRead, H: read}}
}

// strangers returns actions that read the links that name no known row, in groups whose
// links name rows and led to some, and all links with such a shape on pages of which no
// row was read. Such a group is a listing of which not all rows were read.
func (p *policy) strangers(w want) []journal.Action {
	var read []string
	for _, g := range p.f.Groups {
		page := p.library.page(merge.SourceID(g.Page))
		unread := page != nil && page.Rows == 0
		if good, _ := p.f.Good(g.Shape); good == 0 || !unread && !p.names(w, g) {
			continue
		}
		for _, link := range g.Links {
			if !link.Read && (unread || link.Text != "") && !w.known(link) && len(read) < protocol.MaxHandles && !p.library.tried(link.URL) {
				read = append(read, link.Handle())
			}
		}
	}
	if len(read) == 0 {
		return nil
	}
	return []journal.Action{{Do: journal.DoRead, H: read}}
}

// listings returns actions that read listings that were only looked at for their links, if rows lack
// what these probably state.
func (p *policy) listings(tables map[string][]merge.Merged) []journal.Action {
	var read []string
	for _, t := range p.tables.outline.Readable() {
		for _, url := range unfollowed(p.library, t, tables[t.ID]).listings {
			if link := p.f.ByURL[url]; link != nil && !slices.Contains(read, link.Handle()) && len(read) < protocol.MaxHandles {
				read = append(read, link.Handle())
			}
		}
	}
	if len(read) == 0 {
		return nil
	}
	return []journal.Action{{Do: journal.DoRead, H: read}}
}

// singles returns actions that read the links whose words resemble those of the
// question.
func (p *policy) singles(w want) []journal.Action {
	if !w.rows && !w.cells && !w.columns {
		return nil
	}
	var read []string
	for _, s := range p.f.Rank() {
		if s.Score <= linkrank.Floor || len(read) == maxSingles {
			break
		}
		if !p.library.tried(s.Link.URL) {
			read = append(read, s.Link.Handle())
		}
	}
	if len(read) == 0 {
		return nil
	}
	return []journal.Action{{Do: journal.DoRead, H: read}}
}

// index returns actions that read links of a given page that has no rows itself. It
// begins with the first links if there are no rows at all, and continues while they
// lead to rows. The names of sections, such as letters and years, have no words in
// common with the question. Notices about the site itself, such as its imprint, are read
// only if there is nothing else and a record may be found there.
func (p *policy) index(w want) []journal.Action {
	if actions := p.sections(w, false); len(actions) > 0 || !w.rows || !slices.ContainsFunc(p.tables.outline.Tables, func(t *outline.Table) bool { return t.Record() && !t.Drawn }) {
		return actions
	}
	return p.sections(w, true)
}

// sections is index for links that are notices of a site, or for the others.
func (p *policy) sections(w want, notices bool) []journal.Action {
	for _, page := range p.library.read() {
		if page.Rows > 0 || !p.seeded(page) {
			continue
		}
		var read []string
		tried, fruitful := 0, 0
		for _, rec := range page.Rec.Links {
			link := p.f.ByURL[rec.URL]
			switch {
			case link == nil || link.Page != page.N || rec.URL == page.Rec.URL || link.IsNotice() != notices:
			case link.Read || p.library.tried(link.URL):
				tried++
				if link.Rows > 0 {
					fruitful++
				}
			case len(read) < maxSingles:
				read = append(read, link.Handle())
			}
		}
		if len(read) > 0 && (w.rows && tried < maxSingles || 2*fruitful > tried) {
			return []journal.Action{{Do: journal.DoRead, H: read}}
		}
	}
	return nil
}
