// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/curlew/agent"
	"example.com/curlew/agent/agenttest"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/journal"
)

// plan is what a person who reads a task understands.
type plan struct {
	site       *site
	shape      string
	conditions []journal.Condition
	fields     []string // that rows need
	hops       []journal.Hop
	subjects   []*thing // that the task names
	across     bool     // they are on different sites
	sites      []*site  // if the things of more than one site are wanted
}

// condition is a part of a question.
type condition struct {
	journal.Condition
	against string // the value in the unit of the truth; empty: that of the condition
}

func is(field, op, value, words string) condition {
	return condition{Condition: journal.Condition{Field: field, Op: op, Value: value, Words: words}}
}

func (c condition) in(unit string) condition { c.Unit = unit; return c }

func (c condition) means(value string) condition { c.against = value; return c }

func (c condition) or() condition { c.Or = true; return c }

// meets reports whether a thing meets one condition; top and bottom are met by all.
func (c condition) meets(t *thing) bool {
	v, ok := t.cells[c.Field]
	if c.Op == "top" || c.Op == "bottom" {
		return ok
	}
	if !ok {
		return false
	}
	order := 0
	switch v := v.truth.(type) {
	case float64:
		want, _ := strconv.ParseFloat(cmp.Or(c.against, c.Value), 64)
		order = cmp.Compare(v, want)
	case bool:
		if v != (c.Value == "true") {
			order = 1
		}
	case []any:
		return has(v, c.Value) == (c.Op != "!=")
	case string:
		if c.Op == "contains" {
			return strings.Contains(strings.ToLower(v), strings.ToLower(c.Value))
		}
		if c.Op == "in" {
			return slices.Contains(strings.Split(c.Value, " | "), v)
		}
		if t.site.column(c.Field).kind == "date" {
			v = v[:min(len(v), len(c.Value))]
		}
		order = cmp.Compare(v, c.Value)
	}
	switch c.Op {
	case "=":
		return order == 0
	case "!=":
		return order != 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

// meeting returns the things of a site that meet all conditions.
func (s *site) meeting(conditions []condition) []*thing { return meeting(s.things, conditions) }

// meeting returns the things that meet all conditions.
func meeting(things []*thing, conditions []condition) []*thing {
	var kept []*thing
	for _, t := range things {
		all, group := true, false
		for i, c := range conditions {
			if !c.Or {
				all, group = all && (i == 0 || group), c.meets(t)
			} else {
				group = group || c.meets(t)
			}
		}
		if all && (len(conditions) == 0 || group) {
			kept = append(kept, t)
		}
	}
	for _, c := range conditions {
		n, _ := strconv.Atoi(c.Value)
		if c.Op != "top" && c.Op != "bottom" {
			continue
		}
		slices.SortStableFunc(kept, func(a, b *thing) int {
			order := 0
			switch x := a.cells[c.Field].truth.(type) {
			case float64:
				order = cmp.Compare(x, b.cells[c.Field].truth.(float64))
			case string:
				order = cmp.Compare(x, b.cells[c.Field].truth.(string))
			}
			if c.Op == "top" {
				return -order
			}
			return order
		})
		if n < len(kept) { // what is equal to the last one belongs to the answer too
			last := kept[n-1].cells[c.Field].truth
			for n < len(kept) && kept[n].cells[c.Field].truth == last {
				n++
			}
			kept = kept[:n]
		}
	}
	return kept
}

// schema returns the schema of an object with columns as its members.
func schema(columns []*column) string {
	var parts, required []string
	for _, c := range columns {
		kind := c.kind
		format := ""
		if kind == "date" {
			kind, format = "string", `,"format":"date"`
		}
		if item, ok := strings.CutSuffix(kind, "[]"); ok {
			kind, format = "array", fmt.Sprintf(`,"items":{"type":%q}`, item)
		}
		parts = append(parts, fmt.Sprintf(`%q:{"type":%q%s,"description":%q}`, c.name, kind, format, c.about))
		if c.missing == 0 && !c.lost {
			required = append(required, strconv.Quote(c.name))
		}
	}
	return fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%s]}`, strings.Join(parts, ","), strings.Join(required, ","))
}

func (s *site) some(fields string) []*column {
	var out []*column
	for f := range strings.FieldsSeq(fields) {
		out = append(out, s.column(f))
	}
	return out
}

// row returns the truth about a thing.
func (t *thing) row(columns []*column) map[string]any {
	row := map[string]any{}
	for _, c := range columns {
		if v, ok := t.cells[c.name]; ok {
			row[c.name] = v.truth
		}
	}
	return row
}

// keep keeps a task and what a reader understands of it.
func (w *Web) keep(class, prompt string, p *plan, schema string, truth agenttest.Truth, urls ...string) {
	w.plans[prompt] = p
	w.Tasks = append(w.Tasks, Task{Class: class, Severed: p.site.cut > 0 || p.site.gap > 0 || p.site.short > 0, Task: agenttest.Task{
		Name:  prompt,
		Task:  agent.Task{ID: fmt.Sprintf("task %d", len(w.Tasks)), Prompt: prompt, URLs: urls, Schema: json.RawMessage(schema)},
		Truth: []agenttest.Truth{truth},
	}})
}

func plain(conditions []condition) []journal.Condition {
	out := []journal.Condition{}
	for _, c := range conditions {
		out = append(out, c.Condition)
	}
	return out
}

// ask adds a question that a list answers.
func (w *Web) ask(class, host, prompt, fields string, conditions ...condition) {
	s := w.site(host)
	columns := s.some(fields)
	truth := agenttest.Truth{Path: s.member, Keys: []string{columns[0].name}}
	for _, t := range s.meeting(conditions) {
		truth.Rows = append(truth.Rows, t.row(columns))
	}
	object := fmt.Sprintf(`{"type":"object","properties":{%q:{"type":"array","items":%s}},"required":[%q]}`, s.member, schema(columns), s.member)
	w.keep(class, prompt, &plan{site: s, shape: protocol.ShapeList, conditions: plain(conditions), fields: strings.Fields(fields)}, object, truth, s.entry())
}

// askAll adds a question that the things of several sites answer.
func (w *Web) askAll(class string, hosts []string, prompt, fields string, conditions ...condition) {
	s := w.site(hosts[0])
	p := &plan{site: s, shape: protocol.ShapeList, conditions: plain(conditions), fields: strings.Fields(fields)}
	var things []*thing
	var urls []string
	for _, h := range hosts {
		o := w.site(h)
		p.sites, things, urls = append(p.sites, o), append(things, o.things...), append(urls, o.entry())
	}
	columns := s.some(fields)
	w.keep(class, prompt, p, listSchema(s.member, columns), truthOf(s.member, columns, meeting(things, conditions)...), urls...)
}

// best adds a question that the first of all things by a measure answers.
func (w *Web) best(class, host, prompt, fields string, conditions ...condition) {
	s := w.site(host)
	columns := s.some(fields)
	kept := s.meeting(conditions)
	if len(kept) != 1 { // a draw has no answer
		return
	}
	w.keep(class, prompt, &plan{site: s, shape: protocol.ShapeBest, conditions: plain(conditions), fields: strings.Fields(fields)},
		schema(columns), agenttest.Truth{Rows: []map[string]any{kept[0].row(columns)}}, s.entry())
}

// count adds a question for a number of things.
func (w *Web) count(class, host, prompt string, conditions ...condition) {
	s := w.site(host)
	w.keep(class, prompt, &plan{site: s, shape: protocol.ShapeCount, conditions: plain(conditions), fields: []string{s.columns[0].name}},
		`{"type":"object","properties":{"count":{"type":"integer"}},"required":["count"]}`,
		agenttest.Truth{Rows: []map[string]any{{"count": float64(len(s.meeting(conditions)))}}}, s.entry())
}

// compare adds a question about two things by name.
func (w *Web) compare(class, host, format, fields string, a, b int) {
	s := w.site(host)
	x, y := s.things[a], s.things[b]
	name := s.columns[0].name
	columns := s.some(fields)
	prompt := fmt.Sprintf(format, x.name, y.name)
	w.keep(class, prompt, &plan{
		site: s, shape: protocol.ShapeComparison, fields: strings.Fields(fields), subjects: []*thing{x, y},
		conditions: plain([]condition{is(name, "in", x.name+" | "+y.name, prompt[strings.Index(prompt, x.name):strings.Index(prompt, y.name)+len(y.name)])}),
	}, listSchema("compared", columns), truthOf("compared", columns, x, y), s.entry())
}

// listSchema returns the schema of an object with a list of rows.
func listSchema(member string, columns []*column) string {
	return fmt.Sprintf(`{"type":"object","properties":{%q:{"type":"array","items":%s}},"required":[%q]}`, member, schema(columns), member)
}

// truthOf returns the truth about some things in a list of rows.
func truthOf(member string, columns []*column, things ...*thing) agenttest.Truth {
	out := agenttest.Truth{Path: member, Keys: []string{columns[0].name}}
	for _, t := range things {
		out.Rows = append(out.Rows, t.row(columns))
	}
	return out
}

// named returns the thing of a site that a cell of another one names.
func (s *site) named(t *thing, field string) *thing {
	i := slices.IndexFunc(s.things, func(o *thing) bool { return o.name == t.cells[field].truth })
	return s.things[i]
}

// hop adds a question about what a field of a thing names.
func (w *Web) hop(class, host, other, prompt, wanted, field string, t *thing) {
	s, o := w.site(host), w.site(other)
	to := o.named(t, field)
	columns := o.some(wanted)
	w.keep(class, prompt, &plan{
		site: s, shape: protocol.ShapeOne, fields: []string{wanted}, subjects: []*thing{t},
		hops: []journal.Hop{{Field: field, Question: columns[0].about, Fills: []string{}}},
	}, schema(columns), agenttest.Truth{Rows: []map[string]any{to.row(columns)}}, s.entry(), o.entry())
}

// rowHop adds a question whose rows need what another site says about a value of theirs.
func (w *Web) rowHop(class, host, other, prompt, fields, wanted, field string, conditions ...condition) {
	s, o := w.site(host), w.site(other)
	columns, more := s.some(fields), o.some(wanted)
	truth := agenttest.Truth{Path: s.member, Keys: []string{columns[0].name}}
	for _, t := range s.meeting(conditions) {
		row := t.row(columns)
		row[wanted] = o.named(t, field).cells[wanted].truth
		truth.Rows = append(truth.Rows, row)
	}
	object := fmt.Sprintf(`{"type":"object","properties":{%q:{"type":"array","items":%s}},"required":[%q]}`, s.member, schema(append(slices.Clone(columns), more...)), s.member)
	w.keep(class, prompt, &plan{
		site: s, shape: protocol.ShapeList, conditions: plain(conditions), fields: append(strings.Fields(fields), wanted),
		hops: []journal.Hop{{Field: field, Question: cmp.Or(more[0].about, more[0].label), Fills: []string{wanted}}},
	}, object, truth, s.entry(), o.entry())
}
