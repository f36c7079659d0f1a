// SPDX-License-Identifier: Apache-2.0

package wrapper

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
	"example.com/curlew/internal/schema"
)

const (
	maxTexts  = 50 // texts that one literal knows
	maxParts  = 6  // of a text in which a literal is looked for
	leastVoid = 2  // pages that must show that a text states no value, because a model may overlook one
)

// literal reads a field whose value is concluded from a text that does not contain it:
// "In stock" means true. It knows the texts from which the model concluded values.
type literal struct {
	rule
	texts map[string]meaning // by normal text
	none  meaning            // of pages without the text; its value is nil if it is unknown
	empty map[string]int     // pages of which the model gave no value, by normal text
	lie   bool               // the model has contradicted a text that says its value in words
}

// literals contains the concluded fields of a wrapper. They learn from every page that
// the model reads for it.
type literals struct {
	mu     sync.Mutex // guards the fields below
	fields map[string][]*literal
	broken map[string]bool          // fields whose literals contradicted the model
	asked  map[string]chan struct{} // texts about which the model is being asked; closed when it has answered
	words  *Words                   // of the family of templates; nil if there is none
}

// isConcluded reports whether a field is a boolean or has a list of allowed values.
func isConcluded(f *outline.Field) bool {
	return f.Node.Type == schema.Boolean && f.Node.Choices == nil || f.Node.Enum != nil
}

// conclude returns the literals of a field that agree with all seeds. Texts that are parts of an
// element come after whole ones, unless all whole ones differ between the seeds, like "150 seeds,
// organic". Literals behind a text that is a value of another field come last.
func conclude(f *outline.Field, seeds []Seed) []*literal {
	whole := func(t *journal.Text, _ *grounding.Page) []rule { return rulesOf(t) }
	parts := func(t *journal.Text, p *grounding.Page) []rule {
		return partsOf(t, append(rulesOf(t), opened(placesOf(t, p), seeds)...))
	}
	var last []*literal
	for _, step := range []struct {
		rules func(*journal.Text, *grounding.Page) []rule
		data  bool // labels may be values of other fields
	}{{whole, false}, {parts, false}, {whole, true}, {parts, true}} {
		var out []*literal
		tried := map[rule]bool{}
		var values []any
		for _, s := range seeds {
			c, ok := s.Row[f.Name]
			if !ok || slices.Contains(values, c.Value) {
				continue
			}
			values = append(values, c.Value)
			for _, r := range evidence(s, c, seeds, step.rules) {
				if tried[r] || len(out) == maxRules {
					continue
				}
				tried[r] = true
				l := r.conclude(f, seeds)
				switch {
				case l == nil || !step.data && isData(f, r.label, s):
				case !l.repeats() && len(last) < maxRules:
					last = append(last, l)
				case l.repeats():
					out = append(out, l)
				}
			}
		}
		if len(out) > 0 {
			return telling(f, out)
		}
	}
	return telling(f, last)
}

// isData reports whether a label has a value of another field.
func isData(f *outline.Field, label string, s Seed) bool {
	label = value.Normal(label)
	for name, c := range s.Row {
		if text, ok := c.Value.(string); ok && label != "" && name != f.Name && value.Holds(label, value.Normal(text)) > 0 {
			return true
		}
	}
	return false
}

// repeats reports whether a literal can be expected to know the texts of other pages: at most one
// of its texts has figures and stands on a single page.
func (l *literal) repeats() bool {
	n := 0
	for text, m := range l.texts {
		if figured(text) && !m.sure() {
			n++
		}
	}
	return n < 2
}

// partsOf returns the rules for each part of a text between signs that separate: a boolean is
// often said at the end of a line that says other things, too.
func partsOf(t *journal.Text, rules []rule) []rule {
	var out []rule
	for _, r := range rules {
		if r.of > 0 {
			out = append(out, r)
		}
		for _, sign := range []string{". ", ", ", "; ", " · ", " • ", " | ", " – ", " / "} {
			n := strings.Count(t.Value, sign)
			for k := range n + 1 {
				if n > maxParts {
					break
				}
				part := r
				if k > 0 {
					part.affix = affix{before: sign, place: k, befores: n}
				}
				if k < n {
					part.after, part.afters = sign, n-k
				}
				if n > 0 {
					out = append(out, part)
				}
			}
		}
	}
	return out
}

