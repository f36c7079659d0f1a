// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"strings"
	"unicode/utf8"
)

// Words in the names of streets, in lower case, between spaces.
const (
	streetTypes = " street st avenue ave av road rd boulevard blvd lane ln drive dr court ct place pl square sq terrace ter way parkway pkwy " +
		"highway hwy circle cir close crescent cres gardens grove mews row trail trl alley plaza walk quay wharf loop "
	streetFirst = " rue avenue av boulevard bd place chemin allée allee impasse quai route cours passage "
	streetSouth = " via viale piazza corso largo vicolo calle c/ avenida avda plaza paseo rua praça praca travessa ulica ul al aleja carrer rambla "
	directions  = " n s e w ne nw se sw north south east west northeast northwest southeast southwest "
	small       = " de du des la le les l d da do dos das di del della delle degli dei von der den am an zur zum of the y e el los las św "
	toward      = " am an auf im unter vor zum zur hinter "
	units       = " apt apartment suite ste unit floor fl room rm flat bldg building app étage piso etage "
	states      = " AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC PR "
	australian  = " NSW VIC QLD SA WA TAS NT ACT "
)

// endings are the ends of street names that are one word, such as Hauptstraße.
var endings = []string{
	"straße", "strasse", "str", "weg", "platz", "allee", "gasse", "ring", "damm", "ufer", "steig", "chaussee", "promenade",
	"straat", "laan", "gracht", "plein", "kade", "dijk", "gatan", "vägen", "gränd", "vej", "gade", "veien", "gata", "katu", "tie",
}

// Limits for the parts of an address, in words.
const (
	maxStreet = 5 // name of a street
	maxTown   = 4 // name of a town
)

func in(list, word string) bool {
	return word != "" && len(word) < 24 && strings.Contains(list, " "+strings.ToLower(word)+" ")
}

// places finds postal addresses by a street or postcode, and coordinates.
func (x *scan) places() {
	if !x.Entities.Has(Location) {
		return
	}
	for i := 0; i < len(x.words) && !x.stopped(); i++ {
		w := x.words[i]
		last := -1
		switch {
		case strings.HasSuffix(x.s[:w.start], "〒"):
			x.japanese(i)
			continue
		case w.digit && !w.letter:
			if last = x.numbered(i); last < 0 {
				last = x.postTown(i, false)
			}
			if last < 0 {
				x.coordinates(i)
			}
		case w.digit:
			if last = x.numbered(i); last < 0 {
				last = x.britishPostcode(i)
			}
		case w.upper || in(streetSouth+streetFirst, x.text(w)):
			if last = x.named(i); last < 0 {
				last = x.poBox(i)
			}
			if last < 0 {
				last = x.cityState(i)
			}
			if last < 0 {
				last = x.britishPostcode(i)
			}
		}
		if last >= i {
			last = x.rest(last)
			x.add(w.start, x.words[last].end, Location)
			i = last
		}
	}
}

// houseNumber reports whether word i is a house number, such as 12 or 12a.
func (x *scan) houseNumber(i int) bool {
	if i < 0 || i >= len(x.words) || !x.words[i].digit {
		return false
	}
	t := x.text(x.words[i])
	n := digits(t)
	return isDigit(t[0]) && n <= 5 && len(t)-n <= 1 && (n > 1 || t[0] != '0')
}

// near reports whether only a space, or a comma and a space, separates word i
// from the next.
func (x *scan) near(i int) bool {
	g := x.gap(i)
	return i+1 < len(x.words) && len(g) <= 4 && strings.Trim(g, " \t\n\r,.\u00a0") == "" && strings.Count(g, "\n") < 2
}

// tight is like near, but does not accept a comma or a line break. It accepts a
// full stop after an abbreviation.
func (x *scan) tight(i int) bool {
	g := x.gap(i)
	return i+1 < len(x.words) && (g == " " || g == ". " || g == "-" || g == "." || g == "\u00a0" || g == "’" || g == "'")
}

