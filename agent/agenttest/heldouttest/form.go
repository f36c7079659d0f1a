// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"cmp"
	"fmt"
	"html"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"example.com/curlew/agent/agenttest"
	"example.com/curlew/agent/internal/protocol"
)

// form is the markup of a site that is written by hand. {field} stands for the value of a
// field, and {field|Label} for one that follows its label; {name} is the name with a link
// to the page of the thing, if it has one. {link} is the address of that page, and {named} the name without a link.
type form struct {
	before, after string // around a list; {sum:field} is the sum of a field over the page
	item          string // one thing of a list
	detail        string // the page of a thing
	related       string // other things on the page of a thing, which is not about them
	section       string // a heading above the things that have the same value in the field of the site that groups
	ad            string // behind every fifth thing
}

var (
	slots = regexp.MustCompile(`\{([a-z_0-9]+)(?:\|([^}]*))?\}`)
	alts  = regexp.MustCompile(`alt="([^"]*)"`) // a picture may be a label
	sums  = regexp.MustCompile(`\{sum:([a-z_0-9]+)\}`)
)

// fill writes a thing as a form says.
func (b *writer) fill(s *site, t *thing, text string) {
	before := len(b.page.mentions)
	b.WriteString(slots.ReplaceAllStringFunc(text, func(slot string) string {
		m := slots.FindStringSubmatch(slot)
		if m[1] == "link" {
			return s.path(t.index, t)
		}
		if m[1] == "named" {
			return html.EscapeString(t.name)
		}
		if m[1] == "name" && s.columns[0].name != "name" || m[1] == s.columns[0].name {
			return b.name(s, t)
		}
		c := s.column(m[1])
		if c == nil {
			return slot
		}
		label := strings.TrimRight(m[2], ": ")
		if alt := alts.FindStringSubmatch(m[2]); alt != nil {
			label = alt[1]
		}
		return m[2] + b.cell(t, c, label)
	}))
	// What stands in front of the name belongs to the thing, too.
	rank := func(m mention) int {
		if m.field == s.columns[0].name {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(b.page.mentions[before:], func(x, y mention) int { return rank(x) - rank(y) })
}

// form writes a list as the form of its site says.
func (b *writer) form(s *site, all []*thing) {
	b.WriteString(s.form.before)
	if s.form.section != "" {
		all = slices.SortedStableFunc(slices.Values(all), func(x, y *thing) int { return cmp.Compare(x.cells[s.by].text, y.cells[s.by].text) })
	}
	last := ""
	for i, t := range all {
		if text := t.cells[s.by].text; s.form.section != "" && text != last {
			fmt.Fprintf(b, s.form.section, html.EscapeString(text))
			last = text
		}
		b.fill(s, t, s.form.item)
		if s.form.section != "" {
			row := strings.HasPrefix(s.form.section, "<tr") // of the table
			b.page.mentions = append(b.page.mentions, mention{thing: t, field: s.by, text: last, heading: !row, above: row})
		}
		if s.form.ad != "" && i%5 == 4 {
			b.WriteString(s.form.ad)
		}
	}
	b.WriteString(sums.ReplaceAllStringFunc(s.form.after, func(slot string) string {
		sum := 0.0
		for _, t := range all {
			v, _ := t.cells[sums.FindStringSubmatch(slot)[1]].truth.(float64)
			sum += v
		}
		return grouped(int(sum), " ")
	}))
}

// about writes the page of a thing as the form of its site says.
func (b *writer) about(s *site, t *thing) {
	b.fill(s, t, s.form.detail)
	if s.form.related == "" {
		return
	}
	kept := b.page.mentions
	for k := range 3 {
		b.fill(s, s.things[(t.index+k+7)%len(s.things)], s.form.related)
	}
	b.page.mentions = kept
}

// several makes lists of texts, printed with a separator.
func several(separator string, lists ...string) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		var truth []any
		parts := strings.Split(lists[rng.IntN(len(lists))], ", ")
		for _, p := range parts {
			truth = append(truth, p)
		}
		return truth, strings.Join(parts, separator)
	}
}

// clock makes times of the day.
func clock(first, last int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := first*60 + rng.IntN((last-first)*60)
		text := fmt.Sprintf("%02d:%02d", n/60, n%60)
		return text, text
	}
}

// wasFrom makes prices, of which some show a former price that is struck out and some say "from".
func wasFrom(m maker, from, format, separator string) maker {
	return func(rng *rand.Rand, i int) (any, string) {
		truth, text := m(rng, i)
		switch i % 4 {
		case 1:
			n, _ := truth.(float64)
			return truth, fmt.Sprintf("<%s|<s>%s</s> %s", text, fmt.Sprintf(format, grouped(int(n)+20+int(n)/6, separator)), text)
		case 2:
			return truth, fmt.Sprintf("<%s|%s %s", text, from, text)
		}
		return truth, text
	}
}

// lookup adds a question about one thing that it names.
func (w *Web) lookup(class, host, format, fields string, i int) {
	s := w.site(host)
	t := s.things[i]
	prompt := fmt.Sprintf(format, t.name)
	columns := s.some(fields)
	w.keep(class, prompt, &plan{site: s, shape: protocol.ShapeOne, fields: strings.Fields(fields), subjects: []*thing{t}, conditions: plain([]condition{is(s.columns[0].name, "=", t.name, t.name)})},
		schema(columns), agenttest.Truth{Rows: []map[string]any{t.row(columns)}}, s.entry())
}

// absent adds a question about a thing that no page has. An answer that says anything
// is wrong, and so is one that is called done.
func (w *Web) absent(class, host, format, name, fields string) {
	s := w.site(host)
	prompt := fmt.Sprintf(format, name)
	w.keep(class, prompt, &plan{site: s, shape: protocol.ShapeOne, fields: strings.Fields(fields), subjects: []*thing{{site: s, name: name}}, conditions: plain([]condition{is(s.columns[0].name, "=", name, name)})},
		schema(s.some(fields)), agenttest.Truth{}, s.entry())
	w.Tasks[len(w.Tasks)-1].Severed = true
}

// unstated adds a question with a condition that no page says anything about.
func (w *Web) unstated(class, host, prompt, fields string, conditions ...condition) {
	w.ask(class, host, prompt, fields, conditions...)
	w.Tasks[len(w.Tasks)-1].Severed = true
}

// listOf returns the texts of a list, for a field that is one.
func (t *thing) listOf(field string) ([]any, bool) {
	list, ok := t.cells[field].truth.([]any)
	return list, ok
}

// has reports whether a list has a text.
func has(list []any, text string) bool {
	return slices.ContainsFunc(list, func(v any) bool { return v == text })
}
