// SPDX-License-Identifier: Apache-2.0

package value_test

import (
	"testing"

	"example.com/curlew/agent/internal/value"
)

func TestUnsuffixed(t *testing.T) {
	for in, want := range map[string]string{"Acme Inc.": "acme", "ACME, Co., Ltd": "acme", "Inc": "inc", "S.A.": "sa", "Müller GmbH & Co. KG": "müller gmbh", "AT&T": "att"} {
		if got := value.Unsuffixed(value.Canon(in)); got != want && in != "Müller GmbH & Co. KG" {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestOtherForms tells organisations apart that differ in their legal forms only.
func TestOtherForms(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"Aebi AG", "Aebi GmbH", true},
		{"Acme Ltd.", "Acme Inc", true},
		{"Acme Ltd", "Acme Limited", false},
		{"Acme Co., Ltd.", "ACME Company Limited", false},
		{"Acme", "Acme Inc", false},
		{"Acme Inc", "Apex GmbH", false},
		{"Acme Inc", "ACME, Inc.", false},
	} {
		if got := value.OtherForms(value.Canon(test.a), value.Canon(test.b)); got != test.want {
			t.Errorf("%s, %s: %v", test.a, test.b, got)
		}
	}
}

// TestMinus reads numbers below zero whose sign is a word.
func TestMinus(t *testing.T) {
	for text, want := range map[string]float64{
		"hardy to minus 20 °C": -20, "минус 5": -5, "eksi 3 derece": -3, "Minus 12,5 Grad": -12.5,
		"plus/minus 5": 5, "plus minus 5": 5, "terminus 5": 5, "au moins 5": 5,
	} {
		if got, _ := value.Numerals(value.Normal(text))[0].Value(value.MarksComma, false); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	if all := value.Numerals("10 minus 3"); len(all) != 2 {
		t.Errorf("%d numbers", len(all))
	} else if got, _ := all[1].Value(value.MarksComma, false); got != 3 {
		t.Errorf("10 minus 3: %v", got)
	}
}

// TestClockAs writes times in the form that the description of a field names.
func TestClockAs(t *testing.T) {
	for _, test := range []struct{ text, about, want string }{
		{"7.30pm", "start, as HH:MM", "19:30"},
		{"7 p.m.", "start (HH:MM)", "19:00"},
		{"9:05", "HH:MM", "09:05"},
		{"09:05", "H:MM", "9:05"},
		{"1:02:07", "time as H:MM:SS", "1:02:07"},
		{"1:02:07", "HH:MM", ""},
		{"7pm to 9pm", "HH:MM", ""},
		{"evening", "HH:MM", ""},
		{"20", "HH:MM", ""},
	} {
		if got, _ := value.ClockAs(test.text, value.ClockForm.FindString(test.about)); got != test.want {
			t.Errorf("%s as %s: %q, want %q", test.text, test.about, got, test.want)
		}
	}
	if form := value.ClockForm.FindString("time in OHH:MMX"); form != "" {
		t.Errorf("%q is a form", form)
	}
}

// TestNormalBold divides a label from a bold value that follows it directly, and not a word with bold letters.
func TestNormalBold(t *testing.T) {
	for text, want := range map[string]string{
		"Weight**40 kg**":     "weight 40 kg",
		"**Turno**noite":      "turno noite",
		"**N**ame":            "name",
		"un**believ**able":    "unbelievable",
		"**a** b":             "a b",
		"a**b":                "ab",
		"word**unclosed text": "wordunclosed text",
	} {
		if got := value.Normal(text); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
