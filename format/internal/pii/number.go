// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"slices"
	"strings"
)

// Bounds of a number that is written in groups.
const (
	maxGroups  = 9
	maxCompact = 34 // characters: an IBAN's
)

// A numeral is a run of groups of letters and digits with one separator
// between each two, and what stands around it.
type numeral struct {
	x          *scan
	start, end int
	compact    string // the groups in upper case, without separators
	shape      string // lengths of the groups and what parts them: 4-4-4-4
	digits     bool   // nothing but digits
}

// A kind of number: how long it is, and how it is checked.
type kind struct {
	low, high int
	entity    Entity
	check     func(n *numeral) bool
}

// kinds are tried in their order on every numeral that is as long.
var kinds = []kind{
	{13, 19, Financial, (*numeral).isCard},
	{15, 34, Financial, (*numeral).isIBAN},
	{8, 11, Financial, (*numeral).isBIC},
	{9, 9, Financial, (*numeral).isRouting},
	{8, 18, Secret, (*numeral).isNational},
}

// numbers finds bank accounts, cards and the numbers of people.
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

// numeral tries what begins at word i. It returns the number of the word
// behind what it found; i for nothing.
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
			break // a word
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

// separator returns what parts two groups: a space, a hyphen, a point or a
// slash; zero where it is more than one of them.
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

// cued reports whether one of cues stands shortly before n, or whether none is
// needed.
func (n *numeral) cued(cues ...string) bool { return n.x.Loose || n.x.before(n.start, cues...) }

// shaped reports whether n is written in one of shapes.
func (n *numeral) shaped(shapes ...string) bool { return slices.Contains(shapes, n.shape) }

// fraction reports whether n stands behind a point or hyphen and digits, or
// goes on behind a point: it is part of a longer number.
func (n *numeral) fraction() bool {
	s := n.x.s
	if n.start >= 2 && strings.IndexByte(".,-", s[n.start-1]) >= 0 && isDigit(s[n.start-2]) {
		return true
	}
	return n.end+1 < len(s) && (s[n.end] == '.' || s[n.end] == ',') && isDigit(s[n.end+1])
}

// luhn reports whether digits have the checksum of ISO/IEC 7812-1 annex B.
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
// and digits; -1 for other characters.
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

// weighed returns the sum of the first digits of s, each times its weight.
func weighed(s string, weights ...int) int {
	sum := 0
	for i, w := range weights {
		sum += int(s[i]-'0') * w
	}
	return sum
}

// number returns digits as a number; s is short and of digits.
func number(s string) int {
	n := 0
	for i := range len(s) {
		n = n*10 + int(s[i]-'0')
	}
	return n
}

// allDigits reports whether s is nothing but digits, and something.
func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// same reports whether all characters of s are one.
func same(s string) bool { return strings.Trim(s, s[:1]) == "" }
