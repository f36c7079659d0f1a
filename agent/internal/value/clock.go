// SPDX-License-Identifier: Apache-2.0

package value

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Clock is a time of day in a text. If the text names no zone, Zone is empty.
type Clock struct {
	Hour, Minute, Second int
	Zone                 string // Z or +02:00
}

// clockPattern matches 17:30, 5:30:05 pm, 5 p.m. and 17h30, with or without a zone (Z,
// UTC, +0200, UTC+2).
var clockPattern = regexp.MustCompile(`(?:^|[^0-9.:])([0-9]{1,2})(?:[:h]([0-5][0-9])(?::([0-5][0-9])(?:\.[0-9]+)?)?)?(?: ?([ap])\.?m\b)?\.?(?: ?((?:utc|gmt) ?[+-][0-9]{1,2}(?::?[0-9]{2})?|z|utc|gmt|[+-][0-9]{2}:?[0-9]{2})\b)?`)

// timePattern matches a whole text that is a time of day or a duration with a colon: 09:00,
// 2:14:07, 9 am, 7.42 Uhr, 14h30, 7 h 42.
var timePattern = regexp.MustCompile(`^([0-9]{1,3})(?:([:.]| ?h ?)([0-5][0-9])(?::([0-5][0-9]))?)? ?(?:([ap])\.?m|(uhr|hrs|o'clock))?\.?$`)

// Seconds returns the seconds of a normal text that is a time of day or a duration with a
// colon, or that contains exactly one time of day.
func Seconds(s string) (int, bool) {
	m := timePattern.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		if all := Clocks(s); len(all) == 1 {
			return all[0].Hour*3600 + all[0].Minute*60 + all[0].Second, true
		}
		return 0, false
	}
	if m[2] == "" && m[5]+m[6] == "" || m[2] == "." && m[5]+m[6] == "" {
		return 0, false // it is a number
	}
	part := func(i int) int {
		n, _ := strconv.Atoi("0" + m[i]) // the pattern matches only digits
		return n
	}
	hours := part(1)
	switch {
	case m[5] != "" && hours > 12:
		return 0, false
	case m[5] == "p":
		hours = hours%12 + 12
	case m[5] == "a":
		hours %= 12
	}
	return hours*3600 + part(3)*60 + part(4), true
}

// ClockForm matches the form of a time in the description of a field.
var ClockForm = regexp.MustCompile(`\bH{1,2}:MM(?::SS)?\b`)

// ClockAs returns a text that is a time of day or a duration with a colon in a form such as HH:MM
// or H:MM:SS. Seconds that the form does not have must be zero.
func ClockAs(text, form string) (string, bool) {
	s := Normal(text)
	if timePattern.FindString(s) == "" {
		return "", false
	}
	n, ok := Seconds(s)
	if !ok {
		return "", false
	}
	hours, rest := strconv.Itoa(n/3600), fmt.Sprintf(":%02d", n/60%60)
	if strings.HasPrefix(form, "HH") && len(hours) < 2 {
		hours = "0" + hours
	}
	switch {
	case strings.HasSuffix(form, ":SS"):
		rest += fmt.Sprintf(":%02d", n%60)
	case n%60 != 0:
		return "", false
	}
	return hours + rest, true
}

// clockRange matches ranges such as 10:00-12:00, in which -12:00 is not a zone. It does
// not match T10:00-12:00 and 10:00:00-12:00, in which it is one (RFC 3339).
var clockRange = regexp.MustCompile(`((?:^|[^0-9.:t])[0-9]{1,2}[:h][0-5][0-9](?: ?[ap]\.?m)?\.?)-([0-9]{1,2}[:h])`)

// Clocks returns the times of day in a normal text, at most 50.
func Clocks(s string) []Clock {
	var all []Clock
	for _, m := range clockPattern.FindAllStringSubmatch(clockRange.ReplaceAllString(s, "$1 - $2"), 50) {
		if m[2] == "" && m[4] == "" {
			continue // the match is a number without minutes and without am or pm
		}
		var c Clock
		c.Hour, _ = strconv.Atoi(m[1]) // the pattern matches only digits
		c.Minute, _ = strconv.Atoi("0" + m[2])
		c.Second, _ = strconv.Atoi("0" + m[3])
		switch {
		case c.Hour > 23 || m[4] != "" && (c.Hour == 0 || c.Hour > 12):
			continue
		case m[4] == "p":
			c.Hour = c.Hour%12 + 12
		case m[4] == "a":
			c.Hour %= 12
		}
		switch zone := m[5]; zone {
		case "":
		case "z", "utc", "gmt":
			c.Zone = "Z"
		default:
			zone = strings.TrimLeft(zone, "utcgm ")
			hours, minutes := zone[1:], "00"
			if before, after, ok := strings.Cut(hours, ":"); ok {
				hours, minutes = before, after
			} else if len(hours) > 2 {
				hours, minutes = hours[:len(hours)-2], hours[len(hours)-2:]
			}
			if len(hours) == 1 {
				hours = "0" + hours
			}
			c.Zone = zone[:1] + hours + ":" + minutes
		}
		all = append(all, c)
	}
	return all
}

// String returns c in the form of RFC 3339. If c has no zone, it is UTC.
func (c Clock) String() string {
	zone := c.Zone
	if zone == "" {
		zone = "Z"
	}
	return fmt.Sprintf("%02d:%02d:%02d%s", c.Hour, c.Minute, c.Second, zone)
}
