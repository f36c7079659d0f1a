// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/budget"
	"example.com/curlew/agent/internal/grid"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/internal/wrapper"
	"example.com/curlew/internal/sorting"
)

// Wrappers contains what was learned about the templates of pages. Runs can share it.
// The zero value is ready to use. It is safe for concurrent use.
type Wrappers struct{ known wrapper.Store }

// learner contains what a run learns about templates and about the columns of tables. A
// template is used when its seeds agree. Pages contribute in their order.
type learner struct {
	shared *wrapper.Store // shared by runs; only for public pages
	own    *wrapper.Store // of this run

	mu        sync.Mutex // guards the fields below
	templates map[string]*learning
	families  map[string]*family  // by address and table
	columns   map[string]*columns // by table and header
}

// newLearner returns the learner of a run. w may be nil.
func newLearner(w *Wrappers) *learner {
	l := &learner{own: new(wrapper.Store), templates: map[string]*learning{}, families: map[string]*family{}, columns: map[string]*columns{}}
	l.shared = l.own
	if w != nil {
		l.shared = &w.known
	}
	return l
}

// store returns the store for wrappers of a page's template. What is learned from a
// rendered page stays in its run, because its texts may belong to a session, and other
// runs may get the template without its scripts.
func (a *learner) store(p *grounding.Page) *wrapper.Store {
	if p.Rec.Rendered {
		return a.own
	}
	return a.shared
}

// learningOf returns the learning for a page's template, or nil if the page has no
// template.
func (a *learner) learningOf(p *grounding.Page, t *outline.Table) *learning {
	if p.Rec.Shape == "" || len(p.Short()) == 0 {
		return nil
	}
	end := "\x00" + string(t.Reply())
	if p.Rec.Rendered {
		end += "\x00rendered"
	}
	key := p.Rec.Shape + end
	address, _, _ := strings.Cut(p.Rec.Shape, " ")
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.templates[key]
	if l == nil {
		f := a.families[address+end]
		if f == nil {
			f = newFamily()
			a.families[address+end] = f
		}
		l = f.join(key, t, a.store(p))
		a.templates[key] = l
	}
	return l
}

// columnsOf returns the columns for the header of p's partly named table, or nil if
// there is no such table. The first page that asks learns the columns. Pages ask in
// their order.
func (a *learner) columnsOf(p *grounding.Page, t *outline.Table) (c *columns, first bool) {
	if t.Record() || t.Bare || len(t.Fields) > outline.MaxCallFields {
		return nil, false
	}
	g := grid.Partly(p, t)
	if g == nil {
		return nil, false
	}
	key := t.ID + "\x00" + strings.Join(g.Header, "\x00")
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.columns[key]; c != nil {
		return c, false
	}
	c = &columns{done: make(chan struct{})}
	a.columns[key] = c
	return c, true
}

// maxGiven is the number of pages of a template whose replies are kept.
const maxGiven = 12

// give keeps what the model gave for a page that teaches the template.
func (l *learning) give(s wrapper.Seed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.given) < maxGiven {
		l.given = append(l.given, s)
	}
}

// overlooked returns cells that the model did not give for pages although their labels
// show them, beside what it gave. They are looked for again when the model has read further
// pages.
func (l *learning) overlooked() (given []wrapper.Seed, cells []finding.Row) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.filled == len(l.given) {
		return nil, nil
	}
	l.filled = len(l.given)
	sorting.Stable(l.given, comparePages)
	given, cells = slices.Clone(l.given), wrapper.Overlooked(l.table, l.given)
	for i, row := range cells {
		if row != nil {
			whole := maps.Clone(given[i].Row)
			maps.Copy(whole, row)
			l.given[i].Row = whole
		}
	}
	return given, cells
}

// recall adds the cells that the model has overlooked on pages that teach templates.
func (r *reader) recall(ctx context.Context) {
	for _, l := range r.learner.all() {
		given, cells := l.overlooked()
		for i, s := range given {
			r.complete(ctx, s.Page, l.table, s.Row, cells[i])
		}
	}
}

// all returns the templates in the order of their keys.
func (a *learner) all() []*learning {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []*learning
	for _, key := range slices.Sorted(maps.Keys(a.templates)) {
		out = append(out, a.templates[key])
	}
	return out
}

// checked reports whether the page with ticket n is read by both the model and the
// wrapper: the first page after the seeds, and each twentieth after that. The first is not
// checked if siblings have contributed seeds, because their pages are.
func (l *learning) checked(n int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	n -= l.limit
	if l.pooled {
		n++
	}
	return n >= 0 && n%20 == 0 && (n > 0 || !l.pooled)
}

