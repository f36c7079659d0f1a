// SPDX-License-Identifier: Apache-2.0

package merge_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/merge"
	"example.com/curlew/agent/internal/outline"
)

const companies = `{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"country":{"type":"string"},"price":{"type":"number"},"ceo":{"type":"string"},"city":{"type":"string"}},"required":["name","country"]}}`

// cells makes a row of pairs of field and value.
func cells(pairs ...any) finding.Row {
	r := finding.Row{}
	for i := 0; i < len(pairs); i += 2 {
		r[pairs[i].(string)] = finding.Cell{Value: pairs[i+1]}
	}
	return r
}

// TestTitles keeps things apart that have the same name, if each has a page of its own on one
// host. Pages of several hosts about one thing are merged.
func TestTitles(t *testing.T) {
	const patents = `{"type":"array","items":{"type":"object","properties":{"title":{"type":"string"},"number":{"type":"string"}},"required":["title","number"]}}`
	for _, test := range []struct {
		hosts func(i int) string
		want  int
	}{
		{func(int) string { return "a" }, 8},
		{func(i int) string { return strconv.Itoa(i) }, 4},
	} {
		var rows []sighting
		for i := range 8 {
			rows = append(rows, sighting{Page: i + 1, Host: test.hosts(i), Row: cells("title", fmt.Sprintf("Hinge %d", i/2), "number", fmt.Sprintf("GB%d", i))})
		}
		if got, _ := merged(patents, []string{"title"}, rows, 1); len(got) != test.want {
			t.Errorf("%d rows, want %d", len(got), test.want)
		}
	}
}

// TestReadAgain joins what a page said when it was read without the lines that name its thing, and with them.
func TestReadAgain(t *testing.T) {
	nameless, named := cells("price", 58.0), cells("name", "Ironworks", "country", "UK", "price", 58.0)
	for _, test := range []struct {
		name string
		rows []merge.Sighting
		want int
	}{
		{"the page of one thing", []merge.Sighting{{Page: 1, Row: nameless}, {Page: 1, Row: named}}, 1},
		{"another value", []merge.Sighting{{Page: 1, Row: cells("price", 60.0)}, {Page: 1, Row: named}}, 2},
		{"another page", []merge.Sighting{{Page: 2, Row: nameless}, {Page: 1, Row: named}}, 2},
		{"a page that lists two things", []merge.Sighting{{Page: 1, Row: nameless}, {Page: 1, Row: named}, {Page: 1, At: 1, Row: cells("name", "Tidemark", "country", "UK", "price", 54.0)}}, 3},
	} {
		o, err := outline.New([]byte(companies))
		if err != nil {
			t.Fatal(err)
		}
		m := merge.Merger{Table: o.Tables[0]}
		if got := m.Merge(test.rows); len(got) != test.want {
			t.Errorf("%s: %d rows, want %d: %v", test.name, len(got), test.want, got)
		}
	}
}