// numbered returns the last word of an address that begins with the house
// number at i, or -1. Examples are 12 Main Street and 12 rue de la Paix.
func (x *scan) numbered(i int) int {
	if !x.houseNumber(i) || i > 0 && strings.HasSuffix(x.s[:x.words[i].start], "$") {
		return -1
	}
	at := i
	if x.tight(at) && in(" bis ter quater ", x.text(x.words[at+1])) {
		at++
	}
	if !x.near(at) {
		return -1
	}
	if in(streetFirst, x.text(x.words[at+1])) && x.words[at].end < x.words[at+1].start {
		if last := x.streetName(at + 1); last > at+1 {
			return last
		}
	}
	// Accept some capitalised words that end with a kind of street.
	for j := at + 1; j < len(x.words) && j-at <= maxStreet && x.tight(j-1); j++ {
		w := x.words[j]
		t := x.text(w)
		if j > at+1 && in(streetTypes, t) && w.upper {
			if j+1 < len(x.words) && x.tight(j) && in(directions, x.text(x.words[j+1])) && x.words[j+1].upper {
				return j + 1
			}
			return j
		}
		ordinal := w.digit && w.letter
		if !w.upper && !ordinal {
			return -1
		}
	}
	return -1
}

// streetName returns the last word of the name that follows the kind of street
// at i. If there is none, it returns i.
func (x *scan) streetName(i int) int {
	last := i
	for j := i + 1; j < len(x.words) && j-i <= maxStreet && x.tight(j-1); j++ {
		w := x.words[j]
		switch {
		case w.upper || w.digit && w.letter:
			last = j
		case in(small, x.text(w)):
		default:
			return last
		}
	}
	return last
}

// named returns the last word of an address whose house number follows the
// street, or -1. Examples are Hauptstraße 12 and Via Roma 1.
func (x *scan) named(i int) int {
	t := strings.ToLower(x.text(x.words[i]))
	if in(streetSouth, t) && x.near(i) {
		if last := x.streetName(i); last > i && x.near(last) && x.houseNumber(last+1) {
			return last + 1
		}
		return -1
	}
	// The first word, or a later one (Willy-Brandt-Platz), must end like a
	// street name. Am Alten Markt 7 needs a postcode to be recognised.
	led := in(toward, t)
	for j := i; j < len(x.words) && j-i < maxStreet; j++ {
		w := x.words[j]
		if j > i && (!x.tight(j-1) || !w.upper && !in(small, x.text(w)) || !led && in(toward, x.text(w))) {
			return -1
		}
		if led && j > i && w.upper && x.near(j) && x.houseNumber(j+1) && x.near(j+1) && x.postTown(j+2, true) > 0 {
			return j + 1
		}
		if !w.letter || !isStreetWord(strings.ToLower(x.text(w)), j > i) {
			continue
		}
		if x.near(j) && x.houseNumber(j+1) && !strings.Contains(x.gap(j), "\n") {
			return j + 1
		}
	}
	return -1
}

func isStreetWord(t string, alone bool) bool {
	for _, e := range endings {
		if strings.HasSuffix(t, e) && (len(t) >= len(e)+3 || alone && len(t) == len(e)) {
			return true
		}
	}
	return false
}

// rest returns the last word of what follows a street in an address: a flat, a
// town, a state or a postcode.
func (x *scan) rest(last int) int {
	if x.near(last) && in(units, x.text(x.words[last+1])) && last+2 < len(x.words) && x.near(last+1) && x.words[last+2].digit {
		last += 2
	}
	if !x.near(last) {
		return last
	}
	// Examples: 10115 Berlin, 1012 AB Amsterdam.
	if town := x.postTown(last+1, true); town > 0 {
		return town
	}
	// Examples: Springfield, IL 62704; London SW1A 2AA; Manly NSW 2095; São
	// Paulo - SP, 01310-100.
	for j := last + 1; j < len(x.words) && j-last <= maxTown+1 && (x.near(j-1) || x.gap(j-1) == " - "); j++ {
		if post := max(x.stateZIP(j), x.britishPostcode(j), x.australianPost(j), x.halves(j, 5, 3)); post > 0 {
			return post
		}
		if !x.words[j].upper && !x.houseNumber(j) && !in(small, x.text(x.words[j])) {
			break
		}
	}
	return last
}

