// SPDX-License-Identifier: Apache-2.0

package wrapper

import (
	"slices"
	"sync"

	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/internal/schema"
)

// leastAgree is the number of pages for which the model must have said what a text means. From a
// single page, one mistake of the model would be repeated on all pages with the text.
const leastAgree = 2

// meaning is what a text says about a field, or what its absence says.
type meaning struct {
	value any                // nil if the text says that there is none
	by    [leastAgree]string // IDs of pages for which the model said so
}

// confirm records that the model has given the value for a page.
func (m *meaning) confirm(p *grounding.Page) { m.by = joined(m.by, [leastAgree]string{p.Rec.ID}) }

// joined adds the IDs of further pages while there is room.
func joined(by, more [leastAgree]string) [leastAgree]string {
	for _, id := range more {
		if i := slices.Index(by[:], ""); i >= 0 && !slices.Contains(by[:], id) {
			by[i] = id
		}
	}
	return by
}

// sure reports whether enough pages have the value.
func (m meaning) sure() bool { return m.value != nil && !slices.Contains(m.by[:], "") }

// means returns what a literal of a field, or else its family, knows about a text. It is sure if
// two pages agree, or if the text says the value in words that code knows. A text that no page has
// had yet may be such a word, too.
func (c *literals) means(f *outline.Field, l *literal, text string) (m meaning, sure bool) {
	text = value.Normal(text)
	m, known := l.texts[text]
	if known && m.value == nil { // two pages have shown this
		return m, true
	}
	if shared := c.words.meaning(f.Name, text); shared.value != nil && (!known || shared.value == m.value) {
		m.value, m.by = shared.value, joined(m.by, shared.by)
	}
	if m.value == nil {
		m.value = l.worded(f, text)
		return m, m.value != nil
	}
	return m, m.sure() || grounding.Says(f, text, m.value)
}

// worded returns what a text says that is a word for one value of a boolean, such as "out of
// stock", or nil if it is none. Another text of the literal must be such a word, because the label
// "Sold out" turns the meaning of a yes into a no, and all of them must mean what they say.
func (l *literal) worded(f *outline.Field, text string) any {
	said, ok := grounding.Word(f, text)
	if !ok || f.Node.Type != schema.Boolean {
		return nil
	}
	agree := false
	for known, m := range l.texts {
		if v, ok := grounding.Word(f, known); ok && m.value != nil {
			if m.value != v {
				return nil
			}
			agree = true
		}
	}
	if !agree {
		return nil
	}
	return said
}

// Words is what texts of concluded fields mean on all pages of a family of templates. Its zero
// value is ready to use. It is safe for concurrent use.
type Words struct {
	mu    sync.Mutex                    // guards known
	known map[string]map[string]meaning // by field and normal text; without a value if templates disagree
}

// learn records what a text means.
func (w *Words) learn(field, text string, m meaning) {
	if w == nil || m.value == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.known == nil {
		w.known = map[string]map[string]meaning{}
	}
	if w.known[field] == nil {
		w.known[field] = map[string]meaning{}
	}
	before, ok := w.known[field][text]
	switch {
	case ok && before.value != m.value:
		w.known[field][text] = meaning{}
	case ok || len(w.known[field]) < maxTexts:
		m.by = joined(m.by, before.by)
		w.known[field][text] = m
	}
}

// meaning returns what a text means. It has no value if it is not known.
func (w *Words) meaning(field, text string) meaning {
	if w == nil {
		return meaning{}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.known[field][text]
}

// Share makes the wrapper use and extend what the words of a family mean.
func (w *Wrapper) Share(words *Words) {
	w.concluded.mu.Lock()
	defer w.concluded.mu.Unlock()
	w.concluded.words = words
	for name, all := range w.concluded.fields {
		for _, l := range all {
			for text, m := range l.texts {
				words.learn(name, text, m)
			}
		}
	}
}
