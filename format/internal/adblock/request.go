// SPDX-License-Identifier: Apache-2.0

package adblock

import (
	"slices"
	"strings"
)

// Kind is the type of a request.
type Kind uint16

// Kinds of requests.
const (
	Image        Kind = 1 << iota
	Frame             // iframe, embed, object
	Media             // video, audio
	Link              // the target of a link
	other             // scripts, style sheets and the like, which have no visible element
	kindDocument      // exceptions only: nothing is blocked on the page
	kindHide          // exceptions only: nothing is hidden
	kindGeneric       // exceptions only: rules for every domain do not apply

	// A rule that names no kind applies to what a page loads. If it blocks a
	// whole host, it applies to links as well.
	loaded = Image | Frame | Media | other

	// Loaded is a request for anything that a page loads, if its kind is not known.
	Loaded Kind = loaded
)

// A rule blocks or allows requests whose URL matches a pattern.
type rule struct {
	host      string   // from ||host: the URL must be in this domain; empty means any URL
	parts     []string // the parts of the pattern between asterisks, in lower case
	left      bool     // the first part is at the start of the URL, or directly after the host
	right     bool     // the last part is at the end of the URL
	kinds     Kind
	third     int8 // 1: only requests to other sites; -1: only to the same site
	scope     scope
	important bool
}

// An address is one request that is checked.
type address struct {
	url, host string // in lower case
	page      *Page
	kind      Kind
	third     bool
}

// patterns indexes rules by the host or by a word that the URL must contain.
type patterns struct {
	byHost  map[string][]*rule
	byToken map[string][]*rule
	rest    []*rule
	about   []*rule // exceptions that apply to whole pages
}

