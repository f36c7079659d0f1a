// SPDX-License-Identifier: Apache-2.0

package wrapper

import (
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
)

// telling returns the literals with a text that says its value in words, or all if there are none.
// What the others read may go with the values of the first pages only by chance.
func telling(f *outline.Field, all []*literal) []*literal {
	var out []*literal
	for _, l := range all {
		for text, m := range l.texts {
			if m.value != nil && grounding.Says(f, text, m.value) {
				out = append(out, l)
				break
			}
		}
	}
	if len(out) == 0 {
		return all
	}
	return out
}

// sayingFirst returns seeds, first those whose text says in words what the model has said.
func (l *literal) sayingFirst(f *outline.Field, seeds []Seed) []Seed {
	var says, other []Seed
	for _, s := range seeds {
		text, count := l.said(s.Page)
		if v, ok := s.concluded(f); ok && count == 1 && grounding.Says(f, value.Normal(text), v) {
			says = append(says, s)
		} else {
			other = append(other, s)
		}
	}
	return append(says, other...)
}

// excuses reports whether a page that contradicts the literal is a mistake of the model: texts of
// two other pages mean what they say in words, so that the literal is no coincidence. If the
// text of the page does not say in words what it means, its meaning is open again. A second such
// page is no mistake.
func (l *literal) excuses(f *outline.Field, text string, v any) bool {
	pages := 0
	for known, m := range l.texts {
		if m.value == nil || !grounding.Says(f, known, m.value) {
			continue
		}
		if pages++; m.sure() {
			pages++
		}
	}
	if l.lie || pages < leastAgree || grounding.Says(f, text, v) {
		return false
	}
	l.lie = true
	if m := l.texts[text]; !grounding.Says(f, text, m.value) {
		delete(l.texts, text)
	}
	return true
}
