// SPDX-License-Identifier: Apache-2.0

package scope

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/curlew/crawl/internal/shape"
	"example.com/curlew/crawl/robots"
	"example.com/curlew/internal/weburl"
)

// Via says how a URL was found. Some rules apply only to some of these ways.
type Via uint8

// Ways to a URL.
const (
	ViaLink     Via = iota
	ViaSitemap      // exempt from depth
	ViaRedirect     // exempt from depth, section, backward and not-included; may stay on its external site
	ViaMoved        // the start page's redirect: only robots and judge apply
	ViaStart        // the start page itself: only patterns, robots and judge apply
)

// Ref is the place where a URL was found.
type Ref struct {
	URL      string // URL of the page; absolute
	Base     string // base URL of its links; empty means URL
	Depth    int
	Kind     Kind
	Via      Via
	NoFollow bool   // the page says nofollow
	Rel      string // rel attribute of the link
}

// Decision is the result of the rules for one URL. In a list of steps, each
// step except the last is a rule that did not refuse.
type Decision struct {
	URL    string // absolute; as given if it is not a URL
	Key    string // dedupe key; empty if it is not a URL
	Follow bool
	Rule   Rule   // the rule of this step; in the last step the rule that refused, or zero
	Value  string // what decided: a host, extension, path scope, pattern, or line of robots.txt
	Kind   Kind
}

// Options are the rules of one crawl. The zero value of each field is the
// default of a crawl.
type Options struct {
	URL string // absolute; the origin of the crawl

	Include, Exclude []string // RE2, unanchored; at most 100 each, of 1,000 bytes
	FullURL          bool     // patterns match the whole URL instead of the path

	MaxDepth     *int // nil means no limit
	EntireDomain bool // include pages outside the URL's path on its host
	Subdomains   bool // include other hosts of the registrable domain
	External     bool // include pages of other sites, one hop away
	IgnoreQuery  bool // treat URLs that differ only in their query as one page
	KeepSimilar  bool // do not treat http and https, www., a trailing slash and index.html as the same page

	PageRobots    bool   // obey meta robots, X-Robots-Tag and rel=nofollow
	IgnoreRobots  bool   // ignore robots.txt
	LenientRobots bool   // a robots.txt that cannot be reached allows everything
	RobotsAgent   string // name to look up in robots.txt instead of the User-Agent

	// Limits beyond which a URL counts as one of an endless site. A negative
	// value means no limit.
	URLBytes int // zero means 2,048
	Segments int // segments of the path; zero means 32
	Repeats  int // repetitions of one segment in a path; zero means 3
	Keys     int // repetitions of one key in a query; zero means 5
}

// withDefaults returns o with all defaults filled in. It may be applied twice.
func (o Options) withDefaults() Options {
	set := func(n *int, value int) {
		switch {
		case *n == 0:
			*n = value
		case *n < 0:
			*n = math.MaxInt
		}
	}
	set(&o.URLBytes, 2048)
	set(&o.Segments, 32)
	set(&o.Repeats, 3)
	set(&o.Keys, 5)
	return o
}

// keys returns the options that decide which URLs are one page.
func (o Options) keys() weburl.KeyOptions {
	return weburl.KeyOptions{IgnoreQuery: o.IgnoreQuery, KeepSimilar: o.KeepSimilar}
}

// Scope contains the compiled rules that decide which URLs belong to a crawl.
// It is immutable and safe for concurrent use.
type Scope struct {
	o       Options // with defaults
	include []*regexp.Regexp
	exclude []*regexp.Regexp

	// The origin.
	url    string
	host   string // HostKey without www.
	domain string // registrable
	prefix string // path scope, ending in a slash
	exact  string // one more path that belongs to the scope; empty if there is none
}

