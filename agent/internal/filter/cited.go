// SPDX-License-Identifier: Apache-2.0

package filter

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
)

// Cited reports whether the question contains the words of a condition, or its value. A
// condition that the question does not state would drop rows for no reason. A model that
// quotes the question may correct its spelling.
func Cited(said journal.Condition, question string) bool {
	known := map[string]bool{}
	for _, w := range value.Words(value.Normal(question)) {
		known[w] = true
	}
	words := value.Normal(said.Words)
	if literal(value.Normal(question), strings.TrimSpace(words)) {
		return true // its last word may have an ending, or no spaces separate its words
	}
	if list := value.Words(words); len(list) > 0 {
		return !slices.ContainsFunc(list, func(w string) bool { return !known[w] && !misspelled(w, known) })
	}
	v := value.Normal(said.Value)
	return len(v) > 1 && value.Holds(value.Normal(question), v) > 0
}

// literal reports whether a question contains words, beginning with a word of its own and
// not within a number. No spaces separate the words of some languages.
func literal(question, words string) bool {
	if words == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(words)
	last, _ := utf8.DecodeLastRuneInString(words)
	for from := 0; ; {
		i := strings.Index(question[from:], words)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(question[:i])
		after, _ := utf8.DecodeRuneInString(question[i+len(words):])
		if (value.Unspaced(first) || !value.WordRune(before) || prefixed(question[:i], first)) && (!unicode.IsDigit(last) || !unicode.IsDigit(after)) {
			return true
		}
		from = i + len(words)
	}
}

// prefixed reports whether at most three letters of the same word stand before first. Arabic
// and Hebrew write "and", "the" and some prepositions as prefixes.
func prefixed(before string, first rune) bool {
	const most = 3
	if !unicode.In(first, unicode.Arabic, unicode.Hebrew) {
		return false
	}
	n := 0
	for n <= most {
		r, size := utf8.DecodeLastRuneInString(before)
		if !value.WordRune(r) {
			break
		}
		before = before[:len(before)-size]
		n++
	}
	return n <= most
}

// misspelled reports whether a question has a word that is w in another spelling: without the
// marks of its letters, or with one letter behind the first one wrong, missing, doubled or
// exchanged with the next one. Long words may have two such errors. Words with digits have no
// other spelling.
func misspelled(w string, known map[string]bool) bool {
	if strings.ContainsFunc(w, unicode.IsDigit) {
		return false
	}
	want := []rune(value.Unmarked(w))
	most := 0
	switch n := len(want); {
	case n >= 9:
		most = 2
	case n >= 5:
		most = 1
	}
	for k := range known {
		if strings.ContainsFunc(k, unicode.IsDigit) {
			continue
		}
		said := []rune(value.Unmarked(k))
		if len(said) > 0 && len(want) > 0 && said[0] == want[0] && max(len(said), len(want)) <= maxSpelled && edits(want, said, most) <= most {
			return true
		}
	}
	return false
}

// maxSpelled is how many letters a word may have that is compared with another spelling.
const maxSpelled = 40

