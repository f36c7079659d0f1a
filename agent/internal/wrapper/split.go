// SPDX-License-Identifier: Apache-2.0

package wrapper

import (
	"slices"
	"strings"
	"sync"

	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
)

// split divides a part of a text into two values between which there is only a space, such as
// "Female Terrier cross". One of them has the same number of words on all pages, and is known:
// two pages have shown it beside a value of any length. The other one is the rest.
type split struct {
	second bool // the value of the field is the second one
	atEnd  bool // the known one is the second one
	words  int  // of the known one

	mu    sync.Mutex // guards known
	known map[string]meaning
}

// divide returns the value of the field and the text that must be known, or false if the part has
// too few words, or signs that separate.
func (s *split) divide(part string) (inner, other string, ok bool) {
	words := strings.Fields(part)
	at := s.words
	if s.atEnd {
		at = len(words) - s.words
	}
	if at < 1 || at >= len(words) || clauseEnd.MatchString(part) {
		return "", "", false
	}
	first, second := strings.Join(words[:at], " "), strings.Join(words[at:], " ")
	if inner, other = first, second; s.second {
		inner = second
	}
	if !s.atEnd {
		other = first
	}
	return inner, other, true
}

// knows reports whether two pages have shown what must be known of a part of a text.
func (s *split) knows(part string) bool {
	_, other, ok := s.divide(part)
	s.mu.Lock()
	defer s.mu.Unlock()
	return ok && s.known[value.Normal(other)].sure()
}

// confirm records that a page has a value of the field in a part of a text.
func (s *split) confirm(part string, p *grounding.Page) {
	_, other, ok := s.divide(part)
	other = value.Normal(other)
	s.mu.Lock()
	defer s.mu.Unlock()
	if m, known := s.known[other]; ok && (known || len(s.known) < maxTexts) {
		m.value = true
		m.confirm(p)
		s.known[other] = m
	}
}

// knows reports whether what must be known of a text is.
func (a *affix) knows(text string) bool {
	part, ok := a.part(text)
	return a.split == nil || ok && a.split.knows(part)
}

// confirm records that a page has a value of the field in a text.
func (a *affix) confirm(text string, p *grounding.Page) {
	if part, ok := a.part(text); ok && a.split != nil {
		a.split.confirm(part, p)
	}
}

// unknown returns a name for what keeps a split from reading a part of a text, or "" if nothing
// does.
func (s *split) unknown(part string) string {
	_, other, _ := s.divide(part)
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.known[value.Normal(other)]
	if m.sure() {
		return ""
	}
	return "\x02" + value.Normal(other) + "\x00" + strings.Join(m.by[:], " ")
}

// divided returns the affix of texts in which the value of a text field stands beside another
// one. One of the two has the same number of words on all seeds, and the other one has not.
func divided(f *outline.Field, all []span, having []Seed) (affix, bool) {
	if outline.KindOf(f.Node) != "string" {
		return affix{}, false
	}
	parts := make([]span, len(all))
	var before, after []int // words beside the value
	var own []int
	for i, s := range all {
		parts[i] = s.clause()
		p := parts[i]
		before = append(before, len(strings.Fields(p.text[p.from:s.from])))
		own = append(own, len(strings.Fields(s.text[s.from:s.to])))
		after = append(after, len(strings.Fields(p.text[s.to:p.to])))
	}
	none := func(n []int) bool { return !slices.ContainsFunc(n, func(k int) bool { return k > 0 }) }
	same := func(n []int) bool { return !slices.ContainsFunc(n, func(k int) bool { return k != n[0] }) }
	s := &split{second: none(after), known: map[string]meaning{}}
	other := after
	if s.second {
		other = before
	}
	if none(before) == none(after) || slices.Contains(other, 0) || same(own) == same(other) {
		return affix{}, false
	}
	s.words, s.atEnd = own[0], s.second
	if same(other) {
		s.words, s.atEnd = other[0], !s.second
	}
	a := affix{before: commonSuffix(parts), after: commonPrefix(parts)}
	if !a.learn(f, parts, having) {
		return affix{}, false
	}
	for i, p := range parts {
		s.confirm(p.text[p.from:p.to], having[i].Page)
	}
	a.split = s
	return a, true
}

// clause returns the part of the text without signs that separate in which a value stands.
func (s span) clause() span {
	out := span{text: s.text, to: len(s.text)}
	if ends := clauseEnd.FindAllStringIndex(s.before(), -1); len(ends) > 0 {
		out.from = ends[len(ends)-1][1]
	}
	if end := clauseEnd.FindStringIndex(s.after()); end != nil {
		out.to = s.to + end[0]
	}
	for out.from < s.from && s.text[out.from] == ' ' {
		out.from++
	}
	for out.to > s.to && s.text[out.to-1] == ' ' {
		out.to--
	}
	return out
}