// apply records that the wrapper w has read a page. It returns false if the wrapper was
// demoted in the meantime, so that the result does not count.
func (l *learning) apply(n int, p *grounding.Page, row finding.Row, w *wrapper.Wrapper, demoted int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wrapper != w || len(l.demoted) != demoted {
		return false
	}
	l.applied = append(l.applied, application{n, p, row})
	return true
}

// compare records the outcome of a spot check. It returns the pages whose fields that
// disagree must be read again.
func (l *learning) compare(n int, t *outline.Table, w *wrapper.Wrapper, byWrapper finding.Row, byModel []finding.Row) (again []application, demoted []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wrapper != w { // another check has already replaced it
		return nil, nil
	}
	var model finding.Row
	if len(byModel) == 1 {
		model = byModel[0]
	}
	last := -1 // the check before which no page must be read again
	for _, f := range t.Fields {
		w, okW := byWrapper[f.Name]
		m, okM := model[f.Name]
		if okW && okM && value.Agree(w.Value, m.Value) {
			if l.agreed == nil {
				l.agreed = map[string][]int{}
			}
			l.agreed[f.Name] = append(l.agreed[f.Name], n)
		}
		if okW && okM && value.Agree(w.Value, m.Value) || !okW && !okM || okW && !okM || l.demoted[f.Name] {
			continue // a model overlooks a value more often than a wrapper invents one
		}
		before := 0 // later checks may have been compared first
		for _, k := range l.agreed[f.Name] {
			if k < n {
				before = max(before, k)
			}
		}
		if len(demoted) == 0 || before < last {
			last = before
		}
		l.demoted[f.Name] = true
		demoted = append(demoted, f.Name)
	}
	if len(demoted) == 0 {
		return nil, nil
	}
	for _, a := range l.applied {
		if a.ticket > last {
			again = append(again, a)
		}
	}
	l.relearn()
	return again, demoted
}

// relearn starts learning again with the next pages, at most twice. After that, the
// model reads the demoted fields. The caller holds mu.
func (l *learning) relearn() {
	if l.again == wrapper.MaxRelearn {
		return
	}
	l.again++
	l.first, l.limit, l.resolved = l.passed, l.passed+wrapper.WantedSeeds, 0
	l.wrapper, l.over, l.seeds, l.applied, l.agreed = nil, false, nil, nil, nil
	l.alone, l.pooled = true, false
	l.demoted = map[string]bool{}
}

// demotions returns the fields that the wrapper no longer reads.
func (l *learning) demotions() map[string]bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make(map[string]bool, len(l.demoted))
	for k := range l.demoted {
		out[k] = true
	}
	return out
}

// leastSample is the number of rows in a sample that must state a field.
const leastSample = 3

// columns contains what is learned about the tables with one header, in which only some
// columns have the name of a field. The model reads the first rows of the first such
// table. The column that contains its values of a field is the field's column.
type columns struct {
	done chan struct{} // closed when of is set
	once sync.Once
	of   []grid.Column // of each field; nil if nothing was learned
}

// end sets the result. Only the first call counts.
func (c *columns) end(of []grid.Column) {
	c.once.Do(func() {
		c.of = of
		close(c.done)
	})
}

// partial reads a partly named table by its columns, which the first page learns. If
// the model must read the page, ok is false. h is used up if this page learns the
// columns.
func (r *reader) partial(ctx context.Context, p *grounding.Page, t *outline.Table, k ticket, h *budget.Hold) (rows []finding.Row, ok bool, err error) {
	g := grid.Partly(p, t)
	if g == nil { // cannot happen
		return nil, false, nil
	}
	if k.first {
		of, err := r.learnColumns(ctx, p, t, g, h)
		k.columns.end(of)
		if err != nil {
			return nil, false, err
		}
	} else {
		select {
		case <-k.columns.done:
		case <-ctx.Done():
			return nil, false, context.Cause(ctx)
		}
	}
	if k.columns.of == nil {
		return nil, false, nil
	}
	rows = grid.RowsOf(p, t, g, k.columns.of)
	if interpret(ctx, r, t, grid.Unread(p, t, g, k.columns.of, rows)) {
		rows = grid.RowsOf(p, t, g, k.columns.of)
	}
	noteUnread(r.tables, p, t, grid.Unread(p, t, g, k.columns.of, rows), false)
	return rows, true, nil
}

