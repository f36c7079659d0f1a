// SPDX-License-Identifier: Apache-2.0

package threat

import (
	"net/netip"
	"strings"

	"example.com/curlew/internal/weburl"
)

// entry is one entry of a list in normal form. It is either a name, an address,
// or, if stars is set, a pattern.
type entry struct {
	host  string // as [weburl.URL.HostKey] writes it; for a pattern, the labels after the last star
	below bool   // matches only names below host
	addr  bool
	stars string // pattern for the whole host
}

// String returns the normal form.
func (e entry) String() string {
	switch {
	case e.stars != "":
		return e.stars
	case e.below:
		return "*." + e.host
	}
	return e.host
}

// Error texts for the caller.
const (
	msgEmpty    = "must not be empty"
	msgControl  = "must not contain spaces or control characters"
	msgURL      = "must be a host name without protocol, port, path or userinfo"
	msgStar     = "may have a star only as its first label (*.example.com)"
	msgStarAddr = "must not have a star before an IP address"
	msgOneLabel = "must have at least two labels; to block a top-level domain use blockedTlds"
	msgHost     = "must be a valid host name or IP address"
	msgDot      = "must not begin with a dot"
	msgTLD      = "must be a valid top-level domain"
	msgLower    = "must be lower case"
)

// normalList returns the normal forms of list without duplicates, in the order
// of their first occurrence. If an entry is invalid, it returns the index of
// the first one and what is wrong with it. The list is never nil.
func normalList(list []string, form func(string) (entry, string)) (normal []string, at int, msg string) {
	normal = make([]string, 0, len(list))
	seen := make(map[string]bool, len(list))
	for i, raw := range list {
		e, msg := form(raw)
		if msg != "" {
			return nil, i, msg
		}
		if s := e.String(); !seen[s] {
			seen[s] = true
			normal = append(normal, s)
		}
	}
	return normal, 0, ""
}

// wireEntry parses an entry of blacklist or whitelist. If it is invalid, msg
// says why.
func wireEntry(raw string) (e entry, msg string) {
	text := strings.Trim(raw, " ")
	host, below := strings.CutPrefix(text, "*.")
	e, msg = hostEntry(host)
	switch {
	case msg != "":
		return entry{}, msg
	case e.addr && below:
		return entry{}, msgStarAddr
	case !e.addr && !strings.Contains(e.host, "."):
		return entry{}, msgOneLabel
	}
	e.below = below
	return e, ""
}

