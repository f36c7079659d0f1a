// SPDX-License-Identifier: Apache-2.0

package claims_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/curlew/internal/claims"
)

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		source, question, answer string
		want                     bool
	}{
		{"Herons eat fish.", "What do herons eat?", "Fish.", true},
		{"Herons eat fish.", "What do herons eat?", "They feed on fish.", true},
		{"Herons eat fish.", "What do herons eat?", "Herons eat frogs.", false},
		{"The price is CHF 19.", "What does it cost?", "CHF 19", true},
		{"The price is CHF 19.", "What does it cost?", "It costs CHF 29.", false},
		{"The CEO is Anna Berg.", "Who is the CEO?", "Anna Berg", true},
		{"The CEO is Anna Berg.", "Who is the CEO?", "The CEO is Peter Kurz.", false},
		{"Delivery costs CHF 9.", "Is delivery free?", "Yes, delivery is free.", false},
		{"Delivery is free.", "Is delivery free?", "Yes, delivery is free.", true},
		{"The lamp is not waterproof.", "Is it waterproof?", "It is waterproof.", false},
		{"The lamp is not waterproof.", "Is it waterproof?", "No, it is not waterproof.", true},
		{"The lamp isn't waterproof.", "Is it waterproof?", "The lamp is waterproof.", false},
		{"Revenue 2025: CHF 212.6m", "What was the revenue in 2025?", "The revenue was CHF 212.6 million.", true},
		{"Revenue 2025: CHF 212.6m", "What was the revenue in 2025?", "CHF 212,600,000", true}, // the letter stands for the zeros
		{"Umsatz: 212.600.000 CHF", "What was the revenue?", "212.6 million CHF", true},
		{"Gegründet am 2024-03-03", "When was it founded?", "3 March 2024", true},
		{"It has three rooms.", "How many rooms?", "3 rooms", true},
		{"本社は東京にあります。", "本社はどこですか", "東京", true},
		{"本社は東京にあります。", "本社はどこですか", "大阪", false},
		{"Herons eat fish.", "What do herons eat?", "", true},
		{"Herons eat fish.", "What do herons eat?", strings.Repeat("fish ", 20_000) + "and frogs.", false}, // too long to check
		{"", "What do herons eat?", "Fish.", false},
		{"The lamp is waterproof.", "Is it waterproof?", "No, it is not waterproof.", false},
		{"The lamp is waterproof.", "Is it waterproof?", "The lamp isn't waterproof.", false},
		{"The lamp is waterproof. It is not cheap.", "Is it waterproof?", "It is not waterproof.", false},
		{"Die Lampe ist wasserdicht.", "Ist sie wasserdicht?", "Die Lampe ist nicht wasserdicht.", false},
		{"Delivery costs CHF 9.", "Is delivery free?", "No, delivery costs CHF 9.", true},
		{"Open daily except Monday.", "Is it open on Mondays?", "It is not open on Monday.", true},
		{"The lamp is waterproof and light.", "What is it?", "The lamp is not only waterproof, but light.", true},
		{"Closed on Monday.", "Is the museum open on Monday?", "Yes, the museum is open on Monday.", false},
		{"Open on Monday.", "Is the museum closed on Monday?", "It is closed on Monday.", false},
		{"Closed on Monday, open on Tuesday.", "Is the museum open on Tuesday?", "It is open on Tuesday.", true},
		{"Out of stock.", "Is it in stock?", "Yes, it is in stock.", false},
		{"Out of stock.", "Is it in stock?", "It is out of stock.", true},
		{"Out of stock.", "Is it in stock?", "No, it is not in stock.", true},
		{"Sales decreased by 5 % in 2025.", "How did sales develop?", "Sales increased by 5 % in 2025.", false},
		{"Breakfast is excluded.", "Is breakfast included?", "Breakfast is included.", false},
		{"Delivery costs CHF 9.", "Is delivery free?", "Yes.", false},
		{"Delivery is free.", "Is delivery free?", "Yes.", true},
		{"Delivery is free.", "Is delivery free?", "No.", false},
		{"The lamp is not waterproof.", "Is it waterproof?", "Yes.", false},
		{"The lamp is not waterproof.", "Is it waterproof?", "No.", true},
		{"Delivery costs CHF 9.", "Is delivery free?", "No.", true},
	} {
		if got := claims.NewSource(c.source).Answers(c.answer, c.question); got != c.want {
			t.Errorf("%q to %q of %q: %v", c.answer, c.question, c.source, got)
		}
	}
}

func TestKeep(t *testing.T) {
	s := claims.NewSource("Curlew is a library. It crawls sites and parses documents of 12 kinds.\nIt was written in Go.")
	kept, dropped := claims.Keep("Curlew is a library for crawling sites. It was sold for $5 million. It parses documents.", s.States)
	if kept != "Curlew is a library for crawling sites. It parses documents." || dropped != 1 {
		t.Errorf("%q, %d", kept, dropped)
	}
	if kept, dropped := claims.Keep("It parses documents. ", s.States); kept != "It parses documents. " || dropped != 0 {
		t.Errorf("%q, %d", kept, dropped)
	}
}

func TestSentences(t *testing.T) {
	got := claims.Sentences("Dr. Berg paid 3.5 Mio. Euro. She left!\nA list\n東京です。終わり")
	want := []string{"Dr. Berg paid 3.5 Mio. Euro.", "She left!", "A list", "東京です。", "終わり"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestDenies(t *testing.T) {
	for text, want := range map[string]bool{"The page does not state it.": true, "Das steht dort nicht.": true, "It doesn't say.": true, "Knot fish": false} {
		if claims.Denies(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

func TestContradicts(t *testing.T) {
	for _, c := range []struct {
		source, sentence string
		want             bool
	}{
		{"State of the art lamps. They list at CHF 9.", "The page does not state it.", false},
		{"Availability: sold out", "It is not available.", false},
		{"In stock: 0", "It is not in stock.", false},
		{"In stock: 4", "It is not in stock.", true},
		{"Available in shops, not online.", "It is not available online.", false},
		{"It is available.", "It is unavailable.", true},
		{"Prices rose, then fell.", "Prices rose.", false},
		{"", "It is not so.", false},
	} {
		if got := claims.NewSource(c.source).Contradicts(c.sentence); got != c.want {
			t.Errorf("%q of %q: %v", c.sentence, c.source, got)
		}
	}
}

// FuzzKeep checks that Keep never makes a text longer, and never fails on bytes that are
// not text.
func FuzzKeep(f *testing.F) {
	f.Add("Herons eat fish. They wait.", "Herons eat fish.")
	f.Add("\xff1.\u00a02’3", "。\xfe")
	f.Fuzz(func(t *testing.T, text, source string) {
		s := claims.NewSource(source)
		if kept, dropped := claims.Keep(text, s.States); len(kept) > len(text) || dropped == 0 && kept != text {
			t.Errorf("%q, %d", kept, dropped)
		}
		s.Answers(text, source)
	})
}