// said returns the text that a literal reads on a page. The count is two if it has other parts
// than the texts of the seeds.
func (r *rule) said(p *grounding.Page) (text string, count int) {
	text, count = r.only(p)
	if count != 1 {
		return text, count
	}
	text, ok := r.cut(text)
	if !ok {
		return "", 2
	}
	return text, 1
}

// named returns the literals of a boolean that the model gave without lines: those of texts whose
// label has a word of the field. If there are none, and many seeds, it returns those of the only
// label whose texts tell both values apart and are often the same. The texts have no figures: a
// label such as "Opened" may stand before a date.
func named(f *outline.Field, seeds []Seed) []*literal {
	if !isConcluded(f) {
		return nil
	}
	var rules []rule
	texts := seeds[0].Page.Short()
	for i := range texts {
		if t := &texts[i]; t.Label != "" && len(rules) <= 400 {
			rules = append(rules, slices.DeleteFunc(rulesOf(t), func(r rule) bool { return r.label == "" })...)
		}
	}
	sortRules(rules)
	var out, telling []*literal
	for _, r := range slices.Compact(rules) {
		l := r.conclude(f, seeds)
		switch {
		case l == nil || slices.ContainsFunc(slices.Collect(maps.Keys(l.texts)), figured):
		case len(out) < maxRules && value.ShareStem(canons(value.Words(r.label)), canons(f.Words())):
			out = append(out, l)
		case len(telling) < maxRules && len(seeds) >= MaxSeeds && 3*len(l.texts) <= 2*len(seeds) && l.tells():
			telling = append(telling, l)
		}
	}
	if len(out) > 0 || slices.ContainsFunc(telling, func(l *literal) bool {
		return value.Normal(strings.Trim(l.label, " :")) != value.Normal(strings.Trim(telling[0].label, " :"))
	}) {
		return out
	}
	return telling
}

// tells reports whether a literal has a text that means true and one that means false.
func (l *literal) tells() bool {
	var found [2]bool
	for _, m := range l.texts {
		if m.value == true {
			found[1] = true
		} else {
			found[0] = true
		}
	}
	return found[0] && found[1]
}

// canons returns the canonical forms of words.
func canons(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = value.Canon(w)
	}
	return out
}

// figured reports whether a text has a figure.
func figured(s string) bool { return strings.ContainsFunc(s, unicode.IsDigit) }

// isConstant reports whether a field has the same value on all seeds, and they cite
// only the line of a key for it.
func isConstant(t *outline.Table, f *outline.Field, seeds []Seed) bool {
	return !slices.ContainsFunc(seeds, func(s Seed) bool {
		c, ok := s.Row[f.Name]
		return !ok || c.Value != seeds[0].Row[f.Name].Value ||
			!slices.ContainsFunc(t.Keys, func(name string) bool { return s.Row[name].Lines == c.Lines })
	})
}

// constant returns the literal of a field for which no seed has evidence. If a page
// does have evidence, it belongs to another template, or a spot check finds it.
func constant(t *outline.Table, f *outline.Field, seeds []Seed) []*literal {
	if len(seeds) < MaxSeeds || !isConstant(t, f, seeds) {
		return nil
	}
	none := meaning{value: seeds[0].Row[f.Name].Value}
	for _, s := range seeds {
		none.confirm(s.Page)
	}
	return []*literal{{rule: rule{attr: "\x00"}, none: none}} // no text has this attribute
}

