// SPDX-License-Identifier: Apache-2.0

package wrapper

import (
	"cmp"
	"fmt"
	"strings"
	"sync"

	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
)

// gaps is what a wrapper knows about pages that do not have a field: whether such a page
// may lack the place of its value altogether, and which texts stand there instead, such as
// "see the notice at the door". It learns from every page that the model reads for the
// wrapper.
type gaps struct {
	mu     sync.Mutex // guards the fields below
	absent map[string]bool
	texts  map[string]map[string]bool // normal texts by field
}

// newGaps returns gaps that know nothing.
func newGaps() gaps {
	return gaps{absent: map[string]bool{}, texts: map[string]map[string]bool{}}
}

// lacks reports whether a page that has no place for the value does not have the field.
func (g *gaps) lacks(name string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.absent[name]
}

// says reports whether a text at the place of the value says that there is none.
func (g *gaps) says(name, text string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.texts[name][value.Normal(text)]
}

// learn adds what a page that the model has read, and that lacks a field, shows where the
// rules expect the value. A text that can be a value is not learned, because the model may
// have overlooked it.
func (g *gaps) learn(f *outline.Field, rules []rule, p *grounding.Page) {
	var shown []string
	for _, r := range rules {
		text, count := r.only(p)
		if count > 1 || count == 1 && !r.void(p, f, text) {
			return
		}
		if count == 1 {
			shown = append(shown, value.Normal(text))
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(shown) == 0 {
		g.absent[f.Name] = true
	}
	if g.texts[f.Name] == nil {
		g.texts[f.Name] = map[string]bool{}
	}
	for _, text := range shown {
		if len(g.texts[f.Name]) < maxTexts {
			g.texts[f.Name][text] = true
		}
	}
}

// unknown returns a name for what keeps the rules of a field from reading a page, if the model
// can tell it: the text that stands where they expect a value, if it is no value and not
// known, "\x00" if the page has no such place and this is not known, or "\x01" if only some
// rules find a value. Otherwise it returns "". tries is how often the field was learned again.
func (g *gaps) unknown(f *outline.Field, rules []rule, p *grounding.Page, tries int) string {
	found, none, shown := 0, 0, ""
	for _, r := range rules {
		text, count := r.only(p)
		switch {
		case tries < maxTries && (count > 1 && r.misplaced(p) || count == 1 && r.uncut(f, text) && r.void(p, f, text) && !g.says(f.Name, text)):
			return onePage(tries)
		case count > 1 || count == 1 && g.says(f.Name, text):
			return ""
		case count == 0:
			none++
		case r.void(p, f, text):
			shown = cmp.Or(shown, value.Normal(text))
		case !r.knows(text):
			part, _ := r.part(text)
			return r.split.unknown(part)
		default:
			found++
		}
	}
	switch {
	case found > 0 && found < len(rules):
		return "\x01"
	case none > 0 && none == len(rules) && !g.lacks(f.Name):
		return "\x00"
	}
	return shown
}

// onePage returns a name under which pages are read one at a time, because the next ones may be
// readable when a field was learned again with the first.
func onePage(tries int) string { return fmt.Sprintf("\x03%d", tries) }

// void reports whether a text that the rule has selected cannot be a value of the field.
func (r *rule) void(p *grounding.Page, f *outline.Field, text string) bool {
	return grounding.Absent(text) || r.read(p, f, text) == nil
}

// unsaid returns what the model must be asked about a concluded field because of a page. The caller holds
// concluded.mu.
func (w *Wrapper) unsaid(p *grounding.Page, t *outline.Table, name string, tries int) (unknown []string) {
	var said any
	for _, l := range w.concluded.fields[name] {
		text, count := l.said(p)
		m, sure := w.concluded.means(t.Field(name), l, text)
		if count == 0 {
			m, sure = l.none, l.none.sure()
		}
		switch {
		case w.concluded.broken[name]:
		case count > 1:
			if tries < maxTries && l.misplaced(p) {
				unknown = append(unknown, name+"\x00"+onePage(tries))
			}
		case sure:
			if said != nil && said != m.value {
				unknown = append(unknown, name+"\x00\x01")
			}
			said = m.value
		case count == 0 && m.value == nil && !w.gaps.lacks(name):
			unknown = append(unknown, name+"\x00"+onePage(tries))
		case count == 1 || m.value != nil:
			unknown = append(unknown, name+"\x00"+value.Normal(text)+"\x00"+strings.Join(m.by[:], " ")) // after one page, a second one is asked about it
		}
	}
	return unknown
}

// Ask is called when the model must read a page because of texts that no literal knows,
// because the place of a value is empty or has a text that is no value, or because what was
// learned about a field reads different values.
// If another page with the same texts is being read, wait is closed when the model has
// answered, and the caller tries the page again. Otherwise the caller calls done after
// the answer. Both are nil if this is not the reason, or if the model gave no answer
// before.
func (w *Wrapper) Ask(p *grounding.Page, t *outline.Table) (wait <-chan struct{}, done func()) {
	var unknown []string
	tries := map[string]int{}
	for _, f := range t.Fields { // before the lock, because a field may be learned again at this time
		tries[f.Name] = w.again.tried(f.Name)
		if text := w.gaps.unknown(f, w.rules.get(f.Name), p, tries[f.Name]); text != "" {
			unknown = append(unknown, f.Name+"\x00"+text)
		}
	}
	w.concluded.mu.Lock()
	defer w.concluded.mu.Unlock()
	for name := range w.concluded.fields {
		unknown = append(unknown, w.unsaid(p, t, name, tries[name])...)
	}
	ready := make(chan struct{})
	for _, key := range unknown {
		if other, ok := w.concluded.asked[key]; ok {
			select {
			case <-other: // the model did not say
			default:
				return other, nil
			}
		} else if len(w.concluded.asked) < 10*maxTexts {
			done = func() { close(ready) }
		}
	}
	if done == nil {
		return nil, nil
	}
	for _, key := range unknown {
		if _, ok := w.concluded.asked[key]; !ok {
			w.concluded.asked[key] = ready
		}
	}
	return nil, done
}