// learnColumns lets the model read the first rows of a table, and returns the columns
// of its values. If they are not certain, it returns nil.
func (r *reader) learnColumns(ctx context.Context, p *grounding.Page, t *outline.Table, g *grid.Grid, h *budget.Hold) ([]grid.Column, error) {
	c := lines.Chunk{g.At, g.At + 1}
	c = append(c, g.Lines[:grid.SampleRows]...)
	var got extraction
	if err := r.extractChunk(ctx, p, p.All(), t, c, &got, h); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, nil //nolint:nilnil // the page is read, and fails, like any other
	}
	if got.thin { // the page is read from its first row on if the columns are not certain
		r.library.leaveOpen(p, t, 0)
	}
	of := make([]grid.Column, len(t.Fields))
	for i, f := range t.Fields {
		column, stated, sure := grid.ColumnOf(p, f, g, got.rows)
		switch {
		case stated == 0 && !f.Required && !slices.Contains(t.Keys, f.Name):
			of[i].Of = -1
		case stated < leastSample || !sure || slices.ContainsFunc(of[:i], func(c grid.Column) bool { return c.Of == column }):
			return nil, nil //nolint:nilnil // the columns are not certain
		default:
			if of[i], sure = grid.SharedBy(t, f, g, column, got.rows); !sure {
				return nil, nil //nolint:nilnil // it is not certain what an empty cell means
			}
		}
	}
	return of, nil
}

// family is the templates of pages whose addresses have one form. Such pages often differ
// only in a note or a picture. A template of which the model has read a page may therefore
// learn from the pages of its siblings too, but only what its own pages confirm, value by
// value. Pages get tickets in their order, and a template decides when all earlier pages of
// the family were read, so that the result does not depend on the order of arrival.
type family struct {
	mu      sync.Mutex // guards the fields below, and those of the members
	members []*learning
	read    []bool        // by ticket of the family: the page was read, or will not be read
	front   int           // the first ticket whose page was not read
	change  chan struct{} // closed at the next change
	words   *wrapper.Words
	lessons []lesson // that were not announced yet
}

func newFamily() *family {
	return &family{change: make(chan struct{}), words: new(wrapper.Words)}
}

// learning is the process of learning one template for one table. The model reads the first
// few pages, and the others wait for what is learned from them.
type learning struct {
	*family
	key   string
	table *outline.Table
	store *wrapper.Store // for its wrapper

	// The mutex of the family guards the fields below.
	at       []int // tickets of the family, by ticket of the template
	first    int   // ticket of the first seed; pages before it are read without learning
	limit    int   // pages with a lower ticket are seeds
	passed   int   // from this ticket on, it was not decided yet how the page is read
	resolved int
	extended bool           // more seeds were requested
	seeds    []seed         // good ones
	given    []wrapper.Seed // what the model gave for pages, also for those that are no good seeds
	filled   int            // number of given when overlooked cells were looked for
	wrapper  *wrapper.Wrapper
	over     bool // the template was learned, or learning was given up
	pooled   bool // siblings have contributed to the wrapper
	alone    bool // they do not contribute any more
	demoted  map[string]bool
	agreed   map[string][]int // tickets of the spot checks that agreed on a value, by field
	again    int              // how often learning was started again
	applied  []application
}

// seed is a page that teaches its template, with its ticket of the family.
type seed struct {
	at int
	wrapper.Seed
}

// lesson is a wrapper that was learned, and the last page of its template that taught it.
type lesson struct {
	l       *learning
	wrapper *wrapper.Wrapper
	page    *grounding.Page
}

// join adds a template to the family. What other runs have learned of it is used.
func (f *family) join(key string, t *outline.Table, store *wrapper.Store) *learning {
	l := &learning{family: f, key: key, table: t, store: store, limit: wrapper.WantedSeeds, demoted: map[string]bool{}}
	if w := store.Get(key); w != nil {
		l.wrapper, l.over = w, true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.members = append(f.members, l)
	return l
}

// ticket returns the ticket of the next page. If the pages before it may suffice together with
// those of siblings, the page waits for what they teach.
func (l *learning) ticket() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, before := len(l.at), len(l.read)
	l.at = append(l.at, before)
	l.read = append(l.read, false)
	switch {
	case l.extended || l.alone:
	case n == 0:
		l.limit = max(1, wrapper.WantedSeeds-before)
	case before >= wrapper.WantedSeeds:
		l.limit = min(l.limit, n)
		l.decide() // all its seeds may have been read
	}
	return n
}

// done records that the page with ticket n was read, or will not be read.
func (l *learning) done(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.read[l.at[n]] {
		l.read[l.at[n]] = true
		l.decide()
	}
}

