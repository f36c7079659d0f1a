// SPDX-License-Identifier: Apache-2.0

package wrapper

import (
	"slices"
	"sync"

	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/outline"
)

// Limits of learning a field again.
const (
	maxTries = 6
	maxAgain = 16 // seeds
)

// again is what a wrapper needs to learn single fields again. What stands around a value on the
// first pages may be what only these have in common, such as "Female" before each breed.
type again struct {
	mu    sync.Mutex // guards the fields below
	seeds map[string][]Seed
	tries map[string]int
}

// tried returns how often a field was learned again.
func (a *again) tried(name string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.tries[name]
}

// relearn learns a field again if its rules do not read what the model has read on a page, or none of
// its literals finds a text there. A page with which nothing can be learned is left out, because
// the model may be wrong.
func (w *Wrapper) relearn(t *outline.Table, f *outline.Field, s Seed) {
	if !s.teaches(f) || !w.misses(f, s) && !w.concluded.misses(f, s.Page) {
		return
	}
	w.again.mu.Lock()
	defer w.again.mu.Unlock()
	if w.again.tries[f.Name]++; w.again.tries[f.Name] > maxTries || len(w.again.seeds[f.Name]) >= maxAgain {
		return
	}
	seeds := append(slices.Clone(w.again.seeds[f.Name]), s)
	fresh := newWrapper()
	if !fresh.learn(t, f, seeds) {
		return
	}
	w.again.seeds[f.Name] = seeds
	s.Page.Taught.Store(true)
	w.concluded.mu.Lock()
	defer w.concluded.mu.Unlock()
	w.gaps.mu.Lock()
	defer w.gaps.mu.Unlock()
	w.rules.mu.Lock()
	defer w.rules.mu.Unlock()
	w.forget(f)
	name := f.Name
	w.gaps.absent[name] = fresh.gaps.absent[name]
	w.gaps.texts[name] = fresh.gaps.texts[name]
	if rules := fresh.rules.of[name]; len(rules) > 0 {
		w.rules.of[name] = rules
	}
	if all := fresh.concluded.fields[name]; len(all) > 0 {
		w.concluded.fields[name] = all
	}
}

// misses reports whether a field has rules, and none of them selects its value on a seed.
func (w *Wrapper) misses(f *outline.Field, s Seed) bool {
	rules := w.rules.get(f.Name)
	return len(rules) > 0 && !slices.ContainsFunc(rules, func(r rule) bool {
		text, count := r.only(s.Page)
		return count == 1 && r.states(s.Page, f, text, s.Row[f.Name].Value)
	})
}

// misses reports whether a field has literals, and none of them reads a page.
func (c *literals) misses(f *outline.Field, p *grounding.Page) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.fields[f.Name]
	return len(all) > 0 && !c.broken[f.Name] && !slices.ContainsFunc(all, func(l *literal) bool {
		_, count := l.said(p)
		return count == 1 || count == 0 && l.none.value != nil
	})
}

// uncut reports whether the rule selects a text in which it does not find its place, so that the
// field may have to be learned again.
func (r *rule) uncut(f *outline.Field, text string) bool {
	if grounding.Absent(text) {
		return false
	}
	_, ok := r.cut(text)
	return !ok || isConcluded(f)
}
