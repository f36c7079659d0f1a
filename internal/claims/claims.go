// SPDX-License-Identifier: Apache-2.0

// Package claims checks whether sentences that a model wrote are supported by the
// text that they cite. It compares words, numbers and names. It finds what a text does not
// say, but it does not prove that a sentence follows from the text.
package claims

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Shares of the words of a claim that its source must contain.
const (
	answerShare  = 0.5 // besides the words of the question
	summaryShare = 0.6
)

// Limits of texts, in bytes. A longer claim is not supported. The part of a source
// beyond the limit is not read.
const (
	maxClaim  = 64 << 10
	maxSource = 4 << 20

	maxOrdinal = 40 // beside a number that may be one of an order
)

// Source is a text that claims are checked against.
type Source struct {
	words    map[string]bool
	stems    map[string][]string // words by their first characters
	plain    map[string]bool     // words of the sentences without a negation
	limited  map[string]bool     // words of the sentences with a negation or an exception
	numbers  map[float64][]int   // indexes of figures by their absolute values
	figures  []placed
	clauses  []clause         // those that contain a number
	within   map[string][]int // indexes of clauses by their words
	lines    []line           // sentences
	mentions map[string][]int // indexes of lines by their words, and by the roles that these mean
	inner    int              // words within sentences
	capitals int              // those of them with a capital letter
	months   [13]bool
	scales   [16]bool // exponents of words such as million
	lessened bool     // the text says that something falls or is below zero
}

// placed is a number of a source.
type placed struct {
	*figure
	clause int
}

// clause is a part of a sentence with at least one number.
type clause struct {
	sentence int
	row      bool // of a table
	figures  []int
	words    int // that are not units
	first    int // the index of the first clause of the sentence
}

// NewSource reads a text.
func NewSource(text string) *Source {
	s := &Source{
		words: map[string]bool{}, stems: map[string][]string{}, plain: map[string]bool{}, limited: map[string]bool{},
		numbers: map[float64][]int{}, within: map[string][]int{}, mentions: map[string][]int{},
	}
	for n, sentence := range Sentences(text[:min(len(text), maxSource)]) {
		all := tokens(sentence)
		for _, part := range scopes(all) {
			s.readWords(part)
		}
		s.readNames(sentence, all)
		if len(s.figures) < maxFigures {
			row := strings.HasPrefix(sentence, "{") || strings.HasPrefix(sentence, "|")
			s.readNumbers(n, row, all)
		}
	}
	return s
}

// readWords adds the words of a part of a sentence that a negation in it denies.
func (s *Source) readWords(all []token) {
	denies, limits := false, false
	for _, t := range all {
		denies = denies || negates(t.text)
		limits = limits || exceptions[t.text] || t.text == "0"
		s.lessened = s.lessened || lessening[t.text]
	}
	for _, t := range all {
		if t.number {
			continue
		}
		if !s.words[t.text] {
			s.words[t.text] = true
			s.stems[stem(t.text)] = append(s.stems[stem(t.text)], t.text)
		}
		s.scales[scales[t.text]] = true
		s.limited[t.text] = s.limited[t.text] || denies || limits
		s.plain[t.text] = s.plain[t.text] || !denies
	}
}

// readNumbers adds the numbers of a sentence with their clauses.
func (s *Source) readNumbers(sentence int, row bool, all []token) {
	for i := range all {
		s.months[monthOf(all, i)] = true
	}
	first := len(s.clauses)
	for _, c := range clausesOf(all, row) {
		at := len(s.clauses)
		one := clause{sentence: sentence, row: row, first: first}
		for _, i := range c {
			t := all[i]
			if !t.counted() {
				if names(all[i : i+1]) {
					one.words++
				}
				if own := s.within[t.text]; len(own) == 0 || own[len(own)-1] != at {
					s.within[t.text] = append(own, at)
				}
				continue
			}
			f := placed{figureAt(all, i), at}
			for _, v := range f.values {
				s.numbers[math.Abs(v)] = append(s.numbers[math.Abs(v)], len(s.figures))
			}
			one.figures = append(one.figures, len(s.figures))
			s.figures = append(s.figures, f)
		}
		s.clauses = append(s.clauses, one)
	}
}

