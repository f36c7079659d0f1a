// SPDX-License-Identifier: Apache-2.0

// Package claims checks whether sentences that a model wrote are supported by the
// text that they cite. It compares words and numbers. It finds what a text does not
// say, but it does not prove that a sentence follows from the text.
package claims

import (
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
)

// Source is a text that claims are checked against.
type Source struct {
	words   map[string]bool
	stems   map[string][]string // words by their first characters
	numbers map[string]bool
	plain   map[string]bool // words of the sentences without a negation
	limited map[string]bool // words of the sentences with a negation or an exception
}

// NewSource reads a text.
func NewSource(text string) *Source {
	s := &Source{words: map[string]bool{}, stems: map[string][]string{}, numbers: map[string]bool{}, plain: map[string]bool{}, limited: map[string]bool{}}
	for _, sentence := range Sentences(text[:min(len(text), maxSource)]) {
		all := tokens(sentence)
		denies, limits := false, false
		for _, t := range all {
			denies = denies || negations[t.text]
			limits = limits || exceptions[t.text] || t.number && t.text == "" // zero
		}
		for _, t := range all {
			if t.number {
				s.numbers[t.text] = true
				continue
			}
			if n := numerals[t.text]; n != "" {
				s.numbers[n] = true
			}
			if !s.words[t.text] {
				s.words[t.text] = true
				s.stems[stem(t.text)] = append(s.stems[stem(t.text)], t.text)
			}
			if denies || limits {
				s.limited[t.text] = true
			}
			if !denies {
				s.plain[t.text] = true
			}
		}
	}
	return s
}

// Answers reports whether the text supports an answer to a question. All numbers of
// the answer must be in the text or the question. Words of the question count only if
// the answer has no others. A bare yes or no stands for the words of the question.
func (s *Source) Answers(answer, question string) bool {
	if yes, ok := bare(answer); ok && question != "" {
		return s.States(question) == yes
	}
	return s.supports(answer, NewSource(question), answerShare)
}

// States reports whether the text supports a sentence about it.
func (s *Source) States(sentence string) bool {
	return s.supports(sentence, NewSource(""), summaryShare)
}

func (s *Source) supports(claim string, given *Source, share float64) bool {
	var own, asked, found, foundAsked float64
	denies, matched, doubtful := false, 0, 0
	if len(claim) > maxClaim {
		return false
	}
	for i, t := range tokens(claim) {
		denies = denies || negations[t.text]
		if t.number {
			if !s.numbers[t.text] && !given.numbers[t.text] {
				return false
			}
			continue
		}
		if empty[t.text] || negations[t.text] || numerals[t.text] != "" || utf8.RuneCountInString(t.text) < 2 {
			continue
		}
		weight := 1.0
		if t.capital && i > 0 {
			weight = 2 // it is probably a name
		}
		word, ok := s.find(t.text)
		if ok {
			matched++
			if !s.plain[word] {
				doubtful++
			}
		}
		if _, known := given.find(t.text); known {
			asked += weight
			if ok {
				foundAsked += weight
			}
			continue
		}
		own += weight
		if ok {
			found += weight
		}
	}
	switch {
	case !denies && matched > 0 && doubtful == matched:
		return false // the text has these words only in sentences with a negation
	case s.Contradicts(claim):
		return false
	case own > 0:
		return found >= share*own
	case asked > 0:
		return foundAsked > share*asked
	}
	return true
}

// Contradicts reports whether the text says the opposite of a sentence: it affirms the
// word after a "not" of the sentence, without a negation or an exception, or it contains
// only the opposite of a word of a sentence that does not deny anything.
func (s *Source) Contradicts(sentence string) bool {
	all := tokens(sentence[:min(len(sentence), maxClaim)])
	denies, after := false, false
	for i, t := range all {
		switch {
		case negations[t.text]:
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
	return !negations[all[0].text], affirmations[all[0].text] || verdicts[all[0].text]
}

// Denies reports whether a text says that something is not so.
func Denies(text string) bool {
	for _, t := range tokens(text[:min(len(text), maxClaim)]) {
		if negations[t.text] {
			return true
		}
	}
	return false
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
			if end < len(text) && unicode.IsSpace(next) && !abbreviated(text[start:i]) {
				add(end)
			}
		}
	}
	add(len(text))
	return all
}

