// SPDX-License-Identifier: Apache-2.0

package value

import "testing"

// TestRateOf finds the period to which a price refers.
func TestRateOf(t *testing.T) {
	for _, test := range []struct {
		text string
		v    float64
		want string
	}{
		{"£1,450 pcm", 1450, "month"},
		{"£310 pw", 310, "week"},
		{"£310 p.w. (£1,343 p.c.m.)", 310, "week"},
		{"£310 p.w. (£1,343 p.c.m.)", 1343, "month"},
		{"£9/month billed yearly", 9, "month"},
		{"billed yearly, or £11 month-to-month", 11, ""},
		{"€15.50 per hour", 15.5, "hour"},
		{"€75,000 – €90,000 per year", 75000, "year"},
		{"€75,000 – €90,000 per year", 90000, "year"},
		{"£45 per person per night", 45, "day"},
		{"£45 a head a night", 45, "day"},
		{"£30 plus VAT per month", 30, "month"},
		{"1 200 € par mois", 1200, "month"},
		{"850 € pro Monat", 850, "month"},
		{"Rent per month: £900", 900, "month"},
		{"**Monthly rent** £900", 900, "month"},
		{"£20 deposit, paid a month before", 20, ""},
		{"£20 paid in full a month before", 20, ""},
		{"£450", 450, ""},
		{"£5 per kg", 5, ""},
		{"£12 per month or £12 per week", 12, ""},
		{"€42k–€48k p.a.", 48000, "year"},
		{"£60 / 1 h 20 min", 60, ""},
		{"£25 for 30 min", 25, ""},
	} {
		if got := RateOf(Normal(test.text), test.v); got != test.want {
			t.Errorf("RateOf(%q, %v) = %q, want %q", test.text, test.v, got, test.want)
		}
	}
}

// TestRateNamed finds the period that a field names.
func TestRateNamed(t *testing.T) {
	for _, test := range []struct{ name, description, want string }{
		{"rent", "Rent in GBP per month", "month"},
		{"monthly_price", "Price in GBP when paid month to month", "month"},
		{"price", "Price per person per night", "day"},
		{"hourly_rate", "", "hour"},
		{"salary", "Salary in euros a year", "year"},
		{"price", "Monthly or yearly price", ""},
		{"price", "Price in GBP", ""},
		{"price", "Price per kilogram", ""},
	} {
		if got := RateNamed(test.name, test.description); got != test.want {
			t.Errorf("RateNamed(%q, %q) = %q, want %q", test.name, test.description, got, test.want)
		}
	}
}

// TestAsRate converts prices for months and years only.
func TestAsRate(t *testing.T) {
	for _, test := range []struct {
		v        float64
		from, to string
		want     float64
		ok       bool
	}{{1200, "year", "month", 100, true}, {9, "month", "year", 108, true}, {310, "week", "month", 0, false}, {15, "hour", "day", 0, false}, {3, "week", "week", 3, true}} {
		if got, ok := AsRate(test.v, test.from, test.to); got != test.want || ok != test.ok {
			t.Errorf("%v per %s = %v, %v per %s, want %v, %v", test.v, test.from, got, ok, test.to, test.want, test.ok)
		}
	}
}
