// SPDX-License-Identifier: Apache-2.0

package filter_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/filter"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
)

// TestIgnored finds the limits of a task that a plan does not apply.
func TestIgnored(t *testing.T) {
	with := func(v, words string) protocol.PlanReply {
		return protocol.PlanReply{Tables: []journal.PlannedTable{{Conditions: []journal.Condition{{Field: "f", Op: ">=", Value: v, Words: words}}}}}
	}
	for _, test := range []struct {
		task string
		plan protocol.PlanReply
		want []string
	}{
		{"Which roles pay at least 60,000 euros?", protocol.PlanReply{}, []string{"at least 60,000"}},
		{"Which roles pay at least 60,000 euros?", with("60000", "at least 60,000 euros"), nil},
		{"Which roles pay at least 60,000 euros?", with("60k", ""), nil},
		{"Flats under £1,500 with 2 bedrooms or more", with("1500", "under £1,500"), []string{"2 bedrooms or more"}},
		{"Zimmer unter 90 €", protocol.PlanReply{}, []string{"unter 90"}},
		{"Chambres à moins de 90 €", protocol.PlanReply{}, []string{"moins de 90"}},
		{"All talks of Lathe 2026 on 3 May", protocol.PlanReply{}, nil},
		{"The 5 cheapest lamps", protocol.PlanReply{}, nil},
		{"Fees for orders over $50 of each shop", protocol.PlanReply{Fields: []protocol.PromptField{{Name: "fee", Description: "for orders over $50"}}}, nil},
	} {
		if d := cmp.Diff(test.want, filter.Ignored(test.task, test.plan)); d != "" {
			t.Errorf("%s: %s", test.task, d)
		}
	}
}

// TestOverlooked finds the names of a task that a plan does not have.
func TestOverlooked(t *testing.T) {
	plan := protocol.PlanReply{Tables: []journal.PlannedTable{{What: "jobs in Zurich", Conditions: []journal.Condition{{Field: "town", Op: "=", Value: "Basel", Words: "in Basel"}}}}}
	for _, test := range []struct {
		task, known string
		want        []string
	}{
		{"All jobs in Zurich or Basel", "", []string{"Zurich"}},
		{"Jobs at Norwik in Zurich as a PDF. Only those in Basel!", "https://norwik.test/jobs", []string{"Zurich"}},
		{"Alle Stellen in Zürich mit Lohn, Ort und Beginn der Arbeit", "", nil}, // German nouns have capital letters
	} {
		if d := cmp.Diff(test.want, filter.Overlooked(test.task, plan, test.known)); d != "" {
			t.Errorf("%s: %s", test.task, d)
		}
	}
}

// TestSole leaves open whether something that is two things is only one of them.
func TestSole(t *testing.T) {
	for _, test := range []struct {
		words, cell string
		want        filter.State
	}{
		{"phase 2 only", "Phase 2", filter.Met},
		{"phase 2 only", "Phase 2/Phase 3", filter.Open},
		{"phase 2", "Phase 2/Phase 3", filter.Met},
		{"nur Phase 2", "Phase 2; Phase 3", filter.Open},
		{"phase 2 only", "Phase 3/Phase 4", filter.Unmet},
		{"only phase 2", "Phase 2, Bonn", filter.Met},
	} {
		c, ok := filter.Read(journal.Condition{Field: "f", Op: "=", Value: "Phase 2", Words: test.words}, filter.Text)
		if !ok {
			t.Fatal(test.words)
		}
		row := finding.Row{"f": {Value: test.cell}}
		if got := filter.NewSet([]*filter.Condition{c}).Judge([]finding.Row{row}, func(finding.Cell) string { return "" })[0]; got != test.want {
			t.Errorf("%s, %q: %v, want %v", test.words, test.cell, got, test.want)
		}
	}
}

