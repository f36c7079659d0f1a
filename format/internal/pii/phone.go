// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A plan describes the phone numbers of a country (ITU-T E.164 and the national
// plans): the calling code, the length of a national number without its prefix,
// and that prefix. The lengths are those in use, not all that are allowed.
type plan struct {
	region, code string
	low, high    int
	trunk        string // prefix of national numbers; empty if there is none
	first        string // digits that a national number may begin with; empty allows any
}

var plans = []plan{
	{"US", "1", 10, 10, "", "23456789"},
	{"CA", "1", 10, 10, "", "23456789"},
	{"GB", "44", 9, 10, "0", "123578"},
	{"DE", "49", 6, 13, "0", "123456789"},
	{"FR", "33", 9, 9, "0", "123456789"},
	{"IT", "39", 6, 11, "", "03"},
	{"ES", "34", 9, 9, "", "6789"},
	{"NL", "31", 9, 9, "0", "12345678"},
	{"BE", "32", 8, 9, "0", "123456789"},
	{"AT", "43", 6, 13, "0", "123456789"},
	{"CH", "41", 9, 9, "0", "234567"},
	{"SE", "46", 7, 9, "0", "123456789"},
	{"NO", "47", 8, 8, "", "23456789"},
	{"DK", "45", 8, 8, "", "23456789"},
	{"FI", "358", 6, 11, "0", "123456789"},
	{"PL", "48", 9, 9, "", "12345678"},
	{"PT", "351", 9, 9, "", "29"},
	{"CZ", "420", 9, 9, "", "23456789"},
	{"SK", "421", 9, 9, "0", ""},
	{"HU", "36", 8, 9, "06", ""},
	{"RO", "40", 9, 9, "0", "237"},
	{"BG", "359", 7, 9, "0", ""},
	{"GR", "30", 10, 10, "", "26"},
	{"IE", "353", 7, 9, "0", ""},
	{"TR", "90", 10, 10, "0", ""},
	{"RU", "7", 10, 10, "8", "3489"},
	{"UA", "380", 9, 9, "0", ""},
	{"IL", "972", 8, 9, "0", ""},
	{"IN", "91", 10, 10, "0", "6789"},
	{"CN", "86", 10, 11, "0", ""},
	{"CN", "86", 11, 11, "", "1"}, // mobile phones
	{"JP", "81", 9, 10, "0", ""},
	{"KR", "82", 8, 10, "0", ""},
	{"AU", "61", 9, 9, "0", "23478"},
	{"NZ", "64", 8, 10, "0", ""},
	{"BR", "55", 10, 11, "0", ""},
	{"MX", "52", 10, 10, "", ""},
	{"AR", "54", 10, 11, "0", ""},
	{"ZA", "27", 9, 9, "0", ""},
	{"SG", "65", 8, 8, "", "3689"},
	{"HK", "852", 8, 8, "", "235679"},
}

// phoneCues are words that precede a phone number.
var phoneCues = []string{
	"tel", "tel.", "telephone", "phone", "ph", "mobile", "mob", "cell", "fax", "call", "dial", "hotline", "sms", "text", "whatsapp",
	"telefon", "telefono", "teléfono", "téléphone", "tél", "telefax", "handy", "mobil", "móvil", "celular", "cellulare", "ring", "kontakt", "☎", "📞", "📱",
}

// maxPhone limits the length of a number with its separators, in bytes.
const maxPhone = 40

// phones finds phone numbers.
func (x *scan) phones() {
	if !x.Entities.Has(Phone) {
		return
	}
	for i := 0; i < len(x.s) && !x.stopped(); {
		c := x.s[i]
		if !isDigit(c) && c != '+' && c != '(' || i > 0 && (isAlnum(x.s[i-1]) || strings.IndexByte("+_#", x.s[i-1]) >= 0) {
			i++
			continue
		}
		if c != '+' && i >= 2 && strings.IndexByte(" -./", x.s[i-1]) >= 0 && isDigit(x.s[i-2]) {
			for i++; i < len(x.s) && isDigit(x.s[i]); i++ { // skip the rest of a longer number
			}
			continue
		}
		end := x.phone(i)
		if end == 0 {
			for i++; isDigit(c) && i < len(x.s) && isDigit(x.s[i]); i++ {
			}
			continue
		}
		x.add(i, end, Phone)
		i = end
	}
}

// A dialled is a candidate for a phone number: its groups of digits.
type dialled struct {
	number [20]byte
	n      int
	groups []group
	marks  string // the separators between digits, in order
	paren  bool
}

type group struct{ start, end, digits int } // digits counts the digits up to end

