// SPDX-License-Identifier: Apache-2.0

// Package pii finds personal data in text. It recognises identifiers by their
// grammar and, if they have one, by their checksum. It recognises persons and
// places by the words around them.
//
// # Security
//
// The text may be hostile. No expression backtracks. Each recogniser looks only
// a bounded distance to either side of a match, so the time is linear in the
// length of the text.
package pii

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/curlew/internal/sorting"
)

// Entity is a kind of personal data.
type Entity uint8

// Entities of the contract. [Entity.String] returns their
// names.
const (
	Person Entity = iota
	Email
	Phone
	Location
	Financial
	Secret

	Entities = 6 // the number of entities
)

var entityNames = [Entities]string{"PERSON", "EMAIL", "PHONE", "LOCATION", "FINANCIAL", "SECRET"}

// String returns the name of e in requests and answers.
func (e Entity) String() string { return entityNames[e] }

// EntityOf returns the entity with a name.
func EntityOf(name string) (Entity, bool) {
	i := slices.Index(entityNames[:], name)
	return Entity(max(i, 0)), i >= 0 //nolint:gosec // there are six
}

// Set is a set of entities. The zero Set contains all of them.
type Set uint8

// Of returns the set of the given entities.
func Of(list ...Entity) (s Set) {
	for _, e := range list {
		s |= 1 << e
	}
	return s
}

// Has reports whether e is in s.
func (s Set) Has(e Entity) bool { return s == 0 || s>>e&1 == 1 }

// Span is a piece of personal data: the bytes from Start up to but not
// including End. Both are on character boundaries.
type Span struct {
	Start, End int
	Entity     Entity
}

// Finder finds personal data. The zero Finder looks for all entities and for no
// region's national phone numbers. It is safe for concurrent use.
type Finder struct {
	Entities Set
	Region   string // ISO 3166-1 alpha-2 code in upper case of the country whose national phone numbers are recognised; empty for none
	Loose    bool   // accept identifiers without their usual grouping or cue; finds more, with more false positives

	// Names and Places are found wherever they occur as whole words, with the
	// same case. They must have at least two characters. At most 1,000 are
	// used.
	Names, Places []string

	// Stop is called often during a search. If it returns true, the search
	// ends, and the whole text counts as personal. It may be nil.
	Stop func() bool
}

// Find returns the personal data in s, in order and without overlaps. Of two
// spans that overlap, it keeps the longer one.
func (f *Finder) Find(s string) []Span {
	x := f.scan(s)
	x.emails()
	x.phones()
	x.numbers()
	x.secrets()
	x.addresses()
	x.places()
	x.persons()
	x.known(f.Names, Person)
	x.known(f.Places, Location)
	if x.over {
		return []Span{{0, len(s), Secret}}
	}
	return settle(x.found)
}

// FindURL is Find for an absolute or relative URL. It leaves out matches that
// are likely only because a URL has no word boundaries. It never reports a
// host.
func (f *Finder) FindURL(s string) []Span {
	x := f.scan(s)
	scheme, rest, ok := strings.Cut(s, ":")
	host := 0 // end of the authority
	switch scheme = strings.ToLower(scheme); {
	case !ok:
	case scheme == "tel" || scheme == "sms" || scheme == "callto" || scheme == "whatsapp":
		if number := strings.TrimLeft(rest, "/"); digits(number) >= 3 {
			end := strings.IndexAny(number, "?;")
			if end < 0 {
				end = len(number)
			}
			at := len(s) - len(number)
			x.add(at, at+end, Phone)
		}
	case strings.HasPrefix(rest, "//"):
		host = len(s)
		if i := strings.IndexAny(rest[2:], "/?#"); i >= 0 {
			host = len(scheme) + len("://") + i
		}
	}
	x.emails()
	x.numbers()
	x.secrets()
	x.addresses()
	x.known(f.Names, Person)
	if x.over {
		return []Span{{0, len(s), Secret}}
	}
	at := strings.IndexByte(s[:host], '@') // the userinfo before it is secret as a whole
	kept := x.found[:0]
	for _, sp := range x.found {
		if sp.Start >= host {
			kept = append(kept, sp)
		}
	}
	if at > 0 && f.Entities.Has(Secret) {
		kept = append(kept, Span{len(scheme) + len("://"), at, Secret})
	}
	return settle(kept)
}

// A scan is the search of one text.
type scan struct {
	*Finder
	s     string
	words []word
	found []Span

	tokens int // JSON web tokens were searched up to here

	steps int
	over  bool // the search was stopped
}

// stopped counts a step of the search and reports whether the search must end.
func (x *scan) stopped() bool {
	if x.steps++; x.steps%1024 == 0 && x.Stop != nil && !x.over {
		x.over = x.Stop()
	}
	return x.over
}

// A word is a run of letters and digits. It may contain apostrophes.
type word struct {
	start, end int
	digit      bool // has an ASCII digit
	letter     bool // has a letter
	upper      bool // begins with a capital
}