// TestMerge checks which rows are merged, and which value of a cell stays.
func TestMerge(t *testing.T) {
	at := func(page int, host string, pairs ...any) sighting {
		return sighting{Page: page, Host: host, Row: cells(pairs...)}
	}
	for _, test := range []struct {
		name  string
		keys  []string
		rows  []sighting
		want  int
		kinds []finding.IssueKind
	}{
		{"only a country in common, complementary holes", []string{"name"}, []sighting{
			at(1, "a", "country", "US", "ceo", "X"), at(2, "b", "country", "US", "city", "Y"),
		}, 2, nil},
		{"spellings and legal forms", nil, []sighting{
			at(1, "a", "name", "Acme Inc", "country", "US"), at(2, "b", "name", "ACME Inc."), at(3, "c", "name", "Acme, Inc.", "country", "US"),
		}, 1, nil},
		{"legal forms of two countries", nil, []sighting{
			at(1, "a", "name", "Acme Ltd", "country", "UK"), at(2, "b", "name", "Acme GmbH", "country", "DE"),
		}, 2, []finding.IssueKind{finding.IssueWeakKey, finding.IssueWeakKey}},
		{"legal forms on one page", nil, []sighting{
			at(1, "a", "name", "Acme AG", "country", "CH"), at(1, "a", "name", "Acme GmbH", "country", "CH"), at(2, "a", "name", "Acme AG", "country", "CH", "price", 3.0),
		}, 2, nil},
		{"two prices", nil, []sighting{
			at(1, "a", "name", "X", "country", "US", "price", 10.0), at(2, "b", "name", "X", "country", "US", "price", 12.0),
		}, 1, []finding.IssueKind{finding.IssueConflict}},
		{"one page, one key, two things", nil, []sighting{
			at(1, "a", "name", "X", "country", "US"), at(1, "a", "name", "X", "country", "DE"),
		}, 2, []finding.IssueKind{finding.IssueWeakKey, finding.IssueWeakKey}},
		{"a key missing, two cells agree", []string{"name", "city"}, []sighting{
			at(1, "a", "name", "X", "city", "C", "country", "US", "ceo", "Z"), at(2, "b", "name", "X", "country", "US", "ceo", "Z", "price", 3.0),
		}, 1, nil},
		{"an optional key missing", []string{"name", "city"}, []sighting{
			at(1, "a", "name", "X", "city", "C", "country", "US"), at(2, "b", "name", "X", "country", "US", "price", 3.0),
		}, 1, nil},
		{"an optional key missing, two fit", []string{"name", "city"}, []sighting{
			at(1, "a", "name", "X", "city", "C", "country", "US"), at(1, "a", "name", "X", "city", "D", "country", "US"), at(2, "b", "name", "X", "country", "US", "price", 3.0),
		}, 3, nil},
		{"a required key missing, one cell agrees", []string{"country", "city"}, []sighting{
			at(1, "a", "name", "X", "city", "C", "country", "US"), at(2, "b", "name", "X", "city", "C", "price", 3.0),
		}, 2, nil},
		{"a key missing, a required cell contradicts", []string{"name", "city"}, []sighting{
			at(1, "a", "name", "X", "city", "C", "country", "US", "ceo", "Z", "price", 3.0), at(2, "b", "name", "X", "country", "DE", "ceo", "Z", "price", 3.0),
		}, 2, nil},
	} {
		rows, kinds := merged(companies, test.keys, test.rows, 1)
		if len(rows) != test.want || cmp.Diff(test.kinds, kinds) != "" {
			t.Errorf("%s: %d rows %v, issues %v", test.name, len(rows), rows, kinds)
		}
	}
}

// TestTwins keeps things apart that have the same key, if their own pages contradict each other.
func TestTwins(t *testing.T) {
	of := func(page int, url string, pairs ...any) sighting {
		return sighting{Page: page, Host: "a", URL: url, Row: cells(pairs...)}
	}
	for _, test := range []struct {
		name string
		rows []sighting
		want []string // countries, prices
	}{
		{"two pages, one with a list", []sighting{
			of(1, "u", "name", "X", "price", 10.0), of(1, "v", "name", "X", "price", 12.0),
			of(2, "u", "name", "X", "country", "US", "price", 10.0), of(3, "v", "name", "X", "country", "DE", "price", 12.0),
		}, []string{"US 10", "DE 12"}},
		{"a page that links none belongs to the one that says the same", []sighting{
			of(1, "", "name", "X", "country", "DE", "city", "C"),
			of(2, "u", "name", "X", "country", "US", "price", 10.0), of(3, "v", "name", "X", "country", "DE", "price", 12.0),
		}, []string{"DE 12 C", "US 10"}},
		{"most cells agree", []sighting{
			of(1, "u", "name", "X", "country", "US", "price", 10.0, "ceo", "Y"), of(2, "v", "name", "X", "country", "DE", "price", 10.0, "ceo", "Y"),
		}, []string{"US 10"}},
		{"only an optional cell contradicts", []sighting{
			of(1, "u", "name", "X", "country", "US", "price", 10.0), of(2, "v", "name", "X", "country", "US", "price", 12.0),
		}, []string{"US 10"}},
	} {
		for seed := range uint64(5) {
			rows, _ := merged(companies, []string{"name"}, test.rows, seed)
			var got []string
			for _, r := range rows {
				text := fmt.Sprint(r["country"].Value, " ", r["price"].Value)
				if c, ok := r["city"]; ok {
					text += " " + c.Value.(string)
				}
				got = append(got, text)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s:\n%s", test.name, diff)
			}
		}
	}
}