// phone returns the end of the phone number at i, or 0 if there is none.
func (x *scan) phone(i int) int { //nolint:gocognit // one pass over the digits of a number
	var d dialled
	plus := x.s[i] == '+'
	j := i
	if plus {
		j++
	}
	gap := 0
	for j < len(x.s) && j-i < maxPhone {
		c := x.s[j]
		switch {
		case isDigit(c):
			if d.n == len(d.number) {
				return 0
			}
			d.number[d.n] = c
			d.n++
			if gap > 0 || len(d.groups) == 0 {
				d.groups = append(d.groups, group{start: j})
			}
			last := &d.groups[len(d.groups)-1]
			last.end, last.digits = j+1, d.n
			gap = 0
			j++
			continue
		case c == '(' || c == ')':
			d.paren = true
		case c == ' ' || c == '-' || c == '.' || c == '/':
			if gap == 0 || c != ' ' {
				d.marks += string(c)
			}
		case strings.HasPrefix(x.s[j:], "\u00a0"), strings.HasPrefix(x.s[j:], "\u2011"), strings.HasPrefix(x.s[j:], "\u2013"),
			strings.HasPrefix(x.s[j:], "\u202f"), strings.HasPrefix(x.s[j:], "\u2009"):
			_, size := utf8.DecodeRuneInString(x.s[j:])
			j += size - 1
			d.marks += " "
		default:
			gap = 99
		}
		if gap++; gap > 3 {
			break
		}
		j++
	}
	if len(d.groups) == 0 || d.n < 6 {
		return 0
	}
	// Take the longest run of groups that is a number.
	for g, last := range slices.Backward(d.groups) {
		end := last.end
		if end < len(x.s) && isLetterAt(x.s, end) {
			continue
		}
		number := string(d.number[:last.digits])
		if plus && international(number) || !plus && strings.HasPrefix(number, "00") && international(number[2:]) ||
			!plus && x.national(i, number, &d, g) {
			if open := strings.Count(x.s[i:end], "(") - strings.Count(x.s[i:end], ")"); open != 0 && !strings.HasPrefix(x.s[i:], "(") {
				continue
			}
			return end
		}
	}
	return 0
}

// international reports whether a number begins with a calling code and has a
// length that is used in that country.
func international(number string) bool {
	if len(number) < 7 || len(number) > 15 || number[0] == '0' {
		return false
	}
	known := false
	for i := range plans {
		p := &plans[i]
		if rest, ok := strings.CutPrefix(number, p.code); ok {
			known = true
			rest = strings.TrimPrefix(rest, "0") // +49 (0) 30
			if len(rest) >= p.low && len(rest) <= p.high {
				return true
			}
		}
	}
	return !known && len(number) >= 8
}

// national reports whether a number without a calling code is a number of the
// region, or a word before it says that it is a phone number. Dates, prices,
// ISBNs and IP addresses are rejected.
func (x *scan) national(at int, number string, d *dialled, last int) bool { //nolint:gocognit // the plans' own rules, one after the other
	groups := d.groups[:last+1]
	if len(number) > 13 || isDate(groups, x.s) || x.before(at, "isbn", "issn", "order", "order no", "no", "nr", "id", "doi", "ref", "version", "sku", "art", "ean") {
		return false
	}
	if prev := strings.TrimRight(x.s[max(0, at-4):at], " \u00a0"); prev != "" && strings.HasSuffix(prev, "$") ||
		strings.HasSuffix(prev, "€") || strings.HasSuffix(prev, "£") || strings.HasSuffix(prev, "¥") || strings.HasSuffix(prev, "₹") {
		return false
	}
	cued := x.before(at, phoneCues...)
	if cued && len(number) >= 7 {
		return true
	}
	if strings.HasPrefix(number, "978") && len(number) == 13 || isIPv4(x.s[at:groups[len(groups)-1].end]) {
		return false
	}
	parted := len(groups) >= 2
	if parted || x.Loose {
		// The North American form is recognised in any region: (212) 555-0123.
		if x.Region == "" || x.Region == "US" || x.Region == "CA" {
			if american(number, groups, d) {
				return true
			}
		}
	}
	for i := range plans {
		p := &plans[i]
		if p.region != x.Region || p.code == "1" {
			continue
		}
		rest, prefixed := strings.CutPrefix(number, p.trunk)
		bracketed := parted && x.s[at] == '(' // (11) 91234-5678: an area without the prefix
		first := p.first == "" || rest != "" && strings.IndexByte(p.first, rest[0]) >= 0
		if !prefixed && !bracketed || !first || len(rest) < max(p.low, 7) || len(rest) > p.high {
			continue
		}
		// Without a prefix, only the grouping shows that it is a phone number.
		return bracketed || p.trunk != "" && (parted || len(number) >= 10 || x.Loose) ||
			len(groups) >= 3 && strings.Trim(d.marks, " -.") == "" || x.Loose
	}
	return false
}

// american reports whether a number belongs to the North American plan: its
// area code and exchange begin with 2 to 9, and its groups have a usual form.
func american(number string, groups []group, d *dialled) bool {
	lead := 0
	if len(number) == 11 && number[0] == '1' && groups[0].digits == 1 {
		number, groups, lead = number[1:], groups[1:], 1
	}
	if len(number) != 10 || number[0] < '2' || number[3] < '2' {
		return false
	}
	if len(groups) != 3 {
		return len(groups) == 1 && d.paren
	}
	return groups[0].digits-lead == 3 && groups[1].digits-lead == 6
}

// isDate reports whether the groups look like a date: 2026-11-21, 21.11.2026.
func isDate(groups []group, s string) bool {
	if len(groups) < 3 {
		return false
	}
	var n [3]int
	before := 0
	for i := range 3 {
		n[i] = groups[i].digits - before
		before = groups[i].digits
	}
	between := s[groups[0].end:groups[1].start]
	if between != s[groups[1].end:groups[2].start] || len(between) != 1 {
		return false
	}
	year := func(g group) bool {
		return strings.HasPrefix(s[g.start:], "19") || strings.HasPrefix(s[g.start:], "20")
	}
	return n[0] == 4 && n[1] <= 2 && n[2] <= 2 && year(groups[0]) || n[0] <= 2 && n[1] <= 2 && n[2] == 4 && year(groups[2])
}