// australianPost returns the last word of the state and postcode at i, or -1.
func (x *scan) australianPost(i int) int {
	if t := x.text(x.words[i]); len(t) > 3 || !strings.Contains(australian, " "+t+" ") || !x.near(i) {
		return -1
	}
	if code := x.words[i+1]; code.letter || code.end-code.start != 4 {
		return -1
	}
	return i + 1
}

// halves returns the last word of a code at i that consists of two groups of
// digits with a hyphen between them, or -1. first and second are the lengths of
// the groups.
func (x *scan) halves(i, first, second int) int {
	if i+1 >= len(x.words) || x.gap(i) != "-" {
		return -1
	}
	a, b := x.words[i], x.words[i+1]
	if a.letter || b.letter || a.end-a.start != first || b.end-b.start != second {
		return -1
	}
	return i + 1
}

// maxJapanese limits the text after a Japanese postcode, in bytes.
const maxJapanese = 120

// japanese finds the postcode at i, which follows its sign 〒, and the address
// after it. The address ends at a punctuation mark or at the end of the line.
func (x *scan) japanese(i int) {
	start := x.words[i].start - len("〒")
	last := x.halves(i, 3, 4)
	if last < 0 {
		return
	}
	rest := cutAt(x.s[x.words[last].end:], maxJapanese)
	if n := strings.IndexAny(rest, "\n。、，,．;；（(「"); n >= 0 {
		rest = rest[:n]
	}
	x.add(start, x.words[last].end+len(strings.TrimRight(rest, " \u3000")), Location)
}