// TestUnite checks that lists of texts are united: those of the parts of a page, and for a
// record those of all pages. Of different lists of numbers one is kept, and of what two
// pages state about a row in a table, too.
func TestUnite(t *testing.T) {
	const record = `{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string"},"maxItems":4},"place":{"type":"array","items":{"type":"number"}}}}`
	const list = `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}}}}}}}`
	at := func(page int, pairs ...any) sighting {
		return sighting{Page: page, Host: "a.test", Row: cells(pairs...)}
	}
	for _, test := range []struct {
		name, schema, field string
		rows                []sighting
		want                []any
		also                []string
		kinds               []finding.IssueKind
	}{
		{"parts of a page", record, "tags", []sighting{at(1, "tags", []any{"a", "b"}), at(1, "tags", []any{"B", "c"})}, []any{"a", "b", "c"}, nil, nil},
		{"pages", record, "tags", []sighting{at(1, "tags", []any{"a"}), at(2, "tags", []any{"b"}), at(3, "tags", []any{"a"})}, []any{"a", "b"}, []string{"S2", "S3"}, nil},
		{"no more than the schema takes", record, "tags", []sighting{at(1, "tags", []any{"a", "b", "c"}), at(1, "tags", []any{"d", "e"})}, []any{"a", "b", "c", "d"}, nil, nil},
		{"numbers", record, "place", []sighting{at(1, "place", []any{1.0, 2.0}), at(1, "place", []any{1.0, 2.5})}, []any{1.0, 2.0}, nil, []finding.IssueKind{finding.IssueConflict}},
		{"a row on two pages", list, "tags", []sighting{at(1, "name", "x", "tags", []any{"a"}), at(2, "name", "x", "tags", []any{"b"})}, []any{"a"}, nil, []finding.IssueKind{finding.IssueConflict}},
	} {
		for seed := range uint64(5) {
			rows, kinds := merged(test.schema, nil, test.rows, seed)
			if len(rows) != 1 {
				t.Fatalf("%s, seed %d: %v", test.name, seed, rows)
			}
			got := rows[0][test.field]
			if cmp.Diff(test.want, got.Value) != "" || cmp.Diff(test.also, got.Also) != "" || cmp.Diff(test.kinds, kinds) != "" {
				t.Errorf("%s, seed %d: %+v, issues %v", test.name, seed, got, kinds)
			}
		}
	}
}

// TestNothingRequired merges rows if the schema requires no cells. Rows of one page that
// differ stay apart, and those of two pages are merged.
func TestNothingRequired(t *testing.T) {
	const people = `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"team":{"type":"string"}}}}}}`
	const facts = `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"label":{"type":"string"},"value":{"type":"string"}}}}}}`
	for _, test := range []struct {
		schema string
		pages  [2]int
		rows   [2]finding.Row
		want   int
	}{
		{people, [2]int{1, 1}, [2]finding.Row{cells("name", "Ann", "team", "Sales"), cells("name", "Ann", "team", "Stock")}, 2},
		{people, [2]int{1, 1}, [2]finding.Row{cells("name", "Ann", "team", "Sales"), cells("name", "Ann")}, 1},
		{people, [2]int{1, 2}, [2]finding.Row{cells("name", "Ann", "team", "Sales"), cells("name", "Ann", "team", "Stock")}, 1},
		{facts, [2]int{1, 1}, [2]finding.Row{cells("label", "Weight", "value", "2 kg"), cells("label", "Load", "value", "2 kg")}, 2},
		{facts, [2]int{1, 2}, [2]finding.Row{cells("label", "Weight", "value", "2 kg"), cells("label", "Load", "value", "2 kg")}, 2},
	} {
		rows, _ := merged(test.schema, nil, []sighting{{Page: test.pages[0], Row: test.rows[0]}, {Page: test.pages[1], Row: test.rows[1]}}, 3)
		if len(rows) != test.want {
			t.Errorf("%v of pages %v: %d rows", test.rows, test.pages, len(rows))
		}
	}
}

