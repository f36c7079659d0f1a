// SPDX-License-Identifier: Apache-2.0

package wrapper_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/wrapper"
	"example.com/curlew/agent/journal"
)

// birds returns the table of birds with a name, a price, and a link.
func birds(t *testing.T) *outline.Table {
	t.Helper()
	o, err := outline.New(json.RawMessage(`{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{` +
		`"name":{"type":"string"},"price":{"type":"number"},"url":{"type":"string","format":"uri"}},"required":["name"]}}}}`))
	if err != nil || len(o.Tables) != 1 {
		t.Fatal(o, err)
	}
	return o.Tables[0]
}

// birdPage returns page n of the template, with its name in a heading and its
// price after a label. more are additional texts.
func birdPage(n int, name, price string, more ...journal.Text) *grounding.Page {
	id := fmt.Sprintf("S%d", n)
	url := fmt.Sprintf("https://a.test/birds/%d", n)
	texts := []journal.Text{{Path: "body>div.main>h1", Value: name}}
	lines := []string{"# " + name}
	if price != "" {
		texts = append(texts, journal.Text{Path: "body>div.main>dl>dd", Label: "Price", Value: price})
		lines = append(lines, "Price: "+price)
	}
	texts = append(append(texts, journal.Text{Path: "body>div.main>dl>dd", Label: "Weight", Value: fmt.Sprintf("%d", 1000+n)}), more...)
	return grounding.NewPage(&journal.PageRecord{ID: id, URL: url, Final: url, Lang: "en", Main: lines, Texts: texts}, n, time.Time{})
}

// seedOf returns the seed of a page with literal cells. A zero price is absent.
func seedOf(p *grounding.Page, name string, price float64) wrapper.Seed {
	row := finding.Row{
		"name": {Value: name, Grade: finding.GradeExact},
		"url":  {Value: p.Rec.URL, Grade: finding.GradeExact},
	}
	if price != 0 {
		row["price"] = finding.Cell{Value: price, Grade: finding.GradeNormalized}
	}
	return wrapper.Seed{Page: p, Row: row}
}

// seeds returns three pages with a price, which is enough to learn from.
func seeds() []wrapper.Seed {
	return []wrapper.Seed{
		seedOf(birdPage(1, "Heron", "$1.50"), "Heron", 1.5),
		seedOf(birdPage(2, "Stork", "$2"), "Stork", 2),
		seedOf(birdPage(3, "Crane", "$3.25"), "Crane", 3.25),
	}
}

func shown(row finding.Row) string {
	var cells []string
	for name, c := range row {
		cells = append(cells, fmt.Sprintf("%s=%v@%d", name, c.Value, c.Lines[0]))
	}
	slices.Sort(cells)
	return strings.Join(cells, " ")
}

// TestRead learns from three pages of a template and reads others.
func TestRead(t *testing.T) {
	table := birds(t)
	w := wrapper.Induce(table, seeds())
	if w == nil {
		t.Fatal("nothing was learned")
	}
	const complete = "name=Ibis@1 price=4@2 url=https://a.test/birds/9@0"
	for _, test := range []struct {
		name    string
		page    *grounding.Page
		demoted map[string]bool
		want    string
		sure    bool
	}{
		{"of the template", birdPage(9, "Ibis", "$4"), nil, complete, true},
		{"more texts", birdPage(9, "Ibis", "$4", journal.Text{Path: "body>footer>p", Value: "$7"}), nil, complete, true},
		{"without a price", birdPage(9, "Ibis", ""), nil, "name=Ibis@1 url=https://a.test/birds/9@0", false},
		{"two prices", birdPage(9, "Ibis", "$4", journal.Text{Path: "body>div.main>dl>dd", Label: "Price", Value: "$5"}), nil, "name=Ibis@1 url=https://a.test/birds/9@0", false},
		{"a price that is no number", birdPage(9, "Ibis", "on request"), nil, "name=Ibis@1 url=https://a.test/birds/9@0", false},
		{"a price that is two numbers", birdPage(9, "Ibis", "4 to 5"), nil, "name=Ibis@1 url=https://a.test/birds/9@0", false},
		{"a field that was wrong before", birdPage(9, "Ibis", "$4"), map[string]bool{"price": true}, "name=Ibis@1 url=https://a.test/birds/9@0", false},
	} {
		row, sure := w.Read(test.page, table, test.demoted)
		if got := shown(row); got != test.want || sure != test.sure {
			t.Errorf("%s: got %q, sure %v, want %q, %v", test.name, got, sure, test.want, test.sure)
		}
		if c := row["name"]; c.Grade != finding.GradeWrapper || c.Source != "S9" {
			t.Errorf("%s: the cell is %+v", test.name, c)
		}
	}
}

