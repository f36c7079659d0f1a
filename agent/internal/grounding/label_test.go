// SPDX-License-Identifier: Apache-2.0

package grounding_test

import (
	"strings"
	"testing"

	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/outline"
)

// TestLabels reads numbers with the factor and the unit of their labels.
func TestLabels(t *testing.T) {
	table := "| Name | Seats (thousand) | Cost (€ million) |\n| --- | --- | --- |\n| Ada | 12 | 1.2 |\n| Leo | 7 | 7 |"
	money := "## Results (in millions of dollars)\n\n| Unit | Value | Wide | Staff |\n| --- | --- | --- | --- |\n| North | $12 | 34 | 56 |\n| South | 78 | 90 | 11 |"
	for _, test := range []struct {
		name, field, description, page string
		raw                            any
		line                           int
		want                           any
	}{
		{"the head of a column", "cost", "cost in euros", table, "1.2", 3, 1.2e6},
		{"a caption", "length_m", "", "Lengths in kilometres, visitors in thousands\n\n| Name | Length | Visitors |\n| --- | --- | --- |\n| Ada | 1.2 | 7 |", "1.2", 5, 1200.0},
		{"a caption for another column", "visitors", "", "Lengths in kilometres, visitors in thousands\n\n| Name | Length | Visitors |\n| --- | --- | --- |\n| Ada | 1.2 | 7 |", "7", 5, 7000.0},
		{"a number", "cost", "cost in euros", table, 1.2, 3, 1.2e6},
		{"converted by the model", "cost", "cost in euros", table, 1.2e6, 3, 1.2e6},
		{"equal numbers in a row", "cost", "cost in euros", table, "7", 4, 7e6},
		{"equal numbers in a row, the other field", "seats", "seats", table, "7", 4, 7000.0},
		{"equal numbers, no word in common", "x", "", table, "7", 4, nil},
		{"the field wants millions", "cost_millions", "", table, "1.2", 3, 1.2},
		{"a label before a colon", "cost", "", "- **Cost (£ thousand):** 450", "450", 1, 450e3},
		{"a label in a cell", "cost", "", "| Cost (TEUR) | 450 |", "450", 1, 450e3},
		{"a label above", "cost", "", "Cost (€ million)\n\n1.2", "1.2", 3, 1.2e6},
		{"its own factor", "cost", "", "Cost (€ million): 1.2bn", "1.2bn", 1, 1.2e9},
		{"a unit", "weight_g", "", "Weight (kg): 1.2", "1.2", 1, 1200.0},
		{"a label that is not clear", "cost", "", "Cost ($ mil): 3", "3", 1, nil},
		{"an unknown factor", "cost", "", "Cost: 3 zyx. zł", "3", 1, nil},
		{"a sentence", "age", "", "He was born in thousands of homes, 40 years ago", "40", 1, 40.0},
		{"a heading about money, and a column with a dollar sign in another row", "value", "", money, "78", 6, 78e6},
		{"a heading about money, and a column that may count things", "wide", "", money, "90", 6, nil},
		{"a heading about money, converted by the model", "wide", "", money, 90e6, 6, 90e6},
		{"a heading about money, and a column of counts", "staff", "", money, "11", 6, 11.0},
		{"the field wants thousands, in Russian", "obyom", "объём в тысячах кубометров", "| Имя | Объём, тыс. м³ |\n| --- | --- |\n| А | 9 031 |", "9 031", 3, 9031.0},
		{"hours with a colon", "minutes", "", "Takes 3:34 h", "3:34 h", 1, 214.0},
		{"hours with a colon, converted by the model", "minutes", "", "Takes 3:34 h", 214.0, 1, 214.0},
		{"a colon without a unit", "minutes", "", "Takes 3:34", "3:34", 1, nil},
		{"a colon without a unit, converted by the model", "minutes", "", "Takes 3:34", 214.0, 1, 214.0},
		{"no label", "cost", "", "| Cost | 450 |", "450", 1, 450.0},
	} {
		o, err := outline.New([]byte(`{"type":"object","properties":{"` + test.field + `":{"type":"number","description":"` + test.description + `"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		f := o.Tables[0].Field(test.field)
		g := grounding.New(strings.Split(test.page, "\n"), nil, "en")
		for _, at := range []struct {
			ground *grounding.Ground
			line   int
		}{{g, test.line}, {g.Part(test.line, test.line), 1}} {
			if got := at.ground.Check(f, test.raw, []int{at.line, at.line}, grounding.Style{}); got.Value != test.want {
				t.Errorf("%s: %v (%s), want %v", test.name, got.Value, got.Issue, test.want)
			}
		}
	}
}