// TestChoice orders values by grade, then hosts that agree, then the site of
// the thing, then the source.
func TestChoice(t *testing.T) {
	price := func(page int, host string, v float64, g finding.Grade) sighting {
		return sighting{Page: page, Host: host, Row: finding.Row{"name": {Value: "Acme"}, "country": {Value: "US"}, "price": {Value: v, Grade: g}}}
	}
	for _, test := range []struct {
		name string
		rows []sighting
		want float64
		also []string
	}{
		{"grade", []sighting{price(1, "a.test", 1, finding.GradeWrapper), price(2, "b.test", 2, finding.GradeExact)}, 2, nil},
		{"hosts", []sighting{price(1, "a.test", 1, finding.GradeExact), price(2, "b.test", 2, finding.GradeExact), price(3, "c.test", 2, finding.GradeExact)}, 2, []string{"S3"}},
		{"one host twice is one", []sighting{price(1, "a.test", 1, finding.GradeExact), price(2, "b.test", 2, finding.GradeExact), price(3, "b.test", 2, finding.GradeExact)}, 1, nil},
		{"own site", []sighting{price(1, "a.test", 1, finding.GradeExact), price(2, "acme.test", 2, finding.GradeExact)}, 2, nil},
		{"source", []sighting{price(1, "a.test", 1, finding.GradeExact), price(2, "b.test", 2, finding.GradeExact)}, 1, nil},
	} {
		rows, _ := merged(companies, nil, test.rows, 7)
		if len(rows) != 1 || rows[0]["price"].Value != test.want || cmp.Diff(test.also, rows[0]["price"].Also) != "" {
			t.Errorf("%s: %v", test.name, rows)
		}
	}
}

// TestChoiceBare prefers a boolean with a line of its own to one that only rests on the name
// of the thing, even if more or earlier pages have the latter.
func TestChoiceBare(t *testing.T) {
	const things = `{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"open":{"type":"boolean"}},"required":["name"]}}`
	open := func(page, line int, v bool) sighting {
		id := "S" + strconv.Itoa(page)
		return sighting{Page: page, Host: id + ".test", Row: finding.Row{
			"name": {Value: "Acme", Grade: finding.GradeExact, Source: id, Lines: [2]int{4, 4}},
			"open": {Value: v, Grade: finding.GradeDerived, Source: id, Lines: [2]int{line, line}},
		}}
	}
	for _, test := range []struct {
		name string
		rows []sighting
		want bool
	}{
		{"the later page says more", []sighting{open(1, 4, false), open(2, 9, true)}, true},
		{"one page against two", []sighting{open(1, 4, false), open(2, 4, false), open(3, 9, true)}, true},
		{"both have only the name", []sighting{open(1, 4, false), open(2, 4, true)}, false},
		{"both have a line", []sighting{open(1, 5, false), open(2, 9, true)}, false},
	} {
		rows, _ := merged(things, nil, test.rows, 7)
		if len(rows) != 1 || rows[0]["open"].Value != test.want {
			t.Errorf("%s: %v", test.name, rows)
		}
	}
}

