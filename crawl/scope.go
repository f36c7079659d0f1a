// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/curlew/crawl/internal/shape"
	"example.com/curlew/crawl/robots"
	"example.com/curlew/internal/weburl"
)

// Via says how a URL was come by, which decides what rules it is spared.
type Via uint8

// Ways to a URL.
const (
	ViaLink     Via = iota
	ViaSitemap      // spared depth
	ViaRedirect     // spared depth, section, backward and not-included; may stay on its external site
	ViaMoved        // the start page's redirect: only robots and judge are asked
	ViaStart        // the start page itself: patterns and robots are asked
)

// Ref is where a URL was found.
type Ref struct {
	URL      string // of the page; absolute
	Base     string // of its references; empty: URL
	Depth    int
	Kind     Kind
	Via      Via
	NoFollow bool   // the page says so
	Rel      string // of the link
}

// Decision is what the rules say of one URL. In a list of steps each but the
// last is a rule that did not refuse.
type Decision struct {
	URL    string // absolute; as given where it is no URL
	Key    string // dedupe key; empty where it is no URL
	Follow bool
	Rule   Rule   // that was asked; of the last step the one that refused, or zero
	Value  string // what decided: host, extension, path scope, pattern, line of robots.txt
	Kind   Kind
}

// Scope is a Config's rules, compiled: which URLs belong to the crawl. It is
// immutable and safe for concurrent use.
type Scope struct {
	c        Config
	maxDepth int
	include  []*regexp.Regexp
	exclude  []*regexp.Regexp

	// The origin.
	url    string
	host   string // HostKey without www.
	domain string // registrable
	prefix string // path scope, with its last slash
	exact  string // one path beside it; empty where there is none
}

// Compile returns the rules of c around its URL. Errors wrap [ErrConfig], and a
// [*PatternError] for each pattern that is no RE2.
func (c Config) Compile() (*Scope, error) {
	c = c.withDefaults()
	u, err := weburl.Parse(c.URL)
	if err != nil {
		return nil, fmt.Errorf("%w: URL: %w", ErrConfig, err)
	}
	s := &Scope{c: c, maxDepth: c.depthBound()}
	var faults [2]error
	s.include, faults[0] = compile(c.Include, false)
	s.exclude, faults[1] = compile(c.Exclude, true)
	if err := errors.Join(faults[:]...); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return s.around(u), nil
}

func compile(patterns []string, exclude bool) ([]*regexp.Regexp, error) {
	var list []*regexp.Regexp
	var faults []error
	for i, p := range patterns {
		var err error
		var re *regexp.Regexp
		switch {
		case i >= maxPatterns:
			err = fmt.Errorf("over %d patterns", maxPatterns)
		case utf8.RuneCountInString(p) > maxPatternSize:
			err = fmt.Errorf("over %d characters", maxPatternSize)
		default:
			re, err = regexp.Compile(p)
		}
		if err != nil {
			faults = append(faults, &PatternError{Exclude: exclude, Index: i, Err: err})
			if i >= maxPatterns {
				break
			}
			continue
		}
		list = append(list, re)
	}
	return list, errors.Join(faults...)
}

// around returns the rules of s with another origin.
func (s *Scope) around(u weburl.URL) *Scope {
	moved := *s
	moved.url = u.WithoutUser().String()
	host := u.HostKey()
	moved.host, moved.domain = shape.Bare(host), weburl.Registrable(host)
	moved.prefix, moved.exact = pathScope(u.Path())
	return &moved
}

// Moved returns the rules of s around another origin: where the start page was
// redirected to ([Stats.Origin]). The error wraps [ErrCorrupt] where that is no
// URL.
func (s *Scope) Moved(to string) (*Scope, error) {
	u, err := weburl.Parse(to)
	if err != nil {
		return nil, fmt.Errorf("%w: origin: %w", ErrCorrupt, err)
	}
	return s.around(u), nil
}

// Origin returns the URL around which the rules are drawn.
func (s *Scope) Origin() string { return s.url }

// pathScope returns the prefix that a path stands for: itself up to its last
// slash where it ends in one or names a file; else itself and a slash, and
// beside that the path alone.
func pathScope(path string) (prefix, exact string) {
	slash := strings.LastIndexByte(path, '/')
	last := path[slash+1:]
	if last == "" || isFile(last) {
		return path[:slash+1], ""
	}
	return path + "/", path
}

// isFile reports whether a segment ends in a dot and two or more letters or digits.
func isFile(segment string) bool {
	dot := strings.LastIndexByte(segment, '.')
	return dot >= 0 && len(segment)-dot > 2 && !strings.ContainsFunc(segment[dot+1:], notAlphanumeric)
}

func notAlphanumeric(r rune) bool {
	return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}

// Decide says whether the crawl follows to, a reference found at from. Rules
// are those of its own origin; nil means not known yet. It does no I/O: what
// only a crawl in progress knows (threat-list, duplicate, patterns of traps,
// room) is not asked.
func (s *Scope) Decide(from Ref, to string, r *robots.Rules) Decision {
	return s.explain(from, to, r, nil)
}

