// SPDX-License-Identifier: Apache-2.0

package dom

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// The tree builder is linear in honest documents only. Four things let a small one
// cost without bound: formatting elements that stay open are copied, with
// their attributes, into every block that follows; every token walks the open
// elements; each further html or body tag hashes all the attributes that the
// element has; and attributes without a value escape a count of '='. survey is
// the cheap look that nearly every page passes; audit (audit.go) reads the
// tokens of the others and says what prune (prune.go) has to take away.
const (
	cloneBudget = 1 << 20  // copies, in elements of about 100 bytes
	depthBudget = 64 << 20 // open elements passed over, at a few ns each
	manyTags    = 250_000  // past this the depth matters
	manyRoots   = 8        // html and body tags
)

// formats are the formatting elements of HTML 13.2.4.2 but for a, of which
// the tree builder keeps one.
var formats = [...]string{"b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"}

// survey returns where text goes over a bound, len(text) if nowhere; about how
// many nodes what stands before makes, and whether it has to be audited; and
// whether some tag in it may be huge.
func (p Parser) survey(text string) (end, nodes int, suspect, huge bool) {
	end = min(len(text), p.Bytes)
	if p.Attributes < end {
		end = nth(text[:end], '=', p.Attributes)
	}
	for end > 0 && end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	var s surveyor
	at := strings.IndexByte(text[:end], '<')
	for at >= 0 {
		if s.tags == p.Tags || nodes >= p.Nodes {
			end = at
			break
		}
		s.tags++
		rest := text[at+1 : end]
		next := strings.IndexByte(rest, '<')
		nodes += s.nodes(rest, next)
		if next < 0 {
			s.tag(rest, "")
			break
		}
		s.tag(rest[:next], rest[next:])
		at += 1 + next
	}
	// An attribute takes two bytes at least.
	return end, nodes, s.suspect() || end/2 > p.Attributes, s.huge || end > hugeText
}

// nodes returns how many nodes a tag makes with the text behind it, about: rest
// begins after its '<', and next is where the next tag begins, -1 where there
// is none.
func (s *surveyor) nodes(rest string, next int) (n int) {
	if next > 0 && rest[next-1] != '>' {
		n++
	}
	if len(rest) < 2 {
		return n + 1
	}
	switch first, second := rest[0]|0x20, rest[1]|0x20; {
	case rest[0] == '/' && second == 'p' && !s.para, rest[0] == '/' && (second < 'a' || second > 'z' || second == 'b'):
		n++ // the end of what is not open, or a comment
	case rest[0] == '/':
		s.para = s.para && second != 'p'
	case first == 't' && second == 'a':
		n += 3 // with the body and row that cells of a table get
	default:
		s.para = s.para || first == 'p'
		n++
	}
	return n
}

// nth returns the index of the c in s that n others precede, or len(s).
func nth(s string, c byte, n int) int {
	if strings.Count(s, string(c)) <= n {
		return len(s)
	}
	at := 0
	for range n {
		at += strings.IndexByte(s[at:], c) + 1
	}
	return at + strings.IndexByte(s[at:], c)
}

// surveyor adds up, never too low, what the formatting elements that are open
// at once may weigh: an element is 1, attributes come on top.
type surveyor struct {
	tags, roots int
	plain       [len(formats)]int // without attributes
	link        int               // the heaviest a
	weight      int               // of the other formatting elements
	huge        bool
	para        bool // a p was met whose end was not
}

func (s *surveyor) suspect() bool {
	return s.tags > manyTags || s.roots > manyRoots || s.tags*(s.weight+s.link) > cloneBudget
}

// tag takes what stands after a '<' and before the next, which begins rest.
func (s *surveyor) tag(text, rest string) {
	s.huge = s.huge || len(text) > hugeTag
	name, i := shortName(text)
	switch {
	case name == 0:
	case i == nameLink:
		s.link = max(s.link, weight(len(text)))
	case i == nameRoot:
		s.roots++
	case len(text) > name && text[name] == '>':
		// The tree builder keeps three of the same (the Noah's Ark clause).
		if s.plain[i] < 3 {
			s.plain[i]++
			s.weight++
		}
	case !closesAtOnce(text, rest, text[:name]):
		s.weight += weight(len(text))
	}
}

// weight is what a copy of a tag of size bytes may cost.
func weight(size int) int { return 1 + size/32 }

// What shortName knows beside the elements of formats.
const (
	nameLink = -1 // a
	nameRoot = -2 // html and body
)

// shortName returns the length of the tag name that s begins with, and which
// of formats it is, or nameLink or nameRoot. The length is 0 where it is none
// of them.
func shortName(s string) (size, index int) {
	if s == "" || s[0]|0x20 == 'p' || s[0] == '/' { // most are
		return 0, 0
	}
	var name [7]byte
	n := 0
	for n < len(s) && n < len(name) {
		c := s[n] | 0x20
		if c < 'a' || c > 'z' {
			break
		}
		name[n] = c
		n++
	}
	if n == 0 || n == len(name) || n < len(s) && !isSpace(s[n]) && s[n] != '>' && s[n] != '/' {
		return 0, 0
	}
	switch string(name[:n]) {
	case "a":
		return n, nameLink
	case "html", "body":
		return n, nameRoot
	case "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u":
		return n, slices.Index(formats[:], string(name[:n]))
	}
	return 0, 0
}

// closesAtOnce reports whether the element name, whose tag begins text, is
// surely closed by the tag that begins rest. Only attributes of the plainest
// form are taken for sure: a '>' or '<' in a value could hide that the next
// tag is none.
func closesAtOnce(text, rest, name string) bool {
	s := text[len(name):]
	for {
		s = strings.TrimLeft(s, " \t\r\n\f")
		if strings.HasPrefix(s, ">") {
			break
		}
		n := 0
		for n < len(s) && (s[n]|0x20 >= 'a' && s[n]|0x20 <= 'z' || s[n] == '-') {
			n++
		}
		value, ok := strings.CutPrefix(s[n:], `="`)
		if !ok || n == 0 {
			return false
		}
		if _, s, ok = strings.Cut(value, `"`); !ok {
			return false
		}
		if s == "" || !isSpace(s[0]) && s[0] != '>' {
			return false
		}
	}
	closing, ok := strings.CutPrefix(rest, "</")
	return ok && len(closing) > len(name) && closing[len(name)] == '>' && strings.EqualFold(closing[:len(name)], name)
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }
