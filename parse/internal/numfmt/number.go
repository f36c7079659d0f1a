// SPDX-License-Identifier: Apache-2.0

package numfmt

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

const (
	precision = 15 // significant digits of fractions in spreadsheets
	maxWhole  = 21 // digits of an integer that General writes without an exponent
	minWhole  = -7 // largest decimal.exp of numbers below 1e-7, which General writes with an exponent
	maxDigits = 99_999
)

// General appends v as a cell without a format stores it, not rounded to the
// width of the column. It writes up to 15 significant digits, and 17 of an integer:
// the numbers of cards and parcels, which programs other than Excel store in full. It writes an exponent
// only if the absolute value is at least 1e21 or less than 1e-7.
func General(dst []byte, v float64) []byte {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.AppendInt(dst, int64(v), 10)
	}
	if v < 0 {
		dst, v = append(dst, '-'), -v
	}
	d := decimalOf(v)
	if d.exp <= maxWhole && d.exp > minWhole {
		return d.plain(dst)
	}
	dst = append(dst, d.store[0])
	if rest := bytes.TrimRight(d.digits()[1:], "0"); len(rest) > 0 {
		dst = append(append(dst, '.'), rest...)
	}
	exp, sign := d.exp-1, byte('+')
	if exp < 0 {
		exp, sign = -exp, '-'
	}
	dst = append(dst, 'E', sign)
	if exp < 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, int64(exp), 10)
}

// decimal is the number 0.digits × 10^exp. It has at least one digit.
type decimal struct {
	store [24]byte
	count int // of digits
	exp   int
}

// digits returns the digits of d, which may be changed.
func (d *decimal) digits() []byte { return d.store[:d.count] }

// decimalOf returns v with 15 digits, or with all digits of an integer that General
// writes without an exponent. v must not be negative.
func decimalOf(v float64) (d decimal) {
	v = min(v, math.MaxFloat64) // percent signs may make v infinite
	if v == 0 {
		d.store[0], d.count, d.exp = '0', 1, 1
		return d
	}
	var store [32]byte
	digits := precision - 1
	if v >= 1e15 && v < 1e21 && v == math.Trunc(v) {
		digits = -1
	}
	b := strconv.AppendFloat(store[:0], v, 'e', digits, 64)
	e := bytes.IndexByte(b, 'e')
	d.exp, _ = strconv.Atoi(string(b[e+1:]))
	d.exp++
	d.store[0] = b[0]
	d.count = 1 + copy(d.store[1:], b[min(2, e):e])
	return d
}

// round rounds to n digits, half up. n may be 0 or negative.
func (d *decimal) round(n int) {
	if n >= d.count {
		return
	}
	up := n >= 0 && d.store[n] >= '5'
	d.count = max(n, 0)
	for i := d.count - 1; up && i >= 0; i-- {
		if d.store[i]++; d.store[i] <= '9' {
			return
		}
		d.store[i] = '0'
	}
	switch {
	case up:
		d.store[0] = '1'
		for i := range n {
			d.store[i+1] = '0'
		}
		d.count, d.exp = n+1, d.exp+1
	case d.count == 0:
		d.store[0], d.count, d.exp = '0', 1, 1
	}
}

// at returns the digit for 10^n. n is negative for decimals.
func (d *decimal) at(n int) byte {
	if i := d.exp - 1 - n; i >= 0 && i < d.count {
		return d.store[i]
	}
	return '0'
}

// plain appends d without an exponent and without trailing zeros.
func (d *decimal) plain(dst []byte) []byte {
	if d.exp <= 0 {
		dst = append(dst, '0')
	}
	for n := d.exp - 1; n >= 0; n-- {
		dst = append(dst, d.at(n))
	}
	last := d.count
	for last > 0 && d.store[last-1] == '0' {
		last--
	}
	if last > d.exp {
		dst = append(dst, '.')
		for n := -1; n >= d.exp-last; n-- {
			dst = append(dst, d.at(n))
		}
	}
	return dst
}

// number appends v by the section's parts. v must not be negative.
func (s *section) number(dst []byte, v float64) []byte {
	for range s.percent {
		v *= 100
	}
	for range s.scale {
		v /= 1000
	}
	switch {
	case s.slash >= 0:
		return s.ratio(dst, v)
	case s.exponent >= 0:
		return s.scientific(dst, v)
	}
	d := decimalOf(v)
	decimals := 0
	if s.point < len(s.parts) {
		decimals = count(s.parts[s.point:])
	}
	d.round(d.exp + decimals)
	return s.fill(dst, &d, s.parts, s.point, v)
}

// count returns the number of digit placeholders in parts.
func count(parts []part) (n int) {
	for _, p := range parts {
		if p.kind == digit {
			n++
		}
	}
	return n
}

// fill appends parts and replaces digit placeholders by the digits of d. at
// is the index of the decimal point.
func (s *section) fill(dst []byte, d *decimal, parts []part, at int, v float64) []byte {
	at = min(at, len(parts))
	left := count(parts[:at]) // integer placeholders left
	first := true
	place := -1 // power of the next decimal
	for i, p := range parts {
		switch p.kind {
		case digit:
			if i < at {
				left--
				if first {
					// The first placeholder takes all digits without
					// placeholders of their own.
					for n := d.exp - 1; n > left; n-- {
						dst = s.digit(dst, d, n, '0')
					}
					first = false
				}
				dst = s.digit(dst, d, left, p.text[0])
				continue
			}
			dst = decimalDigit(dst, d, place, p.text[0])
			place--
		case point:
			// Without placeholders before the point, a non-zero integer part
			// is still shown.
			if first {
				for n := d.exp - 1; n >= 0 && (d.exp > 1 || d.at(0) != '0'); n-- {
					dst = s.digit(dst, d, n, '0')
				}
				first = false
			}
			dst = append(dst, '.')
		case general:
			dst = General(dst, v)
		case literal, percent:
			dst = append(dst, p.text...)
		}
	}
	return dst
}

