// SPDX-License-Identifier: Apache-2.0

// Package selector matches CSS selectors: text -> which elements of a tree. The
// grammar is that of Selectors Level 4, as far as a tree at rest can answer it,
// with some extensions that users of scrapers know (:contains, [a!=b]).
//
// # Security
//
// Selectors and trees may be hostile. A selector is bounded in length, nesting
// and compounds. Matching never tries again: a [Pass] asks each compound once
// for each element, keeps what open elements and earlier siblings matched, and
// answers :has and the like by one more pass over the tree. The cost is at most
// elements times compounds, it is counted in steps that have a limit, and the
// context is looked at often.
package selector

import (
	"errors"
	"regexp"
)

// Bounds of one selector list.
const (
	MaxLength    = 8 << 10 // bytes
	maxCompounds = 2000
	maxNesting   = 16   // of lists in each other
	maxPattern   = 1000 // instructions of a regular expression
)

// What is wrong with a selector, or with matching it. Errors wrap one of them.
var (
	ErrSyntax   = errors.New("invalid selector")
	ErrUnknown  = errors.New("unknown pseudo-class or pseudo-element")
	ErrTooLarge = errors.New("selector is over the limit")
	ErrSteps    = errors.New("matching selectors takes too many steps")
)

// Error says where a selector cannot be read. It wraps [ErrSyntax],
// [ErrUnknown] or [ErrTooLarge].
type Error struct {
	Offset int // in bytes
	Reason string
	Err    error
}

func (e *Error) Error() string { return e.Reason }

// Unwrap returns the kind of the error.
func (e *Error) Unwrap() error { return e.Err }

// Specificity counts ids, then classes, attributes and pseudo-classes, then
// tags.
type Specificity [3]int

// Compare returns a negative number if s is weaker than t, zero if they are
// equal, and a positive number if s is stronger.
func (s Specificity) Compare(t Specificity) int {
	for i := range s {
		if s[i] != t[i] {
			return s[i] - t[i]
		}
	}
	return 0
}

func (s *Specificity) add(t Specificity) {
	for i := range s {
		s[i] += t[i]
	}
}

// Selector is a list of selectors that was read. It is immutable and safe for
// concurrent use.
type Selector struct {
	text string
	list []chain
}

// String returns the text that s was read from.
func (s *Selector) String() string { return s.text }

// Specificity returns the highest specificity of the list.
func (s *Selector) Specificity() Specificity { return strongest(s.list) }

func strongest(list []chain) Specificity {
	var most Specificity
	for i := range list {
		if sp := list[i].specificity(); sp.Compare(most) > 0 {
			most = sp
		}
	}
	return most
}

// A chain is compounds that combinators join, from left to right.
type chain []step

// A step is a compound and how it hangs on the one before it: a combinator, or
// zero for the first one. The first one of a relative selector has a
// combinator too.
type step struct {
	comb  byte // ' ', '>', '+', '~'
	tests []test
}

func (c chain) specificity() Specificity {
	var sum Specificity
	for i := range c {
		for j := range c[i].tests {
			sum.add(c[i].tests[j].specificity())
		}
	}
	return sum
}

// A kind is a kind of simple selector, the cheap ones first.
type kind uint8

const (
	isNever kind = iota // states of a page that is in use: :hover
	isTag
	isID
	isClass
	hasAttribute
	isRoot
	isLink
	isInput
	isEnabled
	isDisabled
	isChecked
	isRequired
	isOptional
	isLang
	isNth
	isOnly
	isEmpty
	attributeTest
	isAny  // :is, :where
	isNone // :not
	containsOwn
	matchesOwn
	contains
	matches
	isNthOf // :nth-child(an+b of S)
	isHaving
)

// A test is one simple selector.
type test struct {
	kind kind
	name string // tag, id, class or attribute; in lower case where HTML folds it
	raw  string // tag or attribute as written, for elements that are not of HTML
	op   byte   // of attributes: = ! ~ | ^ $ * #
	fold bool   // letters of either case are the same
	zero bool   // :where adds nothing to the specificity
	last bool   // :nth-last-*
	kin  bool   // :*-of-type
	own  bool   // every chain of the list is one compound, so that it is tested in place
	val  string
	a, b int
	list []chain
	re   *regexp.Regexp
	size int   // instructions of re
	num  int32 // in a Set: of the list, the finder or the survey
}

func (t *test) specificity() Specificity {
	switch t.kind {
	case isTag:
		return Specificity{0, 0, 1}
	case isID:
		return Specificity{1, 0, 0}
	case isAny, isNone, isHaving:
		if t.zero {
			return Specificity{}
		}
		return strongest(t.list)
	case isNthOf:
		s := strongest(t.list)
		s[1]++
		return s
	default:
		return Specificity{0, 1, 0}
	}
}
