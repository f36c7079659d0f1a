// SPDX-License-Identifier: Apache-2.0

package value

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// rates contains the periods to which a price refers, by the words that name one by themselves.
var rates = func() map[string]string {
	all := map[string]string{}
	for _, line := range linesOf(`
hour hourly ph stündlich
day daily nightly pn pppn ppn täglich diaria diario
week weekly pw pppw wöchentlich hebdomadaire semanal settimanale wekelijks
month monthly pcm monatlich mensuel mensuelle mensual mensile maandelijks månedlig
year yearly annual annually annum pa jährlich annuel annuelle anual annuale jaarlijks`) {
		for _, word := range line[1:] {
			all[word] = line[0]
		}
	}
	return all
}()

// Limits of the words between a price and the time to which it refers: "£45 per person per night".
const (
	maxRateWords = 6
	maxAside     = 2 // that do not belong to a rate: "plus VAT per month"
)

// articles are the words of perUnit that have other meanings too. They count only directly behind a
// price, or behind another part of its rate.
var articles = wordSet("a an al por the one")

// period returns the period that a word names, or "".
func period(word string) string {
	if p := rates[word]; p != "" {
		return p
	}
	u, _ := unitOf(word)
	for _, p := range [...]string{"hour", "day", "week", "month", "year"} {
		if units[p] == u {
			return p
		}
	}
	return ""
}

// rateWords splits the beginning of a normal text into words, numbers and slashes. It ends at other marks.
func rateWords(s string) (words []string) {
	s = strings.NewReplacer("p.c.m.", "pcm", "p.m.", "pcm", "p.w.", "pw", "p.a.", "pa", "p.n.", "pn").Replace(s)
	for len(words) < maxRateWords {
		s = strings.TrimLeft(s, " ([*_+$€£¥")
		n := len(s) - len(strings.TrimLeftFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) }))
		if n == 0 && strings.HasPrefix(s, "/") {
			n = 1
		}
		if n == 0 {
			break
		}
		words, s = append(words, s[:n]), s[n:]
	}
	return words
}

// rateAfter returns the period of a price from the words behind it, or "".
func rateAfter(words []string) string {
	inside, aside := true, 0
	for i, w := range words {
		switch {
		case inside && currencies[w], i > 0 && perUnit[words[i-1]]:
		case inside && rates[w] != "":
			return rates[w]
		case perUnit[w] && (inside || !articles[w]) && i+1 < len(words):
			if p := period(words[i+1]); p != "" {
				return p
			}
			inside = true // per person
		default:
			inside = false
			if aside++; aside > maxAside {
				return ""
			}
		}
	}
	return ""
}

// RateOf returns the period to which the price v in a normal text refers: the month of "£1,450 pcm" and of
// "rent per month: £900". Periods are hour, day, week, month and year. If the text states none for v, or
// different ones, it returns "".
func RateOf(s string, v float64) string {
	per := ""
	all := Numerals(s)
	for i, n := range all {
		if !slices.ContainsFunc(n.Readings(), func(x float64) bool { return Same(x, v) }) {
			continue
		}
		end := max(n.End, n.after)
		if i+1 < len(all) && all[i+1].at >= end && between.MatchString(s[end:all[i+1].at]) { // €75,000 - €90,000 per year
			end = max(all[i+1].End, all[i+1].after)
		}
		p := cmp.Or(rateAfter(rateWords(s[end:])), rateBefore(s[:n.at]))
		if p != "" && per != "" && p != per {
			return ""
		}
		per = cmp.Or(per, p)
	}
	return per
}

// rateBefore returns the period of a price from its label, which ends the text before it, or "".
func rateBefore(s string) string {
	s = strings.TrimRight(s, " :*_$€£¥")
	s = s[strings.LastIndexAny(s, ".,;|()0123456789")+1:]
	words := strings.Fields(s)
	return rateIn(words[max(len(words)-4, 0):])
}

// rateIn returns the only period that words name as that of a price: "rent per month", "monthly rent". If they name
// none, or different ones, it returns "".
func rateIn(words []string) string {
	per := ""
	for i, w := range words {
		p := rates[w]
		if i > 0 && perUnit[words[i-1]] {
			p = period(w)
		}
		if p != "" && per != "" && p != per {
			return ""
		}
		per = cmp.Or(per, p)
	}
	return per
}

// RateNamed returns the period to which the prices of a field refer, by its name and its description:
// monthly_rent, "price in GBP per night". If they name none, or different ones, it returns "".
func RateNamed(name, description string) string {
	return rateIn(Words(strings.ReplaceAll(snake(name), "_", " ") + " " + strings.ReplaceAll(Normal(description), "/", " per ")))
}

// AsRate returns a price for one period as one for another. Only months and years are converted: nobody pays
// for 24 hours of each day, or for 52 weeks of each year.
func AsRate(v float64, from, to string) (float64, bool) {
	switch {
	case from == to:
		return v, true
	case from == "month" && to == "year":
		return Rounded(v * 12), true
	case from == "year" && to == "month":
		return Rounded(v / 12), true
	}
	return 0, false
}