// await waits until the page with ticket n may be a seed, or learning is over. It
// returns the wrapper, or nil if the model must read the page.
func (l *learning) await(ctx context.Context, n int) (w *wrapper.Wrapper, isSeed bool, err error) {
	for {
		l.mu.Lock()
		change := l.change
		switch {
		case l.over, n < l.first, n < l.limit:
			defer l.mu.Unlock()
			l.passed = max(l.passed, n+1)
			if l.over || n < l.first {
				return l.wrapper, false, nil
			}
			return nil, true, nil
		}
		l.mu.Unlock()
		select {
		case <-change:
		case <-ctx.Done():
			return nil, false, context.Cause(ctx)
		}
	}
}

// waits reports whether the page with ticket n must wait.
func (l *learning) waits(n int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.over && n >= l.limit
}

// resolve records the outcome of the seed with ticket n.
func (l *learning) resolve(n int, s *wrapper.Seed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.resolved++
	if s != nil {
		l.seeds = append(l.seeds, seed{l.at[n], *s})
	}
	l.read[l.at[n]] = true
	l.decide()
}

// decide lets all templates decide that have their seeds, if the pages before these were read.
// The caller holds mu.
func (f *family) decide() {
	for f.front < len(f.read) && f.read[f.front] {
		f.front++
	}
	changed := false
	for _, l := range f.members {
		if l.over || l.resolved == 0 || l.resolved < l.limit-l.first || l.at[l.limit-1] > f.front {
			continue
		}
		l.settle()
		if changed = true; l.wrapper != nil {
			l.wrapper.Share(f.words)
			own := l.own()
			f.lessons = append(f.lessons, lesson{l, l.wrapper, own[len(own)-1].Page})
		}
	}
	if changed {
		close(f.change)
		f.change = make(chan struct{})
	}
}

// fresh returns what was learned since the last call.
func (f *family) fresh() []lesson {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.lessons
	f.lessons = nil
	return out
}

// settle learns the wrapper, requests more seeds, or gives up. The caller holds mu.
func (l *learning) settle() {
	own := wrapper.Whole(l.table, l.own())
	good, asked := len(own), l.limit-l.first
	var w *wrapper.Wrapper
	siblings := l.siblings(own)
	if good > 0 && good+len(slices.Concat(siblings...)) >= wrapper.WantedSeeds {
		w = wrapper.Induce(l.table, own, siblings...)
	}
	if len(siblings) > 0 && w.Enough() {
		l.wrapper, l.over, l.pooled = w, true, good < wrapper.WantedSeeds
		return
	}
	l.extended = true
	switch {
	case good >= wrapper.WantedSeeds:
		if asked < wrapper.MaxSeeds && !w.Enough() {
			l.limit = l.first + wrapper.MaxSeeds // without the missing fields, the model would read each page anyway
			return
		}
		l.wrapper, l.over = w, true
	case asked < wrapper.WantedSeeds:
		l.limit++
	case good == 0 || asked >= wrapper.MaxSeeds:
		l.over = true
	default:
		l.limit += wrapper.WantedSeeds - good
	}
}

// own returns the seeds of the template in the order of their pages.
func (l *learning) own() []wrapper.Seed {
	var out []wrapper.Seed
	for _, s := range l.seeds {
		out = append(out, s.Seed)
	}
	sorting.Stable(out, comparePages)
	return out
}

// maxPooled is the number of seeds of siblings that a template learns from.
const maxPooled = 6

// siblings returns the seeds of earlier pages of siblings that the template may learn from, by
// sibling. A sibling with required fields that a page of the template lacks is left out.
func (l *learning) siblings(own []wrapper.Seed) [][]wrapper.Seed {
	if l.alone || len(own) == 0 {
		return nil
	}
	var out [][]wrapper.Seed
	last, n := l.at[l.limit-1], 0
	for _, other := range l.members {
		var seeds []wrapper.Seed
		for _, s := range other.seeds {
			if other != l && s.at < last && n+len(seeds) < maxPooled {
				seeds = append(seeds, s.Seed)
			}
		}
		sorting.Stable(seeds, comparePages)
		seeds = wrapper.Whole(l.table, slices.Concat(own, seeds))
		if len(seeds) > len(own) && seeds[len(own)-1].Page == own[len(own)-1].Page {
			out = append(out, seeds[len(own):])
			n += len(seeds) - len(own)
		}
	}
	return out
}

// comparePages compares seeds by the numbers of their pages.
func comparePages(a, b wrapper.Seed) int { return cmp.Compare(a.Page.N, b.Page.N) }

// application is a page that a wrapper has read.
type application struct {
	ticket int
	page   *grounding.Page
	row    finding.Row
}