// starEntry parses an entry that may contain stars.
func starEntry(raw string) (e entry, msg string) {
	text := strings.ToLower(strings.Trim(raw, " "))
	star := strings.LastIndexByte(text, '*')
	if star < 0 || star == 0 && strings.HasPrefix(text, "*.") {
		return wireEntry(raw)
	}
	dot := strings.IndexByte(text[star:], '.')
	switch {
	case dot < 0:
		return entry{}, msgStar
	case len(text) > 253:
		return entry{}, msgHost
	}
	front, back := text[:star+dot+1], text[star+dot+1:]
	for i := range len(front) {
		// Only characters that occur in normalized hosts, so that the pattern
		// can match.
		c := front[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && !strings.ContainsRune("-_.*", rune(c)) {
			return entry{}, msgHost
		}
	}
	e, msg = hostEntry(back)
	switch {
	case msg != "":
		return entry{}, msg
	case e.addr:
		return entry{}, msgStarAddr
	case !strings.Contains(e.host, "."):
		return entry{}, msgOneLabel
	}
	return entry{host: e.host, stars: front + e.host}, ""
}

// tldEntry parses an entry of blockedTlds.
func tldEntry(raw string) (e entry, msg string) {
	text := strings.Trim(raw, " ")
	if strings.HasPrefix(text, ".") {
		return entry{}, msgDot
	}
	if e, msg = hostEntry(text); msg != "" {
		return entry{}, msg
	}
	if e.addr {
		return entry{}, msgTLD
	}
	return e, ""
}

// lowerTLDEntry is tldEntry for requests, which must not use upper case. The
// policy of an organization may use any case.
func lowerTLDEntry(raw string) (e entry, msg string) {
	if raw != strings.ToLower(raw) {
		return entry{}, msgLower
	}
	return tldEntry(raw)
}

// hostEntry parses a name or address without a star.
func hostEntry(text string) (e entry, msg string) {
	if text == "" {
		return entry{}, msgEmpty
	}
	if isPlain(text) {
		return entry{host: text}, ""
	}
	for i := range len(text) {
		// The URL parser would drop some of these characters, and take others
		// as the end of the host. An entry must not mean less than it says.
		switch c := text[i]; {
		case c <= ' ' || c == 0x7f:
			return entry{}, msgControl
		case c == '*':
			return entry{}, msgStar
		case strings.IndexByte(`/\?#@%`, c) >= 0:
			return entry{}, msgURL
		}
	}
	if strings.Contains(text, ":") {
		return addrEntry(text)
	}
	u, err := weburl.Parse("http://" + text + "/")
	if err != nil || u.HostKey() == "" {
		return entry{}, msgHost
	}
	_, addr := u.Addr()
	return entry{host: u.HostKey(), addr: addr}, ""
}

// isPlain reports whether text is a name that is already in normal form. It
// avoids the URL parser for most names, because a policy is compiled for each
// job.
func isPlain(text string) bool {
	label := 0 // length of the current label
	for i := range len(text) {
		switch c := text[i]; {
		case c == '.':
			if label == 0 {
				return false
			}
			label = 0
			continue
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_':
		case c == '-' && (label != 2 || text[i-2:i] != "xn"):
			// xn- may start Punycode, which the parser checks.
		default:
			return false
		}
		if label++; label > 63 {
			return false
		}
	}
	last := text[strings.LastIndexByte(text, '.')+1:]
	return len(text) <= 253 && last != "" && (last[0] < '0' || last[0] > '9') // a last label that starts with a digit may make the name an IPv4 address
}

// addrEntry parses an IPv6 address, with or without brackets. Any other text
// with a colon has a port or a protocol.
func addrEntry(text string) (entry, string) {
	bare := text
	if in, ok := strings.CutPrefix(text, "["); ok {
		if bare, ok = strings.CutSuffix(in, "]"); !ok {
			return entry{}, msgURL
		}
	}
	a, err := netip.ParseAddr(bare)
	if err != nil {
		return entry{}, msgURL
	}
	return entry{host: hostOf(a), addr: true}, ""
}

// hostOf returns the host of a URL with address a, as [weburl.URL.HostKey]
// writes it.
func hostOf(a netip.Addr) string {
	if a = a.Unmap(); a.Is4() {
		return a.String()
	}
	return "[" + a.String() + "]"
}

// parseNormal parses an entry that is already in normal form.
func parseNormal(s string) entry {
	host, below := strings.CutPrefix(s, "*.")
	if star := strings.LastIndexByte(host, '*'); star >= 0 {
		dot := strings.IndexByte(host[star:], '.')
		return entry{host: host[star+dot+1:], stars: s}
	}
	return entry{host: host, below: below, addr: isAddr(host)}
}

// isAddr reports whether a normalized host is an address. The last label of a
// name is never a number (internal/weburl).
func isAddr(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	return strings.HasPrefix(host, "[") || last != "" && strings.Trim(last, "0123456789") == ""
}

// cover finds the entries that a list makes redundant. It contains the entries
// of the list in normal form.
type cover map[string]bool

func newCover(list []string) cover {
	c := make(cover, len(list))
	for _, e := range list {
		c[e] = true
	}
	return c
}

// covers reports whether the list matches every host that s matches. A pattern
// with stars is only covered by an equal one.
func (c cover) covers(s string) bool {
	e := parseNormal(s)
	switch {
	case c[s] || !e.below && e.stars == "" && c[e.host]:
		return true
	case e.addr:
		a, err := netip.ParseAddr(strings.Trim(e.host, "[]"))
		return err == nil && c[embedded(a)]
	case e.below || e.stars != "":
		if c[e.host] || c["*."+e.host] {
			return true
		}
	}
	for rest := e.host; ; {
		_, parent, ok := strings.Cut(rest, ".")
		if !ok {
			return false
		}
		if c[parent] || c["*."+parent] {
			return true
		}
		rest = parent
	}
}
