// SPDX-License-Identifier: Apache-2.0

package robots

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Rules are what one agent must obey. A nil *Rules allows everything. Rules are
// immutable and safe for concurrent use. They keep nothing of the file.
type Rules struct {
	text    string // the patterns, one behind the other
	rules   []rule // by priority: the first that matches decides
	index   *index // nil where there are few rules
	delay   time.Duration
	delayed bool
}

// rule is one compiled Allow or Disallow line, in few bytes: there are files of
// 50,000, and crawls that keep thousands of files.
type rule struct {
	start  uint32 // of its pattern in Rules.text
	line   uint32
	size   uint16 // of the pattern, whose runs of stars are one star each; a line's bound keeps it
	prefix uint16 // how much of it a path must begin with; the rest is empty, "$", or begins with a star
	need   pair   // stands in every path that the rest matches; zero where it says nothing
	allow  bool
}

const ruleSize = 16 // bytes of a rule

// pattern returns the whole of a rule's pattern.
func (r *Rules) pattern(u *rule) string { return r.text[u.start:][:u.size] }

// prefix returns what a path must begin with.
func (r *Rules) prefix(u *rule) string { return r.text[u.start:][:u.prefix] }

// Match is the line that decided; zero where none did.
type Match struct {
	Line    int    // from 1; zero with a pattern: the file could not be had
	Pattern string // as compiled: escapes in upper case, bytes over 0x7F escaped, a run of stars one
	Spent   bool   // no line did: the file asks for more work than a decision may take
}

// group is what a file says to one agent.
type group struct {
	lines   []directive // allow and disallow
	delay   time.Duration
	delayed bool
}

// add takes in an allow or disallow line. An empty value matches nothing.
func (g *group) add(d directive) {
	if d.value == "" {
		return
	}
	g.lines = append(g.lines, d)
	if d.kind != allow {
		return
	}
	// Google allows the directory whose index page is allowed.
	slash := strings.LastIndexByte(d.value, '/')
	if slash >= 0 && strings.HasPrefix(d.value[slash:], "/index.htm") {
		d.value = d.value[:slash+1] + "$"
		g.lines = append(g.lines, d)
	}
}

// compile sorts the rules by priority, which is the length of the pattern in
// bytes: longest first, Allow before Disallow, then by line; of equal ones the
// first stays.
func (g *group) compile() *Rules {
	slices.SortStableFunc(g.lines, func(a, b directive) int {
		return cmp.Or(cmp.Compare(len(b.value), len(a.value)), cmp.Compare(a.kind, b.kind), strings.Compare(a.value, b.value))
	})
	g.lines = slices.CompactFunc(g.lines, func(a, b directive) bool { return a.kind == b.kind && a.value == b.value })
	r := &Rules{rules: make([]rule, 0, len(g.lines)), delay: g.delay, delayed: g.delayed}
	var text strings.Builder
	for _, d := range g.lines {
		pattern := squeeze(d.value)
		u := newRule(pattern)
		u.start, u.line, u.allow = uint32(text.Len()), uint32(d.line), d.kind == allow //nolint:gosec // G115: a file's bound
		text.WriteString(pattern)
		r.rules = append(r.rules, u)
	}
	r.text = strings.Clone(text.String())
	if len(r.rules) > fewRules {
		r.index = newIndex(r)
	}
	return r
}

// Size returns how many bytes of memory the rules take.
func (r *Rules) Size() int {
	if r == nil {
		return 0
	}
	const own = 128
	return own + len(r.text) + ruleSize*len(r.rules) + r.index.size()
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
	return rule.allow, Match{Line: int(rule.line), Pattern: r.pattern(rule)}
}

// first returns the place of the first rule that matches, -1 where none does,
// and false where finding out takes more than w has left.
func (r *Rules) first(w *work) (place int, ok bool) {
	if r.index != nil {
		return r.index.first(r, w)
	}
	for i := range r.rules {
		switch matched, ok := w.matches(r, &r.rules[i]); {
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
