// SPDX-License-Identifier: Apache-2.0

package wrapper_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/wrapper"
	"example.com/curlew/agent/journal"
)

const (
	lacking  = "name=Ibis@1 url=https://a.test/birds/9@0"
	complete = "name=Ibis@1 price=4@2 url=https://a.test/birds/9@0"
)

// TestTeachGaps learns from the pages that the model reads what pages without a value show
// where others state it.
func TestTeachGaps(t *testing.T) {
	table := birds(t)
	for _, test := range []struct {
		name   string
		taught string  // where the price stands on the page that the model reads
		price  float64 // that the model gives
		page   string
		want   string
		sure   bool
	}{
		{"nothing was taught", "$9", 9, "ask at the door", lacking, false},
		{"the same text", "ask at the door", 0, "Ask at the door", lacking, true},
		{"another text", "ask at the door", 0, "ask inside", lacking, false},
		{"no text", "", 0, "", lacking, true},
		{"no text is not known", "ask at the door", 0, "", lacking, false},
		{"a price that the model has overlooked", "$5", 0, "$5", "name=Ibis@1 price=5@2 url=https://a.test/birds/9@0", true},
		{"a page with a price", "ask at the door", 0, "$4", complete, true},
	} {
		w := wrapper.Induce(table, seeds())
		w.Teach(table, seedOf(birdPage(5, "Teal", test.taught), "Teal", test.price))
		row, sure := w.Read(birdPage(9, "Ibis", test.page), table, nil)
		if got := shown(row); got != test.want || sure != test.sure {
			t.Errorf("%s: got %q, sure %v, want %q, %v", test.name, got, sure, test.want, test.sure)
		}
	}
}

// TestAskGaps lets one page ask the model what a text means that stands in place of a value,
// and the others wait for it.
func TestAskGaps(t *testing.T) {
	table := birds(t)
	w := wrapper.Induce(table, seeds())
	if wait, done := w.Ask(birdPage(5, "Teal", "$5"), table); wait != nil || done != nil {
		t.Error("a page that can be read asks")
	}
	first := birdPage(5, "Teal", "ask at the door")
	wait, done := w.Ask(first, table)
	if wait != nil || done == nil {
		t.Fatal("the first page does not ask")
	}
	second := birdPage(6, "Ruff", "ask at the door")
	if wait, _ = w.Ask(second, table); wait == nil {
		t.Fatal("the second page does not wait")
	}
	if _, other := w.Ask(birdPage(7, "Smew", ""), table); other == nil {
		t.Error("a page that lacks the place does not ask")
	}
	w.Teach(table, seedOf(first, "Teal", 0))
	done()
	<-wait
	if _, sure := w.Read(second, table, nil); !sure {
		t.Error("the second page still needs the model")
	}
}

// TestInduceAffix reads values that stand between words which are the same on all pages.
func TestInduceAffix(t *testing.T) {
	table := birds(t)
	seed := func(n int, name, price string, v float64) wrapper.Seed {
		return seedOf(birdPage(n, name, price), name, v)
	}
	for _, test := range []struct {
		name  string
		seeds []wrapper.Seed
		page  string
		want  string
		sure  bool
	}{
		{"after the value", []wrapper.Seed{seed(1, "Heron", "4.7 / 5", 4.7), seed(2, "Stork", "3.3 / 5", 3.3), seed(3, "Crane", "5 / 5", 5)}, "4 / 5", complete, true},
		{"around the value", []wrapper.Seed{seed(1, "Heron", "7 of 10 (2024)", 7), seed(2, "Stork", "3 of 10 (2024)", 3), seed(3, "Crane", "2 of 10 (2024)", 2)}, "4 of 10 (2024)", complete, true},
		{"another scale", []wrapper.Seed{seed(1, "Heron", "4.7 / 5", 4.7), seed(2, "Stork", "3.3 / 5", 3.3), seed(3, "Crane", "5 / 5", 5)}, "4 / 10", lacking, false},
		{"no words in common", []wrapper.Seed{seed(1, "Heron", "4.7 / 12", 4.7), seed(2, "Stork", "3.3 / 40", 3.3), seed(3, "Crane", "5 / 8", 5)}, "4 / 9", lacking, false},
	} {
		w := wrapper.Induce(table, test.seeds)
		row, sure := w.Read(birdPage(9, "Ibis", test.page), table, nil)
		if got := shown(row); got != test.want || sure != test.sure {
			t.Errorf("%s: got %q, sure %v, want %q, %v", test.name, got, sure, test.want, test.sure)
		}
	}
}