// Answers reports whether the text supports an answer to a question. All numbers of
// the answer must be in the text or the question. Words of the question count only if
// the answer has no others. A bare yes or no stands for the words of the question.
func (s *Source) Answers(answer, question string) bool {
	if yes, ok := bare(answer); ok && question != "" {
		return s.States(question) == yes
	}
	return s.supports(answer, question, answerShare)
}

// States reports whether the text supports a sentence about it.
func (s *Source) States(sentence string) bool {
	return s.supports(sentence, "", summaryShare)
}

// Misplaces reports whether numbers or names of a claim, which lines of the text support, belong to other
// things in the text than in the claim.
func (s *Source) Misplaces(claim, question string) bool {
	all := tokens(claim[:min(len(claim), maxClaim)])
	misplaced := func(f *figure, c *counting, own, first, asked []token) bool {
		places := s.places(f, true)
		return len(places) > 0 && len(places) <= maxPlaces && s.misfits(f, c, places, own, first, asked)
	}
	return eachFigure(all, question, misplaced) || s.misnames(all, question)
}

// worded reports whether token i is a word that the text must contain. Numbers, months and units are
// compared in another way.
func worded(all []token, i int) bool {
	t := all[i]
	unit := i > 0 && all[i-1].number && units[t.text] != ""
	return t.content() && !t.counted() && !unit && monthOf(all, i) == 0
}

func (s *Source) supports(claim, question string, share float64) bool {
	given := NewSource(question)
	var own, asked, found, foundAsked, kana, foundKana float64
	denies, named, matched, doubtful := false, false, 0, 0
	if len(claim) > maxClaim {
		return false
	}
	all := tokens(claim)
	for i, t := range all {
		denies = denies || negates(t.text)
		if t.number && len(s.places(figureAt(all, i), true)) > 0 {
			asked, foundAsked = asked+1, foundAsked+1
		}
		if !worded(all, i) {
			continue
		}
		weight := t.weight(i)
		word, ok := s.find(t.text)
		if ok {
			matched++
			if !s.plain[word] {
				doubtful++
				named = named || t.capital && i > 0
			}
		}
		_, known := given.find(t.text)
		switch {
		case strings.ContainsFunc(t.text, isHiragana): // probably an ending or a particle
			tally(&kana, &foundKana, 1, ok)
		case known:
			tally(&asked, &foundAsked, weight, ok)
		default:
			tally(&own, &found, weight, ok)
		}
	}
	doubted := matched > 0 && (named || 2*doubtful >= matched) // the text has these words, or a name, only in sentences with a negation
	if doubted && !denies || s.Contradicts(claim) || !s.counts(all, given, question) || s.misnames(all, question) {
		return false
	}
	switch {
	case own > 0:
		return found >= share*own
	case asked > 0:
		return foundAsked > share*asked
	}
	return foundKana >= share*kana
}

// tally adds the weight of a word to all words and, if it was found, to those that were.
func tally(all, found *float64, weight float64, ok bool) {
	*all += weight
	if ok {
		*found += weight
	}
}

// Contradicts reports whether the text says the opposite of a sentence: it affirms the
// word after a "not" of the sentence, without a negation or an exception, or it contains
// only the opposite of a word of a sentence that does not deny anything.
func (s *Source) Contradicts(sentence string) bool {
	all := tokens(sentence[:min(len(sentence), maxClaim)])
	denies, after := false, false
	for i, t := range all {
		switch {
		case negates(t.text):
			denies = true
			after = i > 0 || !verdicts[t.text] // a no at the start is an answer, and says nothing of the next word
		case !after:
		case t.text == "only" || t.text == "just" || t.text == "nur":
			after = false
		case t.number || !empty[t.text]:
			if s.plain[t.text] && !s.limited[t.text] && !telling[t.text] {
				return true
			}
			after = false
		}
	}
	if denies {
		return false
	}
	for _, t := range all {
		if s.words[t.text] {
			continue
		}
		for _, other := range opposites[t.text] {
			if s.words[other] {
				return true
			}
		}
	}
	return false
}

// bare returns the meaning of an answer that consists of a yes or a no.
func bare(answer string) (yes, ok bool) {
	all := tokens(answer[:min(len(answer), maxClaim)])
	if len(all) != 1 {
		return false, false
	}
	return affirmations[all[0].text], affirmations[all[0].text] || verdicts[all[0].text]
}

