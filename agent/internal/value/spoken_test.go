// SPDX-License-Identifier: Apache-2.0

package value_test

import (
	"strings"
	"testing"

	"example.com/curlew/agent/internal/value"
)

// TestSpoken reads numbers in words, and leaves alone what only may be one.
func TestSpoken(t *testing.T) {
	for _, c := range []struct{ lang, field, text, want string }{
		{"en", "", "Sleeps six", "sleeps 6"},
		{"en-GB", "", "two-storey", "2-storey"},
		{"", "", "three bedrooms, one bathroom", "3 bedrooms, 1 bathroom"},
		{"en", "", "twenty-five seats", "25 seats"},
		{"en", "", "half a mile", "0.5 mile"},
		{"en", "", "two and a half hours", "2.5 hours"},
		{"en", "", "single room", ""},
		{"en", "", "twice a week", "2 a week"},
		{"en", "", "once", "1"},
		{"en", "", "once a chapel", ""},
		{"fr", "", "vu une fois", "vu 1 fois"},
		{"pt-BR", "", "★★★☆☆", "3"},
		{"en", "", "★ new", ""},
		{"en", "storeys", "single storey", "1 storey"},
		{"en", "", "single-seater", "1-seater"},
		{"en", "", "single-seater with a hood", ""},
		{"en", "", "an hour and a half", "an 1.5 hour"},
		{"en", "", "two hours and a half", "2.5 hours"},
		{"en", "", "an hour and a quarter", ""},
		{"de", "", "zweimal die Woche", "2 die woche"},
		{"de", "", "einmal", "1"},
		{"de", "", "niemal", ""},
		{"nl", "", "driemaal", "3"},
		{"fr", "", "une centaine d'exposants", "100 d'exposants"},
		{"fr", "", "une trentaine", "30"},
		{"fr", "", "une belle centaine", ""},
		{"it", "", "un centinaio di ombrelloni", "100 di ombrelloni"},
		{"pt", "", "duas centenas", "200"},
		{"es", "", "una veintena de plazas", "20 de plazas"},
		{"en", "", "a score", ""}, // of a game
		{"en", "", "zero dozen", "0 dozen"},
		{"fr", "", "une quarantaine", ""}, // or isolation
		{"en", "sails", "a pair", "2"},
		{"fr", "", "une paire", "2"},
		{"en", "", "a pair of scissors", ""},
		{"en", "pairs", "a pair", ""},
		{"de", "", "ein Paar", ""},
		{"en", "", "two hundred seats", ""},
		{"en", "", "two thirds", "2 thirds"},
		{"en", "", "one two three", ""},
		{"en", "", "the best of all", ""},
		{"de", "", "vier Nächte", "4 nächte"},
		{"de", "", "ein schönes Haus", ""},
		{"de", "anzahl zimmer", "ein Zimmer", "1 zimmer"},
		{"de", "", "anderthalb Stunden", "1.5 stunden"},
		{"fr", "", "une heure et demie", "1.5 heure"},
		{"fr", "", "dès dix ans", "dès 10 ans"},
		{"fr", "", "vingt et un jours", "21 jours"},
		{"es", "", "un año", "1 año"},
		{"es", "", "una casa", ""},
		{"it", "", "uno", "1"},
		{"da", "", "to værelser", "2 værelser"},
		{"en", "", "go to bed", ""},
		{"en", "", "a dozen stops", "12 stops"},
		{"en", "", "two dozen stops", "24 stops"},
		{"en", "", "half a dozen", "6"},
		{"en", "", "dozens of stops", ""},
		{"fr", "", "deux douzaines", "24"},
		{"fr", "", "soixante-dix places", "70 places"},
		{"fr", "", "soixante et onze", "71"},
		{"fr", "", "quatre-vingt-dix", ""},
		{"fr", "", "quatre-vingts places", ""},
		{"de", "", "zweiundzwanzig Tage", "22 tage"},
		{"de", "", "ein Dutzend Haufen", "12 haufen"},
		{"de", "", "einundzwanzig", "21"},
		{"de", "", "Rundzwanzig", ""},
		{"nl", "", "tweeëntwintig leden", "22 leden"},
		{"nl", "", "vijfenveertig", "45"},
		{"da", "", "toogtyve", "22"},
		{"sv", "", "tjugotvå platser", "22 platser"},
		{"it", "", "ventuno posti", "21 posti"},
		{"it", "", "trentadue", "32"},
		{"fi", "", "kaksikymmentäkolme", "23"},
		{"hu", "", "huszonkettő", "22"},
		{"el", "", "είκοσι δύο δωμάτια", "22 δωμάτια"},
		{"el", "", "μία αίθουσα", ""},
		{"ru", "", "сорок пять мест", "45 мест"},
		{"is", "", "þrjú", "3"},
		{"gl", "", "dous anos", "2 anos"},
		{"es", "", "año y medio", "1.5 año"},
		{"es", "", "2 horas y media", ""},
		{"gl", "", "prazo de ano e medio", "prazo de 1.5 ano"},
		{"sr", "", "dvanaest", "12"},
		{"ko", "", "여섯 개", "6 개"},
		{"ja", "", "定員十二名、三部屋", "定員12名、3部屋"},
		{"ja", "", "三重県で十分", ""},
		{"ja", "", "二十三", "23"},
		{"zh-CN", "", "两室一厅，三层", "2室一厅,3层"},
		{"zh", "", "二〇二六年", "2026年"},
		{"zh", "", "四川", ""},
		{"xx", "", "three rooms", ""},
	} {
		got, ok := value.Spoken(value.Normal(c.text), c.lang, strings.Fields(c.field))
		if want := c.want; ok != (want != "") || ok && got != want {
			t.Errorf("%s, %q: %q, %v, want %q", c.lang, c.text, got, ok, want)
		}
	}
	for lang, c := range map[string][2]string{"de": {"aus zweiter Hand", "aus 2 hand"}, "en": {"third floor", "3 floor"}, "ja": {"二階", ""}} {
		if got, ok := value.Ordinals(value.Normal(c[0]), lang); ok != (c[1] != "") || ok && got != c[1] {
			t.Errorf("%s, %q: %q, %v", lang, c[0], got, ok)
		}
	}
}

