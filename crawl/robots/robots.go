// SPDX-License-Identifier: Apache-2.0

// Package robots parses robots.txt files. It follows RFC 9309, and Google's
// published parser if the RFC leaves a choice, because real files are written
// for that parser.
//
//	rules := robots.Parse(body).Agent(robots.Token(userAgent))
//	ok, match := rules.Allowed(u.RobotsPath())
//
// A file in UTF-16 that begins with a byte order mark is decoded.
//
// The package does no I/O. [FromStatus] and [Lifetime] implement the rules for
// fetching the file.
//
// # Security
//
// Files come from untrusted sites. At most 500 KiB of a file and 16,663 bytes
// of a line are read. Rules are found by their literal prefix. A decision with
// wildcards takes at most a few hundred microseconds for any file and path.
package robots

import (
	"bytes"
	"strings"
	"time"
)

// Limits for one file. RFC 9309, 2.5, requires at least 500 KiB. The limit of a
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

// Cut reports whether [Parse] does not read the last lines of body, because it is longer
// than 500 KiB.
func Cut(body []byte) bool {
	body = decoded(body)
	return len(bytes.TrimSpace(body[len(cut(body)):])) > 0
}

// Parse parses body. It never fails, and skips invalid lines. It keeps no
// reference to body.
func Parse(body []byte) *File {
	f := new(File)
	text, line := string(cut(decoded(body))), 0
	text = trimBOM(text)
	for len(text) > 0 {
		var raw string
		raw, text = nextLine(text)
		line++
		f.add(line, raw)
	}
	return f
}

// add parses one line. Line numbers start at 1.
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

// Sitemaps returns the values of the Sitemap lines in order and as written,
// including relative and repeated ones. The caller owns the slice.
func (f *File) Sitemaps() []string {
	if f == nil {
		return nil
	}
	return append([]string(nil), f.sitemaps...)
}

// Agent returns the rules for a crawler with these product tokens, which
// [Token] creates. A group applies if its name equals a token, ignoring case.
// All groups that apply are combined. If none does, or there is no token, the
// groups of "*" apply. Agent reads the whole file, so call it once for each
// file.
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

// gather collects the rules of an agent. It tracks which groups the last
// user-agent lines opened.
type gather struct {
	specific, global     group
	named                bool // a group names this agent, even if it is empty
	inSpecific, inGlobal bool // the open group names this agent; it names everyone
	closed               bool // a rule was read, so the next user-agent line opens a new group
}

// take processes one directive.
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
		// A rule ends the list of agents, whichever they are. Before any
		// user-agent line it applies to nobody.
		g.closed = true
		if to := g.open(); to != nil {
			to.add(d)
		}
	case crawlDelay, requestRate:
		if to := g.open(); to != nil {
			to.delay, to.delayed = max(to.delay, d.delay), true
		}
	case unknown, sitemap: // these are not stored in a file
	}
}

// open returns the group that rules are added to, or nil if the open group does
// not apply. A group for this agent and for everyone counts as one for this
// agent.
func (g *gather) open() *group {
	switch {
	case g.inSpecific:
		return &g.specific
	case g.inGlobal:
		return &g.global
	}
	return nil
}

// isGlobal reports whether the value of a user-agent line means everyone.
// Google also accepts "* and more".
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

// Token returns the product token at the start of userAgent: its letters,
// hyphens and underscores (RFC 9309, 2.2.1). It is "Foo" for "Foo/1.0" and "Foo
// Bar". If the text begins with another character, it is empty.
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

// FromStatus interprets the answer to a request for robots.txt (RFC 9309,
// 2.3.1). status is that of the last redirect. It is zero if there was no
// answer (timeout, DNS, connection, TLS). A 3xx means that the redirects did
// not end within 5 hops.
//
// If ok is false, the file is unreachable (429, 5xx, no answer, no HTTP status)
// and should be requested again. A cached copy is better then. Without one use
// f, which disallows everything or, if lenient is set, allows everything. If ok
// is true, f is final: the parsed body of a 2xx, or a file that allows
// everything after a 3xx or 4xx.
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

// disallowAll returns a file that disallows everything. Its rule has line 0.
func disallowAll() *File {
	return &File{lines: []directive{{kind: userAgent, value: "*"}, {kind: disallow, value: "/"}}}
}

// Lifetimes of a file that was fetched.
const (
	minLifetime = 5 * time.Minute
	maxLifetime = 24 * time.Hour
)

// Lifetime returns how long a file with this Cache-Control value may be used.
// Several header lines are joined by commas. It is the max-age, at least 5
// minutes and at most 24 hours. For no-store and no-cache it is 5 minutes, and
// without any of them 24 hours (RFC 9309, 2.4).
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