// digit appends the digit for 10^n, n >= 0, for a placeholder of a kind, and
// the thousands separator after it.
func (s *section) digit(dst []byte, d *decimal, n int, kind byte) []byte {
	leads := n >= d.exp || n == 0 && d.exp == 1 && d.at(0) == '0' // a leading zero
	switch {
	case leads && kind == '#':
		return dst
	case leads && kind == '?':
		return append(dst, ' ')
	}
	dst = append(dst, d.at(n))
	if s.thousands && n > 0 && n%3 == 0 {
		dst = append(dst, ',')
	}
	return dst
}

// decimalDigit appends the digit for 10^n, n < 0. After the last non-zero
// digit, # shows nothing.
func decimalDigit(dst []byte, d *decimal, n int, kind byte) []byte {
	if kind != '0' {
		rest := false
		for i := max(0, d.exp-1-n); i < d.count; i++ {
			rest = rest || d.store[i] != '0'
		}
		if !rest {
			if kind == '?' {
				return append(dst, ' ')
			}
			return dst
		}
	}
	return append(dst, d.at(n))
}

// scientific appends v with an exponent.
func (s *section) scientific(dst []byte, v float64) []byte {
	mantissa, after := s.parts[:s.exponent], s.parts[s.exponent+1:]
	at := min(s.point, len(mantissa))
	whole, decimals := max(count(mantissa[:at]), 1), count(mantissa[at:])
	d := decimalOf(v)
	exp := 0
	if v != 0 {
		exp = d.exp - whole
		if whole > 1 { // the exponent is a multiple of the number of integer placeholders
			exp = int(math.Floor(float64(d.exp-1)/float64(whole))) * whole
		}
		d.exp -= exp
		before := d.exp
		d.round(d.exp + decimals)
		if d.exp > before && d.exp > whole {
			exp += whole
			d.exp -= whole
		}
	}
	dst = s.fill(dst, &d, mantissa, at, v)
	dst = append(dst, 'E')
	switch {
	case exp < 0:
		dst, exp = append(dst, '-'), -exp
	case s.parts[s.exponent].text[1] == '+':
		dst = append(dst, '+')
	}
	e := decimalOf(float64(exp))
	return (&section{}).fill(dst, &e, after, len(after), float64(exp))
}

// ratio appends v as a fraction.
func (s *section) ratio(dst []byte, v float64) []byte {
	// The numerator is the run of placeholders before the slash.
	// Placeholders before that run show the integer part.
	from := s.slash
	for from > 0 && s.parts[from-1].kind == digit {
		from--
	}
	whole := count(s.parts[:from]) > 0
	integer, part := 0.0, v
	if whole {
		integer, part = math.Floor(v), v-math.Floor(v)
	}
	var num, den float64
	end := s.slash + 1
	if p := s.parts[end]; p.kind == fixed {
		den, _ = strconv.ParseFloat(p.text, 64)
		den = max(1, min(den, maxDigits))
		num = math.Round(part * den)
		end++
	} else {
		places := 0
		for end < len(s.parts) && s.parts[end].kind == digit {
			places++
			end++
		}
		num, den = approximate(part, math.Pow10(min(places, 5))-1)
	}
	if whole && num == den {
		integer, num = integer+1, 0
	}
	if whole && (integer != 0 || num == 0) {
		d := decimalOf(integer)
		dst = (&section{thousands: s.thousands}).fill(dst, &d, s.parts[:from], from, integer)
		if integer == 0 && bytes.IndexByte(dst, '0') < 0 {
			dst = append(dst, '0')
		}
	}
	if !whole || num != 0 {
		dst = strconv.AppendFloat(dst, num, 'f', -1, 64)
		dst = append(dst, '/')
		dst = strconv.AppendFloat(dst, den, 'f', -1, 64)
	}
	for _, p := range s.parts[min(end, len(s.parts)):] {
		if p.kind == literal || p.kind == percent {
			dst = append(dst, p.text...)
		}
	}
	return []byte(strings.TrimRight(string(dst), " "))
}

// approximate returns the fraction nearest to v with a denominator of at
// most limit. It uses continued fractions.
func approximate(v, limit float64) (num, den float64) {
	p0, q0, p1, q1 := 0.0, 1.0, 1.0, 0.0
	x := v
	for range 32 {
		a := math.Floor(x)
		p2, q2 := a*p1+p0, a*q1+q0
		if q2 > limit {
			// A fraction between the last two may be nearer.
			if k := math.Floor((limit - q0) / q1); k > 0 && q1 > 0 {
				p, q := k*p1+p0, k*q1+q0
				if math.Abs(p/q-v) < math.Abs(p1/q1-v) {
					return p, q
				}
			}
			break
		}
		p0, q0, p1, q1 = p1, q1, p2, q2
		if rest := x - a; rest > 1e-10 {
			x = 1 / rest
			continue
		}
		break
	}
	return p1, max(q1, 1)
}