// request adds a rule for requests. It returns false if the rule needs a
// browser or is invalid.
func (l *List) request(s string) bool {
	s, allow := strings.CutPrefix(s, "@@")
	r := &rule{}
	pattern := s
	if i := strings.LastIndexByte(s, '$'); i >= 0 && !strings.HasSuffix(s[:i], `\`) {
		pattern = s[:i]
		if !r.options(s[i+1:]) {
			return false
		}
	}
	if len(pattern) > 1 && pattern[0] == '/' && pattern[len(pattern)-1] == '/' {
		return false // a regular expression
	}
	pattern = strings.ToLower(pattern)
	whole := false
	if rest, ok := strings.CutPrefix(pattern, "||"); ok {
		end := strings.IndexAny(rest, "/^*?|:")
		if end < 0 {
			end = len(rest)
		}
		r.host, pattern, r.left = rest[:end], rest[end:], true
		whole = pattern == "" || pattern == "^"
		if strings.HasPrefix(pattern, "*") && r.host != "" && !strings.Contains(r.host, ".") {
			return false
		}
	} else if rest, ok := strings.CutPrefix(pattern, "|"); ok {
		pattern, r.left = rest, true
	}
	pattern, r.right = strings.CutSuffix(pattern, "|")
	r.parts = strings.Split(pattern, "*")
	if r.kinds == 0 {
		if r.kinds = loaded; whole {
			r.kinds |= Link
		}
	}
	return l.index(r, allow)
}

// index adds a rule to the table in which find looks for it. It returns false if the rule
// is for no kind of request that is checked, or if its pattern is too short.
func (l *List) index(r *rule, allow bool) bool {
	set := &l.block
	if allow {
		set = &l.allow
		if r.kinds&(kindDocument|kindHide|kindGeneric) != 0 {
			set.about = append(set.about, r)
			return true
		}
	}
	if r.kinds&(Image|Frame|Media|Link) == 0 {
		return false
	}
	if r.host != "" {
		if set.byHost == nil {
			set.byHost = map[string][]*rule{}
		}
		set.byHost[r.host] = append(set.byHost[r.host], r)
		return true
	}
	token := ""
	for i, part := range r.parts {
		for t := range inner(part, i > 0 || !r.left, i < len(r.parts)-1 || !r.right) {
			if len(t) > len(token) && t != "https" && t != "http" {
				token = t
			}
		}
	}
	switch {
	case len(token) >= 3:
		if set.byToken == nil {
			set.byToken = map[string][]*rule{}
		}
		set.byToken[token] = append(set.byToken[token], r)
	case len(strings.Join(r.parts, "")) < 3:
		return false // it would block everything
	default:
		set.rest = append(set.rest, r)
	}
	return true
}

// inner yields the words of part that are whole words in every URL that
// matches. If an end of part is open, the URL may continue the word there, so
// inner does not yield that word.
func inner(part string, openLeft, openRight bool) func(func(string) bool) {
	return func(yield func(string) bool) {
		start := -1
		for i := 0; i <= len(part); i++ {
			if i < len(part) && isWord(part[i]) {
				if start < 0 {
					start = i
				}
				continue
			}
			if start >= 0 && (start > 0 || !openLeft) && (i < len(part) || !openRight) && !yield(part[start:i]) {
				return
			}
			start = -1
		}
	}
}

func isWord(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

// options reads the options after the dollar sign. It returns false if one is
// unknown.
func (r *rule) options(s string) bool {
	var not Kind
	for o := range strings.SplitSeq(s, ",") {
		o = strings.TrimSpace(o)
		name, negated := strings.CutPrefix(o, "~")
		name, val, _ := strings.Cut(name, "=")
		var kind Kind
		switch strings.ToLower(name) {
		case "image", "background":
			kind = Image
		case "subdocument", "frame", "object", "object-subrequest":
			kind = Frame
		case "media":
			kind = Media
		case "popup", "popunder":
			kind = Link
		case "script", "stylesheet", "css", "xmlhttprequest", "xhr", "websocket", "webrtc", "ping", "font", "other":
			kind = other
		case "document", "doc", "all":
			kind = kindDocument
		case "elemhide", "ehide", "specifichide", "shide":
			kind = kindHide
		case "generichide", "ghide":
			kind = kindGeneric
		case "genericblock", "match-case", "collapse", "":
			continue
		case "third-party", "3p":
			if r.third = 1; negated {
				r.third = -1
			}
			continue
		case "first-party", "1p":
			if r.third = -1; negated {
				r.third = 1
			}
			continue
		case "important":
			r.important = true
			continue
		case "domain", "from":
			var ok bool
			if r.scope, ok = readScope(val, "|"); !ok {
				return false
			}
			continue
		default:
			return false
		}
		if negated {
			not |= kind
		} else {
			r.kinds |= kind
		}
	}
	if not != 0 {
		if r.kinds == 0 {
			r.kinds = loaded
		}
		r.kinds &^= not
	}
	return true
}

// find returns a rule that matches, or nil. It prefers an important rule, to which
// exceptions do not apply.
func (p *patterns) find(a *address) *rule {
	var found *rule
	try := func(list []*rule) bool {
		for _, r := range list {
			if r.kinds&a.kind != 0 && (found == nil || r.important) && r.matches(a) {
				found = r
				if r.important {
					return true
				}
			}
		}
		return false
	}
	for domain := range suffixes(a.host) {
		if try(p.byHost[domain]) {
			return found
		}
	}
	if len(p.byToken) > 0 {
		var tried []string // a URL may repeat a word
		for t := range inner(a.url, false, false) {
			list := p.byToken[t]
			if list == nil || slices.Contains(tried, t) {
				continue
			}
			if tried = append(tried, t); try(list) {
				return found
			}
		}
	}
	try(p.rest)
	return found
}

// matches reports whether r applies to a request.
func (r *rule) matches(a *address) bool {
	if r.third > 0 && !a.third || r.third < 0 && a.third || !r.scope.holds(a.page.host) {
		return false
	}
	s := a.url
	if r.host != "" {
		if rest, ok := strings.CutSuffix(a.host, r.host); !ok || rest != "" && rest[len(rest)-1] != '.' {
			return false
		}
		i := strings.Index(s, a.host)
		if i < 0 {
			return false
		}
		s = s[i+len(a.host):]
	}
	return r.fits(s)
}

// fits reports whether s contains the parts in order.
func (r *rule) fits(s string) bool {
	for i, part := range r.parts {
		last := i == len(r.parts)-1
		switch {
		case i == 0 && r.left:
			n := at(s, part)
			if n < 0 {
				return false
			}
			if last && r.right {
				return n == len(s)
			}
			s = s[n:]
		case last && r.right:
			for j := max(0, len(s)-len(part)); j <= len(s); j++ {
				if n := at(s[j:], part); n >= 0 && j+n == len(s) {
					return true
				}
			}
			return false
		default:
			j, n := 0, -1
			for ; j <= len(s); j++ {
				if n = at(s[j:], part); n >= 0 {
					break
				}
			}
			if n < 0 {
				return false
			}
			s = s[j+n:]
		}
	}
	return true
}

// at returns the length of the prefix of s that part matches, or -1 if there is
// none. A caret in part matches one separator character or the end of s.
func at(s, part string) int {
	for i := range len(part) {
		switch {
		case i >= len(s):
			if strings.Trim(part[i:], "^") == "" {
				return len(s)
			}
			return -1
		case part[i] == '^':
			if isWord(s[i]) || strings.IndexByte("_-.%", s[i]) >= 0 {
				return -1
			}
		case part[i] != s[i]:
			return -1
		}
	}
	return len(part)
}
