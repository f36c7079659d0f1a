// SPDX-License-Identifier: Apache-2.0

package robots

import (
	"maps"
	"slices"
	"strings"
)

const (
	fewRules = 16      // that are tried one by one
	fewPaths = 8       // rules for which a path's pairs are not worth their making
	maxWork  = 1 << 17 // of one decision, in units of a few nanoseconds
)

// newRule compiles a pattern, which is not empty.
func newRule(pattern string, line int, allow bool) rule {
	r := rule{pattern: pattern, prefix: pattern, line: line, allow: allow}
	if i := strings.IndexByte(pattern, '*'); i >= 0 {
		r.prefix, r.rest = pattern[:i], pattern[i:]
		for strings.Contains(r.rest, "**") {
			r.rest = strings.ReplaceAll(r.rest, "**", "*")
		}
	} else if before, ok := strings.CutSuffix(pattern, "$"); ok {
		r.prefix, r.rest = before, "$"
	}
	longest := ""
	for piece := range strings.SplitSeq(strings.TrimSuffix(r.rest, "$"), "*") {
		if len(piece) > len(longest) {
			longest = piece
		}
	}
	if n := len(longest); n >= 2 {
		r.need = pairOf(longest[n-2], longest[n-1])
	}
	return r
}

// pair stands for two bytes side by side, from 1; some share one.
type pair uint16

func pairOf(a, b byte) pair { return (pair(a)*67+pair(b))%4096 + 1 }

// pairs is a set of them.
type pairs [4097/64 + 1]uint64

func (p *pairs) add(text string) {
	for i := 1; i < len(text); i++ {
		n := pairOf(text[i-1], text[i])
		p[n/64] |= 1 << (n % 64)
	}
}

func (p *pairs) has(n pair) bool { return p[n/64]&(1<<(n%64)) != 0 }

// index finds rules by what a path must begin with.
type index struct {
	groups  map[string][]int32 // by prefix: places of rules, ascending
	lengths []int              // of the prefixes, ascending, each once
}

func newIndex(rules []rule) *index {
	x := &index{groups: make(map[string][]int32)}
	for i := range rules {
		p := rules[i].prefix
		x.groups[p] = append(x.groups[p], int32(i))
	}
	lengths := map[int]bool{}
	for p := range x.groups {
		lengths[len(p)] = true
	}
	x.lengths = slices.Sorted(maps.Keys(lengths))
	return x
}

// first is Rules.first. A group ends where a better rule is known.
func (x *index) first(rules []rule, w *work) (place int, ok bool) {
	place = -1
	var seen pairs
	made := false
	for _, n := range x.lengths {
		if n > len(w.path) {
			break
		}
		group := x.groups[w.path[:n]]
		if w.left -= 4 + n/8; len(group) > fewPaths && !made {
			seen.add(w.path)
			w.left -= len(w.path)
			made = true
		}
		for _, i := range group {
			if place >= 0 && int(i) > place {
				break
			}
			rule := &rules[i]
			if made && rule.need != 0 && !seen.has(rule.need) {
				w.left--
				continue
			}
			matched, ok := w.matches(rule)
			if !ok {
				return 0, false
			}
			if matched {
				place = int(i)
				break
			}
		}
	}
	return place, w.left >= 0
}

// work is one decision in progress.
type work struct {
	path string
	left int // units that it may still take
}

// matches reports whether r matches the path from its start: a star is any run
// of bytes, a dollar sign at the very end is the end of the path, all else is
// itself. It returns false for ok where no work is left.
//
// One pointer walks each text and neither turns back: a piece between two stars
// may be taken where it is found first, because what follows has all the more
// to choose from.
func (w *work) matches(r *rule) (matched, ok bool) {
	w.left -= 2
	if !strings.HasPrefix(w.path, r.prefix) {
		return false, w.left >= 0
	}
	path := w.path[len(r.prefix):]
	switch r.rest {
	case "":
		return true, true
	case "$":
		return path == "", true
	}
	rest, anchored := strings.CutSuffix(r.rest[1:], "$")
	for {
		piece, after, starred := strings.Cut(rest, "*")
		if !starred && anchored {
			return strings.HasSuffix(path, piece), true
		}
		i := strings.Index(path, piece)
		if i < 0 {
			w.left -= 8 + len(path)/4
			return false, w.left >= 0
		}
		if w.left -= 8 + i/4; w.left < 0 {
			return false, false
		}
		if !starred {
			return true, true
		}
		path, rest = path[i+len(piece):], after
	}
}
