// SPDX-License-Identifier: Apache-2.0

package value_test

import (
	"testing"

	"example.com/curlew/agent/internal/value"
)

// TestAmountsOfLanguages reads amounts whose scale is a word of one of many languages.
func TestAmountsOfLanguages(t *testing.T) {
	for _, test := range []struct {
		text string
		want float64
	}{
		{"15,7 mii", 15_700},
		{"3 milioane lei", 3e6},
		{"48,4 triệu đồng", 48.4e6},
		{"1,2 tỷ đồng", 1.2e9},
		{"284 אלף ₪", 284_000},
		{"1.5 מיליון ₪", 1.5e6},
		{"₹३.८ करोड़", 38e6},
		{"₹१७.१ लाख", 1_710_000},
		{"3 ล้านบาท", 3e6},
		{"2,5 tūkstančio", 2500},
		{"4 хиляди", 4000},
		{"7 miliónov", 7e6},
		{"2 milijuna", 2e6},
		{"5,1 milljarðar", 5.1e9},
		{"3 millionaires", 3},
		{"4 Millionäre", 4},
		{"5 миллионеров", 5},
		{"12 тонн", 12},
	} {
		s := value.Normal(test.text)
		n, _ := value.Figure(s, false)
		if n == nil {
			t.Errorf("%q: no number", test.text)
			continue
		}
		marks := value.MarksComma
		if s[0] > '9' || test.text[1] == '.' {
			marks = value.MarksPoint
		}
		if v, _ := n.Value(marks, false); !value.Same(v, test.want) {
			t.Errorf("%q: %v, want %v", test.text, v, test.want)
		}
	}
}

// TestDatesOfLanguages reads dates with the names of months in many languages.
func TestDatesOfLanguages(t *testing.T) {
	for text, want := range map[string]string{
		"4 באפריל 2002": "2002-04-04", "२७ फ़रवरी १९९५": "1995-02-27", "12 मई 1974": "1974-05-12", "5 มีนาคม 2567": "2024-03-05", "3 d'abril de 1985": "1985-04-03", "2019 birželio 5": "2019-06-05", "2022 m. rugpjūčio 9 d.": "2022-08-09", "2024. gada 3. marts": "2024-03-03",
		"8. jaanuar 2001": "2001-01-08", "17. júní 1944": "1944-06-17", "9 ஜனவரி 2001": "",
		"12. listopada 2025.": "2025-10-12", "12.listopada 2025": "2025-10-12", "12 listopada 2025": "2025-11-12", "12-listopada-2025": "", "listopada 12, 2025": "", "2025. listopada 12": "", "3. siječnja 2024.": "2024-01-03", "30. studenoga 2024.": "2024-11-30",
		"7 מתוק 2002": "",
	} {
		got := ""
		if all := value.Dates(value.Normal(text)); len(all) > 0 {
			got = all[0].Text(value.OrderDay)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestFree knows the texts that say that something costs nothing, and those that say it only
// of some people, or of something else.
func TestFree(t *testing.T) {
	for text, want := range map[string]bool{
		"free": true, "Free entry": true, "Entry free of charge": true, "gratuit": true, "Eintritt frei": true, "безкоштовно": true, "miễn phí": true, "無料": true,
		"sen custo": true, "ohne Gebühr": true, "no price": false, "free for members": false, "free under 5, £4": false, "sugar-free": false, "freedom": false, "from £3": false, "": false,
	} {
		if got := value.Free(value.Normal(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestBroken finds counts with decimals before a word that may be a scale.
func TestBroken(t *testing.T) {
	for text, want := range map[string]bool{"43,0 kzt": true, "43.5 zyx lei": true, "43 kzt": false, "1.250 kzt": false, "4.5 kg": false, "3,0 €": false, "43,0 mii": false} {
		s := value.Normal(text)
		if n, _ := value.Figure(s, true); n.Broken(s) != want {
			t.Errorf("%q: %v, want %v", text, !want, want)
		}
	}
}
