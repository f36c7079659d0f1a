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

// Via says how a URL was found. Some ways exempt it from some rules.
type Via uint8

// Ways to a URL.
const (
	ViaLink     Via = iota
	ViaSitemap      // exempt from depth
	ViaRedirect     // exempt from depth, section, backward and not-included; may stay on its external site
	ViaMoved        // the start page's redirect: only robots and judge apply
	ViaStart        // the start page itself: only patterns, robots and judge apply
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

// Decision is the verdict of the rules about one URL. In a list of steps, each step
// except the last is a rule that did not refuse.
type Decision struct {
	URL    string // absolute; as given if it is not a URL
	Key    string // dedupe key; empty if it is not a URL
	Follow bool
	Rule   Rule   // the rule of this step; in the last step the rule that refused, or zero
	Value  string // what the rule decided by: host, extension, path scope, pattern, line of robots.txt
	Kind   Kind
}

// Options are the rules of one crawl. The zero value of each field is the
// default of a crawl.
type Options struct {
	URL string // absolute; the rules are drawn around it

	Include, Exclude []string // RE2, unanchored; at most 100 each, of 1,000 bytes
	FullURL          bool     // patterns match the whole URL instead of the path

	MaxDepth     *int // nil: no bound
	EntireDomain bool // pages outside the URL's path too, on its host
	Subdomains   bool // pages of other hosts of the registrable domain too
	External     bool // pages of other sites too, one hop away
	IgnoreQuery  bool // URLs that differ in their query are one page
	KeepSimilar  bool // http and https, www., a trailing slash and index.html make other pages

	PageRobots    bool   // obey meta robots, X-Robots-Tag and rel=nofollow
	IgnoreRobots  bool   // no robots.txt binds
	LenientRobots bool   // a robots.txt that cannot be reached allows everything
	RobotsAgent   string // asks robots.txt under another name than the User-Agent

	// The bounds past which a URL is taken for one of endlessly many; below zero
	// there is none.
	URLBytes int // zero means 2,048
	Segments int // of the path; zero means 32
	Repeats  int // of one segment in a path; zero means 3
	Keys     int // of one key in a query; zero means 5
}

// withDefaults returns o with every default filled in. It may be applied twice.
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

// keys returns which spellings are one page.
func (o Options) keys() weburl.KeyOptions {
	return weburl.KeyOptions{IgnoreQuery: o.IgnoreQuery, KeepSimilar: o.KeepSimilar}
}

// Scope is a crawl's rules, compiled: which URLs belong to it. It is immutable
// and safe for concurrent use.
type Scope struct {
	o       Options // with defaults
	include []*regexp.Regexp
	exclude []*regexp.Regexp

	// The origin.
	url    string
	host   string // HostKey without www.
	domain string // registrable
	prefix string // path scope, with its last slash
	exact  string // one more path that belongs to the scope; empty if there is none
}

// New returns the rules of o. The error wraps a [*PatternError] for each pattern
// that is no RE2.
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

// Moved returns the rules of s around another origin: where the start page was
// redirected to.
func (s *Scope) Moved(to string) (*Scope, error) {
	u, err := weburl.Parse(to)
	if err != nil {
		return nil, fmt.Errorf("origin: %w", err)
	}
	return s.around(u), nil
}

// Origin returns the URL around which the rules are drawn.
func (s *Scope) Origin() string { return s.url }

// Domain returns the registrable domain of the origin.
func (s *Scope) Domain() string { return s.domain }

// Prefix returns the path below which pages of the origin's host belong to the
// crawl; it ends in a slash.
func (s *Scope) Prefix() string { return s.prefix }

// Searches reports whether links of a page of a depth may be followed.
func (s *Scope) Searches(depth int) bool { return s.o.MaxDepth == nil || depth < *s.o.MaxDepth }

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

// Decide decides whether the crawl follows to, a reference found at from. R holds
// the rules of to's own origin; nil means that they are not known yet. Decide does
// no I/O. It does not apply rules that only a crawl in progress can: threat-list,
// duplicate, endless and room.
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

// Candidate is a URL on its way through the rules.
type Candidate struct {
	From *Ref
	URL  weburl.URL // without userinfo
	Kind Kind       // set by [Scope.Judge]

	host string // HostKey
}

// Address returns the URL as it is asked for and shown: without a fragment
// that is no route.
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

// KindOf returns where a host stands against the origin. An address and a public
// suffix are registrable domains of their own: nothing is below them.
func (s *Scope) KindOf(host string) Kind {
	switch {
	case shape.Bare(host) == s.host:
		return Internal
	case weburl.Registrable(host) != s.domain:
		return External
	case !s.o.Subdomains && s.o.External:
		return External // one hop, like any other
	}
	return Subdomain
}

// Judge asks the rules from parse to nofollow, and returns the first that
// refuses and what decided. c.host and c.Kind need not be
// set; c.Kind is afterwards.
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

// Ask reports whether one rule refuses c, and what decided.
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
func section(c *Candidate) bool {
	f := c.URL.Fragment()
	if f == "" || route(f) {
		return false
	}
	href, _, _ := strings.Cut(c.From.URL, "#")
	return c.URL.WithoutFragment().String() == href
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
func (s *Scope) subject(c *Candidate) string {
	if s.o.FullURL {
		return c.URL.String()
	}
	return c.URL.Path()
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

// Disallowed asks robots.txt, and returns the line that decided.
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

// trap asks for the shapes that only endless sites make. The pattern's part of
// the rule is the frontier's.
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
	// No word can come too often where there are not that many.
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