// evidence returns the rules that select a text in the lines that a cell of seed s cites. A
// label is no evidence: a text before one that is cited too, or before another one on all
// seeds. If only the label is cited, the texts behind it are meant. In a list of labels and
// values, values stand before the next label too, but not before the same one on all seeds.
func evidence(s Seed, c finding.Cell, seeds []Seed, rules func(*journal.Text, *grounding.Page) []rule) []rule {
	g := s.Page.Main
	if c.Full {
		g = s.Page.All()
	}
	var cited []string
	for n := max(c.Lines[0], 1); n <= c.Lines[1] && n <= len(g.Lines); n++ {
		cited = append(cited, grounding.Unlinked(g.Line(n)))
	}
	cites := func(text string) bool {
		text = value.Normal(text)
		return text != "" && slices.ContainsFunc(cited, func(line string) bool { return value.Holds(line, text) > 0 })
	}
	texts := s.Page.Short()
	labels := map[string]bool{} // of texts that are cited too
	var held []*journal.Text
	for i := range texts {
		if t := &texts[i]; cites(t.Value) && (!strings.HasSuffix(t.Attr, ":") || cites(t.Label)) { // a "No" stands in many lines
			held = append(held, t)
			labels[t.Label] = true
		}
	}
	meant := map[string]bool{} // labels of which only themselves are cited
	held = slices.DeleteFunc(held, func(t *journal.Text) bool {
		if labels[t.Value] {
			return true
		}
		label := isLabel(t.Value, seeds)
		if label && differs(t.Value, seeds) {
			meant[t.Value] = true
		}
		return label
	})
	if len(held) > 0 {
		meant = nil
	}
	for i := range texts {
		if t := &texts[i]; meant[t.Label] && mayAnswer(t, s.Page) {
			held = append(held, t)
		}
	}
	var out []rule
	for _, t := range held {
		if len(out) <= 400 {
			out = append(out, rules(t, s.Page)...)
		}
	}
	sortRules(out)
	return slices.Compact(out)
}

// isLabel reports whether a text stands before another one, which may be its value, on each of the
// seeds.
func isLabel(text string, seeds []Seed) bool {
	return !slices.ContainsFunc(seeds, func(s Seed) bool {
		return !slices.ContainsFunc(s.Page.Short(), func(t journal.Text) bool { return t.Label == text && mayAnswer(&t, s.Page) })
	})
}

// differs reports whether the texts behind a label differ between seeds. If they do not, nobody knows
// which is which: the label may be a value that is the same on all seeds, and the text behind it may
// stand on each page.
func differs(label string, seeds []Seed) bool {
	first := ""
	for _, s := range seeds {
		for _, t := range s.Page.Short() {
			if t.Label == label && first == "" {
				first = t.Value
			}
			if t.Label == label && t.Value != first {
				return true
			}
		}
	}
	return false
}

// mayAnswer reports whether a text may be the value of the label before it. A heading is none, and a
// table or a list with labels of its own is none either.
func mayAnswer(t *journal.Text, p *grounding.Page) bool {
	tag, _, _ := strings.Cut(t.Path[strings.LastIndex(t.Path, ">")+1:], ".")
	switch tag {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		return false
	case "table", "tbody", "ul", "ol", "dl":
		return t.Attr != "" || !slices.ContainsFunc(p.Short(), func(u journal.Text) bool {
			return u.Label != "" && u.Label != t.Label && strings.Contains(t.Value, u.Label+" "+u.Value)
		})
	}
	return true
}

// conclude returns the literal of a rule. If a seed contradicts it, it returns nil.
// Texts that all differ cannot tell values apart, unless all have the same label.
func (r *rule) conclude(f *outline.Field, seeds []Seed) *literal {
	l := &literal{rule: *r, texts: map[string]meaning{}, empty: map[string]int{}}
	stated, absent := 0, false
	for _, s := range l.sayingFirst(f, seeds) {
		text, count := r.said(s.Page)
		v, ok := s.concluded(f)
		switch {
		case count > 1:
			return nil
		case !ok && count > 0:
			l.void(value.Normal(text))
		case !ok:
			absent = true
		case count == 0 && l.none.value != nil && l.none.value != v:
			return nil
		case count == 0:
			l.none.value = v
			l.none.confirm(s.Page)
		default:
			if !l.learn(value.Normal(text), v, s.Page) && !l.excuses(f, value.Normal(text), v) {
				return nil
			}
			stated++
		}
	}
	if stated == 0 || stated > 2 && r.label == "" && l.differ(stated) || l.none.value != nil && (absent || f.Node.Type != schema.Boolean || r.label != "") {
		return nil // without the label nobody knows what another text says: it may be behind another label
	}
	if l.none.value != nil && l.says(l.none.value) {
		return nil
	}
	return l
}

// says reports whether a text that the literal knows means a value.
func (l *literal) says(v any) bool {
	for _, m := range l.texts {
		if m.value == v {
			return true
		}
	}
	return false
}

// learn records that the model gave a value for a page with a text. If it gave another one for a
// page with the same text before, it returns false.
func (l *literal) learn(text string, v any, p *grounding.Page) bool {
	m, known := l.texts[text]
	switch {
	case known && m.value != nil && m.value != v:
		return false
	case !known && len(l.texts) == maxTexts:
		return true
	case m.value == nil: // the text is new, or was taken for one that says nothing
		m = meaning{value: v}
	}
	m.confirm(p)
	l.texts[text] = m
	return true
}