// TestForgotten finds the conditions of earlier questions that a plan must repeat.
func TestForgotten(t *testing.T) {
	under := journal.Condition{Field: "price", Op: "<", Value: "15", Words: "below $15"}
	before := []journal.PlannedTable{{Conditions: []journal.Condition{under}}}
	for _, test := range []struct {
		task string
		plan protocol.PlanReply
		want []string
	}{
		{"Which of those are red?", protocol.PlanReply{Same: true}, []string{"below $15"}},
		{"Welche davon sind rot?", protocol.PlanReply{Same: true}, []string{"below $15"}},
		{"Which of those are red?", protocol.PlanReply{Same: true, Tables: before}, nil},
		{"Which of those cost less than $10?", protocol.PlanReply{Same: true, Tables: []journal.PlannedTable{{Conditions: []journal.Condition{{Field: "price", Op: "<", Value: "10"}}}}}, nil},
		{"All red widgets", protocol.PlanReply{Same: true}, nil},
		{"Which of those are red?", protocol.PlanReply{}, nil},
	} {
		if d := cmp.Diff(test.want, filter.Forgotten(test.task, before, test.plan)); d != "" {
			t.Errorf("%s: %s", test.task, d)
		}
	}
}

// TestCondition decides on one cell.
func TestCondition(t *testing.T) {
	said := func(op, v string) journal.Condition { return journal.Condition{Field: "f", Op: op, Value: v} }
	for _, test := range []struct {
		said journal.Condition
		kind filter.Kind
		cell any
		line string
		want filter.State
	}{
		{said("<", "50"), filter.Number, 49.9, "", filter.Met},
		{said("below", "$50"), filter.Number, 50.0, "$50", filter.Unmet},
		{said("at most", "50"), filter.Number, 50.0, "", filter.Met},
		{said(">", "1,500"), filter.Number, "1,600 pieces", "", filter.Met},
		{said("!=", "3"), filter.Number, 3.0, "", filter.Unmet},
		{said("in", "3 | 4"), filter.Number, 4.0, "", filter.Met},
		{said("<", "50"), filter.Number, "on request", "", filter.Open},
		{journal.Condition{Op: "<", Value: "50", Unit: "USD"}, filter.Number, 40.0, "40 €", filter.Open},
		{journal.Condition{Op: "<", Value: "50", Unit: "EUR"}, filter.Number, 40.0, "40 €", filter.Met},
		{journal.Condition{Op: "<", Value: "50", Words: "under $50"}, filter.Number, 40.0, "40", filter.Met},
		{journal.Condition{Op: ">", Value: "2543", Words: "หลังปี พ.ศ. 2543"}, filter.Number, 2001.0, "", filter.Met},
		{journal.Condition{Op: ">", Value: "2543", Words: "หลังปี พ.ศ. 2543"}, filter.Number, 2000.0, "", filter.Unmet},
		{journal.Condition{Op: "<", Value: "2543", Words: "less than 2543"}, filter.Number, 2100.0, "", filter.Met},
		{said("<", "2569"), filter.Date, "2025-12-31", "", filter.Met},
		{said("<", "2569-03"), filter.Date, "2026-03-01", "", filter.Unmet},
		{said(">=", "2015"), filter.Date, "2015-01-01", "", filter.Met},
		{said(">", "2015"), filter.Date, "2015-12-31", "", filter.Unmet},
		{said("after", "2015"), filter.Date, "2016-01-01", "", filter.Met},
		{said("before", "2015-03"), filter.Date, "2015-02-28", "", filter.Met},
		{said("<=", "2015-03"), filter.Date, "2015-03-31", "", filter.Met},
		{said("=", "2015"), filter.Date, "2015-06-01", "", filter.Met},
		{said("=", "2015"), filter.Date, "soon", "", filter.Open},
		{said("=", "true"), filter.Boolean, true, "", filter.Met},
		{said("!=", "true"), filter.Boolean, true, "", filter.Unmet},
		{said("=", "in stock"), filter.Boolean, false, "", filter.Unmet},
		{said("=", "true"), filter.Boolean, "perhaps", "", filter.Open},
		{said("=", "berlin"), filter.Text, "Berlin, Germany", "", filter.Met},
		{said("=", "Acme"), filter.Text, "ACME Inc.", "", filter.Met},
		{said("=", "Acme"), filter.Text, "Acme Tools", "", filter.Unmet},
		{said("contains", "tools"), filter.Text, "Acme Tools", "", filter.Met},
		{said("is not", "Acme"), filter.Text, "Acme", "", filter.Unmet},
		{said("=", "red"), filter.Text, []any{"blue", "red"}, "", filter.Met},
		{said("=", "red"), filter.Text, "", "", filter.Open},
		{said("!=", "red"), filter.Text, []any{"blue", "red"}, "", filter.Unmet},
		{said("!=", "red"), filter.Text, []any{"blue", "green"}, "", filter.Met},
		{said("contains", "repair"), filter.Text, "Repairs and parts", "", filter.Met},
		{said("contains", "repair"), filter.Text, "Disrepair", "", filter.Unmet},
		{said("contains", "art"), filter.Text, "Artichokes", "", filter.Unmet},
		{said(">", "9:00"), filter.Clock, "09:25", "", filter.Met},
		{said(">", "09:00"), filter.Clock, "9.00 Uhr", "", filter.Unmet},
		{said("<", "4 pm"), filter.Clock, "dep. 15:59, platform 3", "", filter.Met},
		{said("<", "2:15"), filter.Clock, "2:14:07", "", filter.Met},
		{said(">", "09 h 00"), filter.Clock, "9 h 11", "", filter.Met},
		{said("<", "16:00"), filter.Clock, "on demand", "", filter.Open},
	} {
		c, ok := filter.Read(test.said, test.kind)
		if !ok {
			t.Errorf("%+v cannot be read", test.said)
			continue
		}
		if got := c.Test(finding.Cell{Value: test.cell}, value.Normal(test.line)); got != test.want {
			t.Errorf("%+v of %v, %q: %v, want %v", test.said, test.cell, test.line, got, test.want)
		}
	}
	for _, bad := range []struct {
		said journal.Condition
		kind filter.Kind
	}{{said("~", "x"), filter.Text}, {said("<", "cheap"), filter.Number}, {said("<", "x"), filter.Text}, {said("=", "soon"), filter.Date}, {said("<", "true"), filter.Boolean}} {
		if _, ok := filter.Read(bad.said, bad.kind); ok {
			t.Errorf("%+v can be read", bad.said)
		}
	}
}