// TestReadLine cites the line in which a value stands with its label, and not an earlier one
// that contains the same number, and the line that is a name rather than one that contains it.
func TestReadLine(t *testing.T) {
	table := birds(t)
	w := wrapper.Induce(table, seeds())
	p := birdPage(9, "Ibis", "$4")
	p = grounding.NewPage(&journal.PageRecord{ID: "S9", URL: p.Rec.URL, Final: p.Rec.URL, Lang: "en", Texts: p.Short(), Main: []string{"![An Ibis on a roof]", "# Ibis", "Flies for $4 h", "Price", ": $4"}}, 9, time.Time{})
	row, _ := w.Read(p, table, nil)
	if got, want := shown(row), "name=Ibis@2 price=4@5 url=https://a.test/birds/9@0"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestReadAbsent knows that a field may be absent if a seed lacks it.
func TestReadAbsent(t *testing.T) {
	table := birds(t)
	w := wrapper.Induce(table, append(seeds(), seedOf(birdPage(4, "Egret", ""), "Egret", 0)))
	if w == nil {
		t.Fatal("nothing was learned")
	}
	row, sure := w.Read(birdPage(9, "Ibis", ""), table, nil)
	if got, want := shown(row), "name=Ibis@1 url=https://a.test/birds/9@0"; got != want || !sure {
		t.Errorf("got %q, sure %v, want %q", got, sure, want)
	}
}

// TestInduce learns nothing from values that the pages do not state, or not in
// one place.
func TestInduce(t *testing.T) {
	table := birds(t)
	invented := func(name string) wrapper.Seed {
		s := seedOf(birdPage(5, "Ibis", "$5"), name, 5)
		delete(s.Row, "url")
		delete(s.Row, "price")
		return s
	}
	for _, test := range []struct {
		name  string
		seeds []wrapper.Seed
		want  bool
	}{
		{"no seeds", nil, false},
		{"stated values", seeds(), true},
		{"values that no page states", []wrapper.Seed{invented("Dodo"), invented("Moa")}, false},
		{"values in different places", []wrapper.Seed{
			{Page: pageWith(journal.Text{Path: "body>h1", Value: "Ibis"}), Row: finding.Row{"name": {Value: "Ibis"}}},
			{Page: pageWith(journal.Text{Path: "body>p", Value: "Teal"}), Row: finding.Row{"name": {Value: "Teal"}}},
		}, false},
	} {
		if got := wrapper.Induce(table, test.seeds) != nil; got != test.want {
			t.Errorf("%s: learned %v", test.name, got)
		}
	}
}

func pageWith(texts ...journal.Text) *grounding.Page {
	return grounding.NewPage(&journal.PageRecord{ID: "S1", URL: "https://a.test/", Texts: texts}, 1, time.Time{})
}

// TestGood accepts seeds whose keys are literal.
func TestGood(t *testing.T) {
	table := birds(t)
	good := seeds()[0]
	change := func(name string, grade finding.Grade) wrapper.Seed {
		s := seeds()[0]
		c := s.Row[name]
		c.Grade = grade
		s.Row[name] = c
		return s
	}
	lacks := func(name string) wrapper.Seed {
		s := seeds()[0]
		delete(s.Row, name)
		return s
	}
	for _, test := range []struct {
		name string
		seed wrapper.Seed
		want bool
	}{
		{"literal", good, true},
		{"without an optional field", lacks("price"), true},
		{"without a required field, which no page may state", lacks("name"), true},
		{"a derived value, which teaches nothing about its field", change("price", finding.GradeDerived), true},
		{"a derived key", change("name", finding.GradeDerived), false},
		{"read by a wrapper", change("name", finding.GradeWrapper), false},
		{"empty", wrapper.Seed{Page: good.Page}, false},
	} {
		if got := test.seed.Good(table); got != test.want {
			t.Errorf("%s: got %v", test.name, got)
		}
	}
}

// TestWhole leaves out seeds without a required field that other seeds have.
func TestWhole(t *testing.T) {
	table := birds(t)
	all := seeds()
	delete(all[1].Row, "name")
	if got := wrapper.Whole(table, all); len(got) != 2 || got[0].Page.N != 1 || got[1].Page.N != 3 {
		t.Errorf("got %d seeds", len(got))
	}
	for _, s := range all {
		delete(s.Row, "name")
	}
	if got := wrapper.Whole(table, all); len(got) != 3 {
		t.Errorf("a field that no seed has: got %d seeds", len(got))
	}
}

// TestOverlooked finds cells that the model did not give, behind the labels that other
// pages have before them.
func TestOverlooked(t *testing.T) {
	table := birds(t)
	lacking := func(price string, more ...journal.Text) wrapper.Seed {
		return seedOf(birdPage(9, "Ibis", price, more...), "Ibis", 0)
	}
	for _, test := range []struct {
		name string
		all  []wrapper.Seed
		want any
	}{
		{"after one page", []wrapper.Seed{seeds()[0], lacking("$4")}, 4.0},
		{"after three pages", append(seeds(), lacking("$4")), 4.0},
		{"no label", append(seeds(), lacking("")), nil},
		{"not a price", append(seeds(), lacking("on request")), nil},
		{"no value", append(seeds(), lacking("n/a")), nil},
		{"two prices", append(seeds(), lacking("$4", journal.Text{Path: "body>div.main>dl>dd", Label: "Price", Value: "$5"})), nil},
		{"no page has it", []wrapper.Seed{lacking("$4"), lacking("$5")}, nil},
	} {
		got := wrapper.Overlooked(table, test.all)
		var v any
		if last := got[len(got)-1]; last != nil {
			v = last["price"].Value
			if c := last["price"]; c.Grade != finding.GradeWrapper || c.Source != "S9" || c.Lines != [2]int{2, 2} {
				t.Errorf("%s: the cell is %+v", test.name, c)
			}
		}
		if v != test.want {
			t.Errorf("%s: got %v, want %v", test.name, v, test.want)
		}
	}
}

// TestStore keeps, replaces and forgets wrappers, from several goroutines.
func TestStore(t *testing.T) {
	var s wrapper.Store
	if s.Get("a") != nil {
		t.Error("an empty store has a wrapper")
	}
	first, second := new(wrapper.Wrapper), new(wrapper.Wrapper)
	s.Put("a", first)
	s.Put("b", second)
	if s.Get("a") != first || s.Get("b") != second {
		t.Error("the wrappers are not those that were put")
	}
	s.Put("a", nil)
	if s.Get("a") != nil || s.Get("b") != second {
		t.Error("one wrapper was to be forgotten")
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for k := range 2000 {
				s.Put(fmt.Sprintf("%d/%d", i, k), first)
			}
		})
	}
	all.Wait()
	kept := 0
	for i := range 8 {
		for k := range 2000 {
			if s.Get(fmt.Sprintf("%d/%d", i, k)) != nil {
				kept++
			}
		}
	}
	if d := cmp.Diff(10_000-1, kept); d != "" { // b has a place too
		t.Errorf("wrappers kept: %s", d)
	}
}