// Explain returns all steps of Decide; the last equals it.
func (s *Scope) Explain(from Ref, to string, r *robots.Rules) []Decision {
	var steps []Decision
	last := s.explain(from, to, r, func(d Decision) { steps = append(steps, d) })
	return append(steps, last)
}

// explain calls passed, if any, for each rule that did not refuse, and returns
// the decision.
func (s *Scope) explain(from Ref, to string, r *robots.Rules, passed func(Decision)) Decision {
	d := Decision{URL: to}
	base, err := weburl.Parse(from.URL)
	if err == nil && from.Base != "" {
		base, err = base.Link(from.Base)
	}
	if err != nil {
		d.Rule = RuleParse
		return d
	}
	u, err := base.Link(to)
	if err != nil {
		d.Rule = ruleOf(err)
		return d
	}
	c := candidate{from: &from, url: u.WithoutUser(), host: u.HostKey()}
	d.URL = c.address()
	d.Key = string(c.url.AppendKey(nil, s.c.keys()))
	c.kind = s.kind(c.host)
	d.Kind = c.kind
	for rule := RuleParse; rule < RuleCount; rule++ {
		refused, value := s.ask(rule, &c, r)
		d.Rule, d.Value = rule, value
		if refused {
			return d
		}
		if passed != nil && rule.pure() {
			step := d
			step.Follow = true
			passed(step)
		}
	}
	d.Rule, d.Value, d.Follow = 0, "", true
	return d
}

// ruleOf returns the rule that refuses what weburl does.
func ruleOf(err error) Rule {
	if errors.Is(err, weburl.ErrScheme) {
		return RuleScheme
	}
	return RuleParse
}

// pure reports whether a Scope can ask rule without a crawl in progress.
func (r Rule) pure() bool {
	return r != RuleThreat && r != RuleDuplicate && r != RuleRoom && r != RuleEndless
}

// candidate is a URL on its way through the rules.
type candidate struct {
	from *Ref
	url  weburl.URL
	host string // HostKey
	kind Kind
}

// address returns the URL as it is asked for and shown: without a fragment
// that is no route.
func (c *candidate) address() string {
	if route(c.url.Fragment()) {
		return c.url.String()
	}
	return c.url.WithoutFragment().String()
}

// route reports whether a fragment names a page of its own.
func route(fragment string) bool {
	return strings.HasPrefix(fragment, "/") && len(fragment) > 1 || strings.HasPrefix(fragment, "!/")
}

// kind returns where a host stands against the origin. An address and a public
// suffix are registrable domains of their own: nothing is below them.
func (s *Scope) kind(host string) Kind {
	switch {
	case shape.Bare(host) == s.host:
		return Internal
	case weburl.Registrable(host) != s.domain:
		return External
	case !s.c.Subdomains && s.c.External:
		return External // one hop, like any other
	}
	return Subdomain
}

// judge asks the rules from parse to nofollow, and returns the first that
// refuses and what decided. c.host and c.kind need not be
// set; c.kind is afterwards.
func (s *Scope) judge(c *candidate) (refused Rule, value string) {
	c.host = c.url.HostKey()
	c.kind = s.kind(c.host)
	for rule := RuleParse; rule <= RuleNofollow; rule++ {
		if refused, value := s.ask(rule, c, nil); refused {
			return rule, value
		}
	}
	return 0, ""
}

// ask reports whether one rule refuses c, and what decided.
func (s *Scope) ask(rule Rule, c *candidate, r *robots.Rules) (refused bool, value string) {
	if !c.from.Via.asks(rule) {
		return false, ""
	}
	link := c.from.Via == ViaLink
	switch rule {
	case RuleParse:
		return c.host == "", ""
	case RuleDepth:
		return link && c.from.Depth >= s.maxDepth, ""
	case RuleSection:
		return link && section(c), c.url.Fragment()
	case RuleFileType:
		ext := extension(c.url.Path())
		return slices.Contains(fileTypes, ext), ext
	case RuleExternal:
		return s.offSite(c), c.host
	case RuleSocial:
		return c.kind == External && social(c.host), c.host
	case RuleBackward:
		return c.from.Via != ViaRedirect && c.kind == Internal && !s.c.EntireDomain && !s.within(c.url.Path()), s.prefix
	case RuleExcluded:
		return match(s.exclude, s.subject(c))
	case RuleNotIncluded:
		if len(s.include) == 0 || c.from.Via == ViaRedirect {
			return false, ""
		}
		included, value := match(s.include, s.subject(c))
		return !included, value
	case RuleNofollow:
		return link && s.c.PageRobots && (c.from.NoFollow || hasToken(c.from.Rel, "nofollow")), c.from.Rel
	case RuleRobots:
		return s.disallowed(c.url, r)
	case RuleTrap:
		return s.trap(c)
	}
	return false, "" // scheme is weburl's, the rest the engine's
}

// asks reports whether a URL come by in this way is asked about rule at all.
func (v Via) asks(rule Rule) bool {
	switch rule {
	case RuleParse, RuleRobots:
		return true
	case RuleExcluded, RuleNotIncluded:
		return v != ViaMoved
	}
	return v != ViaMoved && v != ViaStart
}

