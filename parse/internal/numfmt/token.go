// SPDX-License-Identifier: Apache-2.0

package numfmt

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// kind is the kind of a part of a code.
type kind uint8

const (
	literal  kind = iota
	digit         // text is 0, # or ?
	point         // decimal point
	percent       // %
	exponent      // text is E+ or E-
	slash         // slash of a fraction
	fixed         // text is a fixed denominator
	place         // @
	general       // General
	year
	month
	day
	hour
	minute
	second
	subsecond // n digits and the decimal point
	noon      // text is AM/PM or A/P
	hours     // elapsed hours
	minutes
	seconds
)

// part is one token of a section.
type part struct {
	kind kind
	text string
	n    int // number of letters or digits
}

// isText reports whether p shows the text itself. General does so too.
func (p part) isText() bool { return p.kind == place || p.kind == general }

// split splits a code at its semicolons, except those in literals.
func split(code string) []string {
	var sections []string
	from := 0
	for i := 0; i < len(code); i++ {
		switch code[i] {
		case '"':
			if n := strings.IndexByte(code[i+1:], '"'); n >= 0 {
				i += n + 1
			}
		case '\\', '_', '*':
			i++
		case '[':
			if n := strings.IndexByte(code[i:], ']'); n >= 0 {
				i += n
			}
		case ';':
			sections = append(sections, code[from:i])
			from = i + 1
		}
	}
	return append(sections, code[from:])
}

// compile compiles one section.
func compile(text string) section {
	s := section{}
	for i := 0; i < len(text); {
		i += s.next(text[i:])
	}
	s.resolve()
	return s
}

// next reads the part at the start of text and returns its length.
func (s *section) next(text string) int {
	add := func(k kind, t string, n int) { s.parts = append(s.parts, part{k, t, n}) }
	c := text[0]
	switch c {
	case '"':
		quoted, _, ok := strings.Cut(text[1:], `"`)
		add(literal, quoted, 0)
		if !ok {
			return len(text)
		}
		return len(quoted) + 2
	case '\\', '_', '*':
		if len(text) == 1 {
			return 1
		}
		_, n := utf8.DecodeRuneInString(text[1:])
		switch c {
		case '\\':
			add(literal, text[1:1+n], 0)
		case '_':
			add(literal, " ", 0)
		}
		return 1 + n
	case '[':
		return s.bracket(text)
	case '0', '#', '?':
		add(digit, text[:1], 0)
		return 1
	case '.':
		// After seconds, a point begins fractional seconds.
		if n := len(text[1:]) - len(strings.TrimLeft(text[1:], "0")); n > 0 && s.after(second, seconds) {
			add(subsecond, "", min(n, 3))
			return 1 + n
		}
		add(point, ".", 0)
		return 1
	case ',':
		add(literal, ",", -1) // resolve decides its meaning
		return 1
	case '%':
		add(percent, "%", 0)
		return 1
	case '/':
		add(slash, "/", 0)
		return 1
	case '@':
		add(place, "", 0)
		return 1
	case 'E', 'e':
		if len(text) > 1 && (text[1] == '+' || text[1] == '-') {
			add(exponent, text[:2], 0)
			return 2
		}
	}
	return s.word(text)
}

// word reads letters: date codes, General, or literals.
func (s *section) word(text string) int {
	for _, w := range [...]struct {
		text string
		kind kind
	}{{"General", general}, {"AM/PM", noon}, {"A/P", noon}, {"上午/下午", noon}} {
		if len(text) >= len(w.text) && strings.EqualFold(text[:len(w.text)], w.text) {
			s.parts = append(s.parts, part{w.kind, text[:len(w.text)], 0})
			return len(w.text)
		}
	}
	c := text[0] | 0x20
	k := literal
	switch c {
	case 'y', 'e':
		k = year
	case 'm':
		k = month
	case 'd':
		k = day
	case 'h':
		k = hour
	case 's':
		k = second
	case 'b', 'g':
		k = general // eras, which are dropped below
	}
	if k == literal || text[0] >= utf8.RuneSelf {
		_, n := utf8.DecodeRuneInString(text)
		s.parts = append(s.parts, part{literal, text[:n], 0})
		return n
	}
	n := 1
	for n < len(text) && text[n]|0x20 == c {
		n++
	}
	switch {
	case c == 'e':
		s.parts = append(s.parts, part{year, "", 4})
	case k != general:
		s.parts = append(s.parts, part{k, "", n})
	}
	return n
}

