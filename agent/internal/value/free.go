// SPDX-License-Identifier: Apache-2.0

package value

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// nothing are the texts that pages print in place of a price if a thing costs nothing.
var nothing = phrases(`free|free of charge|no charge|at no charge|without charge|for free|gratis|kostenlos|kostenfrei|gratuit|gratuite|gratuito|gratuita|gratuitamente|grátis|de balde|gratuït|gratuïta|frei|eintritt frei|entrée libre|kosteloos
	|bezpłatny|bezpłatna|bezpłatne|bezpłatnie|darmowy|darmowa|darmowe|za darmo|zdarma|bezplatný|bezplatně|zadarmo|ingyenes|ingyen|díjtalan|δωρεάν|бесплатно|бесплатный|безкоштовно|безкоштовний|безплатно|бясплатна|besplatno|besplatan
	|brezplačno|nemokamai|nemokama|nemokamas|bezmaksas|tasuta|ilmainen|maksuton|ókeypis|ücretsiz|bedava|pulsuz|miễn phí|percuma|חינם|ללא תשלום|مجاني|مجانا|مجانًا|رایگان|मुफ्त|मुफ़्त|निःशुल्क|নিঃশুল্ক|বিনামূল্যে|ฟรี|無料|免费|免費|무료`)

// beside are the words that may stand next to them without changing what they say.
var beside = wordSet(`of charge entry entrance admission access eintritt zutritt entrée accès entrada ingresso acceso toegang inträde inngang adgang wstęp vstup vstupné belépés intrare вход вхід vstopnina giriş`)

func phrases(list string) []string {
	var all []string
	for s := range strings.SplitSeq(list, "|") {
		all = append(all, Normal(s))
	}
	return all
}

// Free reports whether a normal text says only that something costs nothing.
func Free(s string) bool {
	if strings.ContainsAny(s, "0123456789") {
		return false
	}
	s = strings.Trim(s, " .!:;-()|")
	if said := Words(s); len(said) == 2 && denials[said[0]] && slices.Contains(charges, said[1]) { // "sin coste", but not "no price", which is not known
		return true
	}
	return slices.ContainsFunc(nothing, func(p string) bool {
		before, after, ok := strings.Cut(s, p)
		return ok && Holds(s, p) > 0 && !slices.ContainsFunc(append(Words(before), Words(after)...), func(w string) bool { return !beside[w] })
	})
}

// Frees reports whether a part of a normal text says that something costs nothing.
func Frees(s string) bool {
	said := Words(s)
	for i, w := range said[:max(len(said)-1, 0)] {
		if denials[w] && slices.Contains(charges, said[i+1]) {
			return true
		}
	}
	return slices.ContainsFunc(nothing, func(p string) bool { return Holds(s, p) > 0 })
}

// priced are the words of fields that say what something costs, besides those of accounts.
var priced = wordSet(`entry entrance admission ticket tickets fare charge charges toll rate cost costs price prices fee fees rent hire donation eintritt preis preise gebühr miete entrée tarif prix entrada precio tarifa ingresso biglietto prezzo
	koszt koszty opłata opłaty kosten gebühren coste costo custo coût pris priser hinta maksu kostnad avgift gebyr taxa tarief kaina cijena τιμή κόστος плата такса вхід
	toegang prijs bilet preț tarifa cena wstęp vstupné cena jegy ár belépő цена билет стоимость ціна квиток вартість fiyat ücret bilet giá phí vé מחיר שכר मूल्य शुल्क किराया`)

// moneyStems are the beginnings of words for currencies that have endings.
var moneyStems = []string{"гривн", "рубл", "forint", "korun", "koron", "złot", "крон", "евро", "євро", "ευρώ"}

// OfMoney reports whether the words of a field say that its numbers are amounts of money.
func OfMoney(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		return priced[w] || ofMoney[w] || currencies[w] || slices.ContainsFunc(moneyStems, func(s string) bool { return strings.HasPrefix(w, s) })
	})
}

// minors matches an amount in the hundredth of a currency: 83p, 99 cents, ¢50, 50 øre.
var minors = regexp.MustCompile(`(?:^|[^\p{L}0-9.,])(?:¢ ?([0-9]{1,5}(?:\.[0-9])?)|([0-9]{1,5}(?:[.,][0-9])?)(?:p| ?(?:¢|` + minorWords + `)))(?:$|[^\p{L}0-9])`)

// minorWords are the names of hundredths of currencies.
const minorWords = `pence|pennies|cents?|cts?|centimes?|céntimos?|cêntimos?|centavos?|centesimi|groszy|grosze|øre|öre|haléřů|haléře|centov|fillér|bani|копеек|копейки|коп|копійок|стотинки|стотинок|lipa|λεπτά|kuruş|paise|sen`

// minorInitials are the letters with which a name of a hundredth begins, and the sign of the cent.
const minorInitials = "¢pcgøöhfbкслlλks"

// mayHaveMinors reports whether a digit stands before a letter with which the name of a
// hundredth begins, or a sign of the cent before a digit. Most texts have none.
func mayHaveMinors(s string) bool {
	if strings.Contains(s, "¢") {
		return true
	}
	for i := 1; i < len(s); i++ {
		if c := s[i-1]; c < '0' || c > '9' || s[i] >= '0' && s[i] <= '9' {
			continue
		}
		r, _ := utf8.DecodeRuneInString(strings.TrimPrefix(s[i:], " "))
		if strings.ContainsRune(minorInitials, r) {
			return true
		}
	}
	return false
}

// Minors returns the numbers of the amounts in a normal text that are in the hundredth of a
// currency.
func Minors(s string) []float64 {
	if !mayHaveMinors(s) {
		return nil
	}
	var all []float64
	for _, m := range minors.FindAllStringSubmatch(s, 50) {
		v, err := strconv.ParseFloat(strings.Replace(m[1]+m[2], ",", ".", 1), 64)
		if err == nil {
			all = append(all, v)
		}
	}
	return all
}

// OfMinor reports whether the words of a field say that it wants such amounts as they are.
func OfMinor(words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return ofMinor[word] })
}

// ofMinor are the names of hundredths of currencies, with and without the letters that may be absent.
var ofMinor = func() map[string]bool {
	set := map[string]bool{}
	for word := range strings.SplitSeq(minorWords, "|") {
		word, optional := strings.CutSuffix(word, "?")
		set[word] = true
		if optional {
			set[word[:len(word)-1]] = true
		}
	}
	return set
}()