// section reports whether c is the page that names it, but for a fragment.
func section(c *candidate) bool {
	f := c.url.Fragment()
	if f == "" || route(f) {
		return false
	}
	href, _, _ := strings.Cut(c.from.URL, "#")
	return c.url.WithoutFragment().String() == href
}

// fileTypes are extensions of what is not read.
var fileTypes = []string{
	"png", "jpg", "jpeg", "gif", "css", "js", "ico", "svg", "tiff", "zip", "exe", "dmg",
	"mp4", "mp3", "wav", "avi", "flv", "woff", "ttf", "woff2", "webp", "inc",
}

// extension returns what follows the last dot of the path's last segment, in
// lower case.
func extension(path string) string {
	last := path[strings.LastIndexByte(path, '/')+1:]
	dot := strings.LastIndexByte(last, '.')
	if dot < 0 || len(last)-dot > len(".woff2") {
		return ""
	}
	return strings.ToLower(last[dot+1:])
}

// offSite reports whether c is off the site and not wanted, or found off the
// site. A page admitted off the site may move inside its own.
func (s *Scope) offSite(c *candidate) bool {
	if c.from.Kind == External {
		if c.from.Via != ViaRedirect {
			return true
		}
		if c.kind == External {
			from, err := weburl.Parse(c.from.URL)
			return err != nil || weburl.Registrable(from.HostKey()) != weburl.Registrable(c.host)
		}
	}
	switch c.kind {
	case Subdomain:
		return !s.c.Subdomains && !s.c.External
	case External:
		return !s.c.External
	}
	return false
}

// networks are the sites that an external link never follows.
var networks = []string{
	"facebook.com", "twitter.com", "linkedin.com", "instagram.com", "pinterest.com",
	"github.com", "calendly.com", "discord.gg", "discord.com",
}

func social(host string) bool {
	for _, n := range networks {
		if rest, ok := strings.CutSuffix(host, n); ok && (rest == "" || strings.HasSuffix(rest, ".")) {
			return true
		}
	}
	return false
}

// within reports whether path lies in the path scope.
func (s *Scope) within(path string) bool {
	return strings.HasPrefix(path, s.prefix) || path == s.exact
}

// subject returns what patterns are matched against.
func (s *Scope) subject(c *candidate) string {
	if s.c.FullURL {
		return c.url.String()
	}
	return c.url.Path()
}

// match returns whether one of list matches, and which.
func match(list []*regexp.Regexp, text string) (bool, string) {
	for _, re := range list {
		if re.MatchString(text) {
			return true, re.String()
		}
	}
	return false, ""
}

// hasToken reports whether one of the words of list is word.
func hasToken(list, word string) bool {
	if list == "" {
		return false
	}
	return slices.Contains(strings.FieldsFunc(list, func(r rune) bool {
		return r == ' ' || r == '\t' || r == '\n' || r == '\f' || r == '\r' || r == ','
	}), word)
}

// disallowed asks robots.txt, and returns the line that decided.
func (s *Scope) disallowed(u weburl.URL, r *robots.Rules) (refused bool, line string) {
	if r == nil || s.c.Robots == RobotsIgnore {
		return false, ""
	}
	ok, m := r.Allowed(u.RobotsPath())
	switch {
	case m.Spent:
		return !ok, "wildcards without end"
	case m.Line == 0:
		return !ok, ""
	}
	return !ok, strconv.Itoa(m.Line) + ": " + m.Pattern
}

// trap asks for the shapes that only endless sites make. The pattern's part of
// the rule is the frontier's.
func (s *Scope) trap(c *candidate) (refused bool, value string) {
	t := s.c.Traps
	if n := len(c.url.String()); n > t.URLBytes {
		return true, strconv.Itoa(n) + " bytes"
	}
	path := c.url.Path()
	segments := strings.Count(path, "/")
	if segments > t.Segments {
		return true, strconv.Itoa(segments) + " segments"
	}
	// No word can come too often where there are not that many.
	if segments > t.Repeats {
		if word, n := most(path[1:], '/', false); n > t.Repeats {
			return true, word
		}
	}
	query, _ := c.url.Query()
	if strings.Count(query, "&") >= t.Keys {
		if word, n := most(query, '&', true); n > t.Keys {
			return true, word
		}
	}
	return false, ""
}

// most returns the word that comes most often in a list, and how often. Keys
// are words up to an equals sign; the empty word does not count.
func most(list string, separator byte, keys bool) (word string, n int) {
	var few [40]string // most lists fit, and need no memory of their own
	words := few[:0]
	for list != "" {
		w, rest, _ := strings.Cut(list, string(separator))
		list = rest
		if keys {
			w, _, _ = strings.Cut(w, "=")
		}
		if w != "" {
			words = append(words, w)
		}
	}
	slices.Sort(words)
	for start := 0; start < len(words); {
		end := start + 1
		for end < len(words) && words[end] == words[start] {
			end++
		}
		if end-start > n {
			word, n = words[start], end-start
		}
		start = end
	}
	return word, n
}