// TestMergeOrder merges the same rows in many orders of arrival.
func TestMergeOrder(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		var rows []sighting
		for range 40 {
			s := sighting{Page: 1 + r.IntN(8), Row: finding.Row{}}
			s.Host = fmt.Sprintf("h%d.test", s.Page%3)
			s.URL = []string{"", "", "u", "v", "w"}[r.IntN(5)]
			names := []string{"Acme Inc", "ACME", "Acme GmbH", "Beta", "Beta Ltd"}
			for field, values := range map[string][]any{
				"name": {names[r.IntN(len(names))]}, "country": {"US", "DE"}, "price": {1.0, 2.0, 3.0}, "city": {"X", "Y"},
			} {
				if r.IntN(4) > 0 {
					s.Row[field] = finding.Cell{Value: values[r.IntN(len(values))]}
				}
			}
			rows = append(rows, s)
		}
		// Places on a page are part of the input: only pages arrive in any order.
		byPage := func(seed uint64) string {
			p := rand.New(rand.NewPCG(seed, 3)).Perm(9)
			var shuffled []sighting
			for _, page := range p {
				for _, s := range rows {
					if s.Page == page {
						shuffled = append(shuffled, s)
					}
				}
			}
			out, kinds := merged(companies, nil, shuffled, seed)
			raw, err := json.Marshal([]any{out, kinds})
			if err != nil {
				t.Fatal(err)
			}
			return string(raw)
		}
		want := byPage(0)
		for order := uint64(1); order < 5; order++ {
			if got := byPage(order); got != want {
				t.Fatalf("seed %d, order %d:\n%s\nwant\n%s", seed, order, got, want)
			}
		}
	}
}

// TestMergeCost merges 4,000 rows, of which 30 % are duplicates, and checks that four times
// as many rows take at most six times as many allocations.
func TestMergeCost(t *testing.T) {
	build := func(n int) []sighting {
		var rows []sighting
		for i := range n {
			rows = append(rows, sighting{Page: 1 + i/40, Host: "a.test", Row: cells("name", fmt.Sprintf("Company %d", i*7/10), "country", "US")})
		}
		return rows
	}
	rows, _ := merged(companies, nil, build(4000), 1)
	if len(rows) != 2800 {
		t.Errorf("%d rows, want 2800", len(rows))
	}
	small := testing.AllocsPerRun(1, func() { merged(companies, nil, build(1000), 1) })
	large := testing.AllocsPerRun(1, func() { merged(companies, nil, build(4000), 1) })
	if large > 6*small {
		t.Errorf("four times the rows take %.0f allocations, once %.0f", large, small)
	}
}

// sighting is a row of a page.
type sighting struct {
	Page int
	Host string
	URL  string
	Row  finding.Row
}

// merged merges rows of the first list of a schema, with keys, shuffled by seed.
func merged(schema string, keys []string, rows []sighting, seed uint64) (out []finding.Row, kinds []finding.IssueKind) {
	o, err := outline.New(json.RawMessage(schema))
	if err != nil {
		panic(err)
	}
	t := o.Tables[len(o.Tables)-1]
	if keys != nil {
		t.Keys = keys
	}
	hosts := map[string]string{}
	var all []merge.Sighting
	at := map[int]int{}
	for _, s := range rows {
		hosts[merge.SourceID(s.Page)] = s.Host
		own := finding.Row{}
		for k, c := range s.Row {
			c.Source = merge.SourceID(s.Page)
			if c.Grade == "" {
				c.Grade = finding.GradeExact
			}
			own[k] = c
		}
		all = append(all, merge.Sighting{Page: s.Page, At: at[s.Page], URL: s.URL, Kind: s.Host, Row: own})
		at[s.Page]++
	}
	r := rand.New(rand.NewPCG(seed, 1))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	m := merge.Merger{Table: t, Hosts: hosts}
	for _, row := range m.Merge(all) {
		out = append(out, row.Row)
		for _, i := range row.Issues {
			kinds = append(kinds, i.Kind)
		}
	}
	return out, kinds
}