// abbreviated reports whether a text before a full stop ends with a single letter, with
// digits, or with an abbreviation.
func abbreviated(s string) bool {
	word := s[strings.LastIndexFunc(s, unicode.IsSpace)+1:]
	switch strings.ToLower(strings.Trim(word, "(\"'")) {
	case "mr", "mrs", "ms", "dr", "prof", "st", "no", "nr", "vs", "inc", "ltd", "co", "ca", "approx", "e.g", "i.e", "z.b", "bzw", "mio", "mrd", "fig":
		return true
	}
	one, size := utf8.DecodeRuneInString(word)
	return word != "" && size == len(word) && unicode.IsLetter(one) || word != "" && strings.Trim(word, "0123456789") == ""
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

// token is a word in lower case or a number.
type token struct {
	text    string
	number  bool
	capital bool
}

// tokens returns the words and numbers of a text. Text in a script without spaces is
// split into pairs of characters. Only the digits of a number count, because its
// separators depend on the language.
func tokens(s string) []token {
	var all []token
	rs := []rune(s)
	for i := 0; i < len(rs); {
		r := rs[i]
		j := i + 1
		switch {
		case unicode.IsDigit(r):
			for j < len(rs) && (unicode.IsDigit(rs[j]) || strings.ContainsRune(".,'’\u00a0\u202f", rs[j]) && j+1 < len(rs) && unicode.IsDigit(rs[j+1])) {
				j++
			}
			all = append(all, token{text: digits(rs[i:j]), number: true})
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			if j < len(rs) && unicode.In(rs[j], unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
				all = append(all, token{text: string(rs[i : j+1])})
			}
		case unicode.IsLetter(r):
			for j < len(rs) && (unicode.IsLetter(rs[j]) || unicode.IsMark(rs[j]) || rs[j] == '\'' || rs[j] == '’') {
				j++
			}
			word := strings.TrimRight(strings.ReplaceAll(strings.ToLower(string(rs[i:j])), "’", "'"), "'")
			if rest, ok := strings.CutSuffix(word, "n't"); ok {
				all = append(all, token{text: rest}, token{text: "not"})
				break
			}
			all = append(all, token{text: strings.TrimSuffix(word, "'s"), capital: unicode.IsUpper(r)})
		}
		i = j
	}
	for i := range max(len(all)-2, 0) {
		if all[i].text == "out" && all[i+1].text == "of" && all[i+2].text == "stock" {
			all[i].text = "not"
		}
	}
	return all
}

// digits returns the digits of a number without leading zeros. It also drops the zeros
// at the end of a long one, so that 212,600,000 equals 212.6 million.
func digits(rs []rune) string {
	var b strings.Builder
	for _, r := range rs {
		if r >= '0' && r <= '9' {
			b.WriteRune(r)
		}
	}
	s := strings.TrimLeft(b.String(), "0")
	if len(s) >= 6 {
		s = strings.TrimRight(s, "0")
	}
	return s
}

// set returns the words of a text.
func set(text string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		all[word] = true
	}
	return all
}

// numerals contains small numbers as words.
var numerals = map[string]string{
	"zero": "", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12",
	"zwei": "2", "drei": "3", "vier": "4", "fünf": "5", "sechs": "6", "sieben": "7", "acht": "8", "neun": "9", "zehn": "10", "deux": "2", "trois": "3", "quatre": "4", "cinq": "5",
}

// negations are words that say that something is not so.
var negations = set(`not no never none neither nor without cannot nicht kein keine keinen keiner keinem nie niemals ohne pas jamais aucun aucune sans ni non nunca ningún ninguna sin não sem
	niet geen nooit zonder inte ingen inget aldrig ikke ingen aldri nie bez не нет никогда без`)

// verdicts and affirmations are the words for no and yes as answers.
var (
	verdicts     = set(`no nein non não nee nej nei нет`)
	affirmations = set(`yes ja oui sí sì sim tak да`)
)

// exceptions are words with which a sentence restricts what it says.
var exceptions = set(`only except excepting excluding excludes excluded unless but closed sold lacks lack lacking missing absent fails failed until
	nur außer ausgenommen geschlossen ausverkauft fehlt sauf hormis fermé seulement salvo excepto cerrado solo sólo tranne chiuso behalve`)

// telling are words with which an answer says that a page does not state something.
var telling = set(`state say mention contain provide give list specify include answer appear find know describe tell show indicate
	nennt sagt erwähnt enthält angegeben erwähnung angabe mentionne indique précise menciona indica dice`)

// opposites contains for each word the words with the opposite meaning.
var opposites = pairs(`open closed, included excluded, includes excludes, increased decreased, increase decrease, rose fell, higher lower, allowed forbidden, allowed prohibited,
	permitted prohibited, legal illegal, possible impossible, available unavailable, accepted rejected, won lost, active inactive, largest smallest, highest lowest, maximum minimum, left right,
	geöffnet geschlossen, offen geschlossen, gestiegen gesunken, erlaubt verboten, inklusive exklusive, möglich unmöglich, ouvert fermé, inclus exclu, autorisé interdit,
	abierto cerrado, incluido excluido, permitido prohibido, aperto chiuso`)

// pairs returns both directions of pairs of words that are separated by commas.
func pairs(text string) map[string][]string {
	all := map[string][]string{}
	for pair := range strings.SplitSeq(text, ",") {
		words := strings.Fields(pair)
		all[words[0]] = append(all[words[0]], words[1])
		all[words[1]] = append(all[words[1]], words[0])
	}
	return all
}

// empty contains words that state nothing by themselves. Months are among them, because
// a source may write them as numbers.
var empty = set(`a an the of to in on at by for from with and or but if as is are was were be been being it its this that these those there here they them their he she his her we our you your i
	do does did has have had will would can could may might shall should must which who whom whose what when where why how than then so also only about into over under between after before during
	yes per each all any some more most very up out
	der die das den dem des ein eine einen einem einer und oder aber ist sind war waren sein wird werden hat haben von zu zum zur im am auf für mit aus bei nach als auch es sie er wir ihr ja
	le la les un une des du de et ou est sont était à au aux en dans sur pour par avec il elle ils elles qui que ce cette ces oui se sa son ses
	el los las una unos unas y o es son era en por para con su sus se al del lo sí
	il lo gli i e è di da nel della dei con per si sì
	het een en van voor met op te zijn was ja
	january february march april june july august september october november december januar februar märz mai juni juli oktober dezember
	janvier février mars avril juin juillet août septembre octobre novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre`)
