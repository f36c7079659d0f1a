// SPDX-License-Identifier: Apache-2.0

package value_test

import (
	"math"
	"testing"

	"example.com/curlew/agent/internal/value"
)

// TestLabelled reads the scale and the unit that a label states for its numbers.
func TestLabelled(t *testing.T) {
	for _, test := range []struct {
		label, unit string
		scale       float64
	}{
		{"Revenue (€ million)", "", 1e6},
		{"Revenue (€m)", "", 1e6},
		{"Revenue, £bn", "", 1e9},
		{"Umsatz in Mio. EUR", "", 1e6},
		{"Umsatz in Tsd. CHF:", "", 1e3},
		{"Umsatz [TEUR]", "", 1e3},
		{"Przychód (mln zł)", "", 1e6},
		{"営業収益（万円）", "", 1e4},
		{"Sales ($000)", "", 1e3},
		{"Visitors ('000s)", "", 1e3},
		{"Output (million tonnes)", "t", 1e6},
		{"Weight (kg)", "g", 1000},
		{"Lesson (45 min)", "", 1},
		{"Price (0.5 l)", "", 1},
		{"Length [km]", "m", 1000},
		{"Height (m)", "m", 1},
		{"Area (m²)", "m²", 1},
		{"Weight in kg", "g", 1000},
		{"Revenue ($ mil)", "", math.NaN()},
		{"Price (€)", "", 1},
		{"Range (nm)", "", 1},
		{"On Monday, day", "", 1},
		{"Born in May", "", 1},
		{"A house in millions of years", "years", 1e6},
		{"Age (years)", "months", 12},
		{"Month (year)", "", 1},
		{"Name", "", 1},
		{"", "", 1},
	} {
		scale, unit := value.Labelled(value.Normal(test.label))
		if test.unit != "" {
			factor, ok := unit.In(1, value.UnitWord(test.unit))
			if !ok {
				t.Errorf("%q: unit %v", test.label, unit)
			}
			scale *= factor
		} else if unit != (value.Unit{}) {
			t.Errorf("%q: unit %v", test.label, unit)
		}
		if !value.Same(scale, test.scale) && !(math.IsNaN(scale) && math.IsNaN(test.scale)) {
			t.Errorf("%q: %v, want %v", test.label, scale, test.scale)
		}
	}
}

// TestUnread finds numbers before a word that may be a scale.
func TestUnread(t *testing.T) {
	for text, want := range map[string]bool{
		"135,2 zyx. zł": true, "4 wizz $": true, "135,2 tys. zł": false, "12 zł": false, "3 nights €50": false, "3 Nächte 40 €": false, "5 kg €": false, "5 per €": false, "7": false,
	} {
		s := value.Normal(text)
		if got := value.Numerals(s)[0].Unread(s); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestDash reads the sign of a number behind a dash, which may separate parts of a text.
func TestDash(t *testing.T) {
	for text, want := range map[string]float64{
		"Porto, 2021. — 312": 312, "Porto: -312": -312, "founded - 312": 312, "(-312)": -312, "− 312": -312,
	} {
		s := value.Normal(text)
		all := value.Numerals(s)
		if v, _ := all[len(all)-1].Value(value.MarksPoint, false); v != want {
			t.Errorf("%q: %v", text, v)
		}
	}
}

// TestStandsAlone tells numbers that a text has without a unit from those that have one.
func TestStandsAlone(t *testing.T) {
	for text, want := range map[string]bool{
		"2 h 10 min, serves 2": true, "2 h 10 min": false, "serves 2": true, "2 km or 2 mi": false, "20": false,
	} {
		if got := value.StandsAlone(value.Normal(text), 2); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestMeasureAt reads a number with its unit, whatever unit a field wants.
func TestMeasureAt(t *testing.T) {
	for _, test := range []struct {
		text, unit string
		at, want   float64
	}{
		{"1.2 km", "km", 1.2, 1.2},
		{"840 m", "m", 840, 840},
		{"length 840 m, built 1990", "m", 840, 840},
		{"1 h 25 min", "min", 1, 85},
		{"1h25", "min", 1, 85},
		{"2 h", "h", 2, 2},
		{"$5 m", "", 5, 0},
		{"built 1990", "", 1990, 0},
		{"5 km or 5 mi", "", 5, 0},
		{"1 year 6 months", "months", 1, 18},
		{"built in 2015 год", "", 2015, 0},
	} {
		v, unit, ok := value.MeasureAt(value.Normal(test.text), test.at)
		if ok != (test.unit != "") || ok && (v != test.want || unit != value.UnitWord(test.unit)) {
			t.Errorf("%q: %v %v %v", test.text, v, unit, ok)
		}
	}
}
