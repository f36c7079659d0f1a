// SPDX-License-Identifier: Apache-2.0

package agenttest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/curlew/agent"
)

// Task is a question about a [Web], with its answer.
type Task struct {
	Name   string
	Task   agent.Task
	Search bool  // it needs a Searcher
	Map    bool  // it needs a Mapper
	First  *Task // the task whose run this one continues; nil if there is none
	Truth  []Truth
}

// Truth is the right content of one table of the answer.
type Truth struct {
	Path string           // member of the answer; empty means that the answer itself is the only row
	Keys []string         // fields that identify rows
	Rows []map[string]any // values in the form of JSON; values that no page states are absent
}

// fieldTypes contains the types of the fields, as JSON Schema.
var fieldTypes = map[string]string{
	"code": `{"type":"string"}`, "name": `{"type":"string"}`, "price": `{"type":"number"}`, "stock": `{"type":"integer"}`,
	"assets": `{"type":"number"}`, "flow": `{"type":"number"}`, "revenue": `{"type":"number"}`, "staff": `{"type":"integer"}`,
	"since": `{"type":"string","format":"date"}`, "maker": `{"type":"string"}`, "available": `{"type":"boolean","description":"in stock now"}`,
	"url": `{"type":"string","format":"uri"}`, "chief": `{"type":"string","description":"name of the chief executive"}`, "city": `{"type":"string"}`,
}

// schemaOf returns the schema of rows with fields, of which some are required.
func schemaOf(fields []string, optional ...string) string {
	var members, required []string
	for _, f := range fields {
		members = append(members, fmt.Sprintf("%q:%s", f, fieldTypes[f]))
		if !slices.Contains(optional, f) {
			required = append(required, fmt.Sprintf("%q", f))
		}
	}
	return fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%s]}`, strings.Join(members, ","), strings.Join(required, ","))
}

// listOf returns the schema of an answer with one list for each member.
func listOf(members ...string) json.RawMessage {
	var parts, names []string
	for i := 0; i+2 < len(members); i += 3 {
		parts = append(parts, fmt.Sprintf(`%q:{"type":"array","description":%q,"items":%s}`, members[i], members[i+1], members[i+2]))
		names = append(names, fmt.Sprintf("%q", members[i]))
	}
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%s]}`, strings.Join(parts, ","), strings.Join(names, ",")))
}