// TestTeachPrunes drops rules whose label only the seeds have in common.
func TestTeachPrunes(t *testing.T) {
	table := birds(t)
	page := func(n int, name, kind, price string) *grounding.Page {
		p := birdPage(n, name, "")
		p.Rec.Texts = nil
		return grounding.NewPage(&journal.PageRecord{ID: p.Rec.ID, URL: p.Rec.URL, Final: p.Rec.Final, Lang: "en", Main: []string{"# " + name, "Price: " + price}, Texts: []journal.Text{
			{Path: "body>h1", Value: name},
			{Path: "body>ul>li", Label: "Kind: " + kind, Value: "Price: " + price},
			{Path: "body>ul>li", Attr: ":", Label: "Price", Value: price},
		}}, n, p.At)
	}
	w := wrapper.Induce(table, []wrapper.Seed{
		seedOf(page(1, "Heron", "wader", "$1"), "Heron", 1), seedOf(page(2, "Stork", "wader", "$2"), "Stork", 2), seedOf(page(3, "Crane", "wader", "$3"), "Crane", 3),
	})
	duck := page(9, "Ibis", "duck", "$4")
	if _, sure := w.Read(duck, table, nil); sure {
		t.Fatal("rules that find nothing do not matter")
	}
	if _, done := w.Ask(duck, table); done == nil {
		t.Error("the page does not ask the model")
	}
	w.Teach(table, seedOf(page(8, "Teal", "duck", "$9"), "Teal", 9))
	if row, sure := w.Read(duck, table, nil); shown(row) != complete || !sure {
		t.Errorf("got %q, sure %v", shown(row), sure)
	}
}

