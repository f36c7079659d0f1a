// SPDX-License-Identifier: Apache-2.0

package value_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/agent/internal/value"
)

// TestMeasures reads numbers with units in the unit that a field wants.
func TestMeasures(t *testing.T) {
	for _, test := range []struct {
		name, description, text string
		want                    []float64
	}{
		{"gewicht_g", "", "13,2 kg", []float64{13200}},
		{"weight", "in grams", "850 g", []float64{850}},
		{"weightKg", "", "850 g or 2 lbs", []float64{0.85, 0.90718474}},
		{"minutes", "", "1 h 25 min", []float64{85}},
		{"tempo", "tempo di preparazione in minuti", "1h25", []float64{85}},
		{"duration_minutes", "", "2 hours", []float64{120}},
		{"minutes", "", "2 hours, 5 minutes, and then 10 minutes", []float64{125, 10}},
		{"time", "分", "分", nil},
		{"length", "length in metres", "1,2 km", []float64{1200}},
		{"height_m", "", "940 m", []float64{940}},
		{"height_m", "", "$5m", nil},
		{"users_m", "", "3.4m users", nil},
		{"distance", "(km)", "6.2 mi", []float64{9.9779328}},
		{"speed", "in km", "80 km/h", nil},
		{"size", "size in megabytes", "1.5 GB", []float64{1500}},
		{"price", "price per kg in euros", "€4.50 per 500 g", nil},
		{"price_min", "", "5 min", nil},
		{"years", "", "5 min", nil},
		{"mass_g", "", "10 kg per 500 g", []float64{10000}},
		{"area_m2", "", "1.5 ha", []float64{15000}},
		{"area", "área em metros quadrados", "52,3 m²", []float64{52.3}},
		{"area", "area in square kilometres", "150 ha", []float64{1.5}},
		{"volume", "volume in cubic metres", "3 m", nil},
		{"preco", "preço do quilo em reais", "2 kg", nil},
		{"minutes", "", "1 t 20 min", []float64{80}},
		{"minutes", "", "2h 15m", []float64{135}},
		{"hours", "", "90 m", []float64{1.5}},
		{"length_mm", "", "3 in", []float64{76.2}},
		{"length_mm", "", `M4 x 1"`, []float64{25.4}},
		{"mass_kg", "", "3 in stock, 2 kg", []float64{2}},
		{"area", "area in m²", "60 m² and 2 m", []float64{60}},
		{"area_m2", "", "40 sqm", []float64{40}},
		{"height_m", "", "60 m²", nil},
		{"height_m", "", "60 m³", nil},
		{"duration_minutes", "", "90分", []float64{90}},
		{"duration_minutes", "", "1時間30分", []float64{90}},
		{"minutes", "", "2:35 h", []float64{155}},
		{"minutes", "", "£60 / 1 h 20 min / walk in", []float64{80}},
		{"minutes", "", "£60 / 90 min", nil},
		{"minutes", "", "Takes 0:45 hrs, 2 stops", []float64{45}},
		{"duration_s", "", "4:10 min", []float64{250}},
		{"duration_minutes", "", "1:30:30", []float64{90.5}},
		{"time", "time in seconds", "1:51.22", []float64{111.22}},
		{"time", "time in seconds", "1:02:03.4 (record)", []float64{3723.4}},
		{"time", "time in seconds", "at 1:51. 22 swimmers", nil},
		{"minutes", "", "2:35", nil},
		{"height_m", "", "2:35 h", nil},
		{"altitude_m", "", "5,052 ft (1,539.8 m)", []float64{1539.8}},
		{"altitude_m", "", "300 m (984 ft)", []float64{300}},
		{"altitude_m", "", "30 ft", []float64{9.144}},
		{"altitude_m", "", "20 ft (3 km)", []float64{6.096, 3000}},
		{"power_kw", "", "115 hp (86 kW)", []float64{86}},
		{"honey", "мед за рік у кілограмах", "5.6 т", []float64{5600}},
		{"waga", "waga w kilogramach", "3 tony", []float64{3000}},
		{"length", "дължина в метри", "2 километра", []float64{2000}},
		{"distance", "מרחק", "3 ק\"מ", nil},
		{"distance_m", "", "3 ק\"מ", []float64{3000}},
		{"metrics", "key metrics of the year", "5 km", nil},
		{"age_months", "", "3 years old", []float64{36}},
		{"age_months", "", "1 year 6 months", []float64{18}},
		{"term", "term in months", "2 Jahre", []float64{24}},
		{"term", "term in years", "18 months", []float64{1.5}},
		{"age_months", "", "8 weeks", nil},
		{"year", "year of the award", "2 years ago", nil},
		{"price", "price of a month in the first months, in pounds", "6 months", nil},
		{"age_years", "", "since 2015 год", nil},
	} {
		marks := value.MarksPoint
		if test.text == "13,2 kg" || test.text == "1,2 km" {
			marks = value.MarksComma
		}
		var got []float64
		for _, m := range value.Measures(value.Normal(test.text), value.UnitOf(test.name, test.description), marks) {
			got = append(got, m.Value)
		}
		if d := cmp.Diff(test.want, got); d != "" {
			t.Errorf("%s %q, %q: %s", test.name, test.description, test.text, d)
		}
	}
}

