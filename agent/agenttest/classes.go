// SPDX-License-Identifier: Apache-2.0

package agenttest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/curlew/agent"
)

// Class contains tasks that ask in the same way.
type Class struct {
	Name  string
	Tasks []Task
}

// Kinds are the modes of an oracle with which each class is tested.
var Kinds = []Mode{Truthful, Sloppy, Lying, Uncited, Idle, Formatless}

// Classes returns tasks, by class, that ask for something other than all things of a
// listing.
func (w *Web) Classes() []Class {
	q := asker{w}
	facts := []string{"code", "name", "price", "stock", "since", "maker"}
	all := slices.Concat(facts, []string{"available"})
	gather := Class{Name: "gather all", Tasks: []Task{
		q.gather("table with pages", "kettles", facts...),
		q.gather("details behind a listing", "lamps", facts...),
		q.gather("German details", "stuehle", facts...),
		q.gather("French cards", "vins", facts...),
		q.gather("Spanish lines", "sillas", facts...),
		q.gather("missing values in details", "bikes", facts...),
	}}
	return []Class{
		gather,
		{Name: "conditions", Tasks: q.conditions()},
		{Name: "comparisons", Tasks: q.comparisons()},
		{Name: "two hops", Tasks: q.hops()},
		{Name: "two hops for each row", Tasks: q.rowHops()},
		{Name: "keys on details", Tasks: []Task{
			q.gather("codes on details", "clocks", facts...),
			q.gather("codes on details, names and prices on the list", "clocks", "code", "name", "price"),
			q.gather("codes behind nameless links", "plates", facts...),
		}},
		{Name: "short slugs", Tasks: []Task{
			q.gather("short slugs", "vases", facts...),
			q.gather("German short slugs", "kruege", facts...),
		}},
		{Name: "booleans", Tasks: []Task{
			q.gather("booleans on details", "vases", all...),
			q.gather("booleans on German details", "kruege", all...),
			q.gather("booleans in cards", "cards", "code", "name", "available"),
		}},
		{Name: "two clicks", Tasks: []Task{
			q.gather("lists behind sections", "depot", "code", "name"),
			q.gather("details behind sections", "depot", facts...),
		}},
		{Name: "follow-ups", Tasks: q.followUps()},
		{Name: "amounts", Tasks: []Task{
			q.gather("amounts in cards", "funds", "code", "name", "assets", "flow"),
			q.gather("amounts behind labels with a year", "firms", "code", "name", "revenue", "staff"),
		}},
	}
}

// where returns a task about the records of a catalog that meet a condition, which is
// at the end of the question.
func (q asker) where(name, id, condition string, meets func(r *record) bool, fields ...string) Task {
	t := q.gather(name, id, fields...)
	c := q.catalog(id)
	t.Task.Prompt = fmt.Sprintf("Find every %s of the catalogue %s %s: %s.", c.noun, c.id, condition, strings.Join(fields, ", "))
	var kept []*record
	for _, r := range c.records {
		if meets(r) {
			kept = append(kept, r)
		}
	}
	t.Truth = []Truth{truthOf("items", fields[:1], kept, fields)}
	return t
}

// conditions returns questions about a part of a catalog.
func (q asker) conditions() []Task {
	cheapest := q.byPrice("kettles")[:5]
	tasks := []Task{
		q.where("below a price, in a table", "kettles", "that costs less than $1,500", func(r *record) bool { return r.cents < 150_000 }, "code", "name", "price"),
		q.where("in stock, with a hidden column", "cards", "that is in stock", func(r *record) bool { return r.shipped }, "code", "name", "price"),
		q.where("one of two makers, on details", "lamps", "made by Fenwick or Hollis", func(r *record) bool { return r.maker == "Fenwick" || r.maker == "Hollis" }, "code", "name", "maker"),
		q.where("above a price, in German", "stuehle", "that costs more than €2,000", func(r *record) bool { return r.cents > 200_000 }, "code", "name", "price", "maker"),
		q.where("since a year", "sillas", "sold since 2015 or later", func(r *record) bool { return r.since.Year() >= 2015 }, "code", "name", "since"),
		q.where("decided by details", "stoves", "with a stock of more than 2,500", func(r *record) bool { return r.stock > 2500 }, "code", "name", "price"),
		q.where("two conditions", "kettles", "made by Hollis or Dunmore that costs more than $1,000", func(r *record) bool {
			return r.cents > 100_000 && (r.maker == "Hollis" || r.maker == "Dunmore")
		}, "code", "name", "price"),
		q.where("the cheapest five", "kettles", "among the 5 cheapest", func(r *record) bool { return slices.Contains(cheapest, r) }, "code", "name", "price"),
	}
	return tasks
}