// TestParts reads what lies between two values as two conditions.
func TestParts(t *testing.T) {
	for v, want := range map[string][]string{"10 | 20": {">=10", "<=20"}, "10 and 20": {">=10", "<=20"}, "2015-01-01..2016-01-01": {">=2015-01-01", "<=2016-01-01"}, "10": {"between10"}} {
		var got []string
		for _, c := range filter.Parts(journal.Condition{Op: "between", Value: v}) {
			got = append(got, c.Op+c.Value)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", v, d)
		}
	}
}

// TestCited takes only what the question says.
func TestCited(t *testing.T) {
	const question = "Find every kettle under $50, made by Fenwick."
	for words, want := range map[string]bool{"under $50": true, "Under 50": true, "made by fenwick": true, "below $50": false, "": false} {
		if got := filter.Cited(journal.Condition{Words: words, Value: "x"}, question); got != want {
			t.Errorf("%q: %v", words, got)
		}
	}
	if !filter.Cited(journal.Condition{Value: "Fenwick"}, question) {
		t.Error("the value stands in the question")
	}
}

// TestKindOf guesses how the values of an unknown field compare.
func TestKindOf(t *testing.T) {
	for _, test := range []struct {
		field, op, value string
		want             filter.Kind
	}{
		{"price", "<", "50", filter.Number},
		{"since", ">=", "2015", filter.Date},
		{"x", ">", "2015-03-01", filter.Date},
		{"in_stock", "=", "true", filter.Boolean},
		{"city", "=", "Bern", filter.Text},
		{"price", "bottom", "5", filter.Number},
		{"published", "top", "1", filter.Date},
		{"departure", ">", "09:00", filter.Clock},
		{"departure", "<", "9 am", filter.Clock},
		{"licence", "=", "PL 14041/0229", filter.Text},
		{"phone", "=", "+44 1632 960123", filter.Text},
		{"train", "=", "F 110", filter.Text},
		{"price", "=", "$50", filter.Number},
		{"length", "=", "5 km", filter.Number},
		{"price", "=", "1.2m", filter.Number},
	} {
		if got := filter.KindOf(journal.Condition{Field: test.field, Op: test.op, Value: test.value}); got != test.want {
			t.Errorf("%s %s %s: %s, want %s", test.field, test.op, test.value, got, test.want)
		}
	}
}