// FuzzMeasures reads any text without a panic.
func FuzzMeasures(f *testing.F) {
	f.Add("minutes", "in minutes", "1 h 25 min")
	f.Add("weight_g", "", "1h99999kg km/h ²")
	f.Fuzz(func(t *testing.T, name, description, text string) {
		for _, m := range value.Measures(value.Normal(text), value.UnitOf(name, description), value.MarksPoint) {
			if m.Value != m.Value || len(m.Plain) == 0 {
				t.Errorf("%+v", m)
			}
		}
	})
}

// TestTemperatures converts degrees of Fahrenheit and Celsius.
func TestTemperatures(t *testing.T) {
	celsius := value.UnitOf("temp", "temperature in °C")
	for _, test := range []struct {
		text string
		want float64
	}{
		{"176 °f", 80}, {"194°f", 90}, {"the stove reaches 185 degrees fahrenheit", 85}, {"-4 ° f", -20}, {"85 °c", 85}, {"85 grad celsius", 85}, {"80 °c (176 °f)", 80}, {"-5 °c", -5},
	} {
		all := value.Measures(test.text, celsius, value.MarksPoint)
		if len(all) != 1 || all[0].Value != test.want {
			t.Errorf("%s: %v, want %v", test.text, all, test.want)
		}
	}
	if all := value.Measures("80 °c 176 °f", celsius, value.MarksPoint); len(all) != 2 {
		t.Errorf("two temperatures: %v", all)
	}
	if u := value.UnitOf("temp", "in °F or °C"); u != (value.Unit{}) {
		t.Errorf("either: %v", u)
	}
	if u := value.UnitOf("oven_temperature_fahrenheit", ""); u == celsius || u == (value.Unit{}) {
		t.Errorf("by name: %v", u)
	}
	if v, ok := value.UnitOf("", "in Fahrenheit").In(212, celsius); v != 100 || !ok {
		t.Errorf("212 °F: %v", v)
	}
}

// TestPaidUnits reads no unit off the name of a price.
func TestPaidUnits(t *testing.T) {
	for _, test := range []struct{ name, about, want string }{
		{"stunde", "Preis einer Übungsstunde in Euro", ""},
		{"price_kg", "price in euro", ""},
		{"stunde", "Dauer", "h"},
		{"weight_lb", "weight in pounds", "lb"},
		{"toll_km", "length in kilometres", "km"},
		{"ore", "ore di lavoro alla settimana", "h"},
		{"uren", "uren per week", "h"},
		{"n", "days or weeks of it", "day"},
		{"n", "wait, days or weeks", ""},
		{"length", "長度（公尺）", "m"},
	} {
		if u := value.UnitOf(test.name, test.about); u.String() != test.want {
			t.Errorf("%s, %s: %v, want %s", test.name, test.about, u, test.want)
		}
	}
}