// edits returns how many letters of a must be changed, added, removed or exchanged with the
// next one to make b. It gives up, and returns more than most, if their lengths differ too much.
func edits(a, b []rune, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// Words before and behind a number that make it a limit: "at least 60,000", "2 or more".
var (
	limitBefore = regexp.MustCompile(`(?:^|[^\pL])(?:at least|at most|(?:less|fewer|more|greater|cheaper|longer|shorter|older|younger|larger|smaller|higher|lower) than|under|over|below|above|up to|minimum of|maximum of|` +
		`mindestens|höchstens|(?:weniger|mehr|teurer|billiger|länger|kürzer|älter|jünger|größer|kleiner) als|unter|über|au moins|au plus|(?:moins|plus) de|al menos|como máximo|(?:menos|más) de|` +
		`almeno|al massimo|(?:meno|più) di|(?:minder|meer) dan|minstens|hoogstens|pelo menos|no máximo|mais de|[<>≤≥]=?) ?(?:[$€£¥]|\pL{2,3} )?$`)
	limitBehind = regexp.MustCompile(`^[^0-9,.;:]{0,20}?[^\pL](?:or (?:more|less|fewer|over|under|above|below|older|younger|later|earlier)|oder (?:mehr|weniger)|ou (?:plus|moins|más|mais|menos)|o (?:más|menos|più|meno)|of (?:meer|minder))(?:$|[^\pL])`)
)

// conditionsOf returns the words and values of the conditions of a plan, the descriptions of its fields, and its
// further questions, in normal form.
func conditionsOf(plan protocol.PlanReply) string {
	var said strings.Builder
	for _, t := range plan.Tables {
		for _, c := range t.Conditions {
			said.WriteString(value.Normal(c.Value+" ; "+c.Words) + " ; ")
		}
	}
	for _, f := range plan.Fields {
		said.WriteString(value.Normal(f.Name+" "+f.Description) + " ; ")
	}
	for _, h := range plan.Hops {
		said.WriteString(value.Normal(h.Question) + " ; ")
	}
	return said.String()
}

// properName matches a word with a capital letter that does not begin a sentence, but no abbreviation.
var properName = regexp.MustCompile(`[\pL\d,;)'"’”] ['"(“]?(\p{Lu}[\pL'’-]*\p{Ll}[\pL'’-]*)`)

// A task in which more than one of manyNames words has a capital letter is in a language whose nouns have them.
const manyNames = 3

// Overlooked returns the names of a task, such as "Zurich", that neither a condition, the description of a field
// nor a further question of the plan has, and that are not part of the known text either, such as the addresses of
// the task. Unlike a limit, a name need not be a condition.
func Overlooked(task string, plan protocol.PlanReply, known string) (names []string) {
	said, known := conditionsOf(plan), value.Normal(known)
	found := properName.FindAllStringSubmatch(task, -1)
	if manyNames*len(found) > len(strings.Fields(task)) {
		return nil
	}
	for _, m := range found {
		if name := value.Normal(m[1]); value.Holds(said, name) == 0 && !strings.Contains(known, name) && !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}

// Ignored returns the limits of a task that neither a condition nor the description of a field has, such as
// "at least 60,000". The planner has forgotten them, or it says only in words what rows are to be found.
func Ignored(task string, plan protocol.PlanReply) (limits []string) {
	text := value.Normal(task)
	known := map[float64]bool{}
	for _, n := range value.Numerals(conditionsOf(plan)) {
		for _, v := range n.Readings() {
			known[v] = true
		}
	}
	for _, n := range value.Numerals(text) {
		before := limitBefore.FindString(text[:n.Start()])
		behind := limitBehind.FindString(text[n.End:])
		if before == "" && behind == "" || slices.ContainsFunc(n.Readings(), func(v float64) bool { return known[v] }) {
			continue
		}
		limits = append(limits, strings.TrimSpace(before+text[n.Start():n.End]+behind))
	}
	return limits
}

// backward matches the words with which a further question speaks about the things of the last answer.
var backward = regexp.MustCompile(`(?:^|[^\pL])(?:those|these|them|they|their|davon|diese[rn]?|deren|ihnen|ceux|celles|eux|leurs?|esos|esas|estos|estas|ellos|ellas|quelli|quelle|queste|questi|loro|daarvan|deze|hun|desses|destes|eles|elas)(?:$|[^\pL])`)

// Forgotten returns the conditions of the last answer, in the words of their questions, that a further question
// about its things must meet too, and that its plan does not repeat.
func Forgotten(task string, before []journal.PlannedTable, plan protocol.PlanReply) (words []string) {
	if !plan.Same || !backward.MatchString(value.Normal(task)) {
		return nil
	}
	for _, t := range before {
		for _, c := range t.Conditions {
			if !slices.ContainsFunc(plan.Tables, func(t journal.PlannedTable) bool {
				return slices.ContainsFunc(t.Conditions, func(said journal.Condition) bool {
					return said.Field == c.Field || value.Normal(said.Words) == value.Normal(c.Words)
				})
			}) {
				words = append(words, value.ClipRunes(c.Words, 100))
			}
		}
	}
	return words
}
