// SPDX-License-Identifier: Apache-2.0

package merge_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/merge"
	"example.com/curlew/agent/internal/value"
)

// TestUnits gives the numbers of a column in one unit, in whatever order they arrive.
func TestUnits(t *testing.T) {
	type cell struct {
		printed, value float64
		unit           string // empty: none is stated; after "?", the lines have the number without it, too
	}
	for _, test := range []struct {
		name, asked string
		cells       []cell
		want        []float64
		note        string
	}{
		{"one unit", "", []cell{{1.2, 1.2, "km"}, {3, 3, "km"}}, []float64{1.2, 3}, ""},
		{"most have it", "", []cell{{1.2, 1.2, "km"}, {840, 840, "m"}, {3, 3, "km"}}, []float64{1.2, 0.84, 3}, "1 in m, 2 in km), so all of its values are given in km"},
		{"the smaller of two", "", []cell{{1.2, 1.2, "km"}, {840, 840, "m"}}, []float64{1200, 840}, "given in m"},
		{"as the question says", "km", []cell{{840, 840, "m"}, {90, 90, "m"}}, []float64{0.84, 0.09}, "given in km"},
		{"two units in one cell", "", []cell{{1, 85, "min"}, {2, 125, "min"}}, []float64{85, 125}, "given in min"},
		{"without a unit", "", []cell{{1.2, 1.2, "km"}, {840, 840, "m"}, {7, 7, ""}, {9, 9, "km"}}, []float64{1.2, 0.84, 7, 9}, "1 without such a unit"},
		{"another quantity", "", []cell{{1, 1, "kg"}, {5, 5, "m"}, {500, 500, "g"}}, []float64{1000, 5, 500}, "1 without such a unit"},
		{"doubtful", "", []cell{{2, 130, "?min"}, {4, 4, ""}}, []float64{2, 4}, ""},
		{"doubtful beside sure ones", "", []cell{{2, 130, "?min"}, {45, 45, "min"}}, []float64{130, 45}, "2 in min"},
		{"nothing is known", "", []cell{{1, 1, ""}}, []float64{1}, ""},
	} {
		for range 4 {
			var u merge.Units
			if test.asked != "" {
				u.Ask("length", value.UnitWord(test.asked))
			}
			seen := make([]merge.Sighting, len(test.cells))
			for _, n := range rand.Perm(len(seen)) {
				c := test.cells[n]
				seen[n].Row = finding.Row{"length": {Value: c.printed, Grade: finding.GradeExact}}
				if c.unit != "" {
					unit, doubtful := strings.CutPrefix(c.unit, "?")
					u.See("length", n, c.printed, c.value, value.UnitWord(unit), !doubtful)
				}
			}
			var got []float64
			for _, one := range u.Even(seen) {
				got = append(got, one.Row["length"].Value.(float64))
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("%s: %s", test.name, d)
			}
			for i, c := range test.cells {
				if seen[i].Row["length"].Value != c.printed {
					t.Errorf("%s: the sighting itself was changed", test.name)
				}
			}
			notes := strings.Join(u.Notes(func(string) int { return len(seen) }), "\n")
			if (notes == "") != (test.note == "") || !strings.Contains(notes, test.note) {
				t.Errorf("%s: %q", test.name, notes)
			}
		}
	}
}