// TestAgo reads how far a day is from today.
func TestAgo(t *testing.T) {
	for _, c := range []struct {
		lang, text string
		want       int
		ok         bool
	}{
		{"en", "3 days ago", 3, true},
		{"en", "posted two weeks ago", 14, true},
		{"en", "yesterday", 1, true},
		{"en", "2 months ago", 0, false},
		{"en", "3 days", 0, false},
		{"en", "open 3 days a week", 0, false},
		{"en", "between 3 days ago and 5 days ago", 0, false},
		{"de", "vor zwei Tagen", 2, true},
		{"de", "vorgestern", 2, true},
		{"de", "hier", 0, false},
		{"fr", "avant-hier", 2, true},
		{"fr", "il y a 5 jours", 5, true},
		{"es", "Publicada hace cinco días", 5, true},
		{"ja", "3日前", 3, true},
		{"sv", "för 4 dagar sedan", 4, true},
	} {
		if got, ok := value.Ago(value.Normal(c.text), c.lang); ok != c.ok || ok && got != c.want {
			t.Errorf("%s, %q: %d, %v", c.lang, c.text, got, ok)
		}
	}
	for text, want := range map[string]string{
		"Página actualizada el 14 de mayo de 2026": "2026-05-14", "Stand: 3.5.2026": "2026-05-03", "Founded on 3 May 1901": "", "Updated 3 May 2026, corrected 9 May 2026": "",
	} {
		d, ok := value.AsOf(value.Normal(text))
		if got := d.Text(value.OrderDay); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, %v", text, got, ok)
		}
	}
}

// TestLacks tells what a thing does not have from what is not known of it.
func TestLacks(t *testing.T) {
	for text, c := range map[string]struct {
		name string
		want bool
	}{
		"no parking": {"parking", true}, "sin experiencia": {"experiencia", true}, "no rating": {"rating", false}, "no age limit": {"age", false}, "no price": {"price", false}, "no": {"parking", false}, "keine Angabe": {"zimmer", false},
	} {
		if got := value.Lacks(value.Normal(text), strings.Fields(c.name)); got != c.want {
			t.Errorf("%q for %s: %v", text, c.name, got)
		}
	}
}

// FuzzSpoken rewrites texts: what is left of them is as it was, and no text grows much.
func FuzzSpoken(f *testing.F) {
	for _, s := range []string{"two and a half", "twenty-five", "une heure et demie", "half a mile", "vor zwei Tagen", "one two", "'one'", "two½", "zweiundzwanzig", "a dozen", "三十人"} {
		f.Add(s, "en")
	}
	f.Fuzz(func(t *testing.T, s, lang string) {
		if len(s) > 10_000 {
			return
		}
		s = value.Normal(s)
		got, ok := value.Spoken(s, lang, nil)
		if !ok && got != s || len(got) > len(s)+8 {
			t.Fatalf("%q: %q, %v", s, got, ok)
		}
		if days, ok := value.Ago(s, lang); ok && (days < 0 || days > 999) {
			t.Fatalf("%q: %d days", s, days)
		}
		value.Ordinals(s, lang)
	})
}
