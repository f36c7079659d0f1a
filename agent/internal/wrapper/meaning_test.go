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

// TestTwoPagesAgree trusts what a text means for a boolean when the model has said so for two
// pages. While a second page is being asked, the others wait.
func TestTwoPagesAgree(t *testing.T) {
	table := glasshouses(t)
	seed := func(n int, text string, heated bool) wrapper.Seed {
		return wrapper.Seed{Page: pageOf(n, fmt.Sprintf("Palm House %d", n), text), Row: finding.Row{
			"house":  {Value: fmt.Sprintf("Palm House %d", n), Grade: finding.GradeExact, Lines: [2]int{1, 1}},
			"heated": {Value: heated, Grade: finding.GradeDerived, Lines: [2]int{2, 2}},
		}}
	}
	reads := func(w *wrapper.Wrapper, text string) any {
		row, sure := w.Read(pageOf(99, "Palm House 99", text), table, nil)
		if got := row["heated"].Value; sure != (got != nil) {
			t.Errorf("%s: got %v, sure %v", text, got, sure)
		}
		return row["heated"].Value
	}
	learn := func() *wrapper.Wrapper {
		return wrapper.Induce(table, []wrapper.Seed{seed(1, "gas", true), seed(2, "cold", false), seed(3, "gas", true)})
	}
	w := learn()
	if got := reads(w, "gas"); got != true {
		t.Errorf("a text of two pages: got %v", got)
	}
	if got := reads(w, "cold"); got != nil {
		t.Errorf("a text of one page: got %v", got)
	}
	first, second := seed(4, "stoves", true), seed(5, "stoves", true)
	for _, s := range []wrapper.Seed{first, second} {
		wait, done := w.Ask(s.Page, table)
		if wait != nil || done == nil {
			t.Fatalf("page %s is not asked about", s.Page.Rec.ID)
		}
		if other, _ := w.Ask(pageOf(9, "Palm House 9", "stoves"), table); other == nil {
			t.Errorf("another page does not wait for page %s", s.Page.Rec.ID)
		}
		if got := reads(w, "stoves"); got != nil {
			t.Errorf("before page %s: got %v", s.Page.Rec.ID, got)
		}
		w.Teach(table, s)
		w.Teach(table, s) // the same page again is no second witness
		done()
	}
	if got := reads(w, "stoves"); got != true {
		t.Errorf("a text of two later pages: got %v", got)
	}
	w.Teach(table, seed(6, "cold", true)) // contradicts page 2
	if got := reads(w, "gas"); got != nil {
		t.Errorf("after a contradiction: got %v", got)
	}

	words := new(wrapper.Words)
	one, other := learn(), learn()
	one.Share(words)
	other.Share(words)
	if got := reads(other, "cold"); got != nil {
		t.Errorf("a text of one page that taught two templates: got %v", got)
	}
	one.Teach(table, seed(7, "cold", false))
	if got := reads(other, "cold"); got != false {
		t.Errorf("a text of one page of each of two templates: got %v", got)
	}
}

// TestConcludeFromParts concludes a boolean from the part of a text that other pages have too, if
// its other parts have figures and differ, also behind a label.
func TestConcludeFromParts(t *testing.T) {
	table := glasshouses(t)
	page := func(n int, text string) *grounding.Page {
		return labelledPage(n, journal.Text{Path: "body>div.main>p", Label: "Inside", Value: text})
	}
	seed := func(n int, text string, heated bool) wrapper.Seed { return houseSeed(page(n, text), heated) }
	w := wrapper.Induce(table, []wrapper.Seed{seed(1, "150 palms • gas", true), seed(2, "90 palms • cold", false), seed(3, "40 palms • gas", true)})
	for text, want := range map[string]any{"77 palms • gas": true, "77 palms • stoves": nil, "77 palms • ferns • gas": nil} {
		row, sure := w.Read(page(9, text), table, nil)
		if got := row["heated"].Value; got != want || sure != (want != nil) {
			t.Errorf("%s: got %v, sure %v", text, got, sure)
		}
	}
}

