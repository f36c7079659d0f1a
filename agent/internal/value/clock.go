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