// New compiles the rules of o. The error wraps a [*PatternError] for each
// invalid pattern.
func New(o Options) (*Scope, error) {
	u, err := weburl.Parse(o.URL)
	if err != nil {
		return nil, fmt.Errorf("URL: %w", err)
	}
	s := &Scope{o: o.withDefaults()}
	var faults [2]error
	s.include, faults[0] = compile(o.Include, false)
	s.exclude, faults[1] = compile(o.Exclude, true)
	if err := errors.Join(faults[:]...); err != nil {
		return nil, err
	}
	return s.around(u), nil
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

// Moved returns the rules of s with another origin, to which the start page was
// redirected.
func (s *Scope) Moved(to string) (*Scope, error) {
	u, err := weburl.Parse(to)
	if err != nil {
		return nil, fmt.Errorf("origin: %w", err)
	}
	return s.around(u), nil
}

// Origin returns the URL of the origin.
func (s *Scope) Origin() string { return s.url }

// Domain returns the registrable domain of the origin.
func (s *Scope) Domain() string { return s.domain }

// Prefix returns the path below which pages of the origin's host belong to the
// crawl. It ends in a slash.
func (s *Scope) Prefix() string { return s.prefix }

// Searches reports whether links of a page at this depth may be followed.
func (s *Scope) Searches(depth int) bool { return s.o.MaxDepth == nil || depth < *s.o.MaxDepth }

// pathScope returns the path scope of a path. If the path ends in a slash or
// names a file, prefix is the path up to its last slash. Otherwise prefix is
// the path with a slash appended, and exact is the path itself.
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

// Decide reports whether the crawl follows to, a link found at from. r contains
// the rules of to's origin, or is nil if they are not known yet. Decide does no
// I/O. It does not apply rules that need a crawl in progress: threat-list,
// duplicate, endless and room.
func (s *Scope) Decide(from Ref, to string, r *robots.Rules) Decision {
	return s.explain(from, to, r, nil)
}

// Explain returns all steps of Decide. The last step equals the result of
// Decide.
func (s *Scope) Explain(from Ref, to string, r *robots.Rules) []Decision {
	var steps []Decision
	last := s.explain(from, to, r, func(d Decision) { steps = append(steps, d) })
	return append(steps, last)
}

// explain calls passed, if it is not nil, for each rule that did not refuse,
// and returns the decision.
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
	c := Candidate{From: &from, URL: u.WithoutUser(), host: u.HostKey()}
	d.URL = c.Address()
	d.Key = string(c.URL.AppendKey(nil, s.o.keys()))
	c.Kind = s.KindOf(c.host)
	d.Kind = c.Kind
	for rule := RuleParse; rule < RuleCount; rule++ {
		refused, value := s.Ask(rule, &c, r)
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

// ruleOf returns the rule for an error of weburl.
func ruleOf(err error) Rule {
	if errors.Is(err, weburl.ErrScheme) {
		return RuleScheme
	}
	return RuleParse
}

// pure reports whether a Scope can apply rule without a crawl in progress.
func (r Rule) pure() bool {
	return r != RuleThreat && r != RuleDuplicate && r != RuleRoom && r != RuleEndless
}

// Candidate is a URL to which the rules are applied.
type Candidate struct {
	From *Ref
	URL  weburl.URL // without userinfo
	Kind Kind       // set by [Scope.Judge]

	host string // HostKey
}

// Address returns the URL that is requested and shown. It has a fragment only
// if that is a route.
func (c *Candidate) Address() string {
	if route(c.URL.Fragment()) {
		return c.URL.String()
	}
	return c.URL.WithoutFragment().String()
}

// route reports whether a fragment names a page of its own.
func route(fragment string) bool {
	return strings.HasPrefix(fragment, "/") && len(fragment) > 1 || strings.HasPrefix(fragment, "!/")
}

// KindOf returns the relation of a host to the origin. An IP address and a
// public suffix count as registrable domains without subdomains.
func (s *Scope) KindOf(host string) Kind {
	switch {
	case shape.Bare(host) == s.host:
		return Internal
	case weburl.Registrable(host) != s.domain:
		return External
	case !s.o.Subdomains && s.o.External:
		return External // one hop, like other external pages
	}
	return Subdomain
}

// Judge applies the rules from parse to nofollow, and returns the first rule that
// refuses c, with the value that decided. It sets c.host and c.Kind.
func (s *Scope) Judge(c *Candidate) (refused Rule, value string) {
	c.host = c.URL.HostKey()
	c.Kind = s.KindOf(c.host)
	for rule := RuleParse; rule <= RuleNofollow; rule++ {
		if refused, value := s.Ask(rule, c, nil); refused {
			return rule, value
		}
	}
	return 0, ""
}

// Ask reports whether one rule refuses c. If it does, value is the value that decided,
// such as a pattern.
func (s *Scope) Ask(rule Rule, c *Candidate, r *robots.Rules) (refused bool, value string) {
	if !c.From.Via.asks(rule) {
		return false, ""
	}
	link := c.From.Via == ViaLink
	switch rule {
	case RuleParse:
		return c.host == "", ""
	case RuleDepth:
		return link && !s.Searches(c.From.Depth), ""
	case RuleSection:
		return link && section(c), c.URL.Fragment()
	case RuleFileType:
		ext := extension(c.URL.Path())
		return slices.Contains(fileTypes, ext), ext
	case RuleExternal:
		return s.offSite(c), c.host
	case RuleSocial:
		return c.Kind == External && social(c.host), c.host
	case RuleBackward:
		return c.From.Via != ViaRedirect && c.Kind == Internal && !s.o.EntireDomain && !s.within(c.URL.Path()), s.prefix
	case RuleExcluded:
		return match(s.exclude, s.subject(c))
	case RuleNotIncluded:
		if len(s.include) == 0 || c.From.Via == ViaRedirect {
			return false, ""
		}
		included, value := match(s.include, s.subject(c))
		return !included, value
	case RuleNofollow:
		return link && s.o.PageRobots && (c.From.NoFollow || hasToken(c.From.Rel, "nofollow")), c.From.Rel
	case RuleRobots:
		return s.Disallowed(c.URL, r)
	case RuleTrap:
		return s.trap(c)
	}
	return false, "" // weburl checks the scheme, and the engine the other rules
}

// asks reports whether rule applies to a URL that was found in this way.
func (v Via) asks(rule Rule) bool {
	switch rule {
	case RuleParse, RuleRobots:
		return true
	case RuleExcluded, RuleNotIncluded:
		return v != ViaMoved
	}
	return v != ViaMoved && v != ViaStart
}

// section reports whether c is the page that links to it, except for the
// fragment.
func section(c *Candidate) bool {
	f := c.URL.Fragment()
	if f == "" || route(f) {
		return false
	}
	href, _, _ := strings.Cut(c.From.URL, "#")
	return c.URL.WithoutFragment().String() == href
}

// fileTypes are extensions of files that are not read.
var fileTypes = []string{
	"png", "jpg", "jpeg", "gif", "css", "js", "ico", "svg", "tiff", "zip", "exe", "dmg",
	"mp4", "mp3", "wav", "avi", "flv", "woff", "ttf", "woff2", "webp", "inc",
}

// extension returns the text after the last dot of the path's last segment, in
// lower case.
func extension(path string) string {
	last := path[strings.LastIndexByte(path, '/')+1:]
	dot := strings.LastIndexByte(last, '.')
	if dot < 0 || len(last)-dot > len(".woff2") {
		return ""
	}
	return strings.ToLower(last[dot+1:])
}

// offSite reports whether c is outside the site and not allowed, or was found
// outside the site. An allowed page outside the site may redirect within its
// own site.
func (s *Scope) offSite(c *Candidate) bool {
	if c.From.Kind == External {
		if c.From.Via != ViaRedirect {
			return true
		}
		if c.Kind == External {
			from, err := weburl.Parse(c.From.URL)
			return err != nil || weburl.Registrable(from.HostKey()) != weburl.Registrable(c.host)
		}
	}
	switch c.Kind {
	case Subdomain:
		return !s.o.Subdomains && !s.o.External
	case External:
		return !s.o.External
	}
	return false
}

// networks are the social networks that are never followed as external links.
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

// within reports whether path is in the path scope.
func (s *Scope) within(path string) bool {
	return strings.HasPrefix(path, s.prefix) || path == s.exact
}

// subject returns the text that patterns are matched against.
func (s *Scope) subject(c *Candidate) string {
	if s.o.FullURL {
		return c.URL.String()
	}
	return c.URL.Path()
}

// hasToken reports whether word occurs in a list of words.
func hasToken(list, word string) bool {
	if list == "" {
		return false
	}
	return slices.Contains(strings.FieldsFunc(list, func(r rune) bool {
		return r == ' ' || r == '\t' || r == '\n' || r == '\f' || r == '\r' || r == ','
	}), word)
}

// Disallowed checks robots.txt and returns the line that decided.
func (s *Scope) Disallowed(u weburl.URL, r *robots.Rules) (refused bool, line string) {
	if r == nil || s.o.IgnoreRobots {
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

// trap checks for shapes that only endless sites have. The frontier checks the
// part of the rule that needs several URLs.
func (s *Scope) trap(c *Candidate) (refused bool, value string) {
	t := &s.o
	if n := len(c.URL.String()); n > t.URLBytes {
		return true, strconv.Itoa(n) + " bytes"
	}
	path := c.URL.Path()
	segments := strings.Count(path, "/")
	if segments > t.Segments {
		return true, strconv.Itoa(segments) + " segments"
	}
	// With so few segments, none can repeat too often.
	if segments > t.Repeats {
		if word, n := most(path[1:], '/', false); n > t.Repeats {
			return true, word
		}
	}
	query, _ := c.URL.Query()
	if strings.Count(query, "&") >= t.Keys {
		if word, n := most(query, '&', true); n > t.Keys {
			return true, word
		}
	}
	return false, ""
}

// most returns the most frequent word in a list and its count. If keys is set,
// only the part before an equals sign counts. Empty words are ignored.
func most(list string, separator byte, keys bool) (word string, n int) {
	var few [40]string // most lists fit, which avoids an allocation
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