func (f *Finder) scan(s string) *scan {
	x := &scan{Finder: f, s: s}
	for i := 0; i < len(s) && !x.stopped(); {
		w := word{start: i, end: i}
		for i < len(s) {
			r, size := rune(s[i]), 1
			if r >= utf8.RuneSelf {
				r, size = utf8.DecodeRuneInString(s[i:])
			}
			switch {
			case '0' <= r && r <= '9':
				w.digit = true
			case isLetter(r):
				if w.start == i {
					w.upper = isUpper(r)
				}
				w.letter = true
			case (r == '\'' || r == '’') && w.letter && i > w.start && i+size < len(s) && isLetterAt(s, i+size):
			default:
				r = -1
			}
			if r < 0 {
				break
			}
			i += size
			w.end = i
		}
		if w.end > w.start {
			x.words = append(x.words, w)
			continue
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return x
}

func (x *scan) text(w word) string { return x.s[w.start:w.end] }

// gap returns the text between word i and the next word. Without any text it is
// empty, and at the end of the text it is a line break.
func (x *scan) gap(i int) string {
	if i+1 >= len(x.words) {
		return "\n"
	}
	return x.s[x.words[i].end:x.words[i+1].start]
}

func (x *scan) add(start, end int, e Entity) {
	if x.Entities.Has(e) && end > start {
		x.found = append(x.found, Span{start, end, e})
	}
}

// settle sorts spans. Of spans that overlap it keeps the entity of the longest, and extends
// it over the others. Of two equal ranges it keeps the higher entity, because its
// recognisers are more certain.
func settle(all []Span) []Span {
	if len(all) == 0 {
		return nil
	}
	sorting.Stable(all, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(b.Entity, a.Entity))
	})
	kept := all[:0]
	for _, sp := range all {
		n := len(kept)
		switch {
		case n == 0 || kept[n-1].End <= sp.Start:
			kept = append(kept, sp)
		case sp.End-sp.Start > kept[n-1].End-kept[n-1].Start:
			// Extend the kept span over the part of the shorter one outside it.
			sp.Start = min(sp.Start, kept[n-1].Start)
			kept[n-1] = sp
		case sp.End > kept[n-1].End:
			kept[n-1].End = sp.End
		}
	}
	return kept
}

// known adds all occurrences of the names in list as whole words.
func (x *scan) known(list []string, e Entity) {
	if len(list) == 0 || !x.Entities.Has(e) {
		return
	}
	first := map[string][]string{} // by first word
	for _, name := range list[:min(len(list), 1000)] {
		if word, _, _ := strings.Cut(name, " "); len(name) >= 2 && word != "" {
			first[trimWord(word)] = append(first[trimWord(word)], name)
		}
	}
	for _, w := range x.words {
		if x.stopped() {
			return
		}
		for _, name := range first[x.text(w)] {
			end := x.match(w.start, name)
			if end > w.start {
				x.add(w.start, end, e)
			}
		}
	}
}

// match returns the end of name if the text at start is name, or 0. White space
// in name matches any white space.
func (x *scan) match(start int, name string) int {
	i := start
	for part := range strings.FieldsSeq(name) {
		if i > start {
			rest := strings.TrimLeft(x.s[i:min(len(x.s), i+8)], " \t\r\n\u00a0")
			n := min(len(x.s)-i, 8) - len(rest)
			if n == 0 {
				return 0
			}
			i += n
		}
		if !strings.HasPrefix(x.s[i:], part) {
			return 0
		}
		i += len(part)
	}
	if r, _ := utf8.DecodeRuneInString(x.s[i:]); isLetter(r) || '0' <= r && r <= '9' {
		return 0
	}
	return i
}

// trimWord returns the part of a token that the scan treats as a word.
func trimWord(s string) string {
	end := 0
	for i, r := range s {
		if !isLetter(r) && (r < '0' || r > '9') && r != '\'' && r != '’' {
			break
		}
		end = i + utf8.RuneLen(max(r, 0))
	}
	return s[:min(end, len(s))]
}

// digits counts the ASCII digits of s.
func digits(s string) int {
	n := 0
	for i := range len(s) {
		if isDigit(s[i]) {
			n++
		}
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isAlnum(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' }

// lookback is the maximal distance in bytes between a cue and what follows it.
const lookback = 32

// before reports whether one of cues precedes position at closely, in any case.
func (x *scan) before(at int, cues ...string) bool {
	lower := strings.ToLower(x.s[max(0, at-lookback):at])
	for _, cue := range cues {
		for rest := lower; ; {
			i := strings.Index(rest, cue)
			if i < 0 {
				break
			}
			letterBefore := i > 0 && rest[i-1]|0x20 >= 'a' && rest[i-1]|0x20 <= 'z'
			end := i + len(cue)
			letterBehind := end < len(rest) && rest[end]|0x20 >= 'a' && rest[end]|0x20 <= 'z'
			if !letterBefore && !letterBehind {
				return true
			}
			rest = rest[end:]
		}
	}
	return false
}
