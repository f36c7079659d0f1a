// SPDX-License-Identifier: Apache-2.0

package value

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// currencies contains codes and words of currencies in normal text. It leaves out codes
// that are also common words.
var currencies = wordSet(`usd eur gbp chf jpy cny rmb sek nok dkk isk pln czk huf bgn rub uah inr pkr aud cad nzd sgd hkd krw twd brl mxn clp ars zar ils aed sar thb idr myr vnd
	dollar dollars euro euros franken francs pound pounds kronor kroner kronen yen yuan rupee rupees pesos złoty złotych us$ r$ c$ a$ kr zł kč ft tl try ₺
	lei leu leva dinara din lir lira liraa forint korun koruna koruny złote euroa eurot eurų evro evra evrov reais soles rupiah rp đồng đ ευρώ евро євро руб рубль рубля рублей грн гривень гривні гривня лв лева крон
	שקל שקלים שח रुपये रुपए रुपया रु টাকা บาท درهم ريال دينار جنيه تومان`)

// counted contains words for things that are counted and not measured: "3 m users" are
// three million users, not three metres.
var counted = wordSet(`users people customers downloads subscribers followers units shares visitors views inhabitants residents employees tonnes tons barrels records items
	transactions members players copies accounts installs streams plays monthly active daily einwohner kunden nutzer mitarbeiter habitants clients utilisateurs habitantes clientes usuarios`)

// wordSet returns the set of the words in a text.
func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		set[Normal(word)] = true
	}
	return set
}

// IsMoney reports whether the sign, the code or the name of a currency stands next to n
// in s.
func (n Numeral) IsMoney(s string) bool {
	after := strings.TrimLeft(s[n.after:], " .")
	next, _ := utf8.DecodeRuneInString(after)
	return n.paidBefore(s) || unicode.Is(unicode.Sc, next) || currencies[firstWord(after)]
}

// paidBefore reports whether the sign, the code or the name of a currency stands before n.
// The forint, ft, is named after its numbers, so before them it is a foot.
func (n Numeral) paidBefore(s string) bool {
	before := strings.TrimRight(s[:n.at], " -(")
	sign, _ := utf8.DecodeLastRuneInString(before)
	word := lastWord(before)
	return unicode.Is(unicode.Sc, sign) || currencies[word] && word != "ft"
}

// firstWord returns the letters at the start of s.
func firstWord(s string) string {
	i := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
	if i < 0 {
		return s
	}
	return s[:i]
}

// lastWord returns the letters at the end of s. The dollar sign counts as a letter, as
// in US$.
func lastWord(s string) string {
	i := strings.LastIndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '$' })
	_, n := utf8.DecodeRuneInString(s[max(i, 0):])
	if i < 0 {
		n = 0
	}
	return s[max(i, 0)+n:]
}

// IsLength reports whether the letter m after n may mean metres. It may not if n has a
// currency or a unit that is counted. The text is normal.
func (n Numeral) IsLength(s string) bool {
	return n.Scale == 1e6 && strings.Trim(s[n.End:n.after], " +") == "m" && !n.IsMoney(s) && !counted[firstWord(strings.TrimLeft(s[n.after:], " "))]
}

// Spelled reports whether the scale of n is certain, because it is written as a word or
// n is an amount of money.
func (n Numeral) Spelled(s string) bool {
	word := strings.Trim(s[n.End:n.after], " +")
	return n.Scale != 1 && (utf8.RuneCountInString(word) > 1 && word != "mil" && word != "千" || n.IsMoney(s))
}

// isYear reports whether n looks like a year.
func (n Numeral) isYear() bool {
	return len(n.digits) == 4 && n.Scale == 1 && !n.percent && !n.minus && (strings.HasPrefix(n.digits, "19") || strings.HasPrefix(n.digits, "20")) && DigitsOnly(n.digits)
}