// byPrice returns the records of a catalog, the cheapest first.
func (q asker) byPrice(id string) []*record {
	return slices.SortedFunc(slices.Values(q.catalog(id).records), func(a, b *record) int { return a.cents - b.cents })
}

// asking returns a task for one record, which is answered from several pages.
func asking(name, prompt, schema string, truth map[string]any, urls ...string) Task {
	return Task{
		Name:  name,
		Task:  agent.Task{ID: name, Prompt: prompt, URLs: urls, Schema: json.RawMessage(schema)},
		Truth: []Truth{{Rows: []map[string]any{truth}}},
	}
}

// comparisons returns questions whose answer follows from several rows.
func (q asker) comparisons() []Task {
	lamps := q.catalog("lamps").records
	some := []*record{lamps[3], lamps[17], lamps[42], lamps[71]}
	var urls []string
	least, most := some[0], some[0]
	for _, r := range some {
		urls = append(urls, r.url())
		if r.cents < least.cents {
			least = r
		}
		if r.stock > most.stock {
			most = r
		}
	}
	cheap := 0
	for _, r := range q.catalog("kettles").records {
		if r.cents < 100_000 {
			cheap++
		}
	}
	dearest := q.byPrice("sillas")
	last := dearest[len(dearest)-1]
	row := func(r *record, fields ...string) map[string]any {
		return truthOf("", nil, []*record{r}, fields).Rows[0]
	}
	best := asking("the cheapest of four pages", "Which of these lamps is the cheapest?", schemaOf([]string{"code", "name", "price"}), row(least, "code", "name", "price"), urls...)
	strict := best
	strict.Name, strict.Task.ID, strict.Task.Strict = "the cheapest of four given pages", "the cheapest of four given pages", true
	return []Task{
		best, strict,
		asking("the largest stock", "Which of these lamps has the largest stock?", schemaOf([]string{"name", "stock"}), row(most, "name", "stock"), urls...),
		asking("how many", "How many kettles of the catalogue kettles cost less than $1,000?", `{"type":"object","properties":{"count":{"type":"integer"}},"required":["count"]}`, map[string]any{"count": float64(cheap)}, q.catalog("kettles").entry()),
		asking("the most expensive of a catalogue", "Which silla of the catalogue sillas is the most expensive?", schemaOf([]string{"code", "name", "price"}), row(last, "code", "name", "price"), q.catalog("sillas").entry()),
	}
}

// hops returns questions in two steps: a first page gives the name of a thing, and a page
// about that thing has the answer.
func (q asker) hops() []Task {
	lamp, stove := q.catalog("lamps").records[23], q.catalog("stoves").records[8]
	firm := func(name string) *record { return q.byName[strings.ToLower(name)] }
	chief := `{"type":"object","properties":{"chief":{"type":"string","description":"name of the chief executive"}},"required":["chief"]}`
	city := `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`
	searched := asking("the city of a maker, by a search", fmt.Sprintf("In which city is the company that makes the stove %s of the catalogue stoves?", stove.name), city,
		map[string]any{"city": firm(stove.maker).truth("city")})
	searched.Search = true
	return []Task{
		asking("the chief of a maker", fmt.Sprintf("Who is the chief executive of the company that makes the lamp %s?", lamp.name), chief,
			map[string]any{"chief": firm(lamp.maker).truth("chief")}, lamp.url(), q.catalog("firms").entry()),
		searched,
	}
}