// TestInduceOverlooked learns a field from seeds of which the model has overlooked the value on one,
// and is not sure about a field if it does not know where pages state it.
func TestInduceOverlooked(t *testing.T) {
	table := birds(t)
	for _, test := range []struct {
		name   string
		third  *grounding.Page
		second float64 // price of the second seed
		want   string
		sure   bool
	}{
		{"the page states it", birdPage(3, "Crane", "$3.25"), 2, "name=Ibis@1 price=4@2 url=https://a.test/birds/9@0", true},
		{"the page has none", birdPage(3, "Crane", ""), 2, "name=Ibis@1 price=4@2 url=https://a.test/birds/9@0", true},
		{"the page says that there is none", birdPage(3, "Crane", "n/a"), 2, "name=Ibis@1 price=4@2 url=https://a.test/birds/9@0", true},
		{"the page says something else", birdPage(3, "Crane", "on request"), 2, "name=Ibis@1 price=4@2 url=https://a.test/birds/9@0", true},
		{"only one seed has it", birdPage(3, "Crane", "$3.25"), 0, "name=Ibis@1 url=https://a.test/birds/9@0", false},
	} {
		w := wrapper.Induce(table, []wrapper.Seed{
			seedOf(birdPage(1, "Heron", "$1.50"), "Heron", 1.5), seedOf(birdPage(2, "Stork", "$2"), "Stork", test.second), seedOf(test.third, "Crane", 0),
		})
		row, sure := w.Read(birdPage(9, "Ibis", "$4"), table, nil)
		if got := shown(row); got != test.want || sure != test.sure {
			t.Errorf("%s: got %q, sure %v, want %q, %v", test.name, got, sure, test.want, test.sure)
		}
	}
}
