// SPDX-License-Identifier: Apache-2.0

package value_test

import (
	"strings"
	"testing"

	"example.com/curlew/agent/internal/value"
)

// TestPeriods reads periods of which only the end has a year, and texts that are none.
func TestPeriods(t *testing.T) {
	for text, want := range map[string]string{
		"Du 22 mai au 10 août 2026":                         "2026-05-22 2026-08-10",
		"3 March – 14 June 2026":                            "2026-03-03 2026-06-14",
		"vom 3. März bis Sonntag, 14. Juni 2026":            "2026-03-03 2026-06-14",
		"20 December to 5 January 2027":                     "2026-12-20 2027-01-05",
		"3–14 June 2026":                                    "2026-06-03 2026-06-14",
		"3. bis 14. Juni 2026":                              "2026-06-03 2026-06-14",
		"June 3–14, 2026":                                   "2026-06-03 2026-06-14",
		"March 3 – June 14, 2026":                           "2026-03-03 2026-06-14",
		"Mar. 3rd to Jun. 14th, 2026":                       "2026-03-03 2026-06-14",
		"3.5. – 14.6.2026":                                  "2026-05-03 2026-06-14",
		"del 3 de marzo al 14 de junio de 2026":             "2026-03-03 2026-06-14",
		"3 March 2025 to 14 June 2026":                      "2025-03-03 2026-06-14",
		"3 March 25 - 14 June 2026":                         "2025-03-03 2026-06-14",
		"Room 3, 14 June 2026":                              "2026-06-14",
		"Open 9:30 – 14 June 2026":                          "2026-06-14",
		"Lots 3 May. We close when it is dark 14 June 2026": "2026-06-14",
		"14 June 2026, 20 places":                           "2026-06-14",
		"June 14 – 3, 2026":                                 "",
		"31 February – 14 June 2026":                        "2026-06-14",
		"12 rooms for 300 guests, opened on 14 June 2026":   "2026-06-14",
		"5 of 14 June 2026":                                 "2026-06-14",
		"1 2 3 4 5 6 7 - 14 June 2026":                      "2026-06-14",
	} {
		var got []string
		for _, d := range value.Dates(value.Normal(text)) {
			got = append(got, d.Text(value.OrderDay))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %s, want %s", text, s, want)
		}
	}
}

// TestNamed says which texts without a year name a day.
func TestNamed(t *testing.T) {
	day := value.Dates("3 march 2026")[0]
	for text, want := range map[string]bool{"3 March": true, "March 3rd": true, "3. März": true, "3.3.": true, "4 March": false, "3 May": false, "March": false, "3": false, "3 or 4 March": false} {
		if got := day.Named(value.Normal(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