// bracket reads a colour, a condition, a currency or elapsed time.
func (s *section) bracket(text string) int {
	inside, _, ok := strings.Cut(text[1:], "]")
	if !ok {
		s.parts = append(s.parts, part{literal, "[", 0})
		return 1
	}
	size := len(inside) + 2
	if currency, ok := strings.CutPrefix(inside, "$"); ok {
		currency, locale, _ := strings.Cut(currency, "-")
		if s.names == nil {
			s.names = namesOf(locale)
		}
		if currency != "" {
			s.parts = append(s.parts, part{literal, currency, 0})
		}
		return size
	}
	for _, op := range [...]string{"<=", ">=", "<>", "<", ">", "="} {
		if operand, ok := strings.CutPrefix(inside, op); ok {
			if v, err := strconv.ParseFloat(strings.TrimSpace(operand), 64); err == nil {
				s.op, s.operand = op, v
			}
			return size
		}
	}
	lower := strings.ToLower(inside)
	for _, e := range [...]struct {
		letter string
		kind   kind
	}{{"h", hours}, {"m", minutes}, {"s", seconds}} {
		if lower != "" && strings.Trim(lower, e.letter) == "" {
			s.parts = append(s.parts, part{e.kind, "", len(lower)})
		}
	}
	return size
}

// after reports whether the last part has one of these kinds.
func (s *section) after(kinds ...kind) bool {
	n := len(s.parts)
	for _, k := range kinds {
		if n > 0 && s.parts[n-1].kind == k {
			return true
		}
	}
	return false
}

// resolve decides the meaning of parts that depends on their neighbours.
func (s *section) resolve() {
	s.point, s.exponent, s.slash = len(s.parts), -1, -1
	years, months, days := false, false, false
	before := literal // the previous part of a date
	for i := range s.parts {
		p := &s.parts[i]
		switch p.kind {
		case month:
			// m means minutes after hours or before seconds.
			if p.n <= 2 && (before == hour || before == hours || s.follows(i)) {
				p.kind, s.clock = minute, true
			} else {
				months = true
			}
		case year:
			years = true
		case day:
			days = days || p.n <= 2
		case hour, hours, minutes:
			s.clock = true
		case second, seconds:
			s.clock, s.seconds = true, true
		case subsecond:
			s.fraction = p.n
		case noon:
			s.noon = true
		case place:
			s.at = true
		case general:
			s.general = true
		}
		if p.kind >= year && p.kind != subsecond {
			s.date = true
			if p.kind != noon {
				before = p.kind
			}
		}
	}
	s.day = years && months && days
	if s.date {
		return
	}
	s.numeric()
}

// follows reports whether the next date part after i is seconds.
func (s *section) follows(i int) bool {
	for _, p := range s.parts[i+1:] {
		if p.kind >= year {
			return p.kind == second || p.kind == seconds
		}
	}
	return false
}

// numeric finds the parts of a number.
func (s *section) numeric() {
	last := -1 // last digit of the integer part
	for i := range s.parts {
		p := &s.parts[i]
		switch p.kind {
		case percent:
			s.percent++
		case point:
			if s.point < len(s.parts) || s.exponent >= 0 {
				p.kind = literal
				continue
			}
			s.point = i
		case exponent:
			if s.exponent < 0 && last >= 0 {
				s.exponent = i
			} else {
				p.kind = literal
			}
		case slash:
			if s.slash < 0 && last >= 0 && s.point == len(s.parts) && s.exponent < 0 && s.denominator(i) {
				s.slash = i
			} else {
				p.kind = literal
			}
		case digit:
			last = i
		case literal:
			if p.n < 0 {
				s.comma(i, last)
			}
		}
	}
}

// comma decides the meaning of the comma at i. Between digits it is a
// thousands separator; after the last digit it divides by 1000.
func (s *section) comma(i, last int) {
	p := &s.parts[i]
	if last < 0 || s.exponent >= 0 {
		p.n = 0
		return
	}
	for _, q := range s.parts[i+1:] {
		if q.kind == digit {
			if s.point == len(s.parts) {
				s.thousands = true
			}
			p.text = ""
			return
		}
		if q.kind != literal || q.n >= 0 {
			break
		}
	}
	s.scale++
	p.text = ""
}

// denominator reports whether digits follow the slash at i. It combines a
// fixed denominator into one part.
func (s *section) denominator(i int) bool {
	if i+1 >= len(s.parts) {
		return false
	}
	end, text := i+1, ""
	for end < len(s.parts) {
		p := s.parts[end]
		if p.kind == digit && (p.text == "0" && text != "") || p.kind == literal && len(p.text) == 1 && p.text[0] >= '0' && p.text[0] <= '9' {
			text += p.text
			end++
			continue
		}
		break
	}
	if text == "" {
		return s.parts[i+1].kind == digit
	}
	s.parts[i+1] = part{fixed, text, 0}
	for j := i + 2; j < end; j++ {
		s.parts[j] = part{}
	}
	return true
}
