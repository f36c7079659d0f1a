// SPDX-License-Identifier: Apache-2.0

package linkrank

import (
	"slices"
	"strings"
	"unicode"

	"example.com/curlew/agent/internal/value"
	"example.com/curlew/internal/weburl"
)

// Scope says which URLs a run may request. Another port of a host is another site. The
// default ports of http and https count as one.
type Scope struct {
	Strict map[string]bool // identities of the only allowed URLs; nil if the scope is not strict
	Hosts  []string        // allowed hosts, with their subdomains; nil means the whole web
	sites  []site
	open   bool
}

// site is a host and the port of its URLs; the port is empty if it is the default
// of the scheme.
type site struct{ host, port string }

// siteOf returns the site of a canonical URL, or false if it has no host.
func siteOf(raw string) (site, bool) {
	u, err := weburl.Parse(raw)
	if err != nil {
		return site{}, false
	}
	s := site{value.Host(raw), strings.TrimPrefix(u.HostPort(), u.Host())}
	return s, s.host != ""
}

// NewScope returns the scope of a task whose URLs are canonical.
func NewScope(urls []string, strict bool) Scope {
	if len(urls) == 0 {
		return Scope{open: true}
	}
	var s Scope
	if strict {
		s.Strict = map[string]bool{}
		for _, u := range urls {
			s.Strict[identity(u)] = true
			if strings.HasPrefix(u, "http://") {
				s.Strict["plain "+identity(u)] = true
			}
		}
		return s
	}
	for _, u := range urls {
		own, ok := siteOf(u)
		if !ok || slices.Contains(s.sites, own) {
			continue
		}
		s.sites = append(s.sites, own)
		if !slices.Contains(s.Hosts, own.host) {
			s.Hosts = append(s.Hosts, own.host)
		}
	}
	return s
}

// identity returns the form in which URLs of a strict scope are compared: a canonical
// URL without its scheme, one leading www. and one trailing slash.
func identity(raw string) string {
	u, err := weburl.Parse(raw)
	if err != nil {
		return ""
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(raw, u.Scheme()), "://")
	rest = strings.TrimPrefix(rest, "www.")
	path, query, ok := strings.Cut(rest, "?")
	path = strings.TrimSuffix(path, "/")
	if ok {
		return path + "?" + query
	}
	return path
}

// Allows reports whether a canonical URL is in the scope. In a strict scope, http is
// not allowed in place of https.
func (s Scope) Allows(url string) bool {
	if url == "" {
		return false
	}
	if s.Strict != nil {
		id := identity(url)
		if strings.HasPrefix(url, "https://") {
			return s.Strict[id]
		}
		return s.Strict["plain "+id]
	}
	if s.open {
		return true
	}
	to, ok := siteOf(url)
	return ok && slices.ContainsFunc(s.sites, func(own site) bool {
		return to.port == own.port && (to.host == own.host || strings.HasSuffix(to.host, "."+own.host) && !isAddress(own.host))
	})
}

// isAddress reports whether a host is an IP address, which has no subdomains.
func isAddress(h string) bool {
	u, err := weburl.Parse("http://" + h + "/")
	if err != nil {
		return false
	}
	_, ok := u.Addr()
	return ok
}

// PromptURLs returns the URLs in a text in canonical form, at most 20.
func PromptURLs(text string) []string {
	var all []string
	for rest := text; len(all) < 20; {
		i := strings.Index(rest, "http")
		if i < 0 {
			break
		}
		rest = rest[i:]
		if !strings.HasPrefix(rest, "http://") && !strings.HasPrefix(rest, "https://") {
			rest = rest[4:]
			continue
		}
		end := strings.IndexFunc(rest, func(r rune) bool {
			return unicode.IsSpace(r) || strings.ContainsRune("\"'<>`|", r) || r > unicode.MaxASCII && unicode.In(r, unicode.Po, unicode.Ps, unicode.Pe, unicode.Pi, unicode.Pf)
		})
		if end < 0 {
			end = len(rest)
		}
		if c := value.Canonical(bareURL(rest[:end])); c != "" && !slices.Contains(all, c) {
			all = append(all, c)
		}
		rest = rest[end:]
	}
	return all
}

// bareURL returns a URL without the punctuation of the sentence after it. A closing
// bracket belongs to the URL if the URL contains the opening one.
func bareURL(s string) string {
	for s != "" {
		last := s[len(s)-1:]
		i := strings.Index(")]}", last)
		switch {
		case i >= 0 && strings.Count(s, last) > strings.Count(s, "([{"[i:i+1]):
		case strings.Contains(".,;:!?", last):
		default:
			return s
		}
		s = s[:len(s)-1]
	}
	return s
}
