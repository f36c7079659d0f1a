// SPDX-License-Identifier: Apache-2.0

package robots

import (
	"hash/maphash"
	"math/bits"
	"slices"
	"strings"

	"example.com/curlew/internal/sorting"
)

const (
	fewRules = 16      // up to this number, rules are tried one by one
	fewPaths = 8       // rules of one prefix up to which computing the pairs of a path is not worthwhile
	maxWork  = 1 << 17 // limit for one decision, in units of a few nanoseconds
)

// squeeze replaces each run of stars in a pattern by one star.
func squeeze(pattern string) string {
	for strings.Contains(pattern, "**") {
		pattern = strings.ReplaceAll(pattern, "**", "*")
	}
	return pattern
}

// newRule compiles a pattern, which must not be empty. The caller sets line and
// meaning.
func newRule(pattern string) rule {
	prefix, rest := pattern, ""
	if i := strings.IndexByte(pattern, '*'); i >= 0 {
		prefix, rest = pattern[:i], pattern[i:]
	} else if before, ok := strings.CutSuffix(pattern, "$"); ok {
		prefix, rest = before, "$"
	}
	r := rule{size: uint16(len(pattern)), prefix: uint16(len(prefix))} //nolint:gosec // G115: lines are short enough
	longest := ""
	for piece := range strings.SplitSeq(strings.TrimSuffix(rest, "$"), "*") {
		if len(piece) > len(longest) {
			longest = piece
		}
	}
	if n := len(longest); n >= 2 {
		r.need = pairOf(longest[n-2], longest[n-1])
	}
	return r
}

// pair identifies two adjacent bytes, from 1. Some pairs of bytes share a
// number.
type pair uint16

func pairOf(a, b byte) pair { return (pair(a)*67+pair(b))%4096 + 1 }

// pairs is a set of pairs.
type pairs [4097/64 + 1]uint64

func (p *pairs) add(text string) {
	for i := 1; i < len(text); i++ {
		n := pairOf(text[i-1], text[i])
		p[n/64] |= 1 << (n % 64)
	}
}

func (p *pairs) has(n pair) bool { return p[n/64]&(1<<(n%64)) != 0 }

// index finds rules by the prefix that a path must have.
type index struct {
	seed    maphash.Seed
	order   []int32 // positions of rules, by prefix and ascending; the last one of each prefix is stored as its complement
	slots   []int32 // hash table of prefixes: where each begins in order, from 1
	lengths []int   // distinct lengths of the prefixes, ascending
}

func newIndex(r *Rules) *index {
	x := &index{seed: maphash.MakeSeed(), order: make([]int32, len(r.rules))}
	for i := range x.order {
		x.order[i] = int32(i)
	}
	sorting.Stable(x.order, func(a, b int32) int {
		return strings.Compare(r.prefix(&r.rules[a]), r.prefix(&r.rules[b]))
	})
	var begins []int32
	for i := range x.order {
		if i == 0 || r.prefix(&r.rules[x.order[i]]) != r.prefix(&r.rules[x.order[i-1]]) {
			begins = append(begins, int32(i))
		}
	}
	x.slots = make([]int32, 1<<bits.Len(uint(len(begins)+len(begins)/2)))
	for _, at := range begins {
		prefix := r.prefix(&r.rules[x.order[at]])
		x.lengths = append(x.lengths, len(prefix))
		slot := x.slot(prefix)
		for x.slots[slot] != 0 {
			slot = x.next(slot)
		}
		x.slots[slot] = at + 1
		if at > 0 {
			x.order[at-1] = ^x.order[at-1]
		}
	}
	if n := len(x.order); n > 0 {
		x.order[n-1] = ^x.order[n-1]
	}
	slices.Sort(x.lengths)
	x.lengths = slices.Clip(slices.Compact(x.lengths))
	return x
}

// slot returns the slot at which the search for a prefix begins.
func (x *index) slot(prefix string) int {
	return int(maphash.String(x.seed, prefix) & uint64(len(x.slots)-1)) //nolint:gosec // G115: less than len
}

func (x *index) next(slot int) int { return (slot + 1) & (len(x.slots) - 1) }

// group returns the part of order that begins with the rules of a prefix. They
// are ascending, and the last one is stored as its complement.
func (x *index) group(r *Rules, prefix string) []int32 {
	for slot := x.slot(prefix); x.slots[slot] != 0; slot = x.next(slot) {
		group := x.order[x.slots[slot]-1:]
		if r.prefix(&r.rules[max(group[0], ^group[0])]) == prefix {
			return group
		}
	}
	return nil
}

// size returns the memory that x uses, in bytes.
func (x *index) size() int {
	if x == nil {
		return 0
	}
	return 4*len(x.order) + 4*len(x.slots) + 8*len(x.lengths)
}

// first is Rules.first with the index. It leaves a group when a better rule is
// already known.
func (x *index) first(r *Rules, w *work) (place int, ok bool) {
	place = -1
	var seen pairs
	made := false
	for _, n := range x.lengths {
		if n > len(w.path) {
			break
		}
		group := x.group(r, w.path[:n])
		w.left -= 4 + n/8
		last := false
		for i := 0; i < len(group) && !last; i++ {
			at := group[i]
			if last = at < 0; last {
				at = ^at
			}
			if place >= 0 && int(at) > place {
				break
			}
			if i == fewPaths && !made {
				seen.add(w.path)
				w.left -= len(w.path)
				made = true
			}
			rule := &r.rules[at]
			if made && rule.need != 0 && !seen.has(rule.need) {
				w.left--
				continue
			}
			matched, ok := w.matches(r, rule)
			if !ok {
				return 0, false
			}
			if matched {
				place = int(at)
				break
			}
		}
	}
	return place, w.left >= 0
}

// work is the state of one decision.
type work struct {
	path string
	left int // units that are still allowed
}

// matches reports whether rule u of r matches the path from its start. A star
// matches any run of bytes, a dollar sign at the very end matches the end of
// the path, and other bytes match themselves. If the work limit is reached, ok
// is false.
//
// One position moves through each text and never back. The first occurrence of
// a piece between two stars can always be used, because an early match leaves
// the most text for the rest.
func (w *work) matches(r *Rules, u *rule) (matched, ok bool) {
	w.left -= 2
	if !strings.HasPrefix(w.path, r.prefix(u)) {
		return false, w.left >= 0
	}
	path, rest := w.path[u.prefix:], r.pattern(u)[u.prefix:]
	switch rest {
	case "":
		return true, true
	case "$":
		return path == "", true
	}
	rest, anchored := strings.CutSuffix(rest[1:], "$")
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
