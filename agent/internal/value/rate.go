// SPDX-License-Identifier: Apache-2.0

package value

import (
	"strings"
	"unicode"
)

// rates contains the words that say by themselves to which time a price refers.
var rates = func() map[string]Unit {
	all := map[string]Unit{}
	for _, line := range linesOf(`
h hourly ph stündlich
day daily nightly pn pppn ppn täglich diaria diario
week weekly pw pppw wöchentlich hebdomadaire semanal settimanale wekelijks
month monthly pcm monatlich mensuel mensuelle mensual mensile maandelijks månedlig
year yearly annual annually annum pa jährlich annuel annuelle anual annuale jaarlijks`) {
		for _, word := range line[1:] {
			all[word] = units[line[0]]
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

// period returns the unit of time or of the calendar that a word names.
func period(word string) (Unit, bool) {
	if u, ok := rates[word]; ok {
		return u, true
	}
	u, ok := unitOf(word)
	return u, ok && (u.IsTime() && u.factor >= units["h"].factor || u.quantity == calendar)
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

// rateAfter returns the period of a price from the words behind it.
func rateAfter(words []string) (Unit, bool) {
	inside, aside := true, 0
	for i, w := range words {
		if inside && currencies[w] {
			continue
		}
		if u, ok := rates[w]; ok && inside {
			return u, true
		}
		if perUnit[w] && (inside || !articles[w]) && i+1 < len(words) {
			if u, ok := period(words[i+1]); ok {
				return u, true
			}
			inside = true // per person
			continue
		}
		if i > 0 && perUnit[words[i-1]] {
			continue
		}
		inside = false
		if aside++; aside > maxAside {
			break
		}
	}
	return Unit{}, false
}

// RateOf returns the unit of time or of the calendar to which the price v in a normal text refers: the
// month of "£1,450 pcm" and of "rent per month: £900". If the text states no period for v, or different ones, ok is false.
func RateOf(s string, v float64) (per Unit, ok bool) {
	all := Numerals(s)
	for i, n := range all {
		if x, _ := n.Value(MarksPoint, false); !Same(x, v) {
			if x, _ = n.Value(MarksComma, false); !Same(x, v) {
				continue
			}
		}
		end := max(n.End, n.after)
		if i+1 < len(all) && all[i+1].at >= end && between.MatchString(s[end:all[i+1].at]) { // €75,000 - €90,000 per year
			end = max(all[i+1].End, all[i+1].after)
		}
		u, found := rateAfter(rateWords(s[end:]))
		if !found {
			u, found = rateBefore(s[:n.at])
		}
		if found && ok && u != per {
			return Unit{}, false
		}
		if found {
			per, ok = u, true
		}
	}
	return per, ok
}

// rateBefore returns the period of a price from its label, which ends the text before it.
func rateBefore(s string) (Unit, bool) {
	s = strings.TrimRight(s, " :*_$€£¥")
	s = s[strings.LastIndexAny(s, ".,;|()0123456789")+1:]
	words := strings.Fields(s)
	return rateIn(words[max(len(words)-4, 0):])
}

// rateIn returns the only period that words name as that of a price: "rent per month", "monthly rent".
func rateIn(words []string) (per Unit, ok bool) {
	for i, w := range words {
		u, found := rates[w]
		if i > 0 && perUnit[words[i-1]] {
			u, found = period(w)
		}
		if !found || u == per {
			continue
		}
		if ok {
			return Unit{}, false
		}
		per, ok = u, true
	}
	return per, ok
}

// RateNamed returns the period to which the prices of a field refer, by its name and its description:
// monthly_rent, "price in GBP per night". If they name none, or different ones, ok is false.
func RateNamed(name, description string) (per Unit, ok bool) {
	text := strings.ReplaceAll(snake(name), "_", " ") + " " + Normal(description)
	return rateIn(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '/' }))
}

// AsRate returns a price for the period of u as one for the period of to. Only months and years are
// converted: nobody pays for 24 hours of each day, or for 52 weeks of each year.
func (u Unit) AsRate(v float64, to Unit) (float64, bool) {
	if u == to {
		return v, true
	}
	if u.quantity != calendar || to.quantity != calendar {
		return 0, false
	}
	return Rounded(v * to.factor / u.factor), true
}
