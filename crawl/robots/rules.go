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
	index   *index // nil where there are few rules
	delay   time.Duration
	delayed bool
}

// rule is one compiled Allow or Disallow line. Its priority is the length of
// its pattern in bytes.
type rule struct {
	pattern string
	prefix  string // of pattern: what a path must begin with
	rest    string // of pattern: empty, "$", or from the first star on, each run of stars one
	line    int
	allow   bool
	need    pair // stands in every path that rest matches; zero where it says nothing
}

// Match is the line that decided; zero where none did.
type Match struct {
	Line    int    // from 1; zero with a pattern: the file could not be had
	Pattern string // as compiled: escapes in upper case, bytes over 0x7F escaped
	Spent   bool   // no line did: the file asks for more work than a decision may take
}

// add takes in an allow or disallow line. An empty value matches nothing.
func (r *Rules) add(d directive) {
	if d.value == "" {
		return
	}
	r.rules = append(r.rules, newRule(d.value, d.line, d.kind == allow))
	if d.kind != allow {
		return
	}
	// Google allows the directory whose index page is allowed.
	slash := strings.LastIndexByte(d.value, '/')
	if slash >= 0 && strings.HasPrefix(d.value[slash:], "/index.htm") {
		r.rules = append(r.rules, newRule(d.value[:slash+1]+"$", d.line, true))
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
	if len(r.rules) > fewRules {
		r.index = newIndex(r.rules)
	}
	return r
}

// Allowed decides for path and query in the form of weburl.URL.RobotsPath:
// beginning with a slash, escapes in upper case, no fragment. The longest
// pattern that matches wins, Allow on a tie; without a match everything is
// allowed, and /robots.txt itself always is. A file whose wildcards take too
// long to try, which only a hostile one has, disallows what it was asked about:
// the answer is the same each time.
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
	w := work{path: pathAndQuery, left: maxWork}
	first, ok := r.first(&w)
	switch {
	case !ok:
		return false, Match{Spent: true}
	case first < 0:
		return true, Match{}
	}
	rule := &r.rules[first]
	return rule.allow, Match{Line: rule.line, Pattern: rule.pattern}
}

// first returns the place of the first rule that matches, -1 where none does,
// and false where finding out takes more than w has left.
func (r *Rules) first(w *work) (place int, ok bool) {
	if r.index != nil {
		return r.index.first(r.rules, w)
	}
	for i := range r.rules {
		switch matched, ok := w.matches(&r.rules[i]); {
		case !ok:
			return 0, false
		case matched:
			return i, true
		}
	}
	return -1, true
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
