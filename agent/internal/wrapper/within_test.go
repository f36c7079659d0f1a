// SPDX-License-Identifier: Apache-2.0

package wrapper_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/wrapper"
	"example.com/curlew/agent/journal"
)

// pageOf returns page n of a bird with texts at equal places.
func pageOf(n int, name string, texts ...string) *grounding.Page {
	p := birdPage(n, name, "")
	all := p.Short()
	for _, text := range texts {
		all = append(all, journal.Text{Path: "body>div.main>p", Value: text})
	}
	return grounding.NewPage(&journal.PageRecord{
		ID: p.Rec.ID, URL: p.Rec.URL, Final: p.Rec.Final, Lang: "en", Main: append([]string{"# " + name}, texts...), Texts: all,
	}, n, p.At)
}

// TestReadWithin reads values that stand in a text between others, and not if the text is
// made differently.
func TestReadWithin(t *testing.T) {
	table := birds(t)
	for _, test := range []struct {
		name   string
		seeds  [3]string
		values [3]float64
		page   string
		want   any
	}{
		{"before another value", [3]string{"★ 4.5 (120 ratings)", "★ 3.9 (7 ratings)", "★ 5 (1,002 ratings)"}, [3]float64{4.5, 3.9, 5}, "★ 4.1 (33 ratings)", 4.1},
		{"after another value", [3]string{"★ 4.5 (120 ratings)", "★ 3.9 (7 ratings)", "★ 5 (1,002 ratings)"}, [3]float64{120, 7, 1002}, "★ 4.1 (33 ratings)", 33.0},
		{"words in common by chance", [3]string{"Ringed 3 May, 12 eggs. Seen in spring.", "Ringed 1 June, 7 eggs. Seen in spring.", "Ringed 9 April, 30 eggs. Seen in spring."}, [3]float64{12, 7, 30}, "Ringed 8 May, 9 eggs. Seen in autumn.", nil},
		{"one of two measures", [3]string{"54 × 30 cm", "61 × 12 cm", "20 × 44 cm"}, [3]float64{54, 61, 20}, "70 × 35 cm", 70.0},
		{"in another unit", [3]string{"54 × 30 cm", "61 × 12 cm", "20 × 44 cm"}, [3]float64{54, 61, 20}, "700 × 350 mm", nil},
		{"three measures", [3]string{"54 × 30 cm", "61 × 12 cm", "20 × 44 cm"}, [3]float64{54, 61, 20}, "70 × 35 × 9 cm", nil},
		{"another word before it", [3]string{"from 3 to 5 eggs", "from 1 to 2 eggs", "from 4 to 9 eggs"}, [3]float64{3, 1, 4}, "up to 7 eggs", nil},
		{"numbers in words", [3]string{"six eggs", "a dozen eggs", "12 eggs"}, [3]float64{6, 12, 12}, "two dozen eggs", 24.0},
		{"numbers in words that are a text", [3]string{"twice", "three times", "once"}, [3]float64{2, 3, 1}, "four times", 4.0},
		{"how often, in a sentence", [3]string{"Meets twice a week, 57 members.", "Meets three times a week, a dozen members.", "Meets once a week, 24 members."}, [3]float64{2, 3, 1}, "Meets four times a week, sixty members.", 4.0},
		{"behind how often", [3]string{"Meets twice a week, 57 members.", "Meets three times a week, a dozen members.", "Meets once a week, 24 members."}, [3]float64{57, 12, 24}, "Meets four times a week, sixty members.", 60.0},
		{"an article, words and figures", [3]string{"In oak, worn. One price.", "In ash, sound. Two prices.", "In oak, sound. 3 prices."}, [3]float64{1, 2, 3}, "In elm, worn. Four prices.", 4.0},
		{"a hyphen", [3]string{"single-hander", "up to three", "two"}, [3]float64{1, 3, 2}, "single-hander", 1.0},
		{"a pair", [3]string{"one", "a pair", "3"}, [3]float64{1, 2, 3}, "a pair", 2.0},
		{"no number", [3]string{"twice", "three times", "once"}, [3]float64{2, 3, 1}, "rarely", nil},
		{"numbers in words behind it", [3]string{"Sleeps four in two rooms, by the sea.", "Sleeps eight in one room, by the sea.", "Sleeps two in three rooms, by the sea."}, [3]float64{4, 8, 2}, "Sleeps ten in 4 rooms, by the sea.", 10.0},
		{"the lack of something behind it", [3]string{"Room for 8 dogs and four cats.", "Room for a dozen dogs and no cats.", "Room for 45 dogs and 3 cats."}, [3]float64{8, 12, 45}, "Room for 20 dogs and no cats.", 20.0},
		{"another unit, and numbers in words behind it", [3]string{"Holds 8 grams for 3 days and two eggs.", "Holds 9 grams for 2 days and one egg.", "Holds 7 grams for one day and three eggs."}, [3]float64{8, 9, 7}, "Holds 6 ounces for 2 days and two eggs.", nil},
		{"the same, in the unit", [3]string{"Holds 8 grams for 3 days and two eggs.", "Holds 9 grams for 2 days and one egg.", "Holds 7 grams for one day and three eggs."}, [3]float64{8, 9, 7}, "Holds 6 grams for 2 days and one egg.", 6.0},
		{"a ton that is no tonne", [3]string{"Holds 8 to 9 tonnes and two eggs.", "Holds 9 to 12 tonnes and one egg.", "Holds 7 to 8 tonnes and three eggs."}, [3]float64{8, 9, 7}, "Holds 6 to 7 tons and two eggs.", nil},
		{"the rest of a clause", [3]string{"Paid well, part-time at 18 hours. See below.", "Paid badly, twenty-four hours weekly. See below.", "Paid well, 36 hours weekly. See below."}, [3]float64{18, 24, 36}, "Paid well, part-time at 20 hours. See below.", 20.0},
		{"two numbers in a clause", [3]string{"Paid well, part-time at 18 hours. See below.", "Paid badly, twenty-four hours weekly. See below.", "Paid well, 36 hours weekly. See below."}, [3]float64{18, 24, 36}, "Paid well, 20 or 30 hours. See below.", nil},
		{"a plural that ends differently", [3]string{"Seen at 120 sites in one country.", "Seen at 14 sites in 3 countries.", "Seen at 7 sites in one country."}, [3]float64{120, 14, 7}, "Seen at 9 sites in 2 countries.", 9.0},
		{"how far it may be off", [3]string{"1340 ± 75 years", "1702", "990 ± 20 years"}, [3]float64{1340, 1702, 990}, "1500 ± 60 years", 1500.0},
		{"a number with its own unit beside another one", [3]string{"59.1°S 30.4°W", "3.2°N 10.5°E", "51.4°S 107.8°E"}, [3]float64{-59.1, 3.2, -51.4}, "12.5°N 3.3°W", 12.5},
		{"a range of eggs", [3]string{"from 3 to 5 eggs", "from 1 to 2 eggs", "from 4 to 9 eggs"}, [3]float64{3, 1, 4}, "from 2 to 6 eggs", 2.0},
	} {
		var all []wrapper.Seed
		for i, name := range []string{"Heron", "Stork", "Crane"} {
			all = append(all, seedOf(pageOf(i+1, name, test.seeds[i]), name, test.values[i]))
		}
		w := wrapper.Induce(table, all)
		row, sure := w.Read(pageOf(9, "Ibis", test.page), table, nil)
		if got := row["price"].Value; got != test.want || sure != (test.want != nil) {
			t.Errorf("%s: got %v, sure %v, want %v", test.name, got, sure, test.want)
		}
		if test.want == nil { // the model reads it, and the template knows from now on what is not common to all
			w.Teach(table, seedOf(pageOf(9, "Ibis", test.page), "Ibis", 9))
			if row, sure := w.Read(pageOf(9, "Ibis", test.page), table, nil); sure != (test.name == "words in common by chance") {
				t.Errorf("%s: taught, got %v, sure %v", test.name, row, sure)
			}
		}
	}
}

