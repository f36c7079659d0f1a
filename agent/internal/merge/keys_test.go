// SPDX-License-Identifier: Apache-2.0

package merge_test

import (
	"fmt"
	"testing"
)

// TestDistinctKeys keeps things apart that have the same name on two pages, if the pages show
// that names do not tell them apart and the country does. It still merges the same thing.
func TestDistinctKeys(t *testing.T) {
	for name, test := range map[string]struct {
		names int // different names on each page
		want  int
	}{
		"names of several things": {3, 12},
		"one name twice":          {5, 6}, // the second one of a page stays apart from the first
		"names of one thing each": {6, 6},
	} {
		var rows []sighting
		for page := range 2 {
			for i := range 6 {
				rows = append(rows, sighting{Page: page + 1, Host: "a", Row: cells("name", fmt.Sprint("N", i%test.names), "country", fmt.Sprint("C", page*6+i))})
			}
		}
		got, _ := merged(companies, []string{"name"}, rows, 1)
		if len(got) != test.want {
			t.Errorf("%s: %d rows, want %d", name, len(got), test.want)
		}
	}
}
