// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/wrapper"
)

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
	if w := l.pool(own); w != nil {
		l.wrapper, l.over, l.pooled = w, true, len(own) < wrapper.WantedSeeds
		return
	}
	l.extended = true
	switch good, asked := len(own), l.limit-l.first; {
	case good >= wrapper.WantedSeeds && asked < wrapper.MaxSeeds && wrapper.MoreSeeds(l.table, own):
		l.limit = l.first + wrapper.MaxSeeds
	case good >= wrapper.WantedSeeds:
		l.wrapper, l.over = wrapper.Induce(l.table, own), true
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
	slices.SortStableFunc(out, comparePages)
	return out
}

// maxPooled is the number of seeds of siblings that a template learns from.
const maxPooled = 6

// pool returns a wrapper that is learned from the pages of the template and from earlier
// pages of its siblings. If it cannot read each field that any of them has, it returns nil.
func (l *learning) pool(own []wrapper.Seed) *wrapper.Wrapper {
	if l.alone || len(own) == 0 {
		return nil
	}
	all := slices.Clone(own)
	last := l.at[l.limit-1]
	for _, other := range l.members {
		for _, s := range other.seeds {
			if other != l && s.at < last && len(all) < len(own)+maxPooled {
				all = append(all, s.Seed)
			}
		}
	}
	slices.SortStableFunc(all, comparePages)
	all = wrapper.Whole(l.table, all)
	kept := func(s wrapper.Seed) bool {
		return slices.ContainsFunc(all, func(a wrapper.Seed) bool { return a.Page == s.Page })
	}
	if len(all) == len(own) || len(all) < wrapper.WantedSeeds || wrapper.MoreSeeds(l.table, all) || slices.ContainsFunc(own, func(s wrapper.Seed) bool { return !kept(s) }) {
		return nil
	}
	w := wrapper.Induce(l.table, all)
	if w == nil || !w.Covers(l.table, all) {
		return nil
	}
	return w
}

// comparePages compares seeds by the numbers of their pages.
func comparePages(a, b wrapper.Seed) int { return cmp.Compare(a.Page.N, b.Page.N) }

// application is a page that a wrapper has read.
type application struct {
	ticket int
	page   *grounding.Page
	row    finding.Row
}