// truthOf returns the truth about records.
func truthOf(path string, keys []string, records []*record, fields []string) Truth {
	t := Truth{Path: path, Keys: keys}
	for _, r := range records {
		row := map[string]any{}
		for _, f := range fields {
			if v := r.truth(f); v != nil {
				row[f] = v
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// optional contains the fields that pages may leave out.
var optional = []string{"since", "maker", "url"}

// asker makes tasks about the catalogs of a Web.
type asker struct{ *Web }

// gather returns a task about all things of a catalog, starting at its first page.
func (q asker) gather(name, id string, fields ...string) Task {
	c := q.catalog(id)
	return Task{
		Name: name,
		Task: agent.Task{
			ID: name, Prompt: fmt.Sprintf("Find every %s of the catalogue %s: %s.", c.noun, c.id, strings.Join(fields, ", ")),
			URLs: []string{c.entry()}, Schema: listOf("items", "every "+c.noun, schemaOf(fields, optional...)),
		},
		Truth: []Truth{truthOf("items", []string{fields[0]}, c.records, fields)},
	}
}

// strict returns a task about given pages only.
func (q asker) strict(name, id string, from, to int, fields ...string) Task {
	t := q.gather(name, id, fields...)
	c := q.catalog(id)
	t.Task.Strict, t.Task.URLs = true, nil
	for _, r := range c.records[from:to] {
		t.Task.URLs = append(t.Task.URLs, r.url())
	}
	t.Truth = []Truth{truthOf("items", []string{fields[0]}, c.records[from:to], fields)}
	return t
}

// single returns a task about one page, which states one thing.
func (q asker) single(name, id string, at int, fields ...string) Task {
	c := q.catalog(id)
	r := c.records[at]
	return Task{
		Name:  name,
		Task:  agent.Task{ID: name, Prompt: "What does the page say about the " + c.noun + "?", URLs: []string{r.url()}, Schema: json.RawMessage(schemaOf(fields, optional...))},
		Truth: []Truth{truthOf("", nil, []*record{r}, fields)},
	}
}

// file returns a task about a document itself.
func (q asker) file(name, id string, fields ...string) Task {
	t := q.gather(name, id, fields...)
	t.Task.Strict, t.Task.URLs = true, []string{q.catalog(id).document()}
	return t
}

// Tasks returns the scenarios: 50 tasks about lists with several pages, details,
// comparisons, documents, contradictions, duplicates, missing values and five
// languages.
func (w *Web) Tasks() []Task {
	q := asker{w}
	facts := []string{"code", "name", "price", "stock", "since", "maker"}
	all := slices.Concat(facts, []string{"available"})
	tasks := []Task{
		q.gather("table with pages", "kettles", facts...),
		q.gather("details behind a listing", "lamps", facts...),
		q.gather("German table", "uhren", facts...),
		q.gather("German details", "stuehle", facts...),
		q.gather("French cards", "vins", facts...),
		q.gather("French details", "livres", facts...),
		q.gather("Japanese table", "kamera", facts...),
		q.gather("Japanese details", "chaya", facts...),
		q.gather("Spanish lines", "sillas", facts...),
		q.gather("details with structured data", "radios", "code", "name", "price", "stock"),
		q.gather("missing values in details", "bikes", facts...),
		q.gather("missing values in cards", "cards", facts...),
		q.gather("workbook behind a page", "sheets", facts...),
		q.gather("comma-separated values behind a page", "ledger", facts...),
		q.gather("letter behind a page", "memo", facts...),
		q.gather("PDF behind a page", "leaflet", facts...),
		q.gather("entries repeated on the next page", "dupes", facts...),
		q.gather("wrong total", "claims", facts...),
		q.gather("maze", "maze", facts...),
		q.gather("poisoned pages", "poison", facts...),
		q.gather("long list on one page", "long", facts...),
		q.gather("lines without a total", "bullets", facts...),
		q.gather("names and prices alone", "kettles", "name", "price"),
		q.gather("booleans in a table", "kettles", all...),
		q.gather("booleans in cards", "cards", "code", "name", "available"),
		q.gather("links of details", "livres", "code", "name", "url"),
		q.gather("dates in German lines", "uhren", "code", "since"),
		q.gather("names as keys in details", "chaya", "name", "price", "stock"),
		q.file("workbook", "sheets", facts...),
		q.file("comma-separated values", "ledger", facts...),
		q.file("letter", "memo", facts...),
		q.file("PDF", "leaflet", facts...),
		q.strict("ten details", "lamps", 0, 10, facts...),
		q.strict("ten German details", "stuehle", 5, 15, facts...),
		q.strict("ten French details", "livres", 3, 13, facts...),
		q.strict("ten Japanese details", "chaya", 0, 10, facts...),
		q.strict("details with gaps", "bikes", 10, 30, facts...),
		q.strict("details for machines", "radios", 0, 12, "code", "name", "price"),
		q.strict("poisoned details", "poison", 0, 10, facts...),
		q.single("one lamp", "lamps", 42, all...),
		q.single("one chair, in German", "stuehle", 7, facts...),
		q.single("one book, in French", "livres", 11, facts...),
		q.single("one tea, in Japanese", "chaya", 4, facts...),
	}
	compare := q.gather("comparison of three shops", "compare", facts...)
	compare.Task.URLs = nil
	for _, host := range w.catalog("compare").hosts {
		compare.Task.URLs = append(compare.Task.URLs, "https://"+host+"/list")
	}
	given := compare
	given.Name, given.Task.Strict = "comparison of three pages", true
	tasks = append(tasks, compare, given)

	for _, s := range []struct{ name, id string }{{"search for a table", "kettles"}, {"search for details", "stuehle"}} {
		t := q.gather(s.name, s.id, facts...)
		t.Task.URLs, t.Search = nil, true
		tasks = append(tasks, t)
	}
	named := q.gather("address in the question", "sillas", facts...)
	named.Task.Prompt += " See " + named.Task.URLs[0] + "."
	named.Task.URLs = nil
	mapped := q.gather("details by a map", "livres", facts...)
	mapped.Map, mapped.Task.URLs = true, []string{"https://livres.test/about"}
	two := q.gather("two tables", "kettles", "code", "name", "price")
	dupes := w.catalog("dupes")
	two.Task.URLs = append(two.Task.URLs, dupes.entry())
	two.Task.Prompt = "Find every kettle and every mug: code, name, price."
	rows := schemaOf([]string{"code", "name", "price"})
	two.Task.Schema = listOf("kettles", "every kettle", rows, "mugs", "every mug", rows)
	two.Truth[0].Path = "kettles"
	two.Truth = append(two.Truth, truthOf("mugs", []string{"code"}, dupes.records, []string{"code", "name", "price"}))
	tasks = append(tasks, named, mapped, two)
	for i := range tasks {
		tasks[i].Task.ID = tasks[i].Name
	}
	return tasks
}

// Details returns a task about 100 or 500 detail pages of a listing, with which figures
// are measured. The pages have the median length of real sites, about 4,700 tokens of
// Markdown. Less than half of them belong to the main content.
func (w *Web) Details(n int) Task {
	q := asker{w}
	id := "gauges"
	if n > 100 {
		id = "parts"
	}
	t := q.gather(fmt.Sprintf("%d details", n), id, "code", "name", "price", "stock", "since", "maker")
	c := w.catalog(id)
	t.Truth[0].Rows = t.Truth[0].Rows[:min(n, c.n)]
	return t
}