// TestJudge joins conditions, alternatives and superlatives.
func TestJudge(t *testing.T) {
	read := func(field, op, v string, kind filter.Kind, or bool) *filter.Condition {
		c, ok := filter.Read(journal.Condition{Field: field, Op: op, Value: v, Or: or}, kind)
		if !ok {
			t.Fatalf("%s %s %s", field, op, v)
		}
		return c
	}
	rows := []finding.Row{
		{"price": {Value: 10.0}, "maker": {Value: "A"}},
		{"price": {Value: 30.0}, "maker": {Value: "B"}},
		{"price": {Value: 20.0}, "maker": {Value: "C"}},
		{"price": {Value: 5.0}},
		{"maker": {Value: "B"}},
	}
	line := func(finding.Cell) string { return "" }
	for name, test := range map[string]struct {
		all  []*filter.Condition
		want string // m: met, u: unmet, o: open
	}{
		"both":              {[]*filter.Condition{read("price", "<", "25", filter.Number, false), read("maker", "=", "A", filter.Text, false)}, "muuou"},
		"one maker of two":  {[]*filter.Condition{read("maker", "=", "A", filter.Text, false), read("maker", "=", "B", filter.Text, false)}, "mmuom"},
		"either":            {[]*filter.Condition{read("price", "<", "8", filter.Number, false), read("maker", "=", "B", filter.Text, true)}, "umumm"},
		"the cheapest two":  {[]*filter.Condition{read("price", "bottom", "2", filter.Number, false)}, "muumo"},
		"the dearest of B":  {[]*filter.Condition{read("price", "top", "1", filter.Number, false), read("maker", "=", "B", filter.Text, false)}, "umuoo"},
		"unmet beats open":  {[]*filter.Condition{read("price", ">", "8", filter.Number, false), read("maker", "=", "A", filter.Text, false)}, "muuuu"},
		"without condition": {nil, "mmmmm"},
	} {
		var got strings.Builder
		for _, s := range filter.NewSet(test.all).Judge(rows, line) {
			got.WriteByte("omu"[s])
		}
		want := test.want
		if d := cmp.Diff(want, got.String()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestNamesakes takes a row whose name is similar to the wanted one only if no row has that
// name, and does so only for names.
func TestNamesakes(t *testing.T) {
	for _, test := range []struct {
		names string
		keys  []string
		want  string
	}{
		{"Market; Market (copy); Toll", []string{"name"}, "muu"},
		{"Market (copy); Toll", []string{"name"}, "mu"},
		{"Market; Market (copy); Toll", nil, "mmu"},
	} {
		c, ok := filter.Read(journal.Condition{Field: "name", Op: "=", Value: "Market"}, filter.Text)
		if !ok {
			t.Fatal("no condition")
		}
		var rows []finding.Row
		for name := range strings.SplitSeq(test.names, "; ") {
			rows = append(rows, finding.Row{"name": {Value: name}})
		}
		set := filter.NewSet([]*filter.Condition{c})
		set.Keys = test.keys
		var got strings.Builder
		for _, s := range set.Judge(rows, func(finding.Cell) string { return "" }) {
			got.WriteByte("omu"[s])
		}
		if got.String() != test.want {
			t.Errorf("%s by %v: %s, want %s", test.names, test.keys, got.String(), test.want)
		}
	}
}

// TestClockOrder ranks times of day, however they are written.
func TestClockOrder(t *testing.T) {
	c, ok := filter.Read(journal.Condition{Field: "at", Op: "bottom", Value: "1"}, filter.Number)
	if !ok {
		t.Fatal("no condition")
	}
	rows := []finding.Row{{"at": {Value: "12:05"}}, {"at": {Value: "9:40"}}, {"at": {Value: "9:15"}}}
	got := filter.NewSet([]*filter.Condition{c}).Judge(rows, func(finding.Cell) string { return "" })
	if d := cmp.Diff([]filter.State{filter.Unmet, filter.Unmet, filter.Met}, got); d != "" {
		t.Error(d)
	}
}

// FuzzRead reads conditions that a model made up, and applies them to any cell.
func FuzzRead(f *testing.F) {
	f.Add("<", "50", "$", "under $50", "49 €")
	f.Add("in", "a|b", "", "", "a, b")
	f.Add("top", "1e400", "", "", "")
	f.Fuzz(func(t *testing.T, op, v, unit, words, cell string) {
		said := journal.Condition{Field: "f", Op: op, Value: v, Unit: unit, Words: words}
		filter.Cited(said, cell)
		for _, kind := range []filter.Kind{filter.Number, filter.Date, filter.Boolean, filter.Text, filter.Clock, filter.KindOf(said)} {
			c, ok := filter.Read(said, kind)
			if !ok {
				continue
			}
			set := filter.NewSet([]*filter.Condition{c})
			rows := []finding.Row{{"f": {Value: cell}}, {}, {"f": {Value: []any{cell, 1.0}}}}
			if states := set.Judge(rows, func(finding.Cell) string { return cell }); states[1] != filter.Open {
				t.Errorf("%+v: a row without the field is %v", said, states[1])
			}
		}
	})
}

// TestConverted converts the number of a condition to the unit of its field.
func TestConverted(t *testing.T) {
	for _, test := range []struct {
		field string
		said  journal.Condition
		want  string
	}{
		{"weight_g", journal.Condition{Op: "<", Value: "15 kg", Words: "less than 15 kg"}, "15000"},
		{"weight_g", journal.Condition{Op: "<", Value: "15", Unit: "kg", Words: "less than 15 kg"}, "15000"},
		{"weight_g", journal.Condition{Op: "<", Value: "15", Words: "less than 15 kg"}, "15000"},
		{"weight_g", journal.Condition{Op: "<", Value: "15000", Words: "less than 15 kg"}, "15000"},
		{"minutes", journal.Condition{Op: "<=", Value: "2", Unit: "hours", Words: "two hours"}, "120"},
		{"minutes", journal.Condition{Op: "bottom", Value: "3", Words: "the 3 shortest under 2 hours"}, "3"},
		{"price", journal.Condition{Op: "<", Value: "15", Unit: "kg"}, "15"},
	} {
		if got := filter.Converted(test.said, value.UnitOf(test.field, "")); got.Value != test.want {
			t.Errorf("%+v of %s: %s, want %s", test.said, test.field, got.Value, test.want)
		}
	}
}

// TestCitedWithoutSpaces finds the words of a condition in a language that puts no spaces
// between them.
func TestCitedWithoutSpaces(t *testing.T) {
	const question = "露天風呂がなく、入浴料が1,000円以下の温泉"
	for words, want := range map[string]bool{"1,000円以下": true, "露天風呂がなく": true, "2,000円以下": false, "駅から近い": false} {
		if got := filter.Cited(journal.Condition{Field: "fee", Op: "<=", Value: "1000", Words: words}, question); got != want {
			t.Errorf("%s: %v", words, got)
		}
	}
}

// TestCitedEndings accepts words whose last one has another ending in the question, and
// no words that begin or end within others.
func TestCitedEndings(t *testing.T) {
	const question = "주차가 안 되고 1박 20만 원 이하인 한옥, unlisted, over 500 km"
	for words, want := range map[string]bool{"20만 원 이하": true, "listed": false, "over 50": false, "over 500": true, "30만 원": false} {
		if got := filter.Cited(journal.Condition{Words: words}, question); got != want {
			t.Errorf("%s: %v", words, got)
		}
	}
}

// TestIncomparable says which conditions name a unit that cannot be converted to that of the field.
func TestIncomparable(t *testing.T) {
	minutes, metres := value.UnitOf("minutes", ""), value.UnitOf("length_m", "")
	for _, test := range []struct {
		condition journal.Condition
		unit      value.Unit
		want      bool
	}{
		{journal.Condition{Op: "<", Value: "1", Unit: "time"}, minutes, false},
		{journal.Condition{Op: "<", Value: "1", Unit: "klukkutíminn"}, minutes, true},
		{journal.Condition{Op: "<", Value: "1", Unit: "kg"}, metres, true},
		{journal.Condition{Op: "<", Value: "500", Unit: "m"}, metres, false},
		{journal.Condition{Op: "<", Value: "500", Unit: ""}, metres, false},
		{journal.Condition{Op: "top", Value: "1", Unit: "pieces"}, metres, false},
		{journal.Condition{Op: "<", Value: "500", Unit: "pieces"}, value.Unit{}, false},
	} {
		if got := filter.Incomparable(test.condition, test.unit); got != test.want {
			t.Errorf("%+v: %v", test.condition, got)
		}
	}
}

// TestCitedSpelling accepts words that a model has quoted in another spelling, and no other words.
func TestCitedSpelling(t *testing.T) {
	const question = "anything still availble in sao paulo wich is pet freindly, unlicensed, under 100 quid, do 300 zl"
	for words, want := range map[string]bool{
		"still available": true, "in São Paulo": true, "which is pet friendly": true, "anything still": true, "do 300 zł": true,
		"under 200 quid": false, "under 100 quit": false, "licensed": false, "not available": false, "still valuable": false, "in San Paolo": false, "which are popular": false,
	} {
		if got := filter.Cited(journal.Condition{Words: words}, question); got != want {
			t.Errorf("%s: %v", words, got)
		}
	}
}

// TestCitedPrefixes accepts words to which Arabic and Hebrew attach others.
func TestCitedPrefixes(t *testing.T) {
	const question = "الأفلاج التي لا تجري ويزيد طولها على ٣٠٠٠ متر"
	for words, want := range map[string]bool{"يزيد طولها على ٣٠٠٠ متر": true, "أفلاج": true, "لها على ٣٠٠٠": true, "يقل طولها": false, "٣٠٠٠ متر": true, "٠٠٠ متر": false} {
		if got := filter.Cited(journal.Condition{Words: words}, question); got != want {
			t.Errorf("%s: %v", words, got)
		}
	}
}

// TestTies keeps rows that rank the same as the last wanted one, if they are few.
func TestTies(t *testing.T) {
	row := func(price float64) finding.Row { return finding.Row{"price": finding.Cell{Value: price}} }
	for _, test := range []struct {
		top        string
		prices     []float64
		kept, ties int
	}{
		{"3", []float64{1, 2, 3, 3, 4}, 4, 0},
		{"3", []float64{1, 2, 3, 4, 5}, 3, 0},
		{"1", []float64{1, 1, 2}, 1, 1},
		{"2", []float64{1, 1, 1, 1, 1, 1, 1}, 7, 0},
		{"2", []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 2, 11},
		{"9", []float64{1, 1}, 2, 0},
	} {
		c, ok := filter.Read(journal.Condition{Field: "price", Op: "bottom", Value: test.top}, filter.Number)
		if !ok {
			t.Fatal(test.top)
		}
		set := filter.NewSet([]*filter.Condition{c})
		var rows []finding.Row
		for _, p := range test.prices {
			rows = append(rows, row(p))
		}
		kept := 0
		for _, s := range set.Judge(rows, func(finding.Cell) string { return "" }) {
			if s == filter.Met {
				kept++
			}
		}
		if ties := set.Ties(rows, func(finding.Cell) string { return "" }); kept != test.kept || ties != test.ties {
			t.Errorf("%s of %v: %d kept, %d ties, want %d, %d", test.top, test.prices, kept, ties, test.kept, test.ties)
		}
	}
}

// TestNamed finds the texts that are the names of the things a question compares, and none if
// one of the names is missing or the question may also be about other things.
func TestNamed(t *testing.T) {
	texts := []string{"Heron", "Grey Stork", "View", "", "Heron House", "heron "}
	for _, test := range []struct {
		name       string
		conditions []journal.Condition
		want       []int
	}{
		{"two names", []journal.Condition{{Field: "name", Op: "in", Value: "Heron | Grey Stork"}}, []int{0, 1, 5}},
		{"one name", []journal.Condition{{Field: "name", Op: "=", Value: "Grey Stork"}}, []int{1}},
		{"a name without a text", []journal.Condition{{Field: "name", Op: "in", Value: "Heron | Ibis"}}, nil},
		{"a short name", []journal.Condition{{Field: "name", Op: "in", Value: "Heron | Stork"}}, []int{0, 1, 5}},
		{"another field", []journal.Condition{{Field: "city", Op: "=", Value: "Heron"}}, nil},
		{"an alternative", []journal.Condition{{Field: "name", Op: "=", Value: "Heron"}, {Field: "price", Op: "<", Value: "5", Or: true}}, nil},
		{"all but one", []journal.Condition{{Field: "name", Op: "!=", Value: "Heron"}}, nil},
	} {
		var all []*filter.Condition
		for _, c := range test.conditions {
			read, ok := filter.Read(c, filter.KindOf(c))
			if !ok {
				t.Fatalf("%s: %v", test.name, c)
			}
			all = append(all, read)
		}
		if got := filter.NewSet(all).Named(texts, []string{"name"}); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// TestShort takes a name for the only longer one that contains it.
func TestShort(t *testing.T) {
	for _, test := range []struct {
		name  string
		value string // that the condition wants
		rows  []string
		kept  []string
		short string // of the longer name
		none  []string
	}{
		{"two short names", "Eastfield | Marlow", []string{"Eastfield Pool", "Marlow Lido", "King's Baths"}, []string{"Eastfield Pool", "Marlow Lido"}, "Eastfield Pool Marlow Lido", nil},
		{"one of them is whole", "Eastfield Pool | Marlow", []string{"Eastfield Pool", "Marlow Lido"}, []string{"Eastfield Pool", "Marlow Lido"}, "Marlow Lido", nil},
		{"on two pages", "Marlow", []string{"Marlow Lido", "Eastfield Pool", "MARLOW LIDO"}, []string{"Marlow Lido", "MARLOW LIDO"}, "MARLOW LIDO", nil},
		{"two names contain it", "Marlow", []string{"Marlow Lido", "Marlow Baths"}, nil, "", []string{"marlow"}},
		{"a row has it", "Marlow", []string{"Marlow Lido", "Marlow"}, []string{"Marlow"}, "", nil},
		{"a model with a number", "Model 10", []string{"Model 10 Pro"}, nil, "", []string{"model 10"}},
		{"a part of a word", "Marl", []string{"Marlow Lido"}, nil, "", []string{"marl"}},
		{"too short", "Spa", []string{"Spa House"}, nil, "", []string{"spa"}},
	} {
		c, ok := filter.Read(journal.Condition{Field: "name", Op: "in", Value: test.value}, filter.Text)
		if !ok {
			t.Fatal(test.name)
		}
		set := filter.NewSet([]*filter.Condition{c})
		set.Keys = []string{"name"}
		var rows []finding.Row
		for _, name := range test.rows {
			rows = append(rows, finding.Row{"name": {Value: name}})
		}
		var kept, short []string
		for i, state := range set.Judge(rows, func(finding.Cell) string { return "" }) {
			if state == filter.Met {
				kept = append(kept, test.rows[i])
			}
		}
		for _, one := range set.Short(rows) {
			short = append(short, one.Name)
		}
		if none := set.Unmatched(rows, set.Keys); !slices.Equal(kept, test.kept) || strings.Join(short, " ") != test.short || !slices.Equal(none, test.none) {
			t.Errorf("%s: kept %q, short names of %q, no row for %q", test.name, kept, short, none)
		}
	}
}

// TestSpans leaves a condition open if a page states only a part of a date, and the rest may
// or may not meet it.
func TestSpans(t *testing.T) {
	for _, test := range []struct {
		op, v, cell string
		want        filter.State
	}{
		{"<", "2024-03-20", "2024", filter.Open},
		{"<", "2024-03-20", "3 Mawrth 2024", filter.Open},
		{"<", "2024-03-20", "2023", filter.Met},
		{"<", "2024-03-20", "2025", filter.Unmet},
		{"<=", "2024-03", "2024", filter.Open},
		{"<=", "2024-03", "2024-03", filter.Met},
		{"<=", "2024-03", "2024-04", filter.Unmet},
		{">", "2024-03-20", "2024-03", filter.Open},
		{">", "2024-03-20", "2025", filter.Met},
		{">", "2024-03-20", "2024-02", filter.Unmet},
		{">=", "2024-03-20", "2024", filter.Open},
		{">=", "2024", "2024", filter.Met},
		{">=", "2024", "2023", filter.Unmet},
		{"=", "2024-03", "2024", filter.Open},
		{"=", "2024-03", "2023", filter.Unmet},
		{"!=", "2024-03", "2024", filter.Open},
		{"!=", "2024-03", "2023", filter.Met},
		{"!=", "2024-03", "2024-03-05", filter.Unmet},
		{"=", "2022 | 2024", "5 Ionawr 2023", filter.Unmet},
		{"=", "2022 | 2024", "2024-07-01", filter.Met},
	} {
		c, ok := filter.Read(journal.Condition{Field: "f", Op: test.op, Value: test.v}, filter.Date)
		if !ok {
			t.Errorf("%+v cannot be read", test)
		} else if got := c.Test(finding.Cell{Value: test.cell}, ""); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

// TestLatest ranks texts by the days that they state, and leaves rows open that may rank
// before the one that it keeps.
func TestLatest(t *testing.T) {
	for _, test := range []struct {
		cells []any
		want  []filter.State
	}{
		{[]any{"3 June 2024", "12 May 2024", "30 January 2023"}, []filter.State{filter.Met, filter.Unmet, filter.Unmet}},
		{[]any{"3 Mawrth 2024", "12 Ebrill 2024", "30 Ionawr 2023"}, []filter.State{filter.Met, filter.Open, filter.Unmet}},
		{[]any{"9 pieces", "12 pieces", "on request"}, []filter.State{filter.Unmet, filter.Met, filter.Open}},
	} {
		c, _ := filter.Read(journal.Condition{Field: "f", Op: "top", Value: "1"}, filter.Number)
		var rows []finding.Row
		for _, v := range test.cells {
			rows = append(rows, finding.Row{"f": finding.Cell{Value: v}})
		}
		got := filter.NewSet([]*filter.Condition{c}).Judge(rows, func(finding.Cell) string { return "" })
		if !slices.Equal(got, test.want) {
			t.Errorf("%v: %v, want %v", test.cells, got, test.want)
		}
	}
}