// maxSilent is how many words of its own an answer may have that says that something is not known.
// Names count twice, and with a word such as "state" three times as many are allowed.
const maxSilent = 3

// Silent reports whether an answer says only that the text does not state something: it has a
// negation and hardly a word or number that is not in the question, and the text does not
// contradict it.
func (s *Source) Silent(answer, question string) bool {
	given := NewSource(question)
	denies, tells, own := false, false, 0
	all := tokens(answer[:min(len(answer), maxClaim)])
	for i, t := range all {
		_, asked := given.find(t.text)
		switch {
		case t.number:
			if len(given.places(figureAt(all, i), true)) == 0 {
				return false
			}
		case negates(t.text):
			denies = true
		case telling[t.text]:
			tells = true
		case t.content() && !asked:
			if own++; t.capital && i > 0 {
				own++
			}
		}
	}
	return denies && (own <= maxSilent || tells && own <= 3*maxSilent) && !s.Contradicts(answer)
}

// Keep returns the sentences of a text for which ok holds, and how many it left out.
func Keep(text string, ok func(sentence string) bool) (kept string, dropped int) {
	var all []string
	for _, s := range Sentences(text) {
		if !ok(s) {
			dropped++
			continue
		}
		all = append(all, s)
	}
	if dropped == 0 {
		return text, 0
	}
	return strings.Join(all, " "), dropped
}

// brackets are numbers in brackets: "[3]" or "[1, 4]".
var brackets = regexp.MustCompile(`\s*\[\d{1,4}(?:\s*,\s*\d{1,4})*\]`)

// Bracketed returns a text without the numbers in brackets that it contains, with which models cite
// lines, and these numbers.
func Bracketed(s string) (text string, numbers []int) {
	for _, found := range brackets.FindAllString(s, -1) {
		for n := range strings.SplitSeq(strings.Trim(strings.TrimSpace(found), "[]"), ",") {
			if i, err := strconv.Atoi(strings.TrimSpace(n)); err == nil {
				numbers = append(numbers, i)
			}
		}
	}
	return strings.TrimSpace(brackets.ReplaceAllString(s, "")), numbers
}

// Sentences splits a text into its sentences and lines.
func Sentences(text string) []string {
	var all []string
	start := 0
	add := func(end int) {
		if s := strings.TrimSpace(text[start:end]); s != "" {
			all = append(all, s)
		}
		start = end
	}
	for i, r := range text {
		end := i + utf8.RuneLen(max(r, 0))
		switch r {
		case '\n', '。', '！', '？':
			add(min(end, len(text)))
		case '.', '!', '?', '…':
			next, _ := utf8.DecodeRuneInString(text[min(end, len(text)):])
			if end < len(text) && unicode.IsSpace(next) && !abbreviated(text[start:i]) && !ordinal(text[start:i], text[end:]) {
				add(end)
			}
		}
	}
	add(len(text))
	return all
}

// ordinal reports whether the number before a full stop is probably one of an order, as in "3. März".
// It is not if its unit stands before it, or a word such as "it" begins the next sentence.
func ordinal(before, after string) bool {
	words := strings.Fields(before[max(0, len(before)-maxOrdinal):])
	n := len(words) - 1
	if n < 0 || len(words[n]) > 2 || strings.Trim(words[n], "0123456789") != "" {
		return false
	}
	after = strings.TrimSpace(after[:min(len(after), maxOrdinal)])
	next, _, _ := strings.Cut(after, " ")
	return !empty[strings.ToLower(next)] && (n == 0 || units[strings.ToLower(words[n-1])] == "")
}

// abbreviated reports whether a text before a full stop ends with a single letter or with an
// abbreviation.
func abbreviated(s string) bool {
	word := s[strings.LastIndexFunc(s, unicode.IsSpace)+1:]
	switch strings.ToLower(strings.Trim(word, "(\"'")) {
	case "mr", "mrs", "ms", "dr", "prof", "st", "no", "nr", "vs", "inc", "ltd", "co", "ca", "approx", "e.g", "i.e", "z.b", "bzw", "mio", "mrd", "fig":
		return true
	}
	one, size := utf8.DecodeRuneInString(word)
	return word != "" && size == len(word) && unicode.IsLetter(one)
}

