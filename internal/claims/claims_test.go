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
		{"Die Lieferung ist gratis.", "Ist die Lieferung gratis?", "Nein.", false},

		// The value and the unit of a number.
		{"Weight: 3.5 kg", "How heavy is it?", "It weighs 35 kg.", false},
		{"Weight: 3.5 kg", "How heavy is it?", "It weighs 3.5 g.", false},
		{"Weight: 3.5 kg", "How heavy is it?", "It weighs 3.5 kilograms.", true},
		{"Ships in 2 days.", "When does it ship?", "It ships in 2 weeks.", false},
		{"Temperature: -5 °C", "How cold is it?", "5 °C", false},
		{"Temperature: −5 °C", "How cold is it?", "-5 °C", true},
		{"Index: -5 %", "What happened?", "The index fell by 5 percent.", true},
		{"Sales of 100,000 units.", "How many sales?", "1,000,000 units were sold.", false},
		{"Sales of 1 unit.", "How many sales?", "1,000,000 units were sold.", false},
		{"It costs CHF 1.000,50.", "What does it cost?", "CHF 1000.50", true},
		{"Revenue: CHF 212.6m", "What was the revenue?", "212.6 billion", false},
		{"Revenue in millions\nCHF 212.6", "What was the revenue?", "CHF 212.6 million", true},
		{"Revenue: $5 million", "What was the revenue?", "The revenue is €5 million.", false},
		{"Revenue: $5 million", "What was the revenue?", "The revenue is 5 million dollars.", true},
		{"السعر ٥٠", "السعر", "السعر 50", true},

		// Months.
		{"3 March 2024", "When?", "3 May 2024", false},
		{"3 March 2024", "When?", "2024-03-03", true},
		{"03/04/2024", "When?", "3 April 2024", true},
		{"Gegründet im März 2024", "Wann?", "Im Mai 2024", false},
		{"Founded in 2024.", "Was it founded in May 2024?", "It was founded in May 2024.", true},
		{"Founded in June 2024.", "Was it founded in May 2024?", "It was founded in May 2024.", false},

		// Numbers of the question.
		{"The price is CHF 19.", "Is it under CHF 50?", "It costs CHF 50.", false},
		{"The price is CHF 19.", "Is the price under CHF 50?", "The price is CHF 19, which is under CHF 50.", true},
		{"Revenue: CHF 212.6m (2024)", "What was the revenue in 2025?", "The revenue in 2025 was CHF 212.6m.", false},
		{"Revenue: CHF 212.6m", "What was the revenue in 2025?", "The revenue in 2025 was CHF 212.6m.", true},
		{"It has 4 rooms.", "How many rooms has it?", "It has three rooms.", false},
		{"A heron stands on it.", "What is on page 5?", "A heron stands on page 5.", true},

		// The thing that a number belongs to.
		{"Alice earns 100. Bob earns 200.", "What does Alice earn?", "Alice earns 200.", false},
		{"Alice earns 100. Bob earns 200.", "What does Alice earn?", "Alice earns 100.", true},
		{"Alice earns 100. Bob earns 200.", "What does Alice earn?", "200.", false},
		{"Standard CHF 9, Express CHF 19.", "What does Express cost?", "Express costs CHF 9.", false},
		{"Standard CHF 9, Express CHF 19.", "What does Express cost?", "It costs CHF 9.", false},
		{"Standard CHF 9, Express CHF 19.", "What do they cost?", "Standard costs CHF 9 and Express CHF 19.", true},
		{"Standard CHF 9, Express CHF 19.", "What do they cost?", "Standard costs CHF 19 and Express CHF 9.", false},
		{"| Name | Salary |\n| Alice | 100 |\n| Bob | 200 |", "What does Alice earn?", "Alice earns 200.", false},
		{"| Name | Salary |\n| Alice | 100 |\n| Bob | 200 |", "What does Alice earn?", "Alice earns 100.", true},
		{"Founded in 1999, closed in 2010.", "When was it founded?", "It was founded in 2010.", false},
		{"Founded in 1999, closed in 2010.", "When was it founded?", "It was founded in 1999.", true},
		{"The company has 300 employees since 1999.", "How many employees?", "The company has 1999 employees.", false},
		{"Founded in 1999 by Ada. The company has 42 employees.", "How many employees?", "The company has 1999 employees.", false},
		{"Delivery within 2 days, returns within 30 days.", "How long for returns?", "Returns are possible within 2 days.", false},
		{"Delivery within 2 days, returns within 30 days.", "How long for returns?", "2 days", false},
		{"Delivery within 2 days, returns within 30 days.", "How long for returns?", "30 days", true},
		{"Der Eintritt kostet 12 Euro für Erwachsene und 6 Euro für Kinder.", "Was zahlen Kinder?", "Kinder zahlen 12 Euro.", false},
		{"Der Eintritt kostet 12 Euro für Erwachsene und 6 Euro für Kinder.", "Was kostet der Eintritt für Kinder?", "Der Eintritt kostet 6 Euro.", true},
		{"大人1200円、子供600円", "子供はいくら", "子供は1200円です。", false},
		{"大人1200円、子供600円", "子供はいくら", "子供は600円です。", true},
		{"Lamp 1000, black, 10.5", "What does Lamp 1000 cost?", "Lamp 1000 costs 10.5.", true},
		{"Price\nCHF 19\nShipping costs CHF 5.", "What does the lamp cost?", "The lamp costs CHF 19.", true},

		{"Standard shipping takes 5 days. Express shipping costs CHF 19 and takes 2 days.", "", "Express shipping takes 5 days.", false},
		{"Standard shipping costs CHF 9 and takes 5 days. Express shipping costs CHF 19 and takes 2 days.", "", "Express shipping costs CHF 19 and takes 5 days.", false},
		{"Standard shipping costs CHF 9 and takes 5 days. Express shipping costs CHF 19 and takes 2 days.", "", "Express shipping costs CHF 19 and takes 2 days.", true},
		{"Standard shipping costs CHF 9 and takes 5 days. Express shipping costs CHF 19 and takes 2 days.", "", "Standard shipping takes 2 days.", false},

		// Denials.
		{"Shipping is free. We do not ship to Malta. Returns are possible.", "", "Shipping to Malta is possible.", false},
		{"The hotel has a pool but no sauna.", "Is there a sauna?", "The hotel has a sauna.", false},
		{"The hotel has a pool but no sauna.", "Is there a pool?", "The hotel has a pool.", true},
		{"The hotel has a pool but no sauna.", "Is there a pool?", "The hotel has no pool.", false},
		{"Cats are allowed, dogs are not.", "Are dogs allowed?", "Dogs are allowed.", false},
		{"At least 5 people are required.", "How many people are required?", "At most 5 people are required.", false},
		{"Nem szabad kutyát hozni.", "Szabad kutyát hozni?", "Szabad kutyát hozni.", false},
		{"犬は入れません。", "犬は入れますか", "犬は入れます。", false},
		{"不允许带狗。", "允许带狗吗", "允许带狗。", false},
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
	got := claims.Sentences("Dr. Berg paid 3.5 Mio. Euro in 2024. She left on 3. March! It costs CHF 9. Lamps cost 12. They cost 5. Das 19. Jahrhundert\nA list\n東京です。終わり")
	want := []string{"Dr. Berg paid 3.5 Mio. Euro in 2024.", "She left on 3. March!", "It costs CHF 9.", "Lamps cost 12.", "They cost 5.", "Das 19. Jahrhundert", "A list", "東京です。", "終わり"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestSilent(t *testing.T) {
	for _, c := range []struct {
		source, question, answer string
		want                     bool
	}{
		{"Herons eat fish.", "When was it founded?", "The page does not state it.", true},
		{"Herons eat fish.", "Wann wurde sie gegründet?", "Das steht dort nicht.", true},
		{"Herons eat fish.", "Wann wurde sie gegründet?", "Auf der Seite steht das nicht.", true},
		{"Herons eat fish.", "When was it founded?", "The text does not contain any information about the year in which it was founded.", true},
		{"Herons eat fish.", "What was it in 2025?", "The page does not state the revenue of 2025.", true},
		{"Herons eat fish.", "Where is it?", "The hotel stands in Bern, not in Basel.", false},
		{"Herons eat fish.", "What does it cost?", "The page does not state it, but it costs 12 euros.", false},
		{"Herons eat fish.", "What do they eat?", "Herons do not eat fish.", false},
		{"Herons eat fish.", "What do they eat?", "Knot fish", false},
	} {
		if got := claims.NewSource(c.source).Silent(c.answer, c.question); got != c.want {
			t.Errorf("%q to %q of %q: %v", c.answer, c.question, c.source, got)
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
