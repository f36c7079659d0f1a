// SPDX-License-Identifier: Apache-2.0

package grounding_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/protocol"
)

// row is one row of a reply.
type row struct {
	name string
	says any
	line int // cited for the boolean; zero: none
}

// booleanOf grounds the boolean field of each row of a reply about a page.
func booleanOf(t *testing.T, field, page string, rows []row) []grounding.Found {
	t.Helper()
	o, err := outline.New(json.RawMessage(`{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"` + field + `":{"type":"boolean"}},"required":["name"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	table := o.Tables[len(o.Tables)-1]
	var reply protocol.ExtractReply
	for _, r := range rows {
		ln := map[string][]int{}
		if r.line > 0 {
			ln[field] = []int{r.line, r.line}
		}
		reply.Rows = append(reply.Rows, struct {
			V  map[string]any   `json:"v"`
			Ln map[string][]int `json:"ln"`
		}{map[string]any{"name": r.name, field: r.says}, ln})
	}
	g := grounding.New(strings.Split(page, "\n"), nil, "en")
	cites := g.Citer(table, reply, g.Styles(table, reply), "")
	var out []grounding.Found
	for i, r := range rows {
		out = append(out, cites.Check(i, table.Field(field), r.says))
	}
	return out
}

// TestBoolean finds the line that a boolean rests on where a reply does not cite it, and
// takes no boolean whose row says the opposite.
func TestBoolean(t *testing.T) {
	for _, test := range []struct {
		name, field, page string
		rows              []row
		want              []int // line of each row's value; zero: not taken
	}{
		{"phrases in cards", "available", "### One\nIn stock\n### Two\nSold out", []row{{"One", true, 0}, {"Two", false, 0}}, []int{2, 4}},
		{"words for booleans", "in_stock", "### One\nAuf Lager\n### Two\nAusverkauft", []row{{"One", "yes", 0}, {"Two", "no", 0}}, []int{2, 4}},
		{"not in stock is no in stock", "inStock", "### One\nNot in stock\n### Two\nIn stock", []row{{"One", true, 0}, {"Two", true, 0}}, []int{0, 4}},
		{"the opposite, cited at the name", "available", "### One\nSold out\n### Two\nIn stock", []row{{"One", true, 1}, {"Two", true, 3}}, []int{0, 3}},
		{"the opposite, cited", "available", "### One\nSold out\n### Two\nIn stock", []row{{"One", true, 2}, {"Two", false, 4}}, []int{0, 0}},
		{"the opposite, cited from another row", "available", "### One\nSold out\n### Two\nIn stock", []row{{"One", true, 4}, {"Two", true, 4}}, []int{0, 4}},
		{"before the names", "available", "In stock\n### One\nSold out\n### Two\nText", []row{{"One", true, 0}, {"Two", false, 0}}, []int{1, 3}},
		{"before the names, lied about", "available", "In stock\n### One\nSold out\n### Two\nText", []row{{"One", false, 2}, {"Two", true, 4}}, []int{0, 0}},
		{"behind the names, lied about", "available", "### One\nIn stock\n### Two\nSold out", []row{{"One", false, 1}, {"Two", true, 3}}, []int{0, 0}},
		{"one detail", "available", "# One\nText of many words\nAvailability: In stock", []row{{"One", true, 0}}, []int{3}},
		{"one detail that says both", "available", "# One\n\nWords\nMore words\nStill more\nAnd more\nThen this\nAvailability: In stock\nOther things: sold out", []row{{"One", true, 0}}, []int{0}},
		{"one detail, lied about", "available", "# One\nAvailability: Sold out", []row{{"One", true, 0}}, []int{0}},
		{"a long text says nothing", "available", "# One\nAsk the staff of any of our many houses about what is in stock and what can be had from other houses in a week or two", []row{{"One", true, 0}}, []int{0}},
		{"a statement in the paragraph of the name", "available", "**One**\\\nAvailable\n**Two**\\\nAt the binder", []row{{"One", true, 2}, {"Two", false, 4}}, []int{2, 4}},
		{"a statement in the paragraph of the name, lied about", "available", "**One**\\\nAvailable\n**Two**\\\nAt the binder", []row{{"One", false, 2}, {"Two", false, 4}}, []int{0, 4}},
		{
			"a text beside by chance", "lent", "A, by Ann\nOn the shelf\nB, by Ann\nOn the shelf\nC, by Ann\nOn the shelf\nD, by Ann\nOn the shelf\nE, by Ann\nAt the binder\nF, by Ben\nWith a reader\nG, by Cem\nWith a reader\nH, by Dan\nStolen",
			[]row{{"A", false, 2}, {"B", false, 4}, {"C", false, 6}, {"D", false, 8}, {"E", true, 10}, {"F", true, 12}, {"G", true, 14}, {"H", true, 16}},
			[]int{2, 4, 6, 8, 10, 12, 14, 16},
		},
		{
			"without the text of its value, cited at the name", "sold", "A\nBody\nSold out\nB\nBody\nSold out\nC\nBody\nSold out\nD\nBody\nSold out\nE\nBody\nSold out\nF\nBody\nFew left\nG\nBody\nHere\nH\nBody\nSoon\nI\nBody\nLater",
			[]row{{"A", true, 3}, {"B", true, 6}, {"C", true, 9}, {"D", true, 12}, {"E", true, 15}, {"F", true, 16}, {"G", false, 21}, {"H", false, 24}, {"I", false, 27}},
			[]int{3, 6, 9, 12, 15, 0, 21, 24, 27},
		},
		{
			"without the text of its value, cited", "sold", "A\nBody\nSold out\nB\nBody\nSold out\nC\nBody\nSold out\nD\nBody\nSold out\nE\nBody\nSold out\nF\nBody\nAll gone\nG\nBody\nHere\nH\nBody\nSoon\nI\nBody\nLater",
			[]row{{"A", true, 3}, {"B", true, 6}, {"C", true, 9}, {"D", true, 12}, {"E", true, 15}, {"F", true, 18}, {"G", false, 21}, {"H", false, 24}, {"I", false, 27}},
			[]int{3, 6, 9, 12, 15, 18, 21, 24, 27},
		},
		{"a header says nothing", "available", "| Name | In stock |\n|---|---|\n| One | 4 |\n| Two | 0 |", []row{{"One", false, 3}, {"Two", false, 4}}, []int{3, 4}},
		{"one detail with a foreign label", "active", "# One\n- Masa: 12\n- Operativo: Sí\nMore text", []row{{"One", true, 0}}, []int{3}},
		{"one detail with a foreign label, lied about", "active", "# One\n- Operativo: Sí", []row{{"One", false, 0}}, []int{0}},
		{"one detail with two foreign labels", "active", "# One\n- Operativo: Sí\n- Público: Sí", []row{{"One", true, 0}}, []int{0}},
		{"a label of the same stem", "recorded", "# One\n- Recording: ✓", []row{{"One", true, 0}}, []int{2}},
		{"the offers of other things", "available", "# One\n£3\nOnly 2 left\n## You may also like\n- [Two](L1)\n£4\nSold out", []row{{"One", true, 3}}, []int{3}},
		{"a later section about the thing", "available", "# One\n£3\nOnly 2 left\n## Delivery\nSold out\n[Ask us](L1)", []row{{"One", true, 3}}, []int{0}},
		{"a label of the same stem, denied", "exports", "# One\nExport: nicht vorhanden", []row{{"One", true, 0}}, []int{0}},
		{"a label whose text denies", "exports", "# One\nExport: nicht vorhanden", []row{{"One", false, 0}}, []int{2}},
		{"a label", "vegan", "# One\nVegan: yes", []row{{"One", true, 0}}, []int{2}},
		{"a label with the other word", "vegan", "# One\nVegan: no", []row{{"One", true, 0}}, []int{0}},
		{"no topic", "open_source", "# One\nWe open at nine", []row{{"One", true, 0}}, []int{0}},
		{
			"texts that tell rows apart", "takes_cards", "- A, Cash only\n- B, Any payment\n- C, Cash only\n- D, Any payment\n- E, Cash only",
			[]row{{"A", false, 0}, {"B", true, 0}, {"C", false, 0}, {"D", true, 0}, {"E", false, 0}},
			[]int{1, 2, 3, 4, 5},
		},
		{
			"a text for one value only", "takes_cards", "- A\n- B, Any payment\n- C\n- D, Any payment\n- E",
			[]row{{"A", false, 0}, {"B", true, 0}, {"C", false, 0}, {"D", true, 0}, {"E", false, 0}},
			[]int{0, 2, 0, 4, 0},
		},
		{
			"texts in lines behind the names", "open_in_winter", "A\n- Betrieb – zu\nB\n- Betrieb – auf\nC\n- Betrieb – zu\nD\n- Betrieb – auf\nE\n- Betrieb – zu",
			[]row{{"A", false, 0}, {"B", true, 0}, {"C", false, 0}, {"D", true, 0}, {"E", false, 0}},
			[]int{2, 4, 6, 8, 10},
		},
		{
			"texts in lines before the names", "open_in_winter", "zu\nA\nauf\nB\nzu\nC\nauf\nD\nzu\nE",
			[]row{{"A", false, 0}, {"B", true, 0}, {"C", false, 0}, {"D", true, 0}, {"E", false, 0}},
			[]int{1, 3, 5, 7, 9},
		},
		{
			"texts behind the names, lied about", "open_in_winter", "A\n- Betrieb – zu\nB\n- Betrieb – auf\nC\n- Betrieb – zu\nD\n- Betrieb – auf\nE\n- Betrieb – zu",
			[]row{{"A", false, 0}, {"B", true, 0}, {"C", true, 0}, {"D", true, 0}, {"E", false, 0}},
			[]int{0, 0, 0, 0, 0},
		},
		{
			"texts that do not", "takes_cards", "- A, Cash only\n- B, Any payment\n- C, Cash only\n- D, Any payment\n- E, Cash only",
			[]row{{"A", false, 0}, {"B", true, 0}, {"C", true, 0}, {"D", true, 0}, {"E", false, 0}},
			[]int{0, 0, 0, 0, 0}, // Cash only is under a row that is said to take cards, too
		},
		{"a phrase that the page does not have", "available", "# One\nAvailability: Ready to ship", []row{{"One", "Available", 0}}, []int{0}},
		{"yes as a letter", "in_stock", "# One\nIn stock: Y", []row{{"One", "Y", 0}}, []int{2}},
		{"yes as a number", "in_stock", "# One\nIn stock: 1", []row{{"One", 1.0, 0}}, []int{2}},
		{"a phrase for a boolean", "in_stock", "# One\nSold out", []row{{"One", "Sold out", 2}}, []int{2}},
		{"a phrase for a boolean, yes", "in_stock", "# One\nIn stock", []row{{"One", "In stock", 2}}, []int{2}},
		{"a label with no", "in_stock", "# One\nIn stock: no", []row{{"One", false, 2}}, []int{2}},
		{"a label that denies, with no", "in_stock", "# One\nSold out: no", []row{{"One", true, 2}}, []int{2}},
		{"a label that denies, with yes", "in_stock", "# One\nSold out: yes", []row{{"One", true, 2}}, []int{0}},
		{"a label with no, lied about", "in_stock", "# One\nIn stock: no", []row{{"One", true, 2}}, []int{0}},
		{"a label with no, not cited", "available", "### One\nAvailable: Nein\n### Two\nAvailable: Ja", []row{{"One", true, 0}, {"Two", true, 0}}, []int{0, 4}},
		{"not available, read as no", "in_stock", "# One\nIn stock: n/a", []row{{"One", false, 2}}, []int{0}},
		{"not available, as yes", "in_stock", "# One\nIn stock: n/a", []row{{"One", true, 2}}, []int{0}},
		{"a question mark", "vegan", "# One\nVegan: unknown", []row{{"One", true, 2}}, []int{0}},
		{"too few rows", "takes_cards", "- A, Cash only\n- B, Any payment", []row{{"A", false, 0}, {"B", true, 0}}, []int{0, 0}},
	} {
		for i, got := range booleanOf(t, test.field, test.page, test.rows) {
			at := 0
			if got.Value != nil {
				at = got.Lines[0]
			}
			if at != test.want[i] || at == 0 && got.Issue != finding.IssueUnsupported {
				t.Errorf("%s, row %d: %+v, want line %d", test.name, i, got, test.want[i])
			}
		}
	}
}

// TestOutvoted drops a boolean whose row has the text of the other value, and infers one
// that the model left out.
func TestOutvoted(t *testing.T) {
	var page strings.Builder
	var rows []row
	for i := range 14 {
		text, v := "zu", any(false)
		if i%2 == 0 {
			text, v = "auf", true
		}
		if i == 4 {
			v = false // the model is wrong
		}
		if i == 7 {
			v, text = nil, "zu"
		}
		if i == 8 {
			v, text = nil, "auf Anfrage"
		}
		fmt.Fprintf(&page, "Haus%d\nBetrieb\n: %s\n", i, text)
		rows = append(rows, row{"Haus" + strconv.Itoa(i), v, 3*i + 1})
	}
	o, err := outline.New(json.RawMessage(`{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"open_in_winter":{"type":"boolean"}},"required":["name"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	table := o.Tables[len(o.Tables)-1]
	var reply protocol.ExtractReply
	for _, r := range rows {
		reply.Rows = append(reply.Rows, struct {
			V  map[string]any   `json:"v"`
			Ln map[string][]int `json:"ln"`
		}{map[string]any{"name": r.name, "open_in_winter": r.says}, map[string][]int{"open_in_winter": {r.line, r.line}}})
	}
	g := grounding.New(strings.Split(page.String(), "\n"), nil, "de")
	c, f := g.Citer(table, reply, g.Styles(table, reply), ""), table.Field("open_in_winter")
	for i, r := range rows {
		got := c.Check(i, f, r.says)
		want := any(i%2 == 0)
		if i == 4 || i == 8 {
			want = nil
		}
		if got.Value != want {
			t.Errorf("row %d: %+v, want %v", i, got, want)
		}
	}
}

// FuzzBoolean takes no line that there is not, whatever a page and a reply say.
func FuzzBoolean(f *testing.F) {
	f.Add("### A\nIn stock\n### B\nSold out", "A", "B", 0)
	f.Add("| A | B |\n|--|--|\n| yes | no |", "yes", "no", 3)
	f.Fuzz(func(t *testing.T, page, a, b string, line int) {
		rows := []row{{a, true, line}, {b, false, 0}}
		for i := range 4 {
			rows = append(rows, row{a + strconv.Itoa(i), i%2 == 0, 0})
		}
		n := strings.Count(page, "\n") + 1
		for _, got := range booleanOf(t, "available", page, rows) {
			if got.Value != nil && (got.Lines[0] < 1 || got.Lines[1] > n || got.Lines[0] > got.Lines[1]) {
				t.Errorf("%+v of %d lines", got, n)
			}
		}
	})
}

// TestRecordLine grounds a value of a record that stands in several lines in the one
// behind the name that the question has.
func TestRecordLine(t *testing.T) {
	const page = "| Ship | Owner |\n|---|---|\n| MV Star | Brix |\n| MV Spirit | Brix |\n| MV Dawn | Acme |\n\n## Villa\n\nBrix\n\nDeck II\n\nof Brix\n\nDeck II for Guests\n\nof Brix\n"
	o, err := outline.New(json.RawMessage(`{"type":"object","properties":{"owner":{"type":"string"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for question, want := range map[string]int{
		"Who runs the company that owns MV Spirit?": 4,
		"Who owns Villa?":         0, // a word of five letters is no name
		"Who owns it?":            0,
		"Who owns Deck II?":       13, // and not Deck II for Guests
		"Who owns MV Nobody?":     0,
		"Which Ship has an Owner": 0,
	} {
		var reply protocol.ExtractReply
		reply.Rows = append(reply.Rows, struct {
			V  map[string]any   `json:"v"`
			Ln map[string][]int `json:"ln"`
		}{map[string]any{"owner": "Brix"}, nil})
		g := grounding.New(strings.Split(page, "\n"), nil, "en")
		table := o.Tables[0]
		got := g.Citer(table, reply, g.Styles(table, reply), question).Find(0, table.Field("owner"), "Brix")
		if got.Lines[0] != want {
			t.Errorf("%s: %+v, want line %d", question, got, want)
		}
	}
}

// TestHeaded grounds a text of a row that only the heading of its section states, however
// far above and short it is. A heading of another section, and one that does not state
// the text, ground nothing.
func TestHeaded(t *testing.T) {
	lines := []string{"# Kilns", "", "## Gas", ""}
	for i := range 12 {
		lines = append(lines, "Kiln "+strconv.Itoa(i+1), "")
	}
	lines = append(lines, "## Oil", "", "### Small", "", "Kiln 20", "")
	o, err := outline.New(json.RawMessage(`{"type":"object","properties":{"kilns":{"type":"array","items":{"type":"object","properties":{"kiln":{"type":"string"},"fuel":{"type":"string"}},"required":["kiln"]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	table := o.Readable()[0]
	table.Keys = []string{"kiln"}
	for _, test := range []struct {
		kiln, fuel string
		line       int
	}{{"Kiln 12", "Gas", 3}, {"Kiln 20", "Oil", len(lines) - 5}, {"Kiln 20", "Gas", 0}, {"Kiln 12", "Coal", 0}, {"Kiln 12", "Oil", 0}} {
		var reply protocol.ExtractReply
		for _, v := range []map[string]any{{"kiln": test.kiln, "fuel": test.fuel}, {"kiln": "Kiln 1"}} {
			reply.Rows = append(reply.Rows, struct {
				V  map[string]any   `json:"v"`
				Ln map[string][]int `json:"ln"`
			}{v, nil})
		}
		g := grounding.New(lines, nil, "en")
		got := g.Citer(table, reply, g.Styles(table, reply), "").Find(0, table.Field("fuel"), test.fuel)
		if got.Lines[0] != test.line || (got.Value != nil) != (test.line > 0) {
			t.Errorf("%v: %+v", test, got)
		}
	}
}