// find returns a word of the text that is the same word, perhaps in another form.
func (s *Source) find(word string) (string, bool) {
	if s.words[word] {
		return word, true
	}
	n := utf8.RuneCountInString(word)
	for _, other := range s.stems[stem(word)] {
		common := 0
		a, b := []rune(word), []rune(other)
		for common < min(len(a), len(b)) && a[common] == b[common] {
			common++
		}
		if least := min(n, len(b)); common >= 4 && 10*common >= 7*least && max(n, len(b))-least <= 5 {
			return other, true
		}
	}
	return "", false
}

// stem returns the first four characters of a word.
func stem(word string) string {
	n := 0
	for i := range word {
		if n == 4 {
			return word[:i]
		}
		n++
	}
	return word
}

// token is a word in lower case, a number, or the sign of a unit.
type token struct {
	text    string
	number  bool // text has ASCII digits, "." and ",", and "-" in front if it is negative
	capital bool
	cut     bool // a mark that separates parts of sentences stands before it
}

// weight returns how much the word at place i of a claim counts: a capital letter within it is probably that of a name.
func (t token) weight(i int) float64 {
	if t.capital && i > 0 {
		return 2
	}
	return 1
}

// content reports whether a word says something by itself.
func (t token) content() bool {
	return !t.number && !empty[t.text] && !negates(t.text) && utf8.RuneCountInString(t.text) > 1
}

// tokens returns the words, numbers and signs of units of a text. Text in a script without spaces is
// split into pairs of characters.
func tokens(s string) []token {
	var all []token
	rs := []rune(s)
	cut := false
	for i := 0; i < len(rs); {
		r := rs[i]
		j := i + 1
		n := len(all)
		switch {
		case unicode.IsDigit(r):
			var number token
			number, j = numberAt(rs, i)
			all = append(all, number)
		case unspaced(r):
			if j < len(rs) && unspaced(rs[j]) {
				all = append(all, token{text: string(rs[i : j+1])})
			} else if units[string(r)] != "" {
				all = append(all, token{text: string(r)})
			}
		case unicode.IsLetter(r) || r == '°':
			for j < len(rs) && (unicode.IsLetter(rs[j]) || unicode.IsMark(rs[j]) || rs[j] == '\'' || rs[j] == '’') {
				j++
			}
			all = append(all, words(string(rs[i:j]))...)
		case r == '%' || unicode.Is(unicode.Sc, r):
			all = append(all, token{text: string(r)})
		default:
			cut = cut || strings.ContainsRune(",;|()、，；—", r) || r == '.' && j < len(rs) && unicode.IsSpace(rs[j])
		}
		if len(all) > n {
			all[n].cut, cut = cut || joining[all[n].text], false
		}
		i = j
	}
	for i, t := range all {
		if t.text == "stock" && i > 1 && all[i-2].text == "out" {
			all[i-2].text = "not"
		}
	}
	return all
}

// numberAt returns the number that begins with the digit at i, with its sign, and where it ends.
func numberAt(rs []rune, i int) (number token, end int) {
	j := i + 1
	for j < len(rs) && (unicode.IsDigit(rs[j]) || strings.ContainsRune(".,'’\u00a0\u202f", rs[j]) && j+1 < len(rs) && unicode.IsDigit(rs[j+1])) {
		j++
	}
	sign := ""
	if i > 0 && (rs[i-1] == '-' || rs[i-1] == '−') && (i == 1 || unicode.IsSpace(rs[i-2]) || strings.ContainsRune("(:|", rs[i-2])) {
		sign = "-"
	}
	return token{text: sign + strings.Map(grouping, string(rs[i:j])), number: true}, j
}

// words returns a word, and the not of "isn't".
func words(s string) []token {
	first, _ := utf8.DecodeRuneInString(s)
	word := strings.TrimRight(strings.ReplaceAll(strings.ToLower(s), "’", "'"), "'")
	rest, not := strings.CutSuffix(word, "n't")
	all := []token{{text: strings.TrimSuffix(rest, "'s"), capital: unicode.IsUpper(first) && !not}}
	if not {
		all = append(all, token{text: "not"})
	}
	return all
}

// unspaced reports whether a script has no spaces between its words.
func unspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}
