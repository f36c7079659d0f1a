// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"slices"
	"strings"
)

// Limits for a number that is written in groups.
const (
	maxGroups  = 9
	maxCompact = 34 // characters; the length of the longest IBAN
)

// A numeral is a run of groups of letters and digits, with one separator
// between two groups.
type numeral struct {
	x          *scan
	start, end int
	compact    string // the groups in upper case, without separators
	shape      string // lengths of the groups and the separators between them: 4-4-4-4
	digits     bool   // contains only digits
}

// A kind is a kind of number, its possible lengths and its check.
type kind struct {
	low, high int
	entity    Entity
	check     func(n *numeral) bool
}

// kinds are tried in this order on every numeral of a matching length.
var kinds = []kind{
	{13, 19, Financial, (*numeral).isCard},
	{15, 34, Financial, (*numeral).isIBAN},
	{8, 11, Financial, (*numeral).isBIC},
	{9, 9, Financial, (*numeral).isRouting},
	{8, 18, Secret, (*numeral).isNational},
}

// numbers finds bank accounts, cards and national identity numbers.
func (x *scan) numbers() {
	if !x.Entities.Has(Financial) && !x.Entities.Has(Secret) {
		return
	}
	for i := 0; i < len(x.words) && !x.stopped(); i++ {
		if end := x.numeral(i); end > i {
			i = end - 1
		}
	}
}

// numeral tries the numerals that begin at word first. It returns the index of
// the word after the one that it found, or first if it found nothing.
func (x *scan) numeral(first int) int { //nolint:gocognit // one pass over the groups of a number
	var buf [maxCompact]byte
	var shape [2 * maxGroups]byte
	n, m := 0, 0
	found := first
	hasDigit, onlyDigits := false, true
	for i := first; i < len(x.words) && i-first < maxGroups; i++ {
		w := x.words[i]
		text := x.text(w)
		if n+len(text) > maxCompact {
			break
		}
		if i > first {
			sep := separator(x.gap(i - 1))
			if sep == 0 {
				break
			}
			shape[m] = sep
			m++
		}
		ascii := true
		for j := range len(text) {
			c := text[j]
			if 'a' <= c && c <= 'z' {
				c -= 'a' - 'A'
			}
			ascii = ascii && isAlnum(c)
			buf[n] = c
			n++
		}
		if !ascii {
			break
		}
		shape[m] = byte('0' + min(len(text), 70))
		m++
		hasDigit, onlyDigits = hasDigit || w.digit, onlyDigits && !w.letter
		if i == first && !w.digit && len(text) > 6 && len(text) != 8 && len(text) != 11 {
			break // an ordinary word
		}
		if n < 8 || !hasDigit && i > first {
			continue
		}
		num := numeral{x: x, start: x.words[first].start, end: w.end, compact: string(buf[:n]), shape: string(shape[:m]), digits: onlyDigits}
		for k := range kinds {
			if k := &kinds[k]; k.low <= n && n <= k.high && x.Entities.Has(k.entity) && k.check(&num) {
				x.add(num.start, num.end, k.entity)
				found = i + 1
				break
			}
		}
	}
	return found
}

// separator returns the separator of two groups: a space, a hyphen, a full
// stop, a slash or a plus sign. It returns 0 for anything else.
func separator(gap string) byte {
	switch gap {
	case " ", "\u00a0", "\u202f", "\u2009":
		return ' '
	case "-", "\u2011", "\u2010", "\u2013":
		return '-'
	case ".", "/", "+":
		return gap[0]
	}
	return 0
}

// cued reports whether one of cues precedes n closely, or the Finder is loose
// and needs no cue.
func (n *numeral) cued(cues ...string) bool { return n.x.Loose || n.x.before(n.start, cues...) }

// shaped reports whether the groups of n have one of shapes.
func (n *numeral) shaped(shapes ...string) bool { return slices.Contains(shapes, n.shape) }

// fraction reports whether n is part of a longer number: a digit and a full
// stop, comma or hyphen precede it, or a decimal point and a digit follow it.
func (n *numeral) fraction() bool {
	s := n.x.s
	if n.start >= 2 && strings.IndexByte(".,-", s[n.start-1]) >= 0 && isDigit(s[n.start-2]) {
		return true
	}
	return n.end+1 < len(s) && (s[n.end] == '.' || s[n.end] == ',') && isDigit(s[n.end+1])
}

// luhn reports whether digits pass the Luhn check (ISO/IEC 7812-1, annex B).
func luhn(s string) bool {
	sum := 0
	for i := range len(s) {
		d := int(s[len(s)-1-i] - '0')
		if d < 0 || d > 9 {
			return false
		}
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// mod97 returns the remainder of ISO/IEC 7064 MOD 97-10 over letters (A is 10)
// and digits. It returns -1 if s has other characters.
func mod97(s string) int {
	r := 0
	for i := range len(s) {
		switch c := s[i]; {
		case isDigit(c):
			r = (r*10 + int(c-'0')) % 97
		case 'A' <= c && c <= 'Z':
			r = (r*100 + int(c-'A') + 10) % 97
		default:
			return -1
		}
	}
	return r
}

// weighed returns the sum of the first digits of s, each multiplied by its
// weight.
func weighed(s string, weights ...int) int {
	sum := 0
	for i, w := range weights {
		sum += int(s[i]-'0') * w
	}
	return sum
}

// number converts digits to a number. s must be short and contain only digits.
func number(s string) int {
	n := 0
	for i := range len(s) {
		n = n*10 + int(s[i]-'0')
	}
	return n
}

// allDigits reports whether s is not empty and contains only digits.
func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// same reports whether all characters of s are equal.
func same(s string) bool { return strings.Trim(s, s[:1]) == "" }