// TestConcludeBehindValues does not take a value of another field for a label, even if it stands
// before the text on all seeds.
func TestConcludeBehindValues(t *testing.T) {
	table := glasshouses(t)
	page := func(n int, town, heating string) *grounding.Page {
		return labelledPage(n,
			journal.Text{Path: "body>div.main>ul>li", Value: "In " + town},
			journal.Text{Path: "body>div.main>ul>li", Label: "In " + town, Value: heating},
		)
	}
	seed := func(n int, heating string, heated bool) wrapper.Seed {
		s := houseSeed(page(n, "Kew", heating), heated)
		s.Row["town"] = finding.Cell{Value: "Kew", Grade: finding.GradeExact, Lines: [2]int{2, 2}}
		return s
	}
	w := wrapper.Induce(table, []wrapper.Seed{seed(1, "gas", true), seed(2, "cold", false), seed(3, "gas", true)})
	if row, _ := w.Read(page(9, "Wisley", "gas"), table, nil); row["heated"].Value != true {
		t.Errorf("got %v", row["heated"].Value)
	}
}

// TestTeachDropsChance drops a literal that selects a text by what only the first pages had in
// common, once another one reads what the model says.
func TestTeachDropsChance(t *testing.T) {
	table := glasshouses(t)
	page := func(n int, text string) *grounding.Page { return pageOf(n, fmt.Sprintf("Palm House %d", n), text) }
	seed := func(n int, text string, heated bool) wrapper.Seed { return houseSeed(page(n, text), heated) }
	w := wrapper.Induce(table, []wrapper.Seed{seed(1, "42 m, 1. floor, gas", true), seed(2, "37 m, 2. floor, cold", false), seed(3, "55 m, 3. floor, gas", true)})
	other := "61 m, cellar, gas"
	if row, sure := w.Read(page(9, other), table, nil); sure {
		t.Fatalf("got %q although a part is not there", shown(row))
	}
	w.Teach(table, seed(9, other, true))
	if row, sure := w.Read(page(10, "70 m, cellar, gas"), table, nil); !sure || row["heated"].Value != true {
		t.Errorf("got %q, sure %v", shown(row), sure)
	}
}

// TestReadNothing reads zero from a word for nothing, and no other words as numbers.
func TestReadNothing(t *testing.T) {
	o, err := outline.New(json.RawMessage(`{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{` +
		`"name":{"type":"string"},"eggs":{"type":"integer","description":"number of eggs"}},"required":["name"]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	table := o.Tables[0]
	page := func(n int, eggs string) *grounding.Page {
		return birdPage(n, fmt.Sprintf("Heron %d", n), "", journal.Text{Path: "body>div.main>dl>dd", Label: "Eggs", Value: eggs})
	}
	seed := func(n int, eggs string, v float64) wrapper.Seed {
		return wrapper.Seed{Page: page(n, eggs), Row: finding.Row{
			"name": {Value: fmt.Sprintf("Heron %d", n), Grade: finding.GradeExact},
			"eggs": {Value: v, Grade: finding.GradeNormalized},
		}}
	}
	w := wrapper.Induce(table, []wrapper.Seed{seed(1, "3", 3), seed(2, "none", 0), seed(3, "5", 5)})
	for text, want := range map[string]any{"4": 4.0, "none": 0.0, "no eggs": 0.0, "many": nil, "not counted": nil} {
		row, sure := w.Read(page(9, text), table, nil)
		if got := row["eggs"].Value; got != want || sure != (want != nil) {
			t.Errorf("%s: got %v, sure %v", text, got, sure)
		}
	}
}

// labelledPage returns page n of a palm house with further texts.
func labelledPage(n int, more ...journal.Text) *grounding.Page {
	p := birdPage(n, fmt.Sprintf("Palm House %d", n), "")
	main := []string{fmt.Sprintf("# Palm House %d", n)}
	for _, t := range more {
		main = append(main, t.Value)
	}
	return grounding.NewPage(&journal.PageRecord{
		ID: p.Rec.ID, URL: p.Rec.URL, Final: p.Rec.Final, Lang: "en", Main: main, Texts: append(p.Short(), more...),
	}, n, p.At)
}

// houseSeed returns the seed of a palm house that cites its last line for its heating.
func houseSeed(p *grounding.Page, heated bool) wrapper.Seed {
	last := len(p.Main.Lines)
	return wrapper.Seed{Page: p, Row: finding.Row{
		"house":  {Value: fmt.Sprintf("Palm House %d", p.N), Grade: finding.GradeExact, Lines: [2]int{1, 1}},
		"heated": {Value: heated, Grade: finding.GradeDerived, Lines: [2]int{last, last}},
	}}
}
