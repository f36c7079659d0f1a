// SPDX-License-Identifier: Apache-2.0

package dom

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// The tree builder is linear only for normal documents. Four constructs make
// small documents very expensive: formatting elements that stay open are
// copied, with their attributes, into every following block; every token
// searches the open elements; each further html or body tag hashes all
// attributes of that element; and attributes without a value are not found by
// counting '='. survey is a cheap check that almost every page passes. For
// other pages, audit (audit.go) reads the tokens and determines what prune
// (prune.go) must remove.
const (
	cloneBudget = 1 << 20  // number of copies, as elements of about 100 bytes
	depthBudget = 64 << 20 // number of open elements searched, at a few ns each
	manyTags    = 250_000  // number from which the depth matters
	manyRoots   = 8        // number of html and body tags
)

// formats are the formatting elements of HTML 13.2.4.2, except for a, of which
// the tree builder keeps only one.
var formats = [...]string{"b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"}

// survey returns the index at which text exceeds a limit, or len(text); an
// estimate of the nodes before it; whether it must be audited; and whether a
// tag in it may be huge.
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
	// An attribute takes at least two bytes.
	return end, nodes, s.suspect() || end/2 > p.Attributes, s.huge || end > hugeText
}

// nodes estimates how many nodes a tag creates together with the text after it.
// rest starts after its '<', and next is the start of the next tag in rest, or
// -1.
func (s *surveyor) nodes(rest string, next int) (n int) {
	if next > 0 && rest[next-1] != '>' {
		n++
	}
	if len(rest) < 2 {
		return n + 1
	}
	switch first, second := rest[0]|0x20, rest[1]|0x20; {
	case rest[0] == '/' && second == 'p' && !s.para, rest[0] == '/' && (second < 'a' || second > 'z' || second == 'b'):
		n++ // an end tag without an open element, or a comment
	case rest[0] == '/':
		s.para = s.para && second != 'p'
	case first == 't' && second == 'a':
		n += 3 // with the tbody and tr that the cells of a table get
	default:
		s.para = s.para || first == 'p'
		n++
	}
	return n
}

// nth returns the index of the c in s that follows n others, or len(s).
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

// surveyor estimates, never too low, the weight of the formatting elements that
// are open at the same time. An element weighs 1, plus its attributes.
type surveyor struct {
	tags, roots int
	plain       [len(formats)]int // without attributes
	link        int               // weight of the heaviest a
	weight      int               // of the other formatting elements
	huge        bool
	para        bool // a p was seen whose end was not
}

func (s *surveyor) suspect() bool {
	return s.tags > manyTags || s.roots > manyRoots || s.tags*(s.weight+s.link) > cloneBudget
}

// tag handles a tag. text is what follows its '<', and rest is what follows the
// next '<'.
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
		// The tree builder keeps three equal elements (the Noah's Ark clause).
		if s.plain[i] < 3 {
			s.plain[i]++
			s.weight++
		}
	case !closesAtOnce(text, rest, text[:name]):
		s.weight += weight(len(text))
	}
}

// weight is the possible cost of copying a tag of size bytes.
func weight(size int) int { return 1 + size/32 }

// Results of shortName besides the indices of formats.
const (
	nameLink = -1 // a
	nameRoot = -2 // html and body
)

// shortName returns the length of the tag name at the start of s, and its index
// in formats, nameLink or nameRoot. If it is none of them, the length is 0.
func shortName(s string) (size, index int) {
	if s == "" || s[0]|0x20 == 'p' || s[0] == '/' { // which applies to most tags
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

// closesAtOnce reports whether the tag at the start of rest certainly closes
// the element name, whose tag starts text. It requires attributes of the
// simplest form, because a '>' or '<' in a value could mean that rest does not
// start with a tag.
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