// followUps returns questions that continue another one.
func (q asker) followUps() []Task {
	after := func(t, first Task) Task {
		t.First = &first
		if len(t.Truth[0].Keys) > 0 { // the earlier question says from which things to choose
			c, _, _ := strings.Cut(t.Task.Prompt, " of the catalogue")
			_, rest, _ := strings.Cut(t.Task.Prompt, "of the catalogue ")
			_, rest, _ = strings.Cut(rest, " ")
			t.Task.Prompt, t.Task.URLs = c+" of them "+rest, nil
		}
		return t
	}
	kettles, lamps := q.catalog("kettles"), q.catalog("lamps")
	facts := []string{"code", "name", "price", "maker"}
	all := q.gather("kettles, to begin with", "kettles", facts...)
	cheap := q.where("cheap kettles, to begin with", "kettles", "that costs less than $1,500", func(r *record) bool { return r.cents < 150_000 }, facts...)
	lit := q.gather("lamps, to begin with", "lamps", "code", "name")
	count := 0
	for _, r := range lamps.records {
		if r.cents < 100_000 {
			count++
		}
	}
	least := q.byPrice("kettles")[0]
	other := q.gather("all of another catalogue", "sillas", facts...)
	other.First = &all
	hollis := func(r *record) bool { return r.maker == "Hollis" }
	return []Task{
		after(q.where("those below a price", "kettles", "that costs less than $1,500", func(r *record) bool { return r.cents < 150_000 }, facts...), all),
		after(q.where("those that meet both conditions", "kettles", "made by Hollis", func(r *record) bool { return r.cents < 150_000 && hollis(r) }, facts...), cheap),
		after(q.where("those with a value that was not asked for", "lamps", "made by Hollis", hollis, "code", "name", "maker", "stock"), lit),
		after(asking("how many of them", "How many of them cost less than $1,000?", `{"type":"object","properties":{"count":{"type":"integer"}},"required":["count"]}`, map[string]any{"count": float64(count)}, lamps.entry()), lit),
		after(asking("the cheapest of them", "Which of them is the cheapest?", schemaOf([]string{"code", "name", "price"}), truthOf("", nil, []*record{least}, []string{"code", "name", "price"}).Rows[0], kettles.entry()), all),
		other,
	}
}

// rowHops returns questions whose rows need a value from another page, which is about a
// thing that the row names: for example the city of the maker of each product.
func (q asker) rowHops() []Task {
	each := func(name, id, what, field string, meets func(r *record) bool, condition string) Task {
		c := q.catalog(id)
		fields := []string{"code", "name", "maker", field}
		t := q.gather(name, id, fields...)
		t.Task.Prompt = fmt.Sprintf("Find every %s of the catalogue %s%s, with the %s of the company that makes the %s: %s.", c.noun, id, condition, what, c.noun, strings.Join(fields, ", "))
		t.Task.Schema = listOf("items", "every "+c.noun, schemaOf(fields))
		t.Task.URLs = append(t.Task.URLs, q.catalog("firms").entry())
		t.Truth[0].Rows = nil
		for _, r := range c.records {
			if meets != nil && !meets(r) {
				continue
			}
			row := truthOf("", nil, []*record{r}, fields[:3]).Rows[0]
			row[field] = q.byName[strings.ToLower(r.maker)].truth(field)
			t.Truth[0].Rows = append(t.Truth[0].Rows, row)
		}
		return t
	}
	searched := each("the city of each maker, by searches", "sillas", "city", "city", nil, "")
	searched.Search, searched.Task.URLs = true, nil
	return []Task{
		each("the chief of each maker, of rows in a table", "kettles", "chief executive", "chief", nil, ""),
		each("the city of each maker, of details", "stoves", "city", "city", nil, ""),
		each("the chief of each maker, of rows with a condition", "kettles", "chief executive", "chief", func(r *record) bool { return r.cents < 100_000 }, " that costs less than $1,000"),
		searched,
	}
}
