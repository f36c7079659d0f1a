// SPDX-License-Identifier: Apache-2.0

// Package adblock reads filter lists and tells which elements of a page are
// advertisements. It supports the part of the EasyList syntax that needs no
// browser: rules that hide elements by a selector, rules that block requests by
// URL, their exceptions, and the domains that a rule is limited to.
//
// # Security
//
// Lists and pages may be hostile. The bytes, the number of rules and the length
// of each rule are limited. Checking an element costs a few map lookups, the
// selectors that share a name with it, and the patterns that share a word with
// its URL.
package adblock

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/curlew/format/internal/selector"
	"example.com/curlew/internal/weburl"
)

// Limits for all lists together.
const (
	maxBytes    = 64 << 20
	maxRules    = 1_000_000
	maxLine     = 8 << 10
	maxSelector = 1 << 10
	maxAddress  = 4 << 10 // bytes of a URL that are compared with patterns
	maxHost     = 253     // longer names are not valid host names
)

// ErrTooLong means that the lists exceed a limit.
var ErrTooLong = errors.New("filter lists exceed 64 MiB or 1,000,000 rules")

// List contains the rules of filter lists. It is immutable and safe for concurrent use.
type List struct {
	rules, skipped int

	generic  selector.Set           // selectors that apply on every domain
	hiders   []hider                // by index in generic
	specific map[string][]*specific // by domain
	shown    map[string][]*hider    // exceptions by selector

	block, allow patterns
}

// Rules returns the number of rules that are in use.
func (l *List) Rules() int { return l.rules }

// Skipped returns the number of rules that need a browser or cannot be read.
func (l *List) Skipped() int { return l.skipped }

// Read reads lists. Rules that it cannot read are skipped and counted. The
// error wraps [ErrTooLong] or an error of a reader.
func Read(lists ...io.Reader) (*List, error) {
	l := &List{specific: map[string][]*specific{}, shown: map[string][]*hider{}}
	left := maxBytes
	for _, r := range lists {
		lines := bufio.NewReaderSize(r, maxLine)
		for {
			line, err := lines.ReadSlice('\n')
			left -= len(line)
			if left < 0 || l.rules+l.skipped > maxRules {
				return nil, ErrTooLong
			}
			switch {
			case errors.Is(err, bufio.ErrBufferFull):
				l.skipped++
				for errors.Is(err, bufio.ErrBufferFull) && left >= 0 {
					line, err = lines.ReadSlice('\n')
					left -= len(line)
				}
			default:
				l.line(strings.ToValidUTF8(string(line), ""))
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
				return nil, fmt.Errorf("filter list: %w", err)
			}
		}
	}
	return l, nil
}

// line reads one rule.
func (l *List) line(s string) {
	s = strings.TrimSpace(strings.TrimPrefix(s, "\ufeff"))
	if s == "" || s[0] == '!' || s[0] == '[' && strings.HasSuffix(s, "]") {
		return
	}
	ok := false
	switch domains, text, kind := element(s); kind {
	case "##", "#@#":
		ok = l.hide(domains, text, kind == "#@#")
	case "":
		ok = l.request(s)
	}
	if ok {
		l.rules++
	} else {
		l.skipped++
	}
}

// element splits a rule that hides elements. For other rules kind is empty.
func element(s string) (domains, text, kind string) {
	for i := 0; ; {
		j := strings.IndexByte(s[i:], '#')
		if j < 0 || i+j > maxLine {
			return "", "", ""
		}
		i += j
		for _, kind := range []string{"##", "#@#", "#?#", "#@?#", "#$#", "#@$#", "#%#", "#@%#"} {
			if strings.HasPrefix(s[i:], kind) {
				return s[:i], strings.TrimSpace(s[i+len(kind):]), kind
			}
		}
		i++
	}
}

// Page applies the rules of a list to one page. It is not safe for concurrent use.
type Page struct {
	list     *List
	host     string
	site     string // registrable domain
	specific []*specific
	off      bool // nothing is blocked or hidden on the page
	noHide   bool // nothing is hidden on the page
	generic  bool // rules that apply on every domain apply
}

// Page returns the rules of l for the page at an absolute URL. It never fails.
func (l *List) Page(url string) *Page {
	host, _ := HostOf(url)
	p := &Page{list: l, host: host, site: weburl.Registrable(host), generic: true}
	for domain := range suffixes(host) {
		p.specific = append(p.specific, l.specific[domain]...)
	}
	a := address{url: strings.ToLower(clip(url)), host: host, page: p}
	for _, r := range l.allow.about {
		if r.matches(&a) {
			p.off = p.off || r.kinds&kindDocument != 0
			p.noHide = p.noHide || r.kinds&kindHide != 0
			p.generic = p.generic && r.kinds&kindGeneric == 0
		}
	}
	return p
}

// Blocks reports whether a request from the page to an absolute URL is
// blocked.
func (p *Page) Blocks(url string, kind Kind) bool {
	if p.off {
		return false
	}
	host, ok := HostOf(url)
	if !ok {
		return false
	}
	a := address{url: strings.ToLower(clip(url)), host: host, page: p, kind: kind}
	a.third = weburl.Registrable(host) != p.site
	r := p.list.block.find(&a)
	return r != nil && (r.important || p.list.allow.find(&a) == nil)
}

func clip(s string) string { return s[:min(len(s), maxAddress)] }

// HostOf returns the host of an absolute http or https URL, in lower case.
func HostOf(url string) (string, bool) {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return "", false
	}
	rest = rest[:min(len(rest), maxAddress)]
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		rest = rest[i+1:]
	}
	if !strings.HasPrefix(rest, "[") {
		rest, _, _ = strings.Cut(rest, ":")
	}
	return strings.ToLower(rest), rest != "" && len(rest) <= maxHost
}

// suffixes yields a host and its parent domains, longest first.
func suffixes(host string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for host != "" && yield(host) {
			_, host, _ = strings.Cut(host, ".")
		}
	}
}

// scope contains the domains that a rule is limited to, and those that it excludes.
type scope struct{ in, out []string }

// readScope reads domains separated by sep. A tilde marks a domain that is
// excluded.
func readScope(s, sep string) (c scope, ok bool) {
	if s == "" {
		return c, true
	}
	for d := range strings.SplitSeq(strings.ToLower(s), sep) {
		d = strings.TrimSpace(d)
		name := strings.TrimPrefix(d, "~")
		if name == "" || strings.ContainsAny(name, "*/ ") {
			return c, false
		}
		if name != d {
			c.out = append(c.out, name)
		} else {
			c.in = append(c.in, name)
		}
	}
	return c, true
}

// holds reports whether host is in the scope. The longest domain of host that
// the scope names decides.
func (c *scope) holds(host string) bool {
	if len(c.in) == 0 && len(c.out) == 0 {
		return true
	}
	for domain := range suffixes(host) {
		if slices.Contains(c.out, domain) {
			return false
		}
		if slices.Contains(c.in, domain) {
			return true
		}
	}
	return len(c.in) == 0
}
