// SPDX-License-Identifier: Apache-2.0

// Package robots reads robots.txt: bytes -> rules. It follows RFC 9309, and
// Google's published parser where the RFC leaves room: files in the wild are
// written against that one.
//
//	rules := robots.Parse(body).Agent(robots.Token(userAgent))
//	ok, match := rules.Allowed(u.RobotsPath())
//
// The package does no I/O. [FromStatus] and [Lifetime] hold the parts of
// fetching that are rules too.
//
// # Security
//
// A file is foreign: 500 KiB of it are read, 16,663 bytes of each line. Rules
// are found by their literal beginning, and a decision over wildcards takes a
// few hundred microseconds at most, whatever the file and the path.
package robots

import (
	"strings"
	"time"
)

// Bounds of one file. RFC 9309 2.5 asks for at least 500 KiB; the bound of a
// line is that of Google's parser, eight times the longest URL of old browsers.
const (
	maxBytes = 500 << 10
	maxLine  = 2083*8 - 1
)

// File is one robots.txt. It is immutable and safe for concurrent use. The zero
// value and nil allow everything.
type File struct {
	lines    []directive // user-agent, rules and delays, in order
	sitemaps []string
}

// Parse reads body. Nothing is ever a parse error: what is no line of a
// robots.txt is skipped. It keeps nothing of body.
func Parse(body []byte) *File {
	f := new(File)
	text, line := string(cut(body)), 0
	text = trimBOM(text)
	for len(text) > 0 {
		var raw string
		raw, text = nextLine(text)
		line++
		f.add(line, raw)
	}
	return f
}

// add takes in one line, numbered from 1.
func (f *File) add(line int, raw string) {
	key, value, ok := split(raw)
	if !ok {
		return
	}
	d := directive{kind: kindOf(key), line: line, value: value}
	switch d.kind {
	case unknown:
		return
	case sitemap:
		if value != "" {
			f.sitemaps = append(f.sitemaps, value)
		}
		return
	case allow, disallow:
		d.value = escape(value)
	case crawlDelay:
		d.delay, ok = parseDelay(value)
	case requestRate:
		d.delay, ok = parseRate(value)
	case userAgent:
	}
	if ok {
		f.lines = append(f.lines, d)
	}
}

// Sitemaps returns the values of the Sitemap lines, in order and as written:
// relative ones and repetitions included. The slice is the caller's.
func (f *File) Sitemaps() []string {
	if f == nil {
		return nil
	}
	return append([]string(nil), f.sitemaps...)
}

// Agent returns the rules that bind the crawler with these product tokens, as
// [Token] makes them. A token must equal the one of a group, ignoring case; all
// groups that name one of them are taken together, and only where none does,
// those of "*". Without a token the groups of "*" bind. It costs the length of
// the file: call it once a file.
func (f *File) Agent(tokens ...string) *Rules {
	var g gather
	if f != nil {
		for _, d := range f.lines {
			g.take(d, tokens)
		}
	}
	if g.named {
		return g.specific.compile()
	}
	return g.global.compile()
}

// gather is the state machine of groups: which of them the last user-agent
// lines opened, and what was said to each.
type gather struct {
	specific, global     group
	named                bool // some group names us, if only an empty one
	inSpecific, inGlobal bool // the open group names us, names everyone
	closed               bool // a rule was seen: the next user-agent opens a new group
}

// take reads one directive.
func (g *gather) take(d directive, tokens []string) {
	switch d.kind {
	case userAgent:
		if g.closed {
			g.inSpecific, g.inGlobal, g.closed = false, false, false
		}
		switch {
		case isGlobal(d.value):
			g.inGlobal = true
		case names(d.value, tokens):
			g.inSpecific, g.named = true, true
		}
	case allow, disallow:
		// A rule closes the list of agents whoever they are; before any
		// user-agent line it binds nobody.
		g.closed = true
		if to := g.open(); to != nil {
			to.add(d)
		}
	case crawlDelay, requestRate:
		if to := g.open(); to != nil {
			to.delay, to.delayed = max(to.delay, d.delay), true
		}
	case unknown, sitemap: // not among a file's lines
	}
}

// open returns the rules that the open group adds to, nil where it is not ours.
// A group for us and for everyone counts as ours.
func (g *gather) open() *group {
	switch {
	case g.inSpecific:
		return &g.specific
	case g.inGlobal:
		return &g.global
	}
	return nil
}

// isGlobal reports whether the value of a user-agent line means everyone. Google
// takes "* and more" for a star too.
func isGlobal(value string) bool {
	return value != "" && value[0] == '*' && (len(value) == 1 || isSpace(value[1]))
}

// names reports whether the value of a user-agent line names one of tokens.
func names(value string, tokens []string) bool {
	name := Token(value)
	if name == "" {
		return false
	}
	for _, t := range tokens {
		if strings.EqualFold(name, t) {
			return true
		}
	}
	return false
}

// Token returns the product token that userAgent begins with: its letters,
// hyphens and underscores (RFC 9309 2.2.1) up to anything else, so "Foo" of
// "Foo/1.0" and of "Foo Bar". It is empty where the text begins otherwise.
func Token(userAgent string) string {
	for i := range len(userAgent) {
		switch c := userAgent[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z', c == '-', c == '_':
		default:
			return userAgent[:i]
		}
	}
	return userAgent
}

// FromStatus reads the answer to a request for robots.txt, by RFC 9309 2.3.1.
// Status is that of the last hop, zero where there was no answer at all
// (timeout, DNS, connection, TLS); a 3xx is one that led nowhere within 5 hops.
//
// Where ok is false the file is unreachable (429, 5xx, no answer, no HTTP
// status): it should be asked for again, then a cached copy is better, and f is
// what binds if there is none: a file that disallows everything, or, where
// lenient, one that allows everything. Else f is final: the parsed body of a
// 2xx, and a file that allows everything after 3xx and 4xx.
func FromStatus(status int, body []byte, lenient bool) (f *File, ok bool) {
	switch {
	case status >= 200 && status < 300:
		return Parse(body), true
	case status >= 300 && status < 500 && status != 429:
		return new(File), true
	case lenient:
		return new(File), false
	}
	return disallowAll(), false
}

// disallowAll returns a file that was never read: its rule has line 0.
func disallowAll() *File {
	return &File{lines: []directive{{kind: userAgent, value: "*"}, {kind: disallow, value: "/"}}}
}

// Lifetimes of a file that was read.
const (
	minLifetime = 5 * time.Minute
	maxLifetime = 24 * time.Hour
)

// Lifetime returns how long a file that came with this Cache-Control value
// (several lines joined by commas) may be used: its max-age within 5 minutes
// and 24 hours, 5 minutes for no-store and no-cache, 24 hours (RFC 9309 2.4)
// where it says none of them.
func Lifetime(cacheControl string) time.Duration {
	life := maxLifetime
	for item := range strings.SplitSeq(cacheControl, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(item), "=")
		switch {
		case strings.EqualFold(name, "no-store"), strings.EqualFold(name, "no-cache"):
			return minLifetime
		case strings.EqualFold(name, "max-age"):
			seconds, ok := parseSeconds(strings.Trim(value, `"`))
			if ok {
				life = min(life, seconds)
			}
		}
	}
	return max(life, minLifetime)
}