// cutAt returns the longest prefix of s of at most n bytes that does not split
// a character.
func cutAt(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// stateZIP returns the last word of the state and ZIP code at i, or -1.
func (x *scan) stateZIP(i int) int {
	if t := x.text(x.words[i]); len(t) != 2 || !strings.Contains(states, " "+t+" ") || !x.near(i) {
		return -1
	}
	zip := x.words[i+1]
	if zip.letter || zip.end-zip.start != 5 {
		return -1
	}
	if i+2 < len(x.words) && x.gap(i+1) == "-" && x.words[i+2].end-x.words[i+2].start == 4 && !x.words[i+2].letter {
		return i + 2
	}
	return i + 1
}

// cityState returns the last word of a town, state and ZIP code at i, or -1. An
// example is Springfield, IL 62704.
func (x *scan) cityState(i int) int {
	for j := i; j < len(x.words) && j-i < maxTown && x.words[j].upper; j++ {
		if j > i {
			if last := x.stateZIP(j); last > 0 {
				return last
			}
		}
		if !x.near(j) || strings.ContainsAny(x.gap(j), ",\n") && (j+1 >= len(x.words) || x.stateZIP(j+1) < 0) {
			return -1
		}
	}
	return -1
}

// postTown returns the last word of a postcode and the town after it at i, or -1. behind
// says that they follow a street. Otherwise, four or five digits count as a postcode only
// after a country prefix such as D-, or with the two letters of a Dutch postcode. A loose
// Finder accepts any five digits.
func (x *scan) postTown(i int, behind bool) int {
	w := x.words[i]
	n := w.end - w.start
	if behind && x.halves(i, 2, 3) > 0 && x.tight(i+1) && x.words[i+2].upper { // 00-238 Warszawa
		return i + 2
	}
	if w.letter || n < 4 || n > 5 || !x.tight(i) {
		return -1
	}
	j := i + 1
	dutch := n == 4 && x.words[j].end-x.words[j].start == 2 && strings.ToUpper(x.text(x.words[j])) == x.text(x.words[j]) && x.words[j].letter && !x.words[j].digit
	prefixed := i > 0 && x.gap(i-1) == "-" && in(" d a ch f l b ", x.text(x.words[i-1]))
	if dutch {
		if !x.tight(j) || !x.words[min(j+1, len(x.words)-1)].upper {
			return j
		}
		j++
	} else if !behind && !prefixed && (!x.Loose || n != 5) {
		return -1
	}
	if !x.words[j].upper || x.words[j].digit {
		return -1
	}
	for ; j+1 < len(x.words) && j-i < maxTown && x.gap(j) == "-" && x.words[j+1].letter; j++ {
	}
	return j
}

// britishPostcode returns the last word of the British or Canadian postcode at
// i, or -1.
func (x *scan) britishPostcode(i int) int {
	w := x.words[i]
	if n := w.end - w.start; n < 2 || n > 4 || i+1 >= len(x.words) || x.gap(i) != " " {
		return -1
	}
	out, in := x.text(w), x.text(x.words[i+1])
	if len(in) != 3 || !w.digit || !w.letter {
		return -1
	}
	upper := func(c byte) bool { return 'A' <= c && c <= 'Z' }
	switch {
	case len(out) == 3 && upper(out[0]) && isDigit(out[1]) && upper(out[2]) && isDigit(in[0]) && upper(in[1]) && isDigit(in[2]):
		if strings.IndexByte("DFIOQU", out[2]) < 0 && strings.IndexByte("ABCEGHJKLMNPRSTVXY", out[0]) >= 0 {
			return i + 1 // K1A 0B1
		}
	case upper(out[0]) && isDigit(in[0]) && upper(in[1]) && upper(in[2]) && strings.IndexByte("CIKMOV", in[1]) < 0 && strings.IndexByte("CIKMOV", in[2]) < 0:
		if area := strings.TrimRight(out, "0123456789"); len(area) <= 2 || isDigit(out[1]) || isDigit(out[2]) {
			return i + 1
		}
	}
	return -1
}

// poBox returns the last word of the post office box at i, or -1.
func (x *scan) poBox(i int) int {
	t := x.text(x.words[i])
	j := i
	switch {
	case strings.EqualFold(t, "PO"):
	case t == "P" && i+1 < len(x.words) && x.text(x.words[i+1]) == "O":
		j++
	case strings.EqualFold(t, "Postfach"), strings.EqualFold(t, "Postbus"):
		if x.near(i) && x.words[i+1].digit {
			return i + 1
		}
		return -1
	default:
		return -1
	}
	if x.near(j) && strings.EqualFold(x.text(x.words[j+1]), "box") && x.near(j+1) && x.words[j+2].digit {
		return j + 2
	}
	return -1
}

// coordinates finds pairs of degrees. Each has at least four decimals, or a
// degree sign and a direction.
func (x *scan) coordinates(i int) {
	latitude, end, named := x.degrees(x.words[i].start)
	if end == 0 || latitude > 90 {
		return
	}
	next := end
	for next < len(x.s) && next-end < 4 && strings.IndexByte(" ,;/", x.s[next]) >= 0 {
		next++
	}
	if next == end || next >= len(x.s) {
		return
	}
	if x.s[next] == '-' {
		next++
	}
	longitude, last, namedToo := x.degrees(next)
	if last == 0 || longitude > 180 || named != namedToo {
		return
	}
	start := x.words[i].start
	if start > 0 && x.s[start-1] == '-' {
		start--
	}
	x.add(start, last, Location)
}

// degrees reads one number of a pair. If there is none, end is 0. named reports
// whether a direction follows it.
func (x *scan) degrees(i int) (whole, end int, named bool) {
	start := i
	for i < len(x.s) && isDigit(x.s[i]) && i-start < 4 {
		i++
	}
	if i == start || i-start > 3 {
		return 0, 0, false
	}
	whole = number(x.s[start:i])
	decimals := 0
	if i < len(x.s) && x.s[i] == '.' {
		for i++; i < len(x.s) && isDigit(x.s[i]) && decimals < 16; i++ {
			decimals++
		}
	}
	rest := x.s[i:min(len(x.s), i+24)]
	if after, ok := strings.CutPrefix(rest, "°"); ok {
		// Accept 52°31'12.0"N as well as 52.52° N.
		after = strings.TrimLeft(after, "0123456789.'\"′″’” ")
		if after != "" && strings.IndexByte("NSEWOns", after[0]) >= 0 && (len(after) == 1 || !isAlnum(after[1])) {
			return whole, i + len(rest) - len(after) + 1, true
		}
		return 0, 0, false
	}
	if decimals < 4 {
		return 0, 0, false
	}
	return whole, i, false
}
