// SPDX-License-Identifier: Apache-2.0

package robots

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"example.com/curlew/internal/sorting"
)

// Rules are the rules for one agent. A nil *Rules allows everything. Rules are
// immutable and safe for concurrent use, and keep no reference to the file.
type Rules struct {
	text    string // all patterns, concatenated
	rules   []rule // by priority; the first that matches decides
	index   *index // nil if there are few rules
	delay   time.Duration
	delayed bool
}

// rule is one compiled Allow or Disallow line. It is small, because some files
// have 50,000 rules and a crawl may keep thousands of files.
type rule struct {
	start  uint32 // start of its pattern in Rules.text
	line   uint32
	size   uint16 // length of the pattern, in which each run of stars is one star; lines are short enough for uint16
	prefix uint16 // length of the literal prefix; the rest is empty, "$", or begins with a star
	need   pair   // occurs in every path that the rest matches; zero if unknown
	allow  bool
}

const ruleSize = 16 // bytes of a rule

// pattern returns the pattern of a rule.
func (r *Rules) pattern(u *rule) string { return r.text[u.start:][:u.size] }

// prefix returns the prefix that a path must have.
func (r *Rules) prefix(u *rule) string { return r.text[u.start:][:u.prefix] }

// Match is the line that decided. It is zero if no line did.
type Match struct {
	Line    int    // from 1; zero with a pattern means that the file could not be fetched
	Pattern string // the normalized pattern: escapes in upper case, bytes over 0x7F escaped, runs of stars joined
	Spent   bool   // no line decided, because that would take more work than is allowed for a decision
}

// group contains the lines for one agent.
type group struct {
	lines   []directive // allow and disallow lines
	delay   time.Duration
	delayed bool
}

// add adds an allow or disallow line. An empty value matches nothing.
func (g *group) add(d directive) {
	if d.value == "" {
		return
	}
	g.lines = append(g.lines, d)
	if d.kind != allow {
		return
	}
	// Like Google, also allow the directory of an allowed index page.
	slash := strings.LastIndexByte(d.value, '/')
	if slash >= 0 && strings.HasPrefix(d.value[slash:], "/index.htm") {
		d.value = d.value[:slash+1] + "$"
		g.lines = append(g.lines, d)
	}
}

// compile sorts the rules by priority: longest pattern first, then Allow before
// Disallow, then by line. Of equal rules it keeps the first.
func (g *group) compile() *Rules {
	sorting.Stable(g.lines, func(a, b directive) int {
		return cmp.Or(cmp.Compare(len(b.value), len(a.value)), cmp.Compare(a.kind, b.kind), strings.Compare(a.value, b.value))
	})
	g.lines = slices.CompactFunc(g.lines, func(a, b directive) bool { return a.kind == b.kind && a.value == b.value })
	r := &Rules{rules: make([]rule, 0, len(g.lines)), delay: g.delay, delayed: g.delayed}
	var text strings.Builder
	for _, d := range g.lines {
		pattern := squeeze(d.value)
		u := newRule(pattern)
		u.start, u.line, u.allow = uint32(text.Len()), uint32(d.line), d.kind == allow //nolint:gosec // G115: files are small enough
		text.WriteString(pattern)
		r.rules = append(r.rules, u)
	}
	r.text = strings.Clone(text.String())
	if len(r.rules) > fewRules {
		r.index = newIndex(r)
	}
	return r
}

// Size returns the memory that the rules use, in bytes.
func (r *Rules) Size() int {
	if r == nil {
		return 0
	}
	const own = 128
	return own + len(r.text) + ruleSize*len(r.rules) + r.index.size()
}

// Allowed decides on a path and query in the form of weburl.URL.RobotsPath:
// with a leading slash, escapes in upper case and no fragment. The longest
// pattern that matches decides. If two have the same length, Allow wins.
// Without a match everything is allowed, and /robots.txt always is. If the
// wildcards of a file take too long, which only happens for hostile files, the
// URL is disallowed. The answer is the same each time.
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

// first returns the position of the first rule that matches, or -1. If w does
// not allow enough work, ok is false.
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

// CrawlDelay returns the pause that the file asks for in Crawl-delay or
// Request-rate lines. Of several it returns the longest. It is at most 24 h. If
// the file has no valid one, the result is false.
func (r *Rules) CrawlDelay() (time.Duration, bool) {
	if r == nil {
		return 0, false
	}
	return r.delay, r.delayed
}