// differ reports whether the texts of all pages differ, so that they cannot tell values apart.
// Parts of texts may, if they are words: other pages wait for what the model says of them.
func (l *literal) differ(pages int) bool {
	return len(l.texts) == pages && (l.affix == affix{} && l.of == 0 || slices.ContainsFunc(slices.Collect(maps.Keys(l.texts)), figured))
}

// void records that the model gave no value for a page with a text.
func (l *literal) void(text string) {
	if _, known := l.texts[text]; known || len(l.empty) == maxTexts {
		return
	}
	if l.empty[text]++; l.empty[text] >= leastVoid {
		l.texts[text] = meaning{}
	}
}

// conclude returns the value of a concluded field on a page and the text that states
// it. If a literal does not know the text of the page, sure is false. If the page
// states no value, v is nil.
func (w *Wrapper) conclude(p *grounding.Page, f *outline.Field) (v any, text string, sure bool) {
	name := f.Name
	w.concluded.mu.Lock()
	defer w.concluded.mu.Unlock()
	all := w.concluded.fields[name]
	if len(all) == 0 || w.concluded.broken[name] {
		return nil, "", false
	}
	for i, l := range all {
		var read any
		said, count := l.said(p)
		switch {
		case count == 1:
			m, sure := w.concluded.means(f, l, said)
			if !sure {
				return nil, "", false
			}
			read, text = m.value, said
		case count == 0 && l.none.sure():
			read = l.none.value
		case count > 1 || !w.gaps.lacks(name):
			return nil, "", false
		}
		if i > 0 && read != v {
			return nil, "", false
		}
		v = read
	}
	return v, text, true
}

// learned reports whether there are, or once were, literals of a field.
func (w *Wrapper) learned(name string) bool {
	w.concluded.mu.Lock()
	defer w.concluded.mu.Unlock()
	_, ok := w.concluded.fields[name]
	return ok
}

// Teach adds what the model concluded on a page, also without a line that states it, and
// what the page shows for fields that it does not have. A literal that contradicts the model
// is dropped.
func (w *Wrapper) Teach(t *outline.Table, s Seed) {
	for _, f := range t.Fields {
		rules := w.rules.get(f.Name)
		if c, ok := s.Row[f.Name]; ok {
			w.relearn(t, f, s)
			w.rules.prune(f, s.Page, c.Value)
		} else if len(rules) > 0 {
			w.gaps.learn(f, rules, s.Page)
		}
	}
	w.concluded.mu.Lock()
	defer w.concluded.mu.Unlock()
	for name, all := range w.concluded.fields {
		taught, ok := s.concluded(t.Field(name))
		if !ok {
			for _, l := range all {
				if text, count := l.said(s.Page); count == 1 {
					l.void(value.Normal(text))
				}
			}
			continue
		}
		fits := slices.ContainsFunc(all, func(l *literal) bool { return l.reads(s.Page) == taught })
		w.concluded.fields[name] = slices.DeleteFunc(all, func(l *literal) bool {
			text, count := l.said(s.Page)
			if fits && (count > 1 || count == 0 && l.none.value == nil) {
				return true // it selects a text by what only the first pages had in common
			}
			if count != 1 {
				return count == 0 && !l.teachNone(taught, s.Page)
			}
			key := value.Normal(text)
			if !l.learn(key, taught, s.Page) {
				return !l.excuses(t.Field(name), key, taught)
			}
			w.concluded.words.learn(name, key, l.texts[key])
			return false
		})
		if len(w.concluded.fields[name]) == 0 {
			w.concluded.broken[name] = true
		}
	}
}

// reads returns the value that the text of a page is known to mean, or nil.
func (l *literal) reads(p *grounding.Page) any {
	text, count := l.said(p)
	if count != 1 {
		return nil
	}
	return l.texts[value.Normal(text)].value
}

// teachNone learns the value of pages without the text. If that contradicts what is
// known, it returns false.
func (l *literal) teachNone(v any, p *grounding.Page) bool {
	if _, ok := v.(bool); !ok || l.label != "" {
		return true
	}
	if l.none.value != nil && l.none.value != v || l.none.value == nil && l.says(v) {
		return false
	}
	l.none.value = v
	l.none.confirm(p)
	return true
}