// TestReadMeasures reads numbers with different words for one unit, and the lack of something as
// zero. It never takes another unit for that of the field.
func TestReadMeasures(t *testing.T) {
	o, err := outline.New(json.RawMessage(`{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{` +
		`"name":{"type":"string"},"temp":{"type":"number","description":"temperature in °C"},"keys":{"type":"integer","description":"number of keys"}},"required":["name"]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	table := o.Tables[0]
	for _, test := range []struct {
		field  string
		seeds  [4]string
		values [4]float64
		pages  map[string]any
	}{
		{"temp", [4]string{"Gets 80 degrees hot.", "Gets 70 °C hot.", "Gets 95 °C hot.", "Gets 60 degrees hot."}, [4]float64{80, 70, 95, 60}, map[string]any{
			"Gets 85 degrees hot.": 85.0, "Gets 85 °C hot.": 85.0, "Gets 176 °F hot.": 80.0, "Gets 85 °C hot and 90 °C later.": nil, "Gets hot.": nil,
		}},
		{"keys", [4]string{"In oak, sound. 3 keys.", "In ash, worn. No keys.", "In elm, worn. One key.", "In elm, sound. 2 keys."}, [4]float64{3, 0, 1, 2}, map[string]any{
			"In oak, worn. 7 keys.": 7.0, "In elm, sound. No keys.": 0.0, "In ash, sound. No lid.": nil, "In oak, sound. Keys are lost.": nil,
		}},
	} {
		var all []wrapper.Seed
		for i, name := range []string{"Heron", "Stork", "Crane", "Egret"} {
			all = append(all, wrapper.Seed{Page: pageOf(i+1, name, test.seeds[i]), Row: finding.Row{
				"name": {Value: name, Grade: finding.GradeExact, Lines: [2]int{1, 1}}, test.field: {Value: test.values[i], Grade: finding.GradeNormalized, Lines: [2]int{2, 2}},
			}})
		}
		w := wrapper.Induce(table, all)
		for text, want := range test.pages {
			row, sure := w.Read(pageOf(9, "Ibis", text), table, nil)
			if got := row[test.field].Value; got != want || sure != (want != nil) {
				t.Errorf("%s: got %v, sure %v, want %v", text, got, sure, want)
			}
		}
	}
}

// TestReadPlaced reads one of several texts at equal places by its number, and not if a page
// has others there.
func TestReadPlaced(t *testing.T) {
	table := birds(t)
	var all []wrapper.Seed
	for i, name := range []string{"Heron", "Stork", "Crane"} {
		price := float64(i + 2)
		all = append(all, seedOf(pageOf(i+1, name, "wader", fmt.Sprint(price), []string{"grey", "2 colours", "white"}[i]), name, price))
	}
	w := wrapper.Induce(table, all)
	for _, test := range []struct {
		name  string
		texts []string
		want  any
	}{
		{"as on the seeds", []string{"duck", "7", "brown"}, 7.0},
		{"figures where the seeds differ", []string{"duck", "7", "3 colours"}, 7.0},
		{"one is missing", []string{"7", "brown"}, nil},
		{"one more", []string{"duck", "3", "7", "brown"}, nil},
		{"one is missing and another was added", []string{"7", "9", "brown"}, nil},
	} {
		row, sure := w.Read(pageOf(9, "Ibis", test.texts...), table, nil)
		if got := row["price"].Value; got != test.want || sure != (test.want != nil) {
			t.Errorf("%s: got %v, sure %v, want %v", test.name, got, sure, test.want)
		}
	}
}

// TestReadItems reads lists that are one text, if it is certain where their items end.
func TestReadItems(t *testing.T) {
	o, err := outline.New(json.RawMessage(`{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{` +
		`"name":{"type":"string"},"food":{"type":"array","items":{"type":"string"}}},"required":["name"]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	table := o.Tables[0]
	page := func(n int, name, food string) *grounding.Page {
		return birdPage(n, name, "", journal.Text{Path: "body>div.main>dl>dd", Label: "Food", Value: food})
	}
	seed := func(n int, name, food string, items ...any) wrapper.Seed {
		return wrapper.Seed{Page: page(n, name, food), Row: finding.Row{"name": {Value: name, Grade: finding.GradeExact}, "food": {Value: items, Grade: finding.GradeExact}}}
	}
	w := wrapper.Induce(table, []wrapper.Seed{
		seed(1, "Heron", "fish", "fish"), seed(2, "Stork", "frogs, mice", "frogs", "mice"), seed(3, "Crane", "grain, water snails, roots", "grain", "water snails", "roots"),
	})
	for text, want := range map[string]any{
		"snails, worms":                 "[snails worms]",
		"worms":                         "[worms]",
		"snails; worms":                 nil,
		"snails and worms":              nil,
		"snails, worms and fish":        nil,
		"snails (small), worms":         nil,
		"snails, , worms":               nil,
		"a" + strings.Repeat(", a", 60): nil,
	} {
		row, sure := w.Read(page(9, "Ibis", text), table, nil)
		var got any
		if v := row["food"].Value; v != nil {
			got = fmt.Sprint(v)
		}
		if got != want || sure != (want != nil) {
			t.Errorf("%s: got %v, sure %v", text, got, sure)
		}
	}
}

// TestConcludeParts concludes a boolean from a part of a text.
func TestConcludeParts(t *testing.T) {
	table := glasshouses(t)
	page := func(n int, text string) *grounding.Page { return pageOf(n, fmt.Sprintf("Palm House %d", n), text) }
	seed := func(n int, text string, heated bool) wrapper.Seed {
		p := page(n, text)
		return wrapper.Seed{Page: p, Row: finding.Row{
			"house":  {Value: fmt.Sprintf("Palm House %d", n), Grade: finding.GradeExact, Lines: [2]int{1, 1}},
			"heated": {Value: heated, Grade: finding.GradeDerived, Lines: [2]int{2, 2}},
		}}
	}
	for _, seeds := range [][]wrapper.Seed{
		{seed(1, "Built in 1901. Heated by gas.", true), seed(2, "Built in 1874. Never heated.", false), seed(3, "Built in 1933. Heated by gas.", true)},
		{seed(1, "Built in 1901. Heated by gas.", true), seed(2, "Built in 1874. Never heated.", false), seed(3, "Built in 1933. Heated by a stove.", true)}, // all differ
	} {
		w := wrapper.Induce(table, seeds)
		w.Teach(table, seed(4, "Built in 1888. Never heated.", false))
		for text, want := range map[string]any{
			"Built in 1950. Heated by gas.":          true,
			"Built in 1874. Never heated.":           false,
			"Built in 1950. Full of palms.":          nil,
			"Built in 1950. Locked. Heated by gas.":  nil,
			"Full of palms, no more. Heated by gas.": true,
		} {
			row, sure := w.Read(page(9, text), table, nil)
			if got := row["heated"].Value; got != want || sure != (want != nil) {
				t.Errorf("%s: got %v, sure %v", text, got, sure)
			}
		}
	}
}

// TestReadBeside reads two numbers with a stroke between them that are two fields. Otherwise the second
// one is the scale of the first one.
func TestReadBeside(t *testing.T) {
	o, err := outline.New(json.RawMessage(`{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{` +
		`"name":{"type":"string"},"kw":{"type":"integer"},"hp":{"type":"integer"}},"required":["name"]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	table := o.Tables[0]
	var both, one []wrapper.Seed
	for i, v := range [][2]float64{{63, 91}, {70, 94}, {46, 82}} {
		name := fmt.Sprintf("Auk %d", i)
		row := finding.Row{"name": {Value: name, Grade: finding.GradeExact}, "kw": {Value: v[0], Grade: finding.GradeExact}}
		p := pageOf(i+1, name, fmt.Sprintf("%v/%v (kW/hp)", v[0], v[1]))
		one = append(one, wrapper.Seed{Page: p, Row: row})
		row = maps.Clone(row)
		row["hp"] = finding.Cell{Value: v[1], Grade: finding.GradeExact}
		both = append(both, wrapper.Seed{Page: p, Row: row})
	}
	page := pageOf(9, "Auk 9", "58/79 (kW/hp)")
	if row, _ := wrapper.Induce(table, both).Read(page, table, nil); row["kw"].Value != 58.0 || row["hp"].Value != 79.0 {
		t.Errorf("two fields: got %s", shown(row))
	}
	if row, _ := wrapper.Induce(table, one).Read(page, table, nil); row["kw"].Value != nil {
		t.Errorf("one field: got %s", shown(row))
	}
}
