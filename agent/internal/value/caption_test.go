// SPDX-License-Identifier: Apache-2.0

package value_test

import (
	"math"
	"strings"
	"testing"

	"example.com/curlew/agent/internal/value"
)

// TestCaptioned reads the scale and the unit that a caption states for the number in a
// column.
func TestCaptioned(t *testing.T) {
	for _, test := range []struct {
		caption, head, field, number, unit string
		scale                              float64
	}{
		{"Afstand i kilometer, passagerer i tusind om året", "Afstand", "", "48,4", "km", 1},
		{"Afstand i kilometer, passagerer i tusind om året", "Passagerer", "", "81", "", 1e3},
		{"Afstand i kilometer, passagerer i tusind om året", "Pris", "", "81", "", 1},
		{"Table 3: Lengths in metres and fares in £ thousand", "Length", "", "12", "m", 1},
		{"Table 3: Lengths in metres and fares in £ thousand", "Fare", "", "12", "", 1e3},
		{"Consolidated income (in millions, except per share data)", "2023", "net income", "12", "", 1e6},
		{"Consolidated income (in millions, except per share data)", "2023", "earnings per share", "12", "", 1},
		{"Income (in millions of dollars)", "2023", "revenue", "12", "", 1e6},
		{"Income (in millions of dollars)", "2023", "employees", "12", "", 1},
		{"Income (in millions of dollars)", "2023", "openings", "12", "", math.NaN()},
		{"Income (in millions of dollars)", "2023", "income of the year in euros", "12", "", 1e6},
		{"Income (in millions of dollars)", "Month", "number of the month", "12", "", 1},
		{"Income (in millions of dollars)", "2023", "employees", "$12", "", 1e6},
		{"Income (in millions of dollars)", "Year", "year", "2019", "", 1},
		{"Angaben in Tausend", "Einwohner", "", "12", "", 1e3},
		{"All figures in thousands", "Rank", "", "12", "", 1},
		{"Angaben in Tausend", "Anteil", "", "12 %", "", 1},
		{"Prices in euros", "Price", "", "12", "", 1},
		{"Goods handled, thousand tonnes (except where stated)", "2024 Jan–Jun", "tonnes in the half-year", "74.6", "t", 1e3},
		{"Goods handled, thousand tonnes (except where stated)", "Change, %", "change", "2.2", "", 1},
		{"Goods handled, thousand tonnes (except where stated)", "Calls (number)", "calls", "217", "", 1},
		{"Umsatz, Mio. €", "2024", "umsatz", "74,6", "", 1e6},
		{"Homes, million dollar views", "2024", "views", "74", "", 1},
		{"Founded in May", "Founded", "", "12", "", 1},
		{"Sizes of the rooms", "Size", "", "12", "", 1},
		{strings.Repeat("long ", 60) + "in thousands", "Size", "", "12", "", 1},
	} {
		line := value.Normal(test.number)
		scale, unit := value.Numerals(line)[0].Captioned(line, value.Normal(test.caption), value.Normal(test.head), value.Words(value.Normal(test.field)))
		if scale != test.scale && !(math.IsNaN(scale) && math.IsNaN(test.scale)) || unit != value.UnitWord(test.unit) {
			t.Errorf("%q, %q, %q, %s: %v %v, want %v %s", test.caption, test.head, test.field, test.number, scale, unit, test.scale, test.unit)
		}
	}
}

// TestHeaded reads the unit that a heading states for one of several fields.
func TestHeaded(t *testing.T) {
	const heading = "kies – preise in € je t, mindestmengen in t, hubhöhen in mm"
	for field, want := range map[string]string{"mindestmenge in kilogramm": "t", "hubhöhe in metern": "mm", "preis ab werk in euro": "", "länge in metern": ""} {
		_, unit, ok := value.Headed(heading, strings.Fields(field))
		if ok != (want != "") || unit != value.UnitWord(want) {
			t.Errorf("%s: %v, %v", field, unit, ok)
		}
	}
}

// TestMillions reads "mil" by the currency, or by the language.
func TestMillions(t *testing.T) {
	for _, test := range []struct {
		text, lang string
		want       float64
	}{
		{"13,7 mil. Kč", "", 13.7e6},
		{"Kč 13,7 mil.", "cs", 13.7e6},
		{"2,4 mil. obyvatel", "sk", 2.4e6},
		{"13,7 mil euros", "es", 13.7e3},
		{"R$ 13,7 mil", "pt", 13.7e3},
		{"5 milion", "ro", 5e6},
		{"12 450 mil", "sv-SE", 12450},
		{"1200 mil", "no", 1200},
		{"3 miljoner", "sv", 3e6},
	} {
		if v, _ := value.Numerals(value.Millions(value.Normal(test.text), test.lang))[0].Value(value.MarksComma, false); v != test.want {
			t.Errorf("%s (%s): %v, want %v", test.text, test.lang, v, test.want)
		}
	}
}

// TestScaleOf reads the scale that the description of a field asks for.
func TestScaleOf(t *testing.T) {
	for description, want := range map[string]float64{
		"income in thousands of euros": 1e3, "объём в тысячах кубометров": 1e3, "прибыль (млн руб.)": 1e6, "Umsatz in Millionen Euro": 1e6,
		"przychód w milionach złotych": 1e6, "έσοδα σε εκατομμύρια ευρώ": 1e6, "lives in Milan": 1, "in a million homes": 1, "area in mil": 1, "in tenths": 1,
	} {
		if got := value.ScaleOf("x", description); got != want {
			t.Errorf("%s: %v, want %v", description, got, want)
		}
	}
}
