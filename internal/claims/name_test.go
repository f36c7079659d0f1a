// SPDX-License-Identifier: Apache-2.0

package claims_test

import (
	"strings"
	"testing"

	"example.com/curlew/internal/claims"
)

// TestNames checks that a name counts only for what the text says of it.
func TestNames(t *testing.T) {
	const team = "# About Norwik Lamps\n## Team\nBea Lind, managing director\nAda Kurz, customer support\nTom Ray, design and patents"
	const cards = "## Team\n### Bea Lind\nManaging director\nShe speaks Danish.\n### Ada Kurz\nCustomer support\nShe speaks Czech."
	const story = "# Norwik Lamps\nBea Lind founded Norwik Lamps in Oslo. She plays chess. Ada Kurz joined the company from Bergen. She repairs old radios."
	const german = "Die Firma wird von Bea Lind geleitet. Der Kundendienst ist die Aufgabe von Ada Kurz."
	const plans = "# Prices\n| Feature | Basic | Premium Plus |\n| --- | --- | --- |\n| Priority support | in a day | in an hour |\n| Nightly Backups | yes | yes |\n\nAsk Ada Kurz for old licences of Norwik."
	for _, c := range []struct {
		source, question, answer string
		want                     bool
	}{
		{plans, "Which plan has priority support?", "Premium Plus has priority support.", true},
		{plans, "Which plan has nightly backups?", "Premium Plus has nightly backups.", true},
		{plans, "Whom do I ask for old licences?", "Premium Plus has old licences of Norwik.", false},
		{team, "Who is the managing director?", "The managing director is Bea Lind.", true},
		{team, "Who is the managing director?", "The managing director is Ada Kurz.", false},
		{team, "Who is the managing director?", "Ada Kurz", false},
		{team, "Who is the managing director?", "Bea Lind", true},
		{team, "Who runs the company?", "Ada Kurz runs the company.", false},
		{team, "Who runs the company?", "Bea Lind runs the company.", true},
		{team, "", "Bea Lind leads Norwik Lamps, and Ada Kurz helps customers.", true},
		{cards, "Who is the managing director?", "Ada Kurz is the managing director.", false},
		{cards, "Who is the managing director?", "Bea Lind is the managing director.", true},
		{cards, "Does Ada Kurz speak Danish?", "No, Ada Kurz does not speak Danish.", true},
		{cards, "Who speaks Danish?", "Bea Lind speaks Danish.", true},
		{story, "", "Ada Kurz founded Norwik Lamps.", false},
		{story, "", "Bea Lind, who plays chess, founded Norwik Lamps.", true},
		{story, "", "Ada Kurz of Bergen repairs radios for Norwik Lamps.", true},
		{story, "Who founded Norwik Lamps?", "Bea Lind", true},
		{story, "", "Ada Kurz plays chess and repairs old radios.", false},
		{story, "", "Bea Lind plays chess, and Ada Kurz repairs old radios.", true},
		{story, "", "Bea Lind plays chess and repairs old radios.", false},
		{story, "Who founded Norwik Lamps?", "Ada Kurz", false},
		{"Oslo: Bea Lind lives 2 km away.\nOslo: Ada Kurz lives 5 km away.", "Who lives nearer to Oslo?", "Bea Lind lives nearer to Oslo than Ada Kurz.", true},
		{german, "Wer leitet die Firma?", "Ada Kurz leitet die Firma.", false},
		{german, "Wer leitet die Firma?", "Bea Lind leitet die Firma.", true},
		{german, "Wer ist für den Kundendienst da?", "Ada Kurz", true},
	} {
		if got := claims.NewSource(c.source).Answers(c.answer, c.question); got != c.want {
			t.Errorf("%q to %q: %v", c.answer, c.question, got)
		}
	}
}

// TestManyLines leaves a name out that a long text as a whole is about.
func TestManyLines(t *testing.T) {
	for _, n := range []int{10, 5000} {
		text := "# Ada Kurz\n" + strings.Repeat("She repairs radios.\n", n) + "# Bea Lind\n" + strings.Repeat("Old boats.\n", n)
		if got := claims.NewSource(text).States("Ada Kurz likes old boats of Bea Lind."); got != (n > 10) {
			t.Errorf("%d lines: %v", n, got)
		}
	}
}

// TestMisplaces checks claims that single lines support, and the whole text does not.
func TestMisplaces(t *testing.T) {
	const text = "Alice earns 100.\nBob earns 200.\nManaging director: Bea Lind\nSupport: Ada Kurz"
	for _, c := range []struct {
		line, question, answer string
		want                   bool
	}{
		{"Bob earns 200.", "What does Alice earn?", "200", true},
		{"Alice earns 100.", "What does Alice earn?", "100", false},
		{"Support: Ada Kurz", "Who is the managing director?", "Ada Kurz", true},
		{"Managing director: Bea Lind", "Who is the managing director?", "Bea Lind", false},
		{"Managing director: Bea Lind", "Wer ist der Chef?", "Bea Lind, 7", false},
	} {
		if !claims.NewSource(c.line).Answers(c.answer, c.question) && c.want {
			t.Errorf("the line does not support %q", c.answer)
		}
		if got := claims.NewSource(text).Misplaces(c.answer, c.question); got != c.want {
			t.Errorf("%q to %q: %v", c.answer, c.question, got)
		}
	}
}