// glasshouses returns a table with a boolean.
func glasshouses(t *testing.T) *outline.Table {
	t.Helper()
	o, err := outline.New(json.RawMessage(`{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{` +
		`"house":{"type":"string"},"heated":{"type":"boolean"}},"required":["house"]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	return o.Tables[0]
}

// TestConcludeBesideLabels concludes booleans from the texts behind labels, in a list where
// each value stands before the next label, and if a reply cites only the label.
func TestConcludeBesideLabels(t *testing.T) {
	table := glasshouses(t)
	page := func(n int, heated, built string) *grounding.Page {
		id := fmt.Sprintf("S%d", n)
		return grounding.NewPage(&journal.PageRecord{
			ID: id, URL: "https://a.test/" + id, Final: "https://a.test/" + id, Lang: "en", Main: []string{"# Palm House " + id, "Heating", heated, "Built", built},
			Texts: []journal.Text{
				{Path: "body>h1", Value: "Palm House " + id},
				{Path: "body>dl>dt", Label: "", Value: "Heating"},
				{Path: "body>dl>dd", Label: "Heating", Value: heated},
				{Path: "body>dl>dt", Label: heated, Value: "Built"},
				{Path: "body>dl>dd", Label: "Built", Value: built},
			},
		}, n, birdPage(1, "", "").At)
	}
	seed := func(n int, heated string, v bool, line int) wrapper.Seed {
		p := page(n, heated, fmt.Sprint(1900+n))
		return wrapper.Seed{Page: p, Row: finding.Row{
			"house":  {Value: "Palm House " + p.Rec.ID, Grade: finding.GradeExact, Lines: [2]int{1, 1}},
			"heated": {Value: v, Grade: finding.GradeDerived, Lines: [2]int{line, line}},
		}}
	}
	for _, line := range []int{2, 3} {
		w := wrapper.Induce(table, []wrapper.Seed{seed(1, "gas", true, line), seed(2, "unheated", false, line), seed(3, "gas", true, line)})
		w.Teach(table, seed(4, "unheated", false, line))
		for heated, want := range map[string]any{"gas": true, "unheated": false, "stoves": nil} {
			row, sure := w.Read(page(9, heated, "1850"), table, nil)
			if got := row["heated"].Value; got != want || sure != (want != nil) {
				t.Errorf("line %d, %s: got %v, sure %v", line, heated, got, sure)
			}
		}
		for n := 20; n < 22; n++ { // two pages of which the model says nothing
			p := page(n, "not known", "1850")
			w.Teach(table, wrapper.Seed{Page: p, Row: finding.Row{"house": {Value: "Palm House " + p.Rec.ID}}})
		}
		if row, sure := w.Read(page(9, "not known", "1850"), table, nil); len(row) != 1 || !sure {
			t.Errorf("line %d, a text that states nothing: got %q, sure %v", line, shown(row), sure)
		}
	}
}

// TestConcludeWithoutLabel concludes nothing from the absence of a text that stands behind another
// value: on other pages, another value is before it.
func TestConcludeWithoutLabel(t *testing.T) {
	table := glasshouses(t)
	page := func(n int, before, heated string) *grounding.Page {
		id := fmt.Sprintf("S%d", n)
		return grounding.NewPage(&journal.PageRecord{
			ID: id, URL: "https://a.test/" + id, Final: "https://a.test/" + id, Lang: "en", Main: []string{"# Palm House " + id, before, heated},
			Texts: []journal.Text{
				{Path: "body>h1", Value: "Palm House " + id},
				{Path: "body>p", Value: before},
				{Path: "body>p", Label: before, Value: heated},
			},
		}, n, birdPage(1, "", "").At)
	}
	seed := func(n int, before, heated string, v bool) wrapper.Seed {
		p := page(n, before, heated)
		return wrapper.Seed{Page: p, Row: finding.Row{
			"house":  {Value: "Palm House " + p.Rec.ID, Grade: finding.GradeExact, Lines: [2]int{1, 1}},
			"heated": {Value: v, Grade: finding.GradeDerived, Lines: [2]int{3, 3}},
		}}
	}
	w := wrapper.Induce(table, []wrapper.Seed{seed(1, "Open daily", "gas", true), seed(2, "Closed on Mondays", "no stoves", false), seed(3, "Open daily", "gas", true)})
	if row, sure := w.Read(page(9, "By appointment", "oil"), table, nil); row["heated"].Value != nil || sure {
		t.Errorf("got %v, sure %v", row["heated"].Value, sure)
	}
}

// TestConcludeSaid learns what texts mean from values of a boolean that the model gave without
// a line, if the label has a word of the field and no text has a figure.
func TestConcludeSaid(t *testing.T) {
	o, err := outline.New(json.RawMessage(`{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{` +
		`"name":{"type":"string"},"price":{"type":"number"},"heated":{"type":"boolean"}},"required":["name"]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	table := o.Tables[0]
	page := func(n int, name, label, text string) *grounding.Page {
		return birdPage(n, name, "$1.50", journal.Text{Path: "body>div.main>dl>dd", Label: label, Value: text})
	}
	for _, test := range []struct {
		name, label, no, yes, text string
		seeds                      int
		want                       any
		sure                       bool
	}{
		{"a text of two pages", "Heating", "none", "gas", "none", 3, false, true},
		{"a text of one page", "Heating", "none", "gas", "gas", 3, nil, false},
		{"a text of one page that names the field", "Heating", "none", "heated", "heated", 3, true, true},
		{"an unknown text", "Heating", "none", "gas", "peat", 3, nil, false},
		{"another label", "Colour", "blue", "red", "red", 3, nil, true},
		{"the only label that tells values of many seeds apart", "Stoves", "lacking", "of iron", "of iron", 6, true, true},
		{"figures", "Heating since", "1921", "1936", "1936", 6, nil, true},
	} {
		var all []wrapper.Seed
		for n, name := range []string{"Heron", "Stork", "Crane", "Teal", "Smew", "Gadwall"}[:test.seeds] {
			text := []string{test.no, test.yes}[n%2]
			s := seedOf(page(n+1, name, test.label, text), name, 1.5)
			s.Said = map[string]bool{"heated": n%2 == 1}
			all = append(all, s)
		}
		w := wrapper.Induce(table, all)
		row, sure := w.Read(page(9, "Ibis", test.label, test.text), table, nil)
		if got := row["heated"].Value; got != test.want || sure != test.sure {
			t.Errorf("%s: got %v, sure %v, want %v, %v", test.name, got, sure, test.want, test.sure)
		}
	}
}

// TestConcludeBefore concludes a boolean from a text that is the same on the first pages, whatever
// stands behind it: a heading and a table are not its value, and of another text nobody knows.
func TestConcludeBefore(t *testing.T) {
	table := glasshouses(t)
	seed := func(n int, heated string, v bool, behind []journal.Text) wrapper.Seed {
		id := fmt.Sprintf("S%d", n)
		texts := []journal.Text{{Path: "body>h1", Value: "Palm House " + id}, {Path: "body>p", Label: "", Value: "Built of iron"}, {Path: "body>div", Label: "", Value: heated}}
		for _, b := range behind {
			if b.Label == "" {
				b.Label = heated
			}
			texts = append(texts, b)
		}
		p := grounding.NewPage(&journal.PageRecord{ID: id, URL: "https://a.test/" + id, Final: "https://a.test/" + id, Lang: "en", Main: []string{"# Palm House " + id, heated, "See also"}, Texts: texts}, n, birdPage(1, "", "").At)
		return wrapper.Seed{Page: p, Row: finding.Row{
			"house":  {Value: "Palm House " + id, Grade: finding.GradeExact, Lines: [2]int{1, 1}},
			"heated": {Value: v, Grade: finding.GradeDerived, Lines: [2]int{2, 2}},
		}}
	}
	for _, test := range []struct {
		name   string
		behind []journal.Text
		want   any
	}{
		{"a heading", []journal.Text{{Path: "body>h2", Value: "See also"}}, true},
		{"a table", []journal.Text{{Path: "body>table", Value: "Beds 3 Owner ours"}, {Path: "body>table>tr>td", Label: "Beds", Value: "3"}}, true},
		{"another text", []journal.Text{{Path: "body>b", Value: "See also"}}, nil},
	} {
		var seeds []wrapper.Seed
		for n := range 3 {
			seeds = append(seeds, seed(n+1, "A stove keeps it warm", true, test.behind))
		}
		w := wrapper.Induce(table, seeds)
		if row, _ := w.Read(seed(8, "A stove keeps it warm", true, test.behind).Page, table, nil); row["heated"].Value != test.want {
			t.Errorf("%s, the same: got %v", test.name, row["heated"].Value)
		}
		if row, _ := w.Read(seed(9, "Visitors freeze", false, test.behind).Page, table, nil); row["heated"].Value != nil {
			t.Errorf("%s, another text: got %v", test.name, row["heated"].Value)
		}
	}
}
