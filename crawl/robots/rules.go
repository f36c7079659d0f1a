// SPDX-License-Identifier: Apache-2.0

package robots

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Rules are what one agent must obey. A nil *Rules allows everything. Rules are
// immutable and safe for concurrent use.
type Rules struct {
	rules   []rule // by priority: the first that matches decides
	delay   time.Duration
	delayed bool
}

// rule is one compiled Allow or Disallow line. Its priority is the length of
// its pattern in bytes.
type rule struct {
	pattern string
	line    int
	allow   bool
}

// Match is the line that decided; zero where none did.
type Match struct {
	Line    int    // from 1; zero with a pattern: the file could not be had
	Pattern string // as compiled: escapes in upper case, bytes over 0x7F escaped
}

// add takes in an allow or disallow line. An empty value matches nothing.
func (r *Rules) add(d directive) {
	if d.value == "" {
		return
	}
	r.rules = append(r.rules, rule{pattern: d.value, line: d.line, allow: d.kind == allow})
	if d.kind != allow {
		return
	}
	// Google allows the directory whose index page is allowed.
	slash := strings.LastIndexByte(d.value, '/')
	if slash >= 0 && strings.HasPrefix(d.value[slash:], "/index.htm") {
		r.rules = append(r.rules, rule{pattern: d.value[:slash+1] + "$", line: d.line, allow: true})
	}
}

// compile sorts the rules by priority: longest first, Allow before Disallow,
// then by line; of equal ones the first stays.
func (r *Rules) compile() *Rules {
	slices.SortStableFunc(r.rules, func(a, b rule) int {
		if c := cmp.Compare(len(b.pattern), len(a.pattern)); c != 0 {
			return c
		}
		if a.allow != b.allow {
			if a.allow {
				return -1
			}
			return 1
		}
		return strings.Compare(a.pattern, b.pattern)
	})
	r.rules = slices.CompactFunc(r.rules, func(a, b rule) bool {
		return a.allow == b.allow && a.pattern == b.pattern
	})
	r.rules = slices.Clip(r.rules)
	return r
}

// Allowed decides for path and query in the form of weburl.URL.RobotsPath:
// beginning with a slash, escapes in upper case, no fragment. The longest
// pattern that matches wins, Allow on a tie; without a match everything is
// allowed, and /robots.txt itself always is.
func (r *Rules) Allowed(pathAndQuery string) (bool, Match) {
	if r == nil {
		return true, Match{}
	}
	if pathAndQuery == "" || pathAndQuery[0] != '/' {
		pathAndQuery = "/" + pathAndQuery
	}
	if path, _, _ := strings.Cut(pathAndQuery, "?"); path == "/robots.txt" {
		return true, Match{} // RFC 9309 2.2.2
	}
	for i := range r.rules {
		if rule := &r.rules[i]; matches(pathAndQuery, rule.pattern) {
			return rule.allow, Match{Line: rule.line, Pattern: rule.pattern}
		}
	}
	return true, Match{}
}

// CrawlDelay returns the pause that the file asks for, by Crawl-delay or
// Request-rate lines: the longest where it names several. It is at most 24 h,
// and false where the file names none that can be read.
func (r *Rules) CrawlDelay() (time.Duration, bool) {
	if r == nil {
		return 0, false
	}
	return r.delay, r.delayed
}

// matches reports whether pattern matches path from its start: a star is any
// run of bytes, a dollar sign at the very end is the end of the path, all else
// is itself.
//
// One pointer walks each text and neither turns back: a piece between two stars
// may be taken where it is found first, because what follows has all the more
// to choose from.
func matches(path, pattern string) bool {
	pattern, anchored := strings.CutSuffix(pattern, "$")
	piece, rest, starred := strings.Cut(pattern, "*")
	if !strings.HasPrefix(path, piece) {
		return false
	}
	path = path[len(piece):]
	for starred {
		piece, rest, starred = strings.Cut(rest, "*")
		if !starred && anchored {
			return strings.HasSuffix(path, piece)
		}
		i := strings.Index(path, piece)
		if i < 0 {
			return false
		}
		path = path[i+len(piece):]
	}
	return !anchored || path == ""
}
