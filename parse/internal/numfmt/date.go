// SPDX-License-Identifier: Apache-2.0

package numfmt

import (
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// Constants of the date systems; lastDay is 9999-12-31.
const (
	lastDay     = 2_958_465
	offset1904  = 1_462 // days from the start of the 1900 system to that of the 1904 system
	daySeconds  = 86_400
	maxFraction = 3 // digits of fractional seconds
)

// moment is a date and a time of a date system.
type moment struct {
	year, day int
	month     time.Month
	weekday   time.Weekday
	seconds   int // of the day
	fraction  int // thousandths of a second
	serial    float64
}

// at returns the moment of a serial number. It returns false if the number
// is outside the calendar. Times are rounded to 10^-digits seconds. Serial
// number 60 of the 1900 system is 1900-02-29, a day that did not exist.
func at(v float64, date1904 bool, digits int) (m moment, ok bool) {
	if v < 0 {
		return m, false
	}
	days := math.Floor(v)
	unit := math.Pow10(digits)
	ticks := math.Round((v - days) * daySeconds * unit)
	if ticks >= daySeconds*unit {
		days, ticks = days+1, 0
	}
	m.serial = v
	m.seconds = int(ticks / unit)
	m.fraction = int(math.Mod(ticks, unit) * 1000 / unit)
	if date1904 {
		days += offset1904
	}
	if days > lastDay {
		return m, false
	}
	n := int(days)
	m.weekday = time.Weekday((n + 6) % 7)
	switch {
	case n == 0:
		m.year, m.month, m.day = 1900, time.January, 0
		return m, true
	case n == 60:
		m.year, m.month, m.day = 1900, time.February, 29
		return m, true
	case n < 60:
		n++
	}
	m.year, m.month, m.day = time.Date(1899, time.December, 30+n, 0, 0, 0, 0, time.UTC).Date()
	return m, true
}

// Serial returns the serial number of the day of t.
func Serial(t time.Time, date1904 bool) float64 {
	// Use seconds, because a duration is limited to 292 years.
	n := int(math.Floor(float64(t.Unix()-time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC).Unix()) / daySeconds))
	switch {
	case date1904:
		n -= offset1904
	case n <= 60:
		n-- // 60 is the day that did not exist
	}
	return float64(n)
}

// time appends v as a date or a time.
func (s *section) time(dst []byte, v float64, date1904 bool) ([]byte, bool) {
	m, ok := at(v, date1904, min(s.fraction, maxFraction))
	if !ok {
		return dst, false
	}
	if s.day {
		return s.iso(dst, m), true
	}
	for _, p := range s.parts {
		dst = s.piece(dst, p, m)
	}
	return dst, true
}

// iso appends a full date in ISO 8601, with as much of the time as the
// section shows.
func (s *section) iso(dst []byte, m moment) []byte {
	dst = padded(dst, m.year, 4)
	dst = padded(append(dst, '-'), int(m.month), 2)
	dst = padded(append(dst, '-'), m.day, 2)
	if !s.clock {
		return dst
	}
	dst = padded(append(dst, ' '), m.seconds/3600, 2)
	dst = padded(append(dst, ':'), m.seconds/60%60, 2)
	if s.seconds {
		dst = padded(append(dst, ':'), m.seconds%60, 2)
	}
	if s.fraction > 0 {
		dst = s.piece(dst, part{kind: subsecond, n: s.fraction}, m)
	}
	return dst
}

// piece appends one part of a date or a time.
func (s *section) piece(dst []byte, p part, m moment) []byte {
	switch p.kind {
	case year:
		if p.n <= 2 {
			return padded(dst, m.year%100, 2)
		}
		return padded(dst, m.year, 4)
	case month:
		if p.n <= 2 {
			return padded(dst, int(m.month), p.n)
		}
		name := s.month(m.month, p.n == 3)
		if p.n == 5 {
			_, n := utf8.DecodeRuneInString(name)
			name = name[:n]
		}
		return append(dst, name...)
	case day:
		if p.n <= 2 {
			return padded(dst, m.day, p.n)
		}
		return append(dst, s.weekday(m.weekday, p.n == 3)...)
	case hour:
		h := m.seconds / 3600
		if s.noon {
			if h %= 12; h == 0 {
				h = 12
			}
		}
		return padded(dst, h, p.n)
	case minute:
		return padded(dst, m.seconds/60%60, p.n)
	case second:
		return padded(dst, m.seconds%60, p.n)
	case subsecond:
		fraction := padded(nil, m.fraction, 3)
		return append(append(dst, '.'), fraction[:min(p.n, 3)]...)
	case noon:
		return append(dst, half(p.text, m.seconds >= daySeconds/2)...)
	case hours, minutes, seconds:
		total := math.Floor(m.serial)*daySeconds + float64(m.seconds)
		if m.seconds == 0 && m.serial-math.Floor(m.serial) > .5 {
			total += daySeconds // rounded up to the next day
		}
		unit := map[kind]float64{hours: 3600, minutes: 60, seconds: 1}[p.kind]
		return padded(dst, int(total/unit), p.n)
	case literal, slash, point, percent, digit, exponent:
		return append(dst, p.text...)
	}
	return dst
}

// month returns the name of a month.
func (s *section) month(m time.Month, short bool) string {
	switch {
	case s.names == nil && short:
		return m.String()[:3]
	case s.names == nil:
		return m.String()
	case short:
		return pick(s.names.shortMonths, int(m)-1)
	}
	return pick(s.names.months, int(m)-1)
}

// weekday returns the name of a weekday.
func (s *section) weekday(d time.Weekday, short bool) string {
	switch {
	case s.names == nil && short:
		return d.String()[:3]
	case s.names == nil:
		return d.String()
	case short:
		return pick(s.names.shortDays, int(d+6)%7)
	}
	return pick(s.names.days, int(d+6)%7)
}

// half returns one of the two texts of AM/PM.
func half(text string, second bool) string {
	for i := range len(text) {
		if text[i] == '/' {
			if second {
				return text[i+1:]
			}
			return text[:i]
		}
	}
	return text
}

// padded appends n with at least width digits.
func padded(dst []byte, n, width int) []byte {
	digits := 1
	for limit := 10; n >= limit; limit *= 10 {
		digits++
	}
	for ; digits < min(width, 9); digits++ {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, int64(n), 10)
}