// Figure returns the number that a normal text states. A number after a label comes
// first, then an amount of money, then a number before a year. sure is set if there is
// only one number of that kind. If the text has no number, n is nil. If a whole number
// is wanted, an amount of money is preferred only if all other numbers are years.
func Figure(s string, whole bool) (n *Numeral, sure bool) {
	all := Numerals(s)
	if len(all) == 0 {
		return nil, false
	}
	if i := strings.Index(s, ": "); i >= 0 && all[0].End <= i {
		if behind := slices.DeleteFunc(slices.Clone(all), func(n Numeral) bool { return n.at < i }); len(behind) > 0 {
			all = behind
		}
	}
	if len(all) == 1 {
		return &all[0], true
	}
	others := slices.DeleteFunc(slices.Clone(all), Numeral.isYear)
	if money := slices.DeleteFunc(slices.Clone(all), func(n Numeral) bool { return !n.IsMoney(s) }); len(money) > 0 && (!whole || len(others) == len(money)) {
		return &money[0], len(money) == 1
	}
	if len(others) == 1 && others[0].at > all[0].at && (others[0].Scale != 1 || others[0].percent) {
		return &others[0], true
	}
	return &all[0], false
}

// OneFigure reports whether a normal text has one number, or one number after a label
// that contains a year.
func OneFigure(s string, whole bool) bool {
	all := Numerals(s)
	if len(all) == 2 && all[0].isYear() && strings.Count(s, ": ") == 1 {
		_, sure := Figure(s, whole)
		return sure
	}
	return len(all) == 1
}

// asked matches the words with which the name or the description of a field asks for
// numbers in thousands, millions or billions.
var asked = regexp.MustCompile(`(?:\bin|\()(?: ?[a-z]{3}| ?[$€£¥])? ?(thousands?|tsd|millions?|mio|mn|billions?|bn|mrd)\b|\b(thousands|millions|billions) of\b`)

// askedOf matches the word after a preposition, or at the start of parentheses, in other
// languages.
var askedOf = regexp.MustCompile(`(?:(?:^|\P{L})(?:en|em|i|w|v|ve|в|у|σε|in)\s+|[(（]\s*)(\p{L}{3,})`)

// stems are the beginnings of words for scales that have endings.
var stems = []struct {
	stem  string
	scale float64
}{
	{"тысяч", 1e3},
	{"tisuć", 1e3},
	{"tisoč", 1e3},
	{"hiljad", 1e3},
	{"хиляд", 1e3},
	{"хиљад", 1e3},
	{"tūkstan", 1e3},
	{"tūksto", 1e3},
	{"þúsund", 1e3},
	{"тисяч", 1e3},
	{"tysiąc", 1e3},
	{"tisíc", 1e3},
	{"χιλιάδ", 1e3},
	{"tausend", 1e3},
	{"tuhan", 1e3},
	{"ezr", 1e3},
	{"миллиард", 1e9},
	{"мільярд", 1e9},
	{"miliard", 1e9},
	{"milliard", 1e9},
	{"miljard", 1e9},
	{"δισεκατομμ", 1e9},
	{"miliárd", 1e9},
	{"милиард", 1e9},
	{"милијард", 1e9},
	{"milijard", 1e9},
	{"bilhõ", 1e9},
	{"milljarð", 1e9},
	{"milijon", 1e6},
	{"milijun", 1e6},
	{"milión", 1e6},
	{"milioa", 1e6},
	{"millón", 1e6},
	{"millons", 1e6},
	{"milió", 1e6},
	{"miljoni", 1e6},
	{"милион", 1e6},
	{"milljón", 1e6},
	{"миллион", 1e6},
	{"мільйон", 1e6},
	{"milion", 1e6},
	{"million", 1e6},
	{"millone", 1e6},
	{"miljoon", 1e6},
	{"miljon", 1e6},
	{"εκατομμ", 1e6},
	{"milhões", 1e6},
}

// ScaleOf returns the scale in which a field wants its numbers. It is 1 if neither the
// name nor the description of the field mentions a scale.
func ScaleOf(name, description string) float64 {
	words := strings.FieldsFunc(snake(name), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, word := range words[min(len(words), 1):] {
		switch word {
		case "thousands", "millions", "billions", "mio", "mrd", "mn", "bn", "tsd":
			return scales[strings.TrimSuffix(word, "s")]
		}
	}
	text := Normal(description)
	if m := asked.FindStringSubmatch(text); m != nil {
		return scales[strings.TrimSuffix(m[1]+m[2], "s")]
	}
	for _, m := range askedOf.FindAllStringSubmatch(text, -1) {
		if f, ok := scales[m[1]]; ok && m[1] != "mil" {
			return f
		}
		for _, s := range stems {
			if strings.HasPrefix(m[1], s.stem) {
				return s.scale
			}
		}
	}
	return 1
}

// snake converts a name such as revenueMio to revenue_mio.
func snake(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
